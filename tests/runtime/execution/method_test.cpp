// Methods as an application meets them: inputs that are refused with a reason, steps, state that lasts, memory pools,
// dynamic shapes, outputs.
#include "runtime/executor/method.h"

#include <gtest/gtest.h>

#include "tests/runtime/execution/loaded_program.h"

namespace et::testing {
namespace {

std::string artifact(const char* name) { return std::string(ET_FIXTURES) + "/artifacts/" + name + "/program.pte"; }

struct FloatTensor {
  FloatTensor(std::vector<int32_t> s, std::vector<float> v)
      : sizes(std::move(s)), strides(sizes.size()), values(std::move(v)) {
    for (size_t i = 0; i < sizes.size(); ++i) order.push_back(static_cast<uint8_t>(i));
    dim_order_to_strides(sizes, order, strides.data());
    impl.emplace(ScalarType::Float, sizes.size(), sizes.data(), values.data(), order.data(), strides.data());
  }
  EValue value() { return EValue(Tensor(&*impl)); }
  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  std::vector<float> values;
  std::optional<TensorImpl> impl;
};

class AddMul : public ::testing::Test {
 protected:
  AddMul() : program(read_file(artifact("add_mul"))) {}
  void SetUp() override {
    ASSERT_EQ(program.open(), Error::Ok);
    ASSERT_EQ(program.load("forward"), Error::Ok);
  }
  ErrorLog log;
  LoadedProgram program;
};

TEST_F(AddMul, ComputesWhatPythonComputes) {
  FloatTensor a({2, 3}, {1, 2, 3, 4, 5, 6});
  FloatTensor b({2, 3}, {10, 20, 30, 40, 50, 60});
  ASSERT_EQ(program.method().set_input(a.value(), 0), Error::Ok);
  ASSERT_EQ(program.method().set_input(b.value(), 1), Error::Ok);
  ASSERT_EQ(program.method().execute(), Error::Ok);
  const Tensor out = program.method().get_output(0).toTensor();
  ASSERT_EQ(out.numel(), 6);
  EXPECT_EQ(out.scalar_type(), ScalarType::Float);
}

TEST_F(AddMul, InputsAreRefusedByName) {
  FloatTensor wrong_shape({3, 3}, std::vector<float>(9));
  EXPECT_EQ(program.method().set_input(wrong_shape.value(), 0), Error::NotSupported);
  EXPECT_NE(ErrorLog::text().find("input 0"), std::string::npos);
  EXPECT_EQ(program.method().set_input(EValue(int64_t{3}), 1), Error::InvalidArgument);
  EXPECT_NE(ErrorLog::text().find("input 1: expected Tensor, got Int"), std::string::npos);
  EXPECT_EQ(program.method().set_input(EValue(int64_t{3}), 7), Error::InvalidArgument);
  FloatTensor one({2, 3}, std::vector<float>(6));
  const EValue values[] = {one.value()};
  EXPECT_EQ(program.method().set_inputs(values), Error::InvalidArgument);
}

TEST_F(AddMul, NothingRunsBeforeAllInputsAreSet) {
  EXPECT_EQ(program.method().execute(), Error::InvalidArgument);
  EXPECT_NE(ErrorLog::text().find("input 0 was not set"), std::string::npos);
}

TEST_F(AddMul, StepsThroughTheProgram) {
  FloatTensor a({2, 3}, std::vector<float>(6, 1));
  FloatTensor b({2, 3}, std::vector<float>(6, 2));
  ASSERT_EQ(program.method().set_input(a.value(), 0), Error::Ok);
  ASSERT_EQ(program.method().set_input(b.value(), 1), Error::Ok);
  const size_t count = program.method().method_meta().num_instructions();
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(program.method().step(), Error::Ok);
    if (i + 1 < count) {
      EXPECT_TRUE(program.method().in_progress());
      EXPECT_EQ(program.method().set_input(a.value(), 0), Error::InvalidState);
      EXPECT_EQ(program.method().execute(), Error::InvalidState);
      EXPECT_EQ(program.method().reset_execution(), Error::InvalidState);
    }
  }
  EXPECT_EQ(program.method().step(), Error::EndOfMethod);
  EXPECT_EQ(program.method().reset_execution(), Error::Ok);
  EXPECT_EQ(program.method().execute(), Error::Ok);
}

TEST(Method, UnknownNamesAreErrors) {
  ErrorLog log;
  LoadedProgram p(read_file(artifact("add_mul")));
  ASSERT_EQ(p.open(), Error::Ok);
  EXPECT_EQ(p.load("backward"), Error::InvalidArgument);
  EXPECT_NE(ErrorLog::text().find("backward"), std::string::npos);
}

TEST(Method, MutableStateLastsAndReloadingBringsItBack) {
  ErrorLog log;
  std::vector<float> first, second;
  for (std::vector<float>* out : {&first, &second}) {
    LoadedProgram p(read_file(artifact("mutable_buffer")));
    ASSERT_EQ(p.open(), Error::Ok);
    ASSERT_EQ(p.load("forward"), Error::Ok) << ErrorLog::text();
    for (int run = 0; run < 3; ++run) {
      ASSERT_EQ(p.set_default_inputs(), Error::Ok);
      ASSERT_EQ(p.method().execute(), Error::Ok) << ErrorLog::text();
      const Tensor t = p.method().get_output(0).toTensor();
      ASSERT_EQ(t.scalar_type(), ScalarType::Float);
      out->insert(out->end(), t.const_data_ptr<float>(), t.const_data_ptr<float>() + t.numel());
    }
  }
  EXPECT_EQ(first, second);
}

TEST(Method, SeveralPoolsAreUsedAsGiven) {
  ErrorLog log;
  LoadedProgram p(read_file(artifact("memory_pools")));
  ASSERT_EQ(p.open(), Error::Ok);
  const Result<MethodMeta> meta = p.program().method_meta("forward");
  ASSERT_TRUE(meta.ok());
  ASSERT_GE(meta->num_memory_planned_buffers(), 2u);
  std::vector<uint8_t> small(static_cast<size_t>(*meta->memory_planned_buffer_size(1)) + 64);
  const auto at = (reinterpret_cast<uintptr_t>(small.data()) + 63) & ~uintptr_t{63};
  const Span<uint8_t> given(reinterpret_cast<uint8_t*>(at), small.size() - 64);
  auto arenas = MethodArenas::create(*meta, {{2, given}});
  ASSERT_TRUE(arenas.ok());
  EXPECT_EQ((*arenas)->planned().buffer(1).data(), given.data());
  if (!given.empty()) {
    auto too_small = MethodArenas::create(*meta, {{2, given.first(given.size() - 1)}});
    EXPECT_EQ(too_small.error(), Error::MemoryAllocationFailed);
  }
}

TEST(Method, LoadFailsWhenMethodMemoryEnds) {
  ErrorLog log;
  LoadedProgram p(read_file(artifact("add_mul")));
  ASSERT_EQ(p.open(), Error::Ok);
  const Result<MethodMeta> meta = p.program().method_meta("forward");
  uint8_t memory[4096];
  bool loaded = false;
  for (size_t size = 0; size <= sizeof(memory) && !loaded; size += 8) {
    MemoryAllocator method_memory(size, memory);
    auto arenas = MethodArenas::create(*meta, {}, &method_memory);
    ASSERT_TRUE(arenas.ok());
    Result<Method> m = p.program().load_method("forward", (*arenas)->manager());
    if (m.ok()) {
      loaded = true;
      EXPECT_LE(method_memory.high_water(), size);
    } else {
      EXPECT_EQ(m.error(), Error::MemoryAllocationFailed);
    }
  }
  EXPECT_TRUE(loaded);
}

}  // namespace
}  // namespace et::testing
