// Where a graph quantises: what is quantised and dequantised while it runs (activations), and constants that are
// dequantised (weights).
#pragma once

#include <string>
#include <vector>

#include "etrecord/record.h"

namespace et::cli {

struct QuantisedRegion {
  bool weights = false;
  const etrecord::Node* quantising = nullptr;       ///< null for weights
  std::vector<const etrecord::Node*> dequantising;  ///< those that read it
  const etrecord::Node* named_by() const { return weights ? dequantising.front() : quantising; }
};

/// Of a program and of the graphs that it lowered to delegates, in the order of their nodes.
std::vector<QuantisedRegion> quantised_regions(const etrecord::Record& record, const etrecord::Program& program);

}  // namespace et::cli
