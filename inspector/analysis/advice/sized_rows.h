// Rows of a roofline whose elements are known: what rules about the time of an element share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "inspector/analysis/advice/advice.h"

namespace et::inspector {

struct SizedRow {
  const RooflineRow* row = nullptr;
  double elements = 0;   ///< of what a call makes
  int64_t last_dim = 0;  ///< elements of its last dimension

  double calls() const { return std::max(row->calls, 1.0); }
  double element_ns() const { return row->ns / calls() / elements; }
  double call_bytes() const { return *row->work.bytes / calls(); }
};

/// Rows that take longer than a call, and whose bytes and elements are known.
std::vector<SizedRow> sized_rows(AdviceContext& c);

/// One function of about the cost of an exponential for each element.
bool has_exponential(std::string_view op);

}  // namespace et::inspector
