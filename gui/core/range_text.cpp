#include "gui/core/range_text.h"

#include <algorithm>
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

Touched touched_by(const TraceData& data, const inspector::TimeRange& range) {
  Touched out;
  for (const Run& run : data.runs) {
    const inspector::OpBlock& block = data.table.blocks[static_cast<size_t>(run.block)];
    if (block.kind != "execute" || run.start >= range.end || end_of(run) <= range.begin) continue;
    if (out.first == nullptr) out.first = &run;
    out.last = &run;
    ++out.count;
    const std::string name = block.method.value_or("");
    auto at = std::find_if(out.methods.begin(), out.methods.end(), [&](const auto& m) { return m.name == name; });
    if (at == out.methods.end()) at = out.methods.insert(at, {name, run.execution, run.execution});
    at->first = std::min(at->first, run.execution);
    at->last = std::max(at->last, run.execution);
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
