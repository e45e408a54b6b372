// `et-inspect sql TRACE [QUERY]`: read-only SQL, from the argument, from standard input, or at a prompt.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/input_files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sql_prompt.h"
#include "cli/sql_session.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec kSqlPositionals[] = {
    one_trace_argument(),
    {.name = "query",
     .argument = "QUERY",
     .type = Value::Text,
     .help = "one or more statements (default: standard input; on a terminal, a prompt)"},
};
constexpr const OptionGroup* kSqlGroups[] = {&kInputOptions, &kFormatOptions};
constexpr Example kSqlExamples[] = {
    {"sql runs.db \"SELECT name, sum_ns FROM ops WHERE trace_id = 1 ORDER BY sum_ns DESC LIMIT 5\"",
     "one query on a store"},
    {"sql runs.db@latest \"SELECT * FROM lines WHERE trace_id = :trace\"",
     ":trace is the number of the selected trace"},
    {"sql etdump.etdp --etrecord etrecord.bin < query.sql", "directly from the files"},
    {"sql runs.db", "interactively"},
};

int run_prompt(const Arguments& args, SqlSession& session, const inspector::TableOptions& options) {
  if (args.given("output")) return fail(kExitUsage, "--output needs a query: a prompt prints to the terminal");
  session.keep_on_interruption();
  run_sql_prompt(session, options, std::cin, std::cout, std::cerr);
  return kExitOk;
}

/// One of the files came through standard input.
bool reads_standard_input(const Arguments& args) {
  const auto given = [&](const char* name) { return args.text(name) == "/dev/stdin"; };
  return given("trace") || std::any_of(kOptionImporters.begin(), kOptionImporters.end(),
                                       [&](const inspector::Importer& i) { return given(i.option); });
}

int run_sql(const Arguments& args) {
  TraceSource source;
  Status status = open_trace_source(args, &source, Selection::Optional);
  if (!status.ok()) return fail(status);
  if (source.imported) warn_of_diagnostics(args, source);
  const int code = source.imported ? exit_code_of_trace(source) : static_cast<int>(kExitOk);

  SqlSession session(source.store, source.trace_id);
  const inspector::TableOptions options = {
      .format = args.text("format"), .width = output_width(args), .color = use_color(args)};
  std::string sql = args.text("query");
  if (!args.given("query")) {
    if (reads_standard_input(args)) {
      return fail(kExitUsage, "QUERY: standard input is read as TRACE already; pass the query as an argument");
    }
    if (::isatty(STDIN_FILENO) != 0) return run_prompt(args, session, options);
    sql.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  Output out;
  status = out.open(args);
  if (!status.ok()) return fail(status);
  ProgressLine line(args);
  session.set_progress([&line](uint64_t rows) { line("querying", rows, 0); });
  status = session.run(sql, options, out.stream());
  line.end();
  // Results before the error are shown on standard output, but not written to a file.
  if (!status.ok() && !args.given("output")) (void)out.finish();
  if (!status.ok()) return fail(status);
  status = out.finish();
  return status.ok() ? code : fail(status);
}

}  // namespace

constexpr CommandSpec kSqlCommand = {
    .name = "sql",
    .summary = "query a store with SQL",
    .description =
        "Runs SQL on the documented views of a store (see `et-inspect schema`). Access is read-only: statements that\n"
        "write, attach files or change settings are rejected.\n"
        "\n"
        "Without #number or #name the whole store is queried: its views contain all traces, identified by trace_id.",
    .positionals = kSqlPositionals,
    .groups = kSqlGroups,
    .examples = kSqlExamples,
    .run = run_sql,
};

}  // namespace et::cli
