// An ETDump as the stages of its import see it: the reader, the debug buffer, the unit of its ticks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "inspector/ingest/import_context.h"

namespace et::inspector {

struct DumpFile {
  std::string path;  // "" without an ETDump: there are no runs then
  MappedFile file, buffer;
  std::vector<uint8_t> decoded, decoded_buffer;  // out of a serial log; then `file` and `buffer` are the log
  size_t log_lines[2] = {0, 0};                  // where in the log the ETDump stands, first and last
  etdump::Reader reader;
  bool has_buffer = false;
  uint64_t ns_per_tick = 1;  // 1 for cycles, too: they stay what they are

  std::span<const uint8_t> bytes() const { return decoded.empty() ? file.bytes() : decoded; }
  std::span<const uint8_t> buffer_bytes() const { return decoded_buffer.empty() ? buffer.bytes() : decoded_buffer; }
  /// What the trailer says of a run; nothing without a trailer, or when it ends before that run.
  std::optional<etdump::TrailerRun> trailer_run(size_t run) const;
  /// Names of methods that the trailer names, in order of appearance.
  std::vector<std::string> trailer_methods() const;
  /// "etdump.etdp: run 3, event 14"
  std::string place(size_t run, uint32_t event) const;
};

/// Errors: an unknown time scale; the ETDump cannot be opened, or is none at all.
Status open_dump(ImportContext& context, DumpFile* out);
/// After open_dump(). Errors: there is no ETDump that it could belong to, or it cannot be opened.
Status open_debug_buffer(const IngestInputs& inputs, DumpFile* out);

}  // namespace et::inspector
