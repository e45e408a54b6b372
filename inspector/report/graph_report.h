// `et-inspect graph`: the lowered graph with its delegated parts, as text, DOT, SVG or JSON.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/status.h"
#include "inspector/analysis/ops/basis.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct GraphOptions {
  std::string format = "text";      ///< text, dot, svg or json
  std::string color_by = "cost";    ///< cost, delegate or none (dot and svg)
  std::string method = {};          ///< "" = every method of the record
  std::string graph = "edge";       ///< which graph of the record, see the column `graph` of the view nodes
  std::optional<Basis> basis = {};  ///< default: the warm median for people, the sum for json
  bool color = false;               ///< text: colour the terminal output
};

/// Errors: InvalidArgument (unknown format, colour, method or graph; the message lists what there is), NotFound (no
/// such trace, or it has no graph because it was imported without a record).
Status write_graph(const Store&, int64_t trace_id, const GraphOptions&, std::ostream&);

}  // namespace et::inspector
