// The first look at a language model: its figures, what is told beside them, and what to do next.
#include <algorithm>

#include "gui/core/window_words.h"
#include "gui/models/llm_model.h"
#include "inspector/report/findings_report.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::format_bytes;
using inspector::format_count;
using inspector::format_share;
using inspector::LayerKind;
using inspector::plural;
using inspector::TokenPhase;
using inspector::ToldBy;

constexpr size_t kOfPrefill = static_cast<size_t>(TokenPhase::Prefill),
                 kOfDecode = static_cast<size_t>(TokenPhase::Decode);
constexpr double kNsPerSecond = 1e9;
constexpr size_t kMostSteps = 3, kMostFindings = 2;
constexpr double kMuchGrowth = 1.25;  // of a token at the last position, against the first
constexpr double kMuchOfAToken = 0.25, kMuchOfTheCache = 0.15;

}  // namespace

double LlmModel::kind_share(LayerKind kind, size_t phase) const {
  return share(view_.kinds[static_cast<size_t>(kind)][phase], phase);
}

std::string LlmModel::rate_text(double tokens, double ticks) const {
  if (view_.unit != "ns" || !(ticks > 0) || !(tokens > 0)) return {};
  const double rate = tokens * kNsPerSecond / ticks;
  return inspector::format_real(rate, rate < 100 ? 1 : 0) + " tokens/s";
}

LlmFigure LlmModel::first_token_figure() const {
  const inspector::TokenTimes& t = view_.times;
  LlmFigure out{"First token", "–", ran(kOfPrefill) ? "no whole prefill in this trace" : "no prefill in this trace"};
  if (t.first_token > 0) {
    out.value = time_text(t.first_token);
    out.note = t.cold_first_token > 0 ? time_text(t.cold_first_token) + " in the first sequence, cold" : "";
  } else if (t.cold_first_token > 0) {
    out.value = time_text(t.cold_first_token);
    out.note = "cold: of the only sequence";
  }
  return out;
}

LlmFigure LlmModel::prefill_figure() const {
  const inspector::TokenTimes& t = view_.times;
  const inspector::PhaseCosts& prefill = view_.phases[kOfPrefill];
  if (!ran(kOfPrefill)) return {"Prefill", "–", "not in this trace"};
  const std::string rate = rate_text(t.prompt_rate, 1);
  if (rate.empty()) return {"Prefill", time_text(prefill.median), "of " + plural(prefill.executions, "execution")};
  std::string note = time_text(prefill.median);
  if (t.prompt_tokens > 0) note += " for " + plural(t.prompt_tokens / prefill.executions, "token");
  // The time is of both, the rate of the first: an encoder and its decoder in one program.
  if (view_.steps.other_tokens > 0)
    return {"Prefill", rate, note + "; " + format_count(view_.steps.other_tokens) + " of another input not counted"};
  return {"Prefill", rate, note + (t.prompt_warm ? ", warm median" : ", median")};
}

LlmFigure LlmModel::decode_figure() const {
  const inspector::TokenTimes& t = view_.times;
  const bool told = view_.steps.told_by != ToldBy::Nothing;
  const char* const name = told ? "Decode" : "Each execution";
  if (!ran(kOfDecode) || !(t.median > 0)) return {name, "–", "not in this trace"};
  const std::string rate = told ? rate_text(1, t.median) : "";
  const std::string p99 = t.p99 > 0 ? ", p99 " + time_text(t.p99) : "";
  const std::string of = t.warm_tokens > 0 ? plural(t.warm_tokens, "warm execution") : plural(t.tokens, "execution");
  if (rate.empty()) return {name, time_text(t.median), "median of " + of + p99};
  // What a user of the model sees has what lies between executions, too.
  constexpr double kWorthSaying = 0.01;
  std::string whole;
  if (t.warm_tokens > 1 && t.decode_wall - t.decode_time > kWorthSaying * t.decode_wall)
    whole = "; " + rate_text(static_cast<double>(t.warm_tokens), t.decode_wall) + " with the time between";
  return {name, rate, time_text(t.median) + " a token" + p99 + whole};
}

LlmFigure LlmModel::cache_figure() const {
  if (view_.caches.empty())
    return view_.has_graph ? LlmFigure{"KV cache", "none", "each token reads all before it again"}
                           : LlmFigure{"KV cache", "–", "not known without the ETRecord"};
  const int64_t bytes = view_.cache_bytes(), room = view_.cache_positions();
  std::string note = room > 0 ? "room for " + plural(room, "token") : plural(std::ssize(view_.caches), "tensor");
  if (bytes > 0 && around_.memory >= bytes)
    note += ", " + format_share(static_cast<double>(bytes) / static_cast<double>(around_.memory)) + " of the memory";
  if (const double part = kind_share(LayerKind::Cache, main_phase()); part > 0)
    note += ", " + format_share(part) + " of the time";
  return {"KV cache", bytes > 0 ? format_bytes(bytes) : plural(std::ssize(view_.caches), "tensor"), note};
}

