#include "inspector/report/main_report_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include "inspector/analysis/delegation/delegation.h"
#include "inspector/analysis/findings/finding.h"
#include "inspector/analysis/ops/basis_gaps.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/executions.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/unlinked_time.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/shorten.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int kDefaultWidth = 120;       // where nobody says how wide the output is
constexpr int kNarrow = 110;             // below it labels are short
constexpr size_t kNotes = 4;             // about executions; the rest are counted
constexpr double kWorthAHint = 0.05;     // of the time: no line
constexpr double kWorthAWarning = 0.02;  // of the time: perhaps another type
constexpr double kBusy = 0.2;            // of the time: variation
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kRed = "\x1b[1;31m";
constexpr const char* kYellow = "\x1b[33m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kReset = "\x1b[0m";

// One number where it is certain, else "2–5".
Cell between(int64_t least, int64_t most) {
  if (least == most) return Cell(least);
  return Cell(format_count(least) + "–" + format_count(most));
}

// Blocks whose ops are worth a table: executions; all when there is no execution; those that the filter names.
bool has_table(const OpTable& table, const OpBlock& block, const Filter& filter) {
  if (block.kind != "load") return true;
  const bool only_loads =
      std::all_of(table.blocks.begin(), table.blocks.end(), [](const OpBlock& b) { return b.kind == "load"; });
  return only_loads || filter.names_block();
}

std::vector<const OpBlock*> table_blocks(const OpTable& table, const Filter& filter) {
  std::vector<const OpBlock*> out;
  for (const OpBlock& b : table.blocks) {
    if (has_table(table, b, filter)) out.push_back(&b);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const OpBlock* a, const OpBlock* b) { return (a->kind == "execute") > (b->kind == "execute"); });
  return out;
}

int64_t executions_of(const OpTable& table, const std::optional<std::string>& method) {
  return std::count_if(table.blocks.begin(), table.blocks.end(),
                       [&](const OpBlock& b) { return b.kind == "execute" && b.method == method; });
}

// "forward", "forward (block 2)" when its executions are spread over several blocks.
std::string block_title(const OpTable& table, const OpBlock& b) {
  std::string title = b.kind == "execute" ? b.method.value_or("(method unknown)") : b.name;
  if (b.kind == "execute" && executions_of(table, b.method) > 1) title += " (block " + std::to_string(b.ordinal) + ")";
  return title;
}

// One unit for all per-op tables of a report: the largest row that is shown decides.
Status table_unit(const TextReportInput& in, TimeUnit* unit) {
  double largest = 0;
  for (const OpBlock* b : table_blocks(*in.table, *in.filter)) {
    for (const CostLine& line : cost_lines(*in.table, *b, *in.filter, SortKey::Order).lines)
      largest = std::max(largest, line.cost);
  }
  return choose_unit(in.options->units, in.table->unit, largest, unit);
}

/// "warm median per execution 1.39 ms, of 20 executions"
std::string block_basis(const OpTable& table, const OpBlock& b, const std::string& units) {
  const std::string runs = plural(b.runs, b.kind == "execute" ? "execution" : "run");
  const std::string time = format_duration_with_unit(b.cost, table.unit, units);
  if (b.runs == 1) return runs + ", " + time;
  return table.basis.text() + " " + time + (table.basis.kind == BasisKind::Total ? ", " : ", of ") + runs;
}

class TextReport {
 public:
  TextReport(const Store& store, const TextReportInput& input, std::string* out)
      : store_(store), in_(input), table_(*input.table), summary_(*input.summary), options_(*input.options), out_(out) {
    table_options_.format = "table";
    table_options_.color = options_.color;
    table_options_.width = options_.width > 0 ? options_.width : kDefaultWidth;
    table_options_.keep_columns = options_.width <= 0;
  }

