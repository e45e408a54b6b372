// Packed weights of one product or convolution, whatever its types: what the makers of fully connected and convolution
// operators share.
#pragma once

#include <memory>

#include "runtime/backends/xnnpack/graph/node_reader.h"
#include "runtime/backends/xnnpack/graph/weight_cache.h"

namespace et::xnn {

/// How a product is computed.
enum class Product : uint8_t {
  F32,  // floats, or quantised weights that are dequantised at packing
  Qs8,  // static int8
  Qd8,  // rows quantised as they come, float results
};

struct PackJob {
  Product product = Product::F32;
  Weights filter, bias;
  bool transposed = false;
  int64_t groups = 1, n = 0, k = 0;  // n, k: of a group
  bool depthwise = false;            // filter is [taps][channels]: k taps, n channels
  bool taps_last = false;            // depthwise whose filter is [channels][taps]
  Quantised input;                   // Qs8
  const Value* output = nullptr;     // Qs8
};

struct PackedWeights {
  std::shared_ptr<const PackedF32> f32;
  std::shared_ptr<const PackedDepthwiseF32> depthwise_f32;
  std::shared_ptr<const PackedQs8> qs8;
  std::shared_ptr<const PackedDepthwiseQs8> depthwise_qs8;
  std::shared_ptr<const PackedQd8> qd8;
  int64_t bytes = 0;
};

/// Chooses the product for an input, filter, bias and output, and checks that their types and scales go together.
Error choose_product(NodeReader& reader, const Value& input, const Value& output, PackJob* job);
/// "QS8, QC8W": the types as they stand in an event's name.
std::string product_types(const PackJob& job, const Value& input);
/// The job's weights are not needed afterwards. Bounds are not packed.
Error pack(PackJob& job, const Operator& op, WeightCache& cache, PackedWeights* out);

}  // namespace et::xnn
