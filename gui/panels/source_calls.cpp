// The call tree of the source panel: lines with the lines that they call, and the ops of what is chosen.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/models/frame_text.h"
#include "gui/models/overview_model.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/source_panel.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"

namespace et::gui {
namespace {

using inspector::CostKind;
using inspector::FrameScope;

struct ScopeName {
  FrameScope scope;
  const char* title;
  const char* help;
};
constexpr std::array<ScopeName, 4> kScopes = {
    {{FrameScope::Model, "Model code", "your code and the libraries it uses, without torch's"},
     {FrameScope::User, "My code", "code of your own only; without any, as model code"},
     {FrameScope::Outermost, "Outermost line", "the first line of each stack"},
     {FrameScope::Everything, "Every frame", "torch's own frames, too"}}};

// Widths of columns, and from which width of the tree on they are there, in points.
constexpr float kShare = 86, kTime = 64, kWideShare = 124, kModule = 150, kPlace = 130, kIndent = 14;
constexpr float kTreePart = 0.6F;  // of the height, at most
constexpr float kWide = 900;       // from here on share, module and place grow with the width
constexpr float kWithOwn = 480, kWithPlace = 560, kWithWideShare = 680, kWithModule = 860;

/// A column that has its part of a wide table.
float grown(float least, float part) {
  return scaled(least) + std::max(0.0F, ImGui::GetContentRegionAvail().x - scaled(kWide)) * part;
}

/// Of what is no line.
ImU32 outside_color(const std::string& name) {
  return name == "(variation)" ? theme().variation : name == "(framework)" ? theme().framework : theme().unattributed;
}

const ScopeName& name_of(FrameScope scope) {
  return *std::find_if(kScopes.begin(), kScopes.end(), [&](const ScopeName& s) { return s.scope == scope; });
}

}  // namespace

void module_cell(const std::string& path) {
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string shown =
      short_module(path, [&](const std::string& text) { return text_width(inspector::printable(text)) <= room; });
  text_fitting(shown, theme().muted);
  if (shown != path) item_tooltip(inspector::printable(path));
}

bool SourcePanel::is_in_calls() const {
  return shows_calls_ && model_.data() != nullptr && model_.data()->sources.timed && calls_.tree() != nullptr;
}

std::vector<std::pair<std::string, std::string>> SourcePanel::settings() const {
  return {{"view", shows_calls_ ? "calls" : "files"},
          {"frames", std::to_string(static_cast<int>(calls_.scope()))},
          {"chains", calls_.folds_chains() ? "1" : "0"}};
}

void SourcePanel::restore(const std::string& key, const std::string& value) {
  if (key == "view") shows_calls_ = value != "files";
  if (key == "chains") calls_.fold_chains(value != "0");
  if (key == "frames" && value.size() == 1 && value[0] >= '0' && value[0] < '0' + static_cast<int>(kScopes.size()))
    calls_.set_scope(static_cast<FrameScope>(value[0] - '0'));
}

void SourcePanel::refresh_calls(PanelContext& context) {
  calls_.refresh(context.document, context.jobs);
  // The text has the costs of the frames that the tree has.
  const std::string file = model_.cost() == nullptr ? std::string() : model_.cost()->file;
  model_.use(is_in_calls() && calls_.data() == model_.data() ? calls_.lines() : nullptr);
  const bool same_file = file.empty() || (model_.cost() != nullptr && model_.cost()->file == file);
  if (calls_seen_ == calls_.tree()) {
    if (!same_file) look_at_call();
    return;
  }
  calls_seen_ = calls_.tree();
  call_ = -1;
  call_ops_.clear();
  if (same_file) follow_line();
  if (call_ >= 0 || calls_.tree() == nullptr) return;
  // Of what was looked at what these frames have of it; at first what costs most is a beginning.
  const bool looks = line_ > 0 && calls_.data() != nullptr;
  const int32_t same =
      looks ? costliest_selected_line(*calls_.data(), *calls_.tree(), context.document.selection()) : -1;
  const int32_t next = same >= 0 ? same : calls_.costliest_line();
  if (next < 0) return;
  choose_call(next, nullptr);
  scroll_call_ = true;
  if (!looks) line_ = 0;
}

/// The file of the line is not among those that are shown now: the tree's row has one that is, or its costliest op.
void SourcePanel::look_at_call() {
  line_ = 0;
  scroll_ = true;
  if (call_ < 0 || calls_.tree() == nullptr) return;
  if (is_in_calls()) return choose_call(call_, nullptr);
  if (call_ops_.empty() || calls_.data() == nullptr) return;
  const inspector::OpTable& table = calls_.data()->shown;
  const inspector::OpNode* const main = table.main_node(table.ops[call_ops_.front().op]);
  const int at = main == nullptr ? -1 : model_.find_file(main->node->file);
  if (at < 0) return;
  model_.choose(at);
  line_ = main->node->line.value_or(0);
}

/// The tree looks at the line that the text looks at.
void SourcePanel::follow_line() {
  if (line_ <= 0 || model_.cost() == nullptr || calls_.tree() == nullptr) return;
  const int32_t node = calls_.find(model_.cost()->file, line_);
  if (node >= 0 && node == call_) return;
  call_ = node;
  call_ops_ = node < 0 ? std::vector<CallOp>() : calls_.ops(node);
  scroll_call_ = node >= 0;
}

void SourcePanel::choose_call(int32_t node, Document* document) {
  call_ = node;
  call_ops_ = calls_.ops(node);
  const inspector::CostNode& n = calls_.node(frame_above(*calls_.tree(), node));
  if (n.kind == CostKind::Frame) {
    if (model_.cost() == nullptr || model_.cost()->file != n.file.str()) {
      const int file = model_.find_file(n.file);
      if (file >= 0) {
        model_.choose(file);
      } else {
        model_.choose(calls_.file_cost(n.file));
      }
    }
    line_ = n.line;
    scroll_ = true;
  }
  if (document == nullptr) return;
  Selection selection = select_inside(*calls_.data(), *calls_.tree(), node);
  if (selection.empty()) return;
  own_click_ = true;
  document->select(std::move(selection));
}

void SourcePanel::draw_modes() {
  if (model_.data() == nullptr || !model_.data()->sources.timed) return;
  if (ImGui::RadioButton("Call tree", shows_calls_)) shows_calls_ = true;
  item_tooltip("Lines with the lines that they call");
  flow_button("Files      ");
  if (ImGui::RadioButton("Files", !shows_calls_)) shows_calls_ = false;
  item_tooltip("Files of the model with the cost of their lines");
}

void SourcePanel::draw_calls_tools(PanelContext& context) {
  draw_modes();
  flow(scaled(150));
  ImGui::SetNextItemWidth(scaled(150));
  const ScopeName& now = name_of(calls_.scope());
  if (ImGui::BeginCombo("##scope", now.title)) {
    for (const ScopeName& s : kScopes) {
      if (ImGui::Selectable(s.title, s.scope == calls_.scope())) calls_.set_scope(s.scope);
      item_tooltip(s.help);
    }
    ImGui::EndCombo();
  }
  item_tooltip(std::string("Which frames of the Python stack are rows: ") + now.help);
  flow(scaled(170));
  ImGui::SetNextItemWidth(scaled(170));
  take_search_focus();
  if (ImGui::InputTextWithHint("##search", "Search", &call_query_)) calls_.search(call_query_);
  const auto go = [&](int direction) {
    const int32_t found = calls_.next_found(direction);
    if (found < 0) return;
    choose_call(found, &context.document);
    scroll_call_ = true;
  };
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false)) go(1);
  if (!call_query_.empty()) {
    const auto found = static_cast<int64_t>(calls_.found().size());
    const std::string text = found == 0 ? "no matches" : inspector::format_count(found) + " found";
    flow(2 * ImGui::GetFrameHeight() + ImGui::CalcTextSize(text.c_str()).x + scaled(20));
    ImGui::BeginDisabled(found == 0);
    if (ImGui::ArrowButton("##previous_found", ImGuiDir_Left)) go(-1);
    ImGui::SameLine(0, scaled(2));
    if (ImGui::ArrowButton("##next_found", ImGuiDir_Right)) go(1);
    ImGui::EndDisabled();
    ImGui::SameLine();
    text_colored(theme().muted, text);
  }
  if (calls_.reading()) {
    flow(scaled(60));
    text_colored(theme().faint, "reading…");
  }
}

