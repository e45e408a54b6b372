// The text of a source file with its cost, and the ops of a line.
#include <algorithm>
#include <cmath>

#include "gui/models/overview_model.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/source_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/drawn_table.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

ImU32 token_color(PythonToken token) {
  switch (token) {
    case PythonToken::Keyword:
      return theme().control;
    case PythonToken::Builtin:
    case PythonToken::Name:
      return theme().kernel;
    case PythonToken::String:
      return theme().good;
    case PythonToken::Number:
    case PythonToken::Decorator:
      return theme().warning;
    case PythonToken::Comment:
      return theme().muted;
    case PythonToken::Plain:
      break;
  }
  return theme().text;
}

constexpr float kRoomForWhole = 460, kRoomForSelf = 560, kRoomForOps = 700;  // points

}  // namespace

void cost_bar(double self, double inclusive, double longest, ImU32 color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float bar = ImGui::GetContentRegionAvail().x - share_width(), height = ImGui::GetTextLineHeight();
  if (bar <= scaled(8) || longest <= 0) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto draw = [&](double share, ImU32 fill) {
    if (!(share > 0)) return;
    const float wide = std::max(1.0F, bar * static_cast<float>(std::clamp(share / longest, 0.0, 1.0)));
    list->AddRectFilled({at.x, at.y + height * 0.12F}, {at.x + wide, at.y + height * 0.94F}, fill, scaled(2));
  };
  draw(inclusive, with_alpha(theme().muted, 0.3F));
  draw(self, with_alpha(color, 0.75F));
}

ImU32 line_heat(double share) { return cost_color(std::min(1.0, 0.25 + 0.75 * std::sqrt(std::max(share, 0.0)))); }

int64_t SourcePanel::looked_at_line() const {
  if (line_ > 0 || call_ < 0 || calls_.tree() == nullptr) return line_;
  const inspector::CostNode& n = calls_.node(call_);
  return model_.cost() != nullptr && n.file.str() == model_.cost()->file ? n.line : 0;
}

float SourcePanel::text_height(float room) const {
  if (model_.reading() || model_.listing().rows.empty()) return room;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float rows = static_cast<float>(std::min<size_t>(model_.listing().rows.size(), 10'000) + 2) * row;
  return std::min(room, rows + ImGui::GetStyle().ScrollbarSize);
}

/// Without the text around it, the function tells where a line is.
std::string SourcePanel::note_of(const inspector::SourceLine* cost) const {
  const bool alone = model_.listing().found.empty() && cost != nullptr && !cost->function.empty();
  return alone ? "# in " + cost->function : std::string();
}

/// Characters of the longest one, with the gap before it.
int64_t SourcePanel::longest_note() const {
  constexpr int64_t kGap = 3;
  int64_t longest = 0;
  for (const inspector::SourceLine& line : model_.cost()->lines)
    longest = std::max<int64_t>(longest, inspector::text_width(note_of(&line)));
  return longest > 0 ? longest + kGap : 0;
}

void SourcePanel::draw_text(PanelContext& context, float height) {
  const SourceListing& listing = model_.listing();
  if (listing.rows.empty()) {
    if (ImGui::BeginChild("##empty", {0, height})) {
      draw_empty(model_.reading() ? "reading…" : "The file has no lines", "");
    }
    return ImGui::EndChild();
  }
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit |
                                ImGuiTableFlags_BordersInnerV;
  const float width = ImGui::GetContentRegionAvail().x;
  if (!ImGui::BeginTable("##text", 6, flags, {width, height})) return;
  ImGui::PushFont(fonts().mono, 0);
  const float digit = ImGui::CalcTextSize("0").x;
  ImGui::PopFont();
  const float text_width =
      std::max(scaled(200), digit * static_cast<float>(std::min<int64_t>(listing.longest + 2 + longest_note(), 4000)));
  ImGui::TableSetupScrollFreeze(5, 1);
  // As in the tree beside it.
  const std::string self = "Own" + inspector::unit_heading(unit_), inclusive = "Time" + inspector::unit_heading(unit_);
  // Where there is little room it is the text's.
  const auto from = [&](float least) {
    const bool there = !model_.data()->sources.timed || width >= scaled(least);
    return ImGuiTableColumnFlags_WidthFixed | (there ? 0 : ImGuiTableColumnFlags_Disabled);
  };
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, scaled(width < scaled(kRoomForSelf) ? 100 : 120));
  ImGui::TableSetupColumn("inclusive", from(kRoomForWhole), scaled(64));
  ImGui::TableSetupColumn("self", from(kRoomForSelf), scaled(64));
  ImGui::TableSetupColumn("ops", from(kRoomForOps), scaled(62));
  ImGui::TableSetupColumn("line", ImGuiTableColumnFlags_WidthFixed, digit * 6);
  ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthFixed, text_width);
  struct Heading {
    const char* title;
    const char* help;
  };
  const std::string frames = model_.sources().shown.text();
  const std::string share =
      "The line with all that it calls, as Time; of the bar the full colour is the time of the "
      "line's own ops, as Own. " +
      (model_.data()->sources.timed ? whole_text() : std::string());
  const std::array<Heading, 6> headings = {
      {{"Share", share.c_str()},
       {inclusive.c_str(), "Including the ops of functions that it calls."},
       {self.c_str(), "Time of the line's own ops."},
       model_.data()->sources.timed ? Heading{"Own ops", "Ops that the line itself asked for: those that Own is of."}
                                    : Heading{"Nodes", "Graph nodes created by the line."},
       {"Line", frames.empty() ? nullptr : frames.c_str()},
       {"Source", nullptr}}};
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < headings.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    header_cell(headings[i].title, i < 5, headings[i].help);
  }
  const float row_height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  if (scroll_ && !model_.reading()) scroll_text(row_height);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(listing.rows.size()), row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      draw_row(context, listing.rows[static_cast<size_t>(i)]);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

