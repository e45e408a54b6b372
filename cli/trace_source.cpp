#include "cli/trace_source.h"

#include <unistd.h>

#include <iterator>
#include <vector>

#include "base/nearest.h"
#include "base/stream_input.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/input_files.h"
#include "cli/progress.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/line_rule.h"
#include "inspector/store/trace_problems.h"
#include "inspector/store/trace_ref.h"

namespace et::cli {
namespace {

using inspector::FileKind;
using inspector::Store;

// Options that say how to import, besides those of the importers.
constexpr const char* kStoreImportOptions[] = {"store", "name", "source-time-scale", "dump-index", "delegate-clock"};

Status refused(const std::string& path, std::string cause) {
  return {Error::InvalidExternalData, path + ": " + std::move(cause)};
}

/// Import options are refused for a trace that is in a store already.
Status refuse_import_options(const Arguments& args, const std::string& trace) {
  std::vector<const char*> options;
  for (const inspector::Importer& i : kOptionImporters) options.push_back(i.option);
  options.insert(options.end(), std::begin(kStoreImportOptions), std::end(kStoreImportOptions));
  for (const char* option : options) {
    if (!args.given(option)) continue;
    return {Error::InvalidArgument, std::string("--") + option + ": cannot be used with " + trace +
                                        ", a store whose traces are already imported; pass the ETDump instead"};
  }
  return {};
}

/// As --lines wants them; what the store has is there already.
Status with_lines(const Arguments& args, TraceSource* out) {
  const auto rule = inspector::parse_line_rule(args.text("lines")).value_or(inspector::LineRule::Auto);
  const Status status = inspector::show_lines(out->store, out->trace_id, rule);
  return rule == inspector::LineRule::Auto ? Status() : status;  // a damaged store is told by who reads it
}

/// A word that is not a file may be a mistyped subcommand.
std::string command_hint(const Arguments& args) {
  if (args.command().name[0] != 0) return {};
  std::vector<std::string> names;
  for (const CommandSpec* c : args.program().commands) {
    if (c->name[0] != 0) names.emplace_back(c->name);
  }
  const std::string best = nearest(args.text("trace"), names);
  return best.empty() ? "" : "; did you mean the command '" + best + "'?";
}

}  // namespace

Status open_trace_source(const Arguments& args, TraceSource* out, Selection selection) {
  inspector::TraceRef ref;
  Status status;
  const bool has_trace = args.given("trace");  // without one an ETRecord or program is imported alone
  if (has_trace) status = inspector::parse_trace_ref(args.text("trace"), &ref);
  if (!status.ok()) return status;
  // Pipes are read first: nobody can look at them twice.
  if (has_trace) status = read_stream(ref.path);
  for (const inspector::Importer& i : kOptionImporters) {
    if (status.ok()) status = read_stream(args.text(i.option));
  }
  if (!status.ok()) return status;
  const FileKind kind = inspector::file_kind(ref.path);
  if (has_trace && kind == FileKind::Missing) {
    return {Error::AccessFailed, ref.path + ": cannot open: no such file" + command_hint(args)};
  }

  if (kind == FileKind::Store) {
    status = refuse_import_options(args, ref.text);
    if (!status.ok()) return status;
    status = Store::open(ref.path, Store::Mode::ReadOnly, &out->store);
    if (!status.ok()) return status;
    const bool whole_store = selection == Selection::Optional && ref.kind == inspector::TraceRef::Kind::Only;
    if (!whole_store) status = inspector::resolve_trace(out->store, ref, &out->trace_id);
    return status.ok() ? with_lines(args, out) : status;
  }
  if (ref.kind != inspector::TraceRef::Kind::Only) {
    return refused(ref.path, "expected a store before '" + ref.text.substr(ref.path.size()) + "', got " +
                                 inspector::file_kind_name(kind));
  }

  inspector::IngestInputs in;
  take_input_files(args, ref.path, &in);
  in.trace_name = args.text("name");
  in.source_time_scale = args.text("source-time-scale");
  in.delegate_clocks = args.list("delegate-clock");
  in.dump_index = args.integer("dump-index", -1);
  if (args.given("name") && !args.given("store")) return {Error::InvalidArgument, "--name needs --store"};
  status = check_input_files(in);
  if (!status.ok()) return status;
  const std::string store_path = args.text("store");
  const bool fresh = args.given("store") && inspector::file_kind(store_path) == FileKind::Missing;
  status = Store::open(store_path, args.given("store") ? Store::Mode::ReadWrite : Store::Mode::Memory, &out->store);
  if (!status.ok()) return status;

  ProgressLine line(args);
  inspector::IngestResult result;
  status = inspector::ingest(
      out->store, in, [&](const char* stage, uint64_t done, uint64_t total) { return line(stage, done, total); },
      &result);
  line.clear();
  if (!status.ok()) {
    out->store = Store();
    if (fresh) ::unlink(store_path.c_str());  // no trace of a failed import, not even an empty store
    return status;
  }
  out->trace_id = result.trace_id;
  out->imported = true;
  return with_lines(args, out);
}

int exit_code_of_trace(const TraceSource& source) {
  const inspector::TraceProblems problems = inspector::problems_of(source.store, source.trace_id);
  if (problems.damaged) return kExitInput;
  if (problems.data_loss) return kExitIncomplete;
  return problems.mismatched ? kExitDifference : kExitOk;
}

void warn_of_diagnostics(const Arguments& args, const TraceSource& source) {
  for (const auto& [message, count] : inspector::problem_texts(source.store, source.trace_id)) {
    print_warning(args, count > 1 ? message + " (" + std::to_string(count) + " times)" : message);
  }
}

}  // namespace et::cli
