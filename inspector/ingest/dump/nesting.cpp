#include "inspector/ingest/dump/nesting.h"

#include <cstddef>

namespace et::inspector {
namespace {

bool encloses_in_time(const NestingEvent& outer, const NestingEvent& inner) {
  if (outer.start > outer.end || inner.start > inner.end) return true;  // a wrapped clock proves nothing
  return outer.start <= inner.start && inner.end <= outer.end;
}

bool same_instruction(const NestingEvent& a, const NestingEvent& b) {
  return a.instruction == b.instruction && a.chain == b.chain;
}

bool encloses(const NestingEvent& outer, const NestingEvent& inner) {
  switch (outer.level) {
    case NestingLevel::Method:
      // What ran on another clock is placed by order alone.
      return inner.level == NestingLevel::Delegate || encloses_in_time(outer, inner);
    case NestingLevel::Step:
      return inner.level > NestingLevel::Step && same_instruction(outer, inner);
    case NestingLevel::Call:
      return inner.level > NestingLevel::Call && same_instruction(outer, inner);
    case NestingLevel::Inner:
      return inner.level == NestingLevel::Inner && same_instruction(outer, inner) && encloses_in_time(outer, inner);
    case NestingLevel::Delegate:
      return false;
  }
  return false;
}

}  // namespace

std::vector<int32_t> nest(std::span<const NestingEvent> events) {
  std::vector<int32_t> parent(events.size(), -1);
  std::vector<size_t> open;  // ended events that nothing has enclosed yet
  for (size_t i = 0; i < events.size(); ++i) {
    while (!open.empty() && encloses(events[i], events[open.back()])) {
      parent[open.back()] = static_cast<int32_t>(i);
      open.pop_back();
    }
    open.push_back(i);
  }
  return parent;
}

}  // namespace et::inspector
