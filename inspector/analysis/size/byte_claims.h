// Who owns the bytes of a file: the first who claims a byte has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace et::inspector {

class ByteClaims {
 public:
  explicit ByteClaims(uint64_t size) : size_(size) {}

  /// Takes what is still free of [offset, offset + count) and says how many bytes that was.
  uint64_t claim(uint64_t offset, uint64_t count) {
    uint64_t at = std::min(offset, size_);
    const uint64_t end = at + std::min(count, size_ - at);
    uint64_t got = 0;
    while (at < end) {
      const auto next = taken_.upper_bound(at);
      if (next != taken_.begin()) at = std::max(at, std::prev(next)->second);
      const uint64_t until = next == taken_.end() ? end : std::min(end, next->first);
      if (at >= until) continue;
      got += until - at;
      take(at, until);
      at = until;
    }
    return got;
  }

 private:
  void take(uint64_t begin, uint64_t end) {
    auto [at, fresh] = taken_.emplace(begin, end);
    if (!fresh) at->second = std::max(at->second, end);
    if (at != taken_.begin() && std::prev(at)->second == at->first) {
      std::prev(at)->second = at->second;
      at = std::prev(taken_.erase(at));
    }
    const auto behind = std::next(at);
    if (behind != taken_.end() && behind->first == at->second) {
      at->second = behind->second;
      taken_.erase(behind);
    }
  }

  uint64_t size_;
  std::map<uint64_t, uint64_t> taken_;  // begin → end, neither touching nor overlapping
};

}  // namespace et::inspector
