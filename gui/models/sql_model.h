// The SQL panel's data: what is run and what came of each statement, in which order the rows are shown, where a row
// leads, what was run before, and what can be typed next. No drawing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "gui/models/sql_columns.h"
#include "inspector/analysis/sql_result.h"
#include "inspector/store/schema_doc.h"
#include "inspector/text/line_fields.h"

namespace et::gui {

struct NamedQuery {
  std::string name, sql;
};
/// Queries that come with the program. All of them run on every store.
const std::vector<NamedQuery>& built_in_queries();

/// What can be typed at a place of a query.
struct SqlSuggestion {
  std::string text;
  std::string detail;  ///< kind and, for views and columns, their description
};

/// Whether a word is one of them already, in capitals or not.
bool is_offered_word(const std::vector<SqlSuggestion>& offered, std::string_view word);

/// Suggestions from the schema's documentation.
class SqlCompletion {
 public:
  SqlCompletion();
  /// For the word that ends at byte `cursor` of `sql`; best first. `word` gets what is there of it.
  std::vector<SqlSuggestion> suggest(std::string_view sql, size_t cursor, std::string* word) const;
  const std::vector<inspector::ViewDoc>& views() const { return views_; }

 private:
  const inspector::ViewDoc* view_of(std::string_view sql, std::string_view alias) const;
  std::vector<inspector::ViewDoc> views_;
};

/// What is drawn as a chart: numbers of two columns; texts of x become positions with labels.
struct SqlChart {
  std::vector<double> x, y;
  std::vector<std::string> labels;  ///< of x where it is a text, else empty
  std::vector<uint32_t> rows;       ///< of the points
  bool cut = false;                 ///< more rows than a chart takes
};

class SqlModel {
 public:
  enum class State : uint8_t { Nothing, Running, Done, Stopped };
  static constexpr size_t kMaxChartRows = 20'000, kMaxBars = 500, kMaxHistory = 100;

  /// Runs the SQL on the store that is open; a query that runs still is cancelled. `now`: seconds of any clock.
  void run(Document& document, const std::string& sql, double now);
  void cancel();
  /// Stops a query that has taken longer than the limit without giving a row. True when it did.
  bool check_time(double now);
  /// Another store or trace is open: the result's keys mean nothing there.
  void refresh(const Document& document);

  State state() const { return state_; }
  const std::string& stopped_because() const { return stopped_; }
  double running_for(double now) const { return now - started_; }
  /// The one that is shown of the last results, also while the next ones are computed.
  const inspector::SqlResult& result() const { return *result_; }
  /// Of how many statements the last text was, and which of them is shown: the one that failed, else the last.
  size_t statements() const { return results_.size(); }
  size_t statement() const { return shown_; }
  const inspector::SqlResult& result_of(size_t statement) const { return *results_[statement]; }
  /// Its rows as they came.
  void show_statement(size_t index);
  /// Grows with every result, and with each that is shown.
  uint64_t version() const { return version_; }
  /// The result is of the trace that is open.
  bool current() const { return current_; }

  /// Row numbers in the order that is shown.
  const std::vector<uint32_t>& order() const { return order_; }
  /// Grows whenever order() changes.
  uint64_t order_version() const { return order_version_; }
  /// Sorts by a column in a job, or puts the rows back as they came (-1).
  void sort(Jobs& jobs, int column, bool descending);
  bool sorting() const { return sorting_; }
  /// Leaves the rows whose cells have all words of the text, in any case; "" shows all again. A new result has none.
  void search(Jobs& jobs, const std::string& text);
  const std::string& searched() const { return search_; }

  /// What a row names: an op, a node, a line, a module; None when it names nothing of this trace.
  Selection target(const TraceData& data, size_t row) const;
  bool leads_somewhere() const;
  std::string csv() const { return sql_csv(*result_, order_); }
  /// The rows shown, for a text: times and others with their units, unless `unit` is "".
  std::string markdown(const std::string& unit) const;
  SqlChart chart(int x, int y, size_t most) const;
  /// Columns that make a chart without being asked: the first text and the first number behind it; -1 without.
  std::pair<int, int> usual_chart() const;

  inspector::SqlLimits limits;

  // Queries that were run, oldest first; those of the user's.
  const std::vector<std::string>& history() const { return history_; }
  /// The one before or after what is in the editor ("" = the newest end).
  std::string history_step(int direction, const std::string& in_editor);
  void restore_history(const std::string& sql) { remember(sql); }
  const std::vector<NamedQuery>& saved() const { return saved_; }
  /// Takes the place of one of that name.
  void save(const std::string& name, const std::string& sql);
  bool is_saved(const std::string& name) const;
  void remove_saved(size_t index);
  /// The one that was removed last, and its place; "" when there is none, or a query has its name again.
  const NamedQuery& removed() const { return removed_; }
  size_t removed_from() const { return removed_from_; }
  void undo_remove();

 private:
  void tell_apart(int x, int y, SqlChart* chart) const;
  void remember(const std::string& sql);
  void arrange(Jobs& jobs);
  void take(std::vector<inspector::SqlResult> results);

  State state_ = State::Nothing;
  std::shared_ptr<const inspector::SqlResult> result_ = std::make_shared<inspector::SqlResult>();
  std::vector<std::shared_ptr<const inspector::SqlResult>> results_;  // by statement
  size_t shown_ = 0;
  std::vector<uint32_t> order_;
  uint64_t version_ = 0, order_version_ = 0, document_version_ = 0;
  std::string stopped_;
  double started_ = 0;
  bool sorting_ = false, current_ = true, descending_ = false;
  int sort_column_ = -1;
  std::string search_;
  std::vector<std::string> history_;
  std::string draft_;
  size_t at_ = 0;
  std::vector<NamedQuery> saved_;
  NamedQuery removed_;
  size_t removed_from_ = 0;
  JobHandle job_, sort_job_;
};

/// One line of a settings file, without carriage returns, and back.
std::string escaped_line(std::string text);
using inspector::unescaped_line;

}  // namespace et::gui
