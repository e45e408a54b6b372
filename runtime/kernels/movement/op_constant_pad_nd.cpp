// constant_pad_nd, reflection_padNd and replication_padNd. Negative amounts crop.
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

bool fits_int32(int64_t v) { return v >= -INT32_MAX && v <= INT32_MAX; }

Tensor& constant_pad_nd_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> pad, const Scalar& value,
                            Tensor& out) {
  const char* name = "aten::constant_pad_nd";
  const size_t rank = static_cast<size_t>(self.dim());
  ET_KERNEL_CHECK_MSG(ctx, pad.size() % 2 == 0 && pad.size() <= 2 * rank, InvalidArgument, out,
                      "%s: pad has %zu entries, self rank %zu", name, pad.size(), rank);
  Sizes sizes = sizes_of(self);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t before = pad[2 * i], after = pad[2 * i + 1];
    const size_t d = rank - 1 - i;
    const int64_t cropped = (before < 0 ? before : 0) + (after < 0 ? after : 0);
    ET_KERNEL_CHECK_MSG(ctx, fits_int32(before) && fits_int32(after) && sizes.v[d] + cropped >= 0, InvalidArgument, out,
                        "%s: pad %lld and %lld for size %lld of dimension %zu", name, static_cast<long long>(before),
                        static_cast<long long>(after), static_cast<long long>(sizes.v[d]), d);
    sizes.v[d] += before + after;
  }
  uint8_t element[16] = {};
  ET_KERNEL_CHECK_MSG(ctx, scalar_to_element(value, self.scalar_type(), element), InvalidArgument, out,
                      "%s: value %g does not fit into dtype %s", name, value.to<double>(),
                      scalar_type_name(self.scalar_type()));
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name) || out.numel() == 0) return out;
  // The part that the source reaches; what is around it is filled slab by slab, each place once.
  View from = view_of(self), to = view_of(out);
  // In the order of the result's memory, so that the slabs are as large as they can be.
  for (size_t i = 0; i < rank; ++i) {
    const size_t d = out.dim_order()[i];
    const size_t pair = rank - 1 - d;
    const int64_t before = pair < pad.size() / 2 ? pad[2 * pair] : 0;
    const int64_t after = pair < pad.size() / 2 ? pad[2 * pair + 1] : 0;
    const int64_t size = to.sizes[d];
    const int64_t lead = before < 0 ? 0 : before < size ? before : size;
    int64_t tail = after < 0 ? 0 : after;
    if (tail > size - lead) tail = size - lead;
    View edge = to;
    edge.slice(d, 0, lead);
    fill_view(edge, element);
    edge = to;
    edge.slice(d, size - tail, tail);
    fill_view(edge, element);
    const int64_t kept = size - lead - tail;
    if (kept == 0) return out;
    to.slice(d, lead, kept);
    from.slice(d, before < 0 ? -before : 0, kept);
  }
  copy_view(to, from);
  return out;
}

enum class Edge { Reflect, Replicate };

// Where element `at` of the padded dimension comes from; may lie outside when the padding is larger than allowed.
int64_t source_of(Edge edge, int64_t at, int64_t before, int64_t size) {
  const int64_t from = at - before;
  if (edge == Edge::Replicate) return from < 0 ? 0 : from >= size ? size - 1 : from;
  return from < 0 ? -from : from >= size ? 2 * (size - 1) - from : from;
}

// Dimension by dimension, from the outermost padded one: first and last parts come one by one from the places that
// source_of names, the middle is one block.
void pad_dims(Edge edge, View to, View from, const int64_t* before, size_t dim) {
  if (dim == to.rank) return copy_view(to, from);
  const int64_t size = from.sizes[dim], wanted = to.sizes[dim];
  const int64_t lead = before[dim] > 0 ? before[dim] : 0;
  const int64_t first = before[dim] < 0 ? -before[dim] : 0;
  int64_t middle = size - first < wanted - lead ? size - first : wanted - lead;
  if (middle < 0) middle = 0;
  if (lead == 0 && first == 0 && middle == wanted) {
    from.slice(dim, 0, wanted);
    return pad_dims(edge, to, from, before, dim + 1);
  }
  for (int64_t at = 0; at < wanted; ++at) {
    View part_to = to, part_from = from;
    const int64_t n = at == lead && middle > 0 ? middle : 1;
    part_to.slice(dim, at, n);
    part_from.slice(dim, at == lead && middle > 0 ? first : source_of(edge, at, before[dim], size), n);
    pad_dims(edge, part_to, part_from, before, dim + 1);
    at += n - 1;
  }
}

