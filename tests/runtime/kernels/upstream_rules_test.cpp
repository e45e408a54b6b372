// Rules that ExecuTorch's own tests protect and that eager PyTorch shares, in our words: what is rounded when, and
// which numbers and dtypes an operator refuses.
#include <gtest/gtest.h>

#include <vector>

#include "tests/runtime/kernels/held_tensor.h"

namespace et {
namespace {

using kernel_test::Held;
using kernel_test::run;

TEST(UpstreamRules, AResultIsRoundedToItsDtypeBeforeItIsWidened) {
  Held<uint8_t> a({2}, {200, 7}), b({2}, {100, 3});
  EValue one(int64_t{1});
  Held<int32_t> wide({2}, {});
  ASSERT_EQ(run("aten::add.out", {&a.value, &b.value, &one, &wide.value}), Error::Ok);
  EXPECT_EQ(wide.data, (std::vector<int32_t>{44, 10}));
  ASSERT_EQ(run("aten::sub.out", {&b.value, &a.value, &one, &wide.value}), Error::Ok);
  EXPECT_EQ(wide.data, (std::vector<int32_t>{156, 252}));
  Held<int64_t> wider({2}, {});
  ASSERT_EQ(run("aten::mul.out", {&a.value, &b.value, &wider.value}), Error::Ok);
  EXPECT_EQ(wider.data, (std::vector<int64_t>{32, 21}));
}

TEST(UpstreamRules, NumbersThatTheDtypeDoesNotHoldAreRefused) {
  Held<uint8_t> bytes({1}, {1}), bytes_out({1}, {});
  Held<float> floats({1}, {1}), floats_out({1}, {});
  EValue large(int64_t{256}), huge(1e300), fits(int64_t{255}), zero(int64_t{0});
  EXPECT_EQ(run("aten::add.out", {&bytes.value, &bytes.value, &large, &bytes_out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::add.out", {&bytes.value, &bytes.value, &fits, &bytes_out.value}), Error::Ok);
  EXPECT_EQ(run("aten::add.out", {&floats.value, &floats.value, &huge, &floats_out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::hardtanh.out", {&bytes.value, &zero, &large, &bytes_out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::hardtanh.out", {&bytes.value, &zero, &fits, &bytes_out.value}), Error::Ok);
  EXPECT_EQ(run("aten::leaky_relu.out", {&floats.value, &huge, &floats_out.value}), Error::InvalidArgument);
}

TEST(UpstreamRules, DtypesThatMustFail) {
  Held<float> floats({2}, {1, 2});
  Held<int32_t> ints({2}, {1, 2}), ints_out({2}, {});
  Held<double> double_out({}, {});
  Held<float> float_out({}, {});
  EValue none, no(false);
  EXPECT_EQ(run("aten::isnan.out", {&floats.value, &ints_out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::isinf.out", {&floats.value, &ints_out.value}), Error::InvalidArgument);
  EValue zero(int64_t{0});
  EValue* items[] = {&zero};
  int64_t room[1];
  const BoxedEvalueList<int64_t> dims(items, room, 1);
  EValue dim(&dims);
  EXPECT_EQ(run("aten::amax.out", {&floats.value, &dim, &no, &double_out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::amin.out", {&floats.value, &dim, &no, &float_out.value}), Error::Ok);
  EXPECT_EQ(run("aten::mean.out", {&ints.value, &dim, &no, &none, &float_out.value}), Error::InvalidArgument);
  EValue dtype(static_cast<int64_t>(ScalarType::Float));
  EXPECT_EQ(run("aten::mean.out", {&ints.value, &dim, &no, &dtype, &float_out.value}), Error::Ok);
  EXPECT_EQ(float_out.data[0], 1.5f);
}

TEST(UpstreamRules, ManyPositionsPointIntoAScalar) {
  Held<float> self({}, {3.5f}), out({3}, {});
  Held<int64_t> index({3}, {0, 0, 0}), outside({3}, {0, 1, 0});
  EValue dim(int64_t{0}), no(false);
  ASSERT_EQ(run("aten::gather.out", {&self.value, &dim, &index.value, &no, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{3.5f, 3.5f, 3.5f}));
  EXPECT_EQ(run("aten::gather.out", {&self.value, &dim, &outside.value, &no, &out.value}), Error::InvalidArgument);
  Held<float> source({3}, {1, 2, 4}), sum({}, {});
  ASSERT_EQ(run("aten::scatter_add.out", {&self.value, &dim, &index.value, &source.value, &sum.value}), Error::Ok);
  EXPECT_EQ(sum.data[0], 10.5f);
}

TEST(UpstreamRules, CatLeavesOutWhatIsEmptyAndOfAnotherRank) {
  Held<int32_t> ones({2, 2}, {1, 2, 3, 4}), odd({0, 10, 3}, {}), empty({2, 0}, {}), out({4, 2}, {});
  EValue zero(int64_t{0});
  EValue* items[] = {&odd.value, &ones.value, &odd.value, &ones.value};
  Tensor room[4];
  const BoxedEvalueList<Tensor> list(items, room, 4);
  EValue tensors(&list);
  EXPECT_EQ(run("aten::cat.out", {&tensors, &zero, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<int32_t>{1, 2, 3, 4, 1, 2, 3, 4}));
  // Of the same rank its shape counts.
  EValue* wrong[] = {&ones.value, &empty.value};
  const BoxedEvalueList<Tensor> wrong_list(wrong, room, 2);
  EValue wrong_tensors(&wrong_list);
  EXPECT_EQ(run("aten::cat.out", {&wrong_tensors, &zero, &out.value}), Error::InvalidArgument);
}

}  // namespace
}  // namespace et
