// Roofline: how close each op comes to what the machine could do. Its model: RooflineModel.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/core/machine_measurement.h"
#include "gui/core/shared_advice.h"
#include "gui/models/roofline_model.h"
#include "gui/panels/roofline_plot.h"
#include "gui/panels/roofline_row.h"
#include "gui/panels/store_query.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kRooflineTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                           ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable |
                                           ImGuiTableFlags_Hideable;
constexpr float kOpWidth = 150, kTextWidth = 130, kNumberWidth = 76;  // of the op: at least
// Of the roof with the op that reached it, and of its rate alone.
constexpr float kReferenceWidth = 225, kRateWidth = 150;
constexpr float kLittleWidth = 1000, kLittleHeight = 560;
constexpr float kBoundWidth = 112;

/// Where there is no room for all, these step back first.
constexpr RooflineColumn kLeastWanted[] = {RooflineColumn::Intensity, RooflineColumn::Bytes,  RooflineColumn::Flops,
                                           RooflineColumn::Gbytes,    RooflineColumn::Module, RooflineColumn::Gflops,
                                           RooflineColumn::Share,     RooflineColumn::Bound,  RooflineColumn::Line,
                                           RooflineColumn::Reference, RooflineColumn::Win};

/// `room`: of the table.
float width_of(RooflineColumn column, float room) {
  if (column == RooflineColumn::Op) return kOpWidth;
  if (column == RooflineColumn::Reference) return room < scaled(kLittleWidth) ? kRateWidth : kReferenceWidth;
  if (column == RooflineColumn::Bound) return kBoundWidth;
  return column == RooflineColumn::Line || column == RooflineColumn::Module ? kTextWidth
                                                                            : kNumberWidth;  // a method, too
}

std::vector<bool> roofline_columns(float room, bool roofs, bool methods) {
  std::vector<float> widths;
  for (size_t i = 0; i < kRooflineColumns; ++i) {
    const auto column = static_cast<RooflineColumn>(i);
    const bool is_none = needs_roofs(column) ? !roofs : column == RooflineColumn::Method && !methods;
    widths.push_back(is_none ? 0 : scaled(width_of(column, room)));
  }
  std::vector<size_t> step_back;
  for (const RooflineColumn column : kLeastWanted) step_back.push_back(static_cast<size_t>(column));
  return columns_that_fit(widths, step_back, room);
}

std::string selected_text(const SelectedPart& part) {
  inspector::TimeUnit unit;
  (void)inspector::choose_unit("auto", "ns", part.whole, &unit);
  return part.text(unit);
}

struct LoadedRoofline {
  inspector::Roofline roofline;
  std::optional<inspector::SeenPeaks> rates;  ///< of the whole trace, where a range is shown
  std::optional<inspector::MachinePeaks> machine;
  std::string hint;
  bool measurable = false;  ///< the trace may be of this host, whose peaks can be measured
  std::vector<inspector::Advice> advice;
};

Status load_roofline(const inspector::Store& store, const std::shared_ptr<const TraceData>& data,
                     const inspector::DimValues& dims, LoadedRoofline* out) {
  inspector::MachinePeaks peaks;
  bool found = false;
  // A file of peaks that is damaged leaves the rates without roofs, and says why.
  const inspector::TraceMachine machine = {data->facts.cpu.value_or(""), data->facts.threads.value_or(1)};
  out->measurable = inspector::may_be_of_host(machine);
  const Status status = inspector::find_host_machine(machine, &peaks, &found, &out->hint);
  if (!status.ok()) out->hint = status.message();
  if (status.ok() && found) out->machine = peaks;
  // What cannot be found is left out: the roofline stands for itself.
  out->advice = shared_advice(store, data)->advice;
  if (data->whole != nullptr && !out->machine) {
    inspector::Roofline whole;
    if (inspector::calm_roofline(store, data->whole->shown, nullptr, dims, &whole).ok())
      out->rates = inspector::best_rates(whole);
  }
  return inspector::calm_roofline(store, data->shown, out->machine ? &*out->machine : nullptr, dims, &out->roofline);
}

class RooflinePanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (query_.draw_instead(context.document, "Cannot compute the roofline")) return;
    if (context.document.data() != nullptr && !context.document.data()->has_etdump()) return draw_needs_etdump();
    if (!model_.roofline().has_graph)
      return draw_empty("Operations and bytes are counted from shapes", "Open the ETRecord together with the ETDump.");
    if (model_.roofline().rows.empty()) return draw_empty("Nothing ran", "The trace has no execution with ops.");
    const bool little = ImGui::GetContentRegionAvail().y < scaled(kLittleHeight);
    draw_summary(context);
    draw_dims();
    ImGui::Spacing();
    const float room = ImGui::GetContentRegionAvail().y;
    if (!model_.points().empty() && room > scaled(300)) {
      if (const auto row = plot_.draw(context, plot_height(room, little), little); row) choose_point(context, *row);
    }
    draw_table(context);
  }
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }

 private:
  void refresh(PanelContext& context) {
    if (!query_.due(context.document)) return;
    if (query_.other_document()) dims_.clear();
    const std::string query = model_.query();
    model_ = {};
    order_.clear();
    open_.clear();
    const auto data = context.document.shared_data();
    if (data == nullptr) return;
    plot_.reset();
    query_.start<LoadedRoofline>(
        context,
        [data, dims = known_dims()](const inspector::Store& store, LoadedRoofline* out) {
          return load_roofline(store, data, dims, out);
        },
        [this, data, query](LoadedRoofline loaded) {
          model_.set(std::move(loaded.roofline), std::move(loaded.machine), std::move(loaded.hint), data, loaded.advice,
                     std::move(loaded.rates));
          model_.search(query);
          measurable_ = loaded.measurable;
          if (!model_.has_roofs() && needs_roofs(sort_)) sort_ = RooflineColumn::Time;
          order_ = model_.order_of_groups(sort_, descending_);
          for (const std::string& symbol : model_.roofline().symbols) dims_.try_emplace(symbol, 0);
        });
  }

  /// Half of the room, and what the table leaves of the rest.
  float plot_height(float room, bool little) const {
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const float legend = (little ? 1.0F : 3.0F) * ImGui::GetTextLineHeightWithSpacing();
    const float table = row * static_cast<float>(model_.groups().size() + 4) + legend;
    return std::clamp(room - table, room * 0.5F, room * 0.68F);
  }

  /// The answer, and folded below it what it rests on.
  void draw_summary(PanelContext& context) {
    const std::string headline = model_.headline();
    ImGui::PushTextWrapPos(0);
    if (!headline.empty()) text_colored(theme().text, headline);
    const auto& lines = model_.summary();
    for (const std::string& line : lines) {
      if (line.starts_with("!")) text_colored(theme().warning, inspector::printable(line));
    }
    if (measurable_ && (!model_.machine() || !model_.roofline().believable())) draw_measure(context);
    draw_asides();
    draw_search();
    if (headline.empty() || ImGui::TreeNodeEx("What it rests on", ImGuiTreeNodeFlags_NoTreePushOnOpen)) {
      for (const std::string& line : lines) {
        if (!line.starts_with("!")) text_colored(theme().muted, inspector::printable(line));
      }
      if (const std::string findings = model_.findings_text(); !findings.empty())
        text_colored(theme().muted, inspector::printable(findings) + ".");
      if (!model_.machine()) draw_hint();
      if (measurable_ && model_.machine() && model_.roofline().believable()) draw_measure(context);
    }
    ImGui::PopTextWrapPos();
  }

  void draw_search() {
    ImGui::SetNextItemWidth(std::min(scaled(240), ImGui::GetContentRegionAvail().x));
    take_search_focus();
    std::string text = model_.query();
    if (ImGui::InputTextWithHint("##search", "Search: operator, module, line", &text)) {
      model_.search(text);
      open_.clear();
      order_ = model_.order_of_groups(sort_, descending_);
    }
    if (!text.empty()) {
      const std::string found = model_.found_text();
      flow(text_width(found));
      text_colored(model_.found() > 0 ? theme().muted : theme().warning, found);
    }
    if (!model_.headline().empty()) flow(text_width("What it rests on") + ImGui::GetFrameHeight());
  }

  /// What the times do not have, and who knows of changes. All that these say is among what it rests on.
  void draw_asides() const {
    if (const std::string& line = model_.roofline().left_out; !line.empty())
      text_colored(theme().muted, inspector::printable(line) + ".");
    const std::string findings = model_.findings_brief();
    if (findings.empty()) return;
    text_colored(theme().muted, inspector::printable(findings) + ".");
    item_tooltip(inspector::printable(model_.findings_text()) + ".");
  }

  /// True roofs are a click away where the trace is of this machine.
  void draw_measure(PanelContext& context) {
    if (measurement_.runs()) return text_colored(theme().muted, "Measuring this machine…");
    const int64_t threads = context.document.data()->facts.threads.value_or(1);
    if (ImGui::SmallButton(model_.machine() ? "Measure this machine again" : "Measure this machine"))
      measurement_.start(context.jobs, threads, [document = &context.document] { document->read_again(); });
    const std::string on =
        "what it does at most on " + inspector::plural(threads, "thread") +
        ": some two seconds, in which nothing else should run. Its peaks are kept, for the commands, too";
    item_tooltip(on);
    if (!measurement_.error().empty())
      text_colored(theme().bad, inspector::printable(measurement_.error()));
    else
      ImGui::SameLine(), text_colored(theme().muted, on + ".");
  }

  /// How to know the peaks. Where the trace's own best stand in for them nothing is missing.
  void draw_hint() const {
    const std::string& hint = model_.hint();
    const size_t run = model_.seen() ? hint.find("run 'et-run") : std::string::npos;
    if (run == std::string::npos) return text_colored(theme().warning, sentence(inspector::printable(hint)) + ".");
    text_colored(theme().muted, "For its true peaks " + inspector::printable(hint.substr(run)) + ".");
  }

  inspector::DimValues known_dims() const {
    inspector::DimValues out;
    for (const auto& [symbol, value] : dims_) {
      if (value > 0) out[symbol] = value;
    }
    return out;
  }

  /// Dynamic shapes have symbols in the record; what they were is in no file.
  void draw_dims() {
    if (dims_.empty()) return;
    ImGui::AlignTextToFramePadding();
    text_colored(theme().warning, "Sizes of dynamic shapes:");
    for (auto& [symbol, value] : dims_) {
      flow(scaled(90) + ImGui::GetStyle().ItemInnerSpacing.x + text_width(symbol));
      ImGui::SetNextItemWidth(scaled(90));
      ImGui::InputInt(inspector::printable(symbol).c_str(), &value, 0);
      if (ImGui::IsItemDeactivatedAfterEdit()) query_.again();
      item_tooltip("What this dimension was in the run, as in the program's inputs");
      const auto& places = model_.roofline().symbol_places;
      if (const auto place = places.find(symbol); place != places.end()) {
        const std::string text = "(" + inspector::printable(place->second) + ")";
        flow(text_width(text));
        text_fitting(text, theme().muted);
      }
    }
  }

  /// Its row comes into view, from inside of its group, too.
  void choose_point(PanelContext& context, size_t row) {
    context.document.select(model_.selection_of(row), "");
    scroll_to_ = row;
    for (size_t g = 0; g < model_.groups().size(); ++g) {
      const auto& rows = model_.groups()[g].rows;
      if (rows.size() > 1 && std::find(rows.begin(), rows.end(), row) != rows.end()) open_.insert(g);
    }
  }

  /// As its column says what limits it.
  ImU32 color_of_group(size_t group) const {
    const auto& rows = model_.groups()[group].rows;
    const inspector::Bound bound = model_.group_bound(group);
    const auto like =
        std::find_if(rows.begin(), rows.end(), [&](size_t row) { return model_.roofline().rows[row].bound == bound; });
    return roofline_color(model_, like == rows.end() ? rows.front() : *like);
  }

  void draw_table(PanelContext& context) {
    const bool roofs = model_.has_roofs();
    const float room = ImGui::GetContentRegionAvail().x;
    const auto shown = roofline_columns(room, roofs, model_.has_methods());
    std::string id = "##rows";  // which columns there are is part of the name: widths belong to them
    for (const bool on : shown) id += on ? '1' : '0';
    // Where most of the time could win nobody knows what, the time comes first.
    const bool by_time = !roofs || 2 * model_.roofline().unknown_ns() > model_.roofline().total_ns;
    if (by_time) id += 't';
    if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kRooflineColumns), kRooflineTable)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (size_t i = 0; i < kRooflineColumns; ++i) {
      const auto column = static_cast<RooflineColumn>(i);
      const bool op = column == RooflineColumn::Op;
      ImGuiTableColumnFlags flags = op ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
      // What has no room is a click away, in the menu of the headers.
      const bool is_none = needs_roofs(column) ? !roofs : column == RooflineColumn::Method && !model_.has_methods();
      if (!shown[i]) flags |= is_none ? ImGuiTableColumnFlags_Disabled : ImGuiTableColumnFlags_DefaultHide;
      if (op) flags |= ImGuiTableColumnFlags_NoHide;
      if (is_number(column)) flags |= ImGuiTableColumnFlags_PreferSortDescending;
      if (column == (by_time ? RooflineColumn::Time : RooflineColumn::Win)) flags |= ImGuiTableColumnFlags_DefaultSort;
      ImGui::TableSetupColumn(roofline_column_title(column, model_.integers()), flags,
                              op ? 1 : scaled(width_of(column, room)), static_cast<ImGuiID>(i));
    }
    if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
      if (specs->SpecsCount > 0) {
        sort_ = static_cast<RooflineColumn>(specs->Specs[0].ColumnUserID);
        descending_ = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
        order_ = model_.order_of_groups(sort_, descending_);
      }
      specs->SpecsDirty = false;
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (size_t i = 0; i < kRooflineColumns; ++i) {
      const auto column = static_cast<RooflineColumn>(i);
      if (ImGui::TableSetColumnIndex(static_cast<int>(i)))
        header_cell(roofline_column_title(column, model_.integers()), is_number(column),
                    roofline_column_help(column, model_.machine().has_value()));
    }
    for (const size_t group : order_) {
      draw_group(context, group);
      if (model_.groups()[group].rows.size() < 2 || !open_.contains(group)) continue;
      for (const size_t row : model_.order_in(group, sort_, descending_)) draw_row(context, row, true);
    }
    for (const RooflineModel::Sum& sum : model_.sums()) draw_sum(sum);
    ImGui::EndTable();
  }

  void draw_sum(const RooflineModel::Sum& sum) const {
    const double all = model_.roofline().total_ns;
    ImGui::TableNextRow();
    const auto cell = [](RooflineColumn column, const std::string& text, bool right) {
      if (!ImGui::TableSetColumnIndex(static_cast<int>(column))) return;
      right ? text_right(text, theme().muted) : text_fitting(text, theme().muted);
    };
    cell(RooflineColumn::Op, sum.name, false);
    cell(RooflineColumn::Time, inspector::format_duration_with_unit(sum.ns, "ns"), true);
    // Noise that shares leave out has none, and neither has what it is a part of.
    if (model_.roofline().share_base_ns() != all) return;
    cell(RooflineColumn::Share, inspector::format_share(all > 0 ? sum.ns / all : 0), true);
  }

  /// Ops of one name are one row, which opens.
  void draw_group(PanelContext& context, size_t group) {
    const RooflineGroup& g = model_.groups()[group];
    if (g.rows.size() == 1) return draw_row(context, g.rows.front(), false);
    ImGui::TableNextRow();
    ImGui::PushID("group");
    ImGui::PushID(static_cast<int>(group));
    const SelectedPart part = model_.selected_part_of_group(group, context.document.selection());
    if (part.any()) mark_row(part.all());
    const bool chosen = row_cells([&](RooflineColumn c) { return model_.group_cell(group, c); }, color_of_group(group),
                                  open_.contains(group) ? ImGuiDir_Down : ImGuiDir_Right, 0,
                                  [&] {
                                    std::string text = selected_text(part);
                                    if (!g.finding.empty())
                                      text += (text.empty() ? "" : "\n") +
                                              ("Findings: " + model_.group_cell(group, RooflineColumn::Op)) + g.finding;
                                    if (!text.empty()) item_tooltip(text);
                                  });
    ImGui::PopID();
    ImGui::PopID();
    if (!chosen) return;
    if (!open_.insert(group).second) open_.erase(group);
    context.document.select(model_.selection_of_group(group), "");
  }

  void draw_row(PanelContext& context, size_t row, bool inside) {
    ImGui::TableNextRow();
    ImGui::PushID("op");
    ImGui::PushID(static_cast<int>(row));
    const SelectedPart part = model_.selected_part(row, context.document.selection());
    if (part.any()) mark_row(part.all());
    if (scroll_to_ == row) {
      ImGui::SetScrollHereY();
      scroll_to_.reset();
    }
    const bool chosen = row_cells([&](RooflineColumn c) { return model_.cell(row, c); }, roofline_color(model_, row),
                                  ImGuiDir_None, inside ? 0.8F : 0,
                                  [&] {
                                    if (!begin_item_tooltip()) return;
                                    describe_roofline_row(model_, row);
                                    if (const std::string text = selected_text(part); !text.empty())
                                      text_colored(theme().muted, text);
                                    end_item_tooltip();
                                  });
    const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    if (chosen) context.document.select(model_.selection_of(row), twice ? "source" : "");
    ImGui::PopID();
    ImGui::PopID();
  }

  /// True when the row was clicked.
  template <class Text, class Tooltip>
  static bool row_cells(const Text& text_of, ImU32 color, ImGuiDir arrow, float indent, const Tooltip& tooltip) {
    bool clicked = false;
    for (size_t i = 0; i < kRooflineColumns; ++i) {
      const auto column = static_cast<RooflineColumn>(i);
      if (!ImGui::TableSetColumnIndex(static_cast<int>(i)) && i > 0) continue;
      // As titles: a small "compute" may be somebody's name.
      const std::string text = column == RooflineColumn::Bound ? sentence(text_of(column)) : text_of(column);
      if (i == 0) {
        const ImVec2 at = ImGui::GetCursorPos();
        clicked = ImGui::Selectable("##row", false,
                                    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick);
        tooltip();
        const float line = ImGui::GetTextLineHeight();
        ImGui::SetCursorPos(at);
        if (arrow != ImGuiDir_None)
          ImGui::RenderArrow(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), theme().muted, arrow, 0.8F);
        ImGui::SetCursorPosX(at.x + line * (1 + indent));
        color_square(color);
        ImGui::SameLine(0, scaled(4));
        text_fitting(text);
      } else if (is_number(column)) {
        text_right(text);
      } else if (column == RooflineColumn::Reference) {
        draw_reference(text);
      } else {
        text_fitting(text);
      }
    }
    return clicked;
  }

  /// The rate is what is read; the op that reached it steps back.
  static void draw_reference(const std::string& text) {
    const size_t name = text.find(" (");
    const float room = ImGui::GetContentRegionAvail().x;
    if (name == std::string::npos || text_width(text) <= room) return text_fitting(text);
    const std::string rate = text.substr(0, name + 2);
    text_fitting(rate + fitting(text.substr(name + 2, text.size() - name - 3), room - text_width(rate + ")")) + ")");
  }

  RooflineModel model_;
  RooflinePlot plot_{model_};
  StoreQuery query_;
  MachineMeasurement measurement_;
  bool measurable_ = false, descending_ = true;
  std::map<std::string, int> dims_;  // by symbol; 0: not known
  RooflineColumn sort_ = RooflineColumn::Win;
  std::vector<size_t> order_;        // of groups
  std::optional<size_t> scroll_to_;  // row
  std::set<size_t> open_;            // groups whose rows are seen
};

}  // namespace

extern const PanelSpec k_roofline_panel;
const PanelSpec k_roofline_panel = {
    .id = "roofline",
    .title = "Roofline",
    .summary = "How close each op comes to what the machine could do",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new RooflinePanel); },
};

}  // namespace et::gui
