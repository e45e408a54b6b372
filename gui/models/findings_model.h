// What could be faster or smaller, as the window's panel shows it: one advice a row, what would win the most first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/findings/finding.h"

namespace et::gui {

/// A line of the model that ops of a finding come from.
struct FindingsLine {
  std::string file, text;  ///< text: "model.py:41"
  int64_t line = 0;
  double ns = 0;  ///< of those ops
  int64_t ops = 0;
};

struct FindingsRow {
  inspector::Advice advice;  ///< its texts as the window says them
  std::string win;   ///< "at most 52.0 µs of 395 µs (13%), if the delegate takes no time"; "" when it is not known
  std::string most;  ///< "at most 52.0 µs (13%)", "at most 4.0 MiB"; "" when it is not known
  std::string roofline;             ///< what the Roofline panel says of the same ops, where it is another bound
  std::string place;                ///< "model.py:41, encoder.layer.0"; "" without one
  std::string line;                 ///< "model.py:41"; "" without one
  std::vector<FindingsLine> lines;  ///< all, the costliest first; empty when the one above is the only one
  double share = 0;                 ///< of an execution, won at the bound that is named first
  double least_share = 0;           ///< at the other one, where there are two
  std::vector<std::pair<std::string, std::string>> facts;  ///< what was measured: "nodes", "4"
  std::string panel;                                       ///< where all of it is to be seen: "delegation"
};

/// The panel where all that a rule speaks of is to be seen together: "delegation"; "" for an unknown rule.
const char* panel_of_rule(std::string_view id);

class FindingsModel {
 public:
  /// `data`: the trace that the advice is about.
  void set(std::vector<inspector::Advice> advice, std::shared_ptr<const TraceData> data,
           inspector::AdviceNotes notes = {});
  /// What no row takes for time of an op, "" for nothing.
  const std::string& left_out() const { return left_out_; }
  /// Costly types of operators that no row is about, and why.
  const std::vector<inspector::Consumer>& silent() const { return silent_; }
  /// What rules need and the trace does not have (inspector::advice_needs).
  uint32_t missing() const { return missing_; }
  /// Rules that looked and found nothing, and those that could not look.
  const std::vector<const inspector::AdviceRule*>& silent_rules() const { return silent_rules_; }
  const std::vector<inspector::UnseenRules>& not_looked() const { return not_looked_; }
  /// What is to be known of the trace before its times are believed; a run leads to it.
  const std::vector<inspector::Finding>& measurement() const { return measurement_; }
  void set_measurement(const std::vector<inspector::Finding>& all);
  std::string text_of(const inspector::Consumer& consumer) const;
  const std::vector<FindingsRow>& rows() const { return rows_; }
  size_t chosen = 0;  ///< the row whose details are seen
  /// Rows that have all words of a text: in title, sentence, advice, rule, places; "" for all of them.
  void search(const std::string& text);
  const std::string& query() const { return query_; }
  bool is_found(size_t row) const { return found_.empty() || found_[row]; }
  int64_t found() const { return std::count(found_.begin(), found_.end(), true); }
  /// Of a row's items those that have the words, with those of the row's title and rule; all of them where none has, as
  /// then the words are of the finding itself.
  std::vector<size_t> items_found(const FindingsRow& row) const;

  static WantedFinding name_of(const inspector::Advice& advice) { return {advice.id, advice.method, advice.title}; }
  /// Index of the row of a finding, also when it was read on another basis; 0 when it is gone.
  size_t find(const WantedFinding& wanted) const;
  /// What a click on a row selects: the node of each of its places, else its op, its line, its module; empty without.
  Selection selection_of(const FindingsRow& row) const;
  Selection selection_of(const inspector::AdvicePlace& place, const std::string& method) const;
  std::string csv() const { return csv_; }
  std::string markdown() const { return markdown_; }

 private:
  std::vector<FindingsRow> rows_;
  std::string query_;
  std::vector<bool> found_;  // by row; empty without a search
  std::shared_ptr<const TraceData> data_;
  std::string csv_, markdown_, left_out_;
  std::vector<inspector::Consumer> silent_;
  uint32_t missing_ = 0;
  std::vector<const inspector::AdviceRule*> silent_rules_;
  std::vector<inspector::UnseenRules> not_looked_;
  std::vector<inspector::Finding> measurement_;
};

}  // namespace et::gui
