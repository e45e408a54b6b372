// Which graph breaks would be gone if some of the kernels in them were.
#pragma once

#include <cstdint>
#include <set>

#include "inspector/analysis/delegation/delegation_map.h"

namespace et::inspector {

struct ClosedBreaks {
  int64_t count = 0;
  double moves_ns = 0;    ///< of copies and transposes that would be gone with them
  bool in_break = false;  ///< any of the kernels lies in a break
};

/// `items`: of the map, that would be gone. A break that holds nothing else but what moves data goes with them.
inline ClosedBreaks closed_breaks(const DelegationMap& map, const std::set<size_t>& items) {
  ClosedBreaks out;
  for (const MapBreak& b : map.breaks) {
    double here = 0;
    bool only = true, any = false;
    for (size_t i = b.first; i <= b.last; ++i) {
      if (items.contains(i)) {
        any = true;
        continue;
      }
      only = only && map.items[i].moves;
      here += map.items[i].ns;
    }
    out.in_break = out.in_break || any;
    if (!any || !only) continue;
    ++out.count;
    out.moves_ns += here + b.layout_ns;
  }
  return out;
}

}  // namespace et::inspector
