// gather, scatter and scatter_add: one position for each element of the index.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/indexing/index_walk.h"
#include "runtime/kernels/movement/transpose.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kGatherChunk = 512;

// `along`: bytes from one position to the next in the indexed tensor.
template <class T>
void get_row(T* to, int64_t to_step, const uint8_t* from, int64_t from_step, const int64_t* index, int64_t along,
             int64_t n) {
  if (to_step == 1 && from_step == 0 && along == static_cast<int64_t>(sizeof(T))) {
    for (int64_t i = 0; i < n; ++i) to[i].v = reinterpret_cast<const T*>(from)[index[i]].v;
  } else {
    for (int64_t i = 0; i < n; ++i)
      to[i * to_step].v = reinterpret_cast<const T*>(from + i * from_step + index[i] * along)->v;
  }
}

template <class T>
void put_row(const T* from, int64_t from_step, uint8_t* to, int64_t to_step, const int64_t* index, int64_t along,
             int64_t n) {
  for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(to + i * to_step + index[i] * along)->v = from[i * from_step].v;
}

struct Row {
  uint8_t* plain;
  int64_t plain_step;  // elements
  uint8_t* indexed;
  int64_t indexed_step;  // bytes
  const int64_t* index;
  int64_t along, n;
};

template <class T>
void move_row(const Row& r, bool get) {
  if (get) {
    get_row<T>(reinterpret_cast<T*>(r.plain), r.plain_step, r.indexed, r.indexed_step, r.index, r.along, r.n);
  } else {
    put_row<T>(reinterpret_cast<const T*>(r.plain), r.plain_step, r.indexed, r.indexed_step, r.index, r.along, r.n);
  }
}
using MoveRow = void (*)(const Row&, bool);

MoveRow find_row_mover(size_t item) {
  switch (item) {
    case 1:
      return &move_row<Bytes1>;
    case 2:
      return &move_row<Bytes2>;
    case 4:
      return &move_row<Bytes4>;
    case 8:
      return &move_row<Bytes8>;
    default:
      return &move_row<Bytes16>;
  }
}

template <class T>
void add_elements(const Row& r, bool /*get*/) {
  const T* from = reinterpret_cast<const T*>(r.plain);
  for (int64_t i = 0; i < r.n; ++i) {
    add_to<T>(*reinterpret_cast<T*>(r.indexed + i * r.indexed_step + r.index[i] * r.along), from[i * r.plain_step]);
  }
}
struct FindElementAdder {
  MoveRow result = nullptr;
  template <class T>
  void operator()() {
    result = &add_elements<Addend<T>>;
  }
};

