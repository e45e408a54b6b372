// `et-inspect delegation`: the map of delegation as text and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "inspector/analysis/ops/basis.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct DelegationOptions {
  std::string method;               ///< only this one; "" = all
  std::string format = "table";     ///< table, json, csv, tsv or markdown
  std::string units = "auto";       ///< as for the per-op table
  std::optional<Basis> basis = {};  ///< default: the warm median for people, the sum for programs
  bool all = false;                 ///< not only the 20 costliest outside, and those too that leave no instruction
  bool color = false;
  int width = 0;  ///< of the terminal; 0: not a terminal, 120 are used
};

/// Appends, for each method: what is delegated and what that leaves, the strip of instructions with their delegates,
/// the breaks between delegates with their cost, and the operators outside with what speaks for or against them. table
/// and markdown: these four parts; csv and tsv: one row an instruction or node outside; json: one object. Errors:
/// InvalidArgument (unknown format or unit, no such method), NotFound (no such trace), as load_graph.
Status write_delegation(const Store& store, int64_t trace_id, const DelegationOptions& options, std::string* out);

}  // namespace et::inspector