void SourcePanel::scroll_text(float row_height) {
  scroll_ = false;
  // Without a selected line, show the costliest one.
  int64_t line = line_;
  if (line == 0) {
    const auto& lines = model_.cost()->lines;
    const auto costliest = std::max_element(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.ns < b.ns; });
    if (costliest != lines.end()) line = costliest->line;
  }
  const auto top = static_cast<float>(std::max<int64_t>(0, model_.listing().row_of(line))) * row_height;
  const float window = ImGui::GetWindowHeight() - 2 * row_height;
  if (top < ImGui::GetScrollY() || top + row_height > ImGui::GetScrollY() + window) {
    ImGui::SetScrollY(std::max(0.0F, top - window / 3));
  }
}

void SourcePanel::draw_row(PanelContext& context, const SourceRow& row) {
  // Rows of the file before may still be drawn while another one's are read.
  const auto& lines = model_.cost()->lines;
  const auto place = static_cast<size_t>(row.cost);
  const bool known = row.cost >= 0 && place < lines.size() && lines[place].line == row.line;
  const inspector::SourceLine* cost = known ? &lines[place] : nullptr;
  const Selection& selection = context.document.selection();
  // The line of a selected op or node is marked as well.
  const bool selected = !selection.empty() && selection.file == model_.cost()->file && selection.line == row.line;
  const bool looked_at = row.line > 0 && row.line == looked_at_line();
  ImGui::TableNextRow();
  const SelectedPart& part = part_of_line(row.line);
  if (selected || looked_at || part.any()) mark_row(selected || looked_at || part.all());
  ImGui::TableSetColumnIndex(0);
  const ImVec2 at = ImGui::GetCursorPos();
  char label[32];
  std::snprintf(label, sizeof label, "##line%lld", static_cast<long long>(row.line));
  if (ImGui::Selectable(label, false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    select_line_of(context.document, row.line);
    if (cost != nullptr && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      context.document.select(select_line(*model_.data(), model_.cost()->file, row.line), "timeline");
  }
  row_menu(context, row);
  line_tooltip(row, cost);
  ImGui::SetCursorPos(at);
  if (cost != nullptr) draw_cost(*cost);
  draw_text_cells(row, note_of(cost));
}

void SourcePanel::line_tooltip(const SourceRow& row, const inspector::SourceLine* cost) const {
  if (cost == nullptr && !row.changed) return;
  if (!begin_item_tooltip()) return;
  if (cost != nullptr) {
    if (!cost->function.empty()) text_colored(theme().muted, "in " + inspector::printable(cost->function));
    if (!model_.data()->sources.timed) {
      ImGui::TextUnformatted(
          (inspector::format_count(cost->nodes) + (cost->nodes == 1 ? " graph node" : " graph nodes")).c_str());
    } else {
      ImGui::TextUnformatted(("own " + inspector::format_duration_named(cost->ns, unit_) + ", with calls " +
                              inspector::format_duration_named(cost->inclusive_ns, unit_))
                                 .c_str());
    }
    if (const std::string text = part_of_line(row.line).text(unit_); !text.empty())
      ImGui::TextUnformatted(text.c_str());
    for (const std::string& type : cost->op_types) ImGui::TextUnformatted(inspector::printable(type).c_str());
  }
  if (row.changed && cost != nullptr) {
    text_colored(theme().warning, "changed since the export; exported text:");
    ImGui::PushFont(fonts().mono, 0);
    ImGui::TextUnformatted(inspector::printable(cost->code).c_str());
    ImGui::PopFont();
  }
  end_item_tooltip();
}

void SourcePanel::draw_cost(const inspector::SourceLine& cost) const {
  const inspector::SourceCost& sources = model_.sources();
  if (!sources.timed) {
    ImGui::TableSetColumnIndex(3);
    text_right(inspector::format_count(cost.nodes), theme().muted);
    return;
  }
  const double share = sources.base_ns > 0 ? cost.ns / sources.base_ns : 0;
  if (cost.ops > 0) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, with_alpha(line_heat(share), 0.12F));
  }
  const double inclusive = sources.base_ns > 0 ? cost.inclusive_ns / sources.base_ns : 0;
  cost_bar(share, inclusive, model_.longest_share(), line_heat(share));
  text_right(inspector::format_share(inclusive), cost.ops > 0 ? 0 : theme().muted);
  ImGui::TableSetColumnIndex(1);
  text_right(time_text(std::max(cost.inclusive_ns, cost.ns)), theme().muted);
  if (cost.ops > 0) {
    ImGui::TableSetColumnIndex(2);
    text_right(time_text(cost.ns));
  }
  ImGui::TableSetColumnIndex(3);
  if (cost.ops > 0) text_right(inspector::format_count(cost.ops), theme().muted);
}

