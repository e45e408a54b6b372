#include "inspector/report/findings_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/report/roofline_report.h"
#include "inspector/report/sarif.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/shorten.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

std::string unit_of(const AdviceFact& fact, const OpTable& shown) {
  switch (fact.unit) {
    case AdviceFact::Unit::Time:
      return shown.unit;
    case AdviceFact::Unit::Bytes:
      return "B";
    case AdviceFact::Unit::Gflops:
      return "GFLOP/s";
    case AdviceFact::Unit::Gops:
      return "GOP/s";
    case AdviceFact::Unit::Gbytes:
      return "GB/s";
    case AdviceFact::Unit::Count:
      return "count";
    case AdviceFact::Unit::Share:
      break;
  }
  return "share";
}

std::vector<const Finding*> measurement_of(const FindingsReportOptions& options) {
  return options.measurement == nullptr ? std::vector<const Finding*>() : of_measurement(*options.measurement);
}

std::vector<UnseenRules> not_looked_for(const std::vector<Advice>& advice, const FindingsReportOptions& options) {
  std::set<std::string> spoke;
  for (const Advice& a : advice) spoke.insert(a.id);
  return rules_not_looked(options.notes == nullptr ? 0 : options.notes->missing, spoke);
}

constexpr int kFindingsWidth = 120;  // as the main report, where nobody says how wide the output is

/// Texts for people: on a terminal in lines of its width, in Markdown as they are.
class People {
 public:
  People(const FindingsReportOptions& options, std::string* out)
      : markdown_(options.format == "markdown"), color_(options.color && !markdown_), out_(*out) {
    if (!markdown_) width_ = options.width > 0 ? options.width : kFindingsWidth;
  }

  void space() { out_ += "\n"; }
  void heading(const std::string& text) { out_ += "\n" + text + (markdown_ ? "\n\n" : "\n"); }
  void paragraph(const std::string& text) { add("", text, ""); }
  /// Of a list; on a terminal a mark may stand in front of it.
  void item(const std::string& text, const char* mark = "  ") { add(markdown_ ? "- " : mark, text, "    "); }
  void finding(size_t number, const std::string& text) {
    if (color_) out_ += "\033[1m";
    add(std::to_string(number) + ". ", text, "   ");
    if (color_) out_.insert(out_.size() - 1, "\033[0m");
  }
  void part_of_finding(const std::string& what, const std::string& text) {
    if (!text.empty()) add(markdown_ ? "   - " : "   ", what + ": " + text, "      ");
  }

 private:
  void add(const std::string& first, const std::string& text, const char* indent) {
    const std::string all = first + printable(text);
    out_ += width_ == 0 ? all + "\n" : wrapped_lines(all, width_, indent);
  }

  bool markdown_, color_;
  int width_ = 0;
  std::string& out_;
};

void write_notes(const OpTable& shown, const AdviceNotes& notes, People* people) {
  if (!notes.silent.empty()) people->heading("Costly, and without a finding");
  for (const Consumer& c : notes.silent) people->item(consumer_text(c, shown));
  if (notes.left_out.empty()) return;
  people->space();
  people->paragraph(left_out_text(shown, notes.left_out));
}

void write_not_looked_for(const std::vector<UnseenRules>& unseen, People* people) {
  if (unseen.empty()) return;
  people->heading("Not looked for");
  for (const UnseenRules& u : unseen) {
    std::vector<std::string> ids;
    for (const AdviceRule* const rule : u.rules) ids.emplace_back(rule->id);
    people->item("needs " + u.needs + ": " + joined(ids, ", "));
  }
}

/// "model.py:41, encoder (aten_linear_default)", of several the costliest.
std::string where_text(const Advice& a) {
  const std::string place = advice_place_text(a.place);
  if (place.empty()) return {};
  const std::string node = a.place.node.empty() ? "" : " (" + a.place.node + ")";
  const auto others = static_cast<int64_t>(a.items.size()) - 1;
  return place + node + (others > 0 ? " and " + plural(others, "other") : "");
}

