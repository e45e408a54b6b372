#include "inspector/analysis/diff/unknown_method.h"

#include <algorithm>
#include <map>
#include <string>

#include "inspector/analysis/ops/op_title.h"

namespace et::inspector {
namespace {

using OperatorCounts = std::map<std::string, int64_t>;

/// Operators that ran, by method.
std::map<std::string, OperatorCounts> operators_by_method(const OpTable& table) {
  std::map<std::string, OperatorCounts> out;
  for (const OpBlock& block : table.blocks) {
    if (block.kind == "execute") out[block.method.value_or("")];
  }
  for (const OpEntry& op : table.ops) {
    const OpBlock& block = table.block_of(op);
    if (block.kind != "execute" || op.count == 0 || op.is_wrapper()) continue;
    ++out[block.method.value_or("")][type_title(table, op)];
  }
  return out;
}

int64_t in_common(const OperatorCounts& a, const OperatorCounts& b) {
  int64_t out = 0;
  for (const auto& [name, count] : a) {
    const auto at = b.find(name);
    if (at != b.end()) out += std::min(count, at->second);
  }
  return out;
}

/// Of the methods that `mine` does not name, the one that is like the unnamed one.
std::string likest(const std::map<std::string, OperatorCounts>& mine,
                   const std::map<std::string, OperatorCounts>& others) {
  const auto unnamed = mine.find("");
  if (unnamed == mine.end() || others.contains("")) return {};
  if (mine.size() == 1 && others.size() == 1) return others.begin()->first;
  std::string best;
  int64_t most = 0;
  for (const auto& [name, operators] : others) {
    const int64_t common = mine.contains(name) ? 0 : in_common(unnamed->second, operators);
    if (common > most) most = common, best = name;
  }
  return best;
}

}  // namespace

UnknownMethods find_unknown_methods(const OpTable& before, const OpTable& after) {
  const auto old_methods = operators_by_method(before), new_methods = operators_by_method(after);
  return {likest(old_methods, new_methods), likest(new_methods, old_methods)};
}

}  // namespace et::inspector
