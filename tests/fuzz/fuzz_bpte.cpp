// Bundled programs: every value of every case is read.
#include "bundled_program/bundle.h"
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
  et::bundled::Bundle bundle;
  if (!et::bundled::Bundle::open(input.bytes(), &bundle).ok()) return 0;
  g_sum += bundle.program().size() + bundle.version();
  for (uint32_t s = 0; s < bundle.suite_count(); ++s) {
    const et::bundled::Suite suite = bundle.suite(s);
    g_sum += suite.method().size();
    for (uint32_t c = 0; c < suite.case_count(); ++c) {
      const et::bundled::Case test = suite.test_case(c);
      for (uint32_t i = 0; i < test.input_count(); ++i) read(test.input(i));
      for (uint32_t i = 0; i < test.expected_count(); ++i) read(test.expected(i));
    }
  }
  return 0;
}