  Status write() {
    TimeUnit unit;
    Status status = table_unit(in_, &unit);
    if (!status.ok()) return status;
    head();
    foreign();
    slow_build();
    what_ran();
    status = notes();
    if (!status.ok()) return status;
    diagnostics();
    if (in_.group_by) {
      Table groups;
      std::vector<std::string> notes;
      status = group_table(store_, in_, true, &groups, &notes);
      if (!status.ok()) return status;
      title(std::string("Cost by ") + group_by_name(*in_.group_by) + " (" + table_.basis_text() + ")");
      (void)groups.write(table_options_, out_);
      if (*in_.group_by == GroupBy::Line || *in_.group_by == GroupBy::Frame) line_note();
      for (const std::string& text : notes) note(text);
    } else {
      per_op(unit);
      foreign_clocks();
    }
    parts();
    status = delegated_nodes();
    if (!status.ok()) return status;
    unlinked();
    return options_.values ? values() : status;
  }

 private:
  void title(const std::string& text) {
    *out_ += '\n';
    paint(kBold, printable(text));
    *out_ += '\n';
  }
  void paint(const char* color, std::string text) {
    const bool line = !text.empty() && text.back() == '\n';
    if (line) text.pop_back();
    if (options_.color && *color != '\0') text = color + text + kReset;
    *out_ += text;
    if (line) *out_ += '\n';
  }
  void note(const std::string& text) { paint(kDim, wrapped_lines(printable(text), table_options_.width, "  ")); }
  std::string time(double ticks) const { return format_duration_with_unit(ticks, table_.unit, options_.units); }

  void head() {
    const bool alone = !summary_.dump_path && (summary_.record_path || summary_.program_path);
    std::string text = alone ? "no dump" : summary_.dump_path.value_or("trace " + std::to_string(summary_.id));
    if (summary_.name) text = *summary_.name + " · " + text;
    if (summary_.record_path) text += " · ETRecord " + *summary_.record_path;
    if (summary_.program_path) text += " · program " + *summary_.program_path;
    paint(kBold, wrapped_lines(printable(text), table_options_.width, "  "));
    text = plural(summary_.events, "event") + ", " + plural(summary_.executions, "execution");
    if (alone) text = "not run: times are unknown";
    if (summary_.execute_total) text += ", " + time(static_cast<double>(*summary_.execute_total));
    for (const auto* fact : {&summary_.producer, &summary_.host, &summary_.cpu, &summary_.os, &summary_.build}) {
      if (*fact) text += " · " + **fact;
    }
    if (summary_.threads) text += " · " + plural(*summary_.threads, "thread");
    for (const auto& [key, value] : summary_.labels) text += " · " + key + "=" + value;
    *out_ += wrapped_lines(printable(text), table_options_.width, "  ");
  }

  // Before anything that could be taken for an answer.
  void foreign() {
    foreign_ = foreign_files(store_, table_.trace_id);
    for (const std::string& warning : foreign_.warnings())
      paint(kRed, wrapped_lines("ERROR: " + printable(warning), table_options_.width, "  "));
  }

  void slow_build() {
    if (const std::string warning = slow_build_warning(summary_.build.value_or("")); !warning.empty())
      paint(kYellow, wrapped_lines("! " + printable(warning), table_options_.width, "  "));
  }

  // Without a dump nothing ran; what could run is worth knowing.
  void methods() {
    Table t;
    t.columns = {{.title = "method", .min_width = 16},
                 {.title = "inputs", .kind = CellKind::Integer},
                 {.title = "outputs", .kind = CellKind::Integer},
                 {.title = "instructions", .kind = CellKind::Integer}};
    for (const MethodRow& m : summary_.methods) t.add({m.name, cell(m.inputs), cell(m.outputs), cell(m.instructions)});
    title("Methods");
    (void)t.write(table_options_, out_);
  }

