#include "inspector/ingest/npu/npu_trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/gzip.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "inspector/ingest/import.h"
#include "inspector/ingest/importers.h"

namespace et::inspector {
namespace {

constexpr uint32_t kMaxDepth = 16;
constexpr uint64_t kLargest = uint64_t{4} << 30;  // bytes of JSON
constexpr int64_t kWord = 4;

/// One run of the command stream.
struct Stage {
  int64_t offset = 0;  // of its first command
  int64_t end = 0;     // of the queue, when it has run
  size_t op = 0;
};

/// Operators that are cascaded into the one before them have no time of their own.
std::vector<Stage> stages_of(const VelaEstimates& e) {
  std::vector<Stage> out;
  for (const VelaQueueEntry& q : e.queue) {
    if (!out.empty() && e.operators[q.op].cascaded_into) continue;
    if (!out.empty()) out.back().end = q.offset;
    out.push_back({q.offset, 0, q.op});
  }
  if (!out.empty()) out.back().end = e.queue.back().offset + kWord;
  return out;
}

}  // namespace

Status read_npu_trace(std::string_view json, const std::string& path, std::vector<QueueRead>* out) {
  JsonDocument document;
  if (const Status s = document.parse(json, path, kMaxDepth); !s.ok()) return s;
  const auto found = document.root().find("traceEvents");
  const auto events = found ? found->array() : document.root().array();
  if (!events) return {Error::InvalidExternalData, path + ": expected 'traceEvents' of a PMU trace, got none"};
  for (const JsonValue event : *events) {
    const auto thread = event.find("tid");
    if (!thread || thread->string() != "qread") continue;
    const auto when = event.find("ts"), args = event.find("args");
    const auto words = args ? args->find("qread") : std::nullopt;
    const double cycles = when ? json_double(*when).value_or(-1) : -1;
    const int64_t offset = words ? json_int(*words).value_or(-1) : -1;
    constexpr double kMost = 9e18;
    if (!(cycles >= 0 && cycles < kMost) || offset < 0 || offset > INT32_MAX) {
      return {Error::InvalidExternalData, path + ": traceEvents: event " + std::to_string(out->size()) +
                                              " of 'qread': expected a time 'ts' and a position 'args.qread', got " +
                                              json_minified(event)};
    }
    out->push_back({static_cast<int64_t>(cycles), offset * kWord});
  }
  if (out->empty()) return {Error::InvalidExternalData, path + ": expected events of the thread 'qread', got none"};
  return {};
}

std::vector<DeviceSlice> device_slices(const VelaEstimates& estimates, const std::vector<QueueRead>& reads) {
  std::vector<DeviceSlice> out;
  const std::vector<Stage> stages = stages_of(estimates);
  if (stages.empty() || reads.empty()) return out;
  const int64_t begin = reads.front().cycles;
  int64_t inference = 0, start = begin, last_offset = -1;
  size_t stage = 0;
  for (const QueueRead& read : reads) {
    if (read.offset < last_offset && read.offset <= stages.front().offset) {
      if (stage > 0) ++inference;
      stage = 0;
      start = read.cycles;
    }
    last_offset = read.offset;
    for (; stage < stages.size() && read.offset >= stages[stage].end; ++stage) {
      const int64_t end = std::max(read.cycles, start);
      out.push_back({stages[stage].op, inference, start - begin, end - begin});
      start = end;
    }
  }
  return out;
}

Status load_npu_trace(Import& in) {
  const std::string& path = input_file(in.context.inputs, "npu-trace");
  if (path.empty()) return {};
  MappedFile file;
  if (const Status s = MappedFile::open(path, &file); !s.ok()) return of_bad_file(s);
  std::string_view json(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  std::string inflated;
  if (is_gzip(json)) {
    if (const Status s = gunzip(json, kLargest, &inflated); !s.ok())
      return {Error::InvalidExternalData, path + ": " + s.message()};
    json = inflated;
  }
  std::vector<QueueRead> reads;
  if (const Status s = read_npu_trace(json, path, &reads); !s.ok()) return s;
  const auto it = in.more.find("vela");
  if (it == in.more.end() || std::any_cast<const LoadedVela&>(it->second).estimates.queue.empty()) {
    return {Error::InvalidArgument,
            path + ": expected Vela's debug database beside it (--vela *_debug.xml, of --enable-debug-db), got " +
                (it == in.more.end() ? "none" : "a table without the commands")};
  }
  const auto& vela = std::any_cast<const LoadedVela&>(it->second);
  DelegateFacts& d = *vela.delegate;
  d.slices = device_slices(vela.estimates, reads);
  if (d.slices.empty())
    return {Error::InvalidExternalData, path + ": expected reads of the queue beyond byte " +
                                            std::to_string(vela.estimates.queue.front().offset) + ", got none"};
  std::map<std::pair<size_t, int64_t>, int64_t> sums;
  for (const DeviceSlice& s : d.slices) sums[{s.op, s.inference}] += s.end - s.start;
  std::vector<std::vector<int64_t>> cycles(d.compiled.size());
  for (const auto& [key, sum] : sums) cycles[key.first].push_back(sum);
  for (size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i].empty()) continue;
    const auto middle = cycles[i].begin() + static_cast<std::ptrdiff_t>(cycles[i].size() / 2);
    std::nth_element(cycles[i].begin(), middle, cycles[i].end());
    d.compiled[i].measured_cycles = *middle;
  }
  d.facts.push_back({"work", "inferences traced", d.slices.back().inference + 1, "by the device's counters"});
  return {};
}

}  // namespace et::inspector
