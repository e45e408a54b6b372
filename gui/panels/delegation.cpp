// Delegation: the instructions of each method in program order, what lies between delegates and what it costs, and why
// operators may have stayed outside. Its model: DelegationModel.
#include "gui/models/delegation_model.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "inspector/report/format.h"

namespace et::gui {
namespace {

using inspector::DelegationMap;
using inspector::format_count;
using inspector::format_duration_with_unit;
using inspector::format_share;
using inspector::MapItem;
using inspector::OutsideOp;
using Column = DelegationModel::Column;

struct ColumnSpec {
  const char* title;
  Column column;
  float width;  // 0: stretches
  bool right;
  const char* help;
};
constexpr std::array<ColumnSpec, 8> kColumns = {{
    {"Time", Column::Time, 90, true, "Of all executions, with everything inside of the instruction"},
    {"Ops", Column::Count, 40, true, "Nodes or instructions in this row"},
    {"Operator", Column::Operator, 210, false, nullptr},
    {"Node", Column::Node, 190, false, "Its name in the graph"},
    {"Instr.", Column::Instruction, 50, true, "Index of the instruction"},
    {"Makes", Column::Tensor, 150, false, "dtype and shape of its first result"},
    {"Crosses", Column::Bytes, 80, true, "Bytes that it reads from delegates and makes for delegates, once a call"},
    {"What speaks for it", Column::Reasons, 0, false,
     "Derived from this program alone by comparison with what was delegated; files hold no word of the partitioner"},
}};

std::string bytes_text(int64_t bytes) { return bytes < 0 ? "unknown" : inspector::format_bytes(bytes); }

ImU32 item_color(const MapItem& item) {
  if (item.kind == MapItem::Kind::Delegate) return name_color(item.backend);
  if (item.kind == MapItem::Kind::Control) return theme().control;
  return item.moves ? theme().warning : theme().kernel;
}

class DelegationPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (context.document.data() == nullptr) {
      return draw_empty("No trace is open",
                        "Open a store, or drop an ETDump here together with its ETRecord and program.");
    }
    if (!error_.empty()) return draw_empty("The map of delegation cannot be made", error_.c_str());
    if (reading_ && model_.maps().empty()) return draw_empty("Reading…", "");
    if (model_.maps().empty()) {
      return draw_empty("Nothing ran", "The trace has neither executions nor the instructions of a program.");
    }
    draw_maps(context);
    draw_tabs(context);
  }

  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override {
    if (model_.maps().empty()) return false;
    float y = canvas.min().y + scaled(6);
    const float width = canvas.max().x - canvas.min().x;
    for (size_t m = 0; m < model_.maps().size(); ++m) {
      const auto index = static_cast<int32_t>(m);
      canvas.text({canvas.min().x + 4, y}, theme().text, method_name(index));
      y += ImGui::GetFontSize() + 4;
      const auto& strip = model_.strip(index, width);
      // A strip that is wider than the page is drawn smaller.
      const float scale = strip.empty() ? 1 : std::min(1.0F, width / strip.back().x1);
      draw_strip(canvas, index, {canvas.min().x, y}, scale, Selection());
      y += strip_height() + scaled(10);
    }
    return true;
  }
  void* model() override { return &model_; }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"by_type", model_.is_by_type() ? "1" : "0"}, {"equal", model_.equal() ? "1" : "0"}};
  }
  void restore(const std::string& key, const std::string& value) override {
    if (key == "by_type") model_.by_type(value == "1");
    if (key == "equal") model_.set_equal(value == "1");
  }

 private:
  void refresh(PanelContext& context) {
    Document& document = context.document;
    if (version_ == document.version()) return;
    version_ = document.version();
    error_.clear();
    const auto data = document.shared_data();
    if (data == nullptr) {
      model_.set({}, nullptr);
      return;
    }
    reading_ = true;
    job_ = context.jobs.query<std::vector<DelegationMap>>(
        document.store_path(),
        [data](const inspector::Store& store, const Cancel&, std::vector<DelegationMap>* out) {
          return inspector::delegation_map(store, data->table, out);
        },
        [this, data](Status status, std::vector<DelegationMap> maps) {
          if (!status.ok()) error_ = status.message();
          model_.set(std::move(maps), data);
          reading_ = false;
          chosen_row_ = -1;
          seen_selection_ = 0;
        });
  }

  std::string time(double ticks) const {
    return format_duration_with_unit(ticks, model_.maps().empty() ? "ns" : model_.map(0).unit);
  }
  std::string method_name(int32_t map) const {
    const std::string& name = model_.map(map).method;
    return name.empty() ? "(method unknown)" : inspector::printable(name);
  }

  static float strip_height() { return std::round(ImGui::GetFontSize() * 3.1F); }

  void draw_maps(PanelContext& context) {
    const float each = ImGui::GetFontSize() * 2.6F + strip_height() + ImGui::GetStyle().ScrollbarSize + scaled(10);
    const float wanted = each * static_cast<float>(model_.maps().size()) + scaled(28);
    const float room = std::min(wanted, ImGui::GetContentRegionAvail().y * 0.48F);
    if (ImGui::BeginChild("##maps", {0, room}, ImGuiChildFlags_ResizeY)) {
      bool equal = model_.equal();
      if (ImGui::Checkbox("Same width for all", &equal)) model_.set_equal(equal);
      item_tooltip("Else the width of an instruction grows with its time");
      const auto entry = [](ImU32 color, const char* name) {
        ImGui::SameLine(0, scaled(14));
        color_square(color);
        ImGui::SameLine(0, scaled(4));
        text_colored(theme().muted, name);
      };
      entry(theme().kernel, "operator outside");
      entry(theme().warning, "outside, only moves data");
      entry(theme().control, "control flow");
      for (const std::string& b : backends()) entry(name_color(b), b.empty() ? "delegate" : b.c_str());
      for (size_t m = 0; m < model_.maps().size(); ++m) {
        ImGui::PushID(static_cast<int>(m));
        draw_map(context, static_cast<int32_t>(m));
        ImGui::PopID();
      }
    }
    ImGui::EndChild();
  }

  std::vector<std::string> backends() const {
    std::vector<std::string> out;
    for (const DelegationMap& m : model_.maps()) {
      for (const MapItem& i : m.items) {
        if (i.kind == MapItem::Kind::Delegate && std::find(out.begin(), out.end(), i.backend) == out.end()) {
          out.push_back(i.backend);
        }
      }
    }
    return out;
  }

  std::string summary(int32_t index) const {
    const DelegationMap& m = model_.map(index);
    const DelegationTotals t = model_.totals(index);
    const auto share = [&](double ns) { return t.total > 0 ? " (" + format_share(ns / t.total) + ")" : std::string(); };
    std::string out;
    if (m.delegates() == 0) {
      out = "nothing is delegated";
    } else {
      out = format_count(static_cast<int64_t>(m.delegates())) +
            (m.delegates() == 1 ? " call of a delegate" : " calls of delegates");
      if (m.has_graph) {
        out += " with " + format_count(m.summary.delegated_nodes) + " of " +
               format_count(m.summary.delegated_nodes + m.summary.non_delegated_nodes) + " nodes";
      }
      out += ": " + time(t.delegated) + share(t.delegated);
    }
    out +=
        " · outside " + time(t.outside) + share(t.outside) + " · framework " + time(t.framework) + share(t.framework);
    if (!m.breaks.empty()) {
      out += " · between delegates " + time(t.breaks) + share(t.breaks) + " in " +
             format_count(static_cast<int64_t>(m.breaks.size())) + (m.breaks.size() == 1 ? " break" : " breaks");
      if (t.move_count > 0) out += ", of it " + time(t.moves) + " to move data";
      if (t.break_bytes >= 0) out += ", " + inspector::format_bytes(t.break_bytes) + " cross a run";
    }
    return out;
  }

  void draw_map(PanelContext& context, int32_t index) {
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(method_name(index).c_str());
    ImGui::PopFont();
    ImGui::SameLine();
    text_fitting(summary(index), theme().muted);
    if (model_.map(index).items.empty()) {
      text_colored(theme().muted, "No instruction is known: neither a program nor a trace of this method is here.");
      return;
    }
    const float height = strip_height() + ImGui::GetStyle().ScrollbarSize + 2;
    if (ImGui::BeginChild("##strip", {0, height}, ImGuiChildFlags_None, ImGuiWindowFlags_HorizontalScrollbar)) {
      const float room = std::floor(ImGui::GetContentRegionAvail().x);
      const auto& strip = model_.strip(index, room);
      const ImVec2 origin = ImGui::GetCursorScreenPos();
      ImGui::InvisibleButton("##area", {std::max(1.0F, strip.back().x1), strip_height()});
      const bool hovered = ImGui::IsItemHovered();
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      const int32_t item = hovered ? model_.hit(index, mouse.x - origin.x) : -1;
      const ImVec2 a = ImGui::GetWindowPos();
      ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, {a.x + ImGui::GetWindowWidth(), a.y + height});
      draw_strip(canvas, index, origin, 1, context.document.selection());
      if (item >= 0) {
        const StripBox& box = strip[static_cast<size_t>(item)];
        canvas.frame({origin.x + box.x0, origin.y}, {origin.x + box.x1, origin.y + strip_height()}, theme().hover, 1,
                     2);
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) choose(context, index, item, "");
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) choose(context, index, item, "timeline");
        draw_item_tooltip(index, item);
      }
      follow_selection(context, index);
    }
    ImGui::EndChild();
  }

  void choose(PanelContext& context, int32_t map, int32_t item, const char* panel) {
    chosen_row_ = model_.row_of(map, item);
    scroll_to_row_ = chosen_row_ >= 0;
    if (Selection s = model_.selection_of(map, item); !s.empty()) {
      context.document.select(std::move(s), panel);
      seen_selection_ = context.document.selection_version();
    }
  }

  void follow_selection(PanelContext& context, int32_t map) {
    if (map == 0 && seen_selection_ != context.document.selection_version()) {
      seen_selection_ = context.document.selection_version();
      reveal_ = true;
      const auto& rows = model_.rows();
      const auto at = std::find_if(rows.begin(), rows.end(), [&](const OutsideRow& r) {
        return model_.is_selected(r, context.document.selection());
      });
      if (at != rows.end()) {
        chosen_row_ = static_cast<int32_t>(at - rows.begin());
        scroll_to_row_ = true;
      }
    }
    if (!reveal_) return;
    if (map + 1 == static_cast<int32_t>(model_.maps().size())) reveal_ = false;
    const auto& strip = model_.strip(map, std::floor(ImGui::GetContentRegionAvail().x));
    for (const StripBox& box : strip) {
      if (!model_.is_selected(map, box.item, context.document.selection())) continue;
      const float seen = ImGui::GetScrollX(), room = ImGui::GetWindowWidth();
      if (box.x0 < seen || box.x1 > seen + room) ImGui::SetScrollX(std::max(0.0F, box.x0 - room / 3));
      break;
    }
  }

  void draw_strip(Canvas& canvas, int32_t index, ImVec2 origin, float scale, const Selection& selection) {
    const DelegationMap& m = model_.map(index);
    const float height = strip_height(), size = ImGui::GetFontSize();
    const auto& strip = model_.strip(index, model_.strip_width(index));
    auto first = std::upper_bound(strip.begin(), strip.end(), (canvas.min().x - origin.x) / scale,
                                  [](float v, const StripBox& b) { return v < b.x1; });
    for (; first != strip.end() && origin.x + first->x0 * scale <= canvas.max().x; ++first) {
      const MapItem& item = m.items[static_cast<size_t>(first->item)];
      const bool delegate = item.kind == MapItem::Kind::Delegate;
      const ImVec2 a = {origin.x + first->x0 * scale, origin.y + (delegate ? 0 : height * 0.22F)};
      const ImVec2 b = {origin.x + first->x1 * scale - 1, origin.y + height - (delegate ? 0 : height * 0.22F)};
      const ImU32 color = item_color(item);
      canvas.fill(a, b, color, delegate ? 3 : 1);
      if (item.crossing) canvas.line({a.x, b.y + 3}, {b.x, b.y + 3}, theme().bad, 2);
      const std::string label = delegate ? item.backend : short_name(item.label);
      if (delegate) {
        const float line = size + 2, top = a.y + (height - 2 * line) / 2;
        text_in_box(canvas, {a.x, top}, {b.x, top + line}, text_on(color), inspector::printable(label));
        const std::string more =
            (item.node_count > 0 ? format_count(item.node_count) + (item.node_count == 1 ? " node  " : " nodes  ")
                                 : "") +
            time(item.ns);
        text_in_box(canvas, {a.x, top + line}, {b.x, top + 2 * line}, text_on(color), more);
      } else {
        text_in_box(canvas, a, b, text_on(color), inspector::printable(label));
      }
      if (model_.is_selected(index, first->item, selection)) canvas.frame(a, b, theme().selection, 2, 2);
    }
  }

  static std::string short_name(const std::string& label) {
    const size_t colons = label.rfind("::");
    return colons == std::string::npos ? label : label.substr(colons + 2);
  }

  void draw_item_tooltip(int32_t index, int32_t number) {
    const DelegationMap& m = model_.map(index);
    const MapItem& item = m.items[static_cast<size_t>(number)];
    if (!ImGui::BeginTooltip()) return;
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(inspector::printable(item.label).c_str());
    ImGui::PopFont();
    if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
      const auto row = [](const char* label, const std::string& value) {
        if (value.empty()) return;
        ImGui::TableNextColumn();
        text_colored(theme().muted, label);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(inspector::printable(value).c_str());
      };
      row("instruction", std::to_string(item.instruction));
      row("part", item.part + (item.guessed ? "  (which nodes are inside is a guess)" : ""));
      row("time", time(item.ns) + (m.total_ns > 0 ? ", " + format_share(item.ns / m.total_ns) : ""));
      row("calls", item.calls > 0 ? format_count(item.calls) : "none was traced");
      if (item.kind == MapItem::Kind::Delegate) {
        row("inside", time(item.inner_ns) + " explained by its own events");
        row("nodes", format_count(item.node_count));
        row("payload", item.payload_bytes < 0 ? "" : inspector::format_bytes(item.payload_bytes));
        row("payload nodes", item.payload_nodes < 0 ? "" : format_count(item.payload_nodes));
      }
      if (item.bytes_in >= 0) row("reads", inspector::format_bytes(item.bytes_in));
      if (item.bytes_out >= 0) row("makes", inspector::format_bytes(item.bytes_out));
      std::string nodes;
      for (size_t i = 0; i < item.nodes.size() && i < 12; ++i) nodes += (i == 0 ? "" : "\n") + item.nodes[i];
      if (item.nodes.size() > 12)
        nodes += "\n… and " + format_count(static_cast<int64_t>(item.nodes.size()) - 12) + " more";
      row("graph", nodes);
      ImGui::EndTable();
    }
    if (item.outside >= 0) {
      for (const auto& r : m.outside[static_cast<size_t>(item.outside)].reasons) {
        ImGui::Bullet();
        ImGui::TextUnformatted(inspector::printable(r.text).c_str());
      }
    }
    ImGui::EndTooltip();
  }

  void draw_tabs(PanelContext& context) {
    if (!ImGui::BeginTabBar("##tables")) return;
    if (ImGui::BeginTabItem("Stayed outside")) {
      draw_outside(context);
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Delegates")) {
      draw_delegates(context);
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Between delegates")) {
      draw_breaks(context);
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Node counts")) {
      draw_counts();
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }

  void draw_outside(PanelContext& context) {
    ImGui::SetNextItemWidth(scaled(200));
    if (ImGui::InputTextWithHint("##filter", "Filter: operator, module, reason", &filter_)) {
      model_.filter(filter_);
      chosen_row_ = -1;
    }
    ImGui::SameLine();
    bool types = model_.is_by_type();
    if (ImGui::Checkbox("By operator type", &types)) {
      model_.by_type(types);
      chosen_row_ = -1;
    }
    ImGui::SameLine();
    bool free = model_.shows_free();
    const std::string label = "Without instruction" +
                              (model_.hidden_free() > 0 ? " (" + format_count(model_.hidden_free()) + ")" : "") +
                              "###free";
    if (ImGui::Checkbox(label.c_str(), &free)) {
      model_.show_free(free);
      chosen_row_ = -1;
    }
    item_tooltip("Nodes that left no instruction of their own: views and folded nodes");
    if (model_.rows().empty()) {
      const bool filtered = !filter_.empty();
      return draw_empty(filtered ? "Nothing fits the filter" : "No operator stayed outside",
                        filtered ? "Clear the filter to see all." : "All instructions are calls of delegates.");
    }
    draw_outside_table(context);
    draw_why(context);
  }

  void draw_outside_table(PanelContext& context) {
    const float below = ImGui::GetTextLineHeightWithSpacing() * 5.2F;
    const float height = std::max(scaled(80), ImGui::GetContentRegionAvail().y - below);
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                       ImGuiTableFlags_Hideable;
    if (!ImGui::BeginTable("##outside", static_cast<int>(kColumns.size()), kFlags, {0, height})) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const ColumnSpec& c : kColumns) {
      ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
      if (c.column == Column::Time)
        flags |= ImGuiTableColumnFlags_DefaultSort | ImGuiTableColumnFlags_PreferSortDescending;
      ImGui::TableSetupColumn(c.title, flags, c.width > 0 ? scaled(c.width) : scaled(520));
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (size_t c = 0; c < kColumns.size(); ++c) {
      if (!ImGui::TableSetColumnIndex(static_cast<int>(c))) continue;
      ImGui::PushID(static_cast<int>(c));
      header_cell(kColumns[c].title, kColumns[c].right, kColumns[c].help);
      ImGui::PopID();
    }
    if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
      if (specs->SpecsCount > 0) {
        model_.sort(kColumns[static_cast<size_t>(specs->Specs[0].ColumnIndex)].column,
                    specs->Specs[0].SortDirection == ImGuiSortDirection_Descending);
      }
      specs->SpecsDirty = false;
    }
    double largest = 0;
    for (const OutsideRow& r : model_.rows()) largest = std::max(largest, r.ns);
    inspector::TimeUnit unit;
    const Status chosen = inspector::choose_unit("auto", model_.map(0).unit, largest, &unit);
    (void)chosen;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(model_.rows().size()));
    if (scroll_to_row_ && chosen_row_ >= 0) clipper.IncludeItemByIndex(chosen_row_);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(context, i, unit);
    }
    ImGui::EndTable();
  }

  void draw_row(PanelContext& context, int i, const inspector::TimeUnit& unit) {
    const OutsideRow& row = model_.rows()[static_cast<size_t>(i)];
    const OutsideOp& op = model_.first(row);
    const bool several = row.ops.size() > 1;
    ImGui::PushID(i);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool selected = i == chosen_row_ || model_.is_selected(row, context.document.selection());
    if (ImGui::Selectable("##row", selected,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
      chosen_row_ = i;
      scroll_to_row_ = false;
      if (Selection s = model_.selection_of(row); !s.empty()) {
        context.document.select(std::move(s), ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
        seen_selection_ = context.document.selection_version();
      }
    }
    if (scroll_to_row_ && i == chosen_row_) {
      ImGui::SetScrollHereY(0.5F);
      scroll_to_row_ = false;
    }
    draw_row_menu(context, row);
    ImGui::SameLine(0, 0);
    text_right(inspector::format_duration(row.ns, unit) + " " + unit.name);
    ImGui::TableNextColumn();
    text_right(format_count(static_cast<int64_t>(row.ops.size())));
    ImGui::TableNextColumn();
    text_fitting(op.op);
    ImGui::TableNextColumn();
    text_fitting(several ? "" : op.node);
    ImGui::TableNextColumn();
    if (!several && op.instruction >= 0) text_right(std::to_string(op.instruction));
    ImGui::TableNextColumn();
    if (!several) text_fitting(op.dtype + (op.shape.empty() ? "" : " " + op.shape));
    ImGui::TableNextColumn();
    text_right(row.bytes == 0 ? "" : bytes_text(row.bytes), row.bytes < 0 ? theme().faint : 0);
    ImGui::TableNextColumn();
    std::string reasons = several ? row.reasons : std::string();
    if (!several) {
      for (const auto& r : op.reasons) reasons += (reasons.empty() ? "" : " · ") + r.text;
    }
    text_fitting(reasons, theme().muted);
    ImGui::PopID();
  }

  void draw_row_menu(PanelContext& context, const OutsideRow& row) {
    if (!ImGui::BeginPopupContextItem("##menu")) return;
    for (const auto& [title, panel] : {std::pair{"Show in timeline", "timeline"},
                                       {"Show in operators", "operators"},
                                       {"Show in source", "source"},
                                       {"Show in graph", "graph"}}) {
      if (ImGui::MenuItem(title)) context.document.select(model_.selection_of(row), panel);
    }
    ImGui::EndPopup();
  }

  // All that is known of the chosen row's reasons.
  void draw_why(PanelContext& context) {
    (void)context;
    ImGui::Separator();
    if (chosen_row_ < 0 || static_cast<size_t>(chosen_row_) >= model_.rows().size()) {
      text_colored(theme().muted,
                   "Choose a row to read why it may have stayed outside. Reasons are derived from this program by "
                   "comparison; its files hold no word of the partitioner.");
      return;
    }
    const OutsideRow& row = model_.rows()[static_cast<size_t>(chosen_row_)];
    const OutsideOp& op = model_.first(row);
    if (!ImGui::BeginChild("##why", {0, 0})) {
      ImGui::EndChild();
      return;
    }
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(inspector::printable(op.op).c_str());
    ImGui::PopFont();
    ImGui::SameLine();
    std::string facts = time(row.ns) + ", " + format_share(row.share) + " of " + method_name(row.map);
    if (row.bytes != 0)
      facts += ", " + bytes_text(row.bytes) + (row.bytes < 0 ? " bytes" : "") + " to and from delegates a run";
    if (!op.file.empty()) facts += ", " + op.file + (op.line > 0 ? ":" + std::to_string(op.line) : "");
    text_fitting(facts, theme().muted);
    std::vector<std::string> said;
    for (const int32_t i : row.ops) {
      for (const auto& r : model_.map(row.map).outside[static_cast<size_t>(i)].reasons) {
        if (std::find(said.begin(), said.end(), r.text) != said.end() || said.size() > 30) continue;
        said.push_back(r.text);
        ImGui::Bullet();
        text_fitting(r.text);
      }
    }
    if (said.empty()) {
      text_colored(theme().muted, "Without a record nothing is known of its types and of what surrounds it.");
    }
    ImGui::EndChild();
  }

  static bool begin_table(const char* id, std::initializer_list<std::pair<const char*, float>> columns) {
    constexpr ImGuiTableFlags kFlags =
        ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV;
    if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kFlags)) return false;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const auto& [title, width] : columns) {
      ImGui::TableSetupColumn(title, width < 0 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                              scaled(std::abs(width)));
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    int c = 0;
    for (const auto& [title, width] : columns) {
      ImGui::TableSetColumnIndex(c++);
      header_cell(title, width > 0);
    }
    return true;
  }

  void draw_delegates(PanelContext& context) {
    if (backends().empty())
      return draw_empty("Nothing is delegated", "No instruction of this program calls a delegate.");
    if (!begin_table("##delegates", {{"Method", -100},
                                     {"Instr.", 55},
                                     {"Backend", -160},
                                     {"Part", -150},
                                     {"Nodes", 60},
                                     {"Payload", 90},
                                     {"Calls", 60},
                                     {"Time", 100},
                                     {"Explained", 100},
                                     {"Overhead", 100},
                                     {"Reads", 90},
                                     {"Makes", 90}})) {
      return;
    }
    for (size_t m = 0; m < model_.maps().size(); ++m) {
      const DelegationMap& map = model_.map(static_cast<int32_t>(m));
      for (size_t i = 0; i < map.items.size(); ++i) {
        const MapItem& item = map.items[i];
        if (item.kind != MapItem::Kind::Delegate) continue;
        const auto index = static_cast<int32_t>(i), map_index = static_cast<int32_t>(m);
        ImGui::PushID(static_cast<int>(m * 100000 + i));
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const bool selected = model_.is_selected(map_index, index, context.document.selection());
        if (ImGui::Selectable("##row", selected,
                              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
          choose(context, map_index, index, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
        }
        ImGui::SameLine(0, 0);
        text_fitting(method_name(map_index));
        const auto cell = [](const std::string& text) {
          ImGui::TableNextColumn();
          text_right(text);
        };
        cell(std::to_string(item.instruction));
        ImGui::TableNextColumn();
        text_fitting(item.backend);
        ImGui::TableNextColumn();
        text_fitting(item.part + (item.guessed ? " ?" : ""));
        cell(format_count(item.node_count));
        cell(item.payload_bytes < 0 ? "" : inspector::format_bytes(item.payload_bytes));
        cell(format_count(item.calls));
        cell(time(item.ns));
        cell(time(item.inner_ns));
        cell(time(item.ns - item.inner_ns));
        cell(item.bytes_in < 0 ? "" : inspector::format_bytes(item.bytes_in));
        cell(item.bytes_out < 0 ? "" : inspector::format_bytes(item.bytes_out));
        ImGui::PopID();
      }
    }
    ImGui::EndTable();
  }

  void draw_breaks(PanelContext& context) {
    const bool any = std::any_of(model_.maps().begin(), model_.maps().end(),
                                 [](const DelegationMap& m) { return !m.breaks.empty(); });
    if (!any) return draw_empty("No break", "No operator runs between two calls of delegates.");
    if (!begin_table("##breaks", {{"Method", -90},
                                  {"Instr.", 80},
                                  {"Between", -260},
                                  {"Instructions", 90},
                                  {"Time", 100},
                                  {"Share", 70},
                                  {"Move data", 80},
                                  {"Time of moves", 110},
                                  {"Crosses", 100}})) {
      return;
    }
    for (size_t m = 0; m < model_.maps().size(); ++m) {
      const DelegationMap& map = model_.map(static_cast<int32_t>(m));
      for (size_t b = 0; b < map.breaks.size(); ++b) {
        const inspector::MapBreak& x = map.breaks[b];
        ImGui::PushID(static_cast<int>(m * 100000 + b));
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns)) {
          choose(context, static_cast<int32_t>(m), static_cast<int32_t>(x.first), "");
        }
        ImGui::SameLine(0, 0);
        text_fitting(method_name(static_cast<int32_t>(m)));
        const auto cell = [](const std::string& text, ImU32 color = 0) {
          ImGui::TableNextColumn();
          text_right(text, color);
        };
        const int64_t first = map.items[x.first].instruction, last = map.items[x.last].instruction;
        cell(first == last ? std::to_string(first) : std::to_string(first) + "–" + std::to_string(last));
        ImGui::TableNextColumn();
        text_fitting(x.before + " and " + x.after);
        cell(format_count(static_cast<int64_t>(x.last - x.first + 1)));
        cell(time(x.ns));
        cell(map.total_ns > 0 ? format_share(x.ns / map.total_ns) : "");
        cell(x.moves > 0 ? format_count(x.moves) : "");
        cell(x.moves > 0 ? time(x.move_ns) : "");
        cell(bytes_text(x.bytes), x.bytes < 0 ? theme().faint : 0);
        ImGui::PopID();
      }
    }
    ImGui::EndTable();
  }

  void draw_counts() {
    const bool any =
        std::any_of(model_.maps().begin(), model_.maps().end(), [](const DelegationMap& m) { return m.has_graph; });
    if (!any) return draw_empty("No graph", "Counts of nodes need the ETRecord: open it together with the dump.");
    if (!begin_table("##counts", {{"Method", -100},
                                  {"Node type", -260},
                                  {"Delegated", 90},
                                  {"Time inside", 110},
                                  {"Outside", 90},
                                  {"Time outside", 110}})) {
      return;
    }
    for (size_t m = 0; m < model_.maps().size(); ++m) {
      const DelegationMap& map = model_.map(static_cast<int32_t>(m));
      const auto row = [&](const std::string& type, int64_t in, double in_ns, int64_t out, double out_ns, bool bold) {
        ImGui::TableNextRow();
        if (bold) ImGui::PushFont(fonts().bold, 0);
        ImGui::TableNextColumn();
        text_fitting(method_name(static_cast<int32_t>(m)));
        ImGui::TableNextColumn();
        text_fitting(type);
        for (const auto& [count, ns] : {std::pair{in, in_ns}, {out, out_ns}}) {
          ImGui::TableNextColumn();
          text_right(count > 0 ? format_count(count) : "");
          ImGui::TableNextColumn();
          text_right(ns > 0 ? time(ns) : "");
        }
        if (bold) ImGui::PopFont();
      };
      double in = 0, out = 0;
      for (const auto& r : map.summary.rows) {
        row(r.op_type, r.delegated, r.ns_delegated, r.non_delegated, r.ns_non_delegated, false);
        in += r.ns_delegated;
        out += r.ns_non_delegated;
      }
      if (map.has_graph) row("all", map.summary.delegated_nodes, in, map.summary.non_delegated_nodes, out, true);
    }
    ImGui::EndTable();
  }

  DelegationModel model_;
  JobHandle job_;
  uint64_t version_ = 0, seen_selection_ = 0;
  bool reading_ = false, reveal_ = false, scroll_to_row_ = false;
  int32_t chosen_row_ = -1;
  std::string filter_, error_;
};

}  // namespace

extern const PanelSpec k_delegation_panel;
const PanelSpec k_delegation_panel = {
    .id = "delegation",
    .title = "Delegation",
    .summary = "What runs in delegates, what stayed outside, and what that costs",
    .key = ImGuiKey_6,
    .dock = Dock::Center,
    .make = [] { return std::unique_ptr<Panel>(new DelegationPanel); },
};

}  // namespace et::gui
