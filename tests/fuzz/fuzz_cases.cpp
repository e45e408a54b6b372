// Side-cars of test cases: every value of every case is read.
#include <memory>

#include "bundled_program/cases/sidecar.h"
#include "tests/fuzz/aligned_input.h"

namespace {

uint64_t g_sum = 0;  // keeps the reads

void read(const et::bundled::Value& v) {
  g_sum += static_cast<uint64_t>(v.kind) + static_cast<uint64_t>(v.as_int) + v.as_bool;
  for (int32_t n : v.tensor.sizes) g_sum += static_cast<uint64_t>(n);
  for (uint8_t d : v.tensor.dim_order) g_sum += d;
  for (uint8_t b : v.tensor.data) g_sum += b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  std::unique_ptr<et::bundled::SidecarCases> cases;
  if (!et::bundled::SidecarCases::open(input.bytes(), "input", &cases).ok()) return 0;
  g_sum += cases->program_digest().size();
  constexpr size_t kCases = 100;  // counts of meta.json may be large
  for (size_t s = 0; s < cases->suite_count() && s < kCases; ++s) {
    g_sum += cases->method(s).size() + cases->place(s, 0).size();
    for (size_t c = 0; c < cases->case_count(s) && c < kCases; ++c) {
      et::bundled::LoadedCase test;
      if (!cases->load(s, c, &test).ok()) continue;
      for (const et::bundled::Value& v : test.inputs) read(v);
      for (const et::bundled::Value& v : test.expected) read(v);
    }
  }
  return 0;
}
