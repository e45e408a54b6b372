#include "inspector/report/diff_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "inspector/analysis/diff/diff_shares.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

std::string method_verdict(const DiffMethod& m) {
  const std::string name = diff_verdict_name(m.verdict);
  return m.low && m.high ? name + " " + percent_range(*m.low, *m.high) : name;
}

Table groups_table(const TraceDiff& diff, size_t most, const TimeUnit& unit, bool people) {
  Table t;
  t.columns = {{.title = "change", .right = true},
               {.title = "", .key = "relative", .drop = 4, .right = true},
               {.title = "before", .kind = CellKind::Duration, .unit = unit},
               {.title = "after", .kind = CellKind::Duration, .unit = unit},
               {.title = "verdict"},
               {.title = "op", .min_width = 22},
               {.title = "delegate", .drop = 3, .min_width = 12},
               {.title = "line", .min_width = 14},
               {.title = "module", .drop = 2, .min_width = 14}};
  const bool methods = diff.methods.size() > 1;
  if (methods) t.columns.push_back({.title = "method", .drop = 1});
  if (!people) t.columns[0] = {.title = "change", .kind = CellKind::Real};
  double rest_before = 0, rest_after = 0;
  size_t shown = 0;
  for (const DiffGroup& g : diff.groups) {
    if (shown >= most) {
      rest_before += g.before.cost;
      rest_after += g.after.cost;
      continue;
    }
    ++shown;
    std::vector<Cell> cells = {people ? Cell(signed_duration(g.change(), unit)) : Cell(g.change()),
                               percent_change(g.before.cost, g.after.cost),
                               g.before.parts.empty() && g.verdict == DiffVerdict::Added ? Cell() : Cell(g.before.cost),
                               g.after.parts.empty() && g.verdict == DiffVerdict::Removed ? Cell() : Cell(g.after.cost),
                               verdict_text(g),
                               with_change(g.title, g.was_title),
                               cell(delegate_text(g)),
                               cell(with_change(g.place, g.was_place)),
                               cell(g.module)};
    if (methods) cells.push_back(cell(g.method));
    t.add(std::move(cells));
  }
  const auto sum_row = [&](const std::string& name, double before, double after, RowStyle style) {
    t.add({people ? Cell(signed_duration(after - before, unit)) : Cell(after - before), percent_change(before, after),
           before, after, Cell(), name},
          style);
  };
  if (people && shown < diff.groups.size()) {
    const auto left = static_cast<int64_t>(diff.groups.size() - shown);
    sum_row("(" + plural(left, "more row") + ")", rest_before, rest_after, RowStyle::Dim);
  }
  if (people) {
    sum_row("all of it", diff.before, diff.after, RowStyle::Total);
    t.drop_columns([&](size_t c) { return t.is_empty(c); });
  }
  return t;
}

std::string method_line(const DiffMethod& m, const TraceDiff& diff, const TimeUnit& unit, bool different) {
  std::string out = (m.name.empty() ? "(method not known)" : printable(m.name)) + ": ";
  if (m.verdict == DiffVerdict::Added)
    return out + "only in the new trace, " + format_duration_named(m.after, unit) + "\n";
  if (m.verdict == DiffVerdict::Removed)
    return out + "only in the old trace, " + format_duration_named(m.before, unit) + "\n";
  if (m.lacks_basis()) return out + lacking_text(m, diff.basis) + "\n";
  out += diff.basis.text() + " " + format_duration_named(m.before, unit) + " → " +
         format_duration_named(m.after, unit) + ", " + signed_duration(m.after - m.before, unit) + " (" +
         percent_change(m.before, m.after) + ")";
  if (different || m.by_usual) return out + "\n";
  out += ": ";
  switch (m.verdict) {
    case DiffVerdict::Slower:
    case DiffVerdict::Faster:
      return out + "surely " + method_verdict(m) + "\n";
    case DiffVerdict::TooFew:
      return out + "too few warm executions to be sure (" + format_count(m.warm_before) + " and " +
             format_count(m.warm_after) + "; 6 are the least, 20 are good)\n";
    case DiffVerdict::Unclear:
      return out + "unclear, the executions scatter more than that\n";
    default:
      return out + "no difference that matters\n";
  }
}

