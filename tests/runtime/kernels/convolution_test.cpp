// Convolutions that are too large for the conformance corpus, which takes the exact path for small jobs, against the
// definition in double precision: depthwise ones by width and by channels, edges of strides, padding and dilation, and
// channels that fill no vector. The same jobs go to oneDNN where the build has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/tensor.h"
#include "tests/runtime/kernels/provider_test.h"

namespace et {
namespace {

constexpr float kGuard = 12345.0f;
constexpr size_t kGuards = 32;

/// An image [N, C, H, W] or a vector, contiguous or channels last, with guards around its elements.
struct Image {
  Image(std::vector<int32_t> shape, bool channels_last) : sizes(std::move(shape)), strides(sizes.size()) {
    order.resize(sizes.size());
    std::iota(order.begin(), order.end(), uint8_t{0});
    if (channels_last) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    dim_order_to_strides(sizes, order, strides.data());
    count = 1;
    for (const int32_t s : sizes) count *= static_cast<size_t>(s);
    memory.assign(count + 2 * kGuards, kGuard);
    impl = TensorImpl(ScalarType::Float, sizes.size(), sizes.data(), memory.data() + kGuards, order.data(),
                      strides.data());
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  void randomise(std::mt19937& random) {
    std::uniform_real_distribution<float> values(-1, 1);
    std::generate_n(memory.begin() + kGuards, count, [&] { return values(random); });
  }
  float at(int64_t n, int64_t c, int64_t y, int64_t x) const {
    return memory[kGuards + static_cast<size_t>(n * strides[0] + c * strides[1] + y * strides[2] + x * strides[3])];
  }
  bool guards_hold() const {
    const auto whole = [](float v) { return v == kGuard; };
    return std::all_of(memory.begin(), memory.begin() + kGuards, whole) &&
           std::all_of(memory.end() - kGuards, memory.end(), whole);
  }

  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  size_t count = 0;
  std::vector<float> memory;
  TensorImpl impl{ScalarType::Float, 0, nullptr};
};

struct Pair {
  EValue items[2], *pointers[2] = {&items[0], &items[1]};
  int64_t unwrapped[2] = {};
  BoxedList<int64_t> list{pointers, unwrapped, 2};
  Pair(int64_t a, int64_t b) : items{EValue(a), EValue(b)} {}
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};

struct Job {
  int batch, channels, groups, multiplier;  // multiplier: output channels of a group
  int height, width, kernel_y, kernel_x;
  int stride, padding, dilation;
  bool bias, last;

