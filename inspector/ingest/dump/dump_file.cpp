#include "inspector/ingest/dump/dump_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "inspector/ingest/dump/serial_log.h"
#include "inspector/store/file_kind.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

struct TimeScale {
  const char* name;
  uint64_t ns_per_tick;
};
constexpr TimeScale kScales[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"cycles", 1}};

std::string lines_text(size_t first, size_t last) {
  return first == last ? "line " + std::to_string(first)
                       : "lines " + std::to_string(first) + "–" + std::to_string(last);
}

bool has_dump_id(std::span<const uint8_t> bytes) {
  const auto is_id = [&](size_t at) { return bytes.size() > at + 1 && bytes[at] == 'E' && bytes[at + 1] == 'D'; };
  return is_id(4) || is_id(8);
}

/// What a person should know of an ETDump that was read out of a log.
void report_log(ImportContext& context, const DumpFile& dump, const LogFile& file, size_t index, size_t count) {
  const std::string place = dump.path + ": " + lines_text(file.first_line, file.last_line);
  std::string text = place + ": an ETDump in base64";
  if (count > 1) {
    text += ", " + std::to_string(index + 1) + " of " + std::to_string(count) + " in this log (--dump-index " +
            std::to_string(index) + ")";
  }
  if (log_counts_cycles(dump.file.bytes()) && context.inputs.source_time_scale == "ns") {
    text += "; the log's own command counts times in cycles: --source-time-scale cycles";
  }
  context.diagnostics.add("dump-in-log", text);
  if (file.complete()) return;
  text = place + ": " + std::to_string(file.bytes.size()) + " of " + std::to_string(file.expected) +
         " bytes of the ETDump are in the log";
  if (file.broken_line != 0) text += "; other text stands in its base64 in line " + std::to_string(file.broken_line);
  context.diagnostics.add("log-incomplete", text);
}

/// The ETDump that a text has in base64. Leaves `out` alone when it has none.
Status find_in_log(ImportContext& context, DumpFile* out) {
  std::vector<LogFile> files = files_of_log(out->file.bytes());
  std::erase_if(files, [](const LogFile& f) { return !f.is_dump; });
  if (files.empty()) return {};
  const auto count = static_cast<int64_t>(files.size());
  const int64_t index = context.inputs.dump_index < 0 ? count - 1 : context.inputs.dump_index;
  if (index >= count) {
    return {Error::InvalidArgument, "--dump-index: expected at most " + std::to_string(count - 1) + ", " + out->path +
                                        " has " + plural(count, "ETDump") + "; got " + std::to_string(index)};
  }
  LogFile& file = files[static_cast<size_t>(index)];
  report_log(context, *out, file, static_cast<size_t>(index), files.size());
  out->decoded = std::move(file.bytes);
  out->log_lines[0] = file.first_line;
  out->log_lines[1] = file.last_line;
  return {};
}

}  // namespace

Status open_dump(ImportContext& context, DumpFile* out) {
  const IngestInputs& in = context.inputs;
  const auto scale = std::find_if(std::begin(kScales), std::end(kScales),
                                  [&](const TimeScale& s) { return in.source_time_scale == s.name; });
  if (scale == std::end(kScales)) {
    return {Error::InvalidArgument,
            "unknown time scale '" + in.source_time_scale + "', expected ns, us, ms, s or cycles"};
  }
  out->ns_per_tick = scale->ns_per_tick;
  if (in.dump.empty()) return {};
  out->path = in.dump;
  const Status status = MappedFile::open(in.dump, &out->file);
  if (!status.ok()) return of_bad_file(status);
  if (!has_dump_id(out->file.bytes())) {
    if (const Status found = find_in_log(context, out); !found.ok()) return found;
    if (out->decoded.empty() && file_kind(in.dump) == FileKind::Text) {
      return {Error::InvalidExternalData, in.dump + ": expected an ETDump, got text without one in base64"};
    }
  }
  if (out->decoded.empty() && in.dump_index > 0) {
    return {Error::InvalidArgument, "--dump-index: expected at most 0, " + in.dump + " is a single ETDump; got " +
                                        std::to_string(in.dump_index)};
  }
  const std::string place =
      out->decoded.empty() ? in.dump : in.dump + ": " + lines_text(out->log_lines[0], out->log_lines[1]);
  if (const auto e = etdump::Reader::open(out->bytes(), &out->reader); !e.ok())
    return of_bad_file(Status::of_file(place, e));
  return {};
}

Status open_debug_buffer(const IngestInputs& in, DumpFile* out) {
  if (in.debug_buffer.empty()) return {};
  if (in.dump.empty()) {
    return {Error::InvalidArgument,
            in.debug_buffer + ": a debug buffer cannot be read without its ETDump; pass the ETDump too"};
  }
  const Status status = MappedFile::open(in.debug_buffer, &out->buffer);
  if (!status.ok()) return of_bad_file(status);
  out->has_buffer = true;
  // Upstream's Arm runner prints it in front of its ETDump.
  const bool same_log = in.debug_buffer == in.dump && !out->decoded.empty();
  if (!same_log && file_kind(in.debug_buffer) != FileKind::Text) return {};
  for (LogFile& file : files_of_log(out->buffer.bytes())) {
    if (file.is_dump || file.name.find("debug") == std::string::npos) continue;
    if (same_log && !out->decoded_buffer.empty() && file.first_line > out->log_lines[0]) break;
    out->decoded_buffer = std::move(file.bytes);
  }
  if (same_log && out->decoded_buffer.empty()) {
    return {Error::InvalidExternalData, in.debug_buffer + ": the log has no debug_buffer.bin in base64"};
  }
  return {};
}

std::optional<etdump::TrailerRun> DumpFile::trailer_run(size_t run) const {
  const etdump::Trailer* trailer = reader.trailer();
  if (trailer == nullptr || run >= trailer->run_count()) return std::nullopt;
  return trailer->run(run);
}

std::vector<std::string> DumpFile::trailer_methods() const {
  std::vector<std::string> names;
  const etdump::Trailer* trailer = reader.trailer();
  for (size_t i = 0; trailer != nullptr && i < trailer->run_count(); ++i) {
    const std::string name(trailer->run(i).method);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string DumpFile::place(size_t run, uint32_t event) const {
  return path + ": run " + std::to_string(run) + ", event " + std::to_string(event);
}

}  // namespace et::inspector
