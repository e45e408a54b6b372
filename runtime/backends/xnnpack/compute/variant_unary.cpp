// Functions of one value, and softmax: loops over contiguous runs.
#include "runtime/backends/xnnpack/compute/variant_unary.h"

#include <cmath>

#include "runtime/backends/xnnpack/compute/variant_fold.h"
#include "runtime/backends/xnnpack/compute/variant_functions.h"
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/common/vector_math.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

// In the renamed namespace of the variant (see CMakeLists.txt).
namespace vm = et::ET_KERNELS::vm;

template <class F>
void map(int64_t n, const float* in, float* out, const F& f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(in[i]);
}

/// In vectors, the last of them filled up.
template <class F>
void map_vectors(int64_t n, const float* in, float* out, const F& f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) V::store(out + i, f(V::load(in + i)));
  if (i == n) return;
  float rest[kLanes] = {};
  for (int64_t k = i; k < n; ++k) rest[k - i] = in[k];
  V::store(rest, f(V::load(rest)));
  for (int64_t k = i; k < n; ++k) out[k] = rest[k - i];
}

template <class Fast, class Slow>
void map_trig(int64_t n, const float* in, float* out, const Fast& fast, const Slow& slow) {
  constexpr int64_t kBlock = 64;
  float from[kBlock];  // `out` may be `in`
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = n - i < kBlock ? n - i : kBlock;
    uint32_t large = 0;
    for (int64_t k = 0; k < m; ++k) {
      from[k] = in[i + k];
      large |= vm::fabs(from[k]) < vm::kTrigLimit ? 0u : 1u;
    }
    for (int64_t k = 0; k < m; ++k) out[i + k] = fast(from[k]);
    for (int64_t k = 0; large != 0 && k < m; ++k) {
      if (!(vm::fabs(from[k]) < vm::kTrigLimit)) out[i + k] = slow(from[k]);
    }
  }
}

/// Less than a vector: what is short of it is -inf, whose exponential adds nothing.
void softmax_of_few(int64_t n, const float* in, float* out, float top) {
  float block[kLanes];
  for (float& x : block) x = -vm::kInf;
  for (int64_t k = 0; k < n; ++k) block[k] = in[k];
  const V::Type e = fn::exp_of_negative(V::load(block) - V::fill(top));
  const float sum = fold_lanes(e, [](auto x, auto y) { return x + y; });
  V::store(block, e * V::fill(1.0f / sum));
  for (int64_t k = 0; k < n; ++k) out[k] = block[k];
}

}  // namespace

void unary(Unary op, int64_t n, const float* in, float* out, const UnaryParams& params) {
  const float alpha = params.alpha;
  const Clamp clamp = params.clamp;
  switch (op) {
    case Unary::Abs:
      return map(n, in, out, [](float x) { return vm::fabs(x); });
    case Unary::Negate:
      return map(n, in, out, [](float x) { return -x; });
    case Unary::Square:
      return map(n, in, out, [](float x) { return x * x; });
    case Unary::SquareRoot:
      return map(n, in, out, [](float x) { return std::sqrt(x); });
    case Unary::ReciprocalSquareRoot:
      return map_vectors(n, in, out, [](auto x) { return fn::reciprocal_root(x); });
    case Unary::Floor:
      return map(n, in, out, [](float x) { return std::floor(x); });
    case Unary::Ceiling:
      return map(n, in, out, [](float x) { return std::ceil(x); });
    case Unary::Exp:
      return map_vectors(n, in, out, [](auto x) { return fn::exp(x); });
    case Unary::Log:
      return map(n, in, out, [](float x) { return vm::log(x); });
    case Unary::Sin:
      return map_trig(
          n, in, out, [](float x) { return fn::sin_bounded(x); }, [](float x) { return std::sin(x); });
    case Unary::Cos:
      return map_trig(
          n, in, out, [](float x) { return fn::cos_bounded(x); }, [](float x) { return std::cos(x); });
    case Unary::Sigmoid:
      return map_vectors(n, in, out, [](auto x) { return fn::sigmoid(x); });
    case Unary::Tanh:
      return map_vectors(n, in, out, [](auto x) { return fn::tanh(x); });
    case Unary::Gelu:
      return map_vectors(n, in, out, [](auto x) { return fn::gelu(x); });
    case Unary::Hardswish:
      return map_vectors(n, in, out, [](auto x) { return fn::hardswish(x); });
    case Unary::Elu:
      return map(n, in, out, [alpha](float x) {
        const float y = alpha * vm::expm1(x);
        return x < 0.0f ? y : x;
      });
    case Unary::LeakyRelu:
      return map(n, in, out, [alpha](float x) { return x < 0.0f ? alpha * x : x; });
    case Unary::Clamp:
      return map(n, in, out, [clamp](float x) { return bounded(x, clamp); });
  }
}

/// In whole vectors, the last of which overlaps the one before it: rows are often short, and then mostly rest.
void softmax(int64_t n, const float* in, float* out) {
  float top = max_of(n, in, -vm::kInf);
  if (top == -vm::kInf) top = 0;  // all are: 0/0, as in the definition
  if (n < kLanes) return softmax_of_few(n, in, out, top);
  V::Type last = V::load(in + n - kLanes);  // before `out`, which may be `in`, is written
  V::Type sum = V::fill(0);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const V::Type e = fn::exp_of_negative(V::load(in + i) - V::fill(top));
    V::store(out + i, e);
    sum += e;
  }
  if (i < n) {
    last = fn::exp_of_negative(last - V::fill(top));
    float lanes[kLanes];
    V::store(lanes, last);
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] = l < kLanes - (n - i) ? 0.0f : lanes[l];  // in the sum already
    sum += V::load(lanes);
  }
  const V::Type scale = V::fill(1.0f / fold_lanes(sum, [](auto x, auto y) { return x + y; }));
  for (int64_t k = 0; k < i; k += kLanes) V::store(out + k, V::load(out + k) * scale);
  if (i < n) V::store(out + n - kLanes, last * scale);
}

}  // namespace et::xnn::ET_XNN_VARIANT
