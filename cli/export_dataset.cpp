#include "cli/export_dataset.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/child_process.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/trace_source.h"
#include "inspector/report/dataset/dataset.h"
#include "inspector/report/dataset/dataset_commit.h"
#include "inspector/report/dataset/parquet_plugin.h"
#include "inspector/report/dataset/redaction.h"
#include "inspector/store/trace_ref.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

using inspector::DatasetResult;
using inspector::Store;

bool is_day(const std::string& text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

/// The words that are stores, when all are; else none: the files of one run.
std::vector<inspector::TraceRef> stores_of(const std::vector<std::string>& words) {
  std::vector<inspector::TraceRef> out;
  for (const std::string& word : words) {
    inspector::TraceRef ref;
    if (!inspector::parse_trace_ref(word, &ref).ok() || !Store::looks_like_store(ref.path)) return {};
    out.push_back(std::move(ref));
  }
  return out;
}

/// One export: opens what it is given, and writes it aside.
class DatasetExport {
 public:
  DatasetExport(const Arguments& args, inspector::DatasetOptions options, inspector::DatasetWriter writer)
      : args_(args), options_(std::move(options)), writer_(std::move(writer)) {}

  Status run(const std::string& folder) {
    inspector::DatasetLock lock;
    Status status = lock.take(folder);
    if (status.ok()) status = inspector::open_dataset(folder, &known_);
    if (!status.ok()) return status;
    status = stage_all(folder);
    if (status.ok() && result_.files > 0) status = inspector::commit_dataset(folder, staging_, result_.hashes);
    std::error_code ec;
    for (const std::string& path : staging_) std::filesystem::remove_all(path, ec);
    return status;
  }
  const DatasetResult& result() const { return result_; }
  int code() const { return code_; }

 private:
  Status stage_all(const std::string& folder) {
    const std::vector<inspector::TraceRef> stores = stores_of(args_.list("trace"));
    if (stores.empty()) {
      TraceSource source;
      Status status = open_trace_source(args_, &source, Selection::Optional);
      if (!status.ok()) return status;
      warn_of_diagnostics(args_, source);
      code_ = exit_code_of_trace(source);
      return stage(source.store, folder, source.trace_id);
    }
    for (const inspector::TraceRef& ref : stores) {
      Store store;
      int64_t trace = 0;
      Status status = Store::open(ref.path, Store::Mode::ReadOnly, &store);
      if (status.ok() && ref.kind != inspector::TraceRef::Kind::Only)
        status = inspector::resolve_trace(store, ref, &trace);
      if (status.ok()) status = stage(store, folder, trace);
      if (!status.ok()) return status;
    }
    return {};
  }
  Status stage(Store& store, const std::string& folder, int64_t trace) {
    std::string staging;
    Status status = inspector::make_staging(folder, &staging);
    if (!status.ok()) return status;
    staging_.push_back(staging);
    std::vector<int64_t> chosen;
    if (trace != 0) chosen.push_back(trace);
    status = inspector::stage_dataset(store, chosen, options_, known_, staging, writer_, &result_);
    known_.insert(result_.hashes.begin(), result_.hashes.end());
    return status;
  }

  const Arguments& args_;
  inspector::DatasetOptions options_;
  inspector::DatasetWriter writer_;
  std::set<std::string> known_;
  std::vector<std::string> staging_;
  DatasetResult result_;
  int code_ = kExitOk;
};

}  // namespace

int export_dataset(const Arguments& args) {
  if (!args.given("out")) return fail(kExitUsage, "--format parquet needs --out DIR, the data set's folder");
  for (const char* option : {"output", "stacks", "max-executions"}) {
    if (args.given(option)) return fail(kExitUsage, std::string("--") + option + ": not with --format parquet");
  }
  inspector::DatasetOptions options;
  options.samples = args.flag("samples");
  options.device = args.text("device");
  options.build = args.text("build");
  options.date = args.text("date");
  if (!options.date.empty() && !is_day(options.date))
    return fail(kExitUsage, "--date: expected a day as 2026-01-31, got '" + options.date + "'");
  Status status;
  if (args.given("redact")) status = inspector::read_redaction_key(args.text("redact"), &options.key);
  inspector::DatasetWriter writer;
  const std::string program = program_beside("et-inspect");
  const std::string folder = std::filesystem::path(program).parent_path().string();
  if (status.ok()) status = inspector::load_parquet_writer(folder, &writer);
  if (!status.ok()) return fail(status);
  DatasetExport work(args, options, writer);
  status = work.run(args.text("out"));
  if (!status.ok()) return fail(status);
  const DatasetResult& r = work.result();
  print_note(args, args.text("out") + ": " + inspector::plural(r.traces, "trace") + " and " +
                       inspector::plural(r.checks, "call") + " of et-check added in " +
                       inspector::plural(r.files, "file") +
                       (r.skipped > 0 ? ", " + std::to_string(r.skipped) + " were there already" : ""));
  return work.code();
}

}  // namespace et::cli
