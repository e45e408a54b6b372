#include "gui/models/group_op_names.h"

#include <algorithm>
#include <set>

#include "gui/models/overview_model.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {
namespace {

/// All that is known of an op's place.
struct KnownOp {
  std::string title, module, file, line, instruction, order;
};

KnownOp known_op(const TraceData& data, int32_t index) {
  const inspector::OpEntry& op = data.shown_op(index);
  KnownOp out;
  out.title = op.encloses ? own_time_title(data.shown, op) : row_title(data.shown, op);
  if (op.instruction_id) out.instruction = "instruction " + std::to_string(*op.instruction_id);
  // What a call leaves to itself has no place in the code but that of its instruction.
  if (op.kind == "delegate_call" && op.instruction_id && op.encloses) out.title = "call of " + out.instruction;
  out.order = "#" + std::to_string(op.ordinal);
  if (const inspector::OpNode* const node = data.shown.main_node(op)) {
    out.module = node->node->module_path;
    if (!node->node->file.empty()) {
      out.file = short_place(node->node->file, node->node->line.value_or(0));
      out.line = ":" + std::to_string(node->node->line.value_or(0));
    }
  }
  return out;
}

bool known_differ(const std::vector<KnownOp>& ops, std::string KnownOp::*what) {
  return std::any_of(ops.begin(), ops.end(), [&](const KnownOp& op) { return op.*what != ops.front().*what; });
}

bool names_are_apart(const std::vector<GroupOpName>& names) {
  std::set<std::string> seen;
  return std::all_of(names.begin(), names.end(), [&](const GroupOpName& n) { return seen.insert(n.text()).second; });
}

}  // namespace

std::string GroupOpName::text(const std::string& shown_module) const {
  std::string out = title;
  for (const std::string& part : {shown_module, rest}) {
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  }
  return out;
}

std::vector<GroupOpName> names_in_group(const TraceData& data, const std::vector<GroupOp>& ops) {
  std::vector<KnownOp> known;
  known.reserve(ops.size());
  for (const GroupOp& op : ops) known.push_back(known_op(data, op.op));
  std::vector<GroupOpName> names(ops.size());
  if (ops.empty()) return names;
  const bool titles = known_differ(known, &KnownOp::title), modules = known_differ(known, &KnownOp::module);
  for (size_t i = 0; i < names.size(); ++i) {
    if (titles || !modules) names[i].title = known[i].title;
    if (modules) names[i].module = known[i].module;
    if (names[i].title.empty() && names[i].module.empty()) names[i].title = known[i].title;
  }
  // A line of one file needs no name of it.
  std::vector<KnownOp> files = known;
  for (KnownOp& op : files) op.file = op.file.substr(0, op.file.rfind(':'));
  const auto place = known_differ(files, &KnownOp::file) ? &KnownOp::file : &KnownOp::line;
  for (const auto what : {place, &KnownOp::instruction, &KnownOp::order}) {
    if (names_are_apart(names)) break;
    if (!known_differ(known, what)) continue;
    // The last resort stands beside those alone that are still the same.
    std::multiset<std::string> same;
    for (const GroupOpName& name : names) same.insert(name.text());
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& more = known[i].*what;
      if (more.empty() || (what != place && same.count(names[i].text()) < 2)) continue;
      if (what != place && names[i].title == "call of " + more) continue;
      names[i].rest += (names[i].rest.empty() ? "" : ", ") + more;
    }
  }
  return names;
}

}  // namespace et::gui