  void what_ran() {
    if (!summary_.dump_path) return methods();
    Table t;
    TimeUnit unit;
    int64_t largest = 0;
    bool cold = false, warm = false;
    for (const OpBlock& b : table_.blocks) {
      if (b.kind != "execute") continue;
      largest = std::max(largest, b.total);
      cold = cold || b.cold;
      warm = warm || b.warm_mean;
    }
    if (!choose_unit(options_.units, table_.unit, static_cast<double>(largest), &unit).ok()) return;
    t.columns = {{.title = "method", .min_width = 16}, {.title = "executions", .kind = CellKind::Integer}};
    const auto time_column = [&](const char* name) {
      t.columns.push_back({.title = name, .kind = CellKind::Duration, .unit = unit});
    };
    if (cold) time_column("cold");
    if (warm) time_column("warm median"), time_column("warm mean");
    time_column("total");
    t.columns.push_back({.title = "method known by", .drop = 1});
    t.columns.push_back({.title = "remark", .min_width = 12});
    bool remarks = false;
    for (const OpBlock& b : table_.blocks) {
      if (b.kind != "execute") continue;
      std::vector<Cell> cells = {block_title(table_, b), b.runs};
      if (cold) cells.push_back(cell(b.cold));
      if (warm) cells.insert(cells.end(), {cell(b.warm_p50), cell(b.warm_mean)});
      std::string via = b.method_via.value_or("");
      std::replace(via.begin(), via.end(), '_', ' ');
      if (b.method && b.method_confidence && *b.method_confidence < 1)
        via += " (" + format_share(*b.method_confidence) + ")";
      std::string remark;
      if (!b.complete) remark = "failed or cut";
      if (b.error && *b.error != 0) remark += (remark.empty() ? "error " : ", error ") + std::to_string(*b.error);
      if (b.bundled_input_index)
        remark += (remark.empty() ? "test case " : ", test case ") + std::to_string(*b.bundled_input_index);
      remarks = remarks || !remark.empty();
      cells.insert(cells.end(), {b.total, via, remark});
      t.add(std::move(cells));
    }
    for (const MethodRow& m : summary_.methods) {
      if (m.executions == 0) t.add({m.name, int64_t{0}}, RowStyle::Dim);
    }
    if (!remarks) t.columns.pop_back();
    title("What ran");
    if (t.rows.empty()) {
      *out_ += "nothing was executed\n";
    } else {
      (void)t.write(table_options_, out_);
    }
    for (const OpBlock& b : table_.blocks) {
      if (b.kind == "load") load_line(b);
    }
  }

  // What stands out among the executions, before any table that sums or averages them.
  Status notes() {
    std::vector<ExecutionNote> notes;
    if (Status status = load_execution_notes(store_, table_.trace_id, &notes); !status.ok()) return status;
    if (table_.basis.kind == BasisKind::Cold || table_.basis.kind == BasisKind::Execution) {
      for (const std::string& gap : basis_gaps(table_))
        paint(kYellow, wrapped_lines("! " + printable(gap), table_options_.width, "  "));
    }
    const bool name_method = !notes.empty() && several_methods(notes);
    for (size_t i = 0; i < std::min(notes.size(), kNotes); ++i) {
      paint(notes[i].kind == ExecutionNote::Kind::Few ? "" : kYellow,
            wrapped_lines("! " + printable(execution_note_line(notes[i], name_method)), table_options_.width, "  "));
    }
    if (const double share = share_of_guessed_types(table_); share > kWorthAWarning) {
      paint(kYellow,
            wrapped_lines("! " + format_share(share) +
                              " of the time is spread evenly over nodes of several operators, because their debug "
                              "handle does not say which ran: by type and node that is a guess" +
                              (summary_.program_path ? "" : ". The program (--pte) may tell"),
                          table_options_.width, "  "));
    }
    if (notes.size() > kNotes)
      note(format_count(static_cast<int64_t>(notes.size() - kNotes)) + " more: et-inspect doctor lists all");
    return {};
  }

