#include "gui/models/sql_model.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "gui/core/text.h"
#include "inspector/text/table.h"

namespace et::gui {

using inspector::SqlCell;
using inspector::SqlResult;

namespace {

const SqlCell* cell(const SqlResult& result, size_t row, const char* column) {
  const int c = result.column(column);
  return c < 0 ? nullptr : &result.at(row, static_cast<size_t>(c));
}

const std::string* text_at(const SqlResult& result, size_t row, const char* column) {
  const SqlCell* c = cell(result, row, column);
  return c == nullptr ? nullptr : std::get_if<std::string>(c);
}

const int64_t* integer_at(const SqlResult& result, size_t row, const char* column) {
  const SqlCell* c = cell(result, row, column);
  return c == nullptr ? nullptr : std::get_if<int64_t>(c);
}

constexpr const char* kOpIdColumns[] = {"op_id", "parent_op_id"};
constexpr const char* kNodeColumns[] = {"node", "node_name", "name"};
constexpr const char* kModuleColumns[] = {"module_path", "module", "path"};

}  // namespace

void SqlModel::run(Document& document, const std::string& sql, double now) {
  remember(sql);
  sort_job_.reset();
  sorting_ = false;
  state_ = State::Running;
  stopped_.clear();
  started_ = now;
  const int64_t trace = document.data() == nullptr ? 0 : document.data()->trace_id();
  job_ = document.jobs().query<std::vector<SqlResult>>(
      document.store_path(),
      [sql, trace, limits = limits](const inspector::Store& store, const Cancel& cancel, std::vector<SqlResult>* out) {
        *out = inspector::run_statements(store, sql, trace, limits, [&] { return cancel.cancelled(); });
        return Status();
      },
      [this](const Status& status, std::vector<SqlResult> results) {
        if (!status.ok()) {
          results.clear();
          results.emplace_back().error = status.message();
        }
        state_ = State::Done;
        current_ = true;
        take(std::move(results));
      });
  document_version_ = document.trace_version();
}

void SqlModel::take(std::vector<SqlResult> results) {
  results_.clear();
  for (SqlResult& r : results) results_.push_back(std::make_shared<const SqlResult>(std::move(r)));
  // A mistake is the last of them.
  show_statement(results_.empty() ? 0 : results_.size() - 1);
}

void SqlModel::show_statement(size_t index) {
  if (index >= results_.size()) return;
  sort_job_.reset();
  sorting_ = false;
  shown_ = index;
  result_ = results_[index];
  search_.clear();
  sort_column_ = -1;
  order_.resize(result_->rows());
  std::iota(order_.begin(), order_.end(), 0U);
  ++version_;
  ++order_version_;
}

void SqlModel::cancel() {
  if (state_ != State::Running) return;
  job_.reset();
  state_ = State::Stopped;
  stopped_ = "cancelled";
}

bool SqlModel::check_time(double now) {
  // The worker itself ends a result whose rows take long; this is for a query that gives none.
  constexpr double kGrace = 1;
  if (state_ != State::Running || running_for(now) < limits.seconds + kGrace) return false;
  job_.reset();
  state_ = State::Stopped;
  stopped_ = "stopped after " + std::to_string(static_cast<int>(limits.seconds)) + " s without a row";
  return true;
}

void SqlModel::refresh(const Document& document) {
  // Another basis is no other trace: what a query gives does not depend on it.
  if (document_version_ == document.trace_version()) return;
  document_version_ = document.trace_version();
  current_ = false;
  if (state_ == State::Running) cancel();
}

void SqlModel::sort(Jobs& jobs, int column, bool descending) {
  sort_column_ = column < static_cast<int>(result_->columns.size()) ? column : -1;
  descending_ = descending;
  arrange(jobs);
}

void SqlModel::search(Jobs& jobs, const std::string& text) {
  if (lower(text) == search_) return;
  search_ = lower(text);
  arrange(jobs);
}

void SqlModel::arrange(Jobs& jobs) {
  sort_job_.reset();
  sorting_ = false;
  if (sort_column_ < 0 && search_.empty()) {
    order_.resize(result_->rows());
    std::iota(order_.begin(), order_.end(), 0U);
    ++order_version_;
    return;
  }
  sorting_ = true;
  sort_job_ = jobs.submit<std::vector<uint32_t>>(
      [result = result_, column = sort_column_, descending = descending_, search = search_](const Cancel& cancel) {
        std::vector<uint32_t> order;
        for (uint32_t row = 0; row < result->rows(); ++row) {
          if (cancel.cancelled()) return order;
          std::string all;
          for (size_t c = 0; c < result->columns.size() && !search.empty(); ++c)
            all += inspector::cell_text(result->at(row, c)) + "\n";
          if (has_all_words(all, search)) order.push_back(row);
        }
        if (column < 0) return order;
        const auto c = static_cast<size_t>(column);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
          return sql_before(result->at(a, c), result->at(b, c), descending);
        });
        return order;
      },
      [this](std::vector<uint32_t> order) {
        sorting_ = false;
        order_ = std::move(order);
        ++order_version_;
      });
}

