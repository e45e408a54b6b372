// Which executions of a trace take in a prompt (prefill) and which make a token (decode), and where each stands in its
// sequence. What says so best decides: the phase that the application gave, the names of the methods, the shapes, and
// only where shapes are dynamic and nothing was logged the times themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Other: of a method that does neither, e.g. an image encoder beside two methods that are named for it.
enum class TokenPhase : uint8_t { Prefill, Decode, Other };
const char* token_phase_name(TokenPhase phase);  ///< "prefill"

enum class ToldBy : uint8_t { Phase, Method, Shapes, Time, Nothing };

struct TokenStep {
  int64_t run_id = 0, start = 0, duration = 0;  ///< in the unit of the trace
  uint32_t block = 0;                           ///< index into OpTable::blocks
  int32_t execution = 0;                        ///< number among the executions of its method
  TokenPhase phase = TokenPhase::Decode;
  bool cold = false, complete = true;
  int64_t tokens = 0;    ///< that it takes in; 0: not known
  int32_t sequence = 0;  ///< prefill after decode begins another
  int64_t position = 0;  ///< tokens before it in its sequence; of decode without its prompt where that is not known
};

/// Executions of a method that is named for one phase, to which the application gave the other.
struct PhaseConflict {
  std::string method, phase;
  int64_t executions = 0;
};

struct TokenSteps {
  std::vector<TokenStep> steps;  ///< in the order of time
  ToldBy told_by = ToldBy::Nothing;
  std::vector<PhaseConflict> conflicts;  ///< told_by says which of both counts
  int32_t sequences = 0;
  bool prompt_known = false;  ///< positions count the prompt
  bool prompt_given = false;  ///< its tokens are not the trace's, but what the caller said
  /// Tokens that a method takes as another input than the one that is counted, as encoder and decoder in one do; 0: it
  /// has none.
  int64_t other_tokens = 0;

  std::vector<const TokenStep*> of(TokenPhase phase) const;
};

/// What the reader knows and the trace does not say.
struct TokenHints {
  int64_t prompt_tokens = 0;  ///< that each prefill takes in; 0: not known
  /// Whether the names of the methods count or the phases that the application gave, where they contradict. nullopt:
  /// the names where a prefill is called a decode step, which no application means: it set the phase too late.
  std::optional<bool> by_method = {};
};

/// `shown`: of load_shown_ops(), on any basis. `has_cache`: the model has a key-value cache. Errors:
/// InvalidExternalData (damaged store).
Status find_token_steps(const Store& store, const OpTable& shown, bool has_cache, const TokenHints& hints,
                        TokenSteps* out);

}  // namespace et::inspector
