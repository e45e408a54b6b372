// A model is loaded and run as ExecuTorch's manual shows it.
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <vector>

using executorch::aten::ScalarType;
using executorch::extension::FileDataLoader;
using executorch::extension::from_blob;
using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::Tag;

namespace {

constexpr char kModel[] = ET_FIXTURES "/artifacts/add_mul/program.pte";

TEST(FacadeApplication, AModuleRuns) {
  Module module(kModel);
  const auto meta = module.method_meta("forward");
  ASSERT_TRUE(meta.ok());
  std::vector<executorch::extension::TensorPtr> inputs;
  std::vector<EValue> values;
  for (size_t i = 0; i < meta->num_inputs(); ++i) {
    const auto info = meta->input_tensor_meta(i);
    ASSERT_TRUE(info.ok());
    inputs.push_back(executorch::extension::ones({info->sizes().begin(), info->sizes().end()}, info->scalar_type()));
    values.push_back(inputs.back());
  }
  const auto outputs = module.forward(values);
  ASSERT_EQ(outputs.error(), Error::Ok);
  ASSERT_FALSE(outputs->empty());
  EXPECT_TRUE(outputs->at(0).isTensor());
  EXPECT_EQ(outputs->at(0).toTensor().scalar_type(), ScalarType::Float);
}

TEST(FacadeApplication, AMethodRunsInMemoryOfTheApplication) {
  executorch::runtime::runtime_init();
  Result<FileDataLoader> loader = FileDataLoader::from(kModel);
  ASSERT_TRUE(loader.ok());
  Result<Program> program = Program::load(&loader.get());
  ASSERT_TRUE(program.ok());
  const auto name = program->get_method_name(0);
  ASSERT_TRUE(name.ok());
  Result<MethodMeta> meta = program->method_meta(*name);
  ASSERT_TRUE(meta.ok());

  std::vector<std::unique_ptr<uint8_t[]>> buffers;
  std::vector<Span<uint8_t>> planned;
  for (size_t id = 0; id < meta->num_memory_planned_buffers(); ++id) {
    const size_t size = static_cast<size_t>(meta->memory_planned_buffer_size(id).get());
    buffers.push_back(std::make_unique<uint8_t[]>(size));
    planned.push_back({buffers.back().get(), size});
  }
  HierarchicalAllocator planned_memory({planned.data(), planned.size()});
  static uint8_t method_pool[64 * 1024];
  MemoryAllocator method_allocator(sizeof method_pool, method_pool);
  MemoryManager memory(&method_allocator, &planned_memory);
  Result<Method> method = program->load_method(*name, &memory);
  ASSERT_EQ(method.error(), Error::Ok);

  const auto inputs = executorch::extension::prepare_input_tensors(*method);
  ASSERT_TRUE(inputs.ok());
  ASSERT_EQ(method->execute(), Error::Ok);
  std::vector<EValue> outputs(method->outputs_size());
  ASSERT_EQ(method->get_outputs(outputs.data(), outputs.size()), Error::Ok);
  EXPECT_EQ(outputs[0].tag, Tag::Tensor);
  EXPECT_GT(outputs[0].toTensor().numel(), 0);
}

TEST(FacadeApplication, OlderFormsWork) {
  uint8_t memory[2][64];
  MemoryAllocator allocators[] = {{64, memory[0]}, {32, memory[1]}};
  HierarchicalAllocator planned(2, allocators);
  EXPECT_EQ(*planned.get_offset_address(1, 8, 24), memory[1] + 8);
  EXPECT_FALSE(planned.get_offset_address(1, 8, 25).ok());
  EXPECT_FALSE(planned.get_offset_address(2, 0, 0).ok());
  Module module(kModel);
  const auto meta = module.method_meta("forward");
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(meta->num_non_const_buffers(), meta->num_memory_planned_buffers());
  EXPECT_EQ(*meta->non_const_buffer_size(0), *meta->memory_planned_buffer_size(0));
  // A tensor's facts from its parts.
  const std::vector<int32_t> sizes{2, 3}, huge{INT32_MAX, INT32_MAX, INT32_MAX};
  const std::vector<uint8_t> order{0, 1}, order3{0, 1, 2};
  const auto info =
      executorch::runtime::TensorInfo::create({sizes.data(), 2}, {order.data(), 2}, ScalarType::Float, true, "x");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->nbytes(), 24U);
  EXPECT_EQ(info->name(), "x");
  EXPECT_FALSE(
      executorch::runtime::TensorInfo::create({huge.data(), 3}, {order3.data(), 3}, ScalarType::Float, true, "").ok());
}

TEST(FacadeApplication, MistakesEndTheProcessWithTheirCause) {
  Module module(kModel);
  ASSERT_EQ(module.load_forward(), Error::Ok);
  Method* method = *module.method("forward");
  EXPECT_DEATH(static_cast<void>(method->get_input(2)), "input.* 2 >= 2");
  EXPECT_DEATH(static_cast<void>(method->mutable_output(7)), "output.* 7 >= 1");
  EXPECT_DEATH(static_cast<void>(EValue(true).toInt()), "not an int: it is a bool");
  EXPECT_DEATH((executorch::runtime::BoxedEvalueList<int64_t>(nullptr, nullptr, 1)), "wrapped_vals cannot be null");
  EXPECT_DEATH(EValue(static_cast<const executorch::runtime::BoxedEvalueList<int64_t>*>(nullptr)),
               "the int list pointer cannot be null");
}

TEST(FacadeApplication, WrongInputBuffersAreRefused) {
  Module module(kModel);
  ASSERT_EQ(module.load_forward(), Error::Ok);
  Method* method = *module.method("forward");
  std::vector<std::pair<char*, size_t>> none_too_many(method->inputs_size() + 1, {nullptr, 0});
  EXPECT_EQ(executorch::extension::prepare_input_tensors(*method, {}, none_too_many).error(), Error::InvalidArgument);
  executorch::extension::PrepareInputTensorsOptions options;
  options.max_total_allocation_size = 1;
  EXPECT_EQ(executorch::extension::prepare_input_tensors(*method, options).error(), Error::InvalidProgram);
}

TEST(FacadeApplication, AHeaderSaysWhatAFileIs) {
  std::vector<char> bytes(Program::kMinHeadBytes);
  EXPECT_EQ(Program::check_header(bytes.data(), 10), Program::HeaderStatus::ShortData);
  EXPECT_EQ(Program::check_header(bytes.data(), bytes.size()), Program::HeaderStatus::NotPresent);
  std::copy_n("ET11", 4, bytes.begin() + 4);
  EXPECT_EQ(Program::check_header(bytes.data(), bytes.size()), Program::HeaderStatus::IncompatibleVersion);
  std::copy_n("ET12", 4, bytes.begin() + 4);
  EXPECT_EQ(Program::check_header(bytes.data(), bytes.size()), Program::HeaderStatus::CompatibleVersion);
}

}  // namespace
