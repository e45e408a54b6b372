// Any text as Vela's output, as a PMU trace and as gzip: what is read refers to operators that are there, and slices do
// not run backwards.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/gzip.h"
#include "inspector/ingest/npu/npu_trace.h"
#include "inspector/ingest/npu/vela_estimates.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace et::inspector;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string inside;
  constexpr uint64_t kMost = 1 << 20;
  if (et::is_gzip(text) && et::gunzip(text, kMost, &inside).ok()) text = inside;
  // Database and trace in one input, so that they are tried together.
  const size_t cut = text.find("\n---\n");
  VelaEstimates estimates;
  if (!read_vela_estimates(text.substr(0, cut), "input", &estimates).ok()) estimates = {};
  for (const VelaQueueEntry& q : estimates.queue) {
    if (q.op >= estimates.operators.size()) std::abort();
  }
  std::vector<QueueRead> reads;
  const std::string trace(cut == std::string_view::npos ? text : text.substr(cut));
  if (!read_npu_trace(trace, "input", &reads).ok()) return 0;
  for (const DeviceSlice& s : device_slices(estimates, reads)) {
    if (s.op >= estimates.operators.size() || s.end < s.start || s.inference < 0) std::abort();
  }
  return 0;
}