void SourcePanel::draw_text_cells(const SourceRow& row, const std::string& note) {
  ImGui::TableSetColumnIndex(4);
  ImGui::PushFont(fonts().mono, 0);
  char number[24];
  std::snprintf(number, sizeof number, "%lld", static_cast<long long>(row.line));
  text_right(row.line > 0 ? number : "?", row.changed ? theme().warning : theme().faint);
  if (row.gap_before) {
    const ImVec2 corner = ImGui::GetItemRectMin();
    const float top = corner.y - ImGui::GetStyle().CellPadding.y;
    ImGui::GetWindowDrawList()->AddLine({corner.x - scaled(14), top}, {ImGui::GetItemRectMax().x, top}, theme().faint);
  }
  ImGui::TableSetColumnIndex(5);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (row.changed)
    list->AddRectFilled({corner.x - scaled(3), corner.y}, {corner.x - scaled(1), corner.y + ImGui::GetTextLineHeight()},
                        theme().warning);
  float x = corner.x;
  for (const PythonSpan& span : row.spans) {
    const char* begin = row.text.data() + span.begin;
    const char* end = row.text.data() + span.end;
    list->AddText({x, corner.y}, token_color(span.token), begin, end);
    x += ::ImGui::CalcTextSize(begin, end).x;
  }
  if (!note.empty()) list->AddText({x + scaled(16), corner.y}, theme().faint, tr(inspector::printable(note)).data());
  ImGui::PopFont();
}

