#include "runtime/format/xnnpack_faults.h"

#include <algorithm>

namespace et::format {

std::vector<uint32_t> unwritten_values(const XnnpackPayload& payload) {
  std::vector<uint32_t> read, written;
  for (uint32_t n = 0; n < payload.node_count(); ++n) {
    const XnnNode node = payload.node(n);
    const XnnIds inputs = node.inputs(), outputs = node.outputs();
    read.insert(read.end(), inputs.begin(), inputs.end());
    written.insert(written.end(), outputs.begin(), outputs.end());
  }
  std::sort(read.begin(), read.end());
  std::sort(written.begin(), written.end());
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < payload.value_count(); ++i) {
    const XnnValue v = payload.value(i);
    const bool given = v.constant_buffer_idx() != 0 || v.is_external_input() || v.is_external_output();
    if (!given && std::binary_search(read.begin(), read.end(), v.id()) &&
        !std::binary_search(written.begin(), written.end(), v.id())) {
      out.push_back(i);
    }
  }
  return out;
}

std::vector<uint32_t> float_nodes_with_int32_bias(const XnnpackPayload& payload) {
  std::vector<uint32_t> out;
  for (uint32_t n = 0; n < payload.node_count(); ++n) {
    const XnnNode node = payload.node(n);
    if (node.type() != XnnNodeType::FullyConnected && node.type() != XnnNodeType::Conv2d &&
        node.type() != XnnNodeType::DepthwiseConv2d && node.type() != XnnNodeType::ConvTranspose2d) {
      continue;
    }
    const XnnIds ids = node.inputs();
    const XnnDatatype bias = payload.value_by_id(ids[2]).datatype(), input = payload.value_by_id(ids[0]).datatype();
    const bool is_float = input == XnnDatatype::Fp32 || input == XnnDatatype::Fp16 || input == XnnDatatype::Bf16;
    if (is_float && (bias == XnnDatatype::QInt32 || bias == XnnDatatype::QCInt32)) out.push_back(n);
  }
  return out;
}

}  // namespace et::format
