#include "inspector/report/check_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "inspector/text/format.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int kDefaultWidth = 120;

/// JSON and CSV have no number for these: the words of the results.
Cell exact(const std::optional<double>& v) {
  if (!v) return {};
  if (std::isnan(*v)) return std::string("NaN");
  if (std::isinf(*v)) return std::string(*v > 0 ? "Infinity" : "-Infinity");
  return *v;
}
Cell shown(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

bool for_people(const std::string& format) { return format == "table"; }

Status unknown_format(const std::string& format) {
  return {Error::InvalidArgument, "unknown format \"" + format + "\"; there are table, csv, tsv, markdown and json"};
}

TableOptions table_options(const CheckReportOptions& o) {
  const int width = o.format == "table" && o.width == 0 ? kDefaultWidth : o.width;
  return {.format = o.format, .width = width, .color = o.color, .header = true};
}

/// One unit for all times of one table.
Status unit_of(const CheckReportOptions& options, const std::vector<const CheckPoint*>& points, TimeUnit* unit) {
  double largest = 0;
  for (const CheckPoint* p : points) largest = std::max(largest, p->median_ns.value_or(0));
  return choose_unit(options.units, "ns", largest, unit);
}

/// Columns that every person's table of points has; `first` names the row.
Table people_table(Column first, const TimeUnit& unit, bool with_run) {
  Table t;
  t.columns.push_back(std::move(first));
  if (with_run) {
    t.columns.insert(t.columns.end(), std::initializer_list<Column>{{.title = "started"},
                                                                    {.title = "host", .drop = 6, .min_width = 8},
                                                                    {.title = "label", .drop = 4, .min_width = 8}});
  }
  t.columns.insert(t.columns.end(),
                   std::initializer_list<Column>{{.title = "verdict"},
                                                 {.title = "error", .right = true},
                                                 {.title = "SNR (dB)", .drop = 5, .right = true},
                                                 {.title = "median", .kind = CellKind::Duration, .unit = unit},
                                                 {.title = "95% interval", .drop = 2, .right = true},
                                                 {.title = "change", .drop = 1, .right = true},
                                                 {.title = "memory", .kind = CellKind::Bytes, .drop = 3},
                                                 {.title = "trace", .drop = 7, .right = true}});
  return t;
}

void add_point(Table* t, Cell first, const CheckPoint& p, const TimeUnit& unit, bool with_run) {
  std::vector<Cell> cells = {std::move(first)};
  if (with_run) {
    cells.emplace_back(time_text(p.started));
    cells.push_back(cell(p.host));
    cells.push_back(cell(p.label));
  }
  cells.emplace_back(verdict_text(p));
  cells.push_back(shown(format_error(p.max_abs_error)));
  cells.push_back(shown(format_decibels(p.snr_db)));
  cells.push_back(p.median_ns ? Cell(*p.median_ns) : Cell());
  cells.push_back(p.interval ? Cell(format_interval(p.interval->low, p.interval->high, unit)) : Cell());
  cells.push_back(p.change ? Cell(format_change(*p.change)) : Cell());
  cells.push_back(cell(p.memory_bytes));
  cells.push_back(p.trace_id ? Cell("#" + std::to_string(*p.trace_id)) : Cell());
  t->add(std::move(cells), RowStyle::Normal, p.ok() ? -1 : 1);
}

/// Columns that say nothing here: without any value, or a host that is the same everywhere.
void drop_empty(Table* t) {
  t->drop_columns([&](size_t c) {
    if (c == 0) return false;
    const auto is_first = [&](const Row& r) {
      return std::holds_alternative<std::monostate>(r.cells[c]) || r.cells[c] == t->rows.front().cells[c];
    };
    return t->is_empty(c) || (t->columns[c].title == "host" && std::all_of(t->rows.begin(), t->rows.end(), is_first));
  });
}

void heading(const CheckReportOptions& options, const std::string& text, std::string* out) {
  if (!out->empty()) *out += '\n';
  *out += options.color ? "\x1b[1m" + printable(text) + "\x1b[0m\n" : printable(text) + "\n";
}

// ---- for programs
// -----------------------------------------------------------------------------------------------------

Table flat_table() {
  Table t;
  for (const char* title :
       {"check_run_id", "started",        "host",          "label",          "file",       "method",
        "case_index",   "program_sha256", "verdict",       "kind",           "reason",     "max_abs_error",
        "snr_db",       "median_ns",      "median_low_ns", "median_high_ns", "samples",    "change",
        "change_low",   "change_high",    "memory_bytes",  "speed",          "speed_text", "trace_id"})
    t.columns.push_back({.title = title});
  return t;
}

void add_flat(Table* t, const CheckKey& key, const CheckPoint& p) {
  const auto part = [&](auto member) { return p.change ? Cell((*p.change).*member) : Cell(); };
  t->add({p.check_run_id,
          p.started,
          cell(p.host),
          cell(p.label),
          key.file,
          key.method ? Cell(*key.method) : Cell(),
          cell(key.case_index),
          cell(p.program),
          std::string(p.ok() ? "passed" : "failed"),
          cell(p.kind),
          cell(p.reason),
          exact(p.max_abs_error),
          exact(p.snr_db),
          exact(p.median_ns),
          p.interval ? Cell(p.interval->low) : Cell(),
          p.interval ? Cell(p.interval->high) : Cell(),
          p.samples,
          part(&TimeChange::ratio),
          part(&TimeChange::low),
          part(&TimeChange::high),
          cell(p.memory_bytes),
          p.speed ? Cell(p.speed->verdict) : Cell(),
          p.speed ? cell(p.speed->text) : Cell(),
          cell(p.trace_id)});
}

// ---- ops
// ----------------------------------------------------------------------------------------------------------------

struct TracedRuns {
  const CheckPoint* now = nullptr;
  const CheckPoint* before = nullptr;
};

/// The newest run with a trace, and the one before it.
TracedRuns traced_runs(const CheckSeries& series) {
  TracedRuns runs;
  for (auto p = series.points.rbegin(); p != series.points.rend() && runs.before == nullptr; ++p) {
    if (!p->trace_id || p->check_case_id == 0) continue;
    if (runs.now == nullptr) {
      runs.now = &*p;
    } else if (p->trace_id != runs.now->trace_id) {
      runs.before = &*p;
    }
  }
  return runs;
}

std::vector<Cell> flat_cells(const CheckKey& key, const CheckPoint& now, const CheckOpRow& op) {
  return {key.file,
          key.method ? Cell(*key.method) : Cell(),
          cell(key.case_index),
          now.check_run_id,
          cell(now.trace_id),
          op.op_id,
          op.name,
          op.kind,
          cell(op.instruction_id),
          op.delegate_debug_id ? Cell(*op.delegate_debug_id) : Cell(),
          op.count,
          op.sum_ns,
          op.self_ns,
          exact(op.self_share),
          exact(op.p50_ns),
          exact(op.before_p50_ns),
          op.change ? Cell(op.change->ratio) : Cell(),
          op.change ? Cell(op.change->low) : Cell(),
          op.change ? Cell(op.change->high) : Cell(),
          exact(op.max_abs_error),
          op.unit};
}

Table table_of_ops(std::vector<CheckOpRow> ops, const TimeUnit& unit) {
  std::stable_sort(ops.begin(), ops.end(),
                   [](const CheckOpRow& a, const CheckOpRow& b) { return a.self_ns > b.self_ns; });
  Table t;
  t.columns = {{.title = "op", .min_width = 16},
               {.title = "#", .right = true},
               {.title = "share", .kind = CellKind::Share},
               {.title = "count", .kind = CellKind::Integer, .drop = 2},
               {.title = "median", .kind = CellKind::Duration, .unit = unit},
               {.title = "before", .kind = CellKind::Duration, .unit = unit},
               {.title = "change", .right = true},
               {.title = "error", .drop = 1, .right = true}};
  for (const CheckOpRow& op : ops) {
    const auto time = [&](const std::optional<double>& v) { return v && op.unit == "ns" ? Cell(*v) : Cell(); };
    t.add(
        {op.delegate_debug_id.value_or(op.name), op.instruction_id ? Cell(std::to_string(*op.instruction_id)) : Cell(),
         op.self_share ? Cell(*op.self_share) : Cell(), op.count, time(op.p50_ns), time(op.before_p50_ns),
         op.change ? Cell(format_change(*op.change)) : Cell(), shown(format_error(op.max_abs_error))},
        RowStyle::Normal, op.max_abs_error ? 1 : -1);
  }
  return t;
}

Status write_ops(const Store& store, const std::vector<CheckSeries>& all, const CheckReportOptions& options,
                 std::string* out) {
  Table flat;
  for (const char* title : {"file",          "method", "case_index", "check_run_id",   "trace_id",
                            "op_id",         "name",   "kind",       "instruction_id", "delegate_debug_id",
                            "count",         "sum_ns", "self_ns",    "self_share",     "p50_ns",
                            "before_p50_ns", "change", "change_low", "change_high",    "max_abs_error",
                            "unit"})
    flat.columns.push_back({.title = title});
  for (const CheckSeries& s : all) {
    const TracedRuns runs = traced_runs(s);
    if (for_people(options.format)) heading(options, s.key.text(), out);
    if (runs.now == nullptr) {
      if (for_people(options.format))
        *out += "no trace: run et-check with --etdump-dir, and add the ETDump to the store\n";
      continue;
    }
    std::vector<CheckOpRow> ops;
    Status status = load_check_ops(store, runs.now->check_case_id, runs.before ? runs.before->check_case_id : 0, &ops);
    if (!status.ok()) return status;
    double largest = 0;
    for (const CheckOpRow& op : ops) {
      if (op.unit == "ns") largest = std::max(largest, op.p50_ns.value_or(0));
      flat.add(flat_cells(s.key, *runs.now, op));
    }
    if (!for_people(options.format)) continue;
    const CheckPoint& now = *runs.now;
    *out += time_text(now.started) + ", trace #" + std::to_string(*now.trace_id) + ": " + verdict_text(now);
    if (runs.before != nullptr) {
      *out += "; before: " + time_text(runs.before->started) + ", trace #" + std::to_string(*runs.before->trace_id);
    }
    *out += '\n';
    TimeUnit unit;
    status = choose_unit(options.units, "ns", largest, &unit);
    if (!status.ok()) return status;
    Table t = table_of_ops(std::move(ops), unit);
    drop_empty(&t);
    status = t.write(table_options(options), out);
    if (!status.ok()) return status;
  }
  return for_people(options.format) ? Status() : flat.write(table_options(options), out);
}

// ---- history
// --------------------------------------------------------------------------------------------------------------

Status nothing_fits(const Store& store, const CheckQuery& query) {
  const CheckCounts counts = count_checks(store);
  const std::string path = store.path().empty() ? "the store" : store.path();
  constexpr const char* kHow = "; add results with 'et-check … --store', or with 'et-inspect --checks RESULTS --store'";
  if (!counts.has_tables)
    return {Error::NotFound, path + ": has no check results: it was written by an older version" + kHow};
  if (counts.runs == 0) return {Error::NotFound, path + ": has no check results" + kHow};
  std::vector<CheckSeries> all;
  CheckQuery any;
  any.failed_only = query.failed_only;
  Status status = load_check_history(store, any, &all);
  if (!status.ok()) return status;
  if (all.empty()) return {};  // only failed ones are asked for, and there are none
  constexpr size_t kMost = 10;
  std::string list;
  for (size_t i = 0; i < std::min(all.size(), kMost); ++i) list += (i > 0 ? ", " : "") + all[i].key.text();
  if (all.size() > kMost) list += " and " + format_count(static_cast<int64_t>(all.size() - kMost)) + " more";
  return {Error::InvalidArgument, path + ": no check fits; there are " + list};
}

Status write_series(const CheckSeries& s, const CheckReportOptions& options, std::string* out) {
  std::vector<const CheckPoint*> points;
  std::vector<std::optional<double>> times;
  std::vector<bool> failed;
  for (const CheckPoint& p : s.points) {
    points.push_back(&p);
    times.push_back(p.median_ns);
    failed.push_back(!p.ok());
  }
  TimeUnit unit;
  Status status = unit_of(options, points, &unit);
  if (!status.ok()) return status;
  heading(options, s.key.text(), out);
  *out += plural(static_cast<int64_t>(s.points.size()), "run") + ", " + std::to_string(s.failures()) + " failed";
  if (s.points.size() > 1) *out += "; time " + sparkline(times, failed);
  *out += '\n';
  Table t = people_table({.title = "run", .right = true}, unit, true);
  for (const CheckPoint& p : s.points) {
    add_point(&t, std::to_string(p.check_run_id) + (p.program_changed ? " *" : ""), p, unit, true);
  }
  drop_empty(&t);
  status = t.write(table_options(options), out);
  if (status.ok() && std::any_of(s.points.begin(), s.points.end(), [](const auto& p) { return p.program_changed; }))
    *out += "* another program than in the run before\n";
  return status;
}

}  // namespace

