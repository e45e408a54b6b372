// XNNPACK's profile events ↔ nodes of the payload. The events carry names only; XNNPACK runs the payload's nodes in
// order and fuses some, so an order-preserving matching by a table of kinds finds every node's event.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "inspector/ingest/program_facts.h"
#include "inspector/match/alignment.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {

struct XnnpackMatch {
  struct Step {
    int32_t node = 0;    // index into the payload's nodes
    bool clamp = false;  // the bound of an arithmetic node, which runs as a separate operator
  };
  std::vector<Step> steps;
  Alignment alignment;           // a = steps, b = events
  std::vector<int32_t> host;     // by node: the node whose event includes it (itself when it has one), -1 unknown
  size_t unexplained_nodes = 0;  // nodes without event that are of no kind that XNNPACK fuses
};
XnnpackMatch match_xnnpack(const DelegateFacts& delegate, const std::vector<std::string_view>& events);

}  // namespace et::inspector
