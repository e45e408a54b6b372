#include "inspector/report/gap_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

std::string type_text_of(const LoggedValue& got, const LoggedValue& want) {
  const std::string a = type_text(got), b = type_text(want);
  return a == b ? a : a + " / " + b;
}

std::string place_text(const LoggedValue& v) {
  return v.file.empty() ? "" : v.line > 0 ? v.file + ":" + std::to_string(v.line) : v.file;
}

Cell real_cell(double v, bool people) {
  if (people) return std::isnan(v) ? Cell() : Cell(figure_text(v));
  return std::isfinite(v) ? Cell(v) : Cell();
}

Table gap_table(const Gap& gap, const GapSide& run, const GapSide& reference, GapOrder order, size_t most,
                bool people) {
  Table t;
  t.columns = {{.title = "#", .kind = CellKind::Integer, .key = "order"},
               {.title = "op", .min_width = 18},
               {.title = "node", .drop = 3, .min_width = 18},
               {.title = "error", .key = "relative_error", .right = people},
               {.title = "max error", .key = "max_abs_error", .right = people},
               {.title = "MSE", .key = "mse", .drop = 6, .right = people},
               {.title = "L1", .key = "mean_abs_error", .drop = 7, .right = people},
               {.title = "SNR (dB)", .key = "snr_db", .right = people},
               {.title = "cosine", .drop = 8, .right = people},
               {.title = "own SNR", .key = "own_snr_db", .right = people},
               {.title = "role"},
               {.title = "inputs", .drop = 9},
               {.title = "NaN, inf", .key = "special"},
               {.title = "tensor", .drop = 4, .min_width = 16},
               {.title = "delegate", .drop = 5, .min_width = 12},
               {.title = "line", .drop = 1, .min_width = 14},
               {.title = "module", .drop = 2, .min_width = 14}};
  size_t shown = 0;
  for (const size_t i : sorted_rows(gap, order)) {
    if (shown++ >= most) break;
    const GapRow& row = gap.rows[i];
    const LoggedValue &got = run.values[row.value], &want = reference.values[row.reference];
    const GapFigures& f = row.figures;
    const auto snr_cell = [&](const GapFigures& figures) {
      return people ? cell(db_text(figures)) : real_cell(figures.snr_db(), false);
    };
    const bool first = gap.first == i;
    t.add({static_cast<int64_t>(i), people && first && gap.inputs == GapInputs::Same ? "> " + got.name : got.name,
           cell(node_text(got, want, row)), people && f.exact() ? Cell("0") : real_cell(f.relative(), people),
           real_cell(f.max_abs, people), real_cell(f.mse(), people), real_cell(f.mean_abs(), people), snr_cell(f),
           people && !std::isnan(f.cosine()) ? Cell(format_real(f.cosine(), 6)) : real_cell(f.cosine(), people),
           row.own ? snr_cell(*row.own) : Cell(),
           cell(std::string(people ? gap_role_text(gap, row) : gap_role_name(row.role))),
           is_unknown_for_its_inputs(row) ? Cell("not recorded") : Cell(), cell(special_text(f)),
           type_text_of(got, want), cell(got.backend), cell(place_text(got)), cell(row.module)},
          people && f.exact() ? RowStyle::Dim : RowStyle::Normal);
  }
  if (people && shown > most)
    t.add({Cell(), "(" + plural(static_cast<int64_t>(gap.rows.size() - most), "more value") + ")"}, RowStyle::Dim);
  if (people) t.drop_columns([&](size_t c) { return t.is_empty(c); });
  return t;
}

std::string tolerance_text(const Gap& gap, const GapSide& run) {
  std::vector<double> floats;
  for (const GapRow& row : gap.rows) {
    if (run.values[row.value].dtype.find("float") != std::string::npos) floats.push_back(row.tolerance);
  }
  std::sort(floats.begin(), floats.end());
  floats.erase(std::unique(floats.begin(), floats.end()), floats.end());
  std::string out;
  for (const double t : floats) out += (out.empty() ? "" : " or ") + figure_text(t);
  return out.empty() ? "no difference" : out + " of a tensor's largest value";
}

