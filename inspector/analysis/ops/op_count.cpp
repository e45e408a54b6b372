#include "inspector/analysis/ops/op_count.h"

#include <algorithm>
#include <vector>

#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/text/words.h"

namespace et::inspector {

std::optional<uint32_t> counted_op(const OpTable& table, uint32_t op) {
  const OpEntry& entry = table.ops[op];
  if (entry.kind == "framework") return std::nullopt;
  const OpEntry& counted = called_kernel(table, entry);
  // What is inside of anything else but a call has rows of its own, and is counted there.
  if (&counted == &entry && entry.encloses && entry.kind != "kernel") return std::nullopt;
  return static_cast<uint32_t>(&counted - table.ops.data());
}

OpCount count_ops_and_calls(const OpTable& table, std::span<const uint32_t> ops) {
  std::vector<uint32_t> counted, calls;
  for (const uint32_t op : ops) {
    const std::optional<uint32_t> one = counted_op(table, op);
    (one ? counted : calls).push_back(one.value_or(op));
  }
  const auto different = [](std::vector<uint32_t>& list) {
    std::sort(list.begin(), list.end());
    return static_cast<int64_t>(std::unique(list.begin(), list.end()) - list.begin());
  };
  return {different(counted), different(calls)};
}

int64_t count_ops(const OpTable& table, std::span<const uint32_t> ops) { return count_ops_and_calls(table, ops).ops; }

std::string OpCount::text() const {
  if (calls == 0) return plural(ops, "op");
  if (ops == 0) return plural(calls, "call");
  return plural(ops, "op") + " and " + plural(calls, "call") + " around them";
}

}  // namespace et::inspector
