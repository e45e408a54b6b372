// How much of memory's bandwidth the products of decoding reach: few rows times weights that no cache holds. Prints
// GB/s of packed weights, and the bandwidth that plain reading of as much memory has, measured in turn.
//   et_bench_skinny [--threads N] [--megabytes N] [--rounds N] [--loops baseline|v3|v4|dot|mmla]
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "runtime/backends/xnnpack/compute/memory.h"
#include "runtime/platform/parallel.h"
#include "runtime/threadpool/threadpool.h"

namespace {

using namespace et::xnn;

constexpr int64_t kN = 2816, kK = 1024;
constexpr int64_t kRows[] = {1, 2, 3, 4, 5, 6, 7, 8};

/// On one thread its CPU time, so that others on the machine count little.
double now(bool wall) {
  timespec time{};
  clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Large pages, as packed weights have them.
struct Memory {
  explicit Memory(size_t bytes) : size(bytes), data(static_cast<uint64_t*>(allocate_zeroed(bytes))) {
    if (data != nullptr) std::memset(data, 1, size);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (data != nullptr) free_zeroed(data, size);
  }
  size_t size;
  uint64_t* data;
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target_clones("avx512f", "avx2", "default"), gnu::optimize("O3")]]
#endif
uint64_t
read_part(const uint64_t* from, size_t count) {
  uint64_t sum[32] = {};
  for (size_t i = 0; i + 32 <= count; i += 32) {
    for (size_t j = 0; j < 32; ++j) sum[j] += from[i + j];
  }
  uint64_t all = 0;
  for (uint64_t s : sum) all += s;
  return all;
}

uint64_t read_all(const Memory& memory) {
  const auto threads = static_cast<size_t>(et::parallel_threads());
  std::vector<uint64_t> sums(threads * 8);
  const size_t part = memory.size / sizeof(uint64_t) / threads;
  et::parallel_for(0, static_cast<int64_t>(threads), 1, [&](int64_t first, int64_t last) {
    for (auto t = static_cast<size_t>(first); t < static_cast<size_t>(last); ++t) {
      sums[t * 8] = read_part(memory.data + t * part, part);
    }
  });
  uint64_t all = 0;
  for (uint64_t sum : sums) all += sum;
  return all;
}

struct Product {
  std::string name;
  std::vector<std::unique_ptr<PackedF32>> f32;
  std::vector<std::unique_ptr<PackedQd8>> low;
  double bytes = 0;
  void run(int64_t m, const std::vector<float>& a, std::vector<float>& out) const {
    for (const auto& w : f32) linear_f32(*w, m, a.data(), kK, out.data(), kN, {});
    for (const auto& w : low) linear_qd8_f32(*w, m, a.data(), kK, out.data(), kN, {});
  }
};

Product make(const char* name, int kind, double megabytes) {
  Product made{name, {}, {}, 0};
  std::vector<float> w(kN * kK, 0.25f), scales(kN, 0.01f);
  std::vector<int8_t> bytes(kN * kK, 3);
  std::vector<uint16_t> block_scales(kN * kK / 32, 0x3c00);
  while (made.bytes < megabytes * 1e6) {
    if (kind < 0) {
      made.f32.push_back(std::make_unique<PackedF32>(PackedF32({w.data(), FloatType::F32, false, 1, kN, kK, nullptr})));
      made.bytes += static_cast<double>(kN * kK * 4);
      continue;
    }
    WeightsQd8 low;
    low.kind = static_cast<LowWeights>(kind);
    low.data = bytes.data();
    low.n = kN, low.k = kK;
    low.scales = scales.data(), low.block_scales = block_scales.data(), low.block = 32;
    made.low.push_back(std::make_unique<PackedQd8>(low));
    made.bytes += static_cast<double>(made.low.back()->bytes());
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  size_t threads = 1;
  double megabytes = 512;
  int rounds = 5;
  static std::vector<LoopTables> tables;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--threads") == 0)
      threads = std::strtoul(argv[i + 1], nullptr, 10);
    else if (std::strcmp(argv[i], "--megabytes") == 0)
      megabytes = std::strtod(argv[i + 1], nullptr);
    else if (std::strcmp(argv[i], "--rounds") == 0)
      rounds = std::atoi(argv[i + 1]);
    else if (std::strcmp(argv[i], "--loops") == 0)
      for (const LoopTables& found : loop_tables()) {
        if (std::string(found.name) == argv[i + 1]) tables = {found};
      }
    else
      return 2;
  }
  if (!et::threadpool::get_threadpool()->resize(threads)) return 2;
  if (!tables.empty()) select_loops(tables.data());
  const bool wall = threads > 1;
  const Memory memory(static_cast<size_t>(megabytes * 1e6));
  if (memory.data == nullptr) return 1;
  const std::vector<float> a(8 * kK, 0.5f);
  std::vector<float> out(8 * kN);
  uint64_t kept = 0;
  const struct {
    const char* name;
    int kind;
  } kKinds[] = {{"f32", -1},
                {"qd8-qc8", static_cast<int>(LowWeights::Int8)},
                {"qd8-qc4", static_cast<int>(LowWeights::Int4)},
                {"qd8-qb4w", static_cast<int>(LowWeights::Block4)}};
  for (const auto& kind : kKinds) {
    const Product product = make(kind.name, kind.kind, megabytes);
    double plain = 1e9, best[std::size(kRows)];
    std::fill(std::begin(best), std::end(best), 1e9);
    for (int round = 0; round < rounds; ++round) {
      double start = now(wall);
      kept += read_all(memory);
      plain = std::min(plain, now(wall) - start);
      for (size_t m = 0; m < std::size(kRows); ++m) {
        start = now(wall);
        product.run(kRows[m], a, out);
        best[m] = std::min(best[m], now(wall) - start);
      }
    }
    const double bandwidth = static_cast<double>(memory.size) * 1e-9 / plain;
    std::printf("%-9s reading %5.1f GB/s; rows:", kind.name, bandwidth);
    for (size_t m = 0; m < std::size(kRows); ++m) {
      const double reached = product.bytes * 1e-9 / best[m];
      std::printf("  %lld: %.1f (%.0f %%)", static_cast<long long>(kRows[m]), reached, 100 * reached / bandwidth);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return kept == 0;
}
