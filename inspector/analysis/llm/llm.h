// A trace as that of a language model: how long until the first token and from token to token, what position costs,
// how large the caches are, and where the time of prefill and of decode goes, by kind of work and by layer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/llm/kv_cache.h"
#include "inspector/analysis/llm/layer_kind.h"
#include "inspector/analysis/llm/phase_costs.h"
#include "inspector/analysis/llm/token_steps.h"

namespace et::inspector {

/// Time of a token over its position: a line through the warm decode steps, by medians of slopes.
struct TokenGrowth {
  double per_token = 0;              ///< ticks that one more position costs
  double at_first = 0, at_last = 0;  ///< the line at the first and the last position that ran
  int64_t first = 0, last = 0;
};

struct TokenTimes {
  int64_t tokens = 0;       ///< decode steps that ended
  int64_t warm_tokens = 0;  ///< of them, not the cold one
  double median = 0;        ///< of a warm decode step
  double p99 = 0;           ///< the same, a step that took it; 0: too few of them
  /// From the start of a sequence to the end of its prefill, everything between included; median over the sequences
  /// but the first, which is cold. 0 where there is none.
  double first_token = 0, cold_first_token = 0;
  int64_t prompt_tokens = 0;  ///< of all sequences; 0: not known
  double prompt_time = 0;     ///< time of their prefill steps
  double prompt_rate = 0;  ///< tokens a tick, median over warm prefill steps, over all where none is warm; 0: not known
  bool prompt_warm = false;  ///< the rate is of warm steps
  double decode_wall = 0;    ///< from the first warm decode step of a sequence to the end of its last, all sequences
  double decode_time = 0;    ///< of it, inside executions
  std::optional<TokenGrowth> growth;  ///< only where it is not noise
};

/// Indexed by TokenPhase::Prefill and ::Decode.
using PhasePair = std::array<double, 2>;

struct LayerCost {
  int64_t layer = -1;  ///< -1: outside of layers
  std::string stack;   ///< "decoder.block", where several have layers; else ""
  PhasePair time = {};
  std::array<PhasePair, kLayerKinds> kinds = {};
};

/// What an op costs for a kind of work in a layer: one of several nodes is divided among them.
struct OpCharge {
  uint32_t op = 0;  ///< index into the table
  int64_t layer = -1;
  std::string stack;  ///< as LayerCost
  LayerKind kind = LayerKind::Other;
  PhasePair time = {};
};

struct LlmView {
  std::string unit;  ///< ns or cycles
  Basis basis;       ///< of phases, kinds and layers; the times of tokens are always of warm steps
  bool has_graph = false;
  TokenSteps steps;
  TokenTimes times;
  std::vector<KvCache> caches;
  std::array<PhaseCosts, 2> phases;
  std::array<PhasePair, kLayerKinds> kinds = {};
  std::vector<LayerCost> layers;  ///< by number
  std::vector<OpCharge> charges;  ///< what kinds and layers are sums of; by op

  int64_t cache_bytes() const;
  /// Room of the smallest cache; 0: not known.
  int64_t cache_positions() const;
  /// A model with a cache, or with phases, methods or shapes that tell prefill and decode apart.
  bool is_language_model() const;
  /// Attention takes a part of it: kinds and layers say something of an encoder, too.
  bool has_attention() const;
  /// Tokens come out of it, as far as anything tells: a cache, phases, or an output head over tokens that are looked
  /// up. Of an encoder nothing that is said of tokens holds.
  bool makes_tokens() const;
  /// "prefill", "decode" or "other"; "unknown" of all where nothing tells them apart: they are counted as decode then.
  const char* phase_name(TokenPhase phase) const;
  /// Prompts were read, and neither the trace nor the caller says how long they were.
  bool prompt_missing() const;
};

/// `shown`: of load_shown_ops(), on the basis that costs are to be of. `hints`: as in find_token_steps().
/// Errors: InvalidExternalData (damaged store); NotFound for a trace without executions.
Status language_model(const Store& store, const OpTable& shown, LlmView* out, const TokenHints& hints = {});

}  // namespace et::inspector