/// "by type: aten.linear ×18 +59.0 µs, …" or "by module: …", where single ops say little of the change.
std::string shares_line(const TraceDiff& diff, const TimeUnit& unit) {
  const auto line = [&](const std::vector<DiffShare>& shares) {
    std::vector<std::string> parts;
    for (const DiffShare& s : shares) parts.push_back(printable(s.title) + " " + signed_duration(s.change, unit));
    const DiffShare::Of of = shares.front().of;
    return (of == DiffShare::Of::Type     ? "by type: "
            : of == DiffShare::Of::Module ? "by module: "
                                          : "by op: ") +
           joined(parts, ", ");
  };
  if (diff.methods.size() > 1) {
    std::string out;
    for (const MethodShares& m : diff_shares_by_method(diff))
      out += (out.empty() ? "" : "\n") + printable(m.method) + " " + signed_duration(m.change, unit) + ", " +
             line(m.shares);
    return out;
  }
  const std::vector<DiffShare> shares = diff_shares(diff);
  return shares.empty() || shares.front().of == DiffShare::Of::Op ? std::string() : line(shares);
}

std::string counts_line(const TraceDiff& diff) {
  std::array<int64_t, 8> counts{};
  int64_t delegation = 0, moved = 0;
  for (const DiffGroup& g : diff.groups) {
    ++counts[static_cast<size_t>(g.verdict)];
    delegation += g.delegation_changed() ? 1 : 0;
    moved += g.was_place.empty() ? 0 : 1;
  }
  const auto count = [&](DiffVerdict v) { return counts[static_cast<size_t>(v)]; };
  std::vector<std::string> parts;
  const auto add = [&](int64_t n, const char* text) {
    if (n > 0) parts.push_back(format_count(n) + " " + text);
  };
  add(count(DiffVerdict::Slower), "surely slower");
  add(count(DiffVerdict::Faster), "surely faster");
  add(count(DiffVerdict::Added), "added");
  add(count(DiffVerdict::Removed), "removed");
  add(delegation, "with another delegate");
  add(moved, "on another line");
  add(count(DiffVerdict::Unclear), "unclear");
  add(count(DiffVerdict::TooFew), "with too few executions to tell");
  add(count(DiffVerdict::Same), "without a difference");
  add(count(DiffVerdict::Other), "only called alike in both");
  return plural(static_cast<int64_t>(diff.groups.size()), "row") + ": " + joined(parts, ", ") + "\n";
}

void json_source(JsonWriter& json, const char* key, const DiffSource& s) {
  json.key(key).begin_object().member("name", s.name).member("cpu", s.cpu).member("build", s.build);
  json.member("threads", s.threads).member("producer", s.producer).key("errors").begin_array();
  for (const std::string& e : s.errors) json.value(e);
  json.end_array().end_object();
}

void json_changes(JsonWriter& json, const TraceChanges& changes) {
  const auto number = [](const auto& of, auto member) {
    return of ? std::optional<int64_t>((*of).*member) : std::nullopt;
  };
  json.key("delegation").begin_array();
  for (const DelegationChange& c : changes.delegation) {
    json.begin_object().member("method", c.method);
    json.member("delegated_before", number(c.before, &DelegationCount::delegated));
    json.member("delegated_after", number(c.after, &DelegationCount::delegated));
    json.member("non_delegated_before", number(c.before, &DelegationCount::non_delegated));
    json.member("non_delegated_after", number(c.after, &DelegationCount::non_delegated));
    json.member("subgraphs_before", number(c.before, &DelegationCount::subgraphs));
    json.member("subgraphs_after", number(c.after, &DelegationCount::subgraphs)).end_object();
  }
  json.end_array().key("memory").begin_array();
  for (const MemoryChange& c : changes.memory) {
    json.begin_object().member("method", c.method).member("memory_id", c.memory_id).member("device", c.device);
    json.member("bytes_before", number(c.before, &ArenaCount::bytes));
    json.member("bytes_after", number(c.after, &ArenaCount::bytes));
    json.member("peak_before", number(c.before, &ArenaCount::peak));
    json.member("peak_after", number(c.after, &ArenaCount::peak)).end_object();
  }
  json.end_array().key("program_size");
  if (!changes.size) {
    json.value(nullptr);
    return;
  }
  json.begin_object().member("before", changes.size->before).member("after", changes.size->after);
  json.key("groups").begin_array();
  for (const SizeChange& g : changes.size->groups)
    json.begin_object().member("group", g.group).member("before", g.before).member("after", g.after).end_object();
  json.end_array().end_object();
}

