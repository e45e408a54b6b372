// Delegation: the instructions of each method in program order, the graph breaks and their cost, and the likely reasons
// why operators are non-delegated. Its model: DelegationModel.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/core/shared_advice.h"
#include "gui/core/words.h"
#include "gui/panels/delegation_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/ops/interruptions.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::gui {

namespace {

std::string first_look_text(const FirstLook& look) {
  if (look.what.empty()) return {};
  return inspector::printable("Look first at " + look.what + (look.why.empty() ? "" : ": " + look.why));
}

}  // namespace

void DelegationPanel::draw(PanelContext& context) {
  refresh(context);
  if (context.document.data() == nullptr) {
    return draw_empty("No trace is open",
                      "Open a store, or drop an ETDump here together with its ETRecord and program.");
  }
  if (!error_.empty()) return draw_empty("Cannot build the delegation map", error_.c_str());
  if (reading_ && model_.maps().empty()) return draw_empty("Reading…", "");
  if (model_.maps().empty()) {
    if (!context.document.data()->has_etdump()) {
      return draw_empty("No instructions",
                        "They come from the program: open it together with the ETRecord (drop both at once).");
    }
    return draw_empty("Nothing ran", "The trace has no executions, and no program is open.");
  }
  follow_selection(context);
  draw_maps(context);
  reveal_ = false;
  draw_tabs(context);
}

