#include <vector>

#include "executorch/extension/llm/custom_ops/spinquant/fast_hadamard_transform.h"

namespace executorch {
namespace {

void write_rounded(const std::vector<double>& sums, int64_t n, int16_t* out) {
  const double scale = 1 / std::sqrt(static_cast<double>(n));
  for (size_t i = 0; i < sums.size(); ++i) {
    const double x = std::nearbyint(sums[i] * scale);
    out[i] = static_cast<int16_t>(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
  }
}

}  // namespace

void fast_hadamard_transform_symmetric_quantized_s16(int16_t* vec, int log2_vec_size) {
  const int64_t n = int64_t{1} << log2_vec_size;
  std::vector<double> sums(vec, vec + n);
  ::et::kernels::hadamard::transform(sums.data(), n);
  write_rounded(sums, n, vec);
}

void fast_hadamard_transform_symmetric_quantized_s16_28N(int16_t* vec, int log2_vec_size) {
  const int64_t n = int64_t{1} << log2_vec_size;
  std::vector<double> sums(vec, vec + 28 * n);
  for (int64_t row = 0; row < 28; ++row) ::et::kernels::hadamard::transform(sums.data() + row * n, n);
  ::et::kernels::hadamard::across_28(sums.data(), n);
  write_rounded(sums, n, vec);
}

}  // namespace executorch
