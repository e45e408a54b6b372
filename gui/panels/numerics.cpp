// Numerics: how far the logged tensors of a run are from those of a good one, and where they part. Its model:
// NumericsModel.
#include "gui/panels/numerics_panel.h"

#include <algorithm>

#include "gui/core/open_request.h"
#include "gui/widgets/cells.h"
#include "inspector/report/gap_report.h"
#include "inspector/text/format.h"

namespace et::gui {

using State = NumericsModel::State;

ImU32 role_color(const inspector::Gap& gap, const inspector::GapRow& row) {
  using inspector::GapRole;
  if (!row.diverges) return theme().good;
  if (row.role == GapRole::Adds) return theme().bad;
  if (gap.quantised) return theme().warning;
  // Of what was fed something else, a difference says nothing.
  if (gap.inputs != inspector::GapInputs::Same) return theme().unattributed;
  // Against another trace nobody asks who adds: what diverges, diverges.
  return row.role == GapRole::Unknown ? theme().unattributed : theme().warning;
}

ImU32 verdict_color(const NumericsModel& model) {
  using Verdict = NumericsVerdict;
  switch (model.verdict()) {
    case Verdict::Clean:
      return theme().good;
    case Verdict::NoFault:
      return theme().text;
    case Verdict::Quantised:
    case Verdict::OtherInputs:
    case Verdict::Undecided:
      return theme().warning;
    case Verdict::Faulty:
      break;
  }
  return theme().bad;
}

const char* role_text(const inspector::Gap& gap, const inspector::GapRow& row) {
  using inspector::GapRole;
  if (!row.diverges) return "within rounding";
  if (gap.quantised) return "differs: the run is quantised, the reference is not";
  if (gap.inputs != inspector::GapInputs::Same && row.role != GapRole::Adds) {
    if (row.role == GapRole::PassesOn) return "differs as what it was fed does";
    return gap.inputs == inspector::GapInputs::Other ? "differs: the reference had other inputs"
                                                     : "differs: the reference probably had other inputs";
  }
  if (inspector::is_unknown_for_its_inputs(row)) return "diverges; inputs not recorded: own error unknown";
  switch (row.role) {
    case GapRole::Adds:
      return "adds error";
    case GapRole::PassesOn:
      return "passes error on";
    case GapRole::Unknown:
      return "diverges; whether by itself is not known";
    default:
      return "diverges";
  }
}

void NumericsPanel::draw(PanelContext& context) {
  model_.refresh(context.document);
  switch (model_.state()) {
    case State::NoTrace:
      return draw_empty("No trace is open",
                        (paths_.empty() ? std::string("Drop an ETDump here together with its debug buffer and its "
                                                      "ETRecord.")
                                        : inspector::printable(paths_) +
                                              " is the reference: drop an ETDump here together with its debug buffer.")
                            .c_str());
    case State::NoDump:
      return draw_empty("Logged tensors need an ETDump",
                        "Only an ETRecord or a program is open. Run the model with et-run --etdump run.etdp "
                        "--debug-buffer run.bin, then open both together with these files.");
    case State::Reading:
      return draw_empty("Reading…", "");
    case State::NoValues:
      return draw_no_values();
    default:
      break;
  }
  draw_choices(context);
  if (!draw_state(context)) return;
  if (model_.follow(context.document)) scroll_ = true;
  draw_summary(context);
  if (model_.state() == State::Ready && !model_.gap().rows.empty()) draw_compared(context);
}

/// What to type, so that there is something to see.
void NumericsPanel::draw_no_values() {
  ImGui::Spacing();
  heading("No tensors to compare");
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(inspector::printable(model_.explanation()).c_str());
  ImGui::Spacing();
  text_colored(theme().muted,
               model_.lacks_buffer()
                   ? "Drop the ETDump and its debug buffer on the window together, or start it with both:"
                   : "Each op's results are compared with those of the ETRecord's graph, of another run, or of tensors "
                     "that were recorded in Python. For that a run keeps them in a debug buffer:");
  ImGui::Spacing();
  ImGui::PopTextWrapPos();
  draw_commands(model_.commands());
}

/// True when there is something to show.
bool NumericsPanel::draw_state(PanelContext& context) {
  switch (model_.state()) {
    case State::Ready:
      return true;
    case State::Working: {
      context.wants_frames = true;
      ImGui::Spacing();
      ImGui::TextUnformatted(model_.stage().c_str());
      ImGui::ProgressBar(-1.0F * static_cast<float>(ImGui::GetTime()), {scaled(320), 0}, "");
      if (ImGui::Button("Cancel")) model_.cancel();
      return false;
    }
    case State::Cancelled:
      ImGui::Spacing();
      text_colored(theme().muted, "The comparison was cancelled.");
      if (ImGui::Button("Compare again")) model_.measure(context.document);
      return false;
    case State::Failed:
      ImGui::Spacing();
      ImGui::PushTextWrapPos(0);
      text_colored(theme().bad, inspector::printable(model_.explanation()));
      if (model_.request.against == NumericsRequest::Against::Graph &&
          model_.explanation().find("input") != std::string::npos)
        text_colored(theme().muted, "What feeds the graph is chosen above: it must be what the run had.");
      ImGui::PopTextWrapPos();
      if (model_.request.against == NumericsRequest::Against::Graph) offer_inputs(context);
      if (ImGui::Button("Compare again")) model_.measure(context.document);
      flow_button("Copy message");
      if (ImGui::Button("Copy message")) ImGui::SetClipboardText(model_.explanation().c_str());
      return false;
    default:
      draw_empty("Nothing to compare with", inspector::printable(model_.explanation()).c_str());
      return false;
  }
}

/// Arrays beside the run may be what it was fed: each alone, or all of them.
void NumericsPanel::offer_inputs(PanelContext& context) {
  const std::vector<std::string>& files = model_.arrays_beside();
  if (files.empty() || model_.request.inputs.any()) return;
  text_colored(theme().muted, "The run's inputs, if they are among the arrays beside it:");
  constexpr size_t kMostAlone = 4;
  std::vector<std::vector<std::string>> choices;
  for (size_t i = 0; i < std::min(files.size(), kMostAlone); ++i) choices.push_back({files[i]});
  if (files.size() > 1) choices.push_back(files);
  const std::vector<std::string>* wanted = nullptr;
  for (const auto& choice : choices) {
    std::string names;
    for (const std::string& file : choice)
      names += (names.empty() ? "" : " ") + file.substr(file.find_last_of('/') + 1);
    const std::string label = fitting(names, ImGui::GetContentRegionAvail().x * 0.6F) + "###" + names;
    if (&choice != &choices.front()) flow_button(label.c_str());
    if (ImGui::Button(label.c_str())) wanted = &choice;
  }
  if (wanted == nullptr) return;
  model_.request.inputs.files = *wanted;
  inputs_text_ = typed_text(model_.request.inputs);
  model_.measure(context.document);
}

void NumericsPanel::draw_summary(PanelContext& context) {
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, inspector::printable(model_.summary()));
  if (const std::string found = model_.found_text(); !found.empty())
    text_colored(theme().muted, inspector::printable(found));
  for (const std::string& warning : model_.warnings()) text_colored(theme().warning, inspector::printable(warning));
  ImGui::PopTextWrapPos();
  const auto& gap = model_.gap();
  const bool graph = model_.request.against == NumericsRequest::Against::Graph;
  if (graph && gap.inputs != inspector::GapInputs::Same && !model_.request.inputs.any() &&
      ImGui::Button("Compare with inputs of ones, as et-run has them by default")) {
    model_.request.inputs.ones = true;
    return model_.measure(context.document);
  }
  if (!gap.rows.empty()) {
    ImGui::AlignTextToFramePadding();
    if (gap.first) {
      if (ImGui::Button("Show##first")) {
        const bool worst = model_.verdict() == NumericsVerdict::Quantised;  // as the text does
        model_.choose(context.document, worst ? largest_error(gap) : *gap.first);
        scroll_ = true;
      }
      ImGui::SameLine();
      text_fitting(model_.verdict_text(), verdict_color(model_));
    } else {
      text_colored(theme().good, model_.verdict_text());
    }
  }
  if (model_.gap().missing.empty()) return;
  const auto count = static_cast<int64_t>(gap.missing.size());
  const std::string label = inspector::format_count(count) + " not compared##missing";
  const ImGuiTreeNodeFlags open = gap.rows.empty() ? ImGuiTreeNodeFlags_DefaultOpen : ImGuiTreeNodeFlags_None;
  if (!ImGui::TreeNodeEx(label.c_str(), open | ImGuiTreeNodeFlags_NoTreePushOnOpen)) return;
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, model_.missing());
  ImGui::PopTextWrapPos();
}