/// What shares are of.
std::string SourcePanel::whole_text() const {
  const double base = model_.sources().base_ns;
  const std::string time = inspector::format_duration_named(base, unit_);
  return base == model_.sources().total_ns
             ? "Of " + time + ", " + model_.data()->shown.basis_text() + "."
             : "Of the " + time + " that " + inspector::share_basis_text(model_.data()->shown.basis) +
                   " together: the usual times are not those of an execution.";
}

void SourcePanel::draw_calls(PanelContext& context) {
  draw_calls_tools(context);
  const float width = ImGui::GetContentRegionAvail().x;
  const bool own = width >= scaled(kWithOwn), place = width >= scaled(kWithPlace),
             module = width >= scaled(kWithModule);
  const float wide_share = grown(width >= scaled(kWithWideShare) ? kWideShare : kShare, 0.2F),
              wide_module = grown(kModule, 0.2F), wide_place = grown(kPlace, 0.12F);
  const ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  // Tables of other widths have other columns, and so other names.
  const std::string id = std::string("##tree") + (module ? "m" : "") + (place ? "p" : "") + (own ? "o" : "");
  const std::vector<CallRow>& rows = calls_.rows();
  const float row_height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  // What a short tree leaves is the ops'.
  const float all = row_height * static_cast<float>(std::min<size_t>(rows.size(), 10'000) + 2);
  const float height = ops_left_ ? std::min(all, ImGui::GetContentRegionAvail().y * kTreePart) : 0;
  if (!ImGui::BeginTable(id.c_str(), 3 + (own ? 1 : 0) + (place ? 1 : 0) + (module ? 1 : 0), flags, {0, height}))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("call", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, wide_share);
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, scaled(kTime));
  if (own) ImGui::TableSetupColumn("own", ImGuiTableColumnFlags_WidthFixed, scaled(kTime));
  if (module) ImGui::TableSetupColumn("module", ImGuiTableColumnFlags_WidthFixed, wide_module);
  if (place) ImGui::TableSetupColumn("place", ImGuiTableColumnFlags_WidthFixed, wide_place);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const std::string whole = whole_text();
  const auto head = [](const char* title, bool right, const char* help) {
    ImGui::TableNextColumn();
    header_cell(title, right, help);
  };
  const std::string time = "Time" + inspector::unit_heading(unit_), own_title = "Own" + inspector::unit_heading(unit_);
  head("Call", false,
       "A line of code, with the lines that it calls below it. A chain of lines that do nothing but call the next is "
       "one row. Bold: your own code, which is of no installed package.");
  head("Share", true, whole.c_str());
  head(time.c_str(), true, "With all that it calls.");
  if (own) head(own_title.c_str(), true, "Operators that the line itself asked for.");
  if (module) head("Module", false, "The innermost module that has all of the time; * stands for several numbers.");
  if (place) head("Line", false, nullptr);
  if (std::exchange(scroll_call_, false) && call_ >= 0) {
    const int64_t at = calls_.reveal(call_);
    const float top = static_cast<float>(at) * row_height;
    const float room = ImGui::GetWindowHeight() - 2 * row_height;
    if (at >= 0 && (top < ImGui::GetScrollY() || top > ImGui::GetScrollY() + room))
      ImGui::SetScrollY(std::max(0.0F, top - room / 3));
  }
  const CallRow* toggled = nullptr;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_call_row(context, rows[static_cast<size_t>(i)], &toggled);
  }
  if (toggled != nullptr) calls_.toggle(*toggled);
  ImGui::EndTable();
  if (!ops_left_) return;
  ImGui::Spacing();
  draw_call_ops(context);
}

