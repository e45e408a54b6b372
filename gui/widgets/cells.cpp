#include "gui/widgets/cells.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "gui/core/wide_font.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/theme.h"
#include "imgui_internal.h"
#include "inspector/text/format.h"
#include "inspector/text/language.h"
#include "inspector/text/shorten.h"

namespace et::gui {

namespace {

/// A number stays with its unit: "14" at the end of a line is read as something else than "14 µs".
bool is_number_with_unit(std::string_view before, std::string_view behind) {
  static constexpr std::string_view kUnits[] = {"ns",  "µs",     "us",      "ms",    "s",    "min",      "B",
                                                "KiB", "MiB",    "GiB",     "KB",    "MB",   "GB",       "%",
                                                "×",   "cycles", "GFLOP/s", "GOP/s", "GB/s", "tokens/s", "times"};
  if (before.empty() || before.back() < '0' || before.back() > '9') return false;
  std::string_view unit = behind.substr(0, behind.find_first_of(" \n"));
  while (!unit.empty() && std::string_view(".,;:)").find(unit.back()) != std::string_view::npos) unit.remove_suffix(1);
  return std::find(std::begin(kUnits), std::end(kUnits), unit) != std::end(kUnits);
}

/// Where a line may end: the next space that parts no number from its unit, or a line break.
size_t next_break(std::string_view text, size_t at) {
  size_t end = text.find_first_of(" \n", at);
  while (end < text.size() && text[end] == ' ' && is_number_with_unit(text.substr(at, end - at), text.substr(end + 1)))
    end = text.find_first_of(" \n", end + 1);
  return std::min(end, text.size());
}

/// What a line of Chinese may be broken between, numbers with their units.
std::vector<inspector::Piece> whole_pieces(std::string_view text) {
  std::vector<inspector::Piece> out;
  for (inspector::Piece& piece : inspector::pieces_of(text)) {
    if (piece.space && !out.empty() && is_number_with_unit(out.back().text, piece.text)) {
      out.back().text += " " + piece.text;
    } else {
      out.push_back(std::move(piece));
    }
  }
  return out;
}

/// The same for text with Chinese in it: also between its characters.
std::string broken_between_characters(std::string_view text, float width) {
  std::string out, line;
  for (const inspector::Piece& piece : whole_pieces(text)) {
    const std::string longer = line + (piece.space ? " " : "") + piece.text;
    const bool fits = line.empty() || ::ImGui::CalcTextSize(longer.c_str()).x <= width;
    out += fits ? (piece.space ? " " : "") + piece.text : "\n" + piece.text;
    line = fits ? longer : piece.text;
  }
  return out;
}

}  // namespace

std::string broken_at_spaces(std::string_view text, float width) {
  std::string out;
  if (has_wide_text(std::string(text))) {
    while (true) {
      const size_t end = std::min(text.find('\n'), text.size());
      out += broken_between_characters(text.substr(0, end), width);
      if (end == text.size()) return out;
      out += '\n';
      text.remove_prefix(end + 1);
    }
  }
  for (size_t line = 0, at = 0; at < text.size();) {
    const size_t end = next_break(text, at);
    const std::string_view so_far = text.substr(line, end - line);
    if (at > line && ::ImGui::CalcTextSize(so_far.data(), so_far.data() + so_far.size()).x > width) {
      out.back() = '\n';
      line = at;
    }
    out.append(text.substr(at, end - at + 1));
    if (end < text.size() && text[end] == '\n') line = end + 1;
    at = end + 1;
  }
  return out;
}

namespace {

constexpr float kTooltipWidth = 480;

void view_as_is(std::string_view text) {
  const float wrap = ImGui::GetCurrentWindowRead()->DC.TextWrapPos;
  constexpr size_t kLongest = 4000;  // beyond it is no sentence
  if (wrap < 0 || text.size() > kLongest) return ::ImGui::TextUnformatted(text.data(), text.data() + text.size());
  const std::string broken = broken_at_spaces(text, ImGui::CalcWrapWidthForPos(ImGui::GetCursorScreenPos(), wrap));
  ::ImGui::TextUnformatted(broken.data(), broken.data() + broken.size());
}

void text_view(std::string_view text) { view_as_is(tr(text)); }

}  // namespace

void heading(const char* text) {
  ImGui::Dummy({0, scaled(8)});
  ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
  ImGui::Dummy({0, scaled(1)});
}

void text_colored(ImU32 color, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  text_view(text);
  ImGui::PopStyleColor();
}

void text_right(std::string_view text, ImU32 color) {
  const float room = ImGui::GetContentRegionAvail().x, width = text_width(text);
  if (width < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  if (color == 0) {
    text_view(text);
  } else {
    text_colored(color, text);
  }
}

std::string fitting(std::string_view raw, float room) {
  std::string text(tr(inspector::printable(raw)));
  if (width_as_is(text) <= room) return text;
  // Halves the number of code points that is shown until it fits: a cell is short, this is a handful of steps.
  int low = 1, high = inspector::text_width(text);
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    (width_as_is(inspector::shorten_at_words(text, middle)) <= room ? low : high) = middle;
  }
  return inspector::shorten_at_words(text, low);
}

void text_fitting(std::string_view raw, ImU32 color) {
  const std::string text(tr(inspector::printable(raw)));
  const std::string shown = fitting(text, ImGui::GetContentRegionAvail().x);
  if (color != 0) ImGui::PushStyleColor(ImGuiCol_Text, color);
  view_as_is(shown);
  if (shown != text) item_tooltip(text);
  if (color != 0) ImGui::PopStyleColor();
}

void text_fitting_start(std::string_view raw, ImU32 color) {
  const std::string text(tr(inspector::printable(raw)));
  const float room = ImGui::GetContentRegionAvail().x;
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  size_t end = text.size();
  const auto shown = [&] { return end == text.size() ? text : text.substr(0, end) + "…"; };
  while (end > 0 && width_as_is(shown()) > room) {
    --end;
    while (end > 0 && is_inside(text[end])) --end;  // whole code points
  }
  if (color != 0) ImGui::PushStyleColor(ImGuiCol_Text, color);
  view_as_is(shown());
  if (color != 0) ImGui::PopStyleColor();
  if (end < text.size()) item_tooltip(text);
}

void text_fitting_end(std::string_view raw, ImU32 color) {
  const std::string text(tr(inspector::printable(raw)));
  const float room = ImGui::GetContentRegionAvail().x;
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  size_t begin = 0;
  const auto shown = [&] { return begin == 0 ? text : "…" + text.substr(begin); };
  while (begin < text.size() && width_as_is(shown()) > room) {
    ++begin;
    while (begin < text.size() && is_inside(text[begin])) ++begin;  // whole code points
  }
  if (color != 0) ImGui::PushStyleColor(ImGuiCol_Text, color);
  view_as_is(shown());
  if (color != 0) ImGui::PopStyleColor();
  if (begin > 0) item_tooltip(text);
}

float line_column(float table) { return std::clamp(0.28F * table, scaled(120), scaled(220)); }

float share_width() { return text_width("100.0% "); }

void share_cell(double share, ImU32 color, double longest) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  const auto part = static_cast<float>(std::clamp(longest > 0 ? share / longest : 0, 0.0, 1.0));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = at.y + height * 0.12F, bottom = at.y + height * 0.94F;
  // The bar ends before its number begins, unless there is no room for both.
  const float number = share_width(), bar = room - number;
  if (part > 0 && bar > scaled(12)) {
    list->AddRectFilled({at.x, top}, {at.x + std::max(1.0F, bar * part), bottom}, with_alpha(color, 0.6F), scaled(2));
  }
  text_right(inspector::format_share(share));
}

