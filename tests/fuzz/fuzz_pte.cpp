// Programs with everything inside them: methods, payloads, programs in programs.
#include "tests/fuzz/aligned_input.h"
#include "tests/runtime/format/walk_all.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  et::format::testing::Walker walker;
  et::format::Program program;
  if (et::format::Program::open(input.bytes(), &program).ok()) walker.program(program);
  return 0;
}
