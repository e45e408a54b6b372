// The demonstration backends on programs of upstream's exporter.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tests/runtime/execution/loaded_program.h"

namespace et::testing {
namespace {

using Matrix = std::array<float, 4>;

Matrix mm(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

std::vector<uint8_t> artifact(const char* name) {
  return read_file(std::string(ET_FIXTURES) + "/artifacts/" + name + "/program.pte");
}

struct FloatInput {
  explicit FloatInput(std::vector<int32_t> s, std::vector<float> v)
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

/// Every time `from` stands in `bytes`, the text of the same length that shall stand there.
void replace(std::vector<uint8_t>* bytes, std::string_view from, std::string_view to) {
  ASSERT_EQ(from.size(), to.size());
  auto at = bytes->begin();
  int found = 0;
  while ((at = std::search(at, bytes->end(), from.begin(), from.end())) != bytes->end()) {
    std::copy(to.begin(), to.end(), at);
    ++found;
  }
  ASSERT_GT(found, 0);
}

// a' = (a·x + b) − a; the result is a'·x + weight. The weight is the program's: a' = 0 leaves it alone.
void expect_chain(const char* name) {
  const Matrix a = {1, 2, -0.5f, 3}, x = {0.25f, -1, 2, 0.5f}, b = {0.5f, 0.25f, -2, 1};
  const auto run = [&](const Matrix& addend, Matrix* out) {
    LoadedProgram program(artifact(name));
    ASSERT_EQ(program.open(), Error::Ok) << ErrorLog::text();
    ASSERT_EQ(program.load("forward"), Error::Ok) << ErrorLog::text();
    FloatInput inputs[] = {FloatInput({2, 2}, {a.begin(), a.end()}), FloatInput({2, 2}, {x.begin(), x.end()}),
                           FloatInput({2, 2}, {addend.begin(), addend.end()})};
    for (size_t i = 0; i < 3; ++i) ASSERT_EQ(program.method().set_input(inputs[i].value(), i), Error::Ok);
    ASSERT_EQ(program.method().execute(), Error::Ok) << ErrorLog::text();
    const float* data = program.method().get_output(0).toTensor().const_data_ptr<float>();
    std::copy(data, data + 4, out->begin());
  };
  const ErrorLog log;
  const Matrix ax = mm(a, x);
  Matrix nothing{}, with_b{}, weight{};
  for (size_t i = 0; i < 4; ++i) nothing[i] = a[i] - ax[i];
  run(nothing, &weight);
  run(b, &with_b);
  Matrix second{};
  for (size_t i = 0; i < 4; ++i) second[i] = ax[i] + b[i] - a[i];
  const Matrix expected = mm(second, x);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(with_b[i], expected[i] + weight[i], 1e-5f) << i;
}

TEST(CompilerDemo, RunsTheChain) { expect_chain("demo_backend"); }
TEST(ExecutorDemo, RunsADelegateInsideADelegate) { expect_chain("demo_nested"); }

TEST(ExecutorDemo, RunsAProgramInsideAProgram) {
  const ErrorLog log;
  LoadedProgram program(artifact("demo_executor_backend"));
  ASSERT_EQ(program.open(), Error::Ok) << ErrorLog::text();
  ASSERT_EQ(program.load("forward"), Error::Ok) << ErrorLog::text();
  std::vector<float> x(12), y(12);
  for (size_t i = 0; i < 12; ++i) {
    x[i] = 0.1f * static_cast<float>(i);
    y[i] = 0.3f - 0.05f * static_cast<float>(i);
  }
  FloatInput a({3, 4}, x), b({3, 4}, y);
  ASSERT_EQ(program.method().set_input(a.value(), 0), Error::Ok);
  ASSERT_EQ(program.method().set_input(b.value(), 1), Error::Ok);
  ASSERT_EQ(program.method().execute(), Error::Ok) << ErrorLog::text();
  const float* out = program.method().get_output(0).toTensor().const_data_ptr<float>();
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(out[i], std::sin(x[i] + y[i]) * std::sin(x[i]), 1e-5f) << i;
}

// The error of the runtime leads to the node of the exported graph.
struct Broken {
  const char* from;
  const char* to;
  const char* message;
};
class CompilerDemoErrors : public ::testing::TestWithParam<Broken> {};
TEST_P(CompilerDemoErrors, NameTheDebugHandle) {
  std::vector<uint8_t> bytes = artifact("demo_backend");
  replace(&bytes, GetParam().from, GetParam().to);
  const ErrorLog log;
  LoadedProgram program(bytes);
  ASSERT_EQ(program.open(), Error::Ok);
  Error error = program.load("forward");
  if (error == Error::Ok) {
    ASSERT_EQ(program.set_default_inputs(), Error::Ok);
    error = program.method().execute();
  }
  EXPECT_NE(error, Error::Ok);
  EXPECT_NE(ErrorLog::text().find(GetParam().message), std::string::npos) << ErrorLog::text();
}
INSTANTIATE_TEST_SUITE_P(
    Payloads, CompilerDemoErrors,
    ::testing::Values(Broken{"torch.float32", "torch.float16", "expected torch.float32; debug handle 1"},
                      Broken{"aten.add.Tensor", "aten.sub.Tensor", "operator not supported; debug handle 2"},
                      Broken{"numel:4, dtype:torch.float32<debug_handle>4",
                             "numel:9, dtype:torch.float32<debug_handle>4", "debug handle 4"},
                      Broken{"version:0", "version:1", "demo payload at byte 0"}));

TEST(MappingDemo, SaysThatItCannotRun) {
  const ErrorLog log;
  LoadedProgram program(artifact("demo_delegate_mapping"));
  ASSERT_EQ(program.open(), Error::Ok);
  EXPECT_EQ(program.load("forward"), Error::NotSupported);
  EXPECT_NE(ErrorLog::text().find("5 operators"), std::string::npos) << ErrorLog::text();
}

TEST(EthosU, SaysWhatIsMissing) {
  const ErrorLog log;
  LoadedProgram program(artifact("ethosu55_int8"));
  ASSERT_EQ(program.open(), Error::Ok);
  EXPECT_EQ(program.load("forward"), Error::NotSupported);
  EXPECT_NE(ErrorLog::text().find("ethos-u55-128"), std::string::npos) << ErrorLog::text();
}

}  // namespace
}  // namespace et::testing
