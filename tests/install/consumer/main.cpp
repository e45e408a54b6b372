// Opens a trace through the installed libraries and says how much is in it; the store's link needs SQLite, libzip and
// simdjson to come along.
#include <cstdio>

#include "etdump/reader.h"
#include "inspector/store/store.h"
#include "runtime/format/mapped_file.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  et::format::MappedFile file;
  if (!et::format::MappedFile::open(argv[1], &file).ok()) return 3;
  et::etdump::Reader reader;
  if (!et::etdump::Reader::open(file.bytes(), &reader).ok()) return 3;
  et::inspector::Store store;
  if (!et::inspector::Store::open("", et::inspector::Store::Mode::Memory, &store).ok()) return 1;
  std::printf("%zu runs\n", reader.run_count());
  return 0;
}