void SourcePanel::draw_call_row(PanelContext& context, const CallRow& row, const CallRow** toggled) {
  ImGui::TableNextRow();
  const bool chosen = call_ == row.node;
  const SelectedPart& part = part_of_call(row.node);
  if (chosen || part.any()) mark_row(chosen || part.all());
  ImGui::TableNextColumn();
  ImGui::PushID(row.first);
  const float indent = scaled(kIndent) * static_cast<float>(row.level);
  if (indent > 0) ImGui::Indent(indent);
  ImGui::SetNextItemOpen(row.open);
  const ImGuiTreeNodeFlags flags = ImGuiTreeNodeFlags_SpanAllColumns | ImGuiTreeNodeFlags_OpenOnArrow |
                                   ImGuiTreeNodeFlags_NoTreePushOnOpen | (row.can_open ? 0 : ImGuiTreeNodeFlags_Leaf);
  ImGui::TreeNodeEx(("##call" + std::to_string(row.node)).c_str(), flags);
  if (ImGui::IsItemToggledOpen()) {
    *toggled = &row;
  } else if (ImGui::IsItemClicked()) {
    choose_call(row.node, &context.document);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && row.can_open) *toggled = &row;
  }
  call_menu(context, row);
  if (begin_item_tooltip()) {
    for (const std::string& text : calls_.details(row)) ImGui::TextUnformatted(inspector::printable(text).c_str());
    if (const std::string text = part.text(unit_); !text.empty()) ImGui::TextUnformatted(text.c_str());
    if (calls_.is_uncertain(row.node))
      text_colored(theme().warning, "?: most of its time is here by links that are inferred, not certain.");
    end_item_tooltip();
  }
  ImGui::SameLine(0, 0);
  const inspector::CostNode& n = calls_.node(row.node);
  const bool faded = !calls_.query().empty() && !calls_.is_found(row) && !calls_.hides_found(row);
  const bool is_line = n.kind == CostKind::Frame || n.kind == CostKind::Method;
  const bool mine = calls_.is_mine(row.node);
  if (mine) ImGui::PushFont(fonts().bold, 0);
  std::string label = calls_.label(row);
  if (text_width(inspector::printable(label)) > ImGui::GetContentRegionAvail().x) label = calls_.short_label(row);
  if (calls_.is_uncertain(row.node)) label += " ?";
  if (!is_line && n.ops > 1) label += "  ×" + inspector::format_count(n.ops);
  text_fitting_start(label, faded ? theme().faint : is_line ? theme().text : theme().muted);
  if (mine) ImGui::PopFont();
  if (indent > 0) ImGui::Unindent(indent);
  draw_call_cells(row);
  ImGui::PopID();
}

