// Overview: what was run, where its time goes, what to look at first. Its tables are in overview_tables.cpp.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/shared_advice.h"
#include "gui/core/text.h"
#include "gui/models/overview_model.h"
#include "gui/panels/overview_drawing.h"
#include "gui/panels/overview_tables.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/table.h"

namespace et::gui {
namespace {

constexpr float kTwoColumns = 1000;  // points: from then on two columns
constexpr float kLow = 640;          // points: below that few rows of each
constexpr size_t kFewRows = 3;
constexpr float kBarHeight = 26, kTypesHeight = 26;  // points

class OverviewPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (data_ == nullptr) {
      return draw_overview_start(context);
    }
    if (!ready_) return ImGui::TextDisabled("reading…");
    const float width = ImGui::GetContentRegionAvail().x;
    const bool low = ImGui::GetContentRegionAvail().y < scaled(kLow);
    if (!ImGui::BeginChild("##overview", {width, 0}, ImGuiChildFlags_AutoResizeY)) return ImGui::EndChild();
    OverviewTables tables{context.document, *data_, overview_, low ? kFewRows : SIZE_MAX};
    const float search = width > scaled(600) ? scaled(300) : 0;
    const ImVec2 top = ImGui::GetCursorPos();
    tables.title(width - search - scaled(30));
    const ImVec2 below = ImGui::GetCursorPos();
    if (search > 0) ImGui::SetCursorPos({top.x + width - search - scaled(30), top.y + scaled(6)});
    draw_search(search > 0 ? search : scaled(300));
    if (search > 0) ImGui::SetCursorPos(below);
    if (overview_.search.empty()) tables.problems();
    open_first_found(tables);
    data_->has_etdump() ? draw_run(tables) : draw_export(tables);
    tables.unlinked();
    tables.findings();
    tables.traces();
    ImGui::Dummy({0, scaled(16)});
    ImGui::EndChild();
  }

  std::string csv() const override {
    if (data_ == nullptr || !ready_) return {};
    using inspector::CellKind;
    inspector::TimeUnit ticks;
    (void)inspector::choose_unit(data_->unit(), data_->unit(), 0, &ticks);
    inspector::Table out;
    out.columns = {{.title = "part"},
                   {.title = "backend"},
                   {.title = "time", .kind = CellKind::Duration, .key = "time", .unit = ticks},
                   {.title = "share", .kind = CellKind::Share},
                   {.title = "ops", .kind = CellKind::Integer},
                   {.title = "calls", .kind = CellKind::Integer}};
    for (const OverviewPart& part : overview_.parts)
      out.add({part.name, part.backend, part.time, part.share, part.ops, part.calls});
    std::string text;
    if (const Status status = out.write({.format = "csv"}, &text); !status.ok()) return {};
    return text;
  }

  void* model() override { return ready_ ? &overview_ : nullptr; }  // Overview

  bool draw_on(Canvas& canvas) override {
    if (data_ == nullptr || !ready_) return false;
    draw_overview(canvas, *data_, overview_);
    return true;
  }

 private:
  void refresh(PanelContext& context) {
    if (context.document.data() == nullptr) {
      job_.reset();
      data_.reset();
      version_ = 0;
      return;
    }
    if (version_ == context.document.version() && asked_search_ == search_) return;
    version_ = context.document.version();
    asked_search_ = search_;
    job_ = context.jobs.query<Shown>(
        context.document.store_path(),
        [data = context.document.shared_data(), search = search_](const inspector::Store& store, const Cancel&,
                                                                  Shown* shown) {
          shown->data = data;
          shown->overview = make_overview(*data, search);
          const auto found = shared_advice(store, data);
          shown->overview.steps = next_steps(*data, shown->overview, found->advice, found->notes.silent);
          return found->status;
        },
        // What cannot be read is left out: the others stand for themselves.
        [this, data = context.document.shared_data()](const Status&, Shown shown) {
          if (shown.data == nullptr) shown = {data, make_overview(*data)};
          data_ = std::move(shown.data);
          overview_ = std::move(shown.overview);
          ready_ = true;
        });
    // What was there stays until the new one is made; at first there is nothing to stay.
    if (data_ == nullptr) {
      data_ = context.document.shared_data();
      ready_ = false;
    }
  }

