// Size: where the program's bytes are. Its model: SizeModel.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>

#include "gui/models/size_model.h"
#include "gui/panels/store_query.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kSizeTable =
    ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable;

class SizePanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (query_.draw_instead(context.document, "The program cannot be read")) return;
    if (model_.size().entries.empty())
      return draw_empty("Bytes are those of the program", "Open the .pte together with the ETDump.");
    head();
    draw_search();
    draw_zoom();
    const float room = ImGui::GetContentRegionAvail().y;
    const float legend = ImGui::GetTextLineHeightWithSpacing();
    draw_map(context, room > scaled(320) ? room * 0.6F : room - legend);
    draw_legend();
    if (room > scaled(320)) draw_entries(context);
  }
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }

 private:
  void refresh(PanelContext& context) {
    if (!query_.due(context.document)) return;
    model_ = {};
    chosen_ = -1;
    if (query_.other_document()) inside_.clear();
    const auto data = context.document.shared_data();
    if (data == nullptr || !data->facts.program_path) return;
    query_.start<inspector::ProgramSize>(
        context,
        [data](const inspector::Store& store, inspector::ProgramSize* out) {
          Status status = inspector::program_size(*data->facts.program_path, out);
          if (status.ok()) status = inspector::name_entries(store, data->trace_id(), out);
          return status;
        },
        [this](inspector::ProgramSize size) {
          model_.set(std::move(size));
          by_ = model_.has_modules() ? SizeBy::Module : SizeBy::Kind;
        });
  }

  void head() {
    const inspector::ProgramSize& size = model_.size();
    if (ImGui::RadioButton("By module", by_ == SizeBy::Module)) by_ = SizeBy::Module, inside_.clear();
    ImGui::SameLine();
    if (ImGui::RadioButton("By what it is", by_ == SizeBy::Kind)) by_ = SizeBy::Kind, inside_.clear();
    ImGui::SameLine(0, scaled(16));
    std::string text = model_.size_text(size.file_bytes) + " (" + inspector::format_count(size.file_bytes) + " bytes)";
    text_fitting(text, theme().muted);
    if (size.duplicate_bytes > 0) {
      const std::string twice = model_.size_text(size.duplicate_bytes) + " stored more than once";
      if (ImGui::GetItemRectMax().x + scaled(16) + text_width(twice) <
          ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x)
        ImGui::SameLine(0, scaled(16));
      if (ImGui::TextLink(twice.c_str())) {
        chosen_ = model_.next_stored_twice(chosen_);
        scroll_ = true;
      }
      item_tooltip("Marked with 2× in the map and the list; each click leads to the next of them");
    }
    if (by_ == SizeBy::Module && !model_.has_modules()) {
      ImGui::PushTextWrapPos(0);
      text_colored(theme().warning, "No entry leads to a module: the ETRecord says which module uses a tensor.");
      ImGui::PopTextWrapPos();
    }
  }

  void draw_search() {
    flow(scaled(220));
    ImGui::SetNextItemWidth(scaled(220));
    take_search_focus();
    ImGui::InputTextWithHint("##search", "Search: name, module, operator", &search_);
    if (search_.empty()) return;
    const auto& shown = model_.shown(search_);
    const std::string text = inspector::format_count(std::ssize(shown)) +
                             (shown.size() == 1 ? " entry, " : " entries, ") + model_.size_text(model_.shown_bytes()) +
                             ", " + inspector::format_share(model_.share(model_.shown_bytes()));
    flow(text_width(text));
    text_colored(shown.empty() ? theme().warning : theme().text, text);
  }

  void describe(const SizeBox& box) const {
    const bool entry = box.entry >= 0;
    const std::string name = entry ? model_.size().entries[static_cast<size_t>(box.entry)].name : box.label;
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(inspector::printable(name).c_str());
    ImGui::PopFont();
    std::vector<std::pair<std::string, std::string>> rows = {
        {"Size", model_.size_text(box.bytes) + " (" + inspector::format_count(box.bytes) + " bytes)"},
        {"Share", inspector::format_share(model_.share(box.bytes)) + " of the file"}};
    if (!entry) rows.emplace_back("Entries", inspector::format_count(box.entries));
    if (!entry && by_ == SizeBy::Module && !box.path.empty()) rows.emplace_back("Module", box.path);
    const auto facts =
        entry ? model_.facts(static_cast<size_t>(box.entry)) : std::vector<std::pair<std::string, std::string>>();
    rows.insert(rows.end(), facts.begin(), facts.end());
    if (box.is_group) rows.emplace_back("Double click", "Zoom in");
    for (const auto& [key, value] : rows) {
      text_colored(theme().muted, key);
      ImGui::SameLine(scaled(110));
      ImGui::TextUnformatted(inspector::printable(value).c_str());
    }
  }

  ImU32 color_of(const SizeBox& box) const {
    if (box.is_group) return with_alpha(theme().muted, box.depth % 2 == 0 ? 0.16F : 0.08F);
    if (box.entry < 0) return with_alpha(theme().muted, 0.4F);
    const inspector::SizeEntry& e = model_.size().entries[static_cast<size_t>(box.entry)];
    // What a search does not find steps back.
    if (!search_.empty() && !model_.is_shown(box.entry)) return with_alpha(theme().muted, 0.12F);
    return color_of(SizeModel::key_of(e));
  }
  static ImU32 color_of(const SizeKey& key) {
    return with_alpha(key.is_operator ? type_color(key.name) : quiet_color(key.name), 0.8F);
  }

  /// As many colours as fit on a line, those of the most bytes.
  void draw_legend() const {
    const float room = ImGui::GetContentRegionAvail().x, gap = scaled(14);
    const auto width_of = [&](const std::string& text) {
      return ImGui::GetTextLineHeight() + scaled(4) + text_width(text) + gap;
    };
    const auto& keys = model_.legend();
    float used = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const std::string text = inspector::printable(keys[i].name);
      const std::string rest = "+ " + std::to_string(keys.size() - i) + " more";
      const bool last = i + 1 == keys.size();
      if (i > 0) ImGui::SameLine(0, gap);
      if (used + width_of(text) + (last ? 0 : text_width(rest)) > room) {
        text_fitting(rest, theme().faint);
        return item_tooltip("Colours are those of the operator that uses the bytes, else of what they are.");
      }
      used += width_of(text);
      color_square(color_of(keys[i]));
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().muted, text);
      item_tooltip(model_.size_text(keys[i].bytes) + ", " + inspector::format_share(model_.share(keys[i].bytes)) +
                   " of the file");
    }
  }

  void draw_map(PanelContext& context, float height) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
    const std::vector<SizeBox> boxes = model_.boxes(by_, width, height, line + scaled(2), scaled(4), inside_);
    ImGui::InvisibleButton("##map", {std::max(width, 1.0F), std::max(height, 1.0F)}, ImGuiButtonFlags_EnableNav);
    const auto box_at = [&](ImVec2 p) {
      int64_t last = -1;
      for (size_t i = 0; i < boxes.size(); ++i) {
        const SizeBox& box = boxes[i];
        const float x = p.x - at.x - box.x, y = p.y - at.y - box.y;
        if (x >= 0 && x < box.width && y >= 0 && y < box.height) last = static_cast<int64_t>(i);
      }
      return last;
    };
    const BoxWalk keys(
        {.boxes =
             [&] {
               std::vector<WalkBox> out;
               for (size_t i = 0; i < boxes.size(); ++i) {
                 const ImVec2 a = {at.x + boxes[i].x, at.y + boxes[i].y};
                 out.push_back({static_cast<int64_t>(i), a, {a.x + boxes[i].width, a.y + boxes[i].height}});
               }
               return out;
             },
         .key_at = box_at,
         .begins_at = [&](int64_t i) { return chosen_ >= 0 && boxes[static_cast<size_t>(i)].entry == chosen_; }});
    const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
    const bool twice = keys ? ImGui::GetIO().KeyShift : ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const int64_t pointed = box_at(ImGui::GetMousePos());
    const SizeBox* const under = pointed < 0 ? nullptr : &boxes[static_cast<size_t>(pointed)];
    for (const SizeBox& box : boxes) {
      const ImVec2 a = {at.x + box.x, at.y + box.y}, b = {a.x + box.width, a.y + box.height};
      list->AddRectFilled(a, b, color_of(box));
      list->AddRect(a, b, box.entry >= 0 && box.entry == chosen_ ? theme().selection : theme().surface);
      const bool room = box.is_group ? box.height > 3 * (line + scaled(2)) : box.height > line;
      if (!room || box.width < scaled(36)) continue;
      std::string label = inspector::printable(box.label);
      if (box.entry >= 0 && model_.is_stored_twice(model_.size().entries[static_cast<size_t>(box.entry)]))
        label = "2× " + label;
      const std::string bytes = "  " + model_.size_text(box.bytes);
      const float inside = box.width - scaled(6);
      if (ImGui::CalcTextSize((label + bytes).c_str()).x <= inside) label += bytes;
      // Two letters and the end of "weight" name nothing.
      constexpr size_t kLetters = 6;
      if (text_width(label) > inside && text_width(label.substr(0, kLetters) + "…") > inside) continue;
      list->AddText({a.x + scaled(3), a.y + scaled(1)}, box.is_group ? theme().text : text_on(color_of(box)),
                    fitting(label, inside).c_str());
    }
    if (under == nullptr || !hovered) return;
    if (begin_item_tooltip()) {
      describe(*under);
      end_item_tooltip();
    }
    if (clicked) choose(context, *under);
    if (clicked && twice) zoom_into(boxes, *under);
  }

  /// The outermost group around it that does not fill the map yet.
  void zoom_into(const std::vector<SizeBox>& boxes, const SizeBox& box) {
    for (const SizeBox& group : boxes) {
      const bool around = group.is_group && group.x <= box.x && group.y <= box.y &&
                          group.x + group.width >= box.x + box.width && group.y + group.height >= box.y + box.height;
      if (!around || group.path.empty()) continue;
      inside_ = group.path;
      return;
    }
  }

  void draw_zoom() {
    if (inside_.empty()) return;
    if (ImGui::TextLink("All of the file")) inside_.clear();
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !ImGui::GetIO().WantTextInput &&
        ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
      inside_.clear();
    item_tooltip("Zoom out (Backspace)");
    ImGui::SameLine();
    text_fitting("›  " + inside_, theme().muted);
  }

  void choose(PanelContext& context, const SizeBox& box) {
    chosen_ = box.entry;
    scroll_ = true;
    const std::string module = box.entry >= 0          ? model_.size().entries[static_cast<size_t>(box.entry)].module
                               : by_ == SizeBy::Module ? box.path
                                                       : "";
    if (!module.empty()) context.document.select(select_module(*context.document.data(), module), "");
  }

  void draw_entries(PanelContext& context) {
    const auto& entries = model_.size().entries;
    const auto& rows = model_.shown(search_);
    constexpr struct {
      const char* title;
      float width;  // of what is stretched: at least
    } kColumns[] = {{"Size", 86},   {"Share", 64},    {"Name", 260},   {"What", 190}, {"Type", 64},
                    {"Shape", 120}, {"Used by", 160}, {"Module", 120}, {"Uses", 52}};
    constexpr size_t kName = 2, kModule = 7, kUses = 8, kStepBack[] = {8, 4, 3, 6, 7, 5};
    const std::string size_title = std::string("Size, ") + model_.unit();
    std::vector<float> widths;
    for (const auto& c : kColumns) widths.push_back(scaled(c.width));
    const std::vector<bool> shown = columns_that_fit(widths, kStepBack, ImGui::GetContentRegionAvail().x);
    std::string id = "##entries";  // which columns there are is part of the name: widths belong to them
    for (const bool on : shown) id += on ? '1' : '0';
    if (!ImGui::BeginTable(id.c_str(), static_cast<int>(std::size(kColumns)), kSizeTable)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (size_t i = 0; i < shown.size(); ++i) {
      const bool stretched = i == kName || i == kModule;
      ImGuiTableColumnFlags flags = stretched ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
      if (!shown[i]) flags |= ImGuiTableColumnFlags_Disabled;
      // Names begin with their module mostly, and are longer.
      ImGui::TableSetupColumn(kColumns[i].title, flags, stretched ? (i == kName ? 1.3F : 1) : widths[i]);
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (size_t i = 0; i < std::size(kColumns); ++i) {
      if (ImGui::TableSetColumnIndex(static_cast<int>(i)))
        header_cell(i == 0 ? size_title.c_str() : kColumns[i].title, i < 2 || i == kUses,
                    i == kUses
                        ? "Instructions, or nodes of a delegate's payload, that read it: of several, Module is that of "
                          "the first."
                        : nullptr);
    }
    const float row_height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    if (const auto at = std::find(rows.begin(), rows.end(), chosen_); std::exchange(scroll_, false) && at != rows.end())
      ImGui::SetScrollY(static_cast<float>(at - rows.begin()) * row_height);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()), row_height);
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
        const int32_t i = rows[static_cast<size_t>(row)];
        const inspector::SizeEntry& e = entries[static_cast<size_t>(i)];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushID(i);
        const ImVec2 at = ImGui::GetCursorPos();
        if (ImGui::Selectable("##entry", i == chosen_, ImGuiSelectableFlags_SpanAllColumns)) {
          chosen_ = i;
          if (!e.module.empty()) context.document.select(select_module(*context.document.data(), e.module), "");
        }
        if (begin_item_tooltip()) {
          SizeBox box;
          box.entry = i;
          box.bytes = e.bytes;
          describe(box);
          end_item_tooltip();
        }
        ImGui::SetCursorPos(at);
        ImGui::PopID();
        text_right(model_.in_unit(e.bytes));
        if (ImGui::TableNextColumn()) text_right(inspector::format_share(model_.share(e.bytes)));
        const std::string name = model_.is_stored_twice(e) ? "2× " + e.name : e.name;
        const std::string user = e.user();
        for (const std::string* text : {&name, &e.group, &e.dtype, &e.shape, &user, &e.module}) {
          if (ImGui::TableNextColumn()) text_fitting(*text);
        }
        if (ImGui::TableNextColumn()) text_right(e.uses > 0 ? inspector::format_count(e.uses) : std::string());
      }
    }
    ImGui::EndTable();
  }

  SizeModel model_;
  StoreQuery query_;
  bool scroll_ = false;
  SizeBy by_ = SizeBy::Module;
  int32_t chosen_ = -1;
  std::string search_;
  std::string inside_;  // path of the group that fills the map; "": all of the file
};

}  // namespace

extern const PanelSpec k_size_panel;
const PanelSpec k_size_panel = {
    .id = "size",
    .title = "Size",
    .summary = "Where the program's bytes are",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new SizePanel); },
};

}  // namespace et::gui