// A page of the text: all of it where it fits, else from a little above the line that is looked at.
bool SourcePanel::draw_on(Canvas& canvas) {
  if (model_.cost() == nullptr || model_.listing().rows.empty()) return false;
  const inspector::SourceCost& sources = model_.sources();
  const auto& lines = model_.cost()->lines;
  const auto& listing = model_.listing();
  const ImVec2 a = canvas.min(), b = canvas.max();
  const float margin = scaled(12);
  const auto page = static_cast<int64_t>((b.y - a.y - 2 * margin) / drawn_row_height()) - 3;
  int64_t line = line_;
  const auto costliest = std::max_element(lines.begin(), lines.end(), [](auto& x, auto& y) { return x.ns < y.ns; });
  if (line == 0 && costliest != lines.end()) line = costliest->line;
  const auto count = static_cast<int64_t>(listing.rows.size());
  const int64_t first = std::clamp<int64_t>(listing.row_of(line) - page / 3, 0, std::max<int64_t>(0, count - page));
  std::vector<DrawnRow> rows;
  for (int64_t i = first; i < std::min(count, first + page); ++i) {
    const SourceRow& row = listing.rows[static_cast<size_t>(i)];
    DrawnRow cells(5);
    const auto place = static_cast<size_t>(row.cost);
    const bool known = row.cost >= 0 && place < lines.size() && lines[place].line == row.line;
    if (known && sources.timed) {
      const inspector::SourceLine& cost = lines[place];
      const double share = sources.base_ns > 0 ? cost.ns / sources.base_ns : 0;
      if (cost.ops > 0) {
        cells[0] = {.text = inspector::format_share(share), .share = share, .bar = line_heat(share)};
        cells[1].text = inspector::format_duration(cost.ns, unit_);
      }
      cells[2] = {.text = inspector::format_duration(cost.inclusive_ns, unit_), .color = theme().muted};
    } else if (known) {
      cells[2] = {.text = inspector::format_count(lines[place].nodes), .color = theme().muted};
    }
    cells[3] = {.text = row.line > 0 ? std::to_string(row.line) : "?", .color = theme().faint};
    cells[4].text = row.text;
    rows.push_back(std::move(cells));
  }
  canvas.text({a.x + margin, a.y + margin}, theme().text, inspector::printable(model_.cost()->file));
  const std::string unit = inspector::unit_heading(unit_);
  draw_table(canvas, {a.x + margin, a.y + margin + drawn_row_height() * 1.3F}, b.x - a.x - 2 * margin, b.y,
             {{"Share", 86, true},
              {"Self" + unit, 80, true},
              {sources.timed ? "Incl" + unit : "Nodes", 80, true},
              {"Line", 44, true},
              {"Source", 800}},
             rows);
  return true;
}

void SourcePanel::row_menu(PanelContext& context, const SourceRow& row) {
  if (!ImGui::BeginPopupContextItem("##menu")) return;
  const Selection s = select_line(*model_.data(), model_.cost()->file, row.line);
  const auto go = [&](const char* label, const char* panel) {
    if (!ImGui::MenuItem(label, nullptr, false, !s.ops.empty())) return;
    own_click_ = true;
    line_ = row.line;
    context.document.select(s, panel);
  };
  go("Show ops in timeline", "timeline");
  go("Show ops in operators", "operators");
  go("Show nodes in graph", "graph");
  ImGui::Separator();
  if (ImGui::MenuItem("Copy line")) ImGui::SetClipboardText(row.text.c_str());
  if (ImGui::MenuItem("Copy file:line"))
    ImGui::SetClipboardText((model_.cost()->file + ":" + std::to_string(row.line)).c_str());
  ImGui::EndPopup();
}

bool SourcePanel::has_line_ops() const {
  const int64_t line = looked_at_line();
  return line > 0 && model_.cost() != nullptr && !model_.ops().at(model_.cost()->file, line).empty();
}