std::string SourcePanel::time_text(double ticks) const {
  return ticks == 0 && coarse_ ? "< 1 µs" : inspector::format_duration(ticks, unit_);
}

void SourcePanel::draw_call_cells(const CallRow& row) {
  const inspector::CostNode& n = calls_.node(row.node);
  const double share = calls_.share(row.node), own = calls_.own(row.node);
  const bool frame = n.kind == CostKind::Frame;
  ImGui::TableNextColumn();
  if (calls_.is_left_out(row.node)) {
    text_right("–", theme().muted);
    item_tooltip("Shares leave it out.");
  } else {
    // As in the text: in full colour what the line's own operators take.
    const double base = calls_.base(), own_share = base > 0 ? own / base : 0;
    cost_bar(own_share, share, 1, n.kind == CostKind::Outside ? outside_color(n.name.str()) : line_heat(own_share));
    text_right(inspector::format_share(share));
  }
  ImGui::TableNextColumn();
  text_right(time_text(n.total));
  const int columns = ImGui::TableGetColumnCount();
  if (columns > 3) ImGui::TableNextColumn();
  if (columns > 3 && frame && own > 1e-9 * calls_.total()) text_right(time_text(own));
  if (columns > 5) {
    ImGui::TableNextColumn();
    module_cell(calls_.module(row.node));
  }
  if (columns > 4) {
    ImGui::TableNextColumn();
    if (frame) text_fitting(frame_place(n), calls_.is_mine(row.node) ? theme().text : theme().muted);
  }
}

void SourcePanel::call_menu(PanelContext& context, const CallRow& row) {
  if (!ImGui::BeginPopupContextItem("##menu")) return;
  const auto go = [&](const char* label, const char* panel) {
    if (!ImGui::MenuItem(label)) return;
    choose_call(row.node, nullptr);
    own_click_ = true;
    context.document.select(select_inside(*calls_.data(), *calls_.tree(), row.node), panel);
  };
  go("Show ops in timeline", "timeline");
  go("Show ops in operators", "operators");
  go("Show nodes in graph", "graph");
  go("Show in flame graph", "flame");
  ImGui::Separator();
  if (ImGui::MenuItem("Open everything")) calls_.open_all(true);
  if (ImGui::MenuItem("Close everything")) calls_.open_all(false);
  bool fold = calls_.folds_chains();
  if (ImGui::MenuItem("Chains of calls in one row", nullptr, &fold)) calls_.fold_chains(fold);
  ImGui::EndPopup();
}

/// With all that it calls, wherever it is called from, as the text has it; 0 of what is no line.
double SourcePanel::time_of_line(const inspector::CostNode& n) const {
  if (n.kind != CostKind::Frame || model_.cost() == nullptr || model_.cost()->file != n.file.str()) return 0;
  const auto& lines = model_.cost()->lines;
  const auto at = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.line == n.line; });
  return at == lines.end() ? 0 : at->inclusive_ns;
}