  void load_line(const OpBlock& b) {
    std::string text = (b.kind == "load" ? "load: " : b.name + ": ") + time(static_cast<double>(b.total));
    if (b.runs > 1) text += " in " + plural(b.runs, "run");
    std::string inside;
    for (size_t i = b.first_op; i < b.first_op + b.ops; ++i) {
      const OpEntry& op = table_.ops[i];
      if (op.parent || op.count == 0 || !op.on_trace_clock()) continue;
      inside += (inside.empty() ? "" : ", ") + op_title(table_, op) + " " + time(static_cast<double>(op.sum));
    }
    if (!inside.empty()) text += " (" + inside + ")";
    *out_ += wrapped_lines(printable(text), table_options_.width, "  ");
  }

  void diagnostics() {
    const auto said = [](const DiagnosticRow& d) { return d.id == "record-mismatch" || d.id == "program-mismatch"; };
    if (std::all_of(summary_.diagnostics.begin(), summary_.diagnostics.end(), said)) return;
    title("Diagnostics");
    for (const DiagnosticRow& d : summary_.diagnostics) {
      if (said(d)) continue;  // on top
      std::string text = d.severity == "data-loss" ? "DATA LOSS" : (d.severity == "error" ? "ERROR" : d.severity);
      text += " " + d.id;
      if (d.count != 1) text += " ×" + format_count(d.count);
      text += ": " + d.message;
      const char* color = d.severity == "error" ? kRed : (d.severity == "data-loss" ? kYellow : "");
      paint(color, wrapped_lines(printable(text), table_options_.width, "  "));
    }
  }

  // Where many ops of one type take most of the time, no row of the table says so.
  void costliest_types(const OpBlock& block, const GroupTable& types) {
    constexpr size_t kTypes = 3;
    struct Type {
      std::string title;
      double time = 0;
      int64_t ops = 0;
    };
    std::vector<Type> list;
    double single = 0;
    for (const GroupRow& row : types.rows) {
      Type type{operator_title(row.key)};
      std::vector<uint32_t> ops;
      for (const GroupPart& part : row.parts) {
        const OpEntry& op = table_.ops[part.op];
        if (&table_.block_of(op) != &block) continue;
        type.time += part.weight * op.cost;
        ops.push_back(part.op);
        single = std::max(single, part.weight * op.cost);
      }
      type.ops = count_ops(table_, ops);
      if (!row.none && type.time > 0) list.push_back(std::move(type));
    }
    std::stable_sort(list.begin(), list.end(), [](const Type& a, const Type& b) { return a.time > b.time; });
    if (list.empty() || list[0].ops < 2 || list[0].time <= single || !(block.cost > 0)) return;
    std::string text;
    for (size_t i = 0; i < std::min(list.size(), kTypes); ++i) {
      text += (i == 0 ? "" : ", ") + list[i].title + (list[i].ops > 1 ? " ×" + format_count(list[i].ops) : "") + " " +
              format_share(list[i].time / block.cost);
    }
    *out_ += wrapped_lines(printable("by type: " + text + (list.size() > kTypes ? ", … (--group-by type)" : "")),
                           table_options_.width, "  ");
  }

