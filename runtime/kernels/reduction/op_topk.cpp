// topk: the k largest or smallest along one dim. NaN counts as the greatest. Which of several equal elements is taken,
// and the order of an unsorted result, follow from the algorithms of the C++ library that torch uses (partial_sort for
// small k, else nth_element and sort); a filter with a rising bound does the work when no equal elements matter.
#include <algorithm>

#include "runtime/kernels/reduction/chunks.h"
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {
namespace {

template <class C>
struct Item {
  C value;
  int64_t index;
};

template <class C, bool kLargest>
struct Before {
  static bool nan(C x) {
    if constexpr (std::is_floating_point_v<C>) {
      return x != x;
    } else {
      return false;
    }
  }
  static bool less(C x, C y) {
    if constexpr (kLargest) {
      return (nan(x) & !nan(y)) | (x > y);
    } else {
      return (!nan(x) & nan(y)) | (x < y);
    }
  }
  static bool equal(C x, C y) { return !less(x, y) && !less(y, x); }
  bool operator()(const Item<C>& x, const Item<C>& y) const { return less(x.value, y.value); }
};

/// As torch does it; items has all n elements.
template <class C, bool kLargest>
void select_all(Item<C>* items, int64_t n, int64_t k, bool sorted) {
  const Before<C, kLargest> before;
  if (k * 64 <= n) {
    std::partial_sort(items, items + k, items + n, before);
    return;
  }
  std::nth_element(items, items + k - 1, items + n, before);
  if (sorted) std::sort(items, items + k - 1, before);
}

/// Elements that may be among the first k, in `items` (`capacity` ≥ 2k + kStep of them). False: a tie that
/// needs all elements.
template <class C, bool kLargest>
bool select_filtered(const C* p, int64_t n, int64_t k, Item<C>* items, int64_t capacity) {
  using B = Before<C, kLargest>;
  constexpr int64_t kStep = 64;
  const B before;
  int64_t filled = 0;
  int64_t i = 0;
  for (; i < capacity && i < n; ++i) items[filled++] = {p[i], i};
  std::nth_element(items, items + k - 1, items + filled, before);
  C bound = items[k - 1].value;
  // Equal to the bound, and thrown away or never taken: a tie when the bound is still the same at the end.
  int64_t rejected_equal = 0;
  const auto cut = [&]() {
    std::nth_element(items, items + k - 1, items + filled, before);
    const C now = items[k - 1].value;
    if (!B::equal(now, bound)) rejected_equal = 0;
    bound = now;
    for (int64_t j = k; j < filled; ++j) rejected_equal += B::equal(items[j].value, bound) ? 1 : 0;
    filled = k;
  };
  cut();
  for (; i + kStep <= n; i += kStep) {
    int hits = 0;
    for (int64_t j = 0; j < kStep; ++j) hits += B::less(bound, p[i + j]) ? 0 : 1;
    if (hits == 0) continue;
    if (filled + kStep > capacity) cut();
    for (int64_t j = 0; j < kStep; ++j) {
      if (B::less(p[i + j], bound)) {
        items[filled++] = {p[i + j], i + j};
      } else if (!B::less(bound, p[i + j])) {
        ++rejected_equal;
      }
    }
  }
  for (; i < n; ++i) {
    if (filled == capacity) cut();
    if (B::less(p[i], bound)) {
      items[filled++] = {p[i], i};
    } else if (!B::less(bound, p[i])) {
      ++rejected_equal;
    }
  }
  cut();
  if (rejected_equal > 0) return false;
  std::sort(items, items + k, before);
  for (int64_t j = 1; j < k; ++j) {
    if (B::equal(items[j - 1].value, items[j].value)) return false;
  }
  return true;
}

struct TopkParams {
  int64_t n, k;
  bool sorted;
  int64_t in_stride, values_stride, indices_stride;
  void* items;  // n of Item<C>
  void* row;    // n of C, where the input is not contiguous C
};

template <class C, bool kLargest>
void top_rows(const ReducePlan& plan, const TopkParams& params, const Tensor& in, const Tensor& values,
              const Tensor& indices) {
  const ChunkReader<C> reader(in);
  const ChunkWriter<C> writer(values);
  int64_t* places = indices.mutable_data_ptr<int64_t>();
  Item<C>* items = static_cast<Item<C>*>(params.items);
  const int64_t n = params.n;
  const int64_t k = params.k;
  const int64_t capacity = 2 * k + 128;
  const auto one_row = [&](int64_t at, int64_t to, int64_t to2) {
    const C* p = nullptr;
    if (reader.direct() != nullptr && (params.in_stride == 1 || n == 1)) {
      p = reader.direct() + at;
    } else {
      C* row = static_cast<C*>(params.row);
      for (int64_t i = 0; i < n; i += kChunk) {
        const int64_t m = n - i < kChunk ? n - i : kChunk;
        const C* chunk = reader.get(at + i * params.in_stride, params.in_stride, m, row + i);
        if (chunk != row + i) std::copy(chunk, chunk + m, row + i);
      }
      p = row;
    }
    if (!params.sorted || n <= 2 * capacity || !select_filtered<C, kLargest>(p, n, k, items, capacity)) {
      for (int64_t i = 0; i < n; ++i) items[i] = {p[i], i};
      select_all<C, kLargest>(items, n, k, params.sorted);
    }
    for (int64_t j = 0; j < k; ++j) {
      writer.put(to + j * params.values_stride, items[j].value);
      places[to2 + j * params.indices_stride] = items[j].index;
    }
  };
  plan.for_kept(0, plan.kept_count, [&](int64_t at, int64_t to, int64_t to2) {
    const int64_t columns = plan.inner_kept ? plan.inner.size : 1;
    for (int64_t c = 0; c < columns; ++c) {
      one_row(at + c, to + c * plan.inner.out[0], to2 + c * plan.inner.out[1]);
    }
  });
}

void topk_values(KernelRuntimeContext& ctx, const Tensor& in, int64_t k, int64_t dim, bool largest, bool sorted,
                 Tensor& values, Tensor& indices) {
  constexpr const char* kOp = "aten::topk.values";
  int64_t d = dim;
  ET_KERNEL_CHECK_MSG(ctx, normalize_dim(&d, in.dim()), InvalidArgument, ,
                      "%s: dim %lld is out of range for a tensor of rank %zd", kOp, static_cast<long long>(dim),
                      in.dim());
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kRealH & kChunkDtypes) && values.scalar_type() == in.scalar_type(),
                      InvalidArgument, , "%s: self is %s, values %s", kOp, scalar_type_name(in.scalar_type()),
                      scalar_type_name(values.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, indices.scalar_type() == ScalarType::Long, InvalidArgument, ,
                      "%s: expected int64 indices, got %s", kOp, scalar_type_name(indices.scalar_type()));
  const bool scalar = in.dim() == 0;
  const int64_t n = scalar ? 1 : in.sizes()[static_cast<size_t>(d)];
  ET_KERNEL_CHECK_MSG(ctx, k >= 0 && k <= n, InvalidArgument, , "%s: k is %lld of %lld elements", kOp,
                      static_cast<long long>(k), static_cast<long long>(n));
  Shape shape = shape_of(in);
  if (!scalar) shape.sizes[d] = static_cast<int32_t>(k);
  if (!prepare_out(ctx, kOp, values, shape) || !prepare_out(ctx, kOp, indices, shape)) return;
  if (values.numel() == 0) return;
  if (scalar) k = 1;  // a scalar is its own selection, also when none is asked for
  DimSet set;
  set.has[d] = true;
  ReducePlan plan;
  if (!make_plan(ctx, kOp, in, set, values, indices, true, &plan)) return;
  const auto stride_of = [&](const Tensor& t) -> int64_t { return scalar ? 1 : t.strides()[static_cast<size_t>(d)]; };
  TopkParams params{n, k, sorted, stride_of(in), stride_of(values), stride_of(indices), nullptr, nullptr};
  const size_t bytes = static_cast<size_t>(n) * (sizeof(Item<double>) + sizeof(double));
  alignas(16) char small[8192];
  char* memory = small;
  if (bytes > sizeof(small)) {
    Result<void*> temp = ctx.allocate_temp(bytes);
    ET_KERNEL_CHECK_MSG(ctx, temp.ok(), MemoryAllocationFailed, , "%s: no %zu bytes of temporary memory", kOp, bytes);
    memory = static_cast<char*>(*temp);
  }
  params.items = memory;
  params.row = memory + static_cast<size_t>(n) * sizeof(Item<double>);
  dispatch_compute(in.scalar_type(), [&]<class C>() {
    if (largest) {
      top_rows<C, true>(plan, params, in, values, indices);
    } else {
      top_rows<C, false>(plan, params, in, values, indices);
    }
  });
}

}  // namespace

ET_KERNEL(topk_values)

}  // namespace et::ET_KERNELS
