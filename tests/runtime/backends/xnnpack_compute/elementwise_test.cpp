// Elementwise functions, softmax and conversions.
#include "runtime/backends/xnnpack/compute/elementwise.h"

#include <algorithm>
#include <cfenv>
#include <functional>

#include "runtime/backends/xnnpack/compute/float_types.h"
#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

using ElementwiseTest = ComputeTest;
using Shape = std::vector<int64_t>;

int64_t count(const Shape& s) {
  int64_t n = 1;
  for (const int64_t x : s) n *= x;
  return n;
}

struct BroadcastCase {
  Shape a, b, out;
};
const std::vector<BroadcastCase> kShapes = {
    {{7}, {7}, {7}},
    {{}, {}, {}},
    {{5, 33}, {33}, {5, 33}},
    {{5, 33}, {1}, {5, 33}},
    {{1}, {3, 4}, {3, 4}},
    {{2, 3, 4}, {2, 1, 4}, {2, 3, 4}},
    {{2, 3, 1}, {1, 3, 20}, {2, 3, 20}},
    {{4, 1, 6, 1}, {5, 1, 7}, {4, 5, 6, 7}},
    {{2, 1, 2, 1, 2, 1}, {1, 3, 1, 3, 1, 3}, {2, 3, 2, 3, 2, 3}},
    {{1, 50, 700}, {1, 50, 700}, {1, 50, 700}},
    {{40, 9, 100}, {40, 1, 1}, {40, 9, 100}},
    {{3, 70, 16}, {3, 1, 16}, {3, 70, 16}},  // short rows, one operand the same in many
    {{5, 3}, {2, 400, 5, 3}, {2, 400, 5, 3}},
    {{2, 70, 9}, {2, 70, 1}, {2, 70, 9}},  // and one value a row
    {{3, 1, 5, 1}, {3, 8, 5, 13}, {3, 8, 5, 13}},
    {{2, 3, 33, 7}, {1, 3, 1, 7}, {2, 3, 33, 7}},
    {{2, 3, 1, 63}, {2, 3, 9, 63}, {2, 3, 9, 63}},
    {{3, 0, 2}, {3, 1, 2}, {3, 0, 2}},
};

/// Index into an operand for an index of the output.
int64_t operand_index(const Shape& operand, const Shape& out, int64_t i) {
  int64_t at = 0, stride = 1;
  for (size_t d = 0; d < out.size(); ++d) {
    const size_t axis = out.size() - 1 - d;
    const int64_t position = i % out[axis];
    i /= out[axis];
    if (d >= operand.size()) continue;
    const int64_t size = operand[operand.size() - 1 - d];
    if (size != 1) at += position * stride;
    stride *= size;
  }
  return at;
}

TEST_P(ElementwiseTest, BinaryFloat) {
  struct Row {
    Binary op;
    double (*f)(double, double);
  };
  const Row rows[] = {{Binary::Add, [](double x, double y) { return x + y; }},
                      {Binary::Subtract, [](double x, double y) { return x - y; }},
                      {Binary::Multiply, [](double x, double y) { return x * y; }},
                      {Binary::Divide, [](double x, double y) { return x / y; }},
                      {Binary::Minimum, [](double x, double y) { return std::min(x, y); }},
                      {Binary::Maximum, [](double x, double y) { return std::max(x, y); }},
                      {Binary::PRelu, [](double x, double y) { return x < 0 ? x * y : x; }}};
  for (const BroadcastCase& c : kShapes) {
    const auto a = floats(count(c.a)), b = floats(count(c.b));
    for (const Row& row : rows) {
      std::vector<float> out(static_cast<size_t>(count(c.out)));
      binary_f32(row.op, c.a, a.data(), c.b, b.data(), out.data(), {-1.5f, 1.25f});
      for (int64_t i = 0; i < count(c.out); ++i) {
        const double x = a[static_cast<size_t>(operand_index(c.a, c.out, i))];
        const double y = b[static_cast<size_t>(operand_index(c.b, c.out, i))];
        ASSERT_FLOAT_EQ(out[static_cast<size_t>(i)], static_cast<float>(std::clamp(row.f(x, y), -1.5, 1.25)))
            << "operator " << static_cast<int>(row.op) << " element " << i;
      }
    }
  }
}

TEST_P(ElementwiseTest, BinaryInPlace) {
  auto a = floats(1000);
  const auto b = floats(1000), before = a;
  const Shape shape = {1000};
  binary_f32(Binary::Add, shape, a.data(), shape, b.data(), a.data());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], before[i] + b[i]);
}

