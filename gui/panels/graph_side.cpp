#include "gui/panels/graph_side.h"

#include <algorithm>
#include <cmath>

#include "gui/core/selection_cost.h"
#include "gui/models/frame_text.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/graph/node_counts.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

void wrapped_text(std::string_view text, ImU32 color = 0) {
  ImGui::PushTextWrapPos(0);
  if (color != 0) ImGui::PushStyleColor(ImGuiCol_Text, color);
  const std::string shown = inspector::printable(text);
  ImGui::TextUnformatted(shown.c_str());
  if (color != 0) ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

/// What of a path tells modules apart: "…2.output.dense".
std::string path_end(const std::string& path, float room) {
  return short_module(path, [&](const std::string& text) { return text_width(text) <= room; });
}

/// The module gives way to what is behind it, and where that is too wide it is cut at its beginning.
void draw_place(const GraphViewModel::Place& place) {
  if (place.module.empty()) return text_fitting_end(place.rest, theme().muted);
  const std::string rest = place.rest.empty() ? "" : " · " + place.rest;
  text_fitting_end(
      path_end(place.module, ImGui::GetContentRegionAvail().x - text_width(inspector::printable(rest))) + rest,
      theme().muted);
}

}  // namespace

void facts_table(const char* id, const std::vector<std::pair<std::string, std::string>>& facts, bool names) {
  if (facts.empty() || !ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  for (const auto& [label, value] : facts) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_colored(theme().muted, inspector::printable(names ? label : sentence(label)));
    ImGui::TableNextColumn();
    wrapped_text(value);
  }
  ImGui::EndTable();
}

void GraphSide::draw(PanelContext& context, const GraphViewModel& model) {
  const Selection& selection = context.document.selection();
  if (selection_ != context.document.selection_version() || graph_ != model.graph()) {
    selection_ = context.document.selection_version();
    graph_ = model.graph();
    const bool group = selection.kind == Selection::Kind::Module || selection.kind == Selection::Kind::Part;
    node_ = group ? -1 : model.find_node(selection.node);
    details_ = node_ < 0 ? GraphNodeDetails() : model.details(node_);
    ops_ = node_ < 0 ? selection_cost(*model.data(), selection).ops : 0;
  }
  if (node_ >= 0) {
    draw_node(context, model);
  } else if (!selection.empty() && !selection.nodes.empty()) {
    draw_group(context, model);
  } else if (!model.found().empty()) {
    draw_found(context, model);
  } else {
    draw_graph(context, model);
  }
}

