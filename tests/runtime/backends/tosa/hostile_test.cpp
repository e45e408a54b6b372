// Payloads that are wrong: refused with the operator and the cause, and whatever their bytes are, without a crash.
#include <gtest/gtest.h>

#include "tests/runtime/backends/tosa/case_file.h"

namespace et::tosa::testing {
namespace {

constexpr Limits kSmall{.bytes = 1 << 22, .iterations = 8, .work = 1 << 18, .depth = 3};

const std::map<std::string, Case>& wrong_cases() {
  static const std::map<std::string, Case> all = read_cases("wrong.bin");
  return all;
}

class Wrong : public ::testing::TestWithParam<std::string> {};

TEST_P(Wrong, SaysWhichOperatorAndWhy) {
  const Case& c = wrong_cases().at(GetParam());
  const std::string expected(c.answer.begin(), c.answer.end());
  Execution graph;
  const Error error = graph.load(c.graph, kSmall);
  if (error == Error::Ok) {
    EXPECT_FALSE(graph.run(c.inputs));
  }
  EXPECT_NE(graph.error().find(expected), std::string::npos) << graph.error();
}

INSTANTIATE_TEST_SUITE_P(Cases, Wrong, ::testing::ValuesIn(names_of(wrong_cases())),
                         [](const auto& c) { return c.param; });

TEST(WrongCases, AreThere) { EXPECT_GT(wrong_cases().size(), 20u); }

// One byte at a time becomes something else, and the payload ends early.
TEST(Hostile, FlippedAndTruncatedPayloads) {
  uint32_t seed = 1;
  size_t accepted = 0, refused = 0;
  for (const auto& [name, c] : read_cases("cases.bin")) {
    for (int turn = 0; turn < 60; ++turn) {
      std::vector<uint8_t> bytes = c.graph;
      seed = seed * 1664525 + 1013904223;
      if (turn % 10 == 0) {
        bytes.resize(seed % bytes.size());
      } else {
        constexpr uint8_t kValues[] = {0, 1, 0x7f, 0x80, 0xff};
        uint8_t& byte = bytes[(seed >> 8) % bytes.size()];
        byte = turn % 2 == 0 ? static_cast<uint8_t>(byte ^ (1u << (seed & 7))) : kValues[seed % 5];
      }
      Execution graph;
      if (graph.load(bytes, kSmall) == Error::Ok) {
        ++accepted;
        static_cast<void>(graph.run(c.inputs));
      } else {
        ++refused;
        ASSERT_FALSE(graph.error().empty()) << name;
      }
    }
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace et::tosa::testing
