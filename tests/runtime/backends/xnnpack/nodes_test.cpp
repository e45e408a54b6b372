// Nodes whose loops depend on how shapes fall, against plain sums and copies of elements.
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/runtime/backends/xnnpack/delegate_run.h"
#include "tests/runtime/backends/xnnpack/payload_builder.h"

namespace et::xnn::testing {
namespace {

using U = fb::XNodeUnion;
using Sizes = std::vector<uint32_t>;

int64_t count_of(const Sizes& sizes) {
  int64_t n = 1;
  for (const uint32_t s : sizes) n *= s;
  return n;
}
std::vector<int32_t> signed_sizes(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

/// Element by element: the output's index that is inside is the input's, moved.
template <class T>
std::vector<T> padded(const std::vector<T>& in, const Sizes& from, const Sizes& before, const Sizes& to, T fill) {
  std::vector<T> out(static_cast<size_t>(count_of(to)), fill);
  for (size_t i = 0; i < in.size(); ++i) {
    size_t rest = i, at = 0, step = 1;
    for (size_t d = from.size(); d-- > 0;) {
      at += (rest % from[d] + before[d]) * step;
      rest /= from[d];
      step *= to[d];
    }
    out[at] = in[i];
  }
  return out;
}

struct PadCase {
  Sizes from, before, behind;
};
const std::vector<PadCase>& pad_cases() {
  static const std::vector<PadCase> cases = [] {
    std::vector<PadCase> out = {
        {{5}, {2}, {3}},
        {{1, 14, 14, 32}, {0, 0, 0, 0}, {0, 1, 2, 0}},
        {{2, 3, 4, 5}, {0, 0, 0, 0}, {0, 0, 0, 0}},
        {{2, 3, 4, 5}, {1, 0, 0, 2}, {0, 0, 3, 0}},
        {{2, 0, 3}, {1, 1, 0}, {0, 2, 0}},
        {{3, 40, 900}, {0, 1, 0}, {0, 0, 0}},  // parts of threads
        {{2, 2, 2, 2, 2, 2}, {1, 0, 1, 0, 1, 0}, {0, 1, 0, 1, 0, 1}},
    };
    std::mt19937 random(5);
    for (int i = 0; i < 60; ++i) {
      PadCase c;
      for (size_t d = 1 + random() % 6; d > 0; --d) {
        c.from.push_back(1 + random() % 4);
        c.before.push_back(random() % 2 == 0 ? 0 : static_cast<uint32_t>(random() % 3));
        c.behind.push_back(random() % 2 == 0 ? 0 : static_cast<uint32_t>(random() % 3));
      }
      out.push_back(c);
    }
    return out;
  }();
  return cases;
}

TEST(XnnpackNodes, PadsAnyDimensions) {
  for (const PadCase& c : pad_cases()) {
    Sizes to = c.from;
    for (size_t d = 0; d < to.size(); ++d) to[d] += c.before[d] + c.behind[d];
    SCOPED_TRACE(::testing::PrintToString(c.from) + " to " + ::testing::PrintToString(to));
    const auto n = static_cast<size_t>(count_of(c.from)), size = static_cast<size_t>(count_of(to));
    const auto run = [&](uint32_t x, uint32_t out, PayloadBuilder& p, const TestTensor& in, const TestTensor& result) {
      p.node(U::XNNStaticConstantPad,
             fb::CreateStaticConstantPadDirect(p.builder(), &c.before, &c.behind, 2.5f, x, out, 0).Union());
      Delegate d;
      ASSERT_EQ(d.init(p.finish()), Error::Ok);
      ASSERT_EQ(d.run({const_cast<TestTensor*>(&in), const_cast<TestTensor*>(&result)}), Error::Ok);
    };
    {
      PayloadBuilder p;
      std::vector<float> data(n);
      for (size_t i = 0; i < n; ++i) data[i] = static_cast<float>(i);
      const TestTensor in(ScalarType::Float, signed_sizes(c.from), data);
      const TestTensor out(ScalarType::Float, signed_sizes(to), std::vector<float>(size, -1));
      const uint32_t x = p.input(c.from), y = p.output(to);
      run(x, y, p, in, out);
      EXPECT_EQ(out.data<float>(), padded(data, c.from, c.before, to, 2.5f));
    }
    {
      PayloadBuilder p;
      std::vector<int8_t> data(n);
      for (size_t i = 0; i < n; ++i) data[i] = static_cast<int8_t>(i * 7);
      const TestTensor in(ScalarType::Char, signed_sizes(c.from), data);
      const TestTensor out(ScalarType::Char, signed_sizes(to), std::vector<int8_t>(size, -1));
      const uint32_t x = p.quantised(c.from, 0.5f, 3, 1), y = p.quantised(to, 0.5f, 3, 2);
      run(x, y, p, in, out);
      EXPECT_EQ(out.data<int8_t>(), padded(data, c.from, c.before, to, static_cast<int8_t>(2.5 / 0.5 + 3)));
    }
  }
}

TEST(XnnpackNodes, MeansOfInt8OfFewAndManyChannels) {
  for (const uint32_t channels : {1u, 3u, 7u, 16u, 24u, 31u, 32u, 33u, 64u, 65u, 200u}) {
    for (const uint32_t side : {1u, 5u, 8u, 31u}) {
      SCOPED_TRACE(::testing::Message() << channels << " channels, side " << side);
      PayloadBuilder p;
      const Sizes from = {2, side, side, channels}, to = {2, channels};
      const uint32_t x = p.quantised(from, 0.5f, 3, 1), out = p.quantised(to, 0.05f, -7, 2);
      p.node(U::XNNGlobalAvgPooling2d, fb::CreateNode1x1(p.builder(), x, out, 0).Union());
      Delegate d;
      ASSERT_EQ(d.init(p.finish()), Error::Ok);
      const auto n = static_cast<size_t>(count_of(from));
      std::vector<int8_t> data(n);
      for (size_t i = 0; i < n; ++i) data[i] = static_cast<int8_t>(i * 37 % 23 + i % channels % 5);
      TestTensor in(ScalarType::Char, signed_sizes(from), data);
      TestTensor result(ScalarType::Char, signed_sizes(to), std::vector<int8_t>(2 * channels));
      ASSERT_EQ(d.run({&in, &result}), Error::Ok);
      const auto got = result.data<int8_t>();
      for (size_t b = 0; b < 2; ++b) {
        for (size_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (size_t i = 0; i < side * side; ++i) sum += data[(b * side * side + i) * channels + c] - 3;
          const double want = std::clamp(sum * 0.5 / (side * side) / 0.05 - 7, -128.0, 127.0);
          ASSERT_NEAR(got[b * channels + c], want, 0.501) << b << " " << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace et::xnn::testing
