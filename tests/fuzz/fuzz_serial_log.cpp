// Any text as a serial log: files come out of it within its lines, and no more bytes than its base64 has.
#include <algorithm>
#include <cstdlib>

#include "inspector/ingest/dump/serial_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto lines = static_cast<size_t>(std::count(data, data + size, '\n')) + 1;
  size_t bytes = 0, last = 0;
  for (const et::inspector::LogFile& file : et::inspector::files_of_log({data, size})) {
    if (file.first_line <= last || file.last_line < file.first_line || file.last_line > lines) std::abort();
    last = file.first_line;
    bytes += file.bytes.size();
  }
  if (bytes > size) std::abort();
  return 0;
}