/// "4", "239 µs to 244 µs each".
LlmFigure LlmModel::layers_figure() const {
  int64_t layers = 0;
  double least = 0, most = 0;
  for (const LlmPart& part : layers_) {
    if (!part.layer || *part.layer < 0 || part.time[main_phase()] == 0) continue;
    const double time = part.time[main_phase()];
    least = layers++ == 0 ? time : std::min(least, time);
    most = std::max(most, time);
  }
  if (layers == 0) return {};
  const std::string from = time_text(least), to = time_text(most);
  return {"Layers", format_count(layers), from == to ? from + " each" : from + " to " + to + " each"};
}

void LlmModel::add_figures() {
  if (view_.steps.told_by != ToldBy::Nothing) {
    figures_ = {first_token_figure(), prefill_figure(), decode_figure()};
  } else {
    figures_ = {decode_figure()};
    const double median = view_.times.median;
    if (view_.unit == "ns" && median > 0)
      figures_.push_back({"Executions a second", inspector::format_real(kNsPerSecond / median, median > 1e7 ? 1 : 0),
                          makes_tokens() ? "" : "each reads all of its input"});
  }
  if (makes_tokens()) figures_.push_back(cache_figure());
  if (LlmFigure layers = layers_figure(); !layers.name.empty()) figures_.push_back(std::move(layers));
}

void LlmModel::add_lines() {
  if (!makes_tokens())
    lines_.push_back(
        "An encoder, as far as its graph tells: it has attention, but neither a cache nor an output head over "
        "tokens, so that what is said of tokens elsewhere does not hold for it.");
  for (const auto& [name, text] : facts_) {
    if (name == "prefill and decode" && view_.steps.told_by != ToldBy::Nothing)
      lines_.push_back("Prefill and decode are told apart " + text + ".");
    if (name == "phase and method") lines_.push_back("Phase and method: " + text + ".");
    if (name == "position") lines_.push_back("Each further position: " + text + ".");
  }
}

void LlmModel::add_steps() {
  const auto step_of_kind = [&](LayerKind kind, std::string text) {
    const auto part = std::find_if(kinds_.begin(), kinds_.end(), [&](const LlmPart& p) { return p.kind == kind; });
    if (part == kinds_.end()) return;
    steps_.push_back({.text = std::move(text), .panel = "operators", .selection = selection_of(*part, kOfDecode)});
  };
  if (makes_tokens()) {
    if (view_.steps.told_by == ToldBy::Nothing)
      steps_.push_back({.text =
                            "Record which executions read a prompt and which make a token: et-run --phase prefill (or "
                            "decode), ETDumpGen::set_phase()"});
    if (view_.caches.empty() && view_.has_graph)
      steps_.push_back({.text = "Export the model with a KV cache: without one each new token costs what reading all "
                                "tokens before it does"});
    const auto& growth = view_.times.growth;
    if (growth && growth->at_first > 0 && growth->at_last > kMuchGrowth * growth->at_first)
      step_of_kind(LayerKind::Attention,
                   "A token at position " + format_count(growth->last) + " takes " +
                       inspector::format_real(growth->at_last / growth->at_first, 1) + " times that at " +
                       format_count(growth->first) +
                       ": attention over the cache grows. Fewer key-value heads or a window bound it");
    if (const double head = kind_share(LayerKind::Head, kOfDecode); ran(kOfDecode) && head >= kMuchOfAToken)
      step_of_kind(LayerKind::Head, "The output head takes " + format_share(head) +
                                        " of each token: a quantised weight or a smaller vocabulary has less of it");
    if (const double cache = kind_share(LayerKind::Cache, kOfDecode); ran(kOfDecode) && cache >= kMuchOfTheCache)
      step_of_kind(LayerKind::Cache,
                   "Writing the caches takes " + format_share(cache) +
                       " of each token: a cache that is updated in place (llama::update_cache) copies "
                       "one position, not all");
    if (ran(kOfPrefill) && !ran(kOfDecode) && !view_.caches.empty())
      steps_.push_back({.text = "Record decode steps as well: this trace has prompts alone"});
  }
  if (steps_.size() > kMostSteps - 1) steps_.resize(kMostSteps - 1);
  size_t findings = 0;
  for (const inspector::Advice& a : around_.advice) {
    if (!(a.likely_ns() > 0) || findings == kMostFindings || steps_.size() == kMostSteps || data_ == nullptr) break;
    ++findings;
    Selection s;
    if (!a.place.node.empty()) s = select_node(*data_, a.place.node);
    // Shares of a disturbed trace are of what its ops usually take, the bars above of all.
    const double whole = inspector::advice_whole(a, data_->shown), shown = view_.phases[main_phase()].whole;
    constexpr double kOther = 0.01;
    const bool other = whole > 0 && shown - whole > kOther * shown && view_.phases[main_phase()].variation > 0;
    steps_.push_back({.text = "Could save " + inspector::advice_range_text(a, data_->shown) +
                              (other ? " of what ops usually take, without the variation: " : ": ") +
                              in_window(a.title),
                      .panel = "findings",
                      .selection = std::move(s),
                      .finding = WantedFinding{a.id, a.method, a.title}});
  }
}

}  // namespace et::gui
