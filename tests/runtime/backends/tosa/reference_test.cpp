// Every operator against Arm's reference model: cases.bin holds small graphs, their inputs and the model's answers
// (tests/fixtures/tosa/make.py made them). Integers must be equal, floats close.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/runtime/backends/tosa/case_file.h"

namespace et::tosa::testing {
namespace {

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all = read_cases("cases.bin");
  return all;
}

double number(Type type, const uint8_t* at) {
  uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  if (type == Type::Fp16) return half_bits_to_float(bits);
  if (type == Type::Bf16) return std::bit_cast<float>(uint32_t{bits} << 16);
  float value = 0;
  std::memcpy(&value, at, 4);
  return value;
}

/// Relative to the value, and to what cancels in sums of a few terms.
void expect_close(const Value& v, const uint8_t* got, const uint8_t* wanted) {
  const double epsilon = v.type == Type::Fp32 ? 4e-6 : v.type == Type::Fp16 ? 4e-3 : 3e-2;
  const double sums = v.type == Type::Fp16 ? 8 : 2;  // the model adds products of FP16 in FP16
  for (int64_t i = 0; i < v.count; ++i) {
    const size_t at = static_cast<size_t>(i) * element_size(v.type);
    const double a = number(v.type, got + at), b = number(v.type, wanted + at);
    if (std::isnan(b)) {
      ASSERT_TRUE(std::isnan(a)) << "element " << i;
    } else if (a != b) {  // equal infinities have no difference
      ASSERT_NEAR(a, b, epsilon * (std::fabs(b) + sums)) << "element " << i;
    }
  }
}

class Reference : public ::testing::TestWithParam<std::string> {};

TEST_P(Reference, Agrees) {
  const Case& c = cases().at(GetParam());
  Execution graph;
  ASSERT_EQ(graph.load(c.graph), Error::Ok) << graph.error();
  for (int turn = 0; turn < 2; ++turn) {  // a second execution finds nothing of the first
    ASSERT_TRUE(graph.run(c.inputs)) << graph.error();
    ASSERT_EQ(graph.taken(), c.inputs.size());
    size_t at = 0;
    for (size_t i = 0; i < graph.main().outputs.size(); ++i) {
      const Value& v = graph.main().output(i);
      ASSERT_LE(at + v.bytes(), c.answer.size());
      const uint8_t* wanted = c.answer.data() + at;
      if (is_float(v.type)) {
        expect_close(v, graph.output(i), wanted);
      } else {
        for (size_t b = 0; b < v.bytes(); ++b) {
          ASSERT_EQ(graph.output(i)[b], wanted[b]) << "output " << i << ", element " << b / element_size(v.type);
        }
      }
      at += v.bytes();
    }
    ASSERT_EQ(at, c.answer.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Reference, ::testing::ValuesIn(names_of(cases())),
                         [](const auto& c) { return c.param; });

TEST(ReferenceCases, AreThere) { EXPECT_GT(cases().size(), 350u); }

}  // namespace
}  // namespace et::tosa::testing