Tensor& pad_edges(KernelRuntimeContext& ctx, Edge edge, size_t dims, const Tensor& self, ArrayRef<int64_t> padding,
                  Tensor& out, const char* name) {
  const size_t rank = static_cast<size_t>(self.dim());
  ET_KERNEL_CHECK_MSG(ctx, padding.size() == 2 * dims, InvalidArgument, out, "%s: padding has %zu entries, not %zu",
                      name, padding.size(), 2 * dims);
  ET_KERNEL_CHECK_MSG(ctx, rank == dims + 1 || rank == dims + 2, InvalidArgument, out, "%s: self has rank %zu", name,
                      rank);
  Sizes sizes = sizes_of(self);
  int64_t before[kTensorDimensionLimit] = {};
  for (size_t d = rank == dims + 2 ? 1 : 0; d < rank; ++d) {
    ET_KERNEL_CHECK_MSG(ctx, sizes.v[d] > 0, InvalidArgument, out, "%s: dimension %zu of self is empty", name, d);
  }
  for (size_t i = 0; i < dims; ++i) {
    const size_t d = rank - 1 - i;
    const int64_t lead = padding[2 * i], tail = padding[2 * i + 1];
    const int64_t size = sizes.v[d];
    // As in torch, a plane may become empty, a row not.
    const int64_t min_size = dims == 1 ? 1 : 0;
    ET_KERNEL_CHECK_MSG(ctx, fits_int32(lead) && fits_int32(tail) && size + lead + tail >= min_size, InvalidArgument,
                        out, "%s: padding %lld and %lld for size %lld of dimension %zu", name,
                        static_cast<long long>(lead), static_cast<long long>(tail), static_cast<long long>(size), d);
    ET_KERNEL_CHECK_MSG(ctx, edge == Edge::Replicate || (lead < size && tail < size), InvalidArgument, out,
                        "%s: padding %lld and %lld must be below size %lld of dimension %zu", name,
                        static_cast<long long>(lead), static_cast<long long>(tail), static_cast<long long>(size), d);
    before[d] = lead;
    sizes.v[d] += lead + tail;
    if (sizes.v[d] == 0) continue;
    const int64_t a = source_of(edge, 0, lead, size), b = source_of(edge, sizes.v[d] - 1, lead, size);
    ET_KERNEL_CHECK_MSG(ctx, a >= 0 && a < size && b >= 0 && b < size, InvalidArgument, out,
                        "%s: padding %lld and %lld leave nothing of dimension %zu", name, static_cast<long long>(lead),
                        static_cast<long long>(tail), d);
  }
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name) || out.numel() == 0) return out;
  // The padded dimensions last: the others are never taken apart.
  const View from = view_of(self), to = view_of(out);
  View ordered_to = to, ordered_from = from;
  int64_t ordered_before[kTensorDimensionLimit] = {};
  ordered_to.rank = ordered_from.rank = 0;
  for (const bool padded : {false, true}) {
    for (size_t i = 0; i < rank; ++i) {
      const size_t d = out.dim_order()[i];
      if ((d + dims >= rank) != padded) continue;
      ordered_before[ordered_to.rank] = before[d];
      ordered_to.push(to.sizes[d], to.steps[d]);
      ordered_from.push(from.sizes[d], from.steps[d]);
    }
  }
  pad_dims(edge, ordered_to, ordered_from, ordered_before, 0);
  return out;
}

#define ET_EDGE_PAD(function, edge, dims, name)                                                             \
  Tensor& function(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> padding, Tensor& out) { \
    return pad_edges(ctx, Edge::edge, dims, self, padding, out, "aten::" name);                             \
  }
ET_EDGE_PAD(reflection_pad1d_out, Reflect, 1, "reflection_pad1d")
ET_EDGE_PAD(reflection_pad2d_out, Reflect, 2, "reflection_pad2d")
ET_EDGE_PAD(reflection_pad3d_out, Reflect, 3, "reflection_pad3d")
ET_EDGE_PAD(replication_pad1d_out, Replicate, 1, "replication_pad1d")
ET_EDGE_PAD(replication_pad2d_out, Replicate, 2, "replication_pad2d")
ET_EDGE_PAD(replication_pad3d_out, Replicate, 3, "replication_pad3d")

}  // namespace

ET_KERNEL(constant_pad_nd_out)
ET_KERNEL(reflection_pad1d_out)
ET_KERNEL(reflection_pad2d_out)
ET_KERNEL(reflection_pad3d_out)
ET_KERNEL(replication_pad1d_out)
ET_KERNEL(replication_pad2d_out)
ET_KERNEL(replication_pad3d_out)

}  // namespace et::ET_KERNELS
