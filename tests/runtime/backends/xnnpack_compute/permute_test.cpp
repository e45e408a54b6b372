// Permutations of dimensions, element by element.
#include <algorithm>
#include <numeric>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

using PermuteTest = ComputeTest;

void check(const std::vector<int64_t>& shape, const std::vector<uint32_t>& perm, size_t size) {
  int64_t n = 1;
  for (const int64_t x : shape) n *= x;
  std::vector<uint8_t> in(static_cast<size_t>(n) * size), out(in.size() + 1, 0xee);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 31 + i / 251);
  permute(shape, perm, size, in.data(), out.data());
  EXPECT_EQ(out.back(), 0xee);
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, from = 0;
    for (size_t d = perm.size(); d-- > 0;) {
      const int64_t position = rest % shape[perm[d]];
      rest /= shape[perm[d]];
      int64_t stride = 1;
      for (size_t e = perm[d] + 1; e < shape.size(); ++e) stride *= shape[e];
      from += position * stride;
    }
    ASSERT_TRUE(std::equal(&in[static_cast<size_t>(from) * size], &in[static_cast<size_t>(from) * size] + size,
                           &out[static_cast<size_t>(i) * size]))
        << "element " << i;
  }
}

TEST_P(PermuteTest, AllOfFourDimensions) {
  std::vector<uint32_t> perm = {0, 1, 2, 3};
  do {
    for (const size_t size : {1, 2, 4, 8}) {
      check({3, 5, 4, 17}, perm, size);
      check({1, 20, 1, 33}, perm, size);
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST_P(PermuteTest, OtherRanks) {
  check({}, {}, 4);
  check({9}, {0}, 1);
  check({0, 3}, {1, 0}, 4);
  check({200, 130}, {1, 0}, 4);
  check({1, 96, 30, 30}, {0, 2, 3, 1}, 1);
  check({1, 30, 30, 96}, {0, 3, 1, 2}, 4);
  check({2, 3, 4, 5, 6, 7}, {5, 3, 1, 0, 2, 4}, 4);
  check({2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 4, 5}, 2);
  check({51, 2, 8, 2}, {0, 2, 1, 3}, 4);  // pieces of an image as a vision transformer has them
  check({51, 8, 2, 2}, {0, 2, 1, 3}, 4);
  check({300, 2, 9, 3}, {0, 2, 1, 3}, 2);
  check({4, 16, 3, 5, 16}, {2, 0, 3, 1, 4}, 4);
  for (const int64_t run : {1, 2, 3, 4, 7, 8, 16, 31, 32, 64, 65}) check({70, 5, 3, run}, {2, 0, 1, 3}, 1);
}

// Bytes are moved in blocks of 64 and squares of 16 and 32, few channels by shuffles: all sizes around these, both
// ways.
TEST_P(PermuteTest, BytesOfAllSizes) {
  for (const int64_t a : {2, 3, 4, 5, 9, 15, 16, 17, 33, 63, 65, 130}) {
    for (const int64_t b : {2, 3, 4, 6, 8, 12, 15, 16, 17, 40, 65, 79}) {
      check({a, b}, {1, 0}, 1);
      check({2, a, b}, {0, 2, 1}, 1);
      if (a < 20 && b < 20) check({2, a, 3, b}, {0, 3, 2, 1}, 1);
    }
  }
}

// Values of four bytes are moved in squares of eight, or of four where there are no more rows or columns.
TEST_P(PermuteTest, FloatsOfAllSizes) {
  for (const int64_t a : {2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 31, 65}) {
    for (const int64_t b : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 40, 130, 140}) {
      check({a, b}, {1, 0}, 4);
      check({2, a, b}, {0, 2, 1}, 4);
      if (a < 20 && b < 20) check({2, a, 3, b}, {0, 3, 2, 1}, 4);
    }
  }
}

// They are walked in bands, of which rows near a half of a page have their own.
TEST_P(PermuteTest, LongRows) {
  for (const int64_t a : {9, 70, 257}) {
    for (const int64_t b : {255, 500, 512, 527, 1020, 1031}) {
      check({a, b}, {1, 0}, 4);
      check({b, a}, {1, 0}, 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PermuteTest, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