std::string histogram_lines(const GapFigures& f) {
  std::string out;
  uint64_t most = f.equal;
  for (const uint64_t n : f.decades) most = std::max(most, n);
  const auto line = [&](const std::string& name, uint64_t n) {
    if (n == 0) return;
    const auto bar = static_cast<size_t>(std::ceil(30.0 * static_cast<double>(n) / static_cast<double>(most)));
    const std::string count = format_count(static_cast<int64_t>(n));
    out += "    " + name + std::string(name.size() < 12 ? 12 - name.size() : 0, ' ') +
           std::string(count.size() < 12 ? 12 - count.size() : 0, ' ') + count + "  " + std::string(bar, '#') + "\n";
  };
  line("equal", f.equal);
  for (size_t i = 0; i < f.decades.size(); ++i)
    line(i == 0 ? "< 1e-12" : ">= " + figure_text(f.least_of_decade(i)), f.decades[i]);
  return out;
}

/// All that is beyond the tolerance is right for what it was fed.
bool nobody_adds(const Gap& gap) {
  return gap.has_own && std::all_of(gap.rows.begin(), gap.rows.end(), [](const GapRow& row) {
           return row.role == GapRole::None || row.role == GapRole::PassesOn;
         });
}

std::string first_lines(const Gap& gap, const GapSide& run, const GapSide& reference) {
  if (gap.rows.empty()) return "";
  if (!gap.first) return "No value is beyond the tolerance.\n";
  const GapRow& row = gap.rows[*gap.first];
  const LoggedValue& v = run.values[row.value];
  std::string out = gap.inputs != GapInputs::Same       ? "First value that differs: "
                    : nobody_adds(gap) || gap.quantised ? "First value beyond the tolerance: "
                                                        : "First divergence: ";
  out += v.name;
  const std::string node = node_text(v, reference.values[row.reference], row);
  if (!node.empty()) out += ", node " + node;
  if (v.instruction >= 0) out += ", instruction " + std::to_string(v.instruction);
  if (!row.module.empty()) out += ", module " + printable(row.module);
  out += "\n";
  if (!v.file.empty()) out += "  " + place_text(v) + (v.code.empty() ? "" : ": " + printable(v.code)) + "\n";
  const GapFigures& f = row.figures;
  const bool alike = figure_text(f.got) == figure_text(f.want);
  const auto number = [&](double x) { return alike ? format_real(x, 9) : figure_text(x); };
  out += "  ";
  if (std::isfinite(f.relative())) out += "error " + figure_text(f.relative()) + " of its largest value; ";
  if (f.largest == 0) out += "the reference is all 0; ";
  out += "worst at " + element_place(v.shape, f.worst) + ": " + number(f.got) + " instead of " + number(f.want) +
         "\n  |error| of its " + plural(static_cast<int64_t>(f.elements), "element") + ":\n" + histogram_lines(f);
  return out;
}

/// Of an own error; without a share where the right value is 0 or none.
std::string share_text(const GapFigures& f) {
  return std::isfinite(f.relative()) ? figure_text(f.relative()) : figure_text(f.max_abs) + " in absolute terms";
}

