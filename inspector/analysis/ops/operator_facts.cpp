// What is known of operators and tensors by their names alone: which only move data, and how many bytes a tensor has.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

constexpr std::array<std::string_view, 33> kMoves = {"clone",
                                                     "_clone_dim_order",
                                                     "copy",
                                                     "_to_copy",
                                                     "_to_dim_order_copy",
                                                     "permute_copy",
                                                     "permute",
                                                     "transpose_copy",
                                                     "t_copy",
                                                     "view_copy",
                                                     "et_view",
                                                     "expand_copy",
                                                     "unsqueeze_copy",
                                                     "squeeze_copy",
                                                     "slice_copy",
                                                     "select_copy",
                                                     "split_copy",
                                                     "split_with_sizes_copy",
                                                     "unbind_copy",
                                                     "narrow_copy",
                                                     "cat",
                                                     "stack",
                                                     "constant_pad_nd",
                                                     "detach_copy",
                                                     "alias_copy",
                                                     "lift_fresh_copy",
                                                     "contiguous",
                                                     "_empty_dim_order",
                                                     "to",
                                                     "reshape",
                                                     "view",
                                                     "_unsafe_view",
                                                     "et_copy_index"};

struct Dtype {
  std::string_view name;
  int64_t bytes;
};
constexpr std::array<Dtype, 19> kDtypes = {{{"float32", 4},
                                            {"float64", 8},
                                            {"float16", 2},
                                            {"bfloat16", 2},
                                            {"int8", 1},
                                            {"int16", 2},
                                            {"int32", 4},
                                            {"int64", 8},
                                            {"uint8", 1},
                                            {"uint16", 2},
                                            {"uint32", 4},
                                            {"uint64", 8},
                                            {"bool", 1},
                                            {"complex32", 4},
                                            {"complex64", 8},
                                            {"complex128", 16},
                                            {"float8_e4m3fn", 1},
                                            {"float8_e5m2", 1},
                                            {"float8_e8m0fnu", 1}}};

}  // namespace

bool only_moves_data(std::string_view op) {
  const std::string_view base = operator_base(op);
  return base.starts_with("quantize_") || base.starts_with("dequantize_") ||
         std::find(kMoves.begin(), kMoves.end(), base) != kMoves.end();
}

int64_t tensor_bytes(const std::string& dtype, const std::string& shape) {
  const auto* const known =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& d) { return d.name == dtype; });
  if (known == kDtypes.end()) return -1;
  int64_t bytes = known->bytes;
  if (shape.size() < 2 || shape.front() != '[' || shape.back() != ']') return -1;
  const char* at = shape.data() + 1;
  const char* const end = shape.data() + shape.size() - 1;
  while (at < end) {
    int64_t size = 0;
    const auto [behind, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0) return -1;
    if (__builtin_mul_overflow(bytes, size, &bytes)) return -1;
    at = behind;
    if (at < end && *at != ',') return -1;
    while (at < end && (*at == ',' || *at == ' ')) ++at;
  }
  return bytes;
}

}  // namespace et::inspector
