#include "inspector/analysis/llm/llm.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "inspector/analysis/llm/layer_shapes.h"
#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/match/nearest_rank.h"
#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

/// Slopes between each step and the one half the series later: medians of them see no single slow step, and the signs
/// of independent pairs say whether there is a slope at all.
std::optional<TokenGrowth> growth_of(const std::vector<const TokenStep*>& steps) {
  constexpr size_t kLeastPairs = 8;
  constexpr double kDeviations = 3;      // of the number of rising pairs from a half
  constexpr double kWorthSaying = 0.02;  // of a token, over all positions
  std::vector<const TokenStep*> by_position(steps);
  std::stable_sort(by_position.begin(), by_position.end(),
                   [](const TokenStep* a, const TokenStep* b) { return a->position < b->position; });
  const size_t half = by_position.size() / 2;
  if (half < kLeastPairs) return std::nullopt;
  std::vector<double> slopes, levels;
  double rising = 0;
  for (size_t i = 0; i < half; ++i) {
    const TokenStep &a = *by_position[i], &b = *by_position[i + by_position.size() - half];
    if (a.position == b.position) continue;
    const auto rise = static_cast<double>(b.duration - a.duration);
    slopes.push_back(rise / static_cast<double>(b.position - a.position));
    rising += rise > 0 ? 1 : rise < 0 ? 0 : 0.5;
  }
  const auto pairs = static_cast<double>(slopes.size());
  if (slopes.size() < kLeastPairs || std::abs(rising - pairs / 2) < kDeviations * std::sqrt(pairs) / 2)
    return std::nullopt;
  TokenGrowth growth;
  growth.per_token = median_of(slopes);
  for (const TokenStep* step : by_position)
    levels.push_back(static_cast<double>(step->duration) - growth.per_token * static_cast<double>(step->position));
  const double level = median_of(levels);
  growth.first = by_position.front()->position;
  growth.last = by_position.back()->position;
  growth.at_first = level + growth.per_token * static_cast<double>(growth.first);
  growth.at_last = level + growth.per_token * static_cast<double>(growth.last);
  const double total = std::abs(growth.at_last - growth.at_first);
  return total < kWorthSaying * std::max(growth.at_first, growth.at_last) ? std::nullopt : std::optional(growth);
}

struct SequenceTimes {
  int64_t start = 0, prompt_end = 0, decode_start = 0, decode_end = 0;
  bool has_prompt = false, has_decode = false, cold = false;
};

std::vector<SequenceTimes> sequences_of(const TokenSteps& steps) {
  std::vector<SequenceTimes> out(static_cast<size_t>(steps.sequences));
  std::vector<char> begun(out.size());
  for (const TokenStep& step : steps.steps) {
    if (static_cast<size_t>(step.sequence) >= out.size()) break;
    SequenceTimes& s = out[static_cast<size_t>(step.sequence)];
    if (begun[static_cast<size_t>(step.sequence)] == 0) s.start = step.start;
    begun[static_cast<size_t>(step.sequence)] = 1;
    s.cold = s.cold || step.cold;
    int64_t end = 0;  // of a clock at its end there is nothing later
    if (__builtin_add_overflow(step.start, std::max<int64_t>(step.duration, 0), &end)) end = step.start;
    if (step.phase == TokenPhase::Prefill) {
      s.prompt_end = end;
      s.has_prompt = true;
    } else if (step.phase == TokenPhase::Decode) {
      if (step.cold) continue;  // what it is slow by is not the rate
      if (!s.has_decode) s.decode_start = step.start;
      s.decode_end = end;
      s.has_decode = true;
    }
  }
  return out;
}

TokenTimes times_of(const LlmView& view) {
  TokenTimes t;
  std::vector<const TokenStep*> warm;
  std::vector<int64_t> durations;
  std::vector<double> firsts;
  std::vector<double> rates, warm_rates;
  bool prompts_known = true;
  for (const TokenStep& step : view.steps.steps) {
    if (step.phase == TokenPhase::Prefill) {
      t.prompt_tokens += step.tokens;
      t.prompt_time += static_cast<double>(step.duration);
      prompts_known = prompts_known && step.tokens > 0;
      if (step.complete && step.duration > 0)
        (step.cold ? rates : warm_rates)
            .push_back(static_cast<double>(step.tokens) / static_cast<double>(step.duration));
    }
    if (step.phase != TokenPhase::Decode) continue;
    if (step.complete) ++t.tokens;
    if (step.cold || !step.complete) continue;
    ++t.warm_tokens;
    t.decode_time += static_cast<double>(step.duration);
    warm.push_back(&step);
    durations.push_back(step.duration);
  }
  if (!prompts_known) t.prompt_tokens = 0;
  t.prompt_warm = !warm_rates.empty();
  if (prompts_known) t.prompt_rate = median_of(t.prompt_warm ? warm_rates : rates);
  for (const SequenceTimes& s : sequences_of(view.steps)) {
    if (s.has_decode) t.decode_wall += static_cast<double>(s.decode_end - s.decode_start);
    if (!s.has_prompt) continue;
    (s.cold ? t.cold_first_token : firsts.emplace_back()) = static_cast<double>(s.prompt_end - s.start);
  }
  t.first_token = median_of(firsts);
  t.median = view.phases[static_cast<size_t>(TokenPhase::Decode)].median;
  if (std::ssize(durations) >= kFewestForP99) t.p99 = static_cast<double>(nearest_rank(durations, 0.99));
  t.growth = growth_of(warm);
  return t;
}

/// Charges the costs of ops to kinds and layers, by the nodes that they are linked to.
class Charger {
 public:
  Charger(const OpTable& shown, const LayerShapes& shapes, LlmView* view)
      : shown_(shown), shapes_(shapes), parts_(parts_of(shown)), view_(view) {}