std::string role_lines(const Gap& gap, const GapSide& run, const GapSide& reference) {
  if (!gap.first) return "";
  if (gap.quantised) {
    const GapRow& worst = gap.rows[largest_error(gap)];
    return "The run is quantised and the reference is not: what differs may be the price of that alone. The worst is " +
           run.values[worst.value].name + (worst.module.empty() ? "" : " of " + printable(worst.module)) + ", " +
           figure_text(worst.figures.relative()) +
           " of its largest value. What each layer costs, et-inspect sensitivity says; whether an op is wrong, gap "
           "against the run's own graph (no --against).\n";
  }
  if (!gap.has_own)
    return "Which ops add error and which only pass it on is known against the graph of an ETRecord alone (no "
           "--against).\n";
  std::vector<size_t> adds;
  size_t passes = 0, unknown = 0, no_inputs = 0;
  for (size_t i = 0; i < gap.rows.size(); ++i) {
    if (gap.rows[i].role == GapRole::Adds) adds.push_back(i);
    passes += gap.rows[i].role == GapRole::PassesOn;
    unknown += gap.rows[i].role == GapRole::Unknown;
    no_inputs += is_unknown_for_its_inputs(gap.rows[i]);
  }
  std::string out = role_counts_text(adds.size(), passes, unknown) + unknown_text(unknown, no_inputs);
  std::stable_sort(adds.begin(), adds.end(),
                   [&](size_t a, size_t b) { return gap.rows[a].own->relative() > gap.rows[b].own->relative(); });
  if (adds.size() > 3) adds.resize(3);
  std::vector<std::string> worst;
  for (const size_t i : adds) {
    const LoggedValue& v = run.values[gap.rows[i].value];
    const std::string node = node_text(v, reference.values[gap.rows[i].reference], gap.rows[i]);
    worst.push_back(v.name + (node.empty() ? "" : " (" + node + ")") + " by " + share_text(*gap.rows[i].own));
  }
  out += (worst.empty() ? "" : "; most: " + joined(worst, ", ")) + ".\n";
  return out;
}

void write_figures(const GapFigures& f, JsonWriter* json) {
  json->member("elements", static_cast<int64_t>(f.elements)).member("equal", static_cast<int64_t>(f.equal));
  json->member("relative_error", f.relative()).member("max_abs_error", f.max_abs).member("mse", f.mse());
  json->member("mean_abs_error", f.mean_abs()).member("sum_abs_error", f.sum_abs).member("snr_db", f.snr_db());
  json->member("cosine", f.cosine()).member("exact", f.exact());
  json->member("nan", static_cast<int64_t>(f.nan_got)).member("nan_reference", static_cast<int64_t>(f.nan_want));
  json->member("nan_mismatch", static_cast<int64_t>(f.nan_mismatch)).member("inf", static_cast<int64_t>(f.inf_got));
  json->member("inf_reference", static_cast<int64_t>(f.inf_want));
  json->member("inf_mismatch", static_cast<int64_t>(f.inf_mismatch));
  json->key("histogram").begin_array();
  for (size_t i = 0; i < f.decades.size(); ++i) {
    if (f.decades[i] == 0) continue;
    json->begin_object().member("from", f.least_of_decade(i));
    json->member("count", static_cast<int64_t>(f.decades[i])).end_object();
  }
  json->end_array();
}

void write_side(const LoggedValue& v, const char* key, JsonWriter* json) {
  json->key(key).begin_object().member("dtype", v.dtype).key("shape").begin_array();
  for (const int32_t size : v.shape) json->value(static_cast<int64_t>(size));
  json->end_array().end_object();
}

