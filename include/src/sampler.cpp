// Choosing tokens: the greatest logit, or by chance among the likeliest.
#include "executorch/extension/llm/sampler/sampler.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "executorch/extension/llm/sampler/util.h"
#include "executorch/runtime/platform/assert.h"

namespace executorch::extension::llm {

Sampler::Sampler(int32_t vocab_size, float temperature, float topp, unsigned long long rng_seed)
    : vocab_size_(vocab_size), inverse_temperature_(0), topp_(topp), state_(rng_seed) {
  set_temperature(temperature);
}
Sampler::Sampler(int32_t vocab_size, float temperature)
    : Sampler(vocab_size, temperature, kTopp, static_cast<unsigned long long>(std::time(nullptr))) {}

// [0, 1) in steps of 2^-24, from splitmix64, which any seed suits.
float Sampler::random() {
  state_ += 0x9e3779b97f4a7c15ull;
  unsigned long long z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<float>(z >> 40) * 0x1p-24f;
}

int32_t Sampler::draw(const std::vector<Candidate>& candidates, float sum) {
  float left = random() * sum;
  for (const Candidate& c : candidates) {
    left -= c.probability;
    if (left < 0) return c.token;
  }
  return candidates.back().token;  // rounding
}

template <class T>
int32_t Sampler::sample(T* logits) {
  T* const end = logits + vocab_size_;
  T* const greatest =
      std::max_element(logits, end, [](T a, T b) { return static_cast<float>(a) < static_cast<float>(b); });
  if (inverse_temperature_ == 0) return static_cast<int32_t>(greatest - logits);

  std::vector<Candidate> all(static_cast<size_t>(vocab_size_));
  const float top = static_cast<float>(*greatest);
  double sum = 0;
  for (int32_t i = 0; i < vocab_size_; ++i) {
    const float p = std::exp((static_cast<float>(logits[i]) - top) * inverse_temperature_);
    all[static_cast<size_t>(i)] = {p, i};
    sum += p;
  }
  for (Candidate& c : all) {
    c.probability = static_cast<float>(c.probability / sum);
    logits[c.token] = static_cast<T>(c.probability);
  }
  const auto likelier = [](const Candidate& a, const Candidate& b) { return a.probability > b.probability; };
  float kept = 1;
  if (topk_ > 0 && topk_ < vocab_size_) {
    std::partial_sort(all.begin(), all.begin() + topk_, all.end(), likelier);
    all.resize(static_cast<size_t>(topk_));
    kept = 0;
    for (const Candidate& c : all) kept += c.probability;
  } else if (topp_ > 0 && topp_ < 1) {
    std::sort(all.begin(), all.end(), likelier);
    kept = 0;
    size_t count = 0;
    while (count < all.size() && kept <= topp_) kept += all[count++].probability;
    all.resize(count);
  }
  return draw(all, kept);
}

template int32_t Sampler::sample<float>(float*);
template int32_t Sampler::sample<::executorch::aten::Half>(::executorch::aten::Half*);
template int32_t Sampler::sample<::executorch::aten::BFloat16>(::executorch::aten::BFloat16*);
template int32_t Sampler::sample<uint16_t>(uint16_t*);

int32_t sample_from_logits(const executorch::aten::Tensor& logits, Sampler& sampler) {
  ET_CHECK_MSG(logits.dim() > 0 && logits.numel() > 0, "logits: expected a vocabulary, got a tensor of %zd elements",
               logits.numel());
  const ssize_t vocabulary = logits.size(logits.dim() - 1);
  const ssize_t at = logits.dim() == 3 ? (logits.size(1) - 1) * vocabulary : 0;
  switch (logits.scalar_type()) {
    case executorch::aten::ScalarType::Float:
      return sampler.sample(logits.mutable_data_ptr<float>() + at);
    case executorch::aten::ScalarType::Half:
      return sampler.sample(logits.mutable_data_ptr<::executorch::aten::Half>() + at);
    case executorch::aten::ScalarType::BFloat16:
      return sampler.sample(logits.mutable_data_ptr<::executorch::aten::BFloat16>() + at);
    case executorch::aten::ScalarType::UInt16:
      return sampler.sample(logits.mutable_data_ptr<uint16_t>() + at);
    default:
      ET_CHECK_MSG(false, "logits: expected float, half, bfloat16 or uint16, got dtype %d",
                   static_cast<int>(logits.scalar_type()));
  }
}

int32_t logits_to_token(const executorch::aten::Tensor& logits, float temperature) {
  ET_CHECK_MSG(logits.dim() > 0, "logits: expected a vocabulary, got a single number");
  Sampler sampler(static_cast<int32_t>(logits.size(logits.dim() - 1)), temperature);
  return sample_from_logits(logits, sampler);
}

}  // namespace executorch::extension::llm