TEST_P(ElementwiseTest, BinaryInt32) {
  const std::vector<int32_t> a = {7, -7, INT32_MIN, 5, INT32_MAX}, b = {2, 2, -1, 0, 1};
  const Shape shape = {5};
  const auto run = [&](Binary op) {
    std::vector<int32_t> out(5);
    binary_i32(op, shape, a.data(), shape, b.data(), out.data());
    return out;
  };
  EXPECT_EQ(run(Binary::Add), (std::vector<int32_t>{9, -5, INT32_MAX, 5, INT32_MIN}));
  EXPECT_EQ(run(Binary::Divide), (std::vector<int32_t>{3, -3, INT32_MIN, 0, INT32_MAX}));
  EXPECT_EQ(run(Binary::Maximum), (std::vector<int32_t>{7, 2, -1, 5, INT32_MAX}));
}

TEST_P(ElementwiseTest, BinaryInt8) {
  struct Row {
    Binary op;
    double (*f)(double, double);
  };
  const Row rows[] = {{Binary::Add, [](double x, double y) { return x + y; }},
                      {Binary::Subtract, [](double x, double y) { return x - y; }},
                      {Binary::Multiply, [](double x, double y) { return x * y; }},
                      {Binary::Minimum, [](double x, double y) { return std::min(x, y); }},
                      {Binary::Maximum, [](double x, double y) { return std::max(x, y); }}};
  const Quantised a_quant{0.031f, 12}, b_quant{0.007f, -40};
  for (const BroadcastCase& c : kShapes) {
    const auto a = ints(count(c.a)), b = ints(count(c.b));
    for (const Row& row : rows) {
      const OutputQs8 output{{0.027f, -3}, -120, 110};
      std::vector<int8_t> out(static_cast<size_t>(count(c.out)));
      ASSERT_TRUE(binary_qs8(row.op, c.a, a.data(), a_quant, c.b, b.data(), b_quant, output, out.data()));
      for (int64_t i = 0; i < count(c.out); ++i) {
        const double x = 0.031 * (a[static_cast<size_t>(operand_index(c.a, c.out, i))] - 12);
        const double y = 0.007 * (b[static_cast<size_t>(operand_index(c.b, c.out, i))] + 40);
        const double want = std::clamp(row.f(x, y) / 0.027 - 3, -120.0, 110.0);
        // Half a step of rounding, and what the fixed point adds to it.
        ASSERT_NEAR(out[static_cast<size_t>(i)], want, 0.502) << "operator " << static_cast<int>(row.op);
      }
    }
  }
}

TEST_P(ElementwiseTest, AddInt8HasTheFixedPointOfXnnpack) {
  // a / out = 0.5, b / out = 0.25: multipliers 2^20 and 2^19 of 2^21, halves are rounded up.
  const std::vector<int8_t> a = {0, 1, -1, 3, 127, -128}, b = {0, 0, 0, 1, 127, -128};
  const Shape shape = {6};
  std::vector<int8_t> out(6);
  ASSERT_TRUE(binary_qs8(Binary::Add, shape, a.data(), {0.5f, 0}, shape, b.data(), {0.25f, 0}, {{1.0f, 0}, -128, 127},
                         out.data()));
  EXPECT_EQ(out, (std::vector<int8_t>{0, 1, 0, 2, 95, -96}));
  EXPECT_FALSE(binary_qs8(Binary::Add, shape, a.data(), {1e-6f, 0}, shape, b.data(), {0.25f, 0}, {{1.0f, 0}, -128, 127},
                          out.data()));
}

