#include "gui/models/timeline_execution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/models/timeline_model.h"
#include "inspector/analysis/ops/extra_time.h"
#include "inspector/text/format.h"

namespace et::gui {

constexpr size_t kMostParts = 8;  // of an execution's excess, that the pane lists

namespace {

/// What executions usually take on the basis, which times in the other panels are of, and what that is of them.
struct Usual {
  double duration = 0;
  const char* name = "";
};

Usual usual_of(const TraceData& data, std::vector<const Run*> runs) {
  using inspector::BasisKind;
  constexpr double kMuchVariation = 0.2;  // of an execution
  const BasisKind kind = data.usual().basis.kind;
  if (kind == BasisKind::Mean || kind == BasisKind::Total) {
    double sum = 0;
    for (const Run* run : runs) sum += static_cast<double>(run->duration);
    return {sum / static_cast<double>(runs.size()), "mean"};
  }
  const int64_t block = data.table.blocks[static_cast<size_t>(runs.front()->block)].id;
  for (const inspector::OpBlock& b : data.usual().blocks) {
    if (b.id != block && std::find(b.merged.begin(), b.merged.end(), block) == b.merged.end()) continue;
    if (kind == BasisKind::P99) return {b.cost, "mean of the slowest"};
    // On a busy machine the median execution has an op that was interrupted, too.
    if (b.variation > kMuchVariation * b.cost) return {b.cost - b.variation, "usual times of the ops"};
  }
  const auto middle = runs.begin() + static_cast<ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end(), [](const Run* x, const Run* y) {
    return x->duration != y->duration ? x->duration < y->duration : x->id < y->id;
  });
  return {static_cast<double>((*middle)->duration), kind == BasisKind::WarmMedian ? "median" : ""};
}

}  // namespace

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
  inspector::OpCount parts;
  if (status.ok())
    status =
        times.explain(store, own.id, own.runs, explained, kMostParts, &out->longer, &parts, &out->shorter, &out->parts);
  return status;
}

std::vector<ExecutionPart> parts_of_execution(const ExecutionDetails& details, const std::string& unit) {
  const inspector::ExplainedParts& p = details.parts;
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, unit); };
  std::vector<ExecutionPart> out = {
      {"in its ops", p.ops - p.usual_ops, time(p.ops) + ", usually " + time(p.usual_ops)},
      {"in no op", p.outside - p.usual_outside, time(p.outside) + ", usually " + time(p.usual_outside)}};
  constexpr double kSeen = 0.001;  // of the execution
  const double usual = p.usual_ops + p.usual_outside + p.variation;
  if (std::abs(p.variation) < kSeen * usual) return out;
  out.push_back({"variation", -p.variation,
                 p.variation > 0 ? "the median execution has " + time(p.variation) +
                                       " beyond the usual times of its ops: it was held up somewhere"
                                 : "the usual times of the ops add up to more than the median execution took"});
  return out;
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

int64_t TimelineModel::find_usual_run() {
  usual_name_ = "";
  if (data_ == nullptr) return 0;
  // Of the method that ran most, and warm; the index of executions is not read yet.
  std::map<int32_t, std::vector<const Run*>> by_block;
  for (const Run& run : data_->runs) {
    const inspector::OpBlock& block = data_->table.blocks[static_cast<size_t>(run.block)];
    if (block.kind == "execute" && !run.cold && run.complete) by_block[run.block].push_back(&run);
  }
  std::vector<const Run*> most;
  for (auto& [block, runs] : by_block)
    if (runs.size() > most.size()) most = std::move(runs);
  constexpr size_t kLeast = 3;
  if (most.size() < kLeast) return 0;
  const Usual wanted = usual_of(*data_, most);
  usual_name_ = wanted.name;
  const auto off = [&](const Run* run) { return std::abs(static_cast<double>(run->duration) - wanted.duration); };
  return (*std::min_element(most.begin(), most.end(), [&](const Run* x, const Run* y) { return off(x) < off(y); }))->id;
}

void TimelineModel::show_usual_execution() {
  if (data_ == nullptr) return;
  const int64_t run = usual_run();
  if (run == 0) return show_executions();
  const Run& shown = *std::find_if(data_->runs.begin(), data_->runs.end(), [&](const Run& r) { return r.id == run; });
  const auto begin = static_cast<double>(shown.start - view.origin());
  view.show(begin, begin + static_cast<double>(shown.duration), 0.01);
}

std::string TimelineModel::seen_execution_text() const {
  constexpr double kSame = 0.06;  // of the execution, at each of its ends: a margin
  const double middle = (view.begin() + view.end()) / 2;
  const int64_t at = executions_.at_time(absolute(middle));
  if (at < 0) return {};
  const auto execution = static_cast<size_t>(at);
  const Run& run = data_->runs[static_cast<size_t>(executions_.run(execution))];
  const auto begin = static_cast<double>(run.start - view.origin()), time = static_cast<double>(run.duration);
  if (std::abs(view.begin() - begin) > kSame * time || std::abs(view.end() - begin - time) > kSame * time) return {};
  // What is seen has a margin: its time is not the execution's.
  const std::string usual =
      run.id == usual_run() && *usual_name_ != 0 ? std::string(", the nearest to the ") + usual_name_ : std::string();
  return executions_.name(*data_, execution) + usual + ": " +
         inspector::format_duration_with_unit(time, data_->unit()) + "; shown ";
}

void TimelineModel::show_first() {
  const int64_t run = run_of_basis(0);
  const auto at = std::find_if(data_->runs.begin(), data_->runs.end(), [&](const Run& r) { return r.id == run; });
  if (run == 0 || at == data_->runs.end()) return show_usual_execution();
  const auto begin = static_cast<double>(at->start - view.origin());
  view.show(begin, begin + static_cast<double>(at->duration), 0.01);
}

}  // namespace et::gui
