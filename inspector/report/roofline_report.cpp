#include "inspector/report/roofline_report.h"

#include <algorithm>

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {

std::string flops_text(double flops) {
  constexpr std::pair<double, const char*> kSteps[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (const auto& [step, unit] : kSteps) {
    if (flops >= step) return format_real(flops / step, flops / step < 10 ? 2 : flops / step < 100 ? 1 : 0) + unit;
  }
  return format_real(flops, 0);
}

std::string rate_text(double rate) { return format_real(rate, rate < 10 ? 2 : rate < 100 ? 1 : 0); }

std::string machine_line(const MachinePeaks& m, const std::string& trace_cpu) {
  std::string out = "machine: " + printable(m.cpu.empty() ? m.host : m.cpu) + ", " + plural(m.threads, "thread") +
                    ": " + rate_text(m.gflops) + " GFLOP/s float32";
  if (m.int8_gops > 0) out += ", " + rate_text(m.int8_gops) + " GOP/s int8";
  if (!m.bandwidth.empty()) {
    out += ", " + rate_text(m.bandwidth.front().second) + " GB/s in " +
           format_bytes(static_cast<int64_t>(m.bandwidth.front().first)) + ", " + rate_text(m.bandwidth.back().second) +
           " in " + format_bytes(static_cast<int64_t>(m.bandwidth.back().first));
  }
  out += "\n";
  if (!trace_cpu.empty() && !m.cpu.empty() && trace_cpu != m.cpu)
    out += "! another processor: the trace is of " + printable(trace_cpu) + "\n";
  return out;
}

namespace {

/// What only fewer calls win is no kernel's; "" where it is little.
std::string calls_text(const Roofline& r, const TimeUnit& unit) {
  if (!r.has_calls_to_win()) return {};
  return ", and only fewer calls " + format_duration_named(r.calls_win_ns(), unit) +
         " more, of ops that do next to nothing";
}

}  // namespace

std::string seen_summary(const Roofline& r, const SeenPeaks& seen, const std::string& units) {
  TimeUnit unit;
  (void)choose_unit(units, "ns", r.total_ns, &unit);
  const auto memory = [&](size_t at) {
    const auto& [bytes, speed] = seen.peaks.bandwidth[at];
    return rate_text(speed) + " GB/s in " + format_bytes(static_cast<int64_t>(bytes)) + " (" + seen.memory_of[at] + ")";
  };
  std::string best = rate_text(std::max(seen.peaks.gflops, seen.peaks.int8_gops)) + " " +
                     rate_unit(seen.peaks.int8_gops >= seen.peaks.gflops) + " (" + seen.compute_of + ")";
  if (seen.memory_of.size() > 1) best += ", " + memory(0);
  best += " and " + memory(seen.memory_of.size() - 1);
  return "The peaks of its machine are not known, so each op is held against the best that ops of this trace reached "
         "with a quarter of its data or more: at least " +
         best + ". At these rates kernels would win " + format_duration_named(r.kernels_win_ns(), unit) + " of " +
         format_duration_named(r.total_ns, unit) + calls_text(r, unit) + "; the machine may exceed them.\n";
}

namespace {

/// What no machine can do, as long as it and the ops are counted right.
std::string above_text(const Roofline& r) {
  int64_t count = 0;
  double ns = 0;
  for (const RooflineRow& row : r.rows) {
    if (row.is_above_roof()) ++count, ns += row.ns;
  }
  if (count == 0) return {};
  return "! " + plural(count, "op") + " (" + format_share(r.total_ns > 0 ? ns / r.total_ns : 0) + " of the time) " +
         (count == 1 ? "is" : "are") +
         " faster than the measured peaks: the machine can do more, or less is moved than the shapes say.\n";
}

}  // namespace

std::string roofline_summary(const Roofline& r, bool roofs, const std::string& units) {
  std::string out;
  TimeUnit unit;
  (void)choose_unit(units, "ns", r.total_ns, &unit);
  const auto share = [&](double ns) { return format_share(r.total_ns > 0 ? ns / r.total_ns : 0); };
  if (r.total_ns > 0 && r.flops > 0) {
    const std::string operations = r.has_integers() ? "OP" : "FLOP";
    out += "All of it: " + flops_text(r.flops) + (r.flops < 1e3 ? " " : "") + operations + " and " +
           format_bytes(static_cast<int64_t>(r.bytes)) + " in " + format_duration_named(r.total_ns, unit) + ", " +
           rate_text(r.flops / r.total_ns) + " G" + operations + "/s, " + rate_text(r.bytes / r.total_ns) + " GB/s.\n";
  }
  if (roofs && r.roof_ns > 0) {
    const double win = r.kernels_win_ns() + r.calls_win_ns();
    if (r.believable())
      out += "Rows with a roof take " + format_duration_named(r.known_ns, unit) + " (" + share(r.known_ns) +
             "); at their roofs they would take " + format_duration_named(r.known_ns - win, unit) +
             ", so kernels can win at most " + format_duration_named(r.kernels_win_ns(), unit) + " there" +
             calls_text(r, unit) + ".\n";
    else
      out += share(r.above_ns) +
             " of the time is of rows that are faster than their roofs: the machine was busy when it was measured. "
             "Calibrate again on an idle machine; until then what could be won is not known.\n";
  }
  if (roofs && r.believable()) out += above_text(r);
  const auto staying =
      std::count_if(r.rows.begin(), r.rows.end(), [](const RooflineRow& row) { return row.stays && row.ns > 0; });
  if (staying > 0) {
    out += plural(staying, "view") + (staying == 1 ? " takes" : " take") +
           " far less than moving so many bytes does: the data stayed where it is, and there is no roof.\n";
  }
  const auto sparing =
      std::count_if(r.rows.begin(), r.rows.end(), [](const RooflineRow& row) { return row.spares && row.roof_ns > 0; });
  if (sparing > 0) {
    out += plural(sparing, "3x3 convolution") + (sparing == 1 ? " is" : " are") +
           " faster than the peak with all of the operations that are counted: held against the four ninths of them "
           "that Winograd's algorithm has.\n";
  }
  if (!r.left_out.empty()) out += printable(r.left_out) + ".\n";
  // What is no work of the model is told apart from work that is not known.
  const double noise = std::max(r.variation_ns, 0.0), none = r.no_work_ns();
  if (r.unknown_ns() > 0 && r.has_graph) {
    const std::string what = r.unknown_text();
    out += "Of " + share(r.unknown_ns()) + " of the time the work is not known: " +
           (what.empty() ? "no graph node, no formula for the operator, or a shape with a symbol" : printable(what)) +
           ".\n";
  }
  if (none > 0.1 * r.total_ns) {
    std::vector<std::string> parts;
    if (r.framework_ns > 0) parts.push_back(share(r.framework_ns) + " framework");
    if (noise > 0) parts.push_back(share(noise) + " variation beyond the ops' usual times");
    out += "No operator's work: " + joined(parts, " and ") + ".\n";
  }
  return out;
}

namespace {

/// What was counted stands in the last columns, of tables for people only where something was.
void add_counted(const Roofline& r, const std::vector<MeasuredCounts>& measured, bool people, Table* t) {
  t->columns.push_back({.title = "instr", .key = "instructions", .right = people});
  t->columns.push_back({.title = "fetched", .kind = CellKind::Bytes, .key = "fetched_bytes_at_least"});
  for (size_t i = 0; i < t->rows.size() && i < r.rows.size(); ++i) {
    const std::optional<double>&n = measured[i].instructions, bytes = measured[i].fetched_bytes();
    t->rows[i].cells.push_back(!n ? Cell() : people ? Cell(flops_text(*n)) : Cell(*n));
    t->rows[i].cells.push_back(bytes ? Cell(static_cast<int64_t>(*bytes)) : Cell());
  }
}

/// Without the machine's peaks (`roofs`) a part of a roof is a most, and what bounds an op is not known.
Table rows_table(const Roofline& r, bool roofs, const SeenPeaks* seen, const std::vector<MeasuredCounts>* measured,
                 size_t most, const TimeUnit& unit, bool people) {
  Table t;
  t.columns = {{.title = "time", .kind = CellKind::Duration, .unit = unit},
               {.title = "share", .kind = CellKind::Share},
               {.title = "op", .min_width = 22},
               {.title = "FLOP", .key = "flops", .right = people},
               {.title = "bytes", .kind = CellKind::Bytes, .drop = 3},
               {.title = "FLOP/B", .kind = CellKind::Real, .key = "flops_per_byte", .drop = 4},
               {.title = "GFLOP/s", .key = "gflops", .right = people},
               {.title = "GB/s", .key = "gbytes_per_second", .right = people},
               {.title = "of roof", .kind = CellKind::Share, .key = "efficiency"},
               {.title = "bound"},
               {.title = "delegate", .drop = 5, .min_width = 12},
               {.title = "method"},
               {.title = "line", .drop = 1, .min_width = 14},
               {.title = "module", .drop = 2, .min_width = 14}};
  if (seen != nullptr && people) t.columns[8] = {.title = "of best", .right = true};
  if (!people) t.columns.push_back({.title = "of best", .key = "efficiency_at_most"});
  const bool methods = !people || r.has_methods();
  const auto text_or_number = [&](const std::optional<double>& v, std::string (*text)(double)) {
    return !v ? Cell() : people ? Cell(text(*v)) : Cell(*v);
  };
  // The best are usual rates: an execution may exceed them.
  const auto most_share = [](double share) { return "≤ " + format_share(std::min(share, 1.0)); };
  RooflineRow rest;
  size_t shown = 0;
  double explained = 0;
  for (const RooflineRow& row : r.rows) {
    explained += row.ns;
    if (shown >= most) {
      rest.ns += row.ns;
      continue;
    }
    ++shown;
    t.add({row.ns, r.total_ns > 0 ? Cell(row.ns / r.total_ns) : Cell(), row.title,
           text_or_number(row.work.flops, flops_text),
           row.work.bytes ? Cell(static_cast<int64_t>(*row.work.bytes)) : Cell(), cell(row.intensity()),
           text_or_number(row.gflops(), rate_text), text_or_number(row.gbytes(), rate_text),
           seen != nullptr && people ? text_or_number(row.efficiency(), most_share)
           : roofs                   ? cell(row.efficiency())
                                     : Cell(),
           roofs ? cell(std::string(bound_name(row.bound))) : Cell(), cell(row.backend),
           methods ? cell(row.method) : Cell(), cell(row.place), cell(row.module)});
    if (!people) t.rows.back().cells.push_back(seen != nullptr ? cell(row.efficiency()) : Cell());
  }
  if (measured != nullptr) add_counted(r, *measured, people, &t);
  if (!people) return t;
  const auto sum_row = [&](const std::string& name, double ns, RowStyle style) {
    t.add({ns, r.total_ns > 0 ? Cell(ns / r.total_ns) : Cell(), name}, style);
  };
  if (shown < r.rows.size())
    sum_row("(" + plural(static_cast<int64_t>(r.rows.size() - shown), "more row") + ")", rest.ns, RowStyle::Dim);
  sum_row("(in no op)", r.total_ns - explained, RowStyle::Dim);
  t.add({r.total_ns, Cell(1.0), "all of it", flops_text(r.flops), static_cast<int64_t>(r.bytes)}, RowStyle::Total);
  t.drop_columns([&](size_t c) { return t.is_empty(c); });
  return t;
}

// What is held against the best of the trace has members of its own: who reads "efficiency" expects a machine's.
void write_best_of_trace(const Roofline& r, const SeenPeaks& seen, JsonWriter* json) {
  json->key("best_of_trace").begin_object();
  json->member("gflops_at_least", std::max(seen.peaks.gflops, seen.peaks.int8_gops))
      .member("gflops_of", seen.compute_of);
  json->member("gbytes_per_second_at_least", seen.peaks.bandwidth.front().second)
      .member("gbytes_per_second_of", seen.memory_of.front())
      .member("most_to_win", r.kernels_win_ns())
      .member("calls_to_win", r.calls_win_ns())
      .end_object();
}

void write_counters(const MeasuredCounts& m, JsonWriter* json) {
  json->key("counters").begin_object().member("cycles", m.cycles).member("instructions", m.instructions);
  json->member("cache_misses", m.cache_misses).member("fetched_bytes_at_least", m.fetched_bytes()).end_object();
}

void write_json(const Roofline& r, const MachinePeaks* machine, const SeenPeaks* seen,
                const std::vector<MeasuredCounts>* measured, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("roofline").begin_object();
  json.member("basis", r.basis.name()).member("unit", "ns").member("total", r.total_ns).member("with_roof", r.known_ns);
  json.member("left_out", r.left_out);
  json.member("at_roof", machine != nullptr ? r.roof_ns : 0).member("flops", r.flops).member("bytes", r.bytes);
  if (machine != nullptr) {
    json.member("most_to_win", r.kernels_win_ns()).member("calls_to_win", r.calls_win_ns());
    json.key("machine").begin_object().member("host", machine->host).member("cpu", machine->cpu);
    json.member("threads", machine->threads)
        .member("gflops_float32", machine->gflops)
        .member("gops_int8", machine->int8_gops);
    json.key("bandwidth").begin_array();
    for (const auto& [size, speed] : machine->bandwidth)
      json.begin_object().member("working_set_bytes", size).member("gigabytes_per_second", speed).end_object();
    json.end_array().end_object();
  }
  if (seen != nullptr) write_best_of_trace(r, *seen, &json);
  json.key("rows").begin_array();
  for (const RooflineRow& row : r.rows) {
    json.begin_object().member("op", row.title).member("op_id", row.op_id).member("time", row.ns);
    json.member("flops", row.work.flops).member("bytes", row.work.bytes).member("weight_bytes", row.work.weight_bytes);
    json.member("gflops", row.gflops())
        .member("gbytes_per_second", row.gbytes())
        .member("spared_flops", row.spares ? row.work.spared_flops : 0)
        .member("stays", row.stays)
        .member("efficiency", machine != nullptr ? row.efficiency() : std::nullopt);
    json.member("at_roof", machine != nullptr && row.roof_ns > 0 ? std::optional(row.roof_ns) : std::nullopt)
        .member("bound", machine != nullptr ? bound_name(row.bound) : "");
    if (seen != nullptr) json.member("efficiency_at_most", row.efficiency());
    if (measured != nullptr) write_counters((*measured)[static_cast<size_t>(&row - r.rows.data())], &json);
    json.member("unknown", row.work.unknown).member("backend", row.backend).member("line", row.place);
    json.member("module", row.module).member("method", row.method).end_object();
  }
  json.end_array().end_object().end_object();
  *out += "\n";
}

/// "s27 (dimension 1 of tokens in prefill)".
std::string symbols_text(const Roofline& r) {
  std::vector<std::string> out;
  for (const std::string& symbol : r.symbols) {
    const auto place = r.symbol_places.find(symbol);
    out.push_back(place == r.symbol_places.end() ? symbol : symbol + " (" + printable(place->second) + ")");
  }
  return joined(out, ", ");
}

}  // namespace

Status write_roofline(const Roofline& r, const MachinePeaks* machine, const std::string& trace_cpu,
                      const RooflineReportOptions& options, std::string* out) {
  const std::vector<MeasuredCounts>* measured =
      options.measured != nullptr && options.measured->size() == r.rows.size() && !r.rows.empty() ? options.measured
                                                                                                  : nullptr;
  if (options.format == "json") {
    write_json(r, machine, machine == nullptr ? options.seen : nullptr, measured, out);
    return {};
  }
  TimeUnit unit;
  if (Status s = choose_unit(options.units, "ns", r.total_ns, &unit); !s.ok()) return s;
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  const bool people = options.format == "table" || options.format == "markdown", roofs = machine != nullptr;
  const SeenPeaks* seen = roofs ? nullptr : options.seen;
  const size_t most = options.top < 0 || !people ? SIZE_MAX : static_cast<size_t>(options.top);
  if (!people) return rows_table(r, roofs, seen, measured, most, unit, false).write(table, out);
  if (machine != nullptr) *out += machine_line(*machine, trace_cpu) + "\n";
  if (r.rows.empty()) {
    *out += "Nothing ran.\n";
    return {};
  }
  *out += "Work and time, " + r.basis.text() + "\n" + (options.format == "markdown" ? "\n" : "");
  if (Status s = rows_table(r, roofs, seen, measured, most, unit, true).write(table, out); !s.ok()) return s;
  *out += "\n" + roofline_summary(r, roofs, options.units);
  if (seen != nullptr) *out += seen_summary(r, *seen, options.units);
  if (measured != nullptr)
    *out +=
        "instr and fetched were counted by the processor: instructions, and 64 bytes for each miss of the last "
        "cache, at least so many.\n";
  if (!r.symbols.empty())
    *out +=
        "Dynamic shapes have no numbers for " + symbols_text(r) + ": --dim " + *r.symbols.begin() + "=N gives one.\n";
  if (!r.has_graph) *out += "Without an ETRecord the shapes are not known: give it with --etrecord.\n";
  return {};
}

}  // namespace et::inspector
