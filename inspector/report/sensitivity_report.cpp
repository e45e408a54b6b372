#include "inspector/report/sensitivity_report.h"

#include <algorithm>
#include <cmath>

#include "inspector/report/gap_report.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

const char* kind_word(const QuantisedLayer& layer) { return layer.weights ? "weights" : "activations"; }

std::string place_of(const QuantisedLayer& layer) {
  if (layer.file.empty()) return "";
  return layer.file.substr(layer.file.rfind('/') + 1) + (layer.line > 0 ? ":" + std::to_string(layer.line) : "");
}

double share_of(const QuantisedLayer& layer, const Sensitivity& s) {
  double all = 0;
  for (const QuantisedLayer& l : s.layers) all += l.figures.noise;
  return all > 0 ? layer.figures.noise / all : 0;
}

Cell figure(double value, bool people) {
  if (std::isnan(value)) return {};
  if (people) return figure_text(value);
  return value;
}

Table layers_table(const Sensitivity& s, size_t most, bool people) {
  Table t;
  t.columns = {{.title = "rank", .kind = CellKind::Integer},
               {.title = "quantised", .key = "kind"},
               {.title = "layer", .min_width = 18},
               {.title = "op", .drop = 3, .min_width = 16},
               {.title = "SNR (dB)", .key = "snr_db", .right = people},
               {.title = "share", .kind = people ? CellKind::Share : CellKind::Real, .key = "noise_share"},
               {.title = "max error", .key = "max_abs_error", .right = people},
               {.title = "error", .key = "relative_error", .drop = 4, .right = people},
               {.title = "cosine", .drop = 5, .right = people},
               {.title = "line", .drop = 1, .min_width = 14},
               {.title = "module", .drop = 2, .min_width = 14},
               {.title = "read by", .key = "reader", .drop = 6, .min_width = 18},
               {.title = "node", .drop = 7, .min_width = 18}};
  size_t rank = 0;
  for (const size_t i : s.ranked()) {
    if (rank++ >= most) break;
    const QuantisedLayer& l = s.layers[i];
    const GapFigures& f = l.figures;
    t.add({static_cast<int64_t>(rank), std::string(kind_word(l)), cell(l.layer.empty() ? l.node : l.layer), cell(l.op),
           people ? cell(db_text(f)) : figure(f.snr_db(), false), share_of(l, s), figure(f.max_abs, people),
           figure(f.relative(), people),
           people && !std::isnan(f.cosine()) ? Cell(format_real(f.cosine(), 6)) : figure(f.cosine(), people),
           cell(place_of(l)), cell(l.module), cell(l.weights ? "" : l.reader), cell(l.node)},
          f.exact() && people ? RowStyle::Dim : RowStyle::Normal);
  }
  if (people && s.layers.size() > most)
    t.add({Cell(), Cell(), "(" + plural(static_cast<int64_t>(s.layers.size() - most), "more row") + ")"},
          RowStyle::Dim);
  if (people) t.drop_columns([&](size_t c) { return t.is_empty(c); });
  return t;
}

std::string summary_text(const Sensitivity& s) {
  const auto activations = static_cast<int64_t>(
      std::count_if(s.layers.begin(), s.layers.end(), [](const QuantisedLayer& l) { return !l.weights; }));
  const auto weights = static_cast<int64_t>(s.layers.size()) - activations;
  std::string out = "Quantisations of " + printable(s.record) + ", each alone against floats\n";
  out +=
      plural(activations, "activation") + (activations > 0 ? " all together: SNR " + db_text(s.whole) : std::string());
  if (activations > 0 && !s.whole.exact())
    out += " dB, largest error " + figure_text(s.whole.max_abs) + ", cosine " + format_real(s.whole.cosine(), 6);
  if (activations > 0 && s.whole.noise > 0)
    out += "; noises of each alone add up to " + format_share(s.activation_noise() / s.whole.noise) + " of theirs";
  out += "\n";
  if (weights > 0)
    out += plural(weights, "weight tensor") +
           ": estimated by noise of half a step, since the ETRecord has no floats of them\n";
  return out;
}

void write_figures(const GapFigures& f, JsonWriter* json) {
  json->member("elements", static_cast<int64_t>(f.elements)).member("snr_db", f.snr_db());
  json->member("max_abs_error", f.max_abs).member("relative_error", f.relative()).member("mse", f.mse());
  json->member("cosine", f.cosine()).member("exact", f.exact()).member("noise", f.noise);
  json->member("nan_mismatch", static_cast<int64_t>(f.nan_mismatch));
  json->member("inf_mismatch", static_cast<int64_t>(f.inf_mismatch));
}

void write_json(const Sensitivity& s, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("sensitivity").begin_object();
  json.member("record", s.record).member("method", s.method).member("outputs", static_cast<int64_t>(s.outputs));
  json.key("whole").begin_object();
  write_figures(s.whole, &json);
  json.end_object().member("activation_noise", s.activation_noise()).key("layers").begin_array();
  const auto some = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  for (const size_t i : s.ranked()) {
    const QuantisedLayer& l = s.layers[i];
    json.begin_object().member("order", static_cast<int64_t>(i)).member("kind", kind_word(l));
    json.member("estimated", l.weights).member("node", l.node).member("layer", some(l.layer)).member("op", some(l.op));
    json.member("reader", some(l.reader)).key("repeated").begin_array();
    for (const std::string& node : l.repeated) json.value(node);
    json.end_array();
    json.member("file", some(l.file)).member("line", l.line > 0 ? std::optional(l.line) : std::nullopt);
    json.member("code", some(l.code)).member("module", some(l.module)).member("noise_share", share_of(l, s));
    write_figures(l.figures, &json);
    json.end_object();
  }
  json.end_array().end_object().end_object();
}

}  // namespace

Status write_sensitivity(const Sensitivity& s, const SensitivityReportOptions& options, std::string* out) {
  if (options.format == "json") {
    write_json(s, out);
    return {};
  }
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  const bool people = options.format == "table" || options.format == "markdown";
  const size_t most = options.top < 0 || !people ? SIZE_MAX : static_cast<size_t>(options.top);
  if (people) *out += summary_text(s) + "\n";
  return layers_table(s, most, people).write(table, out);
}

}  // namespace et::inspector
