#include "gui/core/range_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr size_t kMostMethods = 3;

/// Executions of one method that the range touches.
struct TouchedMethod {
  std::string name;
  int32_t first = 0, last = 0;
};

struct Touched {
  std::vector<TouchedMethod> methods;
  const Run* first = nullptr;
  const Run* last = nullptr;
  int64_t count = 0;
};

int64_t end_of(const Run& run) { return run.start + run.duration; }

// Once a frame, of a hundred thousand executions: nothing is allocated for one.
Touched touched_by(const TraceData& data, const inspector::TimeRange& range) {
  Touched out;
  const auto& blocks = data.table.blocks;
  std::vector<size_t> method_of(blocks.size(), SIZE_MAX);  // by block
  for (const Run& run : data.runs) {
    if (run.start >= range.end || end_of(run) <= range.begin) continue;
    const auto b = static_cast<size_t>(run.block);
    if (blocks[b].kind != "execute") continue;
    if (out.first == nullptr) out.first = &run;
    out.last = &run;
    ++out.count;
    if (method_of[b] == SIZE_MAX) {
      const std::string name = blocks[b].method.value_or("");
      const auto at =
          std::find_if(out.methods.begin(), out.methods.end(), [&](const auto& m) { return m.name == name; });
      method_of[b] = static_cast<size_t>(at - out.methods.begin());
      if (at == out.methods.end()) out.methods.push_back({name, run.execution, run.execution});
    }
    TouchedMethod& method = out.methods[method_of[b]];
    method.first = std::min(method.first, run.execution);
    method.last = std::max(method.last, run.execution);
  }
  return out;
}

std::string numbers(const TouchedMethod& m) {
  const std::string first = "#" + std::to_string(m.first);
  return (m.first == m.last ? first : first + " to #" + std::to_string(m.last)) +
         (m.name.empty() ? "" : " of " + m.name);
}

}  // namespace

std::string range_text(const TraceData& data, const inspector::TimeRange& range) {
  if (data.range == range && !data.shown.basis.span.empty()) return data.shown.basis.span;  // it was named before
  const Touched touched = touched_by(data, range);
  const auto between = [&](int64_t origin) {
    const auto time = [&](int64_t ticks) {
      return inspector::format_duration_with_unit(static_cast<double>(ticks - origin), data.unit());
    };
    return time(range.begin) + " to " + time(range.end);
  };
  if (touched.first == nullptr) return between(data.runs.empty() ? 0 : data.runs.front().start) + " of the trace";
  const bool cuts_first = range.begin > touched.first->start, cuts_last = range.end < end_of(*touched.last);
  if (touched.count == 1) {
    const std::string name = "execution " + numbers(touched.methods.front());
    return cuts_first || cuts_last ? between(touched.first->start) + " of " + name : name;
  }
  std::string out = "executions ";
  for (size_t m = 0; m < std::min(touched.methods.size(), kMostMethods); ++m) {
    out += (m > 0 ? ", " : "") + numbers(touched.methods[m]);
  }
  if (touched.methods.size() > kMostMethods) {
    out = inspector::format_count(touched.count) + " executions of " + std::to_string(touched.methods.size()) +
          " methods";
  }
  if (!cuts_first && !cuts_last) return out;
  return out + (cuts_first && cuts_last ? ", the first and the last in part"
                : cuts_first            ? ", the first in part"
                                        : ", the last in part");
}

}  // namespace et::gui
