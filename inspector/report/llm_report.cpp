#include "inspector/report/llm_report.h"

#include <algorithm>

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"

namespace et::inspector {
namespace {

constexpr size_t kPrefill = 0, kDecode = 1;
const char* told_by_name(ToldBy by) {
  constexpr const char* kNames[] = {"phase", "method", "shapes", "time", "nothing"};
  return kNames[static_cast<size_t>(by)];
}

void pair_members(JsonWriter& json, const PhasePair& times) {
  json.member("prefill", times[kPrefill]).member("decode", times[kDecode]);
}

void steps_to_json(const LlmView& view, JsonWriter& json) {
  json.key("steps").begin_array();
  for (const TokenStep& s : view.steps.steps) {
    json.begin_object().member("execution", s.execution).member("run_id", s.run_id);
    json.member("phase", view.phase_name(s.phase)).member("sequence", s.sequence).member("position", s.position);
    json.member("tokens", s.tokens > 0 ? std::optional(s.tokens) : std::nullopt);
    json.member("start", s.start).member("time", s.duration).member("cold", s.cold).end_object();
  }
  json.end_array();
}

void write_json(const LlmView& view, std::string* out) {
  const TokenTimes& t = view.times;
  const auto known = [](double v) { return v > 0 ? std::optional(v) : std::nullopt; };
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("llm").begin_object();
  json.member("unit", view.unit).member("basis", view.basis.name()).member("told_by", told_by_name(view.steps.told_by));
  json.key("phase_conflicts").begin_array();
  for (const PhaseConflict& c : view.steps.conflicts) {
    json.begin_object().member("method", c.method).member("phase", c.phase);
    json.member("executions", c.executions).end_object();
  }
  json.end_array();
  json.member("sequences", view.steps.sequences).member("tokens", t.tokens).member("token", known(t.median));
  json.member("token_p99", known(t.p99)).member("first_token", known(t.first_token));
  json.member("cold_first_token", known(t.cold_first_token));
  json.member("prompt_tokens", t.prompt_tokens > 0 ? std::optional(t.prompt_tokens) : std::nullopt);
  json.member("prompt_tokens_given", view.steps.prompt_given);
  json.member("prompt", known(t.prompt_time)).member("decode_wall", t.decode_wall).member("decode", t.decode_time);
  json.member("per_position", t.growth ? std::optional(t.growth->per_token) : std::nullopt);
  json.member("cache_bytes", view.cache_bytes()).member("cache_positions", view.cache_positions());
  json.key("caches").begin_array();
  for (const KvCache& c : view.caches) {
    json.begin_object().member("name", c.name).member("dtype", c.dtype).member("shape", c.shape);
    json.member("bytes", c.bytes).end_object();
  }
  json.end_array().key("phases").begin_array();
  for (const TokenPhase phase : {TokenPhase::Prefill, TokenPhase::Decode}) {
    const PhaseCosts& p = view.phases[static_cast<size_t>(phase)];
    json.begin_object().member("phase", view.phase_name(phase)).member("executions", p.executions);
    json.member("median", p.median).member("time", p.whole).member("variation", p.variation).end_object();
  }
  json.end_array().key("kinds").begin_array();
  for (size_t k = 0; k < kLayerKinds; ++k) {
    json.begin_object().member("kind", layer_kind_name(static_cast<LayerKind>(k)));
    pair_members(json, view.kinds[k]);
    json.end_object();
  }
  json.end_array().key("layers").begin_array();
  for (const LayerCost& layer : view.layers) {
    json.begin_object().member("layer", layer.layer < 0 ? std::nullopt : std::optional(layer.layer));
    json.member("stack", layer.stack);
    pair_members(json, layer.time);
    json.end_object();
  }
  json.end_array();
  steps_to_json(view, json);
  json.end_object().end_object();
  *out += "\n";
}

Table steps_table(const LlmView& view) {
  Table t;
  t.columns = {{.title = "sequence", .kind = CellKind::Integer},  {.title = "phase"},
               {.title = "position", .kind = CellKind::Integer},  {.title = "tokens", .kind = CellKind::Integer},
               {.title = "execution", .kind = CellKind::Integer}, {.title = "run_id", .kind = CellKind::Integer},
               {.title = "start", .kind = CellKind::Integer},     {.title = "time", .kind = CellKind::Integer},
               {.title = "cold", .kind = CellKind::Integer}};
  for (const TokenStep& s : view.steps.steps) {
    t.add({int64_t{s.sequence}, std::string(view.phase_name(s.phase)), s.position,
           s.tokens > 0 ? Cell(s.tokens) : Cell(), int64_t{s.execution}, s.run_id, s.start, s.duration,
           int64_t{s.cold}});
  }
  return t;
}

/// A table with times of both phases; what did not run has no columns.
class PhaseTable {
 public:
  PhaseTable(const LlmView& view, const TimeUnit& unit, Column first) : view_(view) {
    table_.columns.push_back(std::move(first));
    for (size_t p = 0; p < 2; ++p) {
      if (!ran(p)) continue;
      table_.columns.push_back({.title = view.steps.told_by == ToldBy::Nothing ? "execution"
                                         : p == kPrefill                       ? "prefill"
                                                                               : "decode",
                                .kind = CellKind::Duration,
                                .unit = unit});
      table_.columns.push_back({.title = "share", .kind = CellKind::ShareBar});
    }
  }
  void add(Cell first, const PhasePair& times, RowStyle style = RowStyle::Normal) {
    std::vector<Cell> cells = {std::move(first)};
    for (size_t p = 0; p < 2; ++p) {
      if (!ran(p)) continue;
      cells.push_back(times[p] != 0 ? Cell(times[p]) : Cell());
      cells.push_back(times[p] != 0 && view_.phases[p].whole > 0 ? Cell(times[p] / view_.phases[p].whole) : Cell());
    }
    table_.add(std::move(cells), style);
  }
  void add_sums() {
    const PhasePair variation = {view_.phases[0].variation, view_.phases[1].variation};
    if (variation[0] != 0 || variation[1] != 0) add("(variation)", variation, RowStyle::Dim);
    add("total", {view_.phases[0].whole, view_.phases[1].whole}, RowStyle::Total);
  }
  Table& table() { return table_; }

