// `et-inspect doctor TRACE`: why is an ETDump empty, unlinked, or at odds with its ETRecord?
#include "inspector/analysis/findings/finding.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/input_files.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/findings/program_findings.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/trace_ref.h"
#include "inspector/text/table.h"

namespace et::cli {
namespace {

using inspector::Finding;

constexpr OptionSpec kDoctorPositionals[] = {kTraceArgument};
constexpr const OptionGroup* kDoctorGroups[] = {&kInputOptions, &kFormatOptions};
constexpr Example kDoctorExamples[] = {
    {"doctor etdump.etdp --etrecord etrecord.bin --pte model.pte", "do these three belong together?"},
    {"doctor runs.db#3", "what is wrong with a trace in a store"},
    {"doctor model.pte", "operators and backends the runtime lacks"},
};

/// The only word, or the first of several files.
std::string first_file(const Arguments& args) {
  return args.given("trace") ? args.list("trace").front() : std::string();
}

/// One line for each file: what it really is.
void describe_files(const Arguments& args, std::vector<Finding>* out) {
  auto describe = [&](const std::string& path, const char* role) {
    const inspector::FileKind kind = inspector::file_kind(path);
    const std::string what =
        kind == inspector::FileKind::Missing ? "does not exist" : std::string("is ") + inspector::file_kind_name(kind);
    out->push_back({"info", "file", path + " (given as " + role + ") " + what, ""});
  };
  for (const std::string& word : args.list("trace")) {
    inspector::TraceRef ref;
    if (inspector::parse_trace_ref(word, &ref).ok()) describe(ref.path, "TRACE");
  }
  auto describe_option = [&](const char* option) {
    if (args.given(option)) describe(args.text(option), (std::string("--") + option).c_str());
  };
  for (const inspector::Importer& i : kOptionImporters) describe_option(i.option);
  describe_option("store");
}

std::string advice_for(const Arguments& args) {
  using inspector::FileKind;
  inspector::TraceRef ref;
  if (!inspector::parse_trace_ref(first_file(args), &ref).ok()) return {};
  const FileKind kind = inspector::file_kind(ref.path);
  const FileKind record = args.given("etrecord") ? inspector::file_kind(args.text("etrecord")) : FileKind::Unknown;
  if (record == FileKind::ETDump && kind == FileKind::ETRecord) {
    return "ETDump and ETRecord are swapped; run: et-inspect " + args.text("etrecord") + " --etrecord " + ref.path;
  }
  switch (kind) {
    case FileKind::Missing:
      return "Check the path.";
    case FileKind::Empty:
      return "The application wrote nothing: it must fetch the ETDump after the last execution and write it to the "
             "file.";
    case FileKind::Unknown:
      return "An ETDump has the identifier ED00 at byte 4 or 8. Check that this is the ETDump, copied completely and "
             "in binary mode.";
    default:
      return {};
  }
}

int severity_rank(const std::string& severity) {
  return severity == "error" ? 0 : severity == "info" || severity == "ok" ? 2 : 1;
}

Status render(const Arguments& args, const std::vector<Finding>& findings, std::string* text) {
  const std::string format = args.text("format");
  const bool color = use_color(args);
  if (format == "table") {
    for (const Finding& f : findings) {
      const int rank = severity_rank(f.severity);
      const char* paint = rank == 0 ? "\033[1;31m" : rank == 1 ? "\033[33m" : "\033[2m";
      *text += (color ? paint + f.severity + "\033[0m" : f.severity) + ": " + inspector::printable(f.text) + " [" +
               f.id + "]\n";
      if (!f.advice.empty()) *text += "    " + inspector::printable(f.advice) + "\n";
    }
    if (findings.empty()) *text += "ok: no problems found\n";
    return {};
  }
  inspector::Table table;
  table.columns = {{.title = "severity"}, {.title = "id"}, {.title = "text"}, {.title = "advice"}};
  for (const Finding& f : findings) table.add({f.severity, f.id, f.text, f.advice});
  return table.write({.format = format, .json_name = "doctor"}, text);
}

int run_on_program(const Arguments& args, const std::string& path) {
  std::vector<Finding> findings;
  Status status = inspector::find_program_findings(path, &findings);
  if (!status.ok()) return fail(status);
  const bool runs = std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.id == "runnable"; });
  std::string text;
  status = render(args, findings, &text);
  return status.ok() ? write_output(args, text, runs ? kExitOk : kExitDifference) : fail(status);
}

/// What could be faster or smaller comes behind what is wrong.
Status add_advice(const TraceSource& source, const inspector::OpTable& shown, std::vector<Finding>* out) {
  std::vector<inspector::Advice> advice;
  const Status status = inspector::find_advice(source.store, shown, &advice);
  std::vector<Finding> last;
  while (!out->empty() && out->back().severity == "ok") {
    last.insert(last.begin(), std::move(out->back()));
    out->pop_back();
  }
  for (const inspector::Advice& a : advice) out->push_back({"info", a.id, a.text, a.what_to_do});
  for (Finding& f : last) out->push_back(std::move(f));
  return status;
}

int run_doctor(const Arguments& args) {
  // A program alone: would it run? With other files the question is whether they belong together.
  if (const std::string path = lone_program(args); !path.empty()) return run_on_program(args, path);
  std::vector<Finding> findings;
  TraceSource source;
  Status status = open_trace_source(args, &source);
  int code = kExitOk;
  if (!status.ok()) {
    code = exit_code_of(status);
    findings.push_back({"error", "cannot-open", status.message(), advice_for(args)});
    describe_files(args, &findings);
  } else {
    inspector::OpTable shown;
    status = inspector::load_shown_ops(source.store, source.trace_id, {}, &shown);
    if (status.ok()) status = inspector::find_findings(source.store, shown, &findings);
    if (status.ok()) status = add_advice(source, shown, &findings);
    if (!status.ok()) return fail(status);
    code = exit_code_of_trace(source);
    if (code == kExitOk &&
        std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == "error"; })) {
      code = kExitDifference;
    }
  }
  std::string text;
  status = render(args, findings, &text);
  return status.ok() ? write_output(args, text, code) : fail(status);
}

}  // namespace

constexpr CommandSpec kDoctorCommand = {
    .name = "doctor",
    .summary = "find out why an ETDump is empty or unlinked, or why a program would not run",
    .description =
        "Checks whether ETDump, ETRecord and program belong together, and which events could be linked to graph "
        "nodes,\n"
        "and says what to do. Files that cannot be opened are identified.\n"
        "\n"
        "Given a program (.pte, .bpte) instead of an ETDump it lists the operators and backends that et-run lacks; the "
        "exit\n"
        "code is 0 when et-run has all of them.",
    .positionals = kDoctorPositionals,
    .groups = kDoctorGroups,
    .examples = kDoctorExamples,
    .run = run_doctor,
};

}  // namespace et::cli
