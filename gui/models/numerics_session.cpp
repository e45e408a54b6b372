#include "gui/models/numerics_session.h"

#include "gui/core/open_request.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/store/trace_problems.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {

using inspector::Store;

Status NumericsSession::make(const std::string& store, int64_t trace_id, inspector::LineRule lines,
                             const NumericsRequest& request, const std::shared_ptr<NumericsStage>& stage,
                             const Cancel& cancel, std::shared_ptr<NumericsSession>* out) {
  auto session = std::make_shared<NumericsSession>();
  NumericsSession* const self = session.get();
  self->trace_id_ = trace_id;
  Status status = Store::open(store, Store::Mode::ReadOnly, &self->store_);
  if (status.ok()) status = inspector::show_lines(self->store_, 0, lines);
  if (!status.ok()) return status;
  // Once it is measured, its values are read for other reasons.
  self->run_.emplace(
      inspector::GapOptions(), [stage](const char* text) { stage->set(text); },
      [self, cancel] { return self->measuring_.load() && cancel.cancelled(); });
  status = self->run_->open(self->store_, trace_id, request.execution);
  if (status.ok()) status = self->against(request, lines, stage.get(), cancel);
  self->measuring_ = false;
  if (status.ok()) *out = std::move(session);
  return status;
}

Status NumericsSession::against(const NumericsRequest& request, inspector::LineRule lines, NumericsStage* stage,
                                const Cancel& cancel) {
  using Against = NumericsRequest::Against;
  if (request.against == Against::Graph) {
    run_->look_beside(request.look_beside);
    return run_->against_graph(request.inputs);
  }
  if (request.against == Against::Trace) return run_->against_trace(store_, request.trace);
  if (request.files.size() == 1 && inspector::is_recorded_tensors(request.files.front()))
    return run_->against_tensors(request.files.front());
  int64_t id = 0;
  const Status status = open_other(request.files, lines, stage, cancel, &id);
  return status.ok() ? run_->against_trace(other_, id) : status;
}

Status NumericsSession::open_other(const std::vector<std::string>& files, inspector::LineRule lines,
                                   NumericsStage* stage, const Cancel& cancel, int64_t* trace_id) {
  OpenRequest request;
  Status status = classify(files, &request);
  if (!status.ok()) return status;
  if (request.is_store()) {
    inspector::TraceRef ref;
    status = inspector::parse_trace_ref(request.store, &ref);
    if (status.ok()) status = Store::open(ref.path, Store::Mode::ReadOnly, &other_);
    if (status.ok()) status = inspector::resolve_trace(other_, ref, trace_id);
  } else {
    inspector::IngestResult result;
    status = Store::open("", Store::Mode::Memory, &other_);
    if (status.ok()) {
      status = inspector::ingest_found(
          other_, &request.inputs,
          [&](const char* text, uint64_t, uint64_t) {
            stage->set(std::string("Reference: ") + text);
            return !cancel.cancelled();
          },
          &result, &request.notes);
    }
    *trace_id = result.trace_id;
  }
  if (status.ok()) status = inspector::show_lines(other_, 0, lines);
  if (!status.ok()) return status;
  notes_ = request.notes;
  for (const auto& problem : inspector::problem_texts(other_, *trace_id)) notes_.push_back(problem.message);
  return status;
}

Status NumericsSession::distributions(size_t row, size_t bins, inspector::Distributions* out) const {
  const std::lock_guard lock(mutex_);
  return inspector::distributions_of(run_->run(), run_->reference(), run_->gap().rows[row], bins, out);
}

}  // namespace et::gui
