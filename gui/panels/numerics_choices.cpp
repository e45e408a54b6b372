// What is compared with what: the reference, the inputs of its graph, the execution, the metric.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "gui/panels/numerics_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using Against = NumericsRequest::Against;

struct FeedChoice {
  NumericsFeed kind;
  const char *title, *hint;  // hint: of the field, nullptr without one
};
constexpr std::array<FeedChoice, 6> kFeedChoices = {{
    {NumericsFeed::Record, "Inputs: the ETRecord's", nullptr},
    {NumericsFeed::Ones, "Inputs: ones", nullptr},
    {NumericsFeed::Zeros, "Inputs: zeros", nullptr},
    {NumericsFeed::Random, "Inputs: random", "seed"},
    {NumericsFeed::Files, "Inputs: .npy files", "x.npy y.npy"},
    {NumericsFeed::Cases, "Inputs: a test case", "model.bpte"},
}};

NumericsFeed feed_of(const inspector::GraphInputs& inputs) {
  if (inputs.ones) return NumericsFeed::Ones;
  if (inputs.zeros) return NumericsFeed::Zeros;
  if (!inputs.random.empty()) return NumericsFeed::Random;
  if (!inputs.files.empty()) return NumericsFeed::Files;
  return inputs.cases.empty() ? NumericsFeed::Record : NumericsFeed::Cases;
}

