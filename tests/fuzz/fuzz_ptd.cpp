// External tensor files.
#include "tests/fuzz/aligned_input.h"
#include "tests/runtime/format/walk_all.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const et::fuzz::AlignedInput input(data, size);
  et::format::testing::Walker walker;
  et::format::TensorFile file;
  if (et::format::TensorFile::open(input.bytes(), &file).ok()) walker.tensor_file(file);
  return 0;
}
