// Rows of a roofline whose elements are known: what rules about the time of an element share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "inspector/analysis/advice/advice.h"

namespace et::inspector {

/// Longer than a call, with known bytes: what a clock's step makes of very short ones is no rate.
bool is_measured(const RooflineRow& row);
/// Read and written in one call; only of rows with known bytes.
double bytes_a_call(const RooflineRow& row);

struct SizedRow {
  const RooflineRow* row = nullptr;
  double elements = 0;   ///< of what a call makes
  int64_t last_dim = 0;  ///< elements of its last dimension

  double calls() const { return std::max(row->calls, 1.0); }
  double element_ns() const { return row->ns / calls() / elements; }
  double call_bytes() const { return bytes_a_call(*row); }
};

/// Rows that take longer than a call, and whose bytes and elements are known.
std::vector<SizedRow> sized_rows(AdviceContext& c);

inline const RooflineRow& row_of(const RooflineRow& row) { return row; }
inline const RooflineRow& row_of(const SizedRow& one) { return *one.row; }

/// Of measured rows that fit, the one with the best rate among those that move at least so many bytes a call; nullptr
/// without one.
template <class Rows, class Fits>
const RooflineRow* fastest_of(const Rows& rows, double least_bytes, const Fits& fits) {
  const RooflineRow* best = nullptr;
  for (const auto& each : rows) {
    const RooflineRow& row = row_of(each);
    if (!is_measured(row) || !fits(row) || bytes_a_call(row) < least_bytes) continue;
    if (best == nullptr || *row.gbytes() > *best->gbytes()) best = &row;
  }
  return best;
}

/// One function of about the cost of an exponential for each element.
bool has_exponential(std::string_view op);
bool is_softmax(std::string_view op);

}  // namespace et::inspector