void write_json(const TraceDiff& diff, const TraceChanges& changes, const DiffSource& before, const DiffSource& after,
                std::string* out) {
  JsonWriter json(out);
  const bool nothing = !diff.methods.empty() && std::all_of(diff.methods.begin(), diff.methods.end(),
                                                            [](const DiffMethod& m) { return m.lacks_basis(); });
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("diff").begin_object();
  json.member("different_programs", !different_programs(diff).empty()).member("same_program", changes.same_program);
  json.member("unit", diff.unit)
      .member("basis", diff.basis.name())
      .member("before", nothing ? std::nullopt : std::optional<double>(diff.before))
      .member("after", nothing ? std::nullopt : std::optional<double>(diff.after));
  json_source(json, "before_trace", before);
  json_source(json, "after_trace", after);
  json.key("methods").begin_array();
  for (const DiffMethod& m : diff.methods) {
    const auto known = [&](double time) { return m.lacks_basis() ? std::nullopt : std::optional<double>(time); };
    json.begin_object().member("name", m.name).member("before", known(m.before)).member("after", known(m.after));
    json.member("executions_before", m.executions_before).member("executions_after", m.executions_after);
    json.member("usual_before", known(m.usual_before())).member("usual_after", known(m.usual_after()));
    json.member("verdict_of", m.by_usual ? "usual times of the ops" : "executions");
    json.member("verdict", diff_verdict_name(m.verdict))
        .member("ratio_low", m.low)
        .member("ratio_high", m.high)
        .member("interval_low", m.interval_low)
        .member("interval_high", m.interval_high);
    json.member("delegate_calls_before", m.calls_before).member("delegate_calls_after", m.calls_after);
    json.member("kernels_before", m.kernels_before).member("kernels_after", m.kernels_after);
    json.member("delegated_before", known(m.delegated_before)).member("delegated_after", known(m.delegated_after));
    json.end_object();
  }
  json.end_array().key("groups").begin_array();
  for (const DiffGroup& g : diff.groups) {
    json.begin_object()
        .member("op", g.title)
        .member("method", g.method)
        .member("line", g.place)
        .member("module", g.module);
    json.member("before", g.before.cost).member("after", g.after.cost).member("change", g.change());
    json.member("verdict", diff_verdict_name(g.verdict)).member("ratio_low", g.low).member("ratio_high", g.high);
    json.member("interval_low", g.interval_low).member("interval_high", g.interval_high);
    json.member("matched", g.via ? node_match_name(*g.via) : "")
        .member("old_line", g.was_place)
        .member("old_op", g.was_title);
    json.member("ops_before", static_cast<int64_t>(g.before.parts.size()));
    json.member("ops_after", static_cast<int64_t>(g.after.parts.size()));
    json.member("delegate_before", g.before.backend).member("delegate_after", g.after.backend).end_object();
  }
  json.end_array();
  json_changes(json, changes);
  json.end_object().end_object();
  *out += "\n";
}

}  // namespace

std::vector<std::string> source_errors(const DiffSource& before, const DiffSource& after) {
  std::vector<std::string> out;
  for (const std::string& e : before.errors) out.push_back("before: " + e);
  for (const std::string& e : after.errors) out.push_back("after: " + e);
  return out;
}