 private:
  bool ran(size_t phase) const { return view_.phases[phase].executions > 0; }
  const LlmView& view_;
  Table table_;
};

/// The kind that most of a layer's time goes to, of the phase that ran.
std::string largest_kind(const LayerCost& layer, size_t phase) {
  size_t largest = 0;
  for (size_t k = 1; k < kLayerKinds; ++k) {
    if (layer.kinds[k][phase] > layer.kinds[largest][phase]) largest = k;
  }
  const double time = layer.kinds[largest][phase];
  if (!(time > 0)) return "";
  return std::string(layer_kind_name(static_cast<LayerKind>(largest))) + " " + format_share(time / layer.time[phase]);
}

}  // namespace

Status write_llm(const LlmView& view, const LlmReportOptions& options, std::string* out) {
  if (options.format == "json") {
    write_json(view, out);
    return {};
  }
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  if (options.format == "csv" || options.format == "tsv") return steps_table(view).write(table, out);
  TimeUnit unit;
  const double largest = std::max(view.phases[kPrefill].whole, view.phases[kDecode].whole);
  if (Status s = choose_unit(options.units, view.unit, largest, &unit); !s.ok()) return s;
  const std::string gap = options.format == "markdown" ? "\n" : "";
  Table facts;
  facts.columns = {{.title = "figure"}, {.title = "value", .wrap = true}};
  for (const auto& [name, text] : llm_facts(view, unit)) facts.add({name, text});
  if (Status s = facts.write(table, out); !s.ok()) return s;
  if (!view.steps.conflicts.empty())
    *out += gap + (view.steps.told_by == ToldBy::Method ? "--told-by phase goes by the phases all the same.\n"
                                                        : "--told-by method goes by the methods' names instead.\n");
  if (view.prompt_missing())
    *out +=
        gap + "--prompt-tokens N says how many tokens each prefill took in: then its tokens per second are known.\n";

  *out += "\nWhere the time goes, " + view.basis.text() + "\n" + gap;
  PhaseTable kinds(view, unit, {.title = "kind"});
  std::vector<size_t> order(kLayerKinds);
  for (size_t k = 0; k < kLayerKinds; ++k) order[k] = k;
  const size_t by = view.phases[kDecode].executions > 0 ? kDecode : kPrefill;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return view.kinds[a][by] > view.kinds[b][by]; });
  for (const size_t k : order) {
    if (view.kinds[k][0] != 0 || view.kinds[k][1] != 0)
      kinds.add(layer_kind_name(static_cast<LayerKind>(k)), view.kinds[k]);
  }
  kinds.add_sums();
  if (Status s = kinds.table().write(table, out); !s.ok()) return s;

  const bool has_layers =
      std::any_of(view.layers.begin(), view.layers.end(), [](const LayerCost& l) { return l.layer >= 0; });
  if (!has_layers) {
    *out += view.has_graph ? "\nNo module of the graph has a number in its path: there are no layers to tell apart.\n"
                           : "\nKinds are by operator alone: with the ETRecord (-e) modules and layers are known.\n";
    return {};
  }
  *out += "\nBy layer\n" + gap;
  PhaseTable layers(view, unit, {.title = "layer"});
  layers.table().columns.push_back({.title = "most of it"});
  for (const LayerCost& layer : view.layers) {
    layers.add(layer.layer < 0 ? "outside of layers"
                               : (layer.stack.empty() ? "" : layer.stack + " ") + format_count(layer.layer),
               layer.time);
    layers.table().rows.back().cells.push_back(cell(largest_kind(layer, by)));
  }
  layers.add_sums();
  return layers.table().write(table, out);
}

}  // namespace et::inspector
