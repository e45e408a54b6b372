#include "gui/models/selected_part.h"

namespace et::gui {

using inspector::CostCharge;
using inspector::CostKind;
using inspector::CostTree;

namespace {

/// For each op of TraceData::shown whether it is selected.
std::vector<bool> selected_ops(const TraceData& data, const Selection& selection) {
  std::vector<bool> out(data.shown.ops.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const int32_t index = data.index_of(data.shown.ops[i]);
    out[i] = index >= 0 && selection.has_op(index);
  }
  return out;
}

}  // namespace

std::string SelectedPart::text(const inspector::TimeUnit& unit) const {
  if (!any() || all()) return "";
  return "selected: " + inspector::format_duration_named(selected, unit) + " of " +
         inspector::format_duration_named(whole, unit);
}

std::vector<SelectedPart> selected_parts(const TraceData& data, const CostTree& tree, const Selection& selection) {
  std::vector<SelectedPart> out(tree.nodes.size());
  if (selection.ops.empty()) return out;
  const std::vector<bool> chosen = selected_ops(data, selection);
  for (const CostCharge& charge : tree.charges) {
    const auto op = static_cast<size_t>(charge.op);
    if (op >= chosen.size() || !chosen[op]) continue;
    for (int32_t at = charge.node; at >= 0; at = tree.nodes[static_cast<size_t>(at)].parent) {
      SelectedPart& part = out[static_cast<size_t>(at)];
      part.selected += charge.time;
      ++part.ops;
    }
  }
  for (size_t i = 0; i < out.size(); ++i) out[i].whole = tree.nodes[i].total;
  return out;
}

LineParts selected_lines(const CostTree& tree, const std::vector<SelectedPart>& parts) {
  LineParts out;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const inspector::CostNode& n = tree.nodes[i];
    if (n.kind != CostKind::Frame) continue;
    SelectedPart& line = out[{n.file.str(), n.line}];
    line.selected += parts[i].selected;
    line.whole += parts[i].whole;
    line.ops += parts[i].ops;
  }
  std::erase_if(out, [](const auto& line) { return !line.second.any(); });
  return out;
}

int32_t costliest_selected_line(const TraceData& data, const CostTree& tree, const Selection& selection) {
  if (selection.ops.empty()) return -1;
  const std::vector<bool> chosen = selected_ops(data, selection);
  std::vector<double> own(tree.nodes.size());
  int32_t best = -1;
  for (const CostCharge& charge : tree.charges) {
    if (static_cast<size_t>(charge.op) >= chosen.size() || !chosen[charge.op]) continue;
    int32_t at = charge.node;
    while (at >= 0 && tree.nodes[static_cast<size_t>(at)].kind != CostKind::Frame)
      at = tree.nodes[static_cast<size_t>(at)].parent;
    if (at < 0) continue;
    own[static_cast<size_t>(at)] += charge.time;
    if (best < 0 || own[static_cast<size_t>(at)] > own[static_cast<size_t>(best)]) best = at;
  }
  return best;
}

}  // namespace et::gui