void SourcePanel::draw_call_ops(PanelContext& context) {
  if (!ImGui::BeginChild("##ops", {0, 0})) return ImGui::EndChild();
  if (call_ < 0 && line_ > 0 && model_.cost() != nullptr) {
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(inspector::printable("Ops of " + short_place(model_.cost()->file, line_)).c_str());
    ImGui::PopFont();
    text_colored(theme().muted, "none: no op that ran leads to this line");
    return ImGui::EndChild();
  }
  if (call_ < 0) {
    draw_empty("No call is selected", "Click a row of the call tree to see its line and its ops.");
    return ImGui::EndChild();
  }
  const inspector::CostNode& n = calls_.node(call_);
  ImGui::PushFont(fonts().bold, 0);
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(
      inspector::printable(n.kind == CostKind::Frame ? "Ops of " + frame_place(n) + " and what it calls" : n.name.str())
          .c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  // Of the noise there is nothing to list.
  const inspector::OpCount count = {n.ops, std::ssize(call_ops_) - n.ops};
  const std::string sum =
      inspector::format_duration_named(n.total, unit_) + (call_ops_.empty() ? std::string() : " in " + count.text());
  flow(ImGui::CalcTextSize(sum.c_str()).x);
  text_colored(theme().muted, sum);
  if (const double all = time_of_line(n); all > n.total * (1 + 1e-6)) {
    const std::string others = inspector::format_duration_named(all, unit_) + " with its other callers";
    flow(text_width(others));
    text_colored(theme().muted, others);
  }
  if (!n.note.empty()) {
    ImGui::PushTextWrapPos();
    text_colored(theme().muted, in_window(n.note));
    ImGui::PopTextWrapPos();
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const int columns = width >= scaled(680) ? 5 : width >= scaled(440) ? 4 : 3;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable(("##call_ops" + std::to_string(columns)).c_str(), columns, flags)) return ImGui::EndChild();
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("op", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, scaled(kShare));
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, scaled(kTime));
  if (columns > 3) ImGui::TableSetupColumn("module", ImGuiTableColumnFlags_WidthFixed, scaled(kModule - 20));
  if (columns > 4) ImGui::TableSetupColumn("place", ImGuiTableColumnFlags_WidthFixed, scaled(kPlace - 10));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const std::string time = "Time" + inspector::unit_heading(unit_);
  const std::array<const char*, 5> titles = {"Op", "Share", time.c_str(), "Module", "Line"};
  for (int i = 0; i < columns; ++i) {
    ImGui::TableNextColumn();
    header_cell(titles[static_cast<size_t>(i)], i == 1 || i == 2);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(call_ops_.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_call_op(context, call_ops_[static_cast<size_t>(i)], columns);
  }
  ImGui::EndTable();
  ImGui::EndChild();
}

void SourcePanel::begin_op_row(PanelContext& context, const TraceData& data, const inspector::OpEntry& op,
                               int32_t index) {
  ImGui::TableNextRow();
  if (index >= 0 && context.document.selection().has_op(index)) mark_row();
  ImGui::PushID(static_cast<int>(op.id));
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable(("##op" + std::to_string(op.id)).c_str(), false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    own_click_ = true;
    context.document.select(select_op(data, op.id),
                            ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "timeline" : "");
  }
  op_tooltip(data, op, OpUnits{unit_, unit_});
  ImGui::SetCursorPos(at);
  if (index >= 0) {
    color_square(op_color(data, index));
    ImGui::SameLine(0, scaled(4));
  }
  text_fitting(own_time_title(data.shown, op), op.encloses ? theme().muted : 0);
}

void SourcePanel::draw_call_op(PanelContext& context, const CallOp& part, int columns) {
  const TraceData& data = *calls_.data();
  const inspector::OpEntry& op = data.shown.ops[part.op];
  const int32_t index = data.index_of(op);
  begin_op_row(context, data, op, index);
  ImGui::TableNextColumn();
  const double total = calls_.base();
  const double largest = call_ops_.empty() ? 0 : call_ops_.front().time;
  share_cell(total > 0 ? part.time / total : 0, index >= 0 ? op_color(data, index) : theme().kernel,
             total > 0 && largest > 0 ? largest / total : 1);
  ImGui::TableNextColumn();
  text_right(time_text(part.time));
  const inspector::CostNode& leaf = calls_.node(part.leaf);
  if (columns > 3) {
    ImGui::TableNextColumn();
    const bool linked = part.link >= 0 && static_cast<size_t>(part.link) < data.shown.nodes.size();
    if (linked) module_cell(data.shown.nodes[static_cast<size_t>(part.link)].node->module_path);
  }
  if (columns > 4) {
    ImGui::TableNextColumn();
    if (leaf.parent >= 0) text_fitting(frame_place(calls_.node(leaf.parent)), theme().muted);
  }
  ImGui::PopID();
}

}  // namespace et::gui
