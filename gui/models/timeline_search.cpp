// What a text finds in a timeline, and the rows of a range as CSV.
#include <algorithm>
#include <cctype>

#include "gui/core/text.h"
#include "gui/models/overview_model.h"
#include "gui/models/timeline_model.h"

namespace et::gui {
namespace {

std::string csv_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

TimelineSearch search_timeline(const TraceData& data, const std::string& text) {
  TimelineSearch out;
  out.text = text;
  const std::string wanted = lower(text);
  const inspector::OpTable& table = data.table;
  const auto has = [&](std::string_view where) { return lower(where).find(wanted) != std::string::npos; };
  // Many ops share a node's place: each is looked at once.
  std::unordered_map<const inspector::NodeFacts*, bool> nodes;
  out.hit.resize(table.ops.size());
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const inspector::OpEntry& op = table.ops[i];
    bool hit = has(op.name) || has(op.backend.value_or("")) || has(op.delegate_debug_id.value_or("")) ||
               std::any_of(op.op_types.begin(), op.op_types.end(), has);
    for (size_t n = op.first_node; !hit && n < op.first_node + op.nodes; ++n) {
      const inspector::NodeFacts* node = table.nodes[n].node;
      const auto [known, is_new] = nodes.emplace(node, false);
      if (is_new) {
        known->second = has(node->name) || has(node->module_path) || has(node->module_type) || has(source_place(*node));
      }
      hit = known->second;
    }
    if (!hit) continue;
    out.hit[i] = true;
    out.ops.push_back(static_cast<int32_t>(i));
    out.samples += op.count;
  }
  return out;
}

std::string TimelineModel::range_csv() const {
  if (!statistics_ || data_ == nullptr) return {};
  std::string out = "op,count,total_" + data_->unit() + ",self_" + data_->unit() + "\n";
  for (const inspector::RangeOp& r : statistics_->ops) {
    out += csv_quoted(op_title(data_->table, data_->table.ops[static_cast<size_t>(r.op)])) + "," +
           std::to_string(r.count) + "," + std::to_string(r.total) + "," + std::to_string(r.self) + "\n";
  }
  return out + "\"(outside ops)\",,," + std::to_string(statistics_->outside) + "\n";
}

}  // namespace et::gui
