// TOSA payloads.
#include "tests/fuzz/aligned_input.h"
#include "tests/runtime/format/walk_all.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  et::format::testing::Walker walker;
  et::format::TosaPayload payload;
  if (et::format::TosaPayload::open(input.bytes(), &payload).ok()) walker.tosa(payload);
  return 0;
}
