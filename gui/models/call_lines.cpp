#include "gui/models/call_lines.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/frame_text.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/share_basis.h"

namespace et::gui {
namespace {

using inspector::CostKind;
using inspector::CostNode;
using inspector::CostTree;

struct CallLine {
  inspector::SourceLine line;
  std::vector<uint32_t> ops;
  std::map<std::string, double> types;
};
using CallFiles = std::map<std::string, std::map<int64_t, CallLine>>;

/// Recursion: the line is on the stack above as well, which has its time.
bool is_below_itself(const CostTree& tree, const CostNode& n) {
  for (int32_t at = n.parent; at >= 0; at = tree.nodes[static_cast<size_t>(at)].parent) {
    const CostNode& above = tree.nodes[static_cast<size_t>(at)];
    if (above.kind == CostKind::Frame && above.line == n.line && above.file == n.file) return true;
  }
  return false;
}

void add_own_time(const CostTree& tree, CallFiles* files) {
  for (const inspector::CostCharge& c : tree.charges) {
    const CostNode& leaf = tree.nodes[static_cast<size_t>(c.node)];
    const CostNode& n = tree.nodes[static_cast<size_t>(frame_above(tree, c.node))];
    if (n.kind != CostKind::Frame) continue;
    CallLine& line = (*files)[n.file.str()][n.line];
    line.line.ns += c.time;
    line.ops.push_back(c.op);
    line.types[leaf.type.empty() ? leaf.name.str() : leaf.type.str()] += c.time;
  }
}

void finish_line(const inspector::OpTable& table, CallLine* call) {
  std::sort(call->ops.begin(), call->ops.end());
  call->ops.erase(std::unique(call->ops.begin(), call->ops.end()), call->ops.end());
  call->line.ops = inspector::count_ops(table, call->ops);
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [type, time] : call->types) order.emplace_back(-time, type);
  std::sort(order.begin(), order.end());
  for (const auto& [time, type] : order) call->line.op_types.push_back(type);
  // Sums in another order differ by rounding.
  call->line.inclusive_ns = std::max(call->line.inclusive_ns, call->line.ns);
}

}  // namespace

inspector::SourceCost lines_of_calls(const CostTree& tree, const TraceData& data) {
  inspector::SourceCost out;
  out.unit = tree.unit;
  out.basis = data.sources.basis;
  const inspector::ExecutionTime time = inspector::execution_time(tree);
  out.total_ns = time.whole;
  out.variation_ns = time.noise;
  out.base_ns = inspector::share_basis(time);
  CallFiles files;
  for (const CostNode& n : tree.nodes) {
    if (n.kind != CostKind::Frame) continue;
    inspector::SourceLine& line = files[n.file.str()][n.line].line;
    line.line = n.line;
    line.function = n.name;
    line.code = n.code;
    if (!is_below_itself(tree, n)) line.inclusive_ns += n.total;
  }
  add_own_time(tree, &files);
  out.no_line_ns = time.whole - time.noise;
  for (auto& [name, lines] : files) {
    inspector::SourceFileCost file;
    file.file = name;
    for (auto& [number, call] : lines) {
      finish_line(data.shown, &call);
      file.ns += call.line.ns;
      file.lines.push_back(std::move(call.line));
    }
    out.no_line_ns -= file.ns;
    out.files.push_back(std::move(file));
  }
  std::stable_sort(out.files.begin(), out.files.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return out;
}

}  // namespace et::gui