std::string sparkline(const std::vector<std::optional<double>>& values, const std::vector<bool>& failed) {
  constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = 0, high = 0;
  bool any = false;
  for (const auto& v : values) {
    if (!v || !std::isfinite(*v)) continue;
    low = any ? std::min(low, *v) : *v;
    high = any ? std::max(high, *v) : *v;
    any = true;
  }
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || !std::isfinite(*values[i])) {
      out += i < failed.size() && failed[i] ? "×" : " ";
      continue;
    }
    const double part = high > low ? (*values[i] - low) / (high - low) : 0;
    out += kBlocks[std::min<size_t>(static_cast<size_t>(part * 8), 7)];
  }
  return out;
}

std::string verdict_text(const CheckPoint& p) {
  if (!p.passed) return "failed" + (p.kind.empty() ? std::string() : ": " + p.kind);
  if (!p.ok()) return "failed: " + p.speed->verdict;
  return "passed";
}

std::string time_text(const std::string& started) {
  std::string text = started.substr(0, 19);
  if (text.size() > 10 && text[10] == 'T') text[10] = ' ';
  return text;
}

int64_t newest_check_run(const Store& store) {
  if (!store.has_table("raw_check_run")) return 0;
  Statement st = store.query("SELECT check_run_id FROM check_runs ORDER BY started DESC, check_run_id DESC LIMIT 1");
  return st.step() ? st.integer(0) : 0;
}