void write_people(const std::vector<Advice>& advice, const OpTable& shown, const FindingsReportOptions& options,
                  std::string* out) {
  People people(options, out);
  if (advice.empty()) people.paragraph(nothing_found_text(options.notes == nullptr ? 0 : options.notes->missing) + ".");
  size_t n = 0;
  for (const Advice& a : advice) {
    people.finding(++n, a.text + " [" + a.id + "]");
    people.part_of_finding("wins", advice_win_text(a, shown));
    people.part_of_finding("roofline", roofline_bound_text(a, shown));
    people.part_of_finding("overlap", a.overlap);
    people.part_of_finding("where", where_text(a));
    people.part_of_finding("do", a.what_to_do);
  }
  if (options.notes != nullptr) write_notes(shown, *options.notes, &people);
  write_not_looked_for(not_looked_for(advice, options), &people);
  const std::vector<const Finding*> measurement = measurement_of(options);
  if (measurement.empty()) return;
  people.heading("Of the measurement itself");
  for (const Finding* const f : measurement)
    people.item(f->text + " [" + f->id + "]", f->severity == "info" ? "  " : "! ");
}

/// What the text says below its list: costly types that no row is about, and time that no row counts.
void write_json_notes(const OpTable& shown, const FindingsReportOptions& options, JsonWriter& json) {
  const AdviceNotes none, &notes = options.notes == nullptr ? none : *options.notes;
  json.key("without_finding").begin_array();
  for (const Consumer& c : notes.silent) {
    json.begin_object().member("title", c.title).member("text", consumer_text(c, shown)).member("time", c.ns);
    json.member("share", c.share).member("known_time", c.known_ns).member("roof_time", c.roof_ns);
    json.member("calibrated", c.calibrated).member("calls", c.calls);
    json.member("op_id", c.op_id > 0 ? std::optional(c.op_id) : std::nullopt).end_object();
  }
  json.end_array().key("left_out").begin_array();
  for (const Interruption& i : notes.left_out) {
    const OpEntry& op = shown.ops[i.op];
    json.begin_object().member("op_id", op.id).member("title", op_title(shown, op));
    json.member("executions", i.count).member("time", i.ticks).end_object();
  }
  json.end_array();
}

