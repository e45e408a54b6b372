#include "gui/panels/timeline_side.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "gui/core/selection_cost.h"
#include "gui/models/graph_model.h"
#include "gui/models/overview_model.h"
#include "gui/panels/graph_side.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::format_count;
using inspector::format_duration_with_unit;
using inspector::format_share;
using inspector::OpEntry;

namespace {

using SliceFacts = std::vector<std::pair<std::string, std::string>>;

std::string handles_text(const std::vector<int64_t>& handles) {
  constexpr size_t kMost = 8;
  std::string out;
  for (size_t i = 0; i < handles.size() && i < kMost; ++i) out += (i == 0 ? "" : ", ") + std::to_string(handles[i]);
  return handles.size() > kMost ? out + fmt::format(", … ({} in total)", handles.size()) : out;
}

SliceFacts op_side_facts(const TraceData& data, const OpEntry& op) {
  SliceFacts out;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  };
  if (op.name != op_title(data.usual(), op)) add("event", op.name);
  if (op.instruction_id) add("instruction", std::to_string(*op.instruction_id));
  add("method", data.usual().block_of(op).method.value_or(""));
  add("backend", op.backend.value_or(""));
  add("delegate id", op.delegate_debug_id.value_or(""));
  add("role", op.role.value_or(""));
  add("metadata", op.metadata.value_or(""));
  add("handles", handles_text(op.debug_handles));
  if (op.clock) add("clock", *op.clock + ", excluded from totals");
  if (op.resolution_limited) add("note", "clock resolution: 1 µs");
  return out;
}

}  // namespace

void side_text(std::string_view text, ImU32 color) {
  ImGui::PushTextWrapPos(0);
  text_colored(color, inspector::printable(text));
  ImGui::PopTextWrapPos();
}

bool side_link(const char* id, const std::string& text) {
  const std::string shown = fitting(text, ImGui::GetContentRegionAvail().x);
  const bool pressed = ImGui::TextLink((shown + "###" + id).c_str());
  if (shown != inspector::printable(text)) item_tooltip(inspector::printable(text));
  return pressed;
}

TimelineSideActions TimelineSide::draw(PanelContext& context, TimelineModel* model, int32_t op) {
  actions_ = {};
  const bool has_run = model->executions().find(context.document.run()) >= 0;
  const auto page = [&](Page p, const char* title) {
    const ImGuiTabItemFlags flags = wanted_ == p ? ImGuiTabItemFlags_SetSelected : 0;
    if (!ImGui::BeginTabItem(title, nullptr, flags)) return;
    if (ImGui::BeginChild("##page")) {
      if (p == Page::Slice) draw_slice(context, model, op);
      if (p == Page::Execution) draw_execution(context, model);
      if (p == Page::Range) draw_range(context, model);
    }
    ImGui::EndChild();
    ImGui::EndTabItem();
  };
  if (!model->has_range() && !has_run) {
    draw_slice(context, model, op);
  } else if (ImGui::BeginTabBar("##pages")) {
    page(Page::Slice, op >= 0 ? "Slice###slice" : "Trace###slice");
    if (has_run) page(Page::Execution, "Execution");
    if (model->has_range()) page(Page::Range, "Range");
    ImGui::EndTabBar();
    wanted_ = Page::None;
  }
  return actions_;
}

void TimelineSide::draw_slice(PanelContext& context, TimelineModel* model, int32_t op) {
  const TraceData& data = *model->data();
  if (op < 0) return draw_trace(model);
  draw_several(context.document);
  const bool at = model->at() && model->at()->op == op;
  draw_title(*model, op, at);
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > scaled(840) ? 3 : room > scaled(520) ? 2 : 1;
  if (!ImGui::BeginTable("##blocks", columns, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_BordersInnerV))
    return;
  ImGui::TableNextColumn();
  draw_statistics(*model, op);
  ImGui::TableNextColumn();
  draw_near(model, at);
  ImGui::TableNextColumn();
  draw_links(context, data, op);
  ImGui::EndTable();
}

