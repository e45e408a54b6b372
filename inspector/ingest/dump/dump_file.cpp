#include "inspector/ingest/dump/dump_file.h"

#include <algorithm>
#include <iterator>

namespace et::inspector {
namespace {

struct TimeScale {
  const char* name;
  uint64_t ns_per_tick;
};
constexpr TimeScale kScales[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"cycles", 1}};

}  // namespace

Status open_dump(const IngestInputs& in, DumpFile* out) {
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
  if (const auto e = etdump::Reader::open(out->file.bytes(), &out->reader); !e.ok())
    return of_bad_file(Status::of_file(in.dump, e));
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
