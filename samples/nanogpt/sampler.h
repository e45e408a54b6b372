// Picks the next token: the most likely one, or one of the `top_k` most likely ones by chance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

class Sampler {
 public:
  /// `temperature` 0: always the most likely token.
  Sampler(double temperature, size_t top_k, uint32_t seed) : temperature_(temperature), top_k_(top_k), random_(seed) {}

  int64_t pick(std::span<const float> logits) {
    std::vector<int64_t> order(logits.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return at(logits, a) > at(logits, b); });
    if (temperature_ <= 0) return order[0];
    order.resize(std::min(order.size(), top_k_));
    std::vector<double> weights;
    for (const int64_t token : order)
      weights.push_back(std::exp((at(logits, token) - at(logits, order[0])) / temperature_));
    // Not std::discrete_distribution, whose choice is the library's own: the same seed gives the same text everywhere.
    double left = static_cast<double>(random_()) / 4294967296.0 * std::accumulate(weights.begin(), weights.end(), 0.0);
    for (size_t i = 0; i < order.size(); ++i) {
      left -= weights[i];
      if (left < 0) return order[i];
    }
    return order.back();
  }

 private:
  static double at(std::span<const float> logits, int64_t token) {
    return static_cast<double>(logits[static_cast<size_t>(token)]);
  }

  double temperature_;
  size_t top_k_;
  std::mt19937 random_;
};