void SourcePanel::draw_line_ops(PanelContext& context) {
  if (!ImGui::BeginChild("##ops", {0, 0})) return ImGui::EndChild();
  const int64_t line = looked_at_line();
  if (line == 0) {
    text_fitting("Click a line with a cost to see its ops; N goes to the next hot line.", theme().muted);
    return ImGui::EndChild();
  }
  const auto& lines = model_.cost()->lines;
  const auto cost = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.line == line; });
  const std::vector<LineOp>& ops = model_.ops().at(model_.cost()->file, line);
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(("Ops of line " + std::to_string(line)).c_str());
  ImGui::PopFont();
  ImGui::SameLine();
  if (cost == lines.end() || ops.empty()) {
    text_fitting(cost == lines.end() ? "none: no op that ran leads to this line"
                                     : "none of its own; its time comes from the functions it calls",
                 theme().muted);
    return ImGui::EndChild();
  }
  const int64_t others = std::ssize(ops) - cost->ops;
  text_fitting(inspector::format_duration_named(cost->ns, unit_) + " in " + inspector::plural(cost->ops, "op") +
                   (others > 0 ? "; " + inspector::format_count(others) +
                                     " more are linked to it with their time charged to another line"
                               : std::string()),
               theme().muted);
  draw_ops_table(context, ops, model_.data()->sources.base_ns);
  ImGui::EndChild();
}

void SourcePanel::draw_no_line(PanelContext& context) {
  const inspector::SourceCost& sources = model_.data()->sources;
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted("Time without a source line");
  ImGui::PopFont();
  ImGui::PushTextWrapPos();
  text_colored(theme().muted, inspector::format_duration_named(sources.no_line_ns, unit_) + " of " +
                                  inspector::format_duration_named(sources.total_ns, unit_) +
                                  ": framework overhead, delegate time outside their operators, layout changes "
                                  "inserted by lowering, and ops without a link.");
  if (const std::string shown = sources.shown.text(); !shown.empty())
    text_colored(theme().muted, "Here " + shown + ".");
  ImGui::PopTextWrapPos();
  draw_ops_table(context, model_.ops().without_line(), sources.base_ns);
}

void SourcePanel::draw_ops_table(PanelContext& context, const std::vector<LineOp>& ops, double total) {
  const TraceData& data = *model_.data();
  const bool unsure =
      std::any_of(ops.begin(), ops.end(), [](const LineOp& op) { return op.confidence > 0 && op.confidence < 1; });
  const float width = ImGui::GetContentRegionAvail().x;
  const bool module = width >= scaled(420), backend = width >= scaled(700);
  const int columns = 3 + (module ? 1 : 0) + (backend ? 1 : 0) + (unsure ? 1 : 0);
  const std::string id = std::string("##ops") + (module ? "m" : "") + (backend ? "b" : "") + (unsure ? "u" : "");
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable(id.c_str(), columns, flags)) return;
  const std::string self = "Time" + inspector::unit_heading(unit_);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("op", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, scaled(100));
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, scaled(84));
  if (module) ImGui::TableSetupColumn("module", ImGuiTableColumnFlags_WidthStretch, 1);
  if (backend) ImGui::TableSetupColumn("backend", ImGuiTableColumnFlags_WidthFixed, scaled(110));
  if (unsure) ImGui::TableSetupColumn("sure", ImGuiTableColumnFlags_WidthFixed, scaled(50));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const auto head = [](const char* title, bool right, const char* help = nullptr) {
    ImGui::TableNextColumn();
    header_cell(title, right, help);
  };
  head("Op", false);
  head("Share", true, "The op's time attributed to the line.");
  head(self.c_str(), true, "The op's time attributed to the line.");
  if (module) head("Module", false);
  if (backend) head("Backend", false);
  if (unsure) head("Conf.", true, "Confidence of the link.");
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(ops.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LineOp& part = ops[static_cast<size_t>(i)];
      const inspector::OpEntry& op = data.table.ops[static_cast<size_t>(part.op)];
      begin_op_row(context, data, op, part.op);
      ImGui::TableNextColumn();
      share_cell(total > 0 ? part.time / total : 0, op_color(data, part.op),
                 total > 0 && ops.front().time > 0 ? ops.front().time / total : 1);
      ImGui::TableNextColumn();
      text_right(time_text(part.time));
      if (module) {
        ImGui::TableNextColumn();
        if (const inspector::OpNode* const main = data.table.main_node(op)) module_cell(main->node->module_path);
      }
      if (backend) {
        ImGui::TableNextColumn();
        text_fitting(op.backend.value_or(""));
      }
      if (unsure) {
        ImGui::TableNextColumn();
        if (part.confidence > 0)
          text_right(inspector::format_share(part.confidence),
                     part.confidence < 0.75 ? theme().warning : theme().muted);
      }
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace et::gui