std::string SqlModel::markdown(const std::string& unit) const {
  inspector::Table table;
  for (const inspector::SqlColumn& c : result_->columns)
    table.columns.push_back({.title = sql_heading(c, unit), .right = c.number});
  for (const uint32_t row : order_) {
    std::vector<inspector::Cell> cells;
    for (size_t c = 0; c < result_->columns.size(); ++c) {
      const SqlCell& cell = result_->at(row, c);
      const bool none = std::holds_alternative<std::monostate>(cell);
      cells.push_back(none ? inspector::Cell() : sql_cell_text(result_->columns[c].name, cell, unit));
    }
    table.add(std::move(cells));
  }
  std::string out;
  if (!table.columns.empty()) (void)table.write({.format = "markdown"}, &out);
  return out;
}

bool SqlModel::leads_somewhere() const {
  const auto has = [&](const char* name) { return result_->column(name) >= 0; };
  return std::any_of(std::begin(kOpIdColumns), std::end(kOpIdColumns), has) ||
         std::any_of(std::begin(kNodeColumns), std::end(kNodeColumns), has) ||
         std::any_of(std::begin(kModuleColumns), std::end(kModuleColumns), has) || has("file");
}

Selection SqlModel::target(const TraceData& data, size_t row) const {
  if (!current_ || row >= result_->rows()) return {};
  if (const int64_t* trace = integer_at(*result_, row, "trace_id"); trace != nullptr && *trace != data.trace_id()) {
    return {};
  }
  for (const char* column : kOpIdColumns) {
    const int64_t* op = integer_at(*result_, row, column);
    if (op == nullptr) continue;
    if (Selection s = select_op(data, *op); !s.empty()) return s;
  }
  for (const char* column : kNodeColumns) {
    const std::string* name = text_at(*result_, row, column);
    if (name == nullptr) continue;
    if (Selection s = select_node(data, *name); !s.empty()) return s;
  }
  if (const std::string* file = text_at(*result_, row, "file"); file != nullptr) {
    const int64_t* line = integer_at(*result_, row, "line");
    if (Selection s = select_line(data, *file, line == nullptr ? 0 : *line); !s.empty()) return s;
  }
  for (const char* column : kModuleColumns) {
    const std::string* path = text_at(*result_, row, column);
    if (path == nullptr) continue;
    if (Selection s = select_module(data, *path); !s.empty()) return s;
  }
  return {};
}

namespace {

/// How well a column of numbers tells something over the rows: keys and places do not, times and sizes do best.
int charting_worth(const std::string& column) {
  const auto ends = [&](std::initializer_list<std::string_view> tails) {
    return std::any_of(tails.begin(), tails.end(), [&](std::string_view tail) { return column.ends_with(tail); });
  };
  if (is_sql_key(column) || ends({"_line", "_ordinal"})) return 0;
  return column == "bytes" || ends({"_ns", "_us", "_ms", "_s", "_bytes", "_mib", "share", "time"}) ? 2 : 1;
}

}  // namespace

std::pair<int, int> SqlModel::usual_chart() const {
  const auto& columns = result_->columns;
  const auto find = [&](const auto& is) {
    const auto at = std::find_if(columns.begin(), columns.end(), is);
    return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
  };
  const int text = find([](const auto& column) { return !column.number && column.any; });
  const int first = find([](const auto& column) { return column.number; });
  // Without a text the first column of numbers is what another one is drawn over.
  int best = -1, worth = -1;
  for (int i = text >= 0 ? 0 : first + 1; i < static_cast<int>(columns.size()); ++i) {
    const auto& column = columns[static_cast<size_t>(i)];
    if (const int w = column.number ? charting_worth(column.name) : -1; w > worth) best = i, worth = w;
  }
  if (text >= 0) return {text, best};
  return best >= 0 ? std::pair(first, best) : std::pair(-1, first);
}