std::vector<std::string> source_warnings(const DiffSource& a, const DiffSource& b) {
  const std::array<std::pair<const char*, std::string DiffSource::*>, 4> kFacts = {
      {{"another runtime", &DiffSource::producer},
       {"another processor", &DiffSource::cpu},
       {"another build", &DiffSource::build},
       {"another number of threads", &DiffSource::threads}}};
  std::vector<std::string> out;
  for (const auto& [name, fact] : kFacts) {
    if ((a.*fact).empty() || (b.*fact).empty() || a.*fact == b.*fact) continue;
    out.push_back(std::string(name) + ": " + printable(a.*fact) + " before, " + printable(b.*fact) + " after");
  }
  return out;
}

Status diff_source(const Store& store, int64_t trace_id, const std::string& name, DiffSource* out) {
  *out = {};
  out->name = name;
  Statement st = store.query("SELECT cpu, build, threads, producer FROM traces WHERE trace_id = ?1");
  st.bind_all(trace_id);
  if (st.step()) {
    out->cpu = st.str(0);
    out->build = st.str(1);
    out->threads = st.str(2);
    out->producer = st.str(3);
  }
  out->errors = foreign_files(store, trace_id).warnings();
  return st.finish("the trace");
}

Status write_diff(const TraceDiff& diff, const TraceChanges& changes, const DiffSource& before, const DiffSource& after,
                  const DiffReportOptions& options, std::string* out) {
  if (options.format == "json") {
    write_json(diff, changes, before, after, out);
    return {};
  }
  TimeUnit unit;
  if (Status s = choose_unit(options.units, diff.unit, std::max(diff.before, diff.after), &unit); !s.ok()) return s;
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  const bool people = options.format == "table" || options.format == "markdown";
  const size_t most = options.top < 0 ? SIZE_MAX : static_cast<size_t>(options.top);
  if (!people) return groups_table(diff, SIZE_MAX, unit, false).write(table, out);
  const std::string end = options.format == "markdown" ? "\n\n" : "\n";
  *out += error_paragraphs(source_errors(before, after));
  *out += "before: " + printable(before.name) + end + "after:  " + printable(after.name) + end;
  for (const std::string& warning : source_warnings(before, after)) *out += "! " + warning + end;
  const std::string different = not_comparable(diff);
  if (const std::string warning = different.empty() ? little_in_common(diff) : different; !warning.empty())
    *out += "! " + warning + end;
  if (diff.groups.empty()) {
    const std::vector<std::string> programs = change_sentences(changes);
    *out += diff.methods.empty() ? "\nNothing ran in either trace" +
                                       std::string(programs.empty() ? ".\n" : "; what differs in the programs:\n")
            : programs.empty() ? std::string()
                               : std::string("\nWhat differs in the programs:\n");
    for (const std::string& one : programs) *out += (end == "\n\n" ? "\n" : "") + one + "\n";
    return {};
  }
  *out += "\n";
  if (const std::string same = of_same_program(diff, changes.same_program); !same.empty()) *out += same + end;
  for (const DiffMethod& m : diff.methods) {
    *out += method_line(m, diff, unit, !different.empty());
    for (const DiffSentence& s : m.by_usual ? usual_sentences(m, unit) : std::vector<DiffSentence>())
      *out += (end == "\n\n" ? "\n" : "  ") + s.text + "\n";
  }
  if (const std::string all = all_changed_alike(diff); !all.empty()) *out += all + end;
  if (const std::string shares = shares_line(diff, unit); !shares.empty()) *out += shares + end;
  *out += "\nWhat explains it, " + diff.basis.text() + "\n" + (options.format == "markdown" ? "\n" : "");
  if (Status s = groups_table(diff, most, unit, true).write(table, out); !s.ok()) return s;
  *out += "\n" + counts_line(diff);
  const std::vector<std::string> others = change_sentences(changes);
  for (size_t i = 0; i < others.size(); ++i) *out += (i == 0 || end == "\n\n" ? "\n" : "") + others[i] + "\n";
  return {};
}

}  // namespace et::inspector
