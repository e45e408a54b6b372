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

struct Resize {
  uint32_t h, w, channels, to_h, to_w, flags;
};

/// Where output position `o` lies in the input.
double source_of(uint32_t o, uint32_t in, uint32_t out, bool corners) {
  const uint32_t less = corners && out != 1 ? 1 : 0;
  const double step = static_cast<double>(in - less) / (out - less);
  const double at = corners ? o * step : (o + 0.5) * step - 0.5;
  return std::clamp(at, 0.0, static_cast<double>(in - 1));
}

TEST(XnnpackNodes, ResizesImagesUpAndDown) {
  constexpr uint32_t kAlignCorners = 8;
  for (const Resize& r : {Resize{4, 5, 3, 16, 20, 0},
                          {4, 5, 3, 16, 20, kAlignCorners},
                          {32, 9, 21, 11, 40, 0},
                          {1, 7, 2, 5, 3, 0},
                          {6, 1, 70, 6, 9, kAlignCorners},
                          {3, 4, 1000, 7, 30, 0},  // several pieces of columns
                          {9, 9, 1, 1, 1, kAlignCorners}}) {
    SCOPED_TRACE(::testing::Message() << r.h << "x" << r.w << "x" << r.channels << " to " << r.to_h << "x" << r.to_w);
    const Sizes from = {2, r.h, r.w, r.channels}, to = {2, r.to_h, r.to_w, r.channels};
    const auto n = static_cast<size_t>(count_of(from)), size = static_cast<size_t>(count_of(to));
    const auto node = [&](PayloadBuilder& p, uint32_t x, uint32_t out) {
      p.node(U::XNNStaticResizeBilinear2D,
             fb::CreateStaticResizeBilinear2D(p.builder(), r.to_h, r.to_w, x, out, r.flags).Union());
    };
    const auto check = [&](const auto& data, const auto& got, double tolerance) {
      for (size_t i = 0; i < size; ++i) {
        const size_t c = i % r.channels, x = i / r.channels % r.to_w, y = i / r.channels / r.to_w % r.to_h;
        const size_t image = i / r.channels / r.to_w / r.to_h;
        const double at_x = source_of(static_cast<uint32_t>(x), r.w, r.to_w, r.flags != 0);
        const double at_y = source_of(static_cast<uint32_t>(y), r.h, r.to_h, r.flags != 0);
        double want = 0;
        for (const size_t dy : {0, 1}) {
          for (const size_t dx : {0, 1}) {
            const size_t px = std::min<size_t>(static_cast<size_t>(at_x) + dx, r.w - 1);
            const size_t py = std::min<size_t>(static_cast<size_t>(at_y) + dy, r.h - 1);
            const double part_x = at_x - std::floor(at_x), part_y = at_y - std::floor(at_y);
            want += (dx == 0 ? 1 - part_x : part_x) * (dy == 0 ? 1 - part_y : part_y) *
                    data[((image * r.h + py) * r.w + px) * r.channels + c];
          }
        }
        ASSERT_NEAR(got[i], want, tolerance) << i;
      }
    };
    {
      PayloadBuilder p;
      const uint32_t x = p.input(from), y = p.output(to);
      node(p, x, y);
      Delegate d;
      ASSERT_EQ(d.init(p.finish()), Error::Ok);
      std::vector<float> data(n);
      for (size_t i = 0; i < n; ++i) data[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
      const auto in = TestTensor::floats(signed_sizes(from), data);
      const auto out = TestTensor::floats(signed_sizes(to), std::vector<float>(size));
      ASSERT_EQ(d.run({in.get(), out.get()}), Error::Ok);
      check(data, out->data<float>(), 1e-4);
    }
    {
      PayloadBuilder p;
      const uint32_t x = p.quantised(from, 0.5f, 3, 1), y = p.quantised(to, 0.5f, 3, 2);
      node(p, x, y);
      Delegate d;
      ASSERT_EQ(d.init(p.finish()), Error::Ok);
      std::vector<int8_t> data(n);
      for (size_t i = 0; i < n; ++i) data[i] = static_cast<int8_t>(i * 37);
      TestTensor in(ScalarType::Char, signed_sizes(from), data);
      TestTensor out(ScalarType::Char, signed_sizes(to), std::vector<int8_t>(size));
      ASSERT_EQ(d.run({&in, &out}), Error::Ok);
      check(data, out.data<int8_t>(), 0.75);  // a rounding, and parts of 11 bits
    }
  }
}

}  // namespace
}  // namespace et::xnn::testing