/// Of a module, a line or a type the slice is one of its ops: their sum is what was chosen. "" of one op.
std::string TimelineSide::several_text(const Selection& chosen, const TraceData& data) {
  const SelectionCost cost = selection_cost(data, chosen);
  if (cost.ops < 2) return {};
  return chosen.label + ": " + cost.text(data.unit()) + " (" + data.shown.basis.text() + "). One of them:";
}

/// A type may have thousands of ops: they are added up when the choice or the times change, not in each frame.
void TimelineSide::draw_several(const Document& document) {
  const std::pair now(document.selection_version(), document.version());
  if (std::exchange(several_of_, now) != now) several_ = several_text(document.selection(), *document.data());
  if (!several_.empty()) side_text(several_, theme().text);
}

void TimelineSide::draw_title(const TimelineModel& model, int32_t op, bool at) {
  const TraceData& data = *model.data();
  ImGui::PushFont(fonts().bold);
  side_text(slice_label(data, op), theme().text);
  ImGui::PopFont();
  const SliceSurroundings* near = model.surroundings();
  if (!at) return side_text("chosen without a slice: click one, or N for the next", theme().muted);
  if (near == nullptr) return side_text("reading…", theme().muted);
  const OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  std::string text = format_duration_with_unit(static_cast<double>(near->duration), entry.unit.str());
  const int64_t execution = model.executions().find(near->run);
  if (execution >= 0) {
    const Run& run = data.runs[static_cast<size_t>(model.executions().run(static_cast<size_t>(execution)))];
    text += fmt::format(", {} into execution {}",
                        format_duration_with_unit(static_cast<double>(near->start - run.start), data.unit()),
                        model.executions().name(data, static_cast<size_t>(execution)));
    if (!entry.clock && run.duration > 0) {
      text += ", " + format_share(static_cast<double>(near->duration) / static_cast<double>(run.duration)) + " of it";
    }
  }
  const auto& p50 = data.usual_op(op).p50;
  if (p50 && *p50 > 0) {
    const double times = static_cast<double>(near->duration) / *p50;
    text += ", " + inspector::format_real(times, times < 10 ? 2 : 0) + " times its p50";
  }
  side_text(text, theme().muted);
}

void TimelineSide::draw_statistics(const TimelineModel& model, int32_t op) {
  const TraceData& data = *model.data();
  const SliceStatistics s = slice_statistics(data, op);
  const auto add = [](SliceFacts* facts, const char* name, const std::string& value) {
    if (!value.empty()) facts->emplace_back(name, value);
  };
  const auto title = [](const std::string& text) {
    ImGui::PushFont(fonts().bold);
    side_text(sentence(text), theme().text);
    ImGui::PopFont();
  };
  if (!s.time.empty()) {
    title(s.basis);
    SliceFacts time;
    add(&time, data.usual_op(op).encloses ? "own time" : "time", s.time);
    facts_table("##basis", time, false);
  }
  title("Its " + s.count + (data.usual_op(op).count == 1 ? " sample" : " samples"));
  SliceFacts samples;
  add(&samples, s.warm ? "warm p50" : "p50", s.p50);
  add(&samples, s.warm ? "warm p99" : "p99", s.p99);
  add(&samples, "smallest", s.min);
  add(&samples, "largest", s.max);
  facts_table("##statistics", samples, false);
  facts_table("##op", op_side_facts(data, data.usual_op(op)), false);
}

