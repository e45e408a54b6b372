// Any tensor description over any buffer. Input: dtype, flags, rank, number of strides, offset (8 bytes), then sizes
// and strides (8 bytes each, or 1 byte each when flag 1 is set), then the buffer.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "etdump/debug_buffer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace et::etdump;
  if (size < 12) return 0;
  size_t at = 12;
  const bool small = (data[1] & 1) != 0;
  auto numbers = [&](size_t count) {
    std::vector<int64_t> out;
    const size_t width = small ? 1 : 8;
    for (size_t i = 0; i < count && size - at >= width; ++i, at += width) {
      int64_t value = data[at];
      if (!small) std::memcpy(&value, data + at, 8);
      out.push_back(value);
    }
    return out;
  };
  const std::vector<int64_t> sizes = numbers(data[2] % 70);
  const std::vector<int64_t> strides = numbers(data[3] % 70);
  TensorInfo info;
  info.raw_dtype = static_cast<int8_t>(data[0]);
  info.dtype = static_cast<et::ScalarType>(info.raw_dtype);
  info.sizes = sizes;
  info.strides = strides;
  std::memcpy(&info.offset, data + 4, 8);
  if (small) info.offset &= 0xff;

  const DebugBuffer buffer(std::span<const uint8_t>(data + at, size - at));
  const TensorSummary summary = summarise(buffer, info);
  TensorView view;
  if (buffer.open(info, &view) != summary.fault) std::abort();
  if (summary.fault != TensorFault::None) return 0;
  std::vector<uint8_t> dense(view.byte_count());
  if (!view.copy_dense(dense)) std::abort();
  // The dense copy and the element accessor must agree.
  for (uint64_t i = 0; i < view.numel(); i += 1 + view.numel() / 64) {
    const double a = view.at(i);
    const double b = element_as_double(view.dtype(), dense.data() + i * view.element_bytes());
    if (std::memcmp(&a, &b, sizeof a) != 0 && a == a) std::abort();
  }
  return 0;
}
