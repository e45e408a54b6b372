// GEMM, the inner loops of convolutions and matmuls. Integers are exact, in any order; floats are
// added in the order of the specification's loops, so that results do not depend on the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace et::tosa {

/// `length` neighbouring inputs from `x`, multiplied with the weights from `w` on, counted within one output channel.
struct Segment {
  int64_t x, w, length;
};

/// What each output pixel of a row reads: pixel p the segments [first[p], first[p + 1]).
struct RowPlan {
  std::vector<Segment> segments;
  std::vector<size_t> first;

  void clear() {
    segments.clear();
    first.assign(1, 0);
  }
  void end_pixel() { first.push_back(segments.size()); }
  size_t pixels() const { return first.size() - 1; }
};

/// Bias of channel c is data[c · step]; null: 0.
template <class Acc>
struct Bias {
  const Acc* data = nullptr;
  int64_t step = 0;
};

/// out[p, c] = bias[c] + Σ x·w. Integer weights are [channels, k], those of floats [k, channels]. Sums wrap.
void gemm(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<int32_t> bias,
          int32_t* out);
void gemm(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<int64_t> bias,
          int64_t* out);
void gemm(const float* x, const float* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<float> bias,
          float* out);

/// acc[i] += x[i] · w[i]
void multiply_add(const int16_t* x, const int16_t* w, int64_t n, int32_t* acc);
void multiply_add(const int16_t* x, const int16_t* w, int64_t n, int64_t* acc);
void multiply_add(const float* x, const float* w, int64_t n, float* acc);

}  // namespace et::tosa