  void per_op(const TimeUnit& unit) {
    const PlaceNames places(table_);
    const GroupTable types = group_costs(table_, GroupBy::Type, *in_.filter);
    Marks marks;
    for (const OpBlock* b : table_blocks(table_, *in_.filter)) {
      std::string text = block_title(table_, *b);
      text =
          (b->kind == "execute" ? "Ops of " + text : "Block " + text) + ": " + block_basis(table_, *b, options_.units);
      title(text);
      if (b->kind == "execute") costliest_types(*b, types);
      const CostLines lines = cost_lines(table_, *b, *in_.filter, in_.sort);
      (void)block_table(table_, *b, lines, places, unit, options_.top, table_options_.width < kNarrow, &marks)
          .write(table_options_, out_);
    }
    if (marks.whole_microseconds) note("~ the clock ticks in whole microseconds: short ops read 0 or 1 µs");
    if (marks.inferred) note("? inferred, not exact (confidence below 1)");
    if (marks.layout) note("(layout) inserted by the backend's lowering, has no source");
    line_note();
    if (marks.partial > 0) {
      note((marks.partial == 1 ? "1 op" : format_count(marks.partial) + " ops") +
           " ran in some of the executions only, e.g. " + marks.partial_example + ": the others took another branch");
    }
    if (marks.rest) note("(rest) time in the op that no op inside it explains: unattributed");
    if (marks.variation) note("self: " ET_USUAL_TIME "; (variation): what the median execution took beyond that");
    for (const OpBlock& b : table_.blocks) {
      if (b.kind != "execute" || !(b.variation > kBusy * b.cost)) continue;
      note(format_share(b.variation / b.cost) +
           " of the median execution is variation: in each one another op was interrupted. Measure again on an idle "
           "machine, with more executions");
      break;
    }
    if (table_.old_store) note("the store is of an older version without medians: import the trace again to have them");
    if (marks.negative) note("negative: inner events overlap or are rounded up");
    if (!summary_.record_path && !table_.has_links() && summary_.dump_path) {
      note("Without an ETRecord (--etrecord) ops have no source lines.");
      return;
    }
    if (const double share = share_without_line(table_); share > kWorthAHint) {
      note(format_share(share) + " of the time leads to no line: et-inspect doctor, with the same arguments, says why");
    }
  }

  void line_note() {
    if (table_.has_links() && !table_.lines.text().empty()) note(table_.lines.text());
  }

  void foreign_clocks() {
    const Table t = foreign_table(table_, *in_.filter, PlaceNames(table_));
    if (t.rows.empty()) return;
    title("On separate clocks (excluded from the sums above)");
    (void)t.write(table_options_, out_);
  }

  void parts() {
    const std::vector<PartRow> rows = cost_parts(table_);
    if (rows.empty()) return;
    std::map<std::optional<std::string>, double> totals;
    double largest = 0;
    bool calls = false;
    for (const PartRow& p : rows) calls = calls || p.part == Part::Delegate || p.overhead > 0;
    for (const OpBlock& b : table_.blocks) {
      if (b.kind == "execute") largest = std::max(largest, totals[b.method] += b.cost);
    }
    TimeUnit unit;
    if (!choose_unit(options_.units, table_.unit, largest, &unit).ok()) return;
    Table t;
    const bool several = totals.size() > 1;
    if (several) t.columns.push_back({.title = "method", .min_width = 12});
    t.columns.push_back({.title = "part", .min_width = 14});
    t.columns.push_back({.title = "ops", .kind = CellKind::Integer, .drop = 2});
    t.columns.push_back({.title = "calls", .kind = CellKind::Integer, .drop = 1});
    t.columns.push_back({.title = "time", .kind = CellKind::Duration, .unit = unit});
    t.columns.push_back({.title = "share", .kind = CellKind::ShareBar});
    if (calls) {
      t.columns.push_back({.title = "inside", .kind = CellKind::Duration, .unit = unit});
      t.columns.push_back({.title = "overhead", .kind = CellKind::Duration, .unit = unit});
    }
    for (const PartRow& p : rows) {
      std::vector<Cell> cells;
      if (several) cells.emplace_back(p.method.value_or("(unknown)"));
      const bool framework = p.part == Part::Framework;
      cells.insert(cells.end(),
                   {(p.part == Part::Delegate ? "delegated: " : "") + part_name(p), framework ? Cell() : Cell(p.ops),
                    framework ? Cell() : Cell(p.calls), p.total, p.share});
      if (p.part == Part::Delegate || p.overhead > 0) cells.insert(cells.end(), {p.inner, p.overhead});
      t.add(std::move(cells), RowStyle::Normal, p.share);
    }
    for (const OpBlock& b : table_.blocks) {
      if (b.kind != "execute" || std::fabs(b.variation) < 0.5) continue;
      std::vector<Cell> cells;
      if (several) cells.emplace_back(b.method.value_or("(unknown)"));
      cells.insert(cells.end(), {"variation", Cell(), Cell(), b.variation, b.cost > 0 ? b.variation / b.cost : 0});
      t.add(std::move(cells), RowStyle::Dim);
    }
    if (!several) t.add({"total", Cell(), Cell(), largest, largest > 0 ? 1.0 : 0.0}, RowStyle::Total);
    title("Delegation (" + table_.basis.text() + ")");
    (void)t.write(table_options_, out_);
  }

