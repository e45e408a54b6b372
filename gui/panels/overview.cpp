// Overview: what was run, where its time goes, what to look at first. Its tables are in overview_tables.cpp.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/overview_model.h"
#include "gui/panels/overview_drawing.h"
#include "gui/panels/overview_tables.h"
#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/table.h"

namespace et::gui {
namespace {

constexpr float kMaxWidth = 1180;  // points: longer lines are tiring to read

class OverviewPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (data_ == nullptr) {
      return draw_empty(
          "No trace is open",
          "Open a store, or drop an ETDump here together with its ETRecord and program; each also opens on its own.");
    }
    if (!ready_) return ImGui::TextDisabled("reading…");
    const float width = std::min(ImGui::GetContentRegionAvail().x, scaled(kMaxWidth));
    if (!ImGui::BeginChild("##overview", {width, 0}, ImGuiChildFlags_AutoResizeY)) return ImGui::EndChild();
    OverviewTables tables{context.document, *data_, overview_};
    const float search = width > scaled(600) ? scaled(300) : 0;
    const ImVec2 top = ImGui::GetCursorPos();
    tables.title(width - search - scaled(30));
    const ImVec2 below = ImGui::GetCursorPos();
    if (search > 0) ImGui::SetCursorPos({top.x + width - search - scaled(30), top.y + scaled(6)});
    draw_search(search > 0 ? search : scaled(300));
    if (search > 0) ImGui::SetCursorPos(below);
    tables.problems();
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
          std::vector<inspector::ExecutionNote> notes;
          Status status = inspector::load_execution_notes(store, data->trace_id(), &notes);
          shown->overview.steps = next_steps(*data, shown->overview, notes);
          return status;
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
    take_search_focus();
    ImGui::InputTextWithHint("##search", "Search operators, lines, modules, findings", &search_);
    if (search_.empty()) return;
    ImGui::SameLine(0, scaled(2));
    if (ImGui::Button("×##clear")) search_.clear();
    item_tooltip("Clear the search");
  }

  void draw_run(const OverviewTables& tables) const {
    heading("Where the time goes");
    if (!(overview_.total > 0)) {
      ImGui::PushTextWrapPos();
      text_colored(theme().muted,
                   "No execution in the trace has a duration: only loading was traced, or the run failed before its "
                   "first instruction.");
      ImGui::PopTextWrapPos();
    } else {
      draw_bar();
      heading(overview_.search.empty() ? "Start here" : "Found, the costliest first");
      tables.costliest();
      tables.steps();
      heading("Parts of the time");
      tables.parts();
    }
    heading("What ran");
    tables.methods();
    ImGui::Dummy({0, scaled(6)});
    tables.facts();
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

  void draw_bar() const {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = {ImGui::GetContentRegionAvail().x, scaled(26)};
    ImGui::InvisibleButton("##parts", size);
    const OverviewPart* under = nullptr;
    if (ImGui::IsItemHovered()) under = part_at(overview_.parts, (ImGui::GetMousePos().x - at.x) / size.x);
    ScreenCanvas canvas(ImGui::GetWindowDrawList(), at, {at.x + size.x, at.y + size.y});
    draw_stacked_bar(canvas, at, {at.x + size.x, at.y + size.y}, overview_.parts);
    if (under != nullptr) {
      item_tooltip(under->name + "\n" + inspector::format_share(under->share) + " of an execution, " +
                   inspector::format_duration_with_unit(static_cast<double>(under->time), data_->unit()) +
                   (*part_help(under->kind) == '\0' ? "" : "\n") + part_help(under->kind));
    }
    ImGui::Dummy({0, scaled(2)});
  }

  struct Shown {
    std::shared_ptr<const TraceData> data;
    Overview overview;
  };
  std::shared_ptr<const TraceData> data_;
  Overview overview_;
  bool ready_ = false;
  std::string search_, asked_search_;
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
