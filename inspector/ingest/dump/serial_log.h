// ETDumps in the text of a serial console: a device without files prints them in base64, as upstream's Arm runner does
// (`echo "…" | base64 -d >etdump.bin`). Terminal programs add line prefixes and carriage returns and wrap lines; other
// output stands between. An ETDump is found by its first bytes, other files by the name they are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace et::inspector {

/// A file in a log. Lines count from 1.
struct LogFile {
  std::string name;  // the file that the log's own command writes, "" without one
  bool is_dump = false;
  size_t first_line = 0, last_line = 0;
  std::vector<uint8_t> bytes;
  uint64_t expected = 0;     // of the ETDump, by its size prefix; 0: not known
  size_t broken_line = 0;    // other text breaks off the base64 there; what follows is lost. 0: none
  size_t skipped_lines = 0;  // other output between

  bool complete() const { return broken_line == 0 && bytes.size() >= expected; }
};

/// All files in a log, in order.
std::vector<LogFile> files_of_log(std::span<const uint8_t> log);

/// Does the log's own command read the times as cycles, as upstream's Arm runner says?
bool log_counts_cycles(std::span<const uint8_t> log);

}  // namespace et::inspector
