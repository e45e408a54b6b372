#include "gui/models/timeline_execution.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/models/timeline_model.h"
#include "inspector/analysis/ops/extra_time.h"

namespace et::gui {

constexpr size_t kMostParts = 8;  // of an execution's excess, that the pane lists

Status read_execution_details(const inspector::Store& store, const TraceData& data, int64_t run_id, double usual,
                              ExecutionDetails* out) {
  out->run = run_id;
  const auto run = std::find_if(data.runs.begin(), data.runs.end(), [&](const Run& r) { return r.id == run_id; });
  if (run == data.runs.end()) return {Error::NotFound, "the trace has no such execution"};
  const auto& blocks = data.table.blocks;
  const inspector::OpBlock& own = blocks[static_cast<size_t>(run->block)];
  // What is usual is what most executions of the method do: the cold one is a block of its own.
  const inspector::OpBlock* most = &own;
  for (const inspector::OpBlock& b : blocks) {
    if (b.kind == own.kind && own.method && b.method == own.method && b.runs > most->runs) most = &b;
  }
  inspector::ExplainedRun explained{run_id, 0, static_cast<double>(run->duration), usual};
  explained.position = std::count_if(data.runs.begin(), run, [&](const Run& r) { return r.block == run->block; });
  inspector::UsualTimes times;
  Status status = inspector::UsualTimes::load(store, most->id, most->runs, &times);
  int64_t parts = 0;
  if (status.ok())
    status = times.explain(store, own.id, own.runs, explained, kMostParts, &out->longer, &parts, &out->shorter);
  return status;
}

void TimelineModel::update_execution(int64_t run) {
  if (run == details_asked_) {
    untouched_ = false;
    return;
  }
  details_asked_ = run;
  details_.reset();
  details_job_.reset();
  const int64_t execution = executions_.find(run);
  if (execution < 0) return;
  // What led here was a choice of this execution, made before there was a view.
  if (std::exchange(untouched_, false) && run != run_of_basis(run)) show_execution(static_cast<size_t>(execution));
  details_job_ = jobs_.query<ExecutionDetails>(
      data_->path,
      [data = data_, run, usual = executions_.median_of(static_cast<size_t>(execution))](
          const inspector::Store& store, const Cancel&, ExecutionDetails* out) {
        return read_execution_details(store, *data, run, usual, out);
      },
      [this](const Status& status, ExecutionDetails details) {
        if (!status.ok()) details.longer.clear(), details.shorter.clear();
        details_ = std::move(details);
      });
}

int64_t TimelineModel::run_of_basis(int64_t run) const {
  if (data_ == nullptr) return 0;
  const inspector::Basis& basis = data_->usual().basis;
  const bool cold = basis.kind == inspector::BasisKind::Cold;
  if (!cold && basis.kind != inspector::BasisKind::Execution) return 0;
  const auto& blocks = data_->table.blocks;
  std::map<std::string, double> costs;  // by method
  for (const inspector::OpBlock& b : data_->usual().blocks) {
    if (b.kind == "execute") costs[b.method.value_or("")] += b.cost;
  }
  const Run* best = nullptr;
  double most = 0;
  for (const Run& r : data_->runs) {
    const inspector::OpBlock& block = blocks[static_cast<size_t>(r.block)];
    if (block.kind != "execute" || !(cold ? r.cold : r.execution == basis.execution)) continue;
    if (r.id == run) return run;
    const double cost = costs[block.method.value_or("")];
    if (best != nullptr && cost <= most) continue;
    best = &r;
    most = cost;
  }
  return best == nullptr ? 0 : best->id;
}

void TimelineModel::show_first() {
  const int64_t run = run_of_basis(0);
  const auto at = std::find_if(data_->runs.begin(), data_->runs.end(), [&](const Run& r) { return r.id == run; });
  if (run == 0 || at == data_->runs.end()) return show_usual_execution();
  const auto begin = static_cast<double>(at->start - view.origin());
  view.show(begin, begin + static_cast<double>(at->duration), 0.01);
}

}  // namespace et::gui
