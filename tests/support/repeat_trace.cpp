// A big trace out of a real one: one of its runs again and again.
#include <algorithm>
#include <stdexcept>

#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "tests/support/trace_chunks.h"

namespace et::test {

namespace {

struct Interval {
  uint64_t start, end;
};

struct Source {
  std::string name;
  std::vector<EventSpec> events;

  bool executes() const {
    return std::any_of(events.begin(), events.end(), [](const EventSpec& e) { return e.name == "Method::execute"; });
  }
  Chunk chunk() const {
    Chunk c(name, events.size());
    for (const EventSpec& e : events) c.event(e);
    c.finish();
    for (size_t i = 0; i < events.size(); ++i) c.set_times(i, events[i].start, events[i].end);
    return c;
  }
};

Source read_source(const etdump::Run& run, const std::string& path) {
  Source source;
  source.name = run.name();
  etdump::Event e;
  for (size_t i = 0; i < run.event_count(); ++i) {
    if (!run.event(i, &e) || e.kind != etdump::EventKind::Profile)
      throw std::runtime_error(path + ": run " + std::to_string(run.index()) + " has events that cannot be repeated");
    EventSpec s{.chain = e.chain_index,
                .instruction = e.instruction_id,
                .delegate_int = e.delegate_id_int,
                .start = e.start,
                .end = e.end};
    if (e.has_name) s.name = e.name;
    if (e.has_delegate_id_str) s.delegate_str = e.delegate_id_str;
    if (e.has_metadata) s.metadata.emplace(e.metadata.begin(), e.metadata.end());
    source.events.push_back(std::move(s));
  }
  return source;
}

// Stretches the run from `origin` on by 0 to 1/16, as a whole, so that what encloses what stays; times of delegates in
// whole microseconds stay whole.
Interval stretched(const EventSpec& e, uint64_t origin, uint64_t part) {
  auto stretch = [&](uint64_t t) { return t + t / 256 * part; };
  const uint64_t start = origin + stretch(e.start - origin);
  uint64_t length = stretch(e.end - e.start);
  if (e.delegate_str && (e.end - e.start) % 1000 == 0) length = length / 1000 * 1000;
  return {start, start + length};
}

}  // namespace

uint64_t make_repeated_trace(const std::string& path, const std::string& dump, uint64_t times, int64_t wanted) {
  MappedFile file;
  etdump::Reader reader;
  if (const Status s = MappedFile::open(dump, &file); !s.ok()) throw std::runtime_error(s.message());
  if (!etdump::Reader::open(file.bytes(), &reader).ok()) throw std::runtime_error(dump + ": not an ETDump");
  RepeatedDump out{.each = Chunk("", 0), .repeats = times};
  Source source;
  uint64_t events = 0;
  bool found = false;
  for (size_t r = 0; r < reader.run_count() && !found; ++r) {
    etdump::Run run;
    if (!reader.run(r, &run)) continue;
    source = read_source(run, dump);
    found = wanted < 0 ? source.executes() : static_cast<uint64_t>(wanted) == r;
    if (found) break;
    out.once.push_back(source.chunk());
    events += source.events.size();
  }
  if (!found) throw std::runtime_error(dump + ": no such run to repeat");

  uint64_t origin = UINT64_MAX;
  uint64_t last = 0;
  for (const EventSpec& e : source.events) {
    if (e.end < e.start) throw std::runtime_error(dump + ": the run to repeat has an event that ends before it starts");
    origin = std::min(origin, e.start);
    last = std::max(last, e.end);
  }
  const uint64_t step = (last - origin) / 8 * 9 + 10'000;
  out.each = source.chunk();
  uint64_t noise = 1;
  out.set_times = [&](uint64_t i, Chunk* c) {
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    for (size_t k = 0; k < source.events.size(); ++k) {
      const Interval t = stretched(source.events[k], origin, (noise >> 33) % 17);
      c->set_times(k, t.start + i * step, t.end + i * step);
    }
  };
  out.write(path);
  return events + times * source.events.size();
}

}  // namespace et::test
