// MPS payloads.
#include "tests/fuzz/aligned_input.h"
#include "tests/runtime/format/walk_all.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  et::format::testing::Walker walker;
  et::format::MpsPayload payload;
  if (et::format::MpsPayload::open(input.bytes(), &payload).ok()) walker.mps(payload);
  return 0;
}
