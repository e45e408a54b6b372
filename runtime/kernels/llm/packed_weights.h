// Quantised linear weights as torchao packs them for 8-bit activations (format "universal", tiles of 8 rows by 16
// columns in two halves): a header of 64 bytes, then for every 8 rows and every group of columns the numbers, 8 scales
// and 8 sums. Little-endian. Only reading; sums are skipped.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

class PackedWeights {
 public:
  static constexpr int64_t kRows = 8, kCols = 16, kHeader = 64;

  /// `bits` is 4 or 8, `cols` and `group` are multiples of 16. False: the bytes cannot hold such weights, or have
  /// another format.
  bool open(const uint8_t* bytes, int64_t size, int64_t rows, int64_t cols, int64_t group, int64_t bits) {
    data_ = bytes;
    group_ = group;
    bits_ = bits;
    group_bytes_ = group * kRows * bits / 8 + kRows * 8;
    row_bytes_ = cols / group * group_bytes_;
    int32_t header[8];
    if (size < kHeader || (size - kHeader) / row_bytes_ < (rows + kRows - 1) / kRows) return false;
    std::memcpy(header, bytes, sizeof header);
    constexpr int32_t kMagic = 6712, kUniversal = 1;
    return header[0] == kMagic && header[1] == kUniversal && header[2] == bits && header[3] == 0 && header[4] == 0 &&
           header[5] == kRows && header[6] == kCols && header[7] == 2;
  }

  /// One group of columns of one row, as floats.
  void read_group(int64_t row, int64_t group, float* out) const {
    const uint8_t* block = data_ + kHeader + row / kRows * row_bytes_ + group * group_bytes_;
    const int64_t line = row % kRows;
    float scale = 0;
    std::memcpy(&scale, block + group_ * kRows * bits_ / 8 + line * 4, sizeof scale);
    for (int64_t c = 0; c < group_; ++c) {
      const int64_t in_tile = c % kCols;
      const uint8_t* tile = block + c / kCols * (kRows * kCols * bits_ / 8);
      const int64_t at = in_tile / 8 * 64 + line * 8 + in_tile % 8;
      int value = 0;
      if (bits_ == 8) {
        value = static_cast<int8_t>(tile[at]);
      } else {
        // 32 numbers in 16 bytes: the first 16 in the low halves.
        const uint8_t byte = tile[at / 32 * 16 + at % 16];
        value = static_cast<int>(at % 32 < 16 ? byte & 15u : byte >> 4) - 8;
      }
      out[c] = static_cast<float>(value) * scale;
    }
  }

 private:
  const uint8_t* data_ = nullptr;
  int64_t group_ = 0, bits_ = 0, group_bytes_ = 0, row_bytes_ = 0;
};

}  // namespace et::ET_KERNELS
