// Arguments that share what they should not: constants that are written, tensors that are read and resized at once,
// outputs that lie over the indices they are computed with, views that outlive the room of what they view.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <vector>

#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/dtype.h"

namespace et::testing {
namespace {

/// A tensor over memory of the caller. DYNAMIC_BOUND ones have `bound` as their greatest sizes.
struct At {
  At(ScalarType type, std::vector<int32_t> shape, void* data, std::vector<int32_t> bound = {})
      : sizes(bound.empty() ? shape : std::move(bound)), strides(sizes.size()), order(sizes.size()) {
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<uint8_t>(d);
    EXPECT_TRUE(dim_order_to_strides(sizes, order, strides.data()));
    const bool fixed = sizes == shape;
    impl = std::make_unique<TensorImpl>(type, sizes.size(), sizes.data(), data, order.data(), strides.data(),
                                        fixed ? TensorShapeDynamism::STATIC : TensorShapeDynamism::DYNAMIC_BOUND);
    EXPECT_EQ(impl->resize(shape), Error::Ok);
    value = EValue(Tensor(impl.get()));
  }
  At& constant() {
    impl->set_read_only(true);
    return *this;
  }
  std::vector<int32_t> shape() const { return {impl->sizes().begin(), impl->sizes().end()}; }

  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  std::unique_ptr<TensorImpl> impl;
  EValue value;
};

template <class T>
struct List {
  explicit List(std::vector<EValue> given) : items(std::move(given)), unwrapped(items.size()) {
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
EValue integer(int64_t v) { return EValue(v); }

Error call_stack(const char* name, std::vector<EValue*> stack) {
  const Result<const Kernel*> kernel = get_kernel(name);
  if (!kernel.ok()) return kernel.error();
  alignas(64) static std::array<uint8_t, 1 << 20> memory;
  MemoryAllocator allocator(memory.size(), memory.data());
  KernelRuntimeContext context(nullptr, &allocator);
  (*kernel)->function(context, Span<EValue*>(stack.data(), stack.size()));
  return context.failure_state();
}
/// The last argument twice, as a program has it; a harmless one as the result where the kernel writes another.
Error call(const char* name, std::initializer_list<EValue*> args) {
  std::vector<EValue*> stack(args);
  stack.push_back(stack.back());
  return call_stack(name, stack);
}

constexpr auto kFloat = ScalarType::Float;
constexpr auto kLong = ScalarType::Long;

// --- Constants ------------------------------------------------------------------------------------------------------

TEST(WrittenConstants, AreRefusedWhereverTheyStand) {
  std::vector<float> kept(64, 1.0f), other(64, 2.0f), third(64, 2.0f);
  std::vector<int64_t> zero(4, 0);
  const std::vector<float> before = kept;
  EValue none, no(false), yes(true), one(1.0), place = integer(0);

  At cache(kFloat, {1, 4, 1, 2}, kept.data()), token(kFloat, {1, 1, 1, 2}, other.data());
  At placeholder(kFloat, {1}, third.data()), positions(kLong, {1, 1}, zero.data());
  cache.constant();
  EXPECT_EQ(call("llama::update_cache.out", {&token.value, &cache.value, &place, &placeholder.value}),
            Error::InvalidArgument);
  EXPECT_EQ(call("llama::update_cache_with_indices.out",
                 {&token.value, &cache.value, &place, &positions.value, &placeholder.value}),
            Error::InvalidArgument);
  At free_cache(kFloat, {1, 4, 1, 2}, third.data() + 8), result(kFloat, {1, 1, 1, 2}, third.data() + 32);
  EValue length = integer(1);
  for (const bool key : {true, false}) {
    EXPECT_EQ(call("llama::sdpa_with_kv_cache.out",
                   {&token.value, &token.value, &token.value, key ? &cache.value : &free_cache.value,
                    key ? &free_cache.value : &cache.value, &place, &length, &none, &one, &no, &none, &result.value}),
              Error::InvalidArgument);
  }

  At row(kFloat, {4}, kept.data()), source(kFloat, {4}, other.data()), index(kLong, {4}, zero.data());
  row.constant();
  List<optional<Tensor>> indices({index.value});
  EXPECT_EQ(call("aten::index_put_", {&row.value, &indices.value, &source.value, &no}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::copy_", {&row.value, &source.value, &no}), Error::InvalidArgument);
  // The result that the program names is not what the kernel writes.
  EXPECT_EQ(call_stack("aten::relu.out", {&source.value, &row.value, &source.value}), Error::InvalidArgument);
  At half(kFloat, {2}, kept.data());
  half.constant();
  List<Tensor> parts({half.value, half.value});
  EValue two = integer(2);
  EXPECT_EQ(call_stack("aten::split_copy.Tensor_out", {&source.value, &two, &place, &parts.value, &source.value}),
            Error::InvalidArgument);
  At rows(kFloat, {2, 4}, kept.data());
  rows.constant();
  EXPECT_EQ(call_stack("executorch_prim::et_copy_index.tensor", {&rows.value, &source.value, &length}),
            Error::InvalidArgument);
  EXPECT_EQ(kept, before);
}

TEST(WrittenConstants, RunningStatisticsAreWrittenInTrainingOnly) {
  std::vector<float> in{1, 2, 3, 5}, mean(2, 0.0f), var(2, 1.0f), out(4), saved(4);
  At input(kFloat, {2, 2}, in.data()), result(kFloat, {2, 2}, out.data());
  At running_mean(kFloat, {2}, mean.data()), running_var(kFloat, {2}, var.data());
  EValue none, no(false), yes(true), momentum(0.1), eps(0.0);
  const auto norm = [&](EValue* training, int32_t statistics) {
    At save_mean(kFloat, {statistics}, saved.data()), save_invstd(kFloat, {statistics}, saved.data() + 2);
    return call("aten::_native_batch_norm_legit.out",
                {&input.value, &none, &none, &running_mean.value, &running_var.value, training, &momentum, &eps,
                 &result.value, &save_mean.value, &save_invstd.value});
  };
  for (At* t : {&running_mean, &running_var}) {
    t->constant();
    EXPECT_EQ(norm(&yes, 2), Error::InvalidArgument);
    EXPECT_EQ(norm(&no, 0), Error::Ok);
    EXPECT_EQ(out, in);
    t->impl->set_read_only(false);
  }
  EXPECT_EQ(norm(&yes, 2), Error::Ok);
  EXPECT_NE(mean[0], 0.0f);
}

// --- One tensor as input and output ---------------------------------------------------------------------------------

TEST(SameTensor, IsReadButNotResized) {
  std::vector<float> data(32, -1.0f), other(4, 3.0f);
  At grows(kFloat, {4}, data.data(), {32}), x(kFloat, {4}, other.data());
  EValue dim = integer(0);
  List<Tensor> both({x.value, grows.value});
  EXPECT_NE(call("aten::cat.out", {&both.value, &dim, &grows.value}), Error::Ok);
  EXPECT_EQ(grows.shape(), (std::vector<int32_t>{4}));
  // In place, with the shape it has.
  EXPECT_EQ(call("aten::relu.out", {&grows.value, &grows.value}), Error::Ok);
  EXPECT_EQ(data[0], 0.0f);
  // Afterwards it is free again.
  EXPECT_FALSE(grows.impl->is_shape_fixed());
  List<Tensor> twice({x.value, x.value});
  EXPECT_EQ(call("aten::cat.out", {&twice.value, &dim, &grows.value}), Error::Ok);
  EXPECT_EQ(grows.shape(), (std::vector<int32_t>{8}));
}

TEST(SameTensor, AMaskDoesNotBecomeItsOwnResult) {
  // As the result, [6, 50], the mask's coordinates would leave the dimensions that they address.
  std::vector<uint8_t> bytes(2000, 1);
  std::vector<uint8_t> self_bytes(2 * 3 * 50, 1);
  At mask(ScalarType::Bool, {2, 3}, bytes.data(), {40, 50}), self(ScalarType::Bool, {2, 3, 50}, self_bytes.data());
  List<optional<Tensor>> indices({mask.value});
  EXPECT_NE(call("aten::index.Tensor_out", {&self.value, &indices.value, &mask.value}), Error::Ok);
  EXPECT_EQ(mask.shape(), (std::vector<int32_t>{2, 3}));
}

// --- Overlapping memory ---------------------------------------------------------------------------------------------

// Positions and an output over each other, at every distance, between guards that must stay. What is read and then
// written has values that no memory answers to.
struct Arena {
  static constexpr size_t kMiddle = 64, kSize = 128;
  static constexpr int64_t kGuard = 0x5a5a5a5a5a5a5a5a, kWild = int64_t{1} << 44;
  std::vector<int64_t> cells = std::vector<int64_t>(kSize, kGuard);
  int64_t* at(size_t cell) { return cells.data() + cell; }
  void fill(size_t from, size_t count, int64_t v) { std::fill_n(cells.begin() + static_cast<long>(from), count, v); }
  void expect_guards(size_t from, size_t to) const {
    for (size_t i = 0; i < kSize; ++i) {
      if (i < from || i >= to) {
        EXPECT_EQ(cells[i], kGuard) << "cell " << i;
      }
    }
  }
};
constexpr size_t kIndices = 8;

/// f(arena, first cell of the output), the positions being at kMiddle; outputs have `cells` cells.
template <class F>
void at_every_distance(size_t cells, const F& f) {
  for (size_t out = Arena::kMiddle - cells; out <= Arena::kMiddle + kIndices; ++out) {
    SCOPED_TRACE(out);
    Arena arena;
    arena.fill(out, cells, 0);
    for (size_t i = 0; i < kIndices; ++i) *arena.at(Arena::kMiddle + i) = static_cast<int64_t>(i % 3);
    f(arena, out);
    arena.expect_guards(std::min(out, Arena::kMiddle), std::max(out + cells, Arena::kMiddle + kIndices));
  }
}

TEST(OverlappingMemory, ReadersOfPositions) {
  std::vector<int64_t> wild(3, Arena::kWild);
  constexpr int32_t n = kIndices;
  at_every_distance(kIndices, [&](Arena& arena, size_t out_cell) {
    At index(kLong, {n}, arena.at(Arena::kMiddle)), out(kLong, {n}, arena.at(out_cell));
    At self(kLong, {3}, wild.data()), weight(kLong, {3, 1}, wild.data()), column(kLong, {n, 1}, arena.at(out_cell));
    EValue dim = integer(0), no(false);
    List<optional<Tensor>> indices({index.value});
    const std::vector<int64_t> fresh = arena.cells;
    // Errors are welcome: overwritten positions are outside.
    const auto run = [&](const char* name, std::initializer_list<EValue*> args) {
      arena.cells = fresh;
      SCOPED_TRACE(name);
      const Error error = call(name, args);
      EXPECT_TRUE(error == Error::Ok || error == Error::InvalidArgument);
    };
    run("aten::index_select.out", {&self.value, &dim, &index.value, &out.value});
    run("aten::gather.out", {&self.value, &dim, &index.value, &no, &out.value});
    run("aten::index.Tensor_out", {&self.value, &indices.value, &out.value});
    run("aten::embedding.out", {&weight.value, &index.value, &dim, &no, &no, &column.value});
  });
}

TEST(OverlappingMemory, WritersAtPositions) {
  std::vector<int64_t> wild(kIndices, Arena::kWild);
  constexpr int32_t n = kIndices;
  at_every_distance(3, [&](Arena& arena, size_t out_cell) {
    At index(kLong, {n}, arena.at(Arena::kMiddle)), target(kLong, {3}, arena.at(out_cell));
    At source(kLong, {n}, wild.data()), self(kLong, {3}, wild.data());
    EValue dim = integer(0), no(false), yes(true), value = integer(Arena::kWild);
    List<optional<Tensor>> indices({index.value});
    const std::vector<int64_t> fresh = arena.cells;
    const auto run = [&](const char* name, std::initializer_list<EValue*> args) {
      arena.cells = fresh;
      SCOPED_TRACE(name);
      const Error error = call(name, args);
      EXPECT_TRUE(error == Error::Ok || error == Error::InvalidArgument);
    };
    run("aten::index_put_", {&target.value, &indices.value, &source.value, &no});
    run("aten::index_put_", {&target.value, &indices.value, &source.value, &yes});
    run("aten::index_put.out", {&self.value, &indices.value, &source.value, &no, &target.value});
    run("aten::scatter.src_out", {&self.value, &dim, &index.value, &source.value, &target.value});
    run("aten::scatter_add.out", {&self.value, &dim, &index.value, &source.value, &target.value});
    run("aten::scatter.value_out", {&self.value, &dim, &index.value, &value, &target.value});
  });
}

TEST(OverlappingMemory, ACacheOverItsOwnPositions) {
  std::vector<int64_t> wild(kIndices, Arena::kWild);
  constexpr int32_t n = kIndices;
  at_every_distance(3, [&](Arena& arena, size_t out_cell) {
    At index(kLong, {1, n}, arena.at(Arena::kMiddle)), cache(kLong, {1, 3, 1, 1}, arena.at(out_cell));
    At value(kLong, {1, n, 1, 1}, wild.data()), placeholder(kLong, {1}, wild.data());
    EValue start = integer(0);
    const bool apart = out_cell + 3 <= Arena::kMiddle || out_cell >= Arena::kMiddle + kIndices;
    EXPECT_EQ(call("llama::update_cache_with_indices.out",
                   {&value.value, &cache.value, &start, &index.value, &placeholder.value}),
              apart ? Error::Ok : Error::InvalidArgument);
  });
}

TEST(OverlappingMemory, CountsThatAreWrittenOver) {
  constexpr int32_t n = kIndices;
  at_every_distance(7, [&](Arena& arena, size_t out_cell) {
    // 0 1 2 0 1 2 0 1: seven in all. Later counts become numbers of places, which are larger.
    At repeats(kLong, {n}, arena.at(Arena::kMiddle)), out(kLong, {7}, arena.at(out_cell));
    for (size_t i = 0; i < kIndices; ++i) *arena.at(Arena::kMiddle + i) = static_cast<int64_t>(i % 3);
    EValue none;
    EXPECT_NE(call("aten::repeat_interleave.Tensor_out", {&repeats.value, &none, &out.value}), Error::Internal);
  });
  at_every_distance(5, [&](Arena& arena, size_t out_cell) {
    At self(kLong, {n}, arena.at(Arena::kMiddle)), out(kLong, {5, 1}, arena.at(out_cell));
    EXPECT_NE(call("aten::nonzero.out", {&self.value, &out.value}), Error::Internal);
  });
}

// --- Views ----------------------------------------------------------------------------------------------------------

struct Views : ::testing::Test {
  static Error view(At* self, std::vector<EValue> size, At* out) {
    List<int64_t> sizes(std::move(size));
    return call_stack("executorch_prim::et_view.default", {&self->value, &sizes.value, &out->value});
  }
};

TEST_F(Views, HaveTheRoomOfWhatTheyView) {
  std::vector<float> small(4), large(16);
  At self(kFloat, {4}, small.data()), out(kFloat, {1, 1}, nullptr, {4, 4});
  ASSERT_EQ(view(&self, {integer(2), integer(2)}, &out), Error::Ok);
  EXPECT_EQ(out.impl->mutable_data(), small.data());
  EXPECT_EQ(out.impl->room(), 4u);
  // Within its bound, but behind self's memory.
  EXPECT_NE(out.impl->resize(std::vector<int32_t>{4, 4}), Error::Ok);
  EXPECT_EQ(out.shape(), (std::vector<int32_t>{2, 2}));
  // A larger one the next time.
  At more(kFloat, {16}, large.data());
  ASSERT_EQ(view(&more, {integer(4), integer(-1)}, &out), Error::Ok);
  EXPECT_EQ(out.impl->mutable_data(), large.data());
  EXPECT_EQ(out.shape(), (std::vector<int32_t>{4, 4}));
  EXPECT_EQ(out.impl->room(), 16u);
  // Less of self than it has room for: out may have the rest.
  At part(kFloat, {2}, large.data(), {8});
  ASSERT_EQ(view(&part, {integer(1), integer(2)}, &out), Error::Ok);
  EXPECT_EQ(out.impl->room(), 8u);
}

TEST_F(Views, ThatFailKeepTheirMemory) {
  std::vector<float> small(4), large(16);
  At self(kFloat, {4}, small.data()), fixed(kFloat, {4, 4}, large.data());
  EXPECT_NE(view(&self, {integer(2), integer(2)}, &fixed), Error::Ok);
  EXPECT_EQ(fixed.impl->mutable_data(), large.data());
  EXPECT_EQ(fixed.impl->room(), 16u);
}

TEST_F(Views, OfConstantsAreConstants) {
  std::vector<float> data(4, -1.0f), other(4);
  At self(kFloat, {4}, data.data()), out(kFloat, {2, 2}, nullptr), source(kFloat, {2, 2}, other.data());
  self.constant();
  ASSERT_EQ(view(&self, {integer(2), integer(2)}, &out), Error::Ok);
  EXPECT_TRUE(out.impl->is_read_only());
  EXPECT_EQ(call("aten::relu.out", {&source.value, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(data[0], -1.0f);
  At free(kFloat, {4}, other.data());
  ASSERT_EQ(view(&free, {integer(2), integer(2)}, &out), Error::Ok);
  EXPECT_FALSE(out.impl->is_read_only());
}

TEST_F(Views, NeedMemory) {
  At self(kFloat, {4}, nullptr), out(kFloat, {2, 2}, nullptr);
  EXPECT_EQ(view(&self, {integer(2), integer(2)}, &out), Error::InvalidArgument);
  // Nothing needs none, and gives no room.
  At empty(kFloat, {0}, nullptr), nothing(kFloat, {0, 1}, nullptr, {4, 4});
  EXPECT_EQ(view(&empty, {integer(0), integer(4)}, &nothing), Error::Ok);
  EXPECT_EQ(nothing.impl->room(), 0u);
}

}  // namespace
}  // namespace et::testing
