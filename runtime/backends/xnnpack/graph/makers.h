// The makers of operators by family; node_table.cpp says which type of node has which.
#pragma once

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/graph/node_reader.h"
#include "runtime/platform/log.h"

namespace et::xnn {

#define ET_XNN_MAKER(name) Error make_##name(NodeReader& reader, std::unique_ptr<Operator>* out);
ET_XNN_MAKER(fully_connected)
ET_XNN_MAKER(convolution)
ET_XNN_MAKER(batch_matrix_multiply)
ET_XNN_MAKER(unary)
ET_XNN_MAKER(binary)
ET_XNN_MAKER(softmax)
ET_XNN_MAKER(convert)
ET_XNN_MAKER(copy)
ET_XNN_MAKER(static_reshape)
ET_XNN_MAKER(static_transpose)
ET_XNN_MAKER(static_slice)
ET_XNN_MAKER(static_constant_pad)
ET_XNN_MAKER(concatenate)
ET_XNN_MAKER(max_pooling)
ET_XNN_MAKER(average_pooling)
ET_XNN_MAKER(global_average_pooling)
ET_XNN_MAKER(argmax_pooling)
ET_XNN_MAKER(resize_bilinear)
#undef ET_XNN_MAKER

/// The conversion that payloads of version XN00 leave to the runtime: `from` is float, `to` quantised as it comes.
std::unique_ptr<Operator> make_dynamic_quantisation(Graph& graph, uint32_t from, uint32_t to);

inline Dims dims_of(const Shape& s) { return {s.dims, static_cast<size_t>(s.rank)}; }

}  // namespace et::xnn
