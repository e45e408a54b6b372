// What a method needs beside its arenas, and in all.
#include <algorithm>

#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Numbers of a damaged store may be anything.
void add_bytes(int64_t bytes, int64_t* sum) {
  if (bytes > 0 && __builtin_add_overflow(*sum, bytes, sum)) *sum = INT64_MAX;
}

}  // namespace

int64_t MemoryTotal::sum() const {
  int64_t out = 0;
  for (const int64_t part : {planned, constants, delegates, caller, runtime}) add_bytes(part, &out);
  return out;
}

int64_t MemoryTotal::load_peak() const {
  int64_t out = sum();
  add_bytes(twice, &out);
  return out;
}

MemoryTotal memory_total(const MemoryPlan& plan, const std::string& method) {
  MemoryTotal out;
  for (const PlanArena& a : plan.arenas) add_bytes(a.method == method ? a.bytes : 0, &out.planned);
  for (const PlanMethod& m : plan.methods) {
    if (m.name != method) continue;
    add_bytes(m.constant_bytes, &out.constants);
    add_bytes(m.external_bytes, &out.constants);
    add_bytes(m.unplanned_bytes, &out.caller);
  }
  for (const PlanDelegate& d : plan.delegates) {
    if (d.method != method) continue;
    add_bytes(d.payload_bytes.value_or(0), &out.delegates);
    out.twice = std::max(out.twice, d.payload_bytes.value_or(0));
    if (std::find(out.unknown.begin(), out.unknown.end(), d.backend) == out.unknown.end())
      out.unknown.push_back(d.backend);
  }
  // Which of it a method uses is not known: delegates ask for it by name.
  for (const PlanSegment& s : plan.segments) {
    if (out.unknown.empty() || !s.content.starts_with("named data")) continue;
    add_bytes(s.bytes, &out.delegates);
    add_bytes(s.bytes, &out.twice);
  }
  for (const RuntimeArena& r : plan.runtime) {
    const bool planned = r.name.starts_with("planned");
    if (!planned && (r.method.empty() || r.method == method)) add_bytes(r.high_water, &out.runtime);
  }
  return out;
}

std::string memory_total_text(const MemoryTotal& total) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, int64_t bytes) {
    if (bytes > 0) parts.push_back(std::string(what) + " " + format_bytes(bytes));
  };
  add("planned", total.planned);
  add("constants", total.constants);
  add("delegates", total.delegates);
  add("the caller's inputs and outputs", total.caller);
  add("allocators at run time", total.runtime);
  std::string out = "in all " + format_bytes(total.sum()) + (parts.empty() ? "" : ": " + joined(parts, ", "));
  if (total.twice > 0)
    out += "; while it loads at most " + format_bytes(total.load_peak()) +
           ", since a delegate may hold its data twice, as stored and packed";
  if (!total.unknown.empty())
    out += "; beside that the workspace of " + joined(total.unknown, ", ") + ", which is in no file: unknown";
  return out;
}

}  // namespace et::inspector
