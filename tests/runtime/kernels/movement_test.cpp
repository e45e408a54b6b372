// Movement, indexing and resampling, beyond what the conformance corpus shows: hostile arguments fail without harm,
// layouts mix, elements stand at odd addresses, positions outside are refused.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/dtype.h"

namespace et {
namespace {

/// A tensor with memory of its own.
template <class T>
struct Owned {
  Owned(std::vector<int32_t> shape, std::vector<T> values, std::vector<uint8_t> order = {})
      : sizes(std::move(shape)), strides(sizes.size()), dim_order(std::move(order)), data(std::move(values)) {
    if (dim_order.empty()) {
      dim_order.resize(sizes.size());
      std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
    }
    dim_order_to_strides(sizes, dim_order, strides.data());
    int64_t n = 1;
    for (const int32_t s : sizes) n *= s;
    data.resize(static_cast<size_t>(n));
    impl = TensorImpl(kernels::kDtypeOf<T>, sizes.size(), sizes.data(), data.data(), dim_order.data(), strides.data());
    value = EValue(Tensor(&impl));
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> dim_order;
  std::vector<T> data;
  TensorImpl impl{ScalarType::Float, 0, nullptr};
  EValue value;
};

/// A list argument: integers, tensors or optional tensors.
template <class T>
struct List {
  explicit List(std::vector<EValue> values) : items(std::move(values)), unwrapped(items.size()) {
    for (EValue& v : items) pointers.push_back(&v);
    boxed = {pointers.data(), unwrapped.data(), items.size()};
    value = EValue(&boxed);
  }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  std::vector<EValue> items;
  std::vector<EValue*> pointers;
  std::vector<T> unwrapped;
  BoxedList<T> boxed;
  EValue value;
};
using Ints = List<int64_t>;
using Tensors = List<Tensor>;
using Indices = List<optional<Tensor>>;
EValue i64(int64_t v) { return EValue(v); }

/// Calls the operator; the last argument is passed twice, as a program does it.
Error call(const char* name, std::initializer_list<EValue*> args) {
  const auto kernel = get_kernel(name);
  if (!kernel.ok()) return kernel.error();
  alignas(64) static std::array<uint8_t, 1 << 16> memory;
  MemoryAllocator allocator(memory.size(), memory.data());
  KernelRuntimeContext context(nullptr, &allocator);
  std::vector<EValue*> stack(args);
  stack.push_back(stack.back());
  (*kernel)->function(context, Span<EValue*>(stack.data(), stack.size()));
  return context.failure_state();
}

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Movement, ExtremeNumbersAreClampedOrRefused) {
  Owned<float> self({4}, {0, 1, 2, 3});
  Owned<float> all({4}, {}), one({1}, {}), none({0}, {});
  EValue dim = i64(0), least = i64(kLeast), most = i64(kMost), single = i64(1), absent;
  EXPECT_EQ(call("aten::slice_copy.Tensor_out", {&self.value, &dim, &least, &most, &single, &all.value}), Error::Ok);
  EXPECT_EQ(all.data, self.data);
  EXPECT_EQ(call("aten::slice_copy.Tensor_out", {&self.value, &dim, &absent, &absent, &most, &one.value}), Error::Ok);
  EXPECT_EQ(call("aten::slice_copy.Tensor_out", {&self.value, &dim, &most, &least, &single, &none.value}), Error::Ok);
  for (const int64_t step : {int64_t{0}, int64_t{-1}, kLeast}) {
    EValue bad = i64(step);
    EXPECT_EQ(call("aten::slice_copy.Tensor_out", {&self.value, &dim, &absent, &absent, &bad, &all.value}),
              Error::InvalidArgument);
  }
  EXPECT_EQ(call("aten::narrow_copy.out", {&self.value, &dim, &single, &most, &all.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::select_copy.int_out", {&self.value, &dim, &least, &all.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::unsqueeze_copy.out", {&self.value, &most, &all.value}), Error::InvalidArgument);
  Ints shift({kLeast}), dims({int64_t{0}});
  EXPECT_EQ(call("aten::roll.out", {&self.value, &shift.value, &dims.value, &all.value}), Error::Ok);
  EXPECT_EQ(all.data, self.data);  // 2^63 is a multiple of 4
}

TEST(Movement, StridedViewsStayInside) {
  Owned<float> self({3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  Owned<float> out({2, 2}, {});
  EValue offset = i64(1), beyond = i64(6), huge = i64(kMost);
  Ints size({2, 2}), stride({int64_t{3}, 1}), wild({kMost, kMost}), back({int64_t{-1}, 1});
  EXPECT_EQ(call("aten::as_strided_copy.out", {&self.value, &size.value, &stride.value, &offset, &out.value}),
            Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{1, 2, 4, 5}));
  for (EValue* bad : {&beyond, &huge}) {
    EXPECT_EQ(call("aten::as_strided_copy.out", {&self.value, &size.value, &stride.value, bad, &out.value}),
              Error::InvalidArgument);
  }
  for (EValue* bad : {&wild.value, &back.value}) {
    EXPECT_EQ(call("aten::as_strided_copy.out", {&self.value, &size.value, bad, &offset, &out.value}),
              Error::InvalidArgument);
  }
}

TEST(Movement, LayoutsMix) {
  // 1, 2, 2, 3 in both orders: value = 10 * channel + position.
  Owned<int16_t> first({1, 2, 2, 3}, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
  Owned<int16_t> last({1, 2, 2, 3}, {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15}, {0, 2, 3, 1});
  Owned<int16_t> out({1, 4, 2, 3}, {}, {0, 2, 3, 1});
  Tensors both({first.value, last.value});
  EValue dim = i64(1);
  ASSERT_EQ(call("aten::cat.out", {&both.value, &dim, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<int16_t>{0, 10, 0, 10, 1, 11, 1, 11, 2, 12, 2, 12,  //
                                            3, 13, 3, 13, 4, 14, 4, 14, 5, 15, 5, 15}));
  Owned<int16_t> flat({12}, {});
  Ints size({int64_t{-1}});
  ASSERT_EQ(call("aten::view_copy.out", {&last.value, &size.value, &flat.value}), Error::Ok);
  EXPECT_EQ(flat.data, first.data);
}

TEST(Movement, ListsAreChecked) {
  Owned<float> self({4}, {0, 1, 2, 3}), a({2}, {}), b({2}, {});
  Tensors parts({a.value, b.value}), few({a.value}), odd({a.value, i64(3)}), nothing({});
  EValue two = i64(2), zero = i64(0);
  EXPECT_EQ(call("aten::split_copy.Tensor_out", {&self.value, &two, &zero, &parts.value}), Error::Ok);
  EXPECT_EQ(b.data, (std::vector<float>{2, 3}));
  for (EValue* bad : {&few.value, &odd.value, &nothing.value}) {
    EXPECT_EQ(call("aten::split_copy.Tensor_out", {&self.value, &two, &zero, bad}), Error::InvalidArgument);
  }
  for (EValue* bad : {&odd.value, &nothing.value}) {
    EXPECT_EQ(call("aten::cat.out", {bad, &zero, &self.value}), Error::InvalidArgument);
  }
}

TEST(Movement, TransposesOfEverySizeAndEdge) {
  for (const int32_t rows : {1, 2, 3, 5, 16, 65}) {
    for (const int32_t columns : {1, 2, 3, 4, 17, 67}) {
      const size_t n = static_cast<size_t>(rows) * static_cast<size_t>(columns);
      std::vector<uint8_t> bytes(n);
      std::vector<double> doubles(n);
      for (size_t i = 0; i < n; ++i) {
        bytes[i] = static_cast<uint8_t>(i * 7);
        doubles[i] = static_cast<double>(i);
      }
      Owned<uint8_t> b({rows, columns}, bytes), b_out({columns, rows}, {});
      Owned<double> d({rows, columns}, doubles), d_out({columns, rows}, {});
      ASSERT_EQ(call("aten::t_copy.out", {&b.value, &b_out.value}), Error::Ok);
      ASSERT_EQ(call("aten::t_copy.out", {&d.value, &d_out.value}), Error::Ok);
      for (size_t i = 0; i < n; ++i) {
        const size_t r = i / static_cast<size_t>(columns), c = i % static_cast<size_t>(columns);
        ASSERT_EQ(b_out.data[c * static_cast<size_t>(rows) + r], bytes[i]);
        ASSERT_EQ(d_out.data[c * static_cast<size_t>(rows) + r], doubles[i]);
      }
    }
  }
}

TEST(Indexing, PositionsOutsideAreRefused) {
  Owned<float> self({3, 2}, {0, 1, 2, 3, 4, 5}), out({1, 2}, {}), narrow({1, 1}, {});
  EValue zero = i64(0), minus = i64(-1), no(false);
  for (const int64_t at : {int64_t{3}, int64_t{-4}, kLeast, kMost}) {
    Owned<int64_t> index({1}, {at}), square({1, 1}, {at});
    Indices indices({index.value});
    EXPECT_EQ(call("aten::index.Tensor_out", {&self.value, &indices.value, &out.value}), Error::InvalidArgument);
    EXPECT_EQ(call("aten::index_select.out", {&self.value, &zero, &index.value, &out.value}), Error::InvalidArgument);
    EXPECT_EQ(call("aten::embedding.out", {&self.value, &index.value, &minus, &no, &no, &out.value}),
              Error::InvalidArgument);
    EXPECT_EQ(call("aten::gather.out", {&self.value, &zero, &square.value, &no, &narrow.value}),
              Error::InvalidArgument);
    Owned<float> same({3, 2}, {});
    EXPECT_EQ(call("aten::scatter_add.out", {&self.value, &zero, &square.value, &narrow.value, &same.value}),
              Error::InvalidArgument);
  }
  Owned<int32_t> last({1}, {-1});
  Indices wraps({last.value});
  EXPECT_EQ(call("aten::index.Tensor_out", {&self.value, &wraps.value, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{4, 5}));
  EXPECT_EQ(call("aten::index_select.out", {&self.value, &zero, &last.value, &out.value}), Error::InvalidArgument);
}

TEST(Indexing, AccumulatesDuplicatesAndMasks) {
  Owned<int64_t> self({4}, {kMost, 0, 0, 0}), values({3}, {1, 2, 4}), position({3}, {0, 2, 2});
  Indices at({position.value});
  EValue yes(true);
  // In place: the last argument of the program is self again.
  const auto kernel = get_kernel("aten::index_put_");
  ASSERT_TRUE(kernel.ok());
  KernelRuntimeContext context;
  std::vector<EValue*> stack{&self.value, &at.value, &values.value, &yes, &self.value};
  (*kernel)->function(context, Span<EValue*>(stack.data(), stack.size()));
  EXPECT_EQ(context.failure_state(), Error::Ok);
  EXPECT_EQ(self.data, (std::vector<int64_t>{kLeast, 0, 6, 0}));  // sums wrap around

  Owned<float> grid({2, 2}, {1, 2, 3, 4}), picked({2}, {});
  Owned<uint8_t> bytes({2, 2}, {0, 1, 1, 0});
  Indices by_mask({bytes.value});
  ASSERT_EQ(call("aten::index.Tensor_out", {&grid.value, &by_mask.value, &picked.value}), Error::Ok);
  EXPECT_EQ(picked.data, (std::vector<float>{2, 3}));
}

TEST(Resample, BadSizesAndPositions) {
  Owned<float> image({1, 1, 2, 2}, {1, 2, 3, 4}), out({1, 1, 4, 4}, {});
  EValue none, no(false);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double factor : {0.0, -1.0, 1e300, nan}) {
    const std::array<double, 2> factors{factor, 2.0};
    const ArrayRef<double> items(factors);
    EValue list(&items);
    EXPECT_EQ(call("aten::upsample_nearest2d.vec_out", {&image.value, &none, &list, &out.value}),
              Error::InvalidArgument);
  }
  EXPECT_EQ(call("aten::upsample_nearest2d.vec_out", {&image.value, &none, &none, &out.value}), Error::InvalidArgument);
  const std::array<double, 2> twice{2.0, 2.0};
  const ArrayRef<double> items(twice);
  EValue factors(&items);
  ASSERT_EQ(call("aten::upsample_bilinear2d.vec_out", {&image.value, &none, &no, &factors, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f,  //
                                          2.5f, 2.75f, 3.25f, 3.5f, 3, 3.25f, 3.75f, 4}));

  const float far = std::numeric_limits<float>::infinity();
  const float bad = std::numeric_limits<float>::quiet_NaN();
  Owned<float> grid({1, 1, 4, 2}, {far, 0, -far, 0, bad, bad, 3e38f, -3e38f}), sampled({1, 1, 1, 4}, {});
  for (const int64_t mode : {0, 1, 2}) {
    for (const int64_t padding : {0, 1, 2}) {
      EValue m = i64(mode), p = i64(padding);
      EXPECT_EQ(call("aten::grid_sampler_2d.out", {&image.value, &grid.value, &m, &p, &no, &sampled.value}), Error::Ok);
    }
  }
  EValue mode = i64(3);
  EXPECT_EQ(call("aten::grid_sampler_2d.out", {&image.value, &grid.value, &mode, &mode, &no, &sampled.value}),
            Error::InvalidArgument);
}

}  // namespace
}  // namespace et