bool DelegationPanel::draw_on(Canvas& canvas) {
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

std::vector<std::pair<std::string, std::string>> DelegationPanel::settings() const {
  return {{"by_type", model_.is_by_type() ? "1" : "0"}, {"equal", model_.equal() ? "1" : "0"}};
}

void DelegationPanel::restore(const std::string& key, const std::string& value) {
  if (key == "by_type") model_.by_type(value == "1");
  if (key == "equal") model_.set_equal(value == "1");
}

void DelegationPanel::refresh(PanelContext& context) {
  Document& document = context.document;
  if (version_ == document.version()) return;
  version_ = document.version();
  error_.clear();
  const auto data = document.shared_data();
  if (data == nullptr) {
    model_.set({}, nullptr);
    return;
  }
  timed_ = data->has_etdump();
  reading_ = true;
  DelegationModel choices;
  choices.choose_as(model_);
  job_ = context.jobs.query<DelegationModel>(
      document.store_path(),
      [data, choices](const inspector::Store& store, const Cancel&, DelegationModel* out) {
        std::vector<DelegationMap> maps;
        std::vector<inspector::Interruption> held;
        Status status = inspector::find_interruptions(store, data->shown, &held);
        const inspector::OpTable calm =
            held.empty() ? inspector::OpTable() : inspector::without_interruptions(data->shown, held);
        if (status.ok()) status = inspector::delegation_map(store, held.empty() ? data->shown : calm, &maps);
        if (data->range) inspector::leave_what_ran(&maps);
        out->set_left_out(inspector::left_out_text(data->shown, held));
        out->choose_as(choices);
        out->set(std::move(maps), data);
        if (!status.ok()) return status;
        // What cannot be found is left out.
        if (const auto found = shared_advice(store, data); found->status.ok()) out->set_advice(found->advice);
        return status;
      },
      [this](Status status, DelegationModel made) {
        if (!status.ok()) error_ = status.message();
        made.choose_as(model_);  // they may have changed meanwhile
        model_ = std::move(made);
        // Where all is delegated, what is not is an empty table.
        if (model_.rows().empty() && !model_.delegates().empty() && std::exchange(first_look_, false))
          wanted_tab_ = Tab::Delegates;
        reading_ = false;
        chosen_row_ = -1;
        seen_selection_ = 0;
      });
}

std::string DelegationPanel::time(double ticks) const {
  if (!timed_) return {};
  return format_duration_with_unit(ticks, model_.maps().empty() ? "ns" : model_.map(0).unit);
}

std::string DelegationPanel::method_name(int32_t map) const {
  const std::string& name = model_.map(map).method;
  return name.empty() ? "(method unknown)" : inspector::printable(name);
}

void DelegationPanel::draw_maps(PanelContext& context) {
  const float width = ImGui::GetContentRegionAvail().x, spacing = ImGui::GetStyle().ItemSpacing.y;
  float wanted = (width > scaled(700) ? 1.0F : 2.0F) * (ImGui::GetFrameHeight() + spacing);
  const std::string left_out = model_.left_out().empty() ? "" : inspector::printable(model_.left_out()) + ".";
  if (!left_out.empty()) wanted += ImGui::CalcTextSize(left_out.c_str(), nullptr, false, width).y + spacing;
  for (size_t m = 0; m < model_.maps().size(); ++m) {
    const auto index = static_cast<int32_t>(m);
    if (!model_.shows_map(index)) continue;
    wanted += ImGui::GetTextLineHeight() + strip_height() + scaled(6) + 4 * spacing;
    const FirstLook look = model_.first_look(index);
    for (const std::string& text : {summary(index), what_if_line(index), first_look_text(look)})
      wanted += text.empty() ? 0 : ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + spacing;
  }
  // The strip is seen whole where the tables keep some rows.
  const float all = ImGui::GetContentRegionAvail().y, tables = 11 * ImGui::GetTextLineHeightWithSpacing();
  const float room = std::min(wanted, std::max(all * 0.48F, std::min(all - tables, all * 0.65F)));
  if (ImGui::BeginChild("##maps", {0, room}, ImGuiChildFlags_ResizeY)) {
    draw_method_choice();
    bool equal = model_.equal();
    if (ImGui::Checkbox("Equal widths", &equal)) model_.set_equal(equal);
    item_tooltip("Off: the width of an instruction is its time; what would be less than a pixel has one");
    bool zoomed = false;
    for (size_t m = 0; m < model_.maps().size(); ++m) zoomed = zoomed || model_.zoom(static_cast<int32_t>(m)) > 1;
    if (zoomed) {
      flow_button("Fit");
      if (ImGui::Button("Fit")) {
        for (size_t m = 0; m < model_.maps().size(); ++m) model_.set_zoom(static_cast<int32_t>(m), 1);
      }
      item_tooltip("Show the whole strip. Wheel: zoom; Shift+wheel or drag: pan.");
    }
    const auto entry = [](ImU32 color, const char* name) {
      flow(scaled(14) + ImGui::GetTextLineHeight() + ImGui::CalcTextSize(name).x);
      color_square(color);
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().muted, name);
    };
    entry(theme().kernel, "Non-delegated");
    const auto any = [&](auto fits) {
      return std::any_of(model_.maps().begin(), model_.maps().end(),
                         [&](const DelegationMap& m) { return std::any_of(m.items.begin(), m.items.end(), fits); });
    };
    if (any([](const MapItem& i) { return i.moves; })) entry(theme().warning, "Non-delegated, moves data only");
    if (any([](const MapItem& i) { return i.kind == MapItem::Kind::Control; })) entry(theme().control, "Control flow");
    if (any([](const MapItem& i) { return i.crossing; })) entry(theme().bad, "Underlined: in a graph break");
    for (const std::string& b : model_.backends()) entry(backend_color(b), inspector::backend_title(b).c_str());
    if (!left_out.empty()) {
      ImGui::PushTextWrapPos(0);
      text_colored(theme().muted, left_out);
      ImGui::PopTextWrapPos();
    }
    for (size_t m = 0; m < model_.maps().size(); ++m) {
      if (!model_.shows_map(static_cast<int32_t>(m))) continue;
      ImGui::PushID(static_cast<int>(m));
      draw_map(context, static_cast<int32_t>(m));
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
}

// Of a program with several methods.
void DelegationPanel::draw_method_choice() {
  if (model_.maps().size() < 2) return;
  const int32_t shown = model_.shown_map();
  ImGui::SetNextItemWidth(scaled(160));
  if (ImGui::BeginCombo("##method", shown < 0 ? "All methods" : method_name(shown).c_str())) {
    for (int32_t m = -1; m < static_cast<int32_t>(model_.maps().size()); ++m) {
      ImGui::PushID(m);
      if (ImGui::Selectable(m < 0 ? "All methods" : method_name(m).c_str(), m == shown)) {
        model_.show_map(m);
        chosen_row_ = -1;
      }
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  item_tooltip("Which method's instructions and tables are shown");
  flow(ImGui::GetFrameHeight() + scaled(90));
}

std::string DelegationPanel::summary(int32_t index) const {
  const DelegationMap& m = model_.map(index);
  const inspector::DelegationTotals& t = model_.totals(index);
  // One unit for all of the line.
  inspector::TimeUnit unit;
  (void)inspector::choose_unit("auto", m.unit, t.total, &unit);
  const auto time = [&](double ns) { return inspector::format_duration_named(ns, unit); };
  const auto share = [&](double ns) { return t.total > 0 ? " (" + format_share(ns / t.total) + ")" : std::string(); };
  std::string out;
  if (m.delegates() == 0 && !model_.backends().empty()) {
    out = "nothing of this method is delegated, other methods are: was a partitioner given for it?";
  } else if (m.delegates() == 0) {
    out = "nothing is delegated: export with a partitioner, such as XnnpackPartitioner, to have a backend run it";
  } else {
    out =
        format_count(static_cast<int64_t>(m.delegates())) + (m.delegates() == 1 ? " delegate call" : " delegate calls");
    if (model_.is_of_range()) {  // of which nothing is that the program has
      const auto ran = std::count_if(m.items.begin(), m.items.end(), [](const MapItem& item) {
        return item.kind == MapItem::Kind::Delegate && item.ns > 0;
      });
      out = format_count(ran) + " of " + out + (ran == 1 ? " runs in it" : " run in it");
    } else if (m.has_graph) {
      out += " with " + format_count(m.nodes.delegated) + " of " + format_count(m.nodes.all()) + " nodes";
    }
    if (timed_) out += ": " + time(t.delegated) + share(t.delegated);
  }
  if (!timed_)
    return out +
           (m.breaks.empty() ? ""
                             : " · " + format_count(static_cast<int64_t>(m.breaks.size())) +
                                   (m.breaks.size() == 1 ? " graph break" : " graph breaks")) +
           " · times need an ETDump";
  // What adds up to the whole, then what is a part of that.
  out += std::string(m.delegates() == 0 ? " · " : " + ") + "non-delegated " + time(t.non_delegated) +
         share(t.non_delegated) + " + framework " + time(t.framework) + share(t.framework);
  constexpr double kWorthSaying = 0.0005;
  if (std::abs(t.variation) > kWorthSaying * t.total)
    out += (t.variation < 0 ? " − variation " : " + variation ") + time(std::abs(t.variation)) +
           share(std::abs(t.variation));
  out += " = " + time(t.total);
  if (!m.breaks.empty() && model_.is_of_range()) {
    out += "\nOf non-delegated, in graph breaks: " + time(t.breaks) + share(t.breaks);
  } else if (!m.breaks.empty()) {
    out += "\nOf non-delegated, " + format_count(static_cast<int64_t>(m.breaks.size())) +
           (m.breaks.size() == 1 ? " graph break: " : " graph breaks: ") + time(t.breaks) + share(t.breaks);
    if (t.move_count > 0) out += ", " + time(t.moves) + " of it moving data";
    if (t.break_bytes >= 0) out += "; " + inspector::format_bytes(t.break_bytes) + " crossing per execution";
  }
  return out;
}

void DelegationPanel::draw_map(PanelContext& context, int32_t index) {
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(method_name(index).c_str());
  ImGui::PopFont();
  draw_widths(index);
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, summary(index));
  item_tooltip(std::string(words::kGraphBreak) + "\n" + words::kCrossing + "\n" + words::kFramework + "\n" +
               words::kVariation);
  if (const std::string line = what_if_line(index); !line.empty()) text_colored(theme().muted, line);
  draw_first_look(context, index);
  ImGui::PopTextWrapPos();
  if (model_.map(index).items.empty()) {
    text_colored(theme().muted, "No instructions: neither a program nor a trace of this method is open.");
    return;
  }
  const float room = std::floor(ImGui::GetContentRegionAvail().x);
  const float width = model_.strip(index, room).back().x1;
  const float height = strip_height() + (width > room + 1 ? ImGui::GetStyle().ScrollbarSize : 0) + scaled(6);
  // Told before, it can be scrolled to a place of what is wider now.
  ImGui::SetNextWindowContentSize({width, 0});
  if (ImGui::BeginChild("##strip", {0, height}, ImGuiChildFlags_None, ImGuiWindowFlags_HorizontalScrollbar))
    draw_strip_area(context, index, room);
  ImGui::EndChild();
}

/// Beside the method, what the strip's widths are.
void DelegationPanel::draw_widths(int32_t index) {
  if (!timed_ || model_.map(index).items.empty()) return;
  (void)model_.strip(index, std::floor(ImGui::GetContentRegionAvail().x));
  const int64_t short_ones = model_.short_ones(index);
  const bool equal = model_.equal() || !(model_.totals(index).total > 0);
  ImGui::SameLine();
  text_fitting(
      equal ? "widths are equal, not times"
            : std::string("widths are times") + (short_ones > 0 ? "; " + inspector::plural(short_ones, "instruction") +
                                                                      " of less than a pixel: drawn with one; "
                                                                      "the wheel zooms"
                                                                : std::string()),
      theme().muted);
}

void DelegationPanel::draw_first_look(PanelContext& context, int32_t index) {
  const FirstLook look = model_.first_look(index);
  if (look.what.empty()) return;
  text_colored(theme().text, first_look_text(look));
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsItemClicked() && look.item >= 0) choose(context, index, look.item, "");
}

void DelegationPanel::choose(PanelContext& context, int32_t map, int32_t item, const char* panel) {
  chosen_row_ = model_.row_of(map, item);
  scroll_to_row_ = chosen_row_ >= 0;
  if (Selection s = model_.selection_of(map, item); !s.empty()) {
    context.document.select(std::move(s), panel);
    seen_selection_ = context.document.selection_version();
  }
}

// What was selected in another panel is shown where it is: as a row of operators, or as a call of a delegate.
void DelegationPanel::follow_selection(PanelContext& context) {
  const uint64_t version = context.document.selection_version();
  if (reading_ || seen_selection_ == version) {
    if (!reading_) tab_selection_ = version;
    return;
  }
  seen_selection_ = version;
  // After a change of the basis rows are looked for again; the user's tab stays.
  const bool is_new = std::exchange(tab_selection_, version) != version;
  const Selection& selection = context.document.selection();
  if (selection.empty()) return;
  reveal_ = true;
  const bool leads = is_new && selection.kind != Selection::Kind::Range;
  for (size_t m = 0; m < model_.maps().size() && model_.shown_map() >= 0; ++m) {
    const bool other = model_.map(static_cast<int32_t>(m)).method == selection.method;
    if (other && !model_.shows_map(static_cast<int32_t>(m))) model_.show_map(static_cast<int32_t>(m));
  }
  // Modules and lines may be in both: the tab is that of most of their time.
  const int32_t row = model_.row_of(selection);
  const bool in_delegate = model_.delegate_of(selection) != nullptr;
  if (row >= 0 && !(in_delegate && model_.is_mostly_delegated(selection))) {
    chosen_row_ = row;
    scroll_to_row_ = true;
    if (leads) wanted_tab_ = Tab::NonDelegated;
  } else if (in_delegate) {
    chosen_row_ = -1;
    scroll_to_delegate_ = true;
    if (leads) wanted_tab_ = Tab::Delegates;
  }
}

extern const PanelSpec k_delegation_panel;
const PanelSpec k_delegation_panel = {
    .id = "delegation",
    .title = "Delegation",
    .summary = "What is delegated, what is not and why, and what it costs",
    .key = ImGuiKey_6,
    .make = [] { return std::unique_ptr<Panel>(new DelegationPanel); },
};

}  // namespace et::gui