TEST_P(ElementwiseTest, UnaryFloat) {
  struct Row {
    const char* name;
    Unary op;
    double (*f)(double);
    float low, high;
    double steps;  // in units of the last place, and the same in 2^-24
  };
  const Row rows[] = {
      {"abs", Unary::Abs, [](double x) { return std::fabs(x); }, -3, 3, 0},
      {"negate", Unary::Negate, [](double x) { return -x; }, -3, 3, 0},
      {"square", Unary::Square, [](double x) { return x * x; }, -3, 3, 1},
      {"sqrt", Unary::SquareRoot, [](double x) { return std::sqrt(x); }, 0, 9, 1},
      {"rsqrt", Unary::ReciprocalSquareRoot, [](double x) { return 1 / std::sqrt(x); }, 0.01f, 9, 2},
      {"floor", Unary::Floor, [](double x) { return std::floor(x); }, -9, 9, 0},
      {"ceiling", Unary::Ceiling, [](double x) { return std::ceil(x); }, -9, 9, 0},
      {"exp", Unary::Exp, [](double x) { return std::exp(x); }, -80, 80, 2},
      {"log", Unary::Log, [](double x) { return std::log(x); }, 1e-6f, 1e6f, 2},
      {"sin", Unary::Sin, [](double x) { return std::sin(x); }, -1000, 1000, 4},
      {"cos", Unary::Cos, [](double x) { return std::cos(x); }, -1000, 1000, 4},
      {"sin far", Unary::Sin, [](double x) { return std::sin(x); }, -1e9f, 1e9f, 4},
      {"sigmoid", Unary::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -20, 20, 4},
      {"tanh", Unary::Tanh, [](double x) { return std::tanh(x); }, -12, 12, 4},
      {"gelu", Unary::Gelu, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }, -4, 4, 12},
      {"gelu far", Unary::Gelu, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }, -9, 9, 16},
      {"exp to nothing", Unary::Exp, [](double x) { return std::exp(x); }, -110, -80, 2},
      {"sigmoid far", Unary::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -120, 120, 4},
      {"sin of large", Unary::Sin, [](double x) { return std::sin(x); }, -1e6f, 1e6f, 4},
      {"cos of large", Unary::Cos, [](double x) { return std::cos(x); }, -1e6f, 1e6f, 4},
      {"hardswish", Unary::Hardswish, [](double x) { return x / 6 * std::clamp(x + 3, 0.0, 6.0); }, -5, 5, 8},
      {"elu", Unary::Elu, [](double x) { return x < 0 ? 0.3 * std::expm1(x) : x; }, -9, 9, 4},
      {"leaky", Unary::LeakyRelu, [](double x) { return x < 0 ? 0.3 * x : x; }, -9, 9, 2},
      {"clamp", Unary::Clamp, [](double x) { return std::clamp(x, -1.0, 2.0); }, -9, 9, 0},
  };
  UnaryParams params;
  params.alpha = 0.3f;
  params.clamp = {-1.0f, 2.0f};
  for (const Row& row : rows) {
    for (const int64_t n : {1, 7, 100, 20001}) {
      const auto x = floats(n, row.low, row.high);
      std::vector<float> out(static_cast<size_t>(n));
      unary_f32(row.op, n, x.data(), out.data(), params);
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = row.f(x[i]);
        ASSERT_NEAR(out[i], want, row.steps * (std::fabs(want) + 1) * 0x1p-24) << row.name << " of " << x[i];
      }
      auto in_place = x;
      unary_f32(row.op, n, in_place.data(), in_place.data(), params);
      ASSERT_EQ(in_place, out) << row.name;
    }
  }
}

TEST_P(ElementwiseTest, UnaryKeepsNanAndInfinity) {
  const std::vector<float> x = {NAN, INFINITY, -INFINITY};
  const auto run = [&](Unary op) {
    std::vector<float> out(3);
    unary_f32(op, 3, x.data(), out.data(), {});
    return out;
  };
  for (const Unary op : {Unary::Sigmoid, Unary::Tanh, Unary::Clamp, Unary::Exp, Unary::Sin, Unary::Square, Unary::Gelu,
                         Unary::Cos, Unary::ReciprocalSquareRoot}) {
    EXPECT_TRUE(std::isnan(run(op)[0])) << static_cast<int>(op);
  }
  EXPECT_EQ(run(Unary::Sigmoid)[1], 1.0f);
  EXPECT_EQ(run(Unary::Sigmoid)[2], 0.0f);
  EXPECT_EQ(run(Unary::Tanh)[1], 1.0f);
  EXPECT_EQ(run(Unary::Tanh)[2], -1.0f);
  EXPECT_EQ(run(Unary::Gelu)[1], INFINITY);
  EXPECT_EQ(run(Unary::Exp)[1], INFINITY);
  EXPECT_EQ(run(Unary::Exp)[2], 0.0f);
  EXPECT_EQ(run(Unary::ReciprocalSquareRoot)[1], 0.0f);
  EXPECT_EQ(run(Unary::Clamp)[1], INFINITY);
}

TEST_P(ElementwiseTest, UnaryOfZero) {
  // More than a vector: zeros of both signs, and what is too small for a normal number.
  std::vector<float> x(40, 0.0f), out(40);
  x[3] = x[37] = -0.0f;
  x[5] = 1e-39f;
  const auto run = [&](Unary op) { unary_f32(op, 40, x.data(), out.data(), {}); };
  run(Unary::ReciprocalSquareRoot);
  EXPECT_EQ(out[0], INFINITY);
  EXPECT_EQ(out[3], -INFINITY);
  EXPECT_NEAR(out[5] / 3.1622777e19f, 1, 1e-6);
  for (const Unary op : {Unary::Sin, Unary::Tanh, Unary::Gelu}) {
    run(op);
    EXPECT_EQ(out[0], 0.0f);
    EXPECT_TRUE(op == Unary::Gelu || (std::signbit(out[3]) && std::signbit(out[37]))) << static_cast<int>(op);
    EXPECT_NEAR(out[5] * 1e39, op == Unary::Gelu ? 0.5 : 1, 1e-5);
  }
  run(Unary::Sigmoid);
  EXPECT_EQ(out[3], 0.5f);
}

