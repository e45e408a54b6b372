// Remembers the answers of a predicate over two lists of texts in which few texts differ: an alignment asks for every
// pair, but a program of thousands of nodes has a dozen types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace et::inspector {

template <class Predicate>
class TextFits {
 public:
  /// The texts must outlive this object.
  TextFits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, Predicate fits)
      : a_(number(a, &different_a_)), b_(number(b, &different_b_)), fits_(std::move(fits)) {
    // Texts of a file may all differ: then nothing is remembered.
    if (different_b_.empty() || different_a_.size() <= kMostPairs / different_b_.size()) {
      known_.assign(different_a_.size() * different_b_.size(), kUnknown);
    }
  }

  bool operator()(size_t i, size_t j) {
    const size_t x = a_[i], y = b_[j];
    if (known_.empty()) return fits_(different_a_[x], different_b_[y]);
    int8_t& answer = known_[x * different_b_.size() + y];
    if (answer == kUnknown) answer = fits_(different_a_[x], different_b_[y]) ? 1 : 0;
    return answer == 1;
  }

 private:
  static constexpr int8_t kUnknown = -1;
  static constexpr size_t kMostPairs = size_t{1} << 20;

  static std::vector<size_t> number(const std::vector<std::string_view>& texts,
                                    std::vector<std::string_view>* different) {
    std::unordered_map<std::string_view, size_t> numbers;
    std::vector<size_t> out;
    out.reserve(texts.size());
    for (const std::string_view t : texts) {
      const auto [it, fresh] = numbers.try_emplace(t, different->size());
      if (fresh) different->push_back(t);
      out.push_back(it->second);
    }
    return out;
  }

  std::vector<std::string_view> different_a_, different_b_;
  std::vector<size_t> a_, b_;
  Predicate fits_;
  std::vector<int8_t> known_;
};

}  // namespace et::inspector
