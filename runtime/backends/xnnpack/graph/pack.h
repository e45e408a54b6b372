// Packed weights of one GEMM or convolution, whatever its types: what the factories of fully connected and convolution
// operators share.
#pragma once

#include <memory>

#include "runtime/backends/xnnpack/compute/winograd_f32.h"
#include "runtime/backends/xnnpack/graph/node_reader.h"
#include "runtime/backends/xnnpack/graph/weight_cache.h"

namespace et::xnn {

/// How a GEMM is computed.
enum class GemmType : uint8_t {
  F32,  // floats, or quantised weights that are dequantised at packing
  Qs8,  // static int8
  Qd8,  // rows quantised as they come, float results
};

struct PackParams {
  GemmType gemm = GemmType::F32;
  Weights filter, bias;
  bool transposed = false;
  int64_t groups = 1, n = 0, k = 0;  // n, k: of a group
  bool depthwise = false;            // filter is [kernel elements][channels]: k elements, n channels
  bool grouped = false;              // depthwise whose groups have several channels: suits_groups()
  bool winograd = false;             // F32: 3x3, of one group
  bool kernel_last = false;          // depthwise whose filter is [channels][kernel elements]
  int64_t depth = 0;                 // of a convolution that is not depthwise: in channels of a group
  int64_t taps = 0, row_taps = 1;    // as those of WeightsQs8, of DepthwiseWeightsQs8
  int64_t multiplier = 1;            // depthwise: outputs of an input channel
  Quantised input;                   // Qs8
  const Value* output = nullptr;     // Qs8
};

struct PackedWeights {
  std::shared_ptr<const PackedF32> f32;
  std::shared_ptr<const PackedWinogradF32> winograd;
  std::shared_ptr<const PackedDepthwiseF32> depthwise_f32;
  std::shared_ptr<const PackedQs8> qs8;
  std::shared_ptr<const PackedDepthwiseQs8> depthwise_qs8;
  std::shared_ptr<const PackedQd8> qd8;
  int64_t bytes = 0;
};

/// Chooses the GEMM for an input, filter, bias and output, and checks that their types and scales go together.
Error choose_gemm(NodeReader& reader, const Value& input, const Value& output, PackParams* params);
/// "QS8, QC8W": the types as they stand in an event's name.
std::string gemm_types(const PackParams& params, const Value& input);
/// The weights are not needed afterwards. Bounds are not packed.
Error pack(PackParams& params, const Operator& op, WeightCache& cache, PackedWeights* out);

}  // namespace et::xnn