void write_json(const std::vector<Advice>& advice, const OpTable& shown, const FindingsReportOptions& options,
                std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("findings").begin_object();
  json.member("basis", shown.basis.name()).member("unit", shown.unit).member("execution", execution_time(shown).whole);
  json.key("rows").begin_array();
  for (const Advice& a : advice) {
    json.begin_object()
        .member("id", a.id)
        .member("title", a.title)
        .member("text", a.text)
        .member("what_to_do", a.what_to_do);
    json.member("method", a.method)
        .member("most_time", a.most_ns)
        .member("roofline_time", a.roof_win)
        .member("most_bytes", a.most_bytes)
        .member("assumes", a.assumes)
        .member("overlap", a.overlap)
        .member("open", a.open);
    json.member("file", a.place.file)
        .member("line", a.place.line)
        .member("module", a.place.module)
        .member("node", a.place.node);
    json.member("op_id", a.place.op_id > 0 ? std::optional(a.place.op_id) : std::nullopt);
    json.key("evidence").begin_array();
    for (const AdviceFact& fact : a.facts)
      json.begin_object()
          .member("what", fact.what)
          .member("value", fact.value)
          .member("unit", unit_of(fact, shown))
          .end_object();
    json.end_array().key("ops").begin_array();
    for (const AdviceItem& item : a.items)
      json.begin_object()
          .member("title", item.title)
          .member("time", item.ns)
          .member("file", item.place.file)
          .member("line", item.place.line)
          .member("module", item.place.module)
          .member("node", item.place.node)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();
  write_json_notes(shown, options, json);
  json.key("not_looked_for").begin_array();
  for (const UnseenRules& u : not_looked_for(advice, options)) {
    for (const AdviceRule* const rule : u.rules)
      json.begin_object().member("id", rule->id).member("summary", rule->summary).member("needs", u.needs).end_object();
  }
  json.end_array();
  json.key("measurement").begin_array();
  for (const Finding* const f : measurement_of(options))
    json.begin_object()
        .member("id", f->id)
        .member("severity", f->severity)
        .member("text", f->text)
        .member("what_to_do", f->advice)
        .end_object();
  json.end_array().end_object().end_object();
  *out += "\n";
}

void write_sarif_rule(const std::string& id, const std::string& summary, JsonWriter* json) {
  json->begin_object().member("id", id);
  write_sarif_message(json, "shortDescription", summary);
  json->key("defaultConfiguration").begin_object().member("level", "note").end_object();
  json->key("properties").begin_object().key("tags").begin_array().value("performance").end_array().end_object();
  json->end_object();
}

/// What is said of the measurement itself is of the trace, not of a line of the model.
void write_sarif_measurement(const std::vector<const Finding*>& measurement, const std::vector<std::string>& ids,
                             const std::string& trace, JsonWriter* json) {
  for (const Finding* const f : measurement) {
    const auto at = std::find(ids.begin(), ids.end(), f->id) - ids.begin();
    json->begin_object()
        .member("ruleId", f->id)
        .member("ruleIndex", static_cast<int64_t>(advice_rules().size()) + at)
        .member("level", "note")
        .member("kind", "review");
    write_sarif_message(json, "message", f->text + (f->advice.empty() ? "" : ". " + f->advice));
    json->key("locations").begin_array().begin_object();
    write_sarif_physical(json, place_of_file(trace));
    json->end_object().end_array();
    write_sarif_fingerprint(json, "etInspect/v1", f->id + '\n' + f->text);
    json->end_object();
  }
}

void write_sarif(const std::vector<Advice>& advice, const OpTable& shown, const FindingsReportOptions& options,
                 std::string* out) {
  JsonWriter json(out);
  json.begin_object()
      .member("$schema", kSarifSchema)
      .member("version", "2.1.0")
      .key("runs")
      .begin_array()
      .begin_object();
  json.key("tool")
      .begin_object()
      .key("driver")
      .begin_object()
      .member("name", "et-inspect")
      .member("version", options.version);
  json.member("semanticVersion", options.version).key("rules").begin_array();
  for (const AdviceRule& rule : advice_rules()) write_sarif_rule(rule.id, std::string(rule.summary) + ".", &json);
  const std::vector<const Finding*> measurement = measurement_of(options);
  std::vector<std::string> ids;
  for (const Finding* const f : measurement) {
    if (std::find(ids.begin(), ids.end(), f->id) != ids.end()) continue;
    ids.push_back(f->id);
    write_sarif_rule(f->id, "Of the measurement itself: " + f->id + ".", &json);
  }
  json.end_array().end_object().end_object().key("columnKind").value("unicodeCodePoints").key("results").begin_array();
  for (const Advice& a : advice) {
    int64_t rule = 0;
    while (advice_rules()[static_cast<size_t>(rule)].id != a.id) ++rule;
    json.begin_object()
        .member("ruleId", a.id)
        .member("ruleIndex", rule)
        .member("level", "note")
        .member("kind", "review");
    const std::string win = advice_win_text(a, shown);
    write_sarif_message(&json, "message", a.text + (win.empty() ? "" : " (" + win + ")") + ". " + a.what_to_do);
    json.key("locations").begin_array().begin_object();
    // Where no line is known the trace is the place.
    FilePlace place = place_of_file(a.place.file.empty() ? options.trace : a.place.file);
    place.line = a.place.file.empty() ? 0 : a.place.line;
    write_sarif_physical(&json, place);
    if (!a.place.module.empty()) {
      json.key("logicalLocations").begin_array().begin_object().member("fullyQualifiedName", a.place.module);
      json.member("kind", "module").end_object().end_array();
    }
    json.end_object().end_array();
    write_sarif_fingerprint(
        &json, "etInspect/v1",
        a.id + '\n' + a.method + '\n' + place_of_file(a.place.file).path + '\n' + a.place.module + '\n' + a.place.node);
    json.key("properties")
        .begin_object()
        .member("most_time_ns", a.most_ns)
        .member("most_bytes", a.most_bytes)
        .end_object()
        .end_object();
  }
  write_sarif_measurement(measurement, ids, options.trace, &json);
  json.end_array().end_object().end_array().end_object();
  *out += "\n";
}

}  // namespace

Status write_findings(const std::vector<Advice>& advice, const OpTable& shown, const FindingsReportOptions& options,
                      std::string* out) {
  if (options.format == "json") {
    write_json(advice, shown, options, out);
  } else if (options.format == "sarif") {
    write_sarif(advice, shown, options, out);
  } else if (options.format == "csv" || options.format == "tsv") {
    Table t;
    t.columns = {{.title = "id"},
                 {.title = "text"},
                 {.title = "most time", .kind = CellKind::Real},
                 {.title = "most bytes", .kind = CellKind::Integer},
                 {.title = "assumes"},
                 {.title = "what to do"},
                 {.title = "file"},
                 {.title = "line", .kind = CellKind::Integer},
                 {.title = "module"},
                 {.title = "node"}};
    for (const Advice& a : advice)
      t.add({a.id, a.text, a.most_ns, a.most_bytes, a.assumes, a.what_to_do, a.place.file, a.place.line, a.place.module,
             a.place.node});
    for (const Finding* const f : measurement_of(options))
      t.add({f->id, f->text, Cell(), Cell(), Cell(), cell(f->advice)});
    return t.write({.format = options.format}, out);
  } else {
    write_people(advice, shown, options, out);
  }
  return {};
}

}  // namespace et::inspector