TEST_P(ElementwiseTest, UnaryInt8) {
  std::vector<int8_t> x;
  for (int i = -128; i < 128; ++i) x.push_back(static_cast<int8_t>(i));
  std::vector<int8_t> out(256);
  unary_qs8(Unary::Sigmoid, 256, x.data(), {0.05f, 10}, {{1.0f / 256, -128}, -128, 127}, out.data());
  for (size_t i = 0; i < 256; ++i) {
    const double want = 256.0 / (1 + std::exp(-0.05 * (x[i] - 10))) - 128;
    ASSERT_NEAR(out[i], std::min(want, 127.0), 0.501);
  }
}

TEST_P(ElementwiseTest, Softmax) {
  for (const int64_t n : {1, 3, 16, 37, 500}) {
    const int64_t rows = 9;
    auto x = floats(rows * n, -30, 30);
    if (n > 1) x[0] = -INFINITY;  // as masks have it
    std::vector<float> out(x.size());
    softmax_f32(rows, n, x.data(), out.data());
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = x.data() + i * n;
      const double top = *std::max_element(row, row + n);
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += std::exp(row[j] - top);
      for (int64_t j = 0; j < n; ++j) {
        const double want = std::exp(row[j] - top) / sum;
        ASSERT_NEAR(out[static_cast<size_t>(i * n + j)], want, 1e-6 * want + 1e-9);
      }
    }
    std::vector<float> in_place = x;
    softmax_f32(rows, n, in_place.data(), in_place.data());
    EXPECT_EQ(in_place, out);
  }
}

TEST_P(ElementwiseTest, QuantizeAndBack) {
  auto x = floats(5000, -9, 9);
  x[0] = 1e30f;
  x[1] = -INFINITY;
  x[2] = 0.25f;  // 2.5 steps
  x[3] = 0.35f;
  std::vector<int8_t> q(x.size());
  const OutputQs8 output{{0.1f, 3}, -100, 120};
  quantize_f32(static_cast<int64_t>(x.size()), x.data(), output, q.data());
  EXPECT_EQ(q[0], 120);
  EXPECT_EQ(q[1], -100);
  for (size_t i = 0; i < x.size(); ++i) {
    const float steps = std::nearbyint(std::clamp(x[i] * (1.0f / 0.1f), -200.0f, 200.0f));
    ASSERT_EQ(q[i], std::clamp(static_cast<int>(steps) + 3, -100, 120)) << x[i];
  }
  std::vector<float> back(x.size());
  dequantize_qs8(static_cast<int64_t>(q.size()), q.data(), {0.1f, 3}, back.data());
  for (size_t i = 0; i < q.size(); ++i) ASSERT_EQ(back[i], static_cast<float>(q[i] - 3) * 0.1f);
}

/// All 65536 numbers there and back, and rounding in between.
TEST_P(ElementwiseTest, Floats16) {
  std::vector<uint16_t> bits(65536), again(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  std::vector<float> values(65536);
  for (const FloatType type : {FloatType::F16, FloatType::BF16}) {
    convert_to_f32(65536, bits.data(), type, values.data());
    convert_from_f32(65536, values.data(), type, again.data());
    for (size_t i = 0; i < bits.size(); ++i) {
      if (std::isnan(values[i])) {
        ASSERT_TRUE(std::isnan(load_float(again.data(), type, static_cast<int64_t>(i))));
        continue;
      }
      ASSERT_EQ(bits[i], again[i]) << i;
      ASSERT_EQ(values[i], load_float(bits.data(), type, static_cast<int64_t>(i)));
    }
  }
  const std::vector<float> x = {65504.0f, 65519.9f, 65520.0f, 0x1p-24f, 0x1p-25f, 0x1.8p-24f, 1.00048828125f, -0.0f};
  std::vector<uint16_t> half(8), plain;
  convert_from_f32(8, x.data(), FloatType::F16, half.data());
  EXPECT_EQ(half, (std::vector<uint16_t>{0x7bff, 0x7bff, 0x7c00, 1, 0, 2, 0x3c00, 0x8000}));
  for (const float value : x) plain.push_back(f32_to_f16(value));
  EXPECT_EQ(plain, half);
}

TEST_P(ElementwiseTest, LooksUpBytes) {
  uint8_t table[256];
  for (int i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(i * 167 + 13);
  for (const int64_t n : {0, 1, 63, 64, 65, 200, 300000}) {
    std::vector<uint8_t> in(static_cast<size_t>(n)), out(static_cast<size_t>(n) + 1, 0xee);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 31 + i / 251);
    look_up(n, in.data(), table, out.data());
    for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], table[in[i]]) << i << " of " << n;
    EXPECT_EQ(out.back(), 0xee);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ElementwiseTest, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