  // The counts and the table of upstream's get_delegation_info, with the time beside them.
  Status delegated_nodes() {
    if (foreign_.hides_record() || foreign_.hides_instructions()) return {};
    std::vector<DelegationSummary> methods;
    Status status = shown_delegation(store_, table_, &methods);
    if (!status.ok()) return status;
    for (const DelegationSummary& m : methods) {
      const bool timed = summary_.dump_path.has_value();
      title("Graph nodes of " + m.method + (timed ? " (" + table_.basis.text() + ")" : ""));
      *out_ += "(as get_delegation_info counts them: with getitem)\n";
      *out_ += "Total delegated subgraphs: " + std::to_string(m.subgraphs) + "\n";
      *out_ += "Number of delegated nodes: " + std::to_string(m.delegated_nodes) + "\n";
      *out_ += "Number of non-delegated nodes: " + std::to_string(m.non_delegated_nodes) + "\n";
      if (m.rows.empty()) continue;
      DelegationRow total;
      double largest = 0;
      for (const DelegationRow& r : m.rows) {
        largest = std::max({largest, r.ns_delegated, r.ns_non_delegated});
        total.delegated += r.delegated;
        total.non_delegated += r.non_delegated;
        total.ns_delegated += r.ns_delegated;
        total.ns_non_delegated += r.ns_non_delegated;
      }
      TimeUnit unit;
      status = choose_unit(options_.units, table_.unit, largest, &unit);
      if (!status.ok()) return status;
      Table t;
      t.columns = {{.title = "op_type", .min_width = 20}};
      for (const char* name : {"delegated", "not delegated"}) {
        t.columns.push_back({.title = name, .kind = CellKind::Integer});
        if (timed) t.columns.push_back({.title = "time", .kind = CellKind::Duration, .unit = unit});
      }
      const auto row = [&](const std::string& name, const DelegationRow& r, RowStyle style) {
        std::vector<Cell> cells = {name, between(r.delegated - r.fewer, r.delegated + r.more)};
        // No time where there is no node: it would read as one that was measured.
        if (timed) cells.push_back(r.delegated > 0 ? Cell(r.ns_delegated) : Cell());
        cells.push_back(between(r.non_delegated - r.more, r.non_delegated + r.fewer));
        if (timed) cells.push_back(r.non_delegated > 0 ? Cell(r.ns_non_delegated) : Cell());
        t.add(std::move(cells), style);
      };
      for (const DelegationRow& r : m.rows) row(r.op_type, r, RowStyle::Normal);
      row("Total", total, RowStyle::Total);
      (void)t.write(table_options_, out_);
      if (m.uncertain_nodes > 0) {
        note(plural(m.uncertain_nodes, "node") +
             " share a debug handle with others, of which only some are delegated: " +
             (summary_.program_path ? "the program does not tell which" : "the program (--pte) tells which"));
      }
    }
    return {};
  }

