#include "inspector/analysis/ops/group_statistics.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inspector/analysis/ops/group_times.h"

namespace et::inspector {
namespace {

/// As numpy.percentile, of values in their order.
double percentile_of(const std::vector<double>& sorted, double q) {
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(rank);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (rank - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

GroupStatistics statistics_of(std::vector<double> times) {
  GroupStatistics out;
  out.executions = static_cast<int64_t>(times.size());
  if (times.empty()) return out;
  double total = 0;
  for (const double t : times) total += t;
  out.mean = total / static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  out.p50 = percentile_of(times, 0.5);
  out.p99 = percentile_of(times, 0.99);
  out.max = times.back();
  return out;
}

void add_method(const GroupStatistics& of, GroupStatistics* sum) {
  if (of.executions == 0) return;
  if (++sum->methods == 1) {
    *sum = of;
    sum->known = true;
    sum->methods = 1;
    return;
  }
  sum->executions += of.executions;
  sum->mean = *sum->mean + *of.mean;
  sum->p50 = sum->p99 = sum->max = std::nullopt;
}

}  // namespace

Status group_statistics(const Store& store, const OpTable& table, const std::vector<GroupRow>& rows,
                        const std::function<bool()>& stop, std::vector<GroupStatistics>* out) {
  GroupTimes group(store, table);
  if (Status s = group.prepare(); !s.ok()) return s;
  std::vector<GroupStatistics> made(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (stop()) return {};
    std::map<uint32_t, std::vector<GroupPart>> blocks;  // one a method
    for (const GroupPart& part : rows[i].parts) blocks[table.ops[part.op].block].push_back(part);
    made[i].known = true;
    for (const auto& [block, parts] : blocks) {
      // Ops of the cold execution alone took no 0 in the others.
      const auto ran_warm = [&](const GroupPart& part) { return table.ops[part.op].warm_mean.has_value(); };
      if (table.blocks[block].warm_mean && std::none_of(parts.begin(), parts.end(), ran_warm)) continue;
      std::vector<double> times;
      if (Status s = group.of(parts, &times); !s.ok()) return s;
      add_method(statistics_of(std::move(times)), &made[i]);
    }
  }
  *out = std::move(made);
  return {};
}

}  // namespace et::inspector
