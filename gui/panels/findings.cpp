// Findings: what makes the program slow, large or hungry for memory, and what to do about it. Its model: FindingsModel.
#include "gui/models/findings_model.h"

#include <imgui.h>

#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

class FindingsPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (context.document.data() == nullptr)
      return draw_empty("No trace is open", "Drop an ETDump here together with its ETRecord and program.");
    if (!error_.empty()) return draw_empty("Cannot look for findings", error_.c_str());
    if (reading_) return draw_empty("Reading…", "");
    if (model_.rows().empty()) {
      return draw_empty("No rule found anything to improve",
                        "Most rules need the ETRecord and the program beside the ETDump: open them together.");
    }
    ImGui::PushTextWrapPos(0);
    text_colored(theme().muted,
                 "What would win the most first. A win is an upper bound: what it takes for granted stands behind it.");
    ImGui::PopTextWrapPos();
    if (ImGui::BeginChild("##findings")) {
      for (size_t i = 0; i < model_.rows().size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        draw_row(context, model_.rows()[i], i + 1);
        ImGui::PopID();
      }
    }
    ImGui::EndChild();
  }
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }

 private:
  void refresh(PanelContext& context) {
    Document& document = context.document;
    if (version_ == document.version()) return;
    version_ = document.version();
    error_.clear();
    const auto data = document.shared_data();
    model_.set({}, nullptr);
    if (data == nullptr) return;
    reading_ = true;
    job_ = context.jobs.query<FindingsModel>(
        document.store_path(),
        [data](const inspector::Store& store, const Cancel&, FindingsModel* out) {
          std::vector<inspector::Advice> advice;
          const Status status = inspector::find_advice(store, data->shown, &advice);
          out->set(std::move(advice), data);
          return status;
        },
        [this](Status status, FindingsModel made) {
          if (!status.ok()) error_ = status.message();
          model_ = std::move(made);
          reading_ = false;
        });
  }

  void draw_row(PanelContext& context, const FindingsRow& row, size_t number) {
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0);
    ImGui::PushFont(fonts().bold, 0);
    text_colored(theme().text, std::to_string(number) + ". " + sentence(inspector::printable(row.advice.text)));
    ImGui::PopFont();
    ImGui::PopTextWrapPos();
    ImGui::Indent(scaled(18));
    ImGui::PushTextWrapPos(0);
    if (!row.win.empty()) {
      if (row.share > 0) {
        // A bar of the execution, as long as what could be won.
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = std::min(scaled(220), ImGui::GetContentRegionAvail().x), high = scaled(5);
        ImDrawList* const draw = ImGui::GetWindowDrawList();
        draw->AddRectFilled(at, {at.x + width, at.y + high}, theme().grid, 2);
        draw->AddRectFilled(at, {at.x + width * static_cast<float>(std::min(row.share, 1.0)), at.y + high},
                            theme().good, 2);
        ImGui::Dummy({width, high});
      }
      ImGui::TextUnformatted(sentence(row.win).c_str());
    }
    text_colored(theme().text, "Do: " + inspector::printable(row.advice.what_to_do));
    ImGui::PopTextWrapPos();
    if (!row.place.empty()) {
      const std::string place = inspector::printable(row.place);
      const Selection target = model_.selection_of(row);
      if (target.empty()) {
        text_colored(theme().muted, place);
      } else {
        const float room = ImGui::GetContentRegionAvail().x;
        if (ImGui::TextLink(fitting(place, room).c_str())) context.document.select(target, "source");
        item_tooltip("Shows it in the Source panel, and selects it in all");
        for (const char* const panel : {"graph", "operators"}) {
          const char* const label = panel[0] == 'g' ? "Graph" : "Operators";
          flow_button(label);
          if (ImGui::SmallButton(label)) context.document.select(target, panel);
        }
      }
    }
    text_colored(theme().muted, row.advice.id + (row.advice.method.empty() ? "" : ", method " + row.advice.method));
    ImGui::Unindent(scaled(18));
    ImGui::Spacing();
    ImGui::Separator();
  }

  FindingsModel model_;
  JobHandle job_;
  uint64_t version_ = 0;
  bool reading_ = false;
  std::string error_;
};

}  // namespace

extern const PanelSpec k_findings_panel;
const PanelSpec k_findings_panel = {
    .id = "findings",
    .title = "Findings",
    .summary = "What to change in the model or its export, and the most it could win",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new FindingsPanel); },
};

}  // namespace et::gui