  void unlinked() {
    if (summary_.unlinked.empty()) return;
    struct Reason {
      std::vector<uint32_t> ops;
      double cost = 0, largest = -1;
      std::string example;
    };
    std::map<std::string, Reason> reasons;
    bool loads = false;
    for (const UnlinkedRow& u : summary_.unlinked) {
      const OpEntry& op = table_.ops[u.op];
      Reason& r = reasons[u.reason];
      r.ops.push_back(static_cast<uint32_t>(u.op));
      r.cost += op.cost;
      loads = loads || table_.block_of(op).kind == "load";
      if (op.cost > r.largest) r.largest = op.cost, r.example = op_title(table_, op);
    }
    std::vector<std::pair<std::string, Reason>> order(reasons.begin(), reasons.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.cost > b.second.cost; });
    title("Without a link to the graph (" + table_.basis_text() + (loads ? ", and loading" : "") + ")");
    for (const auto& [reason, r] : order) {
      const OpCount count = count_ops_and_calls(table_, r.ops);
      std::string text = count.text() + ", " + time(r.cost) + " (" + r.example;
      text += std::string(count.ops + count.calls > 1 ? ", …" : "") + "): " + reason;
      *out_ += wrapped_lines(printable(text), table_options_.width, "  ");
    }
  }

  Status values() {
    std::unordered_map<int64_t, int32_t> numbers;  // of executions, by run
    Status status = execution_numbers(store_, table_, &numbers);
    if (!status.ok()) return status;
    Statement st;
    status = store_.prepare(
        "SELECT coalesce(o.name, '(output)'), v.run_id, v.kind, v.dtype, v.shape, v.min, v.max, v.mean, "
        "v.nan_count, "
        "v.first_values, v.problem, o.ordinal FROM debug_values v LEFT JOIN ops o ON o.op_id = v.op_id "
        "WHERE v.trace_id = ?1 ORDER BY v.value_id",
        &st);
    if (!status.ok()) return status;
    Table t;
    t.columns = {{.title = "#", .kind = CellKind::Integer},
                 {.title = "op", .min_width = 20},
                 {.title = "run", .kind = CellKind::Integer, .drop = 2},
                 {.title = "type"},
                 {.title = "shape", .min_width = 10},
                 {.title = "min", .kind = CellKind::Real, .decimals = 4},
                 {.title = "max", .kind = CellKind::Real, .decimals = 4},
                 {.title = "mean", .kind = CellKind::Real, .decimals = 4, .drop = 1},
                 {.title = "nan", .kind = CellKind::Integer, .drop = 3},
                 {.title = "first values", .min_width = 12}};
    st.bind_all(table_.trace_id);
    while (st.step()) {
      const std::string last = st.is_null(9) ? st.str(10) : st.str(9);
      const auto number = numbers.find(st.integer(1));
      t.add({st.is_null(11) ? Cell() : Cell(st.integer(11)), st.str(0),
             number == numbers.end() ? Cell() : Cell(int64_t{number->second}), st.is_null(3) ? st.str(2) : st.str(3),
             st.str(4), cell(st.maybe_real(5)), cell(st.maybe_real(6)), cell(st.maybe_real(7)),
             cell(st.maybe_integer(8)), last});
    }
    title("Logged values");
    if (t.rows.empty()) {
      *out_ += "none\n";
      return {};
    }
    return t.write(table_options_, out_);
  }

  const Store& store_;
  const TextReportInput& in_;
  const OpTable& table_;
  const TraceFacts& summary_;
  const ReportOptions& options_;
  std::string* out_;
  ForeignFiles foreign_;
  TableOptions table_options_;
};

}  // namespace

Status write_text_report(const Store& store, const TextReportInput& input, std::string* out) {
  return TextReport(store, input, out).write();
}

Status write_markdown_report(const TextReportInput& in, std::string* out) {
  TimeUnit unit;
  Status status = table_unit(in, &unit);
  if (!status.ok()) return status;
  const PlaceNames places(*in.table);
  const std::vector<const OpBlock*> blocks = table_blocks(*in.table, *in.filter);
  for (size_t i = 0; i < blocks.size(); ++i) {
    *out += std::string(i == 0 ? "" : "\n") + "### " + printable(block_title(*in.table, *blocks[i])) + ": " +
            block_basis(*in.table, *blocks[i], in.options->units) + "\n\n";
    Marks marks;
    const CostLines lines = cost_lines(*in.table, *blocks[i], *in.filter, in.sort);
    TableOptions options;
    options.format = "markdown";
    status =
        block_table(*in.table, *blocks[i], lines, places, unit, in.options->top, false, &marks).write(options, out);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace et::inspector