void mark_row(bool whole) {
  const ImU32 fill = theme().selection_fill;
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, whole ? fill : with_alpha(fill, 0.5F));
}

void color_square(ImU32 color) {
  ImVec2 at = ImGui::GetCursorScreenPos();
  at.y += ImGui::GetCurrentWindowRead()->DC.CurrLineTextBaseOffset;  // beside a check box: where its text stands
  const float size = ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + size * 0.15F}, {at.x + size * 0.7F, at.y + size * 0.85F},
                                            color, scaled(2));
  ImGui::Dummy({size * 0.7F, size});
}

void header_cell(const char* title, bool right, const char* help) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float arrow = ImGui::GetFontSize() * 0.65F + ImGui::GetStyle().FramePadding.x;
  const float width = ImGui::CalcTextSize(title, nullptr, true).x;
  const ImGuiTableColumnFlags flags = ImGui::TableGetColumnFlags();
  const float reserved = (flags & ImGuiTableColumnFlags_IsSorted) != 0 ? arrow : 0;
  // TableHeader draws the label at the cell's left; what is in front of it moves it to the right.
  if (right && width + reserved < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width - reserved);
  ImGui::TableHeader(title);
  if (help != nullptr) item_tooltip(help);
}

std::vector<bool> columns_that_fit(const std::vector<float>& widths, std::span<const size_t> step_back, float room) {
  std::vector<bool> shown;
  const auto with_padding = [](float width) { return width + 2 * ImGui::GetStyle().CellPadding.x + 1; };
  float wanted = ImGui::GetStyle().ScrollbarSize;
  for (const float width : widths) {
    shown.push_back(width > 0);
    if (width > 0) wanted += with_padding(width);
  }
  for (const size_t column : step_back) {
    if (wanted <= room) break;
    if (!shown[column]) continue;
    shown[column] = false;
    wanted -= with_padding(widths[column]);
  }
  return shown;
}

void flow(float width) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width <= right) ImGui::SameLine();
}

void flow_button(const char* label) {
  flow(ImGui::CalcTextSize(label, nullptr, true).x + ImGui::GetStyle().FramePadding.x * 2);
}

bool begin_item_tooltip() {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return false;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(scaled(kTooltipWidth));
  return true;
}

void end_item_tooltip() {
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void item_tooltip(std::string_view text) {
  if (text.empty() || !begin_item_tooltip()) return;
  text_view(text);
  end_item_tooltip();
}

bool wrapped_link(const std::string& raw, const char* id) {
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string text = broken_at_spaces(tr(inspector::printable(raw)), width);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(text.c_str(), nullptr, false, width);
  const bool clicked = ImGui::InvisibleButton(id, size, ImGuiButtonFlags_EnableNav);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const ImU32 color =
      ImGui::IsItemHovered() || ImGui::IsItemFocused() ? theme().text : ImGui::GetColorU32(ImGuiCol_TextLink);
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, color, text.c_str(), nullptr, width);
  return clicked;
}

}  // namespace et::gui
