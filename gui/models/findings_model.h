// What could be faster or smaller, as the window's panel shows it: one advice a row, what would win the most first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/advice/advice.h"

namespace et::gui {

struct FindingsRow {
  inspector::Advice advice;
  std::string win;    ///< "at most 52.0 µs (13 %), if the delegate takes no time"; "" when it is not known
  std::string place;  ///< "model.py:41, encoder.layer.0"; "" without one
  double share = 0;   ///< of an execution, at most won
};

class FindingsModel {
 public:
  /// `data`: the trace that the advice is about.
  void set(std::vector<inspector::Advice> advice, std::shared_ptr<const TraceData> data);
  const std::vector<FindingsRow>& rows() const { return rows_; }
  /// What a click on a row selects: its node, else its op, its line, its module; empty without a place.
  Selection selection_of(const FindingsRow& row) const;
  std::string csv() const { return csv_; }
  std::string markdown() const { return markdown_; }

 private:
  std::vector<FindingsRow> rows_;
  std::shared_ptr<const TraceData> data_;
  std::string csv_, markdown_;
};

}  // namespace et::gui
