// Small programs, one operator of XNNPACK each, against what upstream's runtime answers (scripts/xnnpack_fixtures.py).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "bundled_program/bundle.h"
#include "bundled_program/compare.h"
#include "tests/runtime/backends/xnnpack/delegate_run.h"

namespace et::xnn::testing {
namespace {

using et::testing::AlignedBytes;
using et::testing::ErrorLog;
using et::testing::LoadedProgram;
using et::testing::read_file;

struct Row {
  std::string name;
  bundled::Tolerance tolerance;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  std::ifstream in(std::string(ET_FIXTURES) + "/xnnpack/cases.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream text(line);
    Row row;
    text >> row.name >> row.tolerance.rtol >> row.tolerance.atol;
    all.push_back(row);
  }
  return all;
}

class Fixture : public ::testing::TestWithParam<Row> {};

TEST_P(Fixture, AnswersAsUpstream) {
  static_cast<void>(backend());
  const ErrorLog log;
  const AlignedBytes file(read_file(std::string(ET_FIXTURES) + "/xnnpack/" + GetParam().name + ".bpte"));
  bundled::Bundle bundle;
  ASSERT_TRUE(bundled::Bundle::open({file.data(), file.size()}, &bundle).ok());
  LoadedProgram program({bundle.program().begin(), bundle.program().end()});
  ASSERT_EQ(program.open(), Error::Ok) << ErrorLog::text();
  ASSERT_EQ(program.load("forward"), Error::Ok) << ErrorLog::text();
  const bundled::Suite suite = bundle.suite(0);
  ASSERT_GT(suite.case_count(), 0u);
  for (uint32_t c = 0; c < suite.case_count(); ++c) {
    const bundled::Case test = suite.test_case(c);
    std::vector<std::unique_ptr<std::vector<uint8_t>>> memory;
    std::vector<std::unique_ptr<TensorImpl>> impls;
    std::vector<std::vector<int32_t>> sizes(test.input_count()), strides(test.input_count());
    std::vector<std::vector<uint8_t>> orders(test.input_count());
    for (uint32_t i = 0; i < test.input_count(); ++i) {
      const bundled::TensorValue t = test.input(i).tensor;
      sizes[i].assign(t.sizes.begin(), t.sizes.end());
      orders[i].assign(t.dim_order.begin(), t.dim_order.end());
      strides[i].resize(sizes[i].size());
      dim_order_to_strides(sizes[i], orders[i], strides[i].data());
      impls.push_back(std::make_unique<TensorImpl>(t.scalar_type, sizes[i].size(), sizes[i].data(),
                                                   const_cast<uint8_t*>(t.data.data()), orders[i].data(),
                                                   strides[i].data()));
      ASSERT_EQ(program.method().set_input(EValue(Tensor(impls.back().get())), i), Error::Ok) << ErrorLog::text();
    }
    ASSERT_EQ(program.method().execute(), Error::Ok) << ErrorLog::text();
    ASSERT_EQ(program.method().outputs_size(), test.expected_count());
    for (uint32_t o = 0; o < test.expected_count(); ++o) {
      const bundled::TensorValue want = test.expected(o).tensor;
      const bundled::Tolerance exact{};
      const bool real = want.scalar_type == ScalarType::Float || want.scalar_type == ScalarType::Half ||
                        want.scalar_type == ScalarType::BFloat16;
      const bundled::Comparison result =
          bundled::compare(program.method().get_output(o).toTensor(), want, real ? GetParam().tolerance : exact);
      EXPECT_TRUE(result.passed()) << "case " << c << ", output " << o << ": "
                                   << bundled::mismatch_name(result.mismatch) << ", " << result.outside << " of "
                                   << result.elements << " elements, at " << result.worst_index << " got " << result.got
                                   << ", want " << result.want;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Xnnpack, Fixture, ::testing::ValuesIn(rows()),
                         [](const ::testing::TestParamInfo<Row>& row) { return row.param.name; });

TEST(Fixtures, OptionsAreForOneLoad) {
  static_cast<void>(backend());
  const ErrorLog log;
  const AlignedBytes file(read_file(std::string(ET_FIXTURES) + "/xnnpack/add.bpte"));
  bundled::Bundle bundle;
  ASSERT_TRUE(bundled::Bundle::open({file.data(), file.size()}, &bundle).ok());
  LoadedProgram program({bundle.program().begin(), bundle.program().end()});
  ASSERT_EQ(program.open(), Error::Ok);
  ASSERT_EQ(program.load("forward"), Error::Ok) << ErrorLog::text();
  const BackendOption wrong("workspace_sharing_mode", 7);
  const auto load = [&](string_view id) {
    const BackendLoadOptions options{id, {&wrong, 1}};
    return program.program()
        .load_method("forward", program.arenas().manager(), nullptr, nullptr, {}, Program::Unloadable::Refuse,
                     {&options, 1})
        .ok();
  };
  EXPECT_FALSE(load("XnnpackBackend"));
  EXPECT_NE(ErrorLog::text().find("workspace_sharing_mode"), std::string::npos) << ErrorLog::text();
  EXPECT_TRUE(load("AnotherBackend"));
}

TEST(Fixtures, AreThere) { EXPECT_GT(rows().size(), 60u); }

}  // namespace
}  // namespace et::xnn::testing
