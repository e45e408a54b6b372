// Recorded tensors (.npz, a single .npy): every value is read, compared with itself and spread over bins.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/npy.h"
#include "inspector/analysis/gap/distribution.h"
#include "inspector/analysis/gap/tensor_files.h"
#include "tests/fuzz/aligned_input.h"

namespace {

using namespace et;

uint64_t g_sum = 0;  // keeps the reads

void read_values(const inspector::GapSide& side) {
  for (size_t i = 0; i < side.values.size(); ++i) {
    std::span<const uint8_t> bytes;
    if (!side.read(i, &bytes).ok()) continue;
    for (const uint8_t b : bytes) g_sum += b;
    ScalarType type{};
    inspector::GapFigures figures;
    if (!scalar_type_of(side.values[i].dtype, &type)) std::abort();
    if (!inspector::measure_gap(type, bytes, type, bytes, &figures)) continue;
    if (!figures.exact()) std::abort();  // each tensor is itself, NaN included
    inspector::GapRow row;
    row.value = row.reference = i;
    inspector::Distributions spread;
    if (!inspector::distributions_of(side, side, row, 16, &spread).ok()) std::abort();
    uint64_t counted = 0;
    for (const uint64_t n : spread.got.bins) counted += n;
    if (counted != spread.got.finite) std::abort();
  }
}

/// The reader takes paths.
void read_archive(const uint8_t* data, size_t size) {
  const int file = ::memfd_create("input.npz", 0);
  if (file < 0) std::abort();
  if (size > 0 && ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  inspector::GapSide side;
  if (inspector::open_tensor_files("/proc/self/fd/" + std::to_string(file), {}, &side).ok()) read_values(side);
  ::close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  read_archive(data, size);
  const fuzz::AlignedInput input(data, size);
  NpyArray array;
  if (!parse_npy(input.bytes(), "input", std::nullopt, &array).ok()) return 0;
  std::vector<uint8_t> moved;
  const std::span<const uint8_t> rows = row_major(array, &moved);
  if (rows.size() != array.data.size()) std::abort();
  for (const uint8_t b : rows) g_sum += b;
  return 0;
}
