// The factories of operators by family; node_table.cpp says which type of node has which.
#pragma once

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/graph/node_reader.h"
#include "runtime/platform/log.h"

namespace et::xnn {

#define ET_XNN_FACTORY(name) Error make_##name(NodeReader& reader, std::unique_ptr<Operator>* out);
ET_XNN_FACTORY(fully_connected)
ET_XNN_FACTORY(convolution)
ET_XNN_FACTORY(batch_matrix_multiply)
ET_XNN_FACTORY(unary)
ET_XNN_FACTORY(binary)
ET_XNN_FACTORY(softmax)
ET_XNN_FACTORY(convert)
ET_XNN_FACTORY(copy)
ET_XNN_FACTORY(static_reshape)
ET_XNN_FACTORY(static_transpose)
ET_XNN_FACTORY(static_slice)
ET_XNN_FACTORY(static_constant_pad)
ET_XNN_FACTORY(concatenate)
ET_XNN_FACTORY(max_pooling)
ET_XNN_FACTORY(average_pooling)
ET_XNN_FACTORY(global_average_pooling)
ET_XNN_FACTORY(argmax_pooling)
ET_XNN_FACTORY(resize_bilinear)
#undef ET_XNN_FACTORY

/// A conversion that the payload has no node for: `from` is float, `to` quantised.
std::unique_ptr<Operator> make_conversion(Graph& graph, uint32_t from, uint32_t to);

inline Dims dims_of(const Shape& s) { return {s.dims, static_cast<size_t>(s.rank)}; }

}  // namespace et::xnn
