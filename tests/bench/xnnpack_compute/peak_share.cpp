// Which part of the processor's peak square matrix products reach, float32 and int8, on one thread: the peak is
// measured beside them, by a loop of nothing but multiply-adds in registers. x86-64 only: elsewhere nothing is printed.
//   et_bench_peak_share [--check]      exit code 1 below 90 % of the peak
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "runtime/threadpool/threadpool.h"

#if defined(__x86_64__)
namespace {

using namespace et::xnn;

constexpr int kSums = 24;  // of a turn: enough to hide the latency of two units
constexpr int64_t kTurns = 20'000;
constexpr double kGoal = 0.9;

double seconds() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Run>
double shortest(const Run& run) {
  double best = 1e300;
  const double end = seconds() + 0.4;
  for (double begin = seconds(); begin < end; begin = seconds()) {
    run();
    best = std::min(best, seconds() - begin);
  }
  return best;
}

// Written out, since a compiler would keep sums in memory. Registers 0 to 11 and 16 to 27 are sums, 15 is the factor.
#define ET_TWELVE(X, R) \
  X(R, 0) X(R, 1) X(R, 2) X(R, 3) X(R, 4) X(R, 5) X(R, 6) X(R, 7) X(R, 8) X(R, 9) X(R, 10) X(R, 11)
#define ET_UPPER(X, R) \
  X(R, 16) X(R, 17) X(R, 18) X(R, 19) X(R, 20) X(R, 21) X(R, 22) X(R, 23) X(R, 24) X(R, 25) X(R, 26) X(R, 27)
#define ET_CLEAR(R, N) "vpxor %%xmm" #N ", %%xmm" #N ", %%xmm" #N "\n"
#define ET_CLEAR_UPPER(R, N) "vpxord %%zmm" #N ", %%zmm" #N ", %%zmm" #N "\n"
#define ET_FMA(R, N) "vfmadd231ps %%" R "15, %%" R "15, %%" R #N "\n"
#define ET_DOT(R, N) "vpdpbusd %%" R "15, %%" R "15, %%" R #N "\n"
#define ET_NAME(R, N) , "xmm" #N

// Of the registers from 16 on nothing else here uses any.
#define ET_LOOP(CLEAR, TURN)                                                                                           \
  __asm__ volatile(CLEAR "vpxor %%xmm15, %%xmm15, %%xmm15\nmov %0, %%rcx\n1:\n" TURN "dec %%rcx\njnz 1b\nvzeroupper\n" \
                   :                                                                                                   \
                   : "r"(kTurns)                                                                                       \
                   : "rcx", "cc", "xmm15" ET_TWELVE(ET_NAME, ))
#define ET_WIDE_LOOP(X) \
  ET_LOOP(ET_TWELVE(ET_CLEAR, ) ET_UPPER(ET_CLEAR_UPPER, ), ET_TWELVE(X, "zmm") ET_UPPER(X, "zmm"))

void multiply_add_512() { ET_WIDE_LOOP(ET_FMA); }
void multiply_add_256() { ET_LOOP(ET_TWELVE(ET_CLEAR, ), ET_TWELVE(ET_FMA, "ymm") ET_TWELVE(ET_FMA, "ymm")); }
void multiply_add_bytes() { ET_WIDE_LOOP(ET_DOT); }

/// Operations a second in billions; a multiplication and an addition are two.
double float_peak() {
  const bool wide = __builtin_cpu_supports("avx512f");
  if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return 0;
  return 2.0 * (wide ? 16 : 8) * kSums * kTurns / shortest(wide ? multiply_add_512 : multiply_add_256) * 1e-9;
}
double byte_peak() {
  if (!__builtin_cpu_supports("avx512vnni")) return 0;
  return 2.0 * 64 * kSums * kTurns / shortest(multiply_add_bytes) * 1e-9;
}

double product_rate(int64_t side, double s) { return 2.0 * static_cast<double>(side * side * side) / s * 1e-9; }

double float_rate(int64_t side) {
  const std::vector<float> a(static_cast<size_t>(side * side), 0.5f);
  std::vector<float> out(a.size());
  const PackedF32 weights({.data = a.data(), .n = side, .k = side});
  return product_rate(side, shortest([&] { linear_f32(weights, side, a.data(), side, out.data(), side); }));
}

double byte_rate(int64_t side) {
  const std::vector<int8_t> a(static_cast<size_t>(side * side), 3);
  std::vector<int8_t> out(a.size());
  const std::vector<float> scales(static_cast<size_t>(side), 0.01f);
  WeightsQs8 w;
  w.data = a.data();
  w.n = w.k = side;
  w.scales = scales.data();
  const PackedQs8 weights(w);
  return product_rate(side, shortest([&] { linear_qs8(weights, side, a.data(), side, out.data(), side); }));
}

/// Both measured in turn, since a processor's clock changes.
bool compare(const char* name, double (*peak)(), double (*rate)(int64_t)) {
  if (peak() <= 0) {
    std::printf("%s: no instruction whose peak this program knows\n", name);
    return true;
  }
  bool met = true;
  for (const int64_t side : {256, 320, 384, 512, 768, 1024}) {
    double share = 0, best_rate = 0, best_peak = 0;
    for (int round = 0; round < 3; ++round) {
      const double p = peak(), r = rate(side);
      if (r / p > share) share = r / p, best_rate = r, best_peak = p;
    }
    std::printf("%-8s %4lld x %-4lld %8.1f of %6.1f G/s  %5.1f %%\n", name, static_cast<long long>(side),
                static_cast<long long>(side), best_rate, best_peak, 100 * share);
    met = met && share >= kGoal;
  }
  return met;
}

}  // namespace

int main(int argc, char** argv) {
  if (!et::threadpool::get_threadpool()->resize(1)) return 2;
  const bool floats = compare("float32", float_peak, float_rate), bytes = compare("int8", byte_peak, byte_rate);
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  return check && !(floats && bytes) ? 1 : 0;
}
#else
int main() { return 0; }
#endif