/// Names that are alike are told apart by what else says which row it is: the line of a file, the module, another text,
/// and a key only where no words do.
void SqlModel::tell_apart(int x, int y, SqlChart* chart) const {
  const auto differing = [](const std::vector<std::string>& labels) {
    return std::set<std::string_view>(labels.begin(), labels.end()).size();
  };
  const auto with = [&](int c) {
    const auto& column = result_->columns[static_cast<size_t>(c)];
    std::vector<std::string> out = chart->labels;
    for (size_t i = 0; i < out.size(); ++i) {
      const SqlCell& cell = result_->at(chart->rows[i], static_cast<size_t>(c));
      const std::string more =
          std::holds_alternative<std::monostate>(cell) ? std::string() : inspector::cell_text(cell);
      if (!more.empty()) out[i] += (column.name == "line" ? ":" : " · ") + more;
    }
    return out;
  };
  const bool files = x >= 0 && result_->columns[static_cast<size_t>(x)].name.ends_with("file");
  const auto rank = [&](int c) {
    const auto& column = result_->columns[static_cast<size_t>(c)];
    if (files && column.name == "line") return 0;
    return !column.number ? 1 : 2;
  };
  std::vector<int> columns;
  for (int c = 0; c < static_cast<int>(result_->columns.size()); ++c) {
    const auto& column = result_->columns[static_cast<size_t>(c)];
    if (c != x && c != y && column.any && (!column.number || charting_worth(column.name) == 0)) columns.push_back(c);
  }
  std::stable_sort(columns.begin(), columns.end(), [&](int a, int b) { return rank(a) < rank(b); });
  while (!columns.empty() && differing(chart->labels) < chart->labels.size()) {
    // Of one rank, the one that parts most of them.
    size_t best = 0, most = 0;
    std::vector<std::string> best_labels;
    for (size_t i = 0; i < columns.size() && rank(columns[i]) == rank(columns[0]); ++i) {
      std::vector<std::string> labels = with(columns[i]);
      if (const size_t n = differing(labels); n > most) most = n, best = i, best_labels = std::move(labels);
    }
    if (most > differing(chart->labels)) chart->labels = std::move(best_labels);
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

SqlChart SqlModel::chart(int x, int y, size_t most) const {
  SqlChart out;
  const auto columns = static_cast<int>(result_->columns.size());
  if (y < 0 || y >= columns || x >= columns) return out;
  const bool labels = x >= 0 && !result_->columns[static_cast<size_t>(x)].number;
  const auto number = [](const SqlCell& c, double* value) {
    if (const auto* i = std::get_if<int64_t>(&c)) return *value = static_cast<double>(*i), true;
    if (const auto* d = std::get_if<double>(&c)) return *value = *d, true;
    return false;
  };
  for (const uint32_t row : order_) {
    double a = static_cast<double>(out.x.size()), b = 0;
    if (!number(result_->at(row, static_cast<size_t>(y)), &b)) continue;
    if (x >= 0 && !labels && !number(result_->at(row, static_cast<size_t>(x)), &a)) continue;
    if (out.x.size() == most) {
      out.cut = true;
      break;
    }
    out.x.push_back(a);
    out.y.push_back(b);
    out.rows.push_back(row);
    if (labels) out.labels.push_back(inspector::cell_text(result_->at(row, static_cast<size_t>(x))));
  }
  if (labels) tell_apart(x, y, &out);
  return out;
}

void SqlModel::remember(const std::string& sql) {
  if (sql.find_first_not_of(" \t\r\n") == std::string::npos) return;
  std::erase(history_, sql);
  history_.push_back(sql);
  if (history_.size() > kMaxHistory) history_.erase(history_.begin());
  at_ = history_.size() - 1;
}

std::string SqlModel::history_step(int direction, const std::string& in_editor) {
  if (history_.empty()) return in_editor;
  at_ = std::min(at_, history_.size());
  // What is typed and not run yet stands behind the newest one.
  if (at_ == history_.size() || in_editor != history_[at_]) {
    draft_ = in_editor;
    at_ = history_.size();
  }
  if (direction < 0 && at_ > 0) --at_;
  if (direction > 0 && at_ < history_.size()) ++at_;
  return at_ == history_.size() ? draft_ : history_[at_];
}

bool SqlModel::is_saved(const std::string& name) const {
  return std::any_of(saved_.begin(), saved_.end(), [&](const NamedQuery& q) { return q.name == name; });
}

void SqlModel::save(const std::string& name, const std::string& sql) {
  if (name.empty()) return;
  if (removed_.name == name) removed_ = {};
  const auto it = std::find_if(saved_.begin(), saved_.end(), [&](const NamedQuery& q) { return q.name == name; });
  if (it == saved_.end()) {
    saved_.push_back({name, sql});
  } else {
    it->sql = sql;
  }
}

void SqlModel::remove_saved(size_t index) {
  if (index >= saved_.size()) return;
  removed_ = saved_[index];
  removed_from_ = index;
  saved_.erase(saved_.begin() + static_cast<std::ptrdiff_t>(index));
}

void SqlModel::undo_remove() {
  if (removed_.name.empty()) return;
  const size_t at = std::min(removed_from_, saved_.size());
  saved_.insert(saved_.begin() + static_cast<std::ptrdiff_t>(at), std::move(removed_));
  removed_ = {};
}

std::string escaped_line(std::string text) {
  std::erase(text, '\r');
  return inspector::escaped_line(text);
}

}  // namespace et::gui
