// Matmuls that are too large for the conformance corpus: sizes that fill neither tiles nor vectors, arguments
// in any layout, against the definition in double precision. The same jobs go to oneDNN where the build has it.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/tensor.h"
#include "tests/runtime/kernels/provider_test.h"

namespace et {
namespace {

/// Matrices of float, [batch, rows, columns] or [rows, columns]; `turned` ones have contiguous columns.
struct Matrix {
  Matrix(std::vector<int32_t> shape, bool turned) : sizes(std::move(shape)), strides(sizes.size()) {
    for (size_t d = 0; d < sizes.size(); ++d) order.push_back(static_cast<uint8_t>(d));
    if (turned) std::swap(order[order.size() - 1], order[order.size() - 2]);
    dim_order_to_strides(sizes, order, strides.data());
    size_t count = 1;
    for (const int32_t s : sizes) count *= static_cast<size_t>(s);
    data.resize(count);
    impl = TensorImpl(ScalarType::Float, sizes.size(), sizes.data(), data.data(), order.data(), strides.data());
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void randomise(std::mt19937& random) {
    std::uniform_real_distribution<float> values(-1, 1);
    std::generate(data.begin(), data.end(), [&] { return values(random); });
  }
  double at(int64_t batch, int64_t row, int64_t column) const {
    const size_t rank = sizes.size();
    const int64_t at = (rank == 3 ? batch * strides[0] : 0) + row * strides[rank - 2] + column * strides[rank - 1];
    return static_cast<double>(data[static_cast<size_t>(at)]);
  }

  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  std::vector<float> data;
  TensorImpl impl{ScalarType::Float, 0, nullptr};
};

struct Sizes {
  int m, n, k;
};
// From 2^16 multiplications on: smaller ones are summed in double precision.
constexpr Sizes kSizes[] = {{1, 1, 70000}, {1, 517, 130}, {517, 1, 130}, {2, 3, 11000},  {6, 16, 700},
                            {37, 41, 129}, {64, 64, 64},  {97, 99, 7},   {129, 130, 257}};

Error call(const char* name, std::vector<EValue> values) {
  PlatformMemoryAllocator temp;
  KernelRuntimeContext context(nullptr, &temp);
  std::vector<EValue*> stack;
  for (EValue& v : values) stack.push_back(&v);
  const auto kernel = get_kernel(name);
  if (!kernel.ok()) return kernel.error();
  kernel.get()->function(context, stack);
  return context.failure_state();
}

/// alpha * a b + beta * c, c[row % rows][column % columns]; within what rounding may do to such sums.
void expect_matmul(const Matrix& a, const Matrix& b, const Matrix* c, double alpha, double beta, const Matrix& out) {
  const size_t rank = out.sizes.size();
  const int64_t rows = out.sizes[rank - 2], columns = out.sizes[rank - 1], depth = a.sizes[rank - 1];
  for (int64_t batch = 0; batch < (rank == 3 ? out.sizes[0] : 1); ++batch) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0, size = 0;
        for (int64_t l = 0; l < depth; ++l) {
          const double product = a.at(batch, i, l) * b.at(batch, l, j);
          sum += product;
          size += std::abs(product);
        }
        sum *= alpha;
        size *= std::abs(alpha);
        if (c != nullptr) {
          const double added = beta * c->at(0, i % c->sizes[0], j % c->sizes[1]);
          sum += added;
          size += std::abs(added);
        }
        ASSERT_NEAR(out.at(batch, i, j), sum, size * std::ldexp(static_cast<double>(std::max<int64_t>(depth, 16)), -24))
            << i << ", " << j << " of " << batch;
      }
    }
  }
}

std::string name_of(const Sizes& s, bool a_turned, bool b_turned) {
  return std::to_string(s.m) + "x" + std::to_string(s.k) + " by " + std::to_string(s.k) + "x" + std::to_string(s.n) +
         (a_turned ? ", first turned" : "") + (b_turned ? ", second turned" : "");
}

using Matmul = test::ProviderTest;

TEST_P(Matmul, MatricesOfAnyLayout) {
  std::mt19937 random(3);
  for (const Sizes& s : kSizes) {
    for (const bool a_turned : {false, true}) {
      for (const bool b_turned : {false, true}) {
        SCOPED_TRACE(name_of(s, a_turned, b_turned));
        Matrix a({s.m, s.k}, a_turned), b({s.k, s.n}, b_turned), out({s.m, s.n}, false);
        a.randomise(random);
        b.randomise(random);
        std::fill(out.data.begin(), out.data.end(), NAN);
        ASSERT_EQ(call("aten::mm.out", {Tensor(&a.impl), Tensor(&b.impl), Tensor(&out.impl), Tensor(&out.impl)}),
                  Error::Ok);
        expect_matmul(a, b, nullptr, 1, 0, out);
        if (HasFatalFailure()) return;
      }
    }
  }
  if (GetParam() != nullptr) {
    EXPECT_EQ(test::g_provider_calls.taken, static_cast<int>(std::size(kSizes)) * 4);
  }
}

TEST_P(Matmul, WithWhatIsAdded) {
  std::mt19937 random(4);
  for (const Sizes& s : kSizes) {
    const std::vector<std::vector<int32_t>> added = {{s.m, s.n}, {1, s.n}, {s.m, 1}, {1, 1}};
    for (const std::vector<int32_t>& shape : added) {
      for (const double beta : {1.0, -0.5, 0.0}) {
        SCOPED_TRACE(name_of(s, false, false) + ", added " + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) +
                     " times " + std::to_string(beta));
        Matrix c(shape, false), a({s.m, s.k}, false), b({s.k, s.n}, false), out({s.m, s.n}, false);
        for (Matrix* t : {&a, &b, &c}) t->randomise(random);
        std::fill(out.data.begin(), out.data.end(), NAN);
        ASSERT_EQ(call("aten::addmm.out", {Tensor(&c.impl), Tensor(&a.impl), Tensor(&b.impl), beta, 0.75,
                                           Tensor(&out.impl), Tensor(&out.impl)}),
                  Error::Ok);
        expect_matmul(a, b, &c, 0.75, beta, out);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Matmul, Batches) {
  std::mt19937 random(5);
  for (const Sizes& s : kSizes) {
    for (const bool turned : {false, true}) {
      SCOPED_TRACE(name_of(s, turned, !turned));
      Matrix a({3, s.m, s.k}, turned), b({3, s.k, s.n}, !turned), out({3, s.m, s.n}, false);
      a.randomise(random);
      b.randomise(random);
      std::fill(out.data.begin(), out.data.end(), NAN);
      ASSERT_EQ(call("aten::bmm.out", {Tensor(&a.impl), Tensor(&b.impl), Tensor(&out.impl), Tensor(&out.impl)}),
                Error::Ok);
      expect_matmul(a, b, nullptr, 1, 0, out);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(By, Matmul, test::providers(), test::provider_name);

}  // namespace
}  // namespace et