std::optional<std::string> some(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

void write_row(const Gap& gap, size_t i, const GapSide& run, const GapSide& reference, JsonWriter* json) {
  const GapRow& row = gap.rows[i];
  const LoggedValue &got = run.values[row.value], &want = reference.values[row.reference];
  json->begin_object().member("order", static_cast<int64_t>(i)).member("op", got.name).member("op_id", got.op_id);
  json->member("instruction", got.instruction < 0 ? std::nullopt : std::optional(got.instruction));
  json->member("node", some(row.nearest ? want.node : got.node));
  json->member("output", row.nearest ? want.node_output : got.node_output).member("trip", row.visit);
  json->key("debug_handles").begin_array();
  for (const int64_t handle : row.debug_handles) json->value(handle);
  json->end_array().member("backend", some(got.backend)).member("line", some(place_text(got)));
  json->member("code", some(got.code)).member("module", some(row.module));
  write_side(got, "tensor", json);
  write_side(want, "reference", json);
  json->member("nearest", row.nearest)
      .member("rearranged", row.rearranged)
      .member("tolerance", row.tolerance)
      .member("diverges", row.diverges)
      .member("inputs_known", row.knows_inputs);
  json->member("role", some(gap_role_name(row.role)));
  write_figures(row.figures, json);
  json->member("worst_at", element_place(got.shape, row.figures.worst));
  json->member("worst", row.figures.got).member("worst_reference", row.figures.want);
  if (row.own) {
    json->key("own").begin_object();
    write_figures(*row.own, json);
    json->end_object();
  } else {
    json->member("own", nullptr);
  }
  json->end_object();
}

const char* gap_inputs_name(GapInputs inputs) {
  return inputs == GapInputs::Same ? "same" : inputs == GapInputs::Doubtful ? "doubtful" : "other";
}

void write_gap_json(const Gap& gap, const GapSide& run, const GapSide& reference, GapOrder order, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("gap").begin_object();
  json.member("trace", run.name).member("against", reference.name).member("matched_by", gap.matched_by);
  json.member("first", gap.first ? std::optional(static_cast<int64_t>(*gap.first)) : std::nullopt);
  json.member("inputs", gap_inputs_name(gap.inputs)).member("other_input", some(gap.other_input));
  json.key("unproven_inputs").begin_array();
  for (const std::string& input : gap.unproven_inputs) json.value(input);
  json.end_array();
  json.member("unused_reference_values", static_cast<int64_t>(gap.unused));
  json.key("rows").begin_array();
  for (const size_t i : sorted_rows(gap, order)) write_row(gap, i, run, reference, &json);
  json.end_array().key("missing").begin_array();
  for (const GapMissing& m : gap.missing) {
    const LoggedValue& v = run.values[m.value];
    json.begin_object().member("op", v.name).member("op_id", v.op_id).member("node", some(v.node));
    json.member("why", m.why).end_object();
  }
  json.end_array().end_object().end_object();
}

}  // namespace

std::string figure_text(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof(text), "%.3g", v);
  return text;
}

std::string db_text(const GapFigures& f) {
  if (f.exact()) return "exact";
  const double snr = f.snr_db();
  return std::isnan(snr) ? "" : format_real(snr, 1);
}

bool is_unknown_for_its_inputs(const GapRow& row) { return row.role == GapRole::Unknown && !row.knows_inputs; }

std::string role_counts_text(size_t adds, size_t passes, size_t unknown) {
  const std::string passed = format_count(static_cast<int64_t>(passes));
  if (adds > 0)
    return plural(static_cast<int64_t>(adds), "op") + (adds == 1 ? " adds error, " : " add error, ") + passed +
           " only pass it on";
  if (unknown > 0) return "No op is known to add error, " + passed + " only pass it on";
  return "No op adds error beyond the tolerance: smaller differences add up, and " + passed + " pass them on";
}

std::string unknown_text(size_t unknown, size_t no_inputs) {
  if (unknown == 0) return "";
  const std::string of = ", of " + format_count(static_cast<int64_t>(unknown)) + " it is not known";
  if (no_inputs == 0) return of;
  const std::string some = no_inputs == unknown ? "" : "of " + format_count(static_cast<int64_t>(no_inputs)) + " ";
  return of + " (" + some + "inputs not recorded: own error unknown)";
}

std::string other_inputs_text(const Gap& gap) {
  const std::string is = "The model's own inputs ";
  if (gap.other_case) return is + "differ from the reference's: the runs are of different test cases";
  if (gap.inputs == GapInputs::Same) {
    // Where nothing is off, or what is made from each input is right, they were the same.
    if (!gap.first || gap.inputs_proven) return "";
    return is + "are not recorded, so it cannot be ruled out that they differ from the reference's" +
           (gap.unproven_inputs.empty() ? "" : ": " + joined(gap.unproven_inputs, ", "));
  }
  if (gap.inputs == GapInputs::Other)
    return is + "differ from the reference's: " + gap.other_input + " is another one, so errors may be no op's fault";
  if (!gap.other_input.empty())
    return is + "are probably not the reference's: what is made from " + gap.other_input + " is far off already";
  return is + "are probably not the reference's: what is made from them is far off already";
}

