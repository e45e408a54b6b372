// What a method needs beside its arenas, and in all.
#include <algorithm>

#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/text/words.h"

namespace et::inspector {

MemoryTotal memory_total(const MemoryPlan& plan, const std::string& method) {
  MemoryTotal out;
  for (const PlanArena& a : plan.arenas) out.planned += a.method == method ? a.bytes : 0;
  for (const PlanMethod& m : plan.methods) {
    if (m.name != method) continue;
    out.constants += m.constant_bytes + m.external_bytes;
    out.caller += m.unplanned_bytes;
  }
  for (const PlanDelegate& d : plan.delegates) {
    if (d.method != method) continue;
    out.delegates += d.payload_bytes.value_or(0);
    if (std::find(out.unknown.begin(), out.unknown.end(), d.backend) == out.unknown.end())
      out.unknown.push_back(d.backend);
  }
  // Which of it a method uses is not known: delegates ask for it by name.
  for (const PlanSegment& s : plan.segments) {
    if (!out.unknown.empty() && s.content.starts_with("named data")) out.delegates += s.bytes;
  }
  for (const RuntimeArena& r : plan.runtime) {
    const bool planned = r.name.starts_with("planned");
    if (!planned && (r.method.empty() || r.method == method)) out.runtime += r.high_water;
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
  if (!total.unknown.empty())
    out += "; beside that the workspace of " + joined(total.unknown, ", ") + ", which is in no file: unknown";
  return out;
}

}  // namespace et::inspector