void NumericsPanel::draw_compared(PanelContext& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool fresh = std::exchange(drawn_, &model_.gap()) != &model_.gap() || drawn_metric_ != model_.metric;
  drawn_metric_ = model_.metric;
  scroll_ = scroll_ || fresh;  // the first divergence is looked at
  const bool beside = room.x > scaled(620);
  // In a low panel the tensor that is looked at has all of the height: its histograms would be off the page.
  const bool whole_height = beside && room.y < scaled(600);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float detail = std::clamp(room.x * 0.36F, scaled(280), scaled(460));
  if (whole_height) ImGui::BeginChild("##compared", {room.x - detail - gap, 0});
  const float plot = std::clamp(room.y * 0.42F, scaled(140), scaled(400));
  if (room.y > scaled(240)) draw_numerics_plot(context, model_, fresh, {-1, plot});
  const ImVec2 left = ImGui::GetContentRegionAvail();
  draw_rows(context, whole_height ? left : beside ? ImVec2{left.x - detail - gap, left.y} : ImVec2{0, left.y * 0.5F});
  if (whole_height) ImGui::EndChild();
  if (beside) ImGui::SameLine();
  if (ImGui::BeginChild("##detail", {0, 0})) draw_numerics_detail(context, model_, &log_counts_);
  ImGui::EndChild();
}

