#include "cli/trace_source.h"

#include <unistd.h>

#include <iterator>
#include <vector>

#include "base/interruption.h"
#include "base/nearest.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/input_files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "inspector/analysis/ops/kept_executions.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/foreign_files.h"
#include "inspector/store/line_rule.h"
#include "inspector/store/trace_problems.h"
#include "inspector/store/trace_ref.h"
#include "inspector/text/format.h"

namespace et::cli {
namespace {

using inspector::FileKind;
using inspector::Store;

// Options that say how to import, besides those of the importers.
constexpr const char* kStoreImportOptions[] = {"store", "name", "source-time-scale", "dump-index", "delegate-clock"};

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

void print_notes(const Arguments& args, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_note(args, note);
}

Status open_stored(const Arguments& args, const std::string& address, Selection selection, TraceSource* out) {
  inspector::TraceRef ref;
  Status status = inspector::parse_trace_ref(address, &ref);
  if (status.ok()) status = refuse_import_options(args, ref.text);
  if (status.ok()) status = Store::open(ref.path, Store::Mode::ReadOnly, &out->store);
  if (!status.ok()) return status;
  const bool whole_store = selection == Selection::Optional && ref.kind == inspector::TraceRef::Kind::Only;
  if (!whole_store) status = inspector::resolve_trace(out->store, ref, &out->trace_id);
  return status.ok() ? with_lines(args, out) : status;
}

/// The store that the trace is kept in: --store, or one among the files. "": in memory.
Status store_to_keep(const Arguments& args, const std::string& among_files, std::string* out) {
  *out = args.text("store");
  if (among_files.empty()) return {};
  if (!out->empty()) {
    return {Error::InvalidArgument, among_files + " and " + *out + " (--store): two stores; pass one of them"};
  }
  if (inspector::file_kind(among_files) != FileKind::Store) {
    return {Error::InvalidArgument, among_files + ": a trace in a store has its ETRecord and program; open it alone"};
  }
  *out = among_files;
  return {};
}

Status import_files(const Arguments& args, inspector::SortedFiles* files, std::vector<std::string>* notes,
                    TraceSource* out) {
  inspector::IngestInputs& in = files->inputs;
  in.trace_name = args.text("name");
  in.source_time_scale = args.text("source-time-scale");
  in.delegate_clocks = args.list("delegate-clock");
  in.dump_index = args.integer("dump-index", -1);
  std::string path;
  Status status = store_to_keep(args, files->store, &path);
  if (!status.ok()) return status;
  if (args.given("name") && path.empty()) return {Error::InvalidArgument, "--name needs --store"};
  const bool fresh = !path.empty() && inspector::file_kind(path) == FileKind::Missing;
  UnfinishedFile unfinished, journal;
  if (fresh) {
    unfinished = UnfinishedFile(path);
    journal = UnfinishedFile(path + "-journal");
  }
  status = Store::open(path, path.empty() ? out->without_file : Store::Mode::ReadWrite, &out->store);
  if (!status.ok()) return status;
  ProgressLine line(args);
  inspector::IngestResult result;
  status = inspector::ingest_found(
      out->store, &in, [&](const char* stage, uint64_t done, uint64_t total) { return line(stage, done, total); },
      &result, notes);
  if (status.ok() && !path.empty()) status = inspector::keep_executions(out->store, result.trace_id);
  line.end();
  if (!status.ok()) {
    out->store = Store();
    if (fresh) ::unlink(path.c_str());  // no trace of a failed import, not even an empty store
    return status;
  }
  if (const std::string text = inspector::found_text(in); !text.empty()) {
    notes->push_back(text + (files->whole_folder ? "" : "; --no-neighbours reads it alone"));
  }
  if (!files->store.empty()) notes->push_back(path + ": the trace was added to this store");
  out->trace_id = result.trace_id;
  out->imported = true;
  return with_lines(args, out);
}

}  // namespace

Status open_trace_source(const Arguments& args, TraceSource* out, Selection selection) {
  inspector::SortedFiles files;
  std::vector<std::string> notes;
  Status status = gather_input_files(args, &files, &notes);
  const inspector::IngestInputs& in = files.inputs;
  const bool opens_store = in.dump.empty() && in.record.empty() && in.program.empty() && !files.store.empty();
  if (status.ok() && opens_store) return open_stored(args, files.store, selection, out);
  if (status.ok()) status = import_files(args, &files, &notes, out);
  print_notes(args, notes);
  return status;
}

int exit_code_of_trace(const TraceSource& source) {
  const inspector::TraceProblems problems = inspector::problems_of(source.store, source.trace_id);
  if (problems.damaged) return kExitInput;
  if (problems.data_loss) return kExitIncomplete;
  return problems.mismatched ? kExitDifference : kExitOk;
}

void warn_of_diagnostics(const Arguments& args, const TraceSource& source) {
  for (const auto& [id, message, count] : inspector::problem_texts(source.store, source.trace_id)) {
    print_warning(args, count > 1 ? message + " (" + std::to_string(count) + " times)" : message);
  }
}

std::string foreign_head(const std::string& format, const TraceSource& source) {
  if (format != "table" && format != "markdown") return {};
  return inspector::foreign_files(source.store, source.trace_id).head();
}

int write_trace_output(const Arguments& args, const TraceSource& source, const std::string& text,
                       std::optional<int> exit_code) {
  return write_output(args, foreign_head(args.text("format"), source) + text,
                      exit_code.value_or(exit_code_of_trace(source)));
}

}  // namespace et::cli
