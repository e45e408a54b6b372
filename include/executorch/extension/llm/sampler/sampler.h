// Sampler: chooses a token by its logits.
#pragma once

#include <cstdint>
#include <vector>

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch::extension::llm {

inline constexpr auto kTopp = 0.9f;

class Sampler {
 public:
  /// Temperature 0: the greatest logit. `topp` strictly between 0 and 1: only the likeliest tokens that together reach
  /// it. The same seed gives the same tokens.
  Sampler(int32_t vocab_size, float temperature, float topp, unsigned long long rng_seed);
  /// The seed is the time.
  Sampler(int32_t vocab_size, float temperature);

  /// Below 0 counts as 0.
  void set_temperature(float temperature) { inverse_temperature_ = temperature > 0 ? 1 / temperature : 0; }
  /// Only the k likeliest tokens, whatever `topp` is; 0, less, or the whole vocabulary: no such limit.
  void set_topk(int32_t k) { topk_ = k; }

  /// Of `vocab_size` logits of float, Half, BFloat16 or uint16_t, which are overwritten unless the temperature is 0.
  template <class T>
  int32_t sample(T* logits);

 private:
  struct Candidate {
    float probability;
    int32_t token;
  };
  int32_t draw(const std::vector<Candidate>& candidates, float sum);
  float random();

  int32_t vocab_size_;
  float inverse_temperature_;
  float topp_;
  int32_t topk_ = 0;
  unsigned long long state_;
};

}  // namespace executorch::extension::llm
namespace torch::executor {
using ::executorch::extension::llm::Sampler;
}
namespace executorch::llm {
using ::executorch::extension::llm::kTopp;
}