std::vector<std::pair<std::string, std::string>> NumericsPanel::settings() const {
  return {{"metric", metric_name(model_.metric)}, {"counts", log_counts_ ? "log" : "linear"}};
}

void NumericsPanel::restore(const std::string& key, const std::string& value) {
  NumericsRequest& request = model_.request;
  inspector::GraphInputs& inputs = request.inputs;
  if (key == "metric") {
    for (size_t i = 0; i < kNumericsMetrics; ++i) {
      if (value == metric_name(static_cast<NumericsMetric>(i))) model_.metric = static_cast<NumericsMetric>(i);
    }
  } else if (key == "counts") {
    log_counts_ = value != "linear";
  } else if (key == "against") {
    request.against = NumericsRequest::Against::Files;
    request.files.push_back(value);
    paths_ += (paths_.empty() ? "" : " ") + (value.find(' ') == std::string::npos ? value : "\"" + value + "\"");
  } else if (key == "input") {
    inputs.files.push_back(value);
    inputs_text_ += (inputs_text_.empty() ? "" : " ") + value;
  } else if (key == "ones" || key == "zeros") {
    (key == "ones" ? inputs.ones : inputs.zeros) = true;
  } else if (key == "random") {
    inputs.random = inputs_text_ = value;
  } else if (key == "cases") {
    inputs.cases = inputs_text_ = value;
  } else if (key == "case") {
    inputs.test_case = std::strtoll(value.c_str(), nullptr, 10);
  }
}

bool NumericsPanel::take_dropped(Document& document, const std::string& path) {
  // A folder may be that of a run, whose inputs are .npy files, too.
  OpenRequest run;
  if (!inspector::is_recorded_tensors(path) || classify({path}, &run, false).ok()) return false;
  paths_ = path.find(' ') == std::string::npos ? path : "\"" + path + "\"";
  model_.compare_with_files(document, {path});
  return true;
}

extern const PanelSpec k_numerics_panel;
const PanelSpec k_numerics_panel = {
    .id = "numerics",
    .title = "Numerics",
    .summary = "How far the tensors of a run are from the right ones, and which op is to blame",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new NumericsPanel); },
};

}  // namespace et::gui
