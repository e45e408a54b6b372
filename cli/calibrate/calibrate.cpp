#include "cli/calibrate/calibrate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "etdump/host_info_posix.h"
#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "runtime/backends/xnnpack/compute/memory.h"
#include "runtime/platform/parallel.h"

namespace et::cli {
namespace {

using CalibrateClock = std::chrono::steady_clock;
constexpr double kSecondsEach = 0.15, kSecondsOfASize = 0.06;  // of a product; of a way through a working set
// Large enough to hide packing and small enough for the second-level cache.
constexpr int64_t kSides[] = {192, 320, 448};
constexpr size_t kSmallest = size_t{16} << 10, kLargest = size_t{128} << 20;

/// The shortest of all runs within the time: what disturbs only makes longer.
template <class Run>
double shortest_ns(double seconds, const Run& run) {
  double best = 1e300, spent = 0;
  for (int i = 0; i < 3 || spent < seconds * 1e9; ++i) {
    const auto begin = CalibrateClock::now();
    run();
    const double ns = static_cast<double>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(CalibrateClock::now() - begin).count());
    spent += ns;
    if (ns > 0) best = std::min(best, ns);
  }
  return best;
}

double product_operations(int64_t side) { return 2.0 * static_cast<double>(side * side * side); }

Status measure_float(inspector::MachinePeaks* out) {
  for (const int64_t side : kSides) {
    const std::vector<float> a(static_cast<size_t>(side * side), 0.5f);
    std::vector<float> result(a.size());
    const xnn::PackedF32 weights({.data = a.data(), .n = side, .k = side});
    if (!weights.valid()) return {Error::MemoryAllocationFailed, "no memory for matrices of " + std::to_string(side)};
    const double ns =
        shortest_ns(kSecondsEach, [&] { xnn::linear_f32(weights, side, a.data(), side, result.data(), side); });
    out->gflops = std::max(out->gflops, product_operations(side) / ns);
  }
  return {};
}

Status measure_int8(inspector::MachinePeaks* out) {
  for (const int64_t side : kSides) {
    const std::vector<int8_t> a(static_cast<size_t>(side * side), 3);
    std::vector<int8_t> result(a.size());
    const std::vector<float> scales(static_cast<size_t>(side), 0.01f);
    xnn::WeightsQs8 w;
    w.data = a.data();
    w.n = side;
    w.k = side;
    w.scales = scales.data();
    const xnn::PackedQs8 weights(w);
    if (!weights.valid()) return {Error::MemoryAllocationFailed, "no memory for matrices of " + std::to_string(side)};
    const double ns =
        shortest_ns(kSecondsEach, [&] { xnn::linear_qs8(weights, side, a.data(), side, result.data(), side); });
    out->int8_gops = std::max(out->int8_gops, product_operations(side) / ns);
  }
  return {};
}

/// Floats that a kernel's vectors take whole.
class Floats {
 public:
  explicit Floats(int64_t count)
      : bytes_(static_cast<size_t>(count) * sizeof(float)), data_(xnn::allocate_zeroed(bytes_)) {
    if (data_ != nullptr) std::fill_n(data(), count, 1.0f);
  }
  ~Floats() {
    if (data_ != nullptr) xnn::free_zeroed(data_, bytes_);
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  float* data() const { return static_cast<float*>(data_); }

 private:
  size_t bytes_;
  void* data_;
};

/// Sums of two tensors by the kernel of this build, into a third one and into one of the two, which spares the caches
/// reading what is written. Both count what an operator's shapes say: two reads and a write.
Status measure_bandwidth(inspector::MachinePeaks* out) {
  for (size_t bytes = kSmallest; bytes <= kLargest; bytes *= 2) {
    const auto count = static_cast<int64_t>(bytes / 3 / sizeof(float));
    const Floats a(count), b(count), c(count);
    if (a.data() == nullptr || b.data() == nullptr || c.data() == nullptr)
      return {Error::MemoryAllocationFailed, "no memory for a working set of " + std::to_string(bytes) + " bytes"};
    const int64_t rounds = std::max<int64_t>(1, static_cast<int64_t>((size_t{1} << 20) / bytes));
    double best = 0;
    for (const float* const second : {c.data(), a.data()}) {
      const double ns = shortest_ns(kSecondsOfASize, [&] {
        for (int64_t r = 0; r < rounds; ++r) {
          parallel_for(0, count, 1 << 12, [&](int64_t from, int64_t to) {
            xnn::loops().binary(xnn::Binary::Maximum, xnn::Repeat::None, to - from, b.data() + from, second + from,
                                a.data() + from, {});
          });
        }
      });
      best = std::max(best, 3.0 * sizeof(float) * static_cast<double>(count * rounds) / ns);
    }
    out->bandwidth.emplace_back(static_cast<double>(bytes), best);
  }
  // A larger working set is never faster; noise may say so.
  for (size_t i = out->bandwidth.size() - 1; i-- > 0;)
    out->bandwidth[i].second = std::max(out->bandwidth[i].second, out->bandwidth[i + 1].second);
  return {};
}

}  // namespace

Status calibrate(inspector::MachinePeaks* out) {
  *out = {};
  out->host = inspector::host_name();
  out->cpu = etdump::host_text().cpu;
  out->threads = parallel_threads();
  if (Status s = measure_float(out); !s.ok()) return s;
  if (Status s = measure_int8(out); !s.ok()) return s;
  return measure_bandwidth(out);
}

}  // namespace et::cli
