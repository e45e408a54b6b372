// Which of two runs' values are taken for one another, and which operator is blamed.
#include "cli/check/divergence.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cli/check/blame.h"
#include "cli/check/compare_values.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

LoggedValue value(const std::string& node, std::vector<int32_t> shape, const std::vector<float>& elements) {
  LoggedValue v;
  v.name = node;
  v.node = node;
  v.dtype = "float32";
  v.shape = std::move(shape);
  v.data.resize(elements.size() * sizeof(float));
  std::memcpy(v.data.data(), elements.data(), v.data.size());
  return v;
}
LoggedValue row(const std::string& node, const std::vector<float>& elements) {
  return value(node, {static_cast<int32_t>(elements.size())}, elements);
}
const Closeness kClose{{1e-5, 1e-6}, 60};

/// A run of a delegate: other names at the instructions than the reference has.
LoggedValue logged(LoggedValue v, std::vector<inspector::NodeResult> others = {}) {
  v.instruction = 7;
  v.others = std::move(others);
  return v;
}

TEST(Divergence, AFusedValueMayBeEachOfItsNodes) {
  const std::vector<LoggedValue> reference = {row("conv", {-1, 2, -3, 4}), row("relu", {0, 2, 0, 4})};
  // Linked with conv, but what was logged is the value after the fused relu.
  const Divergence d = compare_runs({logged(row("conv", {0, 2, 0, 4}), {{"relu", 0}})}, reference, kClose);
  ASSERT_EQ(d.pairs.size(), 1u);
  EXPECT_FALSE(d.first.has_value());
  EXPECT_TRUE(d.pairs[0].elsewhere());
}

TEST(Divergence, OutputsInAnotherOrderAgree) {
  const std::vector<LoggedValue> reference = {row("a", {1, 2, 3, 4}), row("b", {5, 6, 7, 8})};
  const Divergence d = compare_runs(
      {logged(row("a", {5, 6, 7, 8}), {{"b", 0}}), logged(row("b", {1, 2, 3, 4}), {{"a", 0}})}, reference, kClose);
  EXPECT_EQ(d.pairs.size(), 2u);
  EXPECT_FALSE(d.first.has_value());
}

TEST(Divergence, ChannelsLastIsTheSameValue) {
  const LoggedValue nchw = value("conv", {1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const LoggedValue nhwc = value("conv", {1, 1, 3, 2}, {1, 4, 2, 5, 3, 6});
  const auto c = compare_values(nhwc, nchw, {});
  ASSERT_TRUE(c.has_value());
  EXPECT_TRUE(c->passed());
  const auto merged =
      compare_values(value("fc", {6, 1}, {1, 2, 3, 4, 5, 6}), value("fc", {2, 3}, {1, 2, 3, 4, 5, 6}), {});
  ASSERT_TRUE(merged.has_value());
  EXPECT_TRUE(merged->passed());
}

TEST(Divergence, AnOperatorThatIsRightForItsInputIsNotBlamed) {
  const std::vector<LoggedValue> reference = {row("a", {1, 2, 3, 4}), row("b", {2, 4, 6, 8}), row("c", {3, 5, 7, 9})};
  // b is broken, but its value happens to be a's; c adds 1 to what it got.
  const std::vector<LoggedValue> values = {logged(row("a", {1, 2, 3, 4})), logged(row("b", {1, 2, 3, 4})),
                                           logged(row("c", {2, 3, 4, 5}))};
  const Divergence d = compare_runs(values, reference, kClose);
  ASSERT_TRUE(d.first.has_value());
  EXPECT_EQ(d.pairs[*d.first].value, 2u);
  const std::vector<LoggedValue> local = {row("a", {1, 2, 3, 4}), row("b", {2, 4, 6, 8}), row("c", {2, 3, 4, 5})};
  const std::vector<size_t> wrong = suspects(d, values, local, kClose);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(d.pairs[wrong[0]].value, 1u);
}

TEST(Divergence, AnErrorMovesToTheReferenceAsTheOperatorMadeIt) {
  // Fed 1 too much, and 0.5 wrong by itself at the last element; a matrix that the delegate keeps transposed.
  const LoggedValue good = value("a", {2, 2}, {1, 2, 3, 4}), local = value("a", {2, 2}, {2, 3, 4, 5});
  const std::optional<LoggedValue> wrong = with_own_error(value("a", {2, 2}, {2, 4, 3, 5.5}), local, good);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(numbers_of(*wrong), (std::vector<double>{1, 2, 3, 4.5}));
  EXPECT_FALSE(with_own_error(value("a", {3}, {1, 2, 3}), local, good).has_value());
  LoggedValue steps = good;
  steps.dtype = "int8";
  steps.data = std::string("\x70\x01\x02\x03", 4);
  LoggedValue more = steps, most = steps;
  more.data[0] = 0x10;
  most.data[0] = 0x60;
  // 112 + (96 - 16) is more than an int8 holds.
  EXPECT_EQ(numbers_of(*with_own_error(most, more, steps)), (std::vector<double>{127, 1, 2, 3}));
}

TEST(Divergence, OneStepOfAnEightBitValueIsRounding) {
  LoggedValue got, want;
  got.dtype = want.dtype = "int8";
  got.shape = want.shape = {3};
  got.node = want.node = "q";
  got.instruction = 1;
  got.data = std::string("\x01\x02\x03", 3);
  want.data = std::string("\x01\x03\x03", 3);
  EXPECT_FALSE(compare_runs({got}, {want}, kClose).first.has_value());
  want.data = std::string("\x01\x07\x03", 3);
  EXPECT_TRUE(compare_runs({got}, {want}, kClose).first.has_value());
}

}  // namespace
}  // namespace et::cli
