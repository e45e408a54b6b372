#include "gui/models/executions_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace et::gui {
namespace {

constexpr size_t kSlowest = 50;
// Heights up to so many times the largest block's median are told apart.
constexpr int64_t kCeilingMedians = 4;

/// By block of `table`: the block of TraceData::usual() that it is part of; their own positions behind those where it
/// is in none.
std::vector<size_t> shown_blocks(const TraceData& data) {
  std::unordered_map<int64_t, size_t> shown;
  for (size_t b = 0; b < data.usual().blocks.size(); ++b) {
    shown.emplace(data.usual().blocks[b].id, b);
    for (const int64_t id : data.usual().blocks[b].merged) shown.emplace(id, b);
  }
  std::vector<size_t> out;
  for (size_t b = 0; b < data.table.blocks.size(); ++b) {
    const auto at = shown.find(data.table.blocks[b].id);
    out.push_back(at == shown.end() ? data.usual().blocks.size() + b : at->second);
  }
  return out;
}

}  // namespace

ExecutionsModel ExecutionsModel::make(const TraceData& data) {
  ExecutionsModel m;
  const auto& blocks = data.table.blocks;
  const std::vector<size_t> group = shown_blocks(data);
  const size_t groups = data.usual().blocks.size() + blocks.size();
  const auto executes = [&](const Run& run) { return blocks[static_cast<size_t>(run.block)].kind == "execute"; };
  const bool any = std::any_of(data.runs.begin(), data.runs.end(), executes);
  std::vector<std::vector<size_t>> warm(groups), all(groups);
  for (size_t i = 0; i < data.runs.size(); ++i) {
    const Run& run = data.runs[i];
    if (any && !executes(run)) continue;
    const size_t execution = m.runs_.size();
    m.runs_.push_back(static_cast<int32_t>(i));
    m.ids_.push_back(run.id);
    m.starts_.push_back(run.start);
    m.durations_.push_back(run.duration);
    m.cold_.push_back(run.cold);
    m.complete_.push_back(run.complete);
    const size_t in = group[static_cast<size_t>(run.block)];
    m.blocks_.push_back(in);
    all[in].push_back(execution);
    if (!run.cold && run.complete) warm[in].push_back(execution);
  }
  m.medians_.resize(groups);
  int64_t largest = 0;
  for (size_t b = 0; b < groups; ++b) {
    std::vector<size_t>& of = warm[b].empty() ? all[b] : warm[b];
    if (all[b].empty()) continue;
    ++m.shown_blocks_;
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>((of.size() - 1) / 2);
    std::nth_element(of.begin(), middle, of.end(), [&](size_t x, size_t y) {
      return m.durations_[x] != m.durations_[y] ? m.durations_[x] < m.durations_[y] : x < y;
    });
    const auto nearest = static_cast<double>(m.durations_[*middle]);
    const bool known = !warm[b].empty() && b < data.usual().blocks.size();
    m.medians_[b] = {known ? data.usual().blocks[b].warm_p50.value_or(nearest) : nearest, *middle};
    largest = std::max(largest, m.durations_[*middle]);
  }
  m.slowest_.resize(m.runs_.size());
  std::iota(m.slowest_.begin(), m.slowest_.end(), size_t{0});
  const size_t kept = std::min(kSlowest, m.slowest_.size());
  std::partial_sort(m.slowest_.begin(), m.slowest_.begin() + static_cast<std::ptrdiff_t>(kept), m.slowest_.end(),
                    [&](size_t a, size_t b) {
                      return m.durations_[a] != m.durations_[b] ? m.durations_[a] > m.durations_[b] : a < b;
                    });
  m.slowest_.resize(kept);
  const int64_t longest = m.slowest_.empty() ? 0 : m.durations_[m.slowest_.front()];
  m.ceiling_ = std::max<int64_t>(std::min(longest, largest > 0 ? largest * kCeilingMedians : longest), 1);
  return m;
}

int64_t ExecutionsModel::find(int64_t run_id) const {
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), run_id);
  return at == ids_.end() || *at != run_id ? -1 : at - ids_.begin();
}

int64_t ExecutionsModel::at_time(int64_t time) const {
  return std::upper_bound(starts_.begin(), starts_.end(), time) - starts_.begin() - 1;
}

std::pair<int64_t, int64_t> ExecutionsModel::seen(int64_t begin, int64_t end) const {
  constexpr double kOfView = 0.05, kOfItself = 0.5;
  int64_t from = std::max<int64_t>(at_time(begin), 0), to = at_time(end);
  const auto is_sliver = [&](int64_t execution) {
    const auto e = static_cast<size_t>(execution);
    const double shown = static_cast<double>(std::min(starts_[e] + durations_[e], end) - std::max(starts_[e], begin));
    return shown <= 0 || (shown < kOfView * static_cast<double>(end - begin) &&
                          shown < kOfItself * static_cast<double>(durations_[e]));
  };
  if (to < from) return {to, to};
  while (from < to && is_sliver(from)) ++from;
  while (from < to && is_sliver(to)) --to;
  return {from, to};
}

std::string ExecutionsModel::name(const TraceData& data, size_t execution) const {
  const Run& run = data.runs[static_cast<size_t>(runs_[execution])];
  const std::string method = data.table.blocks[static_cast<size_t>(run.block)].method.value_or("");
  return (several_blocks() && !method.empty() ? method + " #" : "#") + std::to_string(run.execution);
}

std::vector<ExecutionBar> ExecutionsModel::bars(double from, double to, int width) const {
  std::vector<ExecutionBar> out;
  if (width <= 0 || !(to > from)) return out;
  const auto limit = static_cast<double>(runs_.size());
  from = std::clamp(from, 0.0, limit);
  to = std::clamp(to, from, limit);
  const auto first = static_cast<size_t>(from), last = static_cast<size_t>(std::ceil(to));
  const double each = std::max((to - from) / width, 1.0);
  std::vector<size_t> order;
  for (size_t i = first; i < last;) {
    // Bars stand on multiples of their size, so that they do not change while the strip is moved.
    const double column = std::floor(static_cast<double>(i) / each + 1e-9);
    const size_t next = std::min(last, std::max(i + 1, static_cast<size_t>(std::ceil((column + 1) * each - 1e-6))));
    ExecutionBar bar{.first = i, .last = next, .slowest = i};
    for (size_t k = i; k < next; ++k) {
      if (durations_[k] > durations_[bar.slowest]) bar.slowest = k;
      bar.cold = bar.cold || cold_[k];
      bar.complete = bar.complete && complete_[k];
    }
    order.resize(next - i);
    std::iota(order.begin(), order.end(), i);
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
    std::nth_element(order.begin(), middle, order.end(),
                     [&](size_t a, size_t b) { return durations_[a] < durations_[b]; });
    bar.typical = *middle;
    out.push_back(bar);
    i = next;
  }
  return out;
}

}  // namespace et::gui