void GraphSide::draw_node(PanelContext& context, const GraphViewModel& model) {
  const inspector::GraphNode& n = model.graph()->nodes[static_cast<size_t>(node_)];
  heading(inspector::printable(inspector::operator_title(n.op)).c_str());
  const TraceData& data = *model.data();
  const int64_t op = details_.ops.empty() ? 0 : data.table.ops[static_cast<size_t>(details_.ops.front().op)].id;
  ImGui::BeginDisabled(op == 0);
  if (ImGui::SmallButton("Timeline")) context.document.select(select_op(data, op), "timeline");
  ImGui::SameLine();
  if (ImGui::SmallButton("Operators")) context.document.select(select_op(data, op), "operators");
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::BeginDisabled(n.file.empty());
  if (ImGui::SmallButton("Source")) context.document.select(select_node(data, n.name), "source");
  ImGui::EndDisabled();
  ImGui::Spacing();
  facts_table("##facts", details_.facts);
  if (!details_.arguments.empty()) {
    ImGui::SeparatorText("Arguments");
    draw_arguments(context, data);
  }
  ImGui::SeparatorText("Results");
  facts_table("##results", details_.results, true);
  ImGui::SeparatorText("Ops of the trace");
  if (details_.ops.empty()) return wrapped_text("No event of the trace is linked to this node.", theme().muted);
  if (!ImGui::BeginTable("##ops", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("op", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("link", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
  for (const GraphNodeDetails::Op& o : details_.ops) {
    ImGui::PushID(o.op);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (ImGui::Selectable(
            "##op",
            context.document.selection().has_op(o.op) && context.document.selection().kind == Selection::Kind::Op,
            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
      context.document.select(select_op(data, data.table.ops[static_cast<size_t>(o.op)].id),
                              ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "timeline" : "");
    }
    item_tooltip("Link " + link_in_words(o.via, o.confidence) + " (via " + o.via + ", confidence " +
                 inspector::format_real(o.confidence, 2) + "); " + inspector::format_share(o.weight) +
                 " of the op's self time is attributed to this node");
    ImGui::SameLine(0, 0);
    text_fitting(o.name);
    ImGui::TableNextColumn();
    text_colored(o.confidence < 0.9 ? theme().warning : theme().muted, link_in_words(o.via, o.confidence));
    ImGui::TableNextColumn();
    text_right(o.weight > 0 ? inspector::format_duration_with_unit(o.time, model.graph()->unit) : "–");
    ImGui::PopID();
  }
  ImGui::EndTable();
}

/// What another node makes leads to it.
void GraphSide::draw_arguments(PanelContext& context, const TraceData& data) {
  if (!ImGui::BeginTable("##arguments", 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  for (size_t i = 0; i < details_.arguments.size(); ++i) {
    const auto& [name, value] = details_.arguments[i];
    const std::string& node = details_.argument_nodes[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_colored(theme().muted, inspector::printable(name));
    ImGui::TableNextColumn();
    if (node.empty()) {
      wrapped_text(value);
    } else {
      if (ImGui::TextLink((fitting(node, ImGui::GetContentRegionAvail().x) + "###node").c_str()))
        go_to(context, data, node);
      item_tooltip(inspector::printable(node) + "\nClick: show it in the graph.");
      const std::string rest = value.starts_with(node) ? value.substr(node.size()) : value;
      if (const size_t from = rest.find_first_not_of(' '); from != std::string::npos)
        wrapped_text(rest.substr(from), theme().muted);
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void GraphSide::draw_group(PanelContext& context, const GraphViewModel& model) {
  const Selection& s = context.document.selection();
  heading(inspector::printable(s.label).c_str());
  double time = 0;
  std::vector<const inspector::GraphNode*> nodes;
  for (const inspector::GraphNode& n : model.graph()->nodes) {
    if (!s.has_node(n.name)) continue;
    nodes.push_back(&n);
    time += n.ns;
  }
  if (nodes.empty()) return wrapped_text("The selection is not in this graph.", theme().muted);
  std::stable_sort(nodes.begin(), nodes.end(), [](const auto* a, const auto* b) { return a->ns > b->ns; });
  const double total = model.graph()->total_ns;
  const auto counted =
      std::count_if(nodes.begin(), nodes.end(), [](const auto* n) { return inspector::is_counted_node(n->op); });
  std::vector<std::pair<std::string, std::string>> facts = {
      {"nodes", inspector::format_count(counted)},
      {"time", inspector::format_duration_with_unit(time, model.graph()->unit) +
                   (total > 0 ? ", " + inspector::format_share(time / total) : "")}};
  // The line at the bottom of the window counts them, and views that cost nothing or fused nodes have none of their
  // own.
  if (ops_ > 0 && ops_ != counted)
    facts.insert(facts.begin() + 1, {"run as", inspector::plural(ops_, "op") + " of the trace"});
  for (const inspector::GraphPart& p : model.graph()->parts) {
    if (s.kind != Selection::Kind::Part || p.instruction != s.instruction) continue;
    facts.emplace_back("backend", p.backend);
    facts.emplace_back("instruction", std::to_string(p.instruction));
    facts.emplace_back("time of the call", inspector::format_duration_with_unit(p.ns, model.graph()->unit) +
                                               (total > 0 ? ", " + inspector::format_share(p.ns / total) : ""));
    facts.emplace_back("inputs, outputs, constants", std::to_string(p.inputs.size()) + ", " +
                                                         std::to_string(p.outputs.size()) + ", " +
                                                         std::to_string(p.constants.size()));
    if (p.guessed) facts.emplace_back("its nodes", "inferred: several nodes share a debug handle");
  }
  facts_table("##facts", facts);
  ImGui::SeparatorText("Nodes");
  draw_nodes(context, model, nodes);
}

void GraphSide::draw_nodes(PanelContext& context, const GraphViewModel& model,
                           const std::vector<const inspector::GraphNode*>& nodes) {
  if (!ImGui::BeginTable("##nodes", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) return;
  ImGui::TableSetupColumn("node", ImGuiTableColumnFlags_WidthStretch, 1.6F);
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, scaled(74));
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthStretch, 1);
  const double total = model.graph()->total_ns;
  double largest = 0;
  for (const inspector::GraphNode* n : nodes) largest = std::max(largest, total > 0 ? n->ns / total : 0);
  std::string chosen;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(nodes.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const inspector::GraphNode& n = *nodes[static_cast<size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const auto place = model.place_apart(static_cast<int32_t>(&n - model.graph()->nodes.data()));
      const float high = 2 * ImGui::GetTextLineHeight();
      if (ImGui::Selectable("##node", false, ImGuiSelectableFlags_SpanAllColumns, {0, high})) chosen = n.name;
      item_tooltip(inspector::printable(n.name + (n.module_path.empty() ? "" : "\nin " + n.module_path)));
      ImGui::SameLine(0, 0);
      ImGui::BeginGroup();
      ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 0);
      text_fitting(n.op.empty() ? n.name : inspector::operator_title(n.op));
      draw_place(place);
      ImGui::PopStyleVar();
      ImGui::EndGroup();
      ImGui::TableNextColumn();
      text_right(n.ns != 0
                     ? (n.is_estimate() ? "≈ " : "") + inspector::format_duration_with_unit(n.ns, model.graph()->unit)
                     : "–");
      ImGui::TableNextColumn();
      if (n.ns != 0 && total > 0) share_cell(n.ns / total, cost_color(model.cost_level(n.ns)), largest);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  if (!chosen.empty()) go_to(context, *model.data(), chosen);
}

void GraphSide::go_to(PanelContext& context, const TraceData& data, const std::string& node) {
  context.document.select(select_node(data, node));
  went_ = true;
}

void GraphSide::draw_found(PanelContext& context, const GraphViewModel& model) {
  std::vector<const inspector::GraphNode*> nodes;
  double time = 0;
  for (const int32_t n : model.found()) {
    nodes.push_back(&model.graph()->nodes[static_cast<size_t>(n)]);
    time += nodes.back()->ns;
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const auto* a, const auto* b) { return a->ns > b->ns; });
  heading((inspector::format_count(static_cast<int64_t>(nodes.size())) + " found").c_str());
  if (const double total = model.graph()->total_ns; total > 0) {
    wrapped_text(inspector::format_duration_with_unit(time, model.graph()->unit) + ", " +
                     inspector::format_share(time / total) + " of the execution",
                 theme().muted);
  }
  draw_nodes(context, model, nodes);
}

namespace {

/// Where much of the time is not on the graph, why.
std::string missing_time(double total, double linked, double variation) {
  constexpr double kMuch = 0.3;
  if (!(total > 0) || total - linked < kMuch * total) return {};
  if (variation > kMuch * total)
    return "Much of the time is noise, in another op each time: measure again on an idle machine.";
  return "Much of the time leads to no node, and is not on the graph: see the flame graph or the operators.";
}

}  // namespace

void GraphSide::draw_graph(PanelContext& context, const GraphViewModel& model) {
  const inspector::GraphModel& g = *model.graph();
  heading(g.method.empty() ? "Graph" : inspector::printable(g.method).c_str());
  const GraphTimes& times = model.times();
  const inspector::NodeCounts counts = inspector::node_counts(g);
  std::vector<std::pair<std::string, std::string>> facts = {
      {"nodes", inspector::format_count(counts.all())},
      {"delegated", g.parts.empty() ? "none"
                                    : inspector::format_count(counts.delegated) + " in " +
                                          inspector::format_count(static_cast<int64_t>(g.parts.size())) +
                                          (g.parts.size() == 1 ? " part" : " parts")},
      {"time",
       g.total_ns > 0 ? inspector::format_duration_with_unit(g.total_ns, g.unit) + ", " + g.basis.text() : "–"}};
  const std::string missing = missing_time(g.total_ns, times.linked, times.variation);
  if (g.total_ns > 0) {
    const auto add = [&](const char* label, double time, double least) {
      if (std::abs(time) <= least * g.total_ns) return;
      facts.emplace_back(label, inspector::format_duration_with_unit(time, g.unit) + ", " +
                                    inspector::format_share(time / g.total_ns));
    };
    constexpr double kAlways = -1, kAny = 1e-9, kMuch = 0.01;
    add("linked to nodes", times.linked, kAlways);
    add("not linked", times.not_linked, kAny);
    add("unattributed", times.unattributed, kAny);
    add("framework", times.framework, kAny);
    add("variation", times.variation, kMuch);
  }
  facts_table("##facts", facts);
  ImGui::Spacing();
  if (!missing.empty()) {
    wrapped_text(missing, theme().warning);
    ImGui::Spacing();
  }
  wrapped_text(
      "Click a node for details. Arrow keys: to what it reads from (up) and what reads it (down). Wheel: zoom. Drag: "
      "pan. Keys + and −, or a click on these signs, expand and collapse the selected group.",
      theme().muted);
  std::vector<const inspector::GraphNode*> nodes;
  for (const inspector::GraphNode& n : g.nodes) {
    if (n.ns > 0) nodes.push_back(&n);
  }
  if (nodes.empty()) return;
  constexpr std::ptrdiff_t kMost = 100;
  const auto end = nodes.begin() + std::min(std::ssize(nodes), kMost);
  std::partial_sort(nodes.begin(), end, nodes.end(), [](const auto* a, const auto* b) { return a->ns > b->ns; });
  nodes.erase(end, nodes.end());
  ImGui::SeparatorText("Costliest nodes");
  draw_nodes(context, model, nodes);
}

}  // namespace et::gui
