// A fuzzer's bytes at an aligned address and in a block of exactly their size, so that readers which want alignment run
// and a read past the end shows.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

namespace et::fuzz {

class AlignedInput {
 public:
  AlignedInput(const uint8_t* data, size_t size) : size_(size), block_(std::malloc(size == 0 ? 1 : size)) {
    if (block_ == nullptr) std::abort();
    if (size != 0) std::memcpy(block_, data, size);
  }
  AlignedInput(const AlignedInput&) = delete;
  AlignedInput& operator=(const AlignedInput&) = delete;
  ~AlignedInput() { std::free(block_); }
  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(block_), size_}; }

 private:
  size_t size_;
  void* block_;
};

}  // namespace et::fuzz