std::string missing_text(const Gap& gap, const GapSide& run) {
  if (gap.missing.empty()) return "";
  std::vector<std::pair<std::string, std::vector<std::string>>> by_why;
  for (const GapMissing& m : gap.missing) {
    auto it = std::find_if(by_why.begin(), by_why.end(), [&](const auto& e) { return e.first == m.why; });
    if (it == by_why.end()) it = by_why.insert(by_why.end(), {m.why, {}});
    it->second.push_back(run.values[m.value].name);
  }
  std::string out = "Not compared:\n";
  for (auto& [why, names] : by_why) {
    const auto count = static_cast<int64_t>(names.size());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const size_t more = names.size() > 4 ? names.size() - 3 : 0;
    names.resize(names.size() - more);
    out += "  " + plural(count, "value") + " of " + joined(names, ", ") +
           (more > 0 ? " and " + std::to_string(more) + " more" : "") + ": " + why + "\n";
  }
  return out;
}

std::string node_text(const LoggedValue& got, const LoggedValue& want, const GapRow& row) {
  const LoggedValue& v = row.nearest ? want : got;
  std::string out = v.node;
  if (out.empty()) return out;
  if (v.node_output > 0) out += "." + std::to_string(v.node_output);
  if (row.visit > 0) out += "@" + std::to_string(row.visit);
  return (row.nearest ? "~" : "") + out;
}

std::string special_text(const GapFigures& f) {
  std::string out;
  const auto add = [&](uint64_t got, uint64_t want, const char* what) {
    if (got == 0 && want == 0) return;
    out += (out.empty() ? "" : ", ") + std::string(what) + " " + format_count(static_cast<int64_t>(got));
    if (got != want) out += " instead of " + format_count(static_cast<int64_t>(want));
  };
  add(f.nan_got, f.nan_want, "NaN");
  add(f.inf_got, f.inf_want, "inf");
  return out;
}

std::string element_place(const std::vector<int32_t>& shape, int64_t element) {
  if (element < 0) return "";
  std::vector<int64_t> place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t size = std::max(shape[d], 1);
    place[d] = element % size;
    element /= size;
  }
  std::string out = "[";
  for (const int64_t i : place) out += (out.size() > 1 ? ", " : "") + std::to_string(i);
  return out + "]";
}

Status write_gap(const Gap& gap, const GapSide& run, const GapSide& reference, const GapReportOptions& options,
                 std::string* out) {
  if (options.format == "json") {
    write_gap_json(gap, run, reference, options.order, out);
    return {};
  }
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  const bool people = options.format == "table" || options.format == "markdown";
  const size_t most = options.top < 0 || !people ? SIZE_MAX : static_cast<size_t>(options.top);
  if (!people) return gap_table(gap, run, reference, options.order, most, false).write(table, out);
  *out += "Numerical gap of " + printable(run.name) + " against " + printable(reference.name) + "\n";
  if (options.format == "markdown") *out += "\n";
  *out += format_count(static_cast<int64_t>(gap.rows.size())) + " of " +
          plural(static_cast<int64_t>(run.values.size()), "value") + " compared";
  if (!gap.rows.empty()) *out += ", by " + gap.matched_by + "; rounding: up to " + tolerance_text(gap, run);
  *out += "\n";
  if (const std::string other = other_inputs_text(gap); !other.empty()) {
    *out += other + (gap.has_own ? "; give the run's with --input, --cases, --ones or --random.\n" : ".\n");
  }
  *out += "\n";
  if (!gap.rows.empty()) {
    if (Status s = gap_table(gap, run, reference, options.order, most, true).write(table, out); !s.ok()) return s;
    *out += "\n" + first_lines(gap, run, reference) + role_lines(gap, run, reference);
  }
  *out += missing_text(gap, run);
  return {};
}

}  // namespace et::inspector
