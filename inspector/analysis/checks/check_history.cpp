#include "inspector/analysis/checks/check_history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <tuple>

#include "inspector/text/format.h"

namespace et::inspector {
namespace {

std::optional<bool> maybe_flag(const Statement& st, int column) {
  return st.is_null(column) ? std::nullopt : std::optional(st.integer(column) != 0);
}

/// Whether all rows were read.
Status finished(const Store& store, Statement& st) {
  if (sqlite3_reset(st.raw()) == SQLITE_OK) return {};
  return {Error::InvalidExternalData, store.path() + ": cannot read checks: " + store.error_text()};
}

Status prepared(const Store& store, std::string_view sql, Statement* out) {
  Status status = store.prepare(sql, out);
  return status.ok() ? status : Status(Error::InvalidExternalData, status.message());
}

/// Results of older et-checks have paths as they were spelt.
std::string plain_path(const std::string& path) {
  return path.empty() ? path : std::filesystem::path(path).lexically_normal().string();
}

bool fits(const CheckKey& key, const CheckQuery& query) {
  return (query.file.empty() || key.file == query.file || key.file.ends_with("/" + query.file)) &&
         (query.method.empty() || key.method == query.method) &&
         (!query.case_index || key.case_index == query.case_index);
}

class Loader {
 public:
  Loader(const Store& store, const CheckQuery& query) : store_(store), query_(query) {
    query_.file = plain_path(query_.file);
  }

  Status run(std::vector<CheckSeries>* out) {
    Status status = cases();
    if (status.ok()) status = speeds();
    if (!status.ok()) return status;
    for (auto& [key, series] : found_) {
      std::stable_sort(series.points.begin(), series.points.end(), [](const CheckPoint& a, const CheckPoint& b) {
        return std::tie(a.started, a.check_run_id) < std::tie(b.started, b.check_run_id);
      });
      compare(series.points);
      if (query_.failed_only && series.now().ok()) continue;
      if (query_.last > 0 && series.points.size() > query_.last) {
        series.points.erase(series.points.begin(), series.points.end() - static_cast<ptrdiff_t>(query_.last));
      }
      out->push_back(std::move(series));
    }
    return {};
  }

 private:
  static constexpr const char* kRun =
      "r.check_run_id, r.started, r.host, r.cpu, r.label, r.tool_version, x.file, x.method, "
      "x.case_index, x.program_sha256, ";

  /// The columns of kRun; nullopt when the row is not asked for.
  std::optional<CheckKey> head(const Statement& st, CheckPoint* p) const {
    CheckKey key{plain_path(st.str(6)), st.maybe_text(7), st.maybe_integer(8)};
    if (!fits(key, query_) || !st.text(9).starts_with(query_.program)) return std::nullopt;
    p->check_run_id = st.integer(0);
    p->started = st.str(1);
    p->host = st.str(2);
    p->cpu = st.str(3);
    p->label = st.str(4);
    p->tool_version = st.str(5);
    p->program = st.str(9);
    return key;
  }
  CheckSeries& series(const CheckKey& key) {
    CheckSeries& s = found_[key];
    s.key = key;
    return s;
  }

  Status cases() {
    Statement st;
    Status status = prepared(
        store_,
        "SELECT " + std::string(kRun) +
            "x.check_case_id, x.passed, x.kind, x.reason, x.max_abs_error, x.samples, x.median_ns, x.median_low_ns, "
            "x.median_high_ns, x.memory_bytes, x.trace_id, o.n, o.failed, o.snr FROM check_cases x JOIN check_runs r "
            "ON "
            "r.check_run_id = x.check_run_id LEFT JOIN (SELECT check_case_id, count(*) AS n, sum(passed = 0) AS "
            "failed, "
            "CASE WHEN max(typeof(snr_db) = 'text') THEN 'NaN' ELSE min(snr_db) END AS snr FROM check_outputs GROUP BY "
            "check_case_id) o ON o.check_case_id = x.check_case_id",
        &st);
    if (!status.ok()) return status;
    while (st.step()) {
      CheckPoint p;
      const auto key = head(st, &p);
      if (!key) continue;
      p.check_case_id = st.integer(10);
      p.passed = st.integer(11) != 0;
      p.kind = st.str(12);
      p.reason = st.str(13);
      p.max_abs_error = read_check_number(st, 14);
      p.samples = st.integer(15);
      p.median_ns = st.maybe_real(16);
      if (!st.is_null(17) && !st.is_null(18)) p.interval = MedianInterval{st.real(17), st.real(18)};
      p.memory_bytes = st.maybe_integer(19);
      p.trace_id = st.maybe_integer(20);
      p.outputs = st.integer(21);
      p.outputs_failed = st.integer(22);
      p.snr_db = read_check_number(st, 23);
      series(*key).points.push_back(std::move(p));
    }
    return finished(store_, st);
  }

  Status speeds() {
    Statement st;
    Status status = prepared(store_,
                             "SELECT " + std::string(kRun) +
                                 "x.verdict, x.text, x.against, x.passed, x.ratio, x.ratio_low, x.ratio_high, "
                                 "x.median_ns FROM check_performance x JOIN check_runs r ON r.check_run_id = "
                                 "x.check_run_id ORDER BY x.check_performance_id",
                             &st);
    if (!status.ok()) return status;
    while (st.step()) {
      CheckPoint p;
      const auto key = head(st, &p);
      if (!key) continue;
      CheckSpeed speed{st.str(10),        st.str(11),        st.str(12),       maybe_flag(st, 13),
                       st.maybe_real(14), st.maybe_real(15), st.maybe_real(16)};
      auto& points = series(*key).points;
      const auto it = std::find_if(points.begin(), points.end(),
                                   [&](const CheckPoint& q) { return q.check_run_id == p.check_run_id; });
      if (it == points.end()) {  // only its speed was checked
        p.passed = true;
        p.median_ns = st.maybe_real(17);
        p.speed = std::move(speed);
        points.push_back(std::move(p));
      } else if (!it->speed || it->speed->passed != false) {  // of several, one that failed
        it->speed = std::move(speed);
      }
    }
    return finished(store_, st);
  }

