// `et-inspect sql TRACE [QUERY]`: read-only SQL, from the argument, from standard input, or at a prompt.
#include <unistd.h>

#include <iostream>
#include <iterator>

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/sql_prompt.h"
#include "cli/sql_session.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {
    kTraceArgument,
    {.name = "query",
     .argument = "QUERY",
     .type = Value::Text,
     .help = "one or more statements; without it they come from standard input, on a terminal from a prompt"},
};
constexpr const OptionGroup* kGroups[] = {&kInputOptions, &kFormatOptions};
constexpr Example kExamples[] = {
    {"sql runs.db \"SELECT name, sum_ns FROM ops WHERE trace_id = 1 ORDER BY sum_ns DESC LIMIT 5\"",
     "one query over a store"},
    {"sql runs.db@latest \"SELECT * FROM lines WHERE trace_id = :trace\"",
     ":trace is the number of the addressed trace"},
    {"sql etdump.etdp --etrecord etrecord.bin < query.sql", "straight from the files"},
    {"sql runs.db", "at a prompt"},
};

int run_prompt(const Arguments& args, SqlSession& session, const inspector::TableOptions& options) {
  if (args.given("output")) return fail(kExitUsage, "--output: makes no sense at a prompt; give a query");
  run_sql_prompt(session, options, std::cin, std::cout, std::cerr);
  return kExitOk;
}

int run(const Arguments& args) {
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
    if (::isatty(STDIN_FILENO) != 0) return run_prompt(args, session, options);
    sql.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  Output out;
  status = out.open(args);
  if (!status.ok()) return fail(status);
  status = session.run(sql, options, out.stream());
  // What came before a mistake is shown on standard output, but makes no file.
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
        "Runs SQL over the documented views of a store (see `et-inspect schema`). Everything is read-only: statements\n"
        "that write, attach files or change settings are refused.\n"
        "\n"
        "A store without #number or #name is queried as a whole: its views hold all traces, told apart by trace_id.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