  void charge() {
    for (size_t i = 0; i < shown_.ops.size(); ++i) {
      const PhasePair cost = {view_->phases[0].cost[i], view_->phases[1].cost[i]};
      if (cost[0] != 0 || cost[1] != 0) charge_op(i, cost);
    }
    const bool several = stacks_.size() > 1;
    for (auto& [place, layer] : layers_) {
      if (!several) layer.stack.clear();
      view_->layers.push_back(layer);
    }
    if (several) return;
    for (OpCharge& c : view_->charges) c.stack.clear();
  }

 private:
  void charge_op(size_t index, const PhasePair& cost) {
    const OpEntry& op = shown_.ops[index];
    double weights = 0;
    for (uint32_t n = 0; n < op.nodes; ++n) weights += shown_.nodes[op.first_node + n].weight;
    // What calling a kernel takes is the kernel's, as everywhere.
    const bool unattributed = parts_[index].overhead && parts_[index].part == Part::Delegate;
    if (parts_[index].part == Part::Framework || unattributed) {
      add(index, -1, unattributed ? LayerKind::Unattributed : LayerKind::Framework, cost, 1);
      return;
    }
    if (weights <= 0) {
      add(index, -1, layer_kind("", "", std::string_view(called_kernel(shown_, op).name)), cost, 1);
      return;
    }
    for (uint32_t n = 0; n < op.nodes; ++n) {
      const OpNode& node = shown_.nodes[op.first_node + n];
      const NodeFacts& f = *node.node;
      add(index, layer_number(f.module_path), shapes_.kind(f), cost, node.weight / weights, layer_stack(f.module_path));
    }
  }

  /// Layer 0 of an encoder is another one than that of its decoder.
  void add(size_t index, int64_t layer, LayerKind kind, const PhasePair& cost, double part,
           const std::string& stack = "") {
    size_t place = 0;  // outside of layers; else in which order stacks run
    if (layer >= 0) place = stacks_.try_emplace(stack, stacks_.size() + 1).first->second;
    LayerCost& row = layers_[{place, layer}];
    row.layer = layer;
    row.stack = stack;
    const auto op = static_cast<uint32_t>(index);
    std::vector<OpCharge>& charges = view_->charges;
    const bool again = !charges.empty() && charges.back().op == op && charges.back().layer == layer &&
                       charges.back().stack == stack && charges.back().kind == kind;
    if (!again) charges.push_back({op, layer, stack, kind, {}});
    for (size_t p = 0; p < cost.size(); ++p) {
      const double time = cost[p] * part;
      view_->kinds[static_cast<size_t>(kind)][p] += time;
      row.time[p] += time;
      row.kinds[static_cast<size_t>(kind)][p] += time;
      charges.back().time[p] += time;
    }
  }

  const OpTable& shown_;
  const LayerShapes& shapes_;
  std::vector<OpPart> parts_;
  LlmView* view_;
  std::map<std::string, size_t> stacks_;
  std::map<std::pair<size_t, int64_t>, LayerCost> layers_;
};

}  // namespace

int64_t LlmView::cache_bytes() const {
  int64_t sum = 0;
  for (const KvCache& cache : caches) sum += cache.bytes;
  return sum;
}

int64_t LlmView::cache_positions() const {
  int64_t least = 0;
  for (const KvCache& cache : caches) least = least == 0 ? cache.positions : std::min(least, cache.positions);
  return least;
}

bool LlmView::is_language_model() const { return !caches.empty() || steps.told_by != ToldBy::Nothing; }

bool LlmView::has_attention() const {
  constexpr double kLeast = 0.01;  // of an execution
  for (size_t p = 0; p < phases.size(); ++p) {
    if (kinds[static_cast<size_t>(LayerKind::Attention)][p] > kLeast * phases[p].whole) return true;
  }
  return false;
}

bool LlmView::makes_tokens() const {
  if (is_language_model()) return true;
  const auto takes_time = [&](LayerKind kind) {
    const PhasePair& time = kinds[static_cast<size_t>(kind)];
    return time[0] > 0 || time[1] > 0;
  };
  return takes_time(LayerKind::Embedding) && takes_time(LayerKind::Head);
}

bool LlmView::prompt_missing() const {
  return steps.told_by != ToldBy::Nothing && times.prompt_tokens == 0 &&
         phases[static_cast<size_t>(TokenPhase::Prefill)].executions > 0;
}

const char* LlmView::phase_name(TokenPhase phase) const {
  return steps.told_by == ToldBy::Nothing ? "unknown" : token_phase_name(phase);
}

Status language_model(const Store& store, const OpTable& shown, LlmView* out, const TokenHints& hints) {
  *out = {};
  out->unit = shown.unit;
  out->basis = shown.basis.kind == BasisKind::Range ? Basis() : shown.basis;
  out->has_graph = shown.has_links();
  Status status = find_kv_caches(store, shown.trace_id, &out->caches);
  if (status.ok()) status = find_token_steps(store, shown, !out->caches.empty(), hints, &out->steps);
  if (!status.ok()) return status;
  if (out->steps.steps.empty()) return {Error::NotFound, "the trace has no execution of a method"};
  for (const TokenPhase phase : {TokenPhase::Prefill, TokenPhase::Decode}) {
    status = phase_costs(store, shown, out->steps.of(phase), &out->phases[static_cast<size_t>(phase)]);
    if (!status.ok()) return status;
  }
  out->times = times_of(*out);
  LayerShapes shapes;
  if (status = shapes.load(store, shown.trace_id); status.ok()) Charger(shown, shapes, out).charge();
  return status;
}

}  // namespace et::inspector