  static void compare(std::vector<CheckPoint>& points) {
    for (size_t i = 1; i < points.size(); ++i) {
      CheckPoint& p = points[i];
      p.program_changed = p.program != points[i - 1].program;
      if (!p.interval) continue;
      for (size_t k = i; k-- > 0;) {  // times of another host say nothing
        const CheckPoint& q = points[k];
        if (!q.interval || q.host != p.host || q.cpu != p.cpu) continue;
        p.change = time_change(*q.median_ns, *q.interval, *p.median_ns, *p.interval);
        p.changed_from = q.check_run_id;
        break;
      }
    }
  }

  const Store& store_;
  CheckQuery query_;
  std::map<CheckKey, CheckSeries> found_;
};

}  // namespace

std::optional<double> read_check_number(const Statement& st, int column) {
  if (st.type(column) == SQLITE_TEXT) return std::numeric_limits<double>::quiet_NaN();
  return st.maybe_real(column);
}

std::string CheckKey::text() const {
  return file + " · " + method.value_or("(no method)") +
         (case_index ? " · case " + std::to_string(*case_index) : std::string());
}

size_t CheckSeries::failures() const {
  return static_cast<size_t>(std::count_if(points.begin(), points.end(), [](const CheckPoint& p) { return !p.ok(); }));
}

CheckCounts count_checks(const Store& store) {
  CheckCounts counts;
  counts.has_tables = store.has_table("raw_check_run");
  if (!counts.has_tables) return counts;
  Statement st = store.query("SELECT (SELECT count(*) FROM check_runs), (SELECT count(*) FROM raw_check_case)");
  if (st.step()) counts = {true, st.integer(0), st.integer(1)};
  return counts;
}

Status load_check_history(const Store& store, const CheckQuery& query, std::vector<CheckSeries>* out) {
  out->clear();
  if (!store.has_table("raw_check_run")) return {};
  return Loader(store, query).run(out);
}

Status load_check_outputs(const Store& store, int64_t check_case_id, std::vector<CheckOutputRow>* out) {
  out->clear();
  Statement st;
  Status status = prepared(
      store,
      "SELECT output, passed, name, kind, reason, dtype, shape, tolerance_from, max_abs_at, max_rel_at, elements, "
      "outside, nan_mismatch, inf_mismatch, rtol, atol, max_abs_error, max_rel_error, mean_abs_error, snr_db, "
      "cosine_similarity, got, want FROM check_outputs WHERE check_case_id = ?1 ORDER BY output, check_output_id",
      &st);
  if (!status.ok()) return status;
  st.bind_all(check_case_id);
  while (st.step()) {
    CheckOutputRow o;
    o.output = st.integer(0);
    o.passed = st.integer(1) != 0;
    int c = 2;
    for (std::string* text :
         {&o.name, &o.kind, &o.reason, &o.dtype, &o.shape, &o.tolerance_from, &o.max_abs_at, &o.max_rel_at})
      *text = st.str(c++);
    for (auto* count : {&o.elements, &o.outside, &o.nan_mismatch, &o.inf_mismatch}) *count = st.maybe_integer(c++);
    for (auto* value : {&o.rtol, &o.atol, &o.max_abs_error, &o.max_rel_error, &o.mean_abs_error, &o.snr_db,
                        &o.cosine_similarity, &o.got, &o.want})
      *value = read_check_number(st, c++);
    out->push_back(std::move(o));
  }
  return finished(store, st);
}

Status load_check_explanations(const Store& store, int64_t check_case_id, std::vector<CheckExplanationRow>* out) {
  out->clear();
  Statement st;
  Status status = prepared(
      store,
      "SELECT e.operator, e.node, e.source, e.delegate, e.text, e.reference, e.instruction_id, e.max_abs_error FROM "
      "check_cases c JOIN check_explanations e ON e.check_run_id = c.check_run_id AND e.file = c.file AND e.method IS "
      "c.method AND e.case_index IS c.case_index WHERE c.check_case_id = ?1 ORDER BY e.ordinal",
      &st);
  if (!status.ok()) return status;
  st.bind_all(check_case_id);
  while (st.step()) {
    out->push_back({st.str(0), st.str(1), st.str(2), st.str(3), st.str(4), st.str(5), st.maybe_integer(6),
                    read_check_number(st, 7)});
  }
  return finished(store, st);
}

std::string format_error(const std::optional<double>& value) {
  if (!value) return {};
  if (std::isnan(*value)) return "NaN";
  if (std::isinf(*value)) return *value > 0 ? "∞" : "−∞";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", *value);
  return text.data();
}

std::string format_decibels(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? format_real(*value, 1) : format_error(value);
}

std::string format_change(const TimeChange& change) {
  const auto percent = [](double ratio) {
    const double p = (ratio - 1) * 100;
    std::array<char, 32> text{};
    const bool small = std::fabs(p) < 9.95;
    std::snprintf(text.data(), text.size(), small ? "%.1f" : "%.0f", std::fabs(p));
    return std::string(p < 0 ? "−" : "+") + text.data();
  };
  const std::string low = percent(change.low), high = percent(change.high);
  return (low == high ? low : low + " to " + high) + "%";
}

}  // namespace et::inspector
