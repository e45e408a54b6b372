// The SQL panel's data: what is run and what came of it, in which order the rows are shown, where a row leads, what
// was run before, and what can be typed next. No drawing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "inspector/analysis/sql_result.h"
#include "inspector/store/schema_doc.h"

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

/// What a column has, as far as its first rows tell: what decides how wide it is and where its texts are cut.
enum class SqlContent : uint8_t {
  Mixed,
  Nothing,  ///< NULL alone
  Paths,    ///< of files: their ends tell them apart
};
SqlContent sql_content(const inspector::SqlResult& result, const std::vector<uint32_t>& order, size_t column);

/// What is drawn as a chart: numbers of two columns; texts of x become positions with labels.
struct SqlChart {
  std::vector<double> x, y;
  std::vector<std::string> labels;  ///< of x where it is a text, else empty
  std::vector<uint32_t> rows;       ///< of the labels
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
  /// Never null. The last result, also while the next one is computed.
  const inspector::SqlResult& result() const { return *result_; }
  /// Grows with every result.
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
  SqlChart chart(int x, int y, size_t most) const;
  /// Columns that make a chart without being asked: the first text and the first number behind it; -1 without.
  std::pair<int, int> usual_chart() const;

  inspector::SqlLimits limits;

  // Queries that were run, oldest first; those of the user's.
  const std::vector<std::string>& history() const { return history_; }
  /// The one before or after what is in the editor ("" = the newest end).
  std::string history_step(int direction, const std::string& in_editor);
  void restore_history(const std::string& sql) { remember(sql); }
  std::vector<NamedQuery>& saved() { return saved_; }
  const std::vector<NamedQuery>& saved() const { return saved_; }
  void save(const std::string& name, const std::string& sql);

 private:
  void tell_apart(int x, int y, SqlChart* chart) const;
  void remember(const std::string& sql);
  void arrange(Jobs& jobs);

  State state_ = State::Nothing;
  std::shared_ptr<const inspector::SqlResult> result_ = std::make_shared<inspector::SqlResult>();
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
  JobHandle job_, sort_job_;
};

/// Keys and lines are names, not amounts: no separators.
bool is_sql_key(const std::string& column);
/// A number by the name of its column: a time of nanoseconds with its unit, a share in percent; "" as it is. `unit` of
/// the trace, "" to show all numbers as they are.
std::string sql_figure(const std::string& column, double value, const std::string& unit);
/// The heading of a column of such figures: usual_ns holds times of any unit, so it is called usual.
std::string sql_heading(const inspector::SqlColumn& column, const std::string& unit);

/// One line of a settings file and back: newlines and backslashes are escaped.
std::string escaped_line(const std::string& text);
std::string unescaped_line(const std::string& text);

}  // namespace et::gui
