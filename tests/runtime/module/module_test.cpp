// Module runs programs: lazily, with external weights, with state that methods share, traced, and with errors that name
// file and cause.
#include "runtime/module/module.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "etdump/etdump_gen.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/loader/file_data_loader.h"
#include "runtime/module/tensor.h"
#include "tests/runtime/module/log_lines.h"

namespace et {
namespace {

using test::LogLines;

std::string artifact(const std::string& name) { return std::string(ET_FIXTURES) + "/artifacts/" + name; }
std::string program_file(const std::string& name) { return std::string(ET_FIXTURES) + "/programs/" + name; }

std::vector<float> floats(const EValue& v) {
  const Tensor t = v.toTensor();
  return {t.const_data_ptr<float>(), t.const_data_ptr<float>() + t.numel()};
}

TEST(Module, LoadsWhenItIsFirstUsed) {
  Module m(artifact("add_mul/program.pte"));
  EXPECT_FALSE(m.is_loaded());
  EXPECT_EQ(m.program(), nullptr);
  EXPECT_EQ(*m.num_methods(), 1u);
  EXPECT_TRUE(m.is_loaded());
  EXPECT_EQ(*m.method_names(), std::unordered_set<std::string>{"forward"});
  EXPECT_FALSE(m.is_method_loaded("forward"));
  ASSERT_EQ(m.load_forward(), Error::Ok);
  EXPECT_TRUE(m.is_method_loaded("forward"));
  EXPECT_TRUE(m.unload_forward());
  EXPECT_FALSE(m.unload_forward());
}

TEST(Module, ComputesInEveryLoadMode) {
  using Mode = Module::LoadMode;
  for (const Mode mode : {Mode::File, Mode::Mmap, Mode::MmapUseMlockIgnoreErrors, Mode::MmapUseMadvise}) {
    Module m(artifact("add_mul/program.pte"), mode);
    const auto a = make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    const auto b = full({2, 3}, 10);
    const auto out = m.forward({a, b});
    ASSERT_TRUE(out.ok());
    ASSERT_EQ(out->size(), 1u);
    const std::vector<float> first = floats(out->front());
    EXPECT_EQ(first, (std::vector<float>{11, 24, 39, 56, 75, 96}));  // (a + b) * a
    const auto again = m.get("forward", {a, b});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(floats(*again), first);
  }
}

TEST(Module, InputsStaySet) {
  Module m(artifact("add_mul/program.pte"));
  const auto a = rand({2, 3});
  const auto b = rand({2, 3});
  ASSERT_EQ(m.set_inputs({a, b}), Error::Ok);
  const auto first = m.forward();
  ASSERT_TRUE(first.ok());
  const std::vector<float> kept = floats(first->front());
  ASSERT_EQ(m.set_input(zeros({2, 3}), 0), Error::Ok);
  const auto other = m.forward();
  ASSERT_TRUE(other.ok());
  EXPECT_NE(floats(other->front()), kept);
  EXPECT_EQ(floats(*m.get_output()), floats(other->front()));
  EXPECT_EQ(m.set_input(a, 2), Error::InvalidArgument);
  EXPECT_FALSE(m.forward({a, b, a}).ok());
}

TEST(Module, KeepsStateBetweenExecutions) {
  Module m(artifact("mutable_buffer/program.pte"));
  const auto meta = m.method_meta("forward");
  ASSERT_TRUE(meta.ok());
  const auto info = *meta->input_tensor_meta(0);
  const auto x = ones({info.sizes().begin(), info.sizes().end()});
  const auto one = m.forward(x);
  ASSERT_TRUE(one.ok());
  const std::vector<float> first = floats(one->front());
  const auto two = m.forward(x);
  ASSERT_TRUE(two.ok());
  EXPECT_NE(floats(two->front()), first);
  ASSERT_TRUE(m.unload_forward());
  const auto fresh = m.forward(x);
  ASSERT_TRUE(fresh.ok());
  EXPECT_EQ(floats(fresh->front()), first);
}

TEST(Module, MethodsShareTheirStateAlsoWhenLoadedLate) {
  for (const bool share_all : {false, true}) {
    Module m(artifact("multi_method_shared_state/program.pte"), Module::LoadMode::Mmap, nullptr, nullptr, nullptr,
             share_all);
    const auto add = [&](float v) { return floats(*m.get("add", full({3}, v)))[0]; };
    EXPECT_EQ(add(1), 1);
    EXPECT_EQ(add(2), 3);
    EXPECT_FALSE(m.is_method_loaded("read"));
    const auto read = m.get("read", full({3}, 10));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(floats(*read), std::vector<float>(3, 30));
    // One method goes, the other still knows the state.
    m.unload_method("add");
    EXPECT_EQ(add(1), 4);
    m.unload_method("add");
    m.unload_method("read");
    EXPECT_EQ(add(1), 1);
  }
}

TEST(Module, ReadsWeightsFromATensorFile) {
  const std::string weights = artifact("external_weights/_default_external_constant.ptd");
  Module m(artifact("external_weights/program.pte"), weights);
  const auto meta = m.method_meta("forward");
  ASSERT_TRUE(meta.ok());
  const auto info = *meta->input_tensor_meta(0);
  const auto x = ones({info.sizes().begin(), info.sizes().end()});
  const auto out = m.forward(x);
  ASSERT_TRUE(out.ok());
  const std::vector<float> from_file = floats(out->front());

  Module by_loader(
      std::make_unique<FileDataLoader>(*FileDataLoader::from(artifact("external_weights/program.pte").c_str())),
      nullptr, nullptr, nullptr, std::make_unique<FileDataLoader>(*FileDataLoader::from(weights.c_str())));
  const auto same = by_loader.forward(x);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(floats(same->front()), from_file);
}

TEST(Module, WeightsMayBeInSeveralFilesButEachOnce) {
  const std::string folder = program_file("two_weight_files/");
  const std::vector<std::string> files = {folder + "weight.ptd", folder + "bias.ptd"};
  Module m(folder + "program.pte", files);
  const auto out = m.forward(make_tensor_ptr({1, 3}, {1.f, 10.f, 100.f}));
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(floats(out->front()), (std::vector<float>{321.5f, 653.5f}));

  const LogLines log;
  Module missing(folder + "program.pte", std::vector<std::string>{files[0]});
  EXPECT_EQ(missing.load_forward(), Error::InvalidExternalData);
  EXPECT_TRUE(log.has("linear.bias")) << log.all();
  Module twice(folder + "program.pte", std::vector<std::string>{files[0], files[1], files[1]});
  EXPECT_EQ(twice.load(), Error::InvalidArgument);
  EXPECT_TRUE(log.has("linear.bias")) << log.all();
}

TEST(Module, AnOutputWithoutPlannedMemoryGoesWhereTheCallerSays) {
  Module m(program_file("unplanned/program.pte"));
  const auto x = make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f});
  const std::vector<float> expected = {3, 5, 7, 9};
  const auto by_module = m.forward(x);
  ASSERT_TRUE(by_module.ok());
  EXPECT_EQ(floats(by_module->front()), expected);
  const auto mine = zeros({2, 2});
  ASSERT_EQ(m.set_output(mine), Error::Ok);
  ASSERT_TRUE(m.forward(x).ok());
  EXPECT_EQ(floats(mine), expected);
  EXPECT_EQ(m.set_output(zeros({2, 2}, ScalarType::Int)), Error::InvalidArgument);
  EXPECT_EQ(m.set_output(zeros({2, 1})), Error::InvalidArgument);
  EXPECT_EQ(m.set_output(EValue(1)), Error::InvalidArgument);
  Module planned(artifact("add_mul/program.pte"));
  EXPECT_EQ(planned.set_output(zeros({2, 3})), Error::InvalidState);
}