  int out_channels() const { return groups * multiplier; }
  int out(int in, int kernel) const { return (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }
  int64_t multiplications() const {
    return int64_t{batch} * out_channels() * out(height, kernel_y) * out(width, kernel_x) * (channels / groups) *
           kernel_y * kernel_x;
  }
  std::string name() const {
    const auto n = [](int v) { return std::to_string(v); };
    return n(batch) + "x" + n(channels) + "x" + n(height) + "x" + n(width) + ", kernel " + n(kernel_y) + "x" +
           n(kernel_x) + ", groups " + n(groups) + " times " + n(multiplier) + ", stride " + n(stride) + ", padding " +
           n(padding) + ", dilation " + n(dilation) + (bias ? ", bias" : "") + (last ? ", channels last" : "");
  }
};

/// The largest error, relative to what rounding may do to a sum of that many terms: at most 1 when all is well.
double worst_error(const Job& j, const Image& in, const Image& weight, const Image& bias, const Image& out) {
  const int per_group = j.channels / j.groups, terms = per_group * j.kernel_y * j.kernel_x + 1;
  const double rounding = std::ldexp(std::max(terms, 16), -24);
  double worst = 0;
  for (int n = 0; n < j.batch; ++n) {
    for (int o = 0; o < j.out_channels(); ++o) {
      const int first = o / j.multiplier * per_group;
      for (int y = 0; y < out.sizes[2]; ++y) {
        for (int x = 0; x < out.sizes[3]; ++x) {
          double sum = j.bias ? static_cast<double>(bias.memory[kGuards + static_cast<size_t>(o)]) : 0;
          double size = std::abs(sum);
          for (int c = 0; c < per_group; ++c) {
            for (int ky = 0; ky < j.kernel_y; ++ky) {
              const int row = y * j.stride - j.padding + ky * j.dilation;
              for (int kx = 0; kx < j.kernel_x; ++kx) {
                const int column = x * j.stride - j.padding + kx * j.dilation;
                if (row < 0 || row >= j.height || column < 0 || column >= j.width) continue;
                const double product = static_cast<double>(in.at(n, first + c, row, column)) *
                                       static_cast<double>(weight.at(o, c, ky, kx));
                sum += product;
                size += std::abs(product);
              }
            }
          }
          const double error = std::abs(static_cast<double>(out.at(n, o, y, x)) - sum);
          if (!(error <= rounding * size))
            worst = std::max(worst, std::isnan(error) ? 1e300 : error / (rounding * size));
        }
      }
    }
  }
  return worst;
}

void run_and_compare(const Job& j) {
  SCOPED_TRACE(j.name());
  std::mt19937 random(7);
  Image in({j.batch, j.channels, j.height, j.width}, j.last);
  Image weight({j.out_channels(), j.channels / j.groups, j.kernel_y, j.kernel_x}, j.last);
  Image bias({j.out_channels()}, false);
  Image out({j.batch, j.out_channels(), j.out(j.height, j.kernel_y), j.out(j.width, j.kernel_x)}, j.last);
  for (Image* t : {&in, &weight, &bias}) t->randomise(random);
  std::fill_n(out.memory.begin() + kGuards, out.count, NAN);
  Pair stride(j.stride, j.stride), padding(j.padding, j.padding), dilation(j.dilation, j.dilation), none(0, 0);
  std::array<EValue, 11> values = {EValue(Tensor(&in.impl)),
                                   EValue(Tensor(&weight.impl)),
                                   j.bias ? EValue(Tensor(&bias.impl)) : EValue(),
                                   EValue(&stride.list),
                                   EValue(&padding.list),
                                   EValue(&dilation.list),
                                   EValue(false),
                                   EValue(&none.list),
                                   EValue(int64_t{j.groups}),
                                   EValue(Tensor(&out.impl)),
                                   EValue(Tensor(&out.impl))};
  std::array<EValue*, 11> stack{};
  std::transform(values.begin(), values.end(), stack.begin(), [](EValue& v) { return &v; });
  PlatformMemoryAllocator temp;
  KernelRuntimeContext context(nullptr, &temp);
  const auto kernel = get_kernel("aten::convolution.out");
  ASSERT_TRUE(kernel.ok());
  kernel.get()->function(context, stack);
  ASSERT_EQ(context.failure_state(), Error::Ok);
  EXPECT_TRUE(out.guards_hold()) << "written outside of the output";
  EXPECT_LE(worst_error(j, in, weight, bias, out), 1);
}

/// Below this many multiplications a convolution is summed in double precision, on another path.
constexpr int64_t kExact = 1 << 17;

using Convolutions = test::ProviderTest;

TEST_P(Convolutions, Depthwise) {
  struct Kernel {
    int y, x;
  };
  int jobs = 0;
  for (const bool last : {false, true}) {
    for (const Kernel k : {Kernel{3, 3}, Kernel{5, 5}, Kernel{1, 7}, Kernel{3, 1}, Kernel{2, 4}}) {
      for (const int stride : {1, 2}) {
        for (const int padding : {0, 1, 3}) {
          for (const int dilation : {1, 3}) {
            // 67 channels: two groups of four vectors of 8, and three more; of an odd number of rows and columns.
            const Job job = {1, 67, 67, 1, 61, 59, k.y, k.x, stride, padding, dilation, (jobs & 1) != 0, last};
            ASSERT_GE(job.multiplications(), kExact) << job.name();
            run_and_compare(job);
            if (HasFatalFailure()) return;
            ++jobs;
          }
        }
      }
    }
  }
}

TEST_P(Convolutions, DepthwiseOfAnyNumberOfChannels) {
  for (const bool last : {false, true}) {
    for (const int channels : {1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 32, 33, 40, 63, 65}) {
      // Enough rows for the path of large jobs, and a batch, whose items begin at odd addresses.
      const Job job = {3, channels, channels, 1, 5500 / channels + 3, 11, 3, 3, 1, 1, 1, true, last};
      ASSERT_GE(job.multiplications(), kExact) << job.name();
      run_and_compare(job);
    }
  }
}

TEST_P(Convolutions, RowsShorterThanTheKernel) {
  for (const bool last : {false, true}) {
    for (const int stride : {1, 2}) {
      for (const int width : {1, 2, 3, 4}) {
        for (const int padding : {1, 2, 4}) {
          const Job job = {2, 37, 37, 1, 900, width, 3, 3, stride, padding, 1, true, last};
          if (job.out(width, 3) < 1 || job.multiplications() < kExact) continue;
          run_and_compare(job);
        }
      }
    }
  }
}

TEST_P(Convolutions, SeveralOutputsOfAChannel) {
  for (const bool last : {false, true}) {
    for (const int multiplier : {2, 3, 5}) {
      for (const int stride : {1, 2}) {
        for (const int dilation : {1, 2}) {
          const Job job = {2, 19, 19, multiplier, 40, 37, 3, 3, stride, 1, dilation, true, last};
          ASSERT_GE(job.multiplications(), kExact) << job.name();
          run_and_compare(job);
        }
      }
    }
  }
}

TEST_P(Convolutions, Dense) {
  const Job jobs[] = {
      {1, 13, 1, 21, 30, 29, 3, 3, 1, 1, 1, true, false}, {2, 16, 1, 32, 28, 28, 3, 3, 2, 1, 1, false, false},
      {1, 24, 1, 40, 23, 17, 1, 1, 1, 0, 1, true, false}, {2, 24, 1, 40, 23, 17, 1, 1, 2, 0, 1, true, false},
      {1, 12, 3, 7, 33, 31, 3, 5, 1, 2, 2, true, false},  {1, 13, 1, 21, 30, 29, 3, 3, 1, 1, 1, true, true},
      {2, 24, 1, 40, 23, 17, 1, 1, 1, 0, 1, false, true}, {1, 12, 3, 7, 33, 31, 3, 5, 2, 2, 2, true, true},
      {2, 48, 12, 4, 20, 20, 1, 1, 1, 0, 1, true, false}, {1, 3, 1, 18, 64, 64, 7, 7, 2, 3, 1, true, false},
      {3, 130, 1, 35, 9, 8, 2, 2, 1, 0, 1, true, false},
  };
  for (const Job& job : jobs) {
    ASSERT_GE(job.multiplications(), kExact) << job.name();
    run_and_compare(job);
  }
  if (GetParam() != nullptr) {
    const auto plain = std::count_if(std::begin(jobs), std::end(jobs), [](const Job& j) { return !j.last; });
    EXPECT_GE(test::g_provider_calls.taken, plain) << "channels first is what it was made for";
  }
}

INSTANTIATE_TEST_SUITE_P(By, Convolutions, test::providers(), test::provider_name);

}  // namespace
}  // namespace et
