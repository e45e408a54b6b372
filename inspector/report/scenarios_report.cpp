#include "inspector/report/scenarios_report.h"

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kVariation = 0.005;   // of the execution: else times do not seem to add up
constexpr double kWorthSaying = 0.05;  // of the execution: work that is not known

void write_json(const Scenarios& all, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("what_if").begin_object();
  json.member("basis", all.basis.name())
      .member("unit", "ns")
      .member("total", all.total_ns)
      .member("usual", all.usual_ns);
  json.member("left_out", all.left_out).member("without_roof", all.without_roof_ns).key("scenarios").begin_array();
  for (const Scenario& s : all.list) {
    json.begin_object().member("id", s.id).member("text", s.text).member("assumes", s.assumes).member("ops", s.rows);
    json.member("time", s.touched_ns).member("most_saved", s.saved_ns).member("at_least", all.after(s)).end_object();
  }
  json.end_array().end_object().end_object();
  *out += "\n";
}

}  // namespace

Status write_scenarios(const Scenarios& all, const ScenariosReportOptions& options, std::string* out) {
  if (options.format == "json") {
    write_json(all, out);
    return {};
  }
  TimeUnit unit;
  if (Status s = choose_unit(options.units, "ns", all.total_ns, &unit); !s.ok()) return s;
  const bool people = options.format == "table" || options.format == "markdown";
  const auto share = [&](double ns) { return all.total_ns > 0 ? Cell(ns / all.total_ns) : Cell(); };
  Table t;
  t.columns = {{.title = "at least", .kind = CellKind::Duration, .key = "at_least", .unit = unit},
               {.title = "saves at most", .kind = CellKind::Duration, .key = "most_saved", .unit = unit},
               {.title = "share", .kind = CellKind::Share},
               {.title = "ops", .kind = CellKind::Integer},
               {.title = "if", .key = "text", .min_width = 30},
               {.title = "assuming", .key = "assumes", .min_width = 30}};
  if (!people) t.columns.insert(t.columns.begin(), {.title = "id"});
  for (const Scenario& s : all.list) {
    std::vector<Cell> cells = {all.after(s), s.saved_ns, share(s.saved_ns), s.rows, s.text, s.assumes};
    if (!people) cells.insert(cells.begin(), s.id);
    t.add(std::move(cells));
  }
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  if (!people) return t.write(table, out);
  if (all.list.empty()) {
    *out += "No op with a time: nothing to win.\n";
    return {};
  }
  const double variation = all.total_ns - all.usual_ns;
  *out += "What if, " + all.basis.text() + " " + format_duration_named(all.total_ns, unit) +
          (variation > kVariation * all.total_ns
               ? ", of it " + format_duration_named(variation, unit) + " variation, which is not in these times"
               : "") +
          "\n" + (options.format == "markdown" ? "\n" : "");
  if (Status s = t.write(table, out); !s.ok()) return s;
  *out += "\nBounds, not forecasts: nothing is faster than that, and the wins do not add up.\n";
  if (!all.left_out.empty()) *out += printable(all.left_out) + ".\n";
  if (all.with_machine && all.without_roof_ns > kWorthSaying * all.total_ns)
    *out += "Of " + format_share(all.without_roof_ns / all.total_ns) +
            " of the time the work is not known: roofs leave it as it is.\n";
  if (!all.symbols.empty())
    *out += "Dynamic shapes have no numbers for " + joined(all.symbols, ", ") + ": --dim " + *all.symbols.begin() +
            "=N gives one.\n";
  return {};
}

}  // namespace et::inspector