void TimelineSide::near_link(TimelineModel* model, const char* id, const char* what, const NearSlice& slice, bool gap) {
  const TraceData& data = *model->data();
  const std::string& unit = data.unit();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_colored(theme().muted, what);
  ImGui::TableNextColumn();
  // A call bears the name of its kernel, which it is around.
  const inspector::OpEntry& entry = data.table.ops[static_cast<size_t>(slice.op)];
  std::string text = (entry.is_wrapper() ? own_time_title(data.table, entry) : slice_label(data, slice.op)) + "  " +
                     format_duration_with_unit(static_cast<double>(slice.end - slice.start), unit);
  if (side_link(id, text)) {
    model->go_near(slice);
    actions_.choose_op = true;
    actions_.op = slice.op;
  }
  if (gap) {
    side_text("gap " + format_duration_with_unit(static_cast<double>(slice.gap), unit),
              slice.gap > 0 ? theme().warning : theme().muted);
  }
}

void TimelineSide::draw_near(TimelineModel* model, bool at) {
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted("Around it");
  ImGui::PopFont();
  const SliceSurroundings* near = at ? model->surroundings() : nullptr;
  if (near == nullptr) return ImGui::TextDisabled(at ? "reading…" : "no slice");
  if (!ImGui::BeginTable("##near", 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("slice", ImGuiTableColumnFlags_WidthStretch);
  // What is pressed goes elsewhere: the surroundings are those of another slice from then on.
  const SliceSurroundings seen = *near;
  if (seen.parent) near_link(model, "parent", "In", *seen.parent, false);
  if (seen.before) near_link(model, "before", "Before", *seen.before, true);
  if (seen.after) near_link(model, "after", "After", *seen.after, true);
  constexpr size_t kMostChildren = 12;
  std::vector<NearSlice> children = seen.children;
  std::stable_sort(children.begin(), children.end(),
                   [](const NearSlice& x, const NearSlice& y) { return x.end - x.start > y.end - y.start; });
  for (size_t i = 0; i < std::min(children.size(), kMostChildren); ++i) {
    near_link(model, ("child" + std::to_string(i)).c_str(), i == 0 ? "Inside" : "", children[i], false);
  }
  ImGui::EndTable();
  if (children.empty()) return;
  std::string rest = children.size() > kMostChildren
                         ? "and " + format_count(static_cast<int64_t>(children.size() - kMostChildren)) + " more; "
                         : "";
  side_text(rest + format_duration_with_unit(static_cast<double>(seen.uncovered), model->data()->unit()) +
                " of it in none of them",
            theme().muted);
}

void TimelineSide::draw_links(PanelContext& context, const TraceData& data, int32_t op) {
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted("Arguments and source");
  ImGui::PopFont();
  const OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  facts_table("##arguments", slice_arguments(data, op), true);
  if (entry.nodes == 0) {
    return side_text(data.has_etrecord() ? "No graph node is linked to it." : "Without an ETRecord: no graph nodes.",
                     theme().muted);
  }
  constexpr size_t kMostNodes = 8;
  const std::vector<const inspector::OpNode*> links = data.table.own_nodes(entry);
  for (size_t i = 0; i < std::min(links.size(), kMostNodes); ++i) {
    const inspector::OpNode& link = *links[i];
    const inspector::NodeFacts& node = *link.node;
    ImGui::PushID(static_cast<int>(i));
    if (side_link("node", node.name)) context.document.select(select_node(data, node.name), "graph");
    if (!node.file.empty()) {
      const int64_t line = node.line.value_or(0);
      if (side_link("line", short_place(node.file, line) + "  " + node.code))
        context.document.select(select_line(data, node.file, line), "source");
    }
    if (node.has_module &&
        side_link("module", (node.module_path.empty() ? "(root)" : node.module_path) + "  " + node.module_type))
      context.document.select(select_module(data, node.module_path), "flame");
    if (link.confidence < 1) side_text(link_in_words(link.via, link.confidence), theme().muted);
    ImGui::PopID();
  }
  if (links.size() > kMostNodes) {
    side_text("and " + format_count(static_cast<int64_t>(links.size() - kMostNodes)) + " more nodes", theme().muted);
  }
}

}  // namespace et::gui
