// Bundled programs, values as text and the choice of tokens, as an application for ExecuTorch uses them.
#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/llm/sampler/sampler.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/version.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::extension::Module;
using executorch::extension::bundled_module::BundledModule;
using executorch::extension::llm::Sampler;
using executorch::runtime::BackendOptions;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::LoadBackendOptionsMap;
using executorch::runtime::testing::TensorFactory;

namespace {

constexpr char kBundle[] = ET_FIXTURES "/ops/aten.exp.out__0.bpte";
constexpr char kProgram[] = ET_FIXTURES "/artifacts/add_mul/program.pte";

std::string text_of(const EValue& value, long edge = 0) {
  std::ostringstream out;
  out << executorch::extension::evalue_edge_items(edge) << value;
  return out.str();
}

TEST(FacadeBundled, ACaseRunsAndAWrongOutputIsFound) {
  auto loaded = BundledModule::from_file(kBundle);
  ASSERT_EQ(loaded.error(), Error::Ok);
  BundledModule& module = **loaded;
  ASSERT_EQ(module.execute("forward", 0).error(), Error::Ok);
  EXPECT_EQ(module.verify_method_outputs("forward", 0), Error::Ok);
  EXPECT_EQ(module.verify_method_outputs("forward", 99), Error::InvalidArgument);
  EXPECT_EQ(module.verify_method_outputs("backward", 0), Error::InvalidArgument);
  EXPECT_EQ(module.execute("forward", 99).error(), Error::InvalidArgument);

  const auto output = module.get_output();
  ASSERT_TRUE(output.ok());
  ASSERT_GT(output->toTensor().nbytes(), 0u);
  static_cast<uint8_t*>(output->toTensor().mutable_data_ptr())[output->toTensor().nbytes() - 1] ^= 0x41;
  EXPECT_EQ(module.verify_method_outputs("forward", 0), Error::NotFound);
}

TEST(FacadeBundled, WhatIsNoBundleIsRefused) {
  EXPECT_EQ(BundledModule::from_file("/no/such/file.bpte").error(), Error::AccessFailed);
  auto plain = BundledModule::from_file(kProgram);
  ASSERT_EQ(plain.error(), Error::Ok);
  EXPECT_EQ((*plain)->execute("forward", 0).error(), Error::InvalidArgument);
  EXPECT_FALSE((*plain)->is_loaded());

  std::ifstream file(kBundle, std::ios::binary);
  std::vector<char> text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::max_align_t> room(text.size() / sizeof(std::max_align_t) + 1);
  auto* bytes = reinterpret_cast<char*>(room.data());
  std::copy(text.begin(), text.end(), bytes);
  const void* program = nullptr;
  size_t size = 0;
  EXPECT_TRUE(executorch::bundled_program::is_bundled_program(bytes, text.size()));
  EXPECT_EQ(executorch::bundled_program::get_program_data(bytes, text.size(), &program, &size), Error::Ok);
  EXPECT_GT(size, 0u);
  EXPECT_EQ(executorch::bundled_program::get_program_data(bytes, text.size() / 2, &program, &size),
            Error::InvalidProgram);
  bytes[4] = 'X';
  EXPECT_EQ(executorch::bundled_program::get_program_data(bytes, text.size(), &program, &size), Error::NotSupported);
}

TEST(FacadeModule, SettingsOfBackendsAreKeptAndProgramsShared) {
  Module module(kProgram);
  EXPECT_EQ(module.backend_options().size(), 0u);
  {
    LoadBackendOptionsMap map;
    BackendOptions<2> options;
    ASSERT_EQ(options.set_option("threads", 4), Error::Ok);
    ASSERT_EQ(map.set_options("SomeBackend", options.view()), Error::Ok);
    ASSERT_EQ(module.load(map), Error::Ok);
  }
  ASSERT_EQ(module.backend_options().size(), 1u);
  const auto entry = module.backend_options().entry_at(0);
  EXPECT_STREQ(entry.backend_id, "SomeBackend");
  EXPECT_EQ(std::get<int>(entry.options[0].value), 4);

  Module second(module.program());
  EXPECT_EQ(second.program(), module.program());
  EXPECT_EQ(second.load_method("forward"), Error::Ok);
}

TEST(FacadePrint, ValuesReadAsPythonWritesThem) {
  EXPECT_EQ(text_of(EValue()), "None");
  EXPECT_EQ(text_of(EValue(true)), "True");
  EXPECT_EQ(text_of(EValue(2.0)), "2.");
  EXPECT_EQ(text_of(EValue(-0.5)), "-0.5");
  EXPECT_EQ(text_of(EValue(int64_t{7})), "7");
  const std::array<double, 7> seven{0, 1, 2, 3, 4, 5, 6};
  const ArrayRef<double> list(seven);
  EXPECT_EQ(text_of(EValue(&list)), "(len=7)[0., 1., 2., ..., 4., 5., 6.]");
  EXPECT_EQ(text_of(EValue(&list), 1), "(len=7)[0., ..., 6.]");
  TensorFactory<ScalarType::Int> tf;
  EXPECT_EQ(text_of(EValue(tf.make({2, 1}, {3, 4}))), "tensor(sizes=[2, 1], [3, 4])");
}

TEST(FacadeSampler, ChoosesAmongTheLikeliest) {
  const std::vector<float> logits{0, 5, 1, 4.5f, -1};
  std::vector<float> copy = logits;
  EXPECT_EQ(Sampler(5, 0, 0.9f, 1).sample(copy.data()), 1);
  EXPECT_EQ(copy, logits);

  Sampler two(5, 1, 0, 7), nucleus(5, 1, 0.5f, 7);
  two.set_topk(2);
  std::set<int32_t> seen;
  for (int i = 0; i < 200; ++i) {
    copy = logits;
    seen.insert(two.sample(copy.data()));
    copy = logits;
    EXPECT_EQ(nucleus.sample(copy.data()), 1);
  }
  EXPECT_EQ(seen, (std::set<int32_t>{1, 3}));
}

TEST(FacadeVersion, ReleasesCompare) {
  EXPECT_EQ(ET_VERSION_CODE, ET_VERSION_CHECK(ET_VERSION_MAJOR, ET_VERSION_MINOR, ET_VERSION_PATCH));
  EXPECT_GT(ET_VERSION_CHECK(1, 6, 0), ET_VERSION_CHECK(1, 5, 255));
}

}  // namespace
