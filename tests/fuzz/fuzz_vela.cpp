// Vela payloads and the text of the demonstration backends, told apart as in a program.
#include "tests/fuzz/aligned_input.h"
#include "tests/runtime/format/walk_all.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  et::format::testing::Walker walker;
  et::format::VelaPayload payload;
  if (et::format::VelaPayload::open(input.bytes(), &payload).ok()) walker.vela(payload);
  walker.payload("BackendWithCompilerDemo", input.bytes());
  walker.payload("BackendWithDelegateMappingDemo", input.bytes());
  return 0;
}