// Reads a chunk of positions as int64 (int64 ones that lie together stay where they are, unless `copies`). Null: one is
// outside, and its place is in *bad.
template <class I>
const int64_t* read_positions(const I* index, int64_t step, int64_t n, int64_t size, bool copies, int64_t* buffer,
                              int64_t* bad) {
  const int64_t* result = buffer;
  if constexpr (std::is_same_v<I, int64_t>) {
    if (step == 1 && !copies) result = index;
  }
  // The sign of index | (last - index) says that it is outside; both terms in unsigned arithmetic.
  const uint64_t last = static_cast<uint64_t>(size - 1);
  uint64_t signs = size > 0 ? 0 : UINT64_MAX;
  const auto see = [&](I at) {
    const uint64_t v = static_cast<uint64_t>(static_cast<int64_t>(at));
    signs |= v | (last - v);
  };
  if (step == 1) {
    for (int64_t i = 0; i < n; ++i) see(index[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) see(index[i * step]);
  }
  const bool outside = static_cast<int64_t>(signs) < 0;
  if (outside) [[unlikely]] {
    for (int64_t i = 0; i < n; ++i) {
      if (index[i * step] < 0 || index[i * step] >= size) {
        *bad = i;
        return nullptr;
      }
    }
  }
  if (result == buffer) {
    for (int64_t i = 0; i < n; ++i) buffer[i] = index[i * step];
  }
  return result;
}

// The sizes without one dimension, or of a scalar as one dimension.
struct Dims {
  size_t rank;
  int64_t sizes[kTensorDimensionLimit];
};
Dims dims_of(const Tensor& t) {
  Dims d{static_cast<size_t>(t.dim()), {}};
  for (size_t i = 0; i < d.rank; ++i) d.sizes[i] = t.sizes()[i];
  if (d.rank == 0) {
    d.rank = 1;
    d.sizes[0] = 1;
  }
  return d;
}

// Walks over `index`. `plain` null: `value` instead. index fits into both (checked by the callers).
void run(KernelRuntimeContext& ctx, const char* name, IndexMode mode, const Tensor& indexed, int64_t dim,
         const Tensor& index, const Tensor* plain, const void* value) {
  const View target = view_of(indexed);
  const int64_t item = static_cast<int64_t>(target.item);
  const View positions = view_of(index);
  View other;
  if (plain != nullptr) other = view_of(*plain);
  int64_t steps[3][kTensorDimensionLimit] = {};
  // A scalar has no dimensions, but a list of positions may point into it.
  for (size_t d = 0; d < positions.rank; ++d) {
    steps[0][d] = positions.steps[d] / static_cast<int64_t>(positions.item);
    steps[1][d] = plain == nullptr || d >= other.rank ? 0 : other.steps[d] / item;
    steps[2][d] = static_cast<int64_t>(d) == dim || d >= target.rank ? 0 : target.steps[d];
  }
  const int64_t size = target.rank == 0 ? 1 : target.sizes[dim];
  const int64_t along = target.rank == 0 ? 0 : target.steps[dim];
  uint8_t* const plain_data = plain != nullptr ? other.data : const_cast<uint8_t*>(static_cast<const uint8_t*>(value));
  MoveRow move = find_row_mover(target.item);
  if (mode == IndexMode::Add) {
    FindElementAdder find;
    ET_KERNEL_CHECK_MSG(ctx, dispatch<kAddable>(indexed.scalar_type(), find), InvalidArgument, ,
                        "%s: dtype %s cannot be added up", name, scalar_type_name(indexed.scalar_type()));
    move = find.result;
  }
  const bool wide = index.scalar_type() == ScalarType::Long;
  const StridedWalk<3> walk(index.sizes(), {steps[0], steps[1], steps[2]});
  // Written over while they are used, positions would no longer be those that were checked.
  const bool copies = share_memory(index, mode == IndexMode::Get ? *plain : indexed);
  int64_t buffer[kGatherChunk];
  int64_t done = 0;
  bool failed = false;
  walk.run([&](const auto& offsets, int64_t length, const auto& inner) {
    for (int64_t i = 0; i < length && !failed; i += kGatherChunk) {
      const int64_t n = length - i < kGatherChunk ? length - i : kGatherChunk;
      const int64_t start = offsets[0] + i * inner[0];
      int64_t bad = 0;
      const int64_t* at =
          wide ? read_positions(index.const_data_ptr<int64_t>() + start, inner[0], n, size, copies, buffer, &bad)
               : read_positions(index.const_data_ptr<int32_t>() + start, inner[0], n, size, copies, buffer, &bad);
      if (at == nullptr) [[unlikely]] {
        const int64_t where = start + bad * inner[0];
        ET_LOG(Error, "%s: index has %lld at position %lld, dimension %lld of self has size %lld", name,
               static_cast<long long>(wide ? index.const_data_ptr<int64_t>()[where]
                                           : index.const_data_ptr<int32_t>()[where]),
               static_cast<long long>(done + i + bad), static_cast<long long>(dim), static_cast<long long>(size));
        ctx.fail(Error::InvalidArgument);
        failed = true;
        return;
      }
      Row r{plain_data + (offsets[1] + i * inner[1]) * item,
            inner[1],
            target.data + offsets[2] + i * inner[2],
            inner[2],
            at,
            along,
            n};
      move(r, mode == IndexMode::Get);
    }
    done += length;
  });
}

// index is no larger than self apart from `dim`, and, if `all` is given, nowhere larger than that.
bool check_index(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, const Tensor* all,
                 const char* name) {
  if (!has_data(ctx, index, name, "index")) return false;
  ET_KERNEL_CHECK_MSG(ctx, index.scalar_type() == ScalarType::Long || index.scalar_type() == ScalarType::Int,
                      InvalidArgument, false, "%s: expected index to be int32 or int64, got %s", name,
                      scalar_type_name(index.scalar_type()));
  const Dims s = dims_of(self), n = dims_of(index);
  ET_KERNEL_CHECK_MSG(ctx, s.rank == n.rank, InvalidArgument, false, "%s: index has rank %zu, self %zu", name, n.rank,
                      s.rank);
  for (size_t d = 0; d < n.rank; ++d) {
    ET_KERNEL_CHECK_MSG(ctx, static_cast<int64_t>(d) == dim || n.sizes[d] <= s.sizes[d], InvalidArgument, false,
                        "%s: index has size %lld in dimension %zu, self %lld", name, static_cast<long long>(n.sizes[d]),
                        d, static_cast<long long>(s.sizes[d]));
  }
  if (all == nullptr) return true;
  const Dims a = dims_of(*all);
  ET_KERNEL_CHECK_MSG(ctx, a.rank == n.rank, InvalidArgument, false, "%s: index has rank %zu, src %zu", name, n.rank,
                      a.rank);
  for (size_t d = 0; d < n.rank; ++d) {
    ET_KERNEL_CHECK_MSG(ctx, n.sizes[d] <= a.sizes[d], InvalidArgument, false,
                        "%s: index has size %lld in dimension %zu, src %lld", name, static_cast<long long>(n.sizes[d]),
                        d, static_cast<long long>(a.sizes[d]));
  }
  return true;
}

Tensor& gather_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, const Tensor& index,
                   bool /*sparse_grad*/, Tensor& out) {
  const char* name = "aten::gather";
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  if (!resize_result(ctx, out, sizes_of(index), name) || !check_source(ctx, self, out, name)) return out;
  if (index.numel() == 0 || !check_index(ctx, self, dim, index, nullptr, name)) return out;
  run(ctx, name, IndexMode::Get, self, dim, index, &out, nullptr);
  return out;
}