/// Paths between spaces; one that has some stands in quotes, or alone.
std::vector<std::string> typed_paths(const std::string& text) {
  std::error_code ec;
  if (std::filesystem::exists(text, ec)) return {text};
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  for (const char c : text + ' ') {
    if (quote == 0 && c == ' ') {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

void next_width(float width) {
  flow(scaled(width));
  ImGui::SetNextItemWidth(std::min(scaled(width), ImGui::GetContentRegionAvail().x));
}

/// As wide as what was typed: the end of a path says which file it is.
void next_width_of(const std::string& typed, float least) {
  const float text = ImGui::CalcTextSize(typed.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x + scaled(4);
  next_width(std::max(least, text / scaled(1)));
}

std::string trace_name(const inspector::TraceSummary& trace) {
  return "Against: #" + std::to_string(trace.id) + " " + inspector::printable(inspector::trace_title(trace));
}

}  // namespace

// As typed_paths() reads it.
std::string typed_text(const inspector::GraphInputs& inputs) {
  if (!inputs.cases.empty()) return inputs.cases;
  std::string out;
  for (const std::string& file : inputs.files) {
    const bool quoted = inputs.files.size() > 1 && file.find(' ') != std::string::npos;
    out += (out.empty() ? "" : " ") + (quoted ? '"' + file + '"' : file);
  }
  return out;
}

void NumericsPanel::draw_choices(PanelContext& context) {
  draw_against(context);
  if (model_.request.against == Against::Graph && model_.has_graph()) draw_inputs(context);
  draw_execution(context);
  draw_metric();
  next_width(220);
  take_search_focus();
  ImGui::InputTextWithHint("##filter", "Filter: op, node, line, role", &model_.filter);
}

void NumericsPanel::draw_against(PanelContext& context) {
  NumericsRequest& request = model_.request;
  const auto& traces = context.document.traces();
  const int64_t own = model_.data()->trace_id();
  std::string shown = request.against == Against::Graph ? "Against: the ETRecord's graph" : "Against: files";
  for (const inspector::TraceSummary& trace : traces) {
    if (request.against == Against::Trace && trace.id == request.trace) shown = trace_name(trace);
  }
  ImGui::SetNextItemWidth(std::min(scaled(210), ImGui::GetContentRegionAvail().x));
  if (ImGui::BeginCombo("##against", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable("The ETRecord's graph", request.against == Against::Graph)) {
      request.against = Against::Graph;
      model_.measure(context.document);
    }
    for (const inspector::TraceSummary& trace : traces) {
      if (trace.id == own) continue;
      const std::string label = trace_name(trace).substr(9);
      if (ImGui::Selectable(label.c_str(), request.against == Against::Trace && request.trace == trace.id)) {
        request.against = Against::Trace;
        request.trace = trace.id;
        model_.measure(context.document);
      }
    }
    if (ImGui::Selectable("Files: another run, or recorded tensors", request.against == Against::Files)) {
      request.against = Against::Files;
      request.files = typed_paths(paths_);
      model_.measure(context.document);
    }
    ImGui::EndCombo();
  }
  item_tooltip(
      "What is right: the graph as it was exported, worked out node by node by et-check; another trace with "
      "logged tensors; tensors recorded in Python.");
  if (request.against != Against::Files) return;
  next_width_of(paths_, 300);
  bool go = ImGui::InputTextWithHint("##paths", "run.etdp run.bin, store.db#2, eager.npz", &paths_,
                                     ImGuiInputTextFlags_EnterReturnsTrue);
  item_tooltip(
      "An ETDump with its debug buffer, a trace of a store, an .npz archive or a folder of .npy files; several "
      "paths stand between spaces.");
  flow_button("Compare");
  go = ImGui::Button("Compare") || go;
  if (!go) return;
  request.files = typed_paths(paths_);
  model_.measure(context.document);
}

/// The run's inputs are in no file: who ran it knows them.
void NumericsPanel::draw_inputs(PanelContext& context) {
  inspector::GraphInputs& inputs = model_.request.inputs;
  const NumericsFeed now = typed_feed_.value_or(feed_of(model_.fed()));
  if (std::string found = typed_feed_ || inputs.any() ? "" : typed_text(model_.fed());
      !found.empty() && found != found_inputs_)
    inputs_text_ = found_inputs_ = std::move(found);
  const FeedChoice& shown = kFeedChoices[static_cast<size_t>(now)];
  next_width(190);
  if (ImGui::BeginCombo("##inputs", shown.title)) {
    for (const FeedChoice& choice : kFeedChoices) {
      if (!ImGui::Selectable(choice.title, choice.kind == now) || choice.kind == now) continue;
      inputs_text_.clear();
      found_inputs_.clear();
      typed_feed_ = choice.kind;  // what needs a word waits for it
      if (choice.hint != nullptr) continue;
      typed_feed_.reset();
      inputs = {};
      inputs.ones = choice.kind == NumericsFeed::Ones;
      inputs.zeros = choice.kind == NumericsFeed::Zeros;
      model_.measure(context.document);
    }
    ImGui::EndCombo();
  }
  item_tooltip("What feeds the graph: it must be what the run had. et-run has ones unless it is told otherwise.");
  if (shown.hint == nullptr) return;
  next_width_of(inputs_text_, 160);
  const bool entered =
      ImGui::InputTextWithHint("##feed", shown.hint, &inputs_text_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (!inputs_text_.empty()) item_tooltip(inspector::printable(inputs_text_));
  if (!entered) return;
  if (inputs_text_.empty()) return;
  typed_feed_.reset();
  inputs = {};
  if (now == NumericsFeed::Random) inputs.random = inputs_text_;
  if (now == NumericsFeed::Files) inputs.files = typed_paths(inputs_text_);
  if (now == NumericsFeed::Cases) inputs.cases = inputs_text_;
  model_.measure(context.document);
}

void NumericsPanel::draw_execution(PanelContext& context) {
  const auto& all = model_.executions();
  const auto logged = std::count_if(all.begin(), all.end(), [](const auto& e) { return e.has_values; });
  if (logged < 2) return;
  const auto name = [&](size_t i) {
    std::string text = "Execution " + std::to_string(i);
    if (!all[i].method.empty()) text += " " + inspector::printable(all[i].method);
    if (all[i].test_case) text += ", case " + std::to_string(*all[i].test_case);
    return text;
  };
  const int64_t now = model_.execution();
  next_width(190);
  if (!ImGui::BeginCombo("##execution", now < 0 ? "" : name(static_cast<size_t>(now)).c_str())) return;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].has_values || !ImGui::Selectable(name(i).c_str(), now == static_cast<int64_t>(i))) continue;
    model_.request.execution = static_cast<int64_t>(i);
    model_.measure(context.document);
  }
  ImGui::EndCombo();
}

void NumericsPanel::draw_metric() {
  next_width(130);
  if (ImGui::BeginCombo("##metric", metric_title(model_.metric))) {
    for (size_t i = 0; i < kNumericsMetrics; ++i) {
      const auto metric = static_cast<NumericsMetric>(i);
      if (ImGui::Selectable(metric_title(metric), metric == model_.metric)) model_.metric = metric;
    }
    ImGui::EndCombo();
  }
  item_tooltip("What the plot shows of each tensor.");
}

}  // namespace et::gui
