// Convolutions of groups of four or eight channels, along the channels as depthwise ones: a vector has whole groups,
// and each input channel is spread over the lanes of its group.
#include <utility>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kLanes = et::ET_KERNELS::VectorOf<float>::kLanes;
using Lanes = LanesOf<float, kLanes>;
using V = Lanes::Type;

/// Lane `kChannel` of each group of kGroup lanes in all of that group's.
template <int kGroup, int kChannel, int... I>
[[gnu::always_inline]] inline V spread(V x, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(x, x, (I / kGroup * kGroup + kChannel)...);
}

/// One sum for each input channel of a group: they do not wait for each other.
template <int kGroup, int... Channel>
[[gnu::always_inline]] inline void add_tap(V x, const float* w, V (&sum)[kGroup],
                                           std::integer_sequence<int, Channel...>) {
  ((sum[Channel] += spread<kGroup, Channel>(x, std::make_integer_sequence<int, kLanes>{}) *
                    Lanes::load(w + Channel * PackedDepthwiseF32::kChannels)),
   ...);
}

template <int kGroup>
[[gnu::always_inline]] inline void pixel_of_groups(const PackedDepthwiseF32& weights, const float* const* pixels,
                                                   float* out, Clamp clamp) {
  constexpr int64_t kStep = PackedDepthwiseF32::kChannels;
  const int64_t taps = weights.kernel_size() / kGroup;
  for (int64_t c = 0; c < weights.channels(); c += kLanes) {
    V sum[kGroup] = {Lanes::load(weights.bias() + c)};
    const float* w = weights.weights() + c / kStep * kStep * weights.kernel_size() + c % kStep;
    for (int64_t t = 0; t < taps; ++t, w += kGroup * kStep) {
      add_tap<kGroup>(Lanes::load(pixels[t] + c), w, sum, std::make_integer_sequence<int, kGroup>{});
    }
    for (int half = kGroup / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
    }
    Lanes::store(out + c, bounded(sum[0], clamp));
  }
}

}  // namespace

void grouped_pixel_f32(const PackedDepthwiseF32& weights, int64_t group, const float* const* pixels, float* out,
                       Clamp clamp) {
  if constexpr (kLanes >= 8) {
    if (group == 8) return pixel_of_groups<8>(weights, pixels, out, clamp);
  }
  pixel_of_groups<4>(weights, pixels, out, clamp);
}

}  // namespace et::xnn::ET_XNN_VARIANT