Tensor& scatter(KernelRuntimeContext& ctx, const char* name, IndexMode mode, const Tensor& self, int64_t dim,
                const Tensor& index, const Tensor* src, const void* value, Tensor& out) {
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name)) return out;
  if (src != nullptr && !check_source(ctx, *src, out, name)) return out;
  if (index.numel() > 0 && !check_index(ctx, self, dim, index, src, name)) return out;
  copy_view(view_of(out), view_of(self));
  if (index.numel() > 0) run(ctx, name, mode, out, dim, index, src, value);
  return out;
}

Tensor& scatter_src_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& src, Tensor& out) {
  return scatter(ctx, "aten::scatter.src", IndexMode::Put, self, dim, index, &src, nullptr, out);
}

Tensor& scatter_add_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& src, Tensor& out) {
  return scatter(ctx, "aten::scatter_add", IndexMode::Add, self, dim, index, &src, nullptr, out);
}

Tensor& scatter_value_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, const Tensor& index,
                          const Scalar& value, Tensor& out) {
  const char* name = "aten::scatter.value";
  alignas(16) uint8_t element[16] = {};
  ET_KERNEL_CHECK_MSG(ctx, scalar_to_element(value, self.scalar_type(), element), InvalidArgument, out,
                      "%s: value %g does not fit into dtype %s", name, value.to<double>(),
                      scalar_type_name(self.scalar_type()));
  return scatter(ctx, name, IndexMode::Put, self, dim, index, nullptr, element, out);
}

}  // namespace

ET_KERNEL(gather_out)
ET_KERNEL(scatter_src_out)
ET_KERNEL(scatter_add_out)
ET_KERNEL(scatter_value_out)

}  // namespace et::ET_KERNELS