TEST(Module, TakesAProgramFromMemoryAndSharesIt) {
  std::ifstream file(artifact("add_mul/program.pte"), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  alignas(64) static char bytes[8192];
  ASSERT_LE(text.size(), sizeof(bytes));
  text.copy(bytes, text.size());
  auto first = std::make_unique<Module>(std::make_unique<BufferDataLoader>(bytes, text.size()));
  ASSERT_EQ(first->load(), Error::Ok);
  Module second(first->program());
  first.reset();  // the program keeps its loader
  EXPECT_TRUE(second.forward({ones({2, 3}), ones({2, 3})}).ok());
}

TEST(Module, TracesWithTheTracerItWasGiven) {
  Module m(artifact("add_mul/program.pte"), Module::LoadMode::File, std::make_unique<etdump::ETDumpGen>());
  ASSERT_TRUE(m.forward({ones({2, 3}), ones({2, 3})}).ok());
  auto* gen = static_cast<etdump::ETDumpGen*>(m.event_tracer());
  ASSERT_NE(gen, nullptr);
  EXPECT_GE(gen->get_num_blocks(), 2u);
  etdump::ETDumpGen own;
  ASSERT_TRUE(m.unload_forward());
  ASSERT_EQ(m.load_method("forward", &own), Error::Ok);
  ASSERT_TRUE(m.forward({ones({2, 3}), ones({2, 3})}).ok());
  EXPECT_GE(own.get_num_blocks(), 2u);
}

TEST(Module, ErrorsNameFileAndCause) {
  const LogLines log;
  Module none("/nowhere/model.pte");
  EXPECT_EQ(none.load(), Error::AccessFailed);
  EXPECT_TRUE(log.has("/nowhere/model.pte") && log.has("No such file")) << log.all();
  EXPECT_FALSE(none.is_loaded());

  const std::string other = artifact("add_mul/etdump.etdp");
  Module wrong(other);
  EXPECT_EQ(wrong.load(), Error::InvalidProgram);
  EXPECT_TRUE(log.has(other)) << log.all();

  Module weights(artifact("external_weights/program.pte"), other);
  EXPECT_EQ(weights.load(), Error::InvalidExternalData);

  Module m(artifact("multi_method/program.pte"));
  EXPECT_EQ(m.load_method("no_such"), Error::InvalidArgument);
  EXPECT_TRUE(log.has("no_such") && log.has("encode") && log.has("decode")) << log.all();

  Module types(artifact("add_mul/program.pte"));
  EXPECT_EQ(types.forward({ones({2, 3}, ScalarType::Int), ones({2, 3})}).error(), Error::InvalidArgument);
  EXPECT_TRUE(log.has("input 0")) << log.all();
  EXPECT_EQ(types.forward({TensorPtr(), ones({2, 3})}).error(), Error::InvalidArgument);
  EXPECT_EQ(types.set_input(ones({2, 4}), 0), Error::NotSupported);
}

TEST(Module, MissingOperatorsAreAllNamed) {
  const LogLines log;
  Module m(program_file("custom_op/program.pte"));
  EXPECT_EQ(m.load_forward(), Error::OperatorMissing);
  EXPECT_TRUE(log.has("my_ops::scale_add.out")) << log.all();
}

TEST(Module, MemoryOfTheApplicationIsUsed) {
  std::vector<uint8_t> method_bytes(1 << 16), temp_bytes(1 << 16);
  auto method = std::make_unique<MemoryAllocator>(method_bytes.size(), method_bytes.data());
  auto temp = std::make_unique<MemoryAllocator>(temp_bytes.size(), temp_bytes.data());
  const MemoryAllocator* used = method.get();
  Module m(artifact("add_mul/program.pte"), Module::LoadMode::File, nullptr, std::move(method), std::move(temp));
  ASSERT_TRUE(m.forward({ones({2, 3}), ones({2, 3})}).ok());
  EXPECT_GT(used->used(), 0u);

  const LogLines log;
  uint8_t small[16];
  Module poor(artifact("add_mul/program.pte"), Module::LoadMode::File, nullptr,
              std::make_unique<MemoryAllocator>(sizeof(small), small));
  EXPECT_EQ(poor.load_forward(), Error::MemoryAllocationFailed);

  alignas(64) uint8_t arena[4096];
  Span<uint8_t> arenas[] = {arena};
  HierarchicalAllocator planned(arenas);
  Module placed(artifact("add_mul/program.pte"));
  ASSERT_EQ(placed.load_forward(&planned), Error::Ok);
  const auto out = placed.forward({ones({2, 3}), ones({2, 3})});
  ASSERT_TRUE(out.ok());
  const auto* data = out->front().toTensor().const_data_ptr<uint8_t>();
  EXPECT_TRUE(data >= arena && data < arena + sizeof(arena));
}

}  // namespace
}  // namespace et
