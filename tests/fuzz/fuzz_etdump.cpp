// Any bytes as an ETDump: everything that can be read of it is read, tensors out of the same bytes.
#include <cstdlib>

#include "tests/etdump/visit.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> file(data, size);
  const et::test::Visit v = et::test::visit_all(file, file);
  // One visit of each table slot, no more: a file cannot make the reader work longer than it is large.
  if (v.events + v.lost_events > size / 4 + 1) std::abort();
  return 0;
}