  /// At the right of the title where there is room: shows what costs most among what it finds.
  void draw_search(float width) {
    ImGui::SetNextItemWidth(width);
    search_field("Search operators, lines, modules, findings", &search_);
    if (ImGui::IsItemDeactivated() &&
        (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)))
      enter_ = !search_.empty();
    if (search_.empty()) return;
    ImGui::SameLine(0, scaled(2));
    if (ImGui::Button("×##clear")) search_.clear();
    item_tooltip("Clear the search");
  }

  /// Enter leads to the first of what the search finds, once it was looked for.
  void open_first_found(const OverviewTables& tables) {
    if (!enter_ || overview_.search != lower(search_)) return;
    enter_ = false;
    for (const auto* const list : {&overview_.ops, &overview_.lines, &overview_.modules}) {
      if (list->empty()) continue;
      return tables.open(list->front());
    }
  }

  void draw_run(const OverviewTables& tables) const {
    const bool searched = !overview_.search.empty() && overview_.total > 0;
    if (!searched) heading("Where the time goes");
    if (!(overview_.total > 0)) {
      ImGui::PushTextWrapPos();
      text_colored(theme().muted,
                   overview_.executions > 0 && overview_.basis.kind == inspector::BasisKind::Cold
                       ? "The trace has no cold execution: it begins behind the first ones, as with et-run --warmup. "
                         "Another basis (above) shows the others."
                       : "No execution in the trace has a duration: only loading was traced, or the run failed before "
                         "its first instruction.");
      ImGui::PopTextWrapPos();
    } else {
      if (!searched) draw_bar(tables);
      heading(overview_.search.empty() ? "What costs most" : "Found, the costliest first");
      tables.costliest();
      draw_next(tables);
    }
    heading("What ran");
    tables.methods();
    ImGui::Dummy({0, scaled(6)});
    tables.facts();
  }

  void draw_next(const OverviewTables& tables) const {
    const bool wide = ImGui::GetContentRegionAvail().x > scaled(kTwoColumns) && overview_.search.empty();
    if (!ImGui::BeginTable("##next", wide ? 2 : 1, ImGuiTableFlags_SizingStretchSame)) return;
    ImGui::TableNextColumn();
    tables.steps();
    ImGui::TableNextColumn();
    heading("Parts of the time");
    tables.parts();
    ImGui::EndTable();
  }

  void draw_export(const OverviewTables& tables) const {
    heading("What was exported");
    tables.exports();
    ImGui::Dummy({0, scaled(6)});
    tables.facts();
    heading("Where the time goes");
    ImGui::PushTextWrapPos();
    text_colored(theme().muted,
                 "Times need an ETDump: run the model with event tracing enabled, then open its ETDump together with "
                 "these files (drop them all at once).");
    ImGui::PopTextWrapPos();
  }

  void draw_bar(const OverviewTables& tables) const {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool types = std::any_of(overview_.parts.begin(), overview_.parts.end(),
                                   [](const OverviewPart& p) { return !p.types.empty(); });
    const ImVec2 size = {ImGui::GetContentRegionAvail().x, scaled(types ? kBarHeight + kTypesHeight : kBarHeight)};
    bool clicked = ImGui::InvisibleButton("##bar", size, ImGuiButtonFlags_EnableNav);
    const ImVec2 end = {at.x + size.x, at.y + size.y};
    ScreenCanvas canvas(ImGui::GetWindowDrawList(), at, end);
    const std::vector<OverviewPart> parts = parts_of_bar(overview_.parts);
    const std::vector<const OverviewPart*> unnamed = draw_stacked_bar(canvas, at, end, parts);
    const BoxWalk keys({.boxes = [&] { return bar_boxes(parts, at, end); }});
    clicked = clicked || (keys && ImGui::IsMouseClicked(ImGuiMouseButton_Left));
    if (ImGui::IsItemHovered()) {
      const ImVec2 mouse = ImGui::GetMousePos();
      const BarPlace under = bar_place(parts, (mouse.x - at.x) / size.x, (mouse.y - at.y) / size.y);
      if (under.part != nullptr) bar_tooltip(under);
      if (under.part != nullptr && clicked) tables.show(under);
    }
    for (size_t i = 0; i < unnamed.size(); ++i) {
      const std::string text = unnamed[i]->name + " " + inspector::format_share(unnamed[i]->share);
      if (i > 0) flow(text_width(text) + ImGui::GetTextLineHeight() + scaled(14));
      color_square(part_color(*unnamed[i]));
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().muted, text);
      item_tooltip(part_help(unnamed[i]->kind));
      ImGui::SameLine(0, scaled(8));
      ImGui::Dummy({0, 0});
    }
    if (overview_.shares_total < overview_.total) {
      ImGui::PushTextWrapPos();
      text_colored(theme().muted, "All shares on this page leave the noise out: they are of the " +
                                      inspector::format_duration_with_unit(overview_.shares_total, data_->unit()) +
                                      " that " + inspector::share_basis_text(overview_.basis) + ".");
      ImGui::PopTextWrapPos();
    }
    ImGui::Dummy({0, scaled(2)});
  }

  void bar_tooltip(const BarPlace& under) const {
    const OverviewPart& part = *under.part;
    std::string text = under.slice != nullptr ? under.slice->type + "\nin " + part.name : part.name;
    const double share = under.slice != nullptr ? under.slice->share : part.share;
    const double time = under.slice != nullptr ? under.slice->time : part.time;
    text += "\n" + inspector::format_share(share) + " of " + overview_.shares_of + ", " +
            inspector::format_duration_with_unit(time, data_->unit());
    if (under.slice == nullptr && *part_help(part.kind) != '\0') text += std::string("\n") + part_help(part.kind);
    item_tooltip(text);
  }

  struct Shown {
    std::shared_ptr<const TraceData> data;
    Overview overview;
  };
  std::shared_ptr<const TraceData> data_;
  Overview overview_;
  bool ready_ = false;
  std::string search_, asked_search_;
  bool enter_ = false;  // in the search, and not yet answered
  uint64_t version_ = 0;
  JobHandle job_;
};

}  // namespace

extern const PanelSpec k_overview_panel;
const PanelSpec k_overview_panel = {
    .id = "overview",
    .title = "Overview",
    .summary = "What ran and where the time goes",
    .key = ImGuiKey_1,
    .make = [] { return std::unique_ptr<Panel>(new OverviewPanel); },
};

}  // namespace et::gui
