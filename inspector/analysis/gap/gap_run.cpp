#include "inspector/analysis/gap/gap_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "inspector/analysis/gap/found_inputs.h"
#include "inspector/analysis/gap/renamed_nodes.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/store/file_kind.h"

namespace et::inspector {

Status GapRun::open(const Store& store, int64_t trace_id, std::optional<int64_t> execution) {
  store_ = &store;
  trace_id_ = trace_id;
  execution_ = execution;
  const Status status = open_gap_side(store, trace_id, execution, std::nullopt, &run_);
  if (!status.ok() || !cancelled_) return status;
  // Each comparison reads a value of the run: the place to stop at.
  run_.bytes = [read = run_.bytes, cancelled = cancelled_](size_t value, std::span<const uint8_t>* bytes) -> Status {
    return cancelled() ? Status(Error::InvalidState, "cancelled") : read(value, bytes);
  };
  return status;
}

Status GapRun::compare(const GapSide* own) {
  tell("Comparing tensors");
  const Status status = measure_run(*store_, trace_id_, run_, reference_, own, options_, &gap_);
  run_.release();
  reference_.release();
  return status;
}

Status GapRun::against_tensors(const std::string& path) {
  tell("Reading tensors");
  const Status status = open_tensor_files(path, handle_nodes(*store_, trace_id_), &reference_);
  return status.ok() ? compare(nullptr) : status;
}

Status GapRun::against_trace(const Store& other, int64_t other_id) {
  Status status = open_gap_side(other, other_id, execution_, run_.test_case, &reference_);
  if (status.ok()) status = rename_nodes(*store_, trace_id_, other, other_id, &run_, &reference_);
  return status.ok() ? compare(nullptr) : status;
}

Status GapRun::run_graph(const GraphInputs& given, const HandleNodes& handles) {
  const bool unknown =
      !given.any() && !run_.record.empty() && (run_.test_case.value_or(0) > 0 || !record_keeps_inputs(run_.record));
  std::optional<GraphInputs> found;
  if (look_beside_ && unknown) found = find_inputs(*store_, trace_id_, run_.method, run_.test_case);
  if (!found) return graph_.run(given, run_, handles, &reference_);
  const Status status = graph_.run(*found, run_, handles, &reference_);
  if (status.ok()) {
    found_inputs_ = std::move(found);
    return status;
  }
  if (cancelled_ && cancelled_()) return status;
  return {status.code(), "the ETRecord keeps no inputs, and " + inputs_text(*found) +
                             ", found beside the ETDump, cannot be the run's: " + status.message() +
                             "; say what it was fed: --input, --cases, --ones or --random"};
}

Status GapRun::against_graph(const GraphInputs& inputs) {
  const HandleNodes handles = handle_nodes(*store_, trace_id_);
  tell("Working out the ETRecord's graph");
  Status status = run_graph(inputs, handles);
  if (status.ok()) status = compare(nullptr);
  if (!status.ok() || !gap_.first) return status;
  tell("Working out each node from the run's own inputs");
  GapSide own;
  if (Status s = graph_.run_fed(run_, gap_, reference_, handles, &own); !s.ok()) {
    if (cancelled_ && cancelled_()) return s;
    own_problem_ = s.message();
    return {};
  }
  return compare(&own);
}

bool is_recorded_tensors(const std::string& path) {
  const FileKind kind = file_kind(path);
  if (kind == FileKind::Zip) return true;
  if (kind != FileKind::Directory) return false;
  std::vector<FolderFile> files;
  if (!files_of_folder(path.ends_with('/') ? path : path + "/", &files)) return true;  // arrays by the thousand
  const auto has = [&](const auto& test) { return std::any_of(files.begin(), files.end(), test); };
  const bool run = has([](const FolderFile& f) { return f.kind == FileKind::ETDump || f.kind == FileKind::Store; });
  return !run && has([](const FolderFile& f) { return f.path.ends_with(".npy"); });
}

}  // namespace et::inspector