std::string check_history_csv(const std::vector<const CheckSeries*>& all) {
  Table flat = flat_table();
  for (const CheckSeries* s : all) {
    for (const CheckPoint& p : s->points) add_flat(&flat, s->key, p);
  }
  std::string out;
  (void)flat.write({.format = "csv"}, &out);
  return out;
}

Status write_check_history(const Store& store, const CheckQuery& query, const CheckReportOptions& options,
                           std::string* out) {
  if (!is_table_format(options.format)) return unknown_format(options.format);
  std::vector<CheckSeries> all;
  Status status = load_check_history(store, query, &all);
  if (!status.ok()) return status;
  if (all.empty()) {
    status = nothing_fits(store, query);
    if (!status.ok()) return status;
    if (for_people(options.format)) {
      *out += "no check failed\n";
      return {};
    }
  }
  if (options.ops) return write_ops(store, all, options, out);
  if (for_people(options.format)) {
    for (const CheckSeries& s : all) {
      status = write_series(s, options, out);
      if (!status.ok()) return status;
    }
    return {};
  }
  Table flat = flat_table();
  for (const CheckSeries& s : all) {
    for (const CheckPoint& p : s.points) add_flat(&flat, s.key, p);
  }
  return flat.write(table_options(options), out);
}

Status write_check_runs(const Store& store, const std::vector<int64_t>& check_run_ids,
                        const CheckReportOptions& options, std::string* out) {
  if (!is_table_format(options.format)) return unknown_format(options.format);
  std::vector<CheckSeries> all;
  Status status = load_check_history(store, {}, &all);
  if (!status.ok()) return status;
  Table flat = flat_table();
  for (const int64_t run : check_run_ids) {
    Statement facts = store.query(
        "SELECT started, host, label, passed, failed, skipped, name FROM check_runs WHERE check_run_id = ?1");
    facts.bind_all(run);
    if (!facts.step()) return {Error::NotFound, store.path() + ": no check run " + std::to_string(run)};
    std::vector<std::pair<const CheckKey*, const CheckPoint*>> rows;
    std::vector<const CheckPoint*> points;
    for (const CheckSeries& s : all) {
      for (const CheckPoint& p : s.points) {
        if (p.check_run_id != run) continue;
        rows.emplace_back(&s.key, &p);
        points.push_back(&p);
        add_flat(&flat, s.key, p);
      }
    }
    if (!for_people(options.format)) continue;
    std::string title = "Checks of " + time_text(facts.str(0));
    if (!facts.is_null(1)) title += " on " + facts.str(1);
    if (!facts.is_null(2)) title += ", " + facts.str(2);
    title += ": " + format_count(facts.integer(3)) + " passed, " + format_count(facts.integer(4)) + " failed";
    if (facts.integer(5) > 0) title += ", " + format_count(facts.integer(5)) + " without a verdict";
    heading(options, title, out);
    TimeUnit unit;
    status = unit_of(options, points, &unit);
    if (!status.ok()) return status;
    Table t = people_table({.title = "check", .min_width = 24}, unit, false);
    for (const auto& [key, point] : rows) add_point(&t, key->text(), *point, unit, false);
    drop_empty(&t);
    if (!rows.empty()) status = t.write(table_options(options), out);
    if (!status.ok()) return status;
    for (const auto& [key, point] : rows) {
      const bool slow = point->passed && !point->ok();
      const std::string& why = slow ? point->speed->text : point->reason;
      if (!point->ok() && !why.empty()) *out += printable(key->text() + ": " + why) + "\n";
      std::vector<CheckExplanationRow> explanations;
      status = load_check_explanations(store, point->check_case_id, &explanations);
      if (!status.ok()) return status;
      for (const CheckExplanationRow& e : explanations) *out += "  " + printable(e.text) + "\n";
    }
  }
  return for_people(options.format) ? Status() : flat.write(table_options(options), out);
}

}  // namespace et::inspector
