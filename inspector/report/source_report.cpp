#include "inspector/report/source_report.h"

#include <algorithm>

#include "inspector/analysis/ops/source_lines.h"
#include "inspector/report/source_text.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr const char* kNoLine = "no Python line (framework, unattributed time, ops without a link)";

bool asked_for(const std::string& file, const std::string& filter) {
  return filter.empty() || file == filter || file.ends_with("/" + filter);
}

std::string padded(const std::string& text, int width) {
  const int missing = width - text_width(text);
  return (missing > 0 ? std::string(static_cast<size_t>(missing), ' ') : std::string()) + text;
}

/// The listing for people: a table's columns on the left, the source on the right.
class Listing {
 public:
  Listing(const SourceCost& cost, const SourceOptions& options, const TimeUnit& unit, std::string* out)
      : cost_(cost), options_(options), unit_(unit), out_(*out) {
    // By cell: "1,234 s" and "99.9 ms" are the widest.
    time_width_ = std::max({text_width(format_duration(cost.total_ns, unit)), text_width("time"),
                            unit.by_cell ? 7 : text_width(unit_name(unit)) + 2});
  }

  void file(const SourceFileCost& f, double other) {
    const std::optional<SourceText> text = find_source(f, options_.source_maps);
    out_ += printable(f.file);
    if (!text) {
      out_ += "  (file not found: lines as the ETRecord has them; --source-map FROM=TO says where it is)";
    } else if (text->path != f.file) {
      out_ += "  (" + printable(text->path) + ")";
    }
    out_ += '\n';
    if (text && text->changed > 0) {
      out_ += "  the file is not as it was at export: " + std::to_string(text->changed) + " of " +
              std::to_string(f.lines.size()) + " lines differ\n";
    }
    const std::vector<ShownLine> lines = lines_to_show(f, text, options_.context);
    int number_width = 4;
    for (const ShownLine& l : lines) number_width = std::max(number_width, text_width(std::to_string(l.line)));
    head(number_width);
    for (const ShownLine& l : lines) {
      if (l.gap_before) out_ += std::string(static_cast<size_t>(left_width() + number_width - 1), ' ') + "…\n";
      line(l, number_width);
    }
    (void)other;
    out_ += '\n';
  }

  void totals(double other_files, bool filtered) {
    const std::string shown = cost_.shown.text();
    if (!cost_.timed) {
      out_ += "nothing was executed: times are unknown\n" + printable(shown) + (shown.empty() ? "" : "\n");
      return;
    }
    for (const auto& [name, ns] :
         {std::pair<const char*, double>{"other files", other_files}, {kNoLine, cost_.no_line_ns}}) {
      if (name != kNoLine && !filtered) continue;
      out_ += numbers(ns, ns, -1) + "  " + name + "\n";
    }
    if (cost_.variation_ns != 0)
      out_ += numbers(cost_.variation_ns, cost_.variation_ns, -1) + "  variation beyond the ops' usual times\n";
    out_ += numbers(cost_.total_ns, cost_.total_ns, -1) + "  total: " + cost_.basis.text() + "\n";
    if (!shown.empty()) out_ += printable(shown) + "\n";
  }

 private:
  double share(double ns) const { return cost_.total_ns > 0 ? ns / cost_.total_ns : 0; }
  int left_width() const { return 6 + 2 + time_width_ + 2 + time_width_ + 2 + 4 + 2; }

  void head(int number_width) {
    if (!cost_.timed) {
      out_ += padded("nodes", left_width() - 2) + "  " + padded("line", number_width) + "\n";
      return;
    }
    out_ += padded("share", 6) + "  " + padded("time", time_width_) + "  " + padded("incl", time_width_) + "  " +
            padded("ops", 4) + "  " + padded("line", number_width) + "\n";
    if (unit_.by_cell) return;
    const std::string unit = padded("(" + unit_name(unit_) + ")", time_width_);
    out_ += padded("", 6) + "  " + unit + "  " + unit + "\n";
  }

  std::string numbers(double ns, double inclusive, int64_t ops) const {
    return padded(format_share(share(ns)), 6) + "  " + padded(format_duration(ns, unit_), time_width_) + "  " +
           padded(inclusive == ns ? "" : format_duration(inclusive, unit_), time_width_) + "  " +
           padded(ops < 0 ? "" : format_count(ops), 4);
  }

  void line(const ShownLine& l, int number_width) {
    std::string text;
    if (l.cost == nullptr) {
      text = std::string(static_cast<size_t>(left_width() - 2), ' ');
    } else if (!cost_.timed) {
      text = padded(format_count(l.cost->nodes), left_width() - 2);
    } else if (l.cost->ops == 0) {  // only calls what costs
      text = padded("", 6) + "  " + padded("", time_width_) + "  " +
             padded(format_duration(l.cost->inclusive_ns, unit_), time_width_) + "  " + padded("", 4);
    } else {
      text = numbers(l.cost->ns, l.cost->inclusive_ns, l.cost->ops);
    }
    text += "  " + padded(std::to_string(l.line), number_width) + "  " + printable(l.text);
    if (l.cost != nullptr && !l.cost->op_types.empty()) text += "  # " + printable(joined(l.cost->op_types, ", "));
    if (options_.width > 0) text = cut(text, options_.width);
    const double part = l.cost == nullptr ? 0 : share(l.cost->ns);
    const char* color = part >= 0.3 ? "\x1b[31m" : part >= 0.1 ? "\x1b[33m" : l.cost == nullptr ? "\x1b[2m" : "";
    out_ += options_.color && *color != '\0' ? color + text + "\x1b[0m" : text;
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
  }

  static std::string cut(const std::string& text, int width) {
    if (text_width(text) <= width) return text;
    size_t i = 0;
    for (int cells = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && ++cells == width) break;
    }
    return text.substr(0, i) + "…";
  }

  const SourceCost& cost_;
  const SourceOptions& options_;
  const TimeUnit& unit_;
  std::string& out_;
  int time_width_ = 0;
};

Status write_table(const SourceCost& cost, const SourceOptions& options, const TimeUnit& unit, double other,
                   std::string* out) {
  Table t;
  t.columns = {{.title = "file", .key = "file"},
               {.title = "line", .kind = CellKind::Integer, .key = "line"},
               {.title = "function", .key = "function"},
               {.title = "share", .kind = CellKind::Share, .key = "share"},
               {.title = "time", .kind = CellKind::Duration, .key = "time", .unit = unit},
               {.title = "incl", .kind = CellKind::Duration, .key = "inclusive", .unit = unit},
               {.title = "ops", .kind = CellKind::Integer, .key = "ops"},
               {.title = "op types", .key = "op_types"},
               {.title = "code", .key = "code"},
               {.title = "frame", .key = "frame"}};
  auto share = [&](double ns) { return cost.total_ns > 0 ? ns / cost.total_ns : 0.0; };
  for (const SourceFileCost& f : cost.files) {
    if (!asked_for(f.file, options.file)) continue;
    for (const SourceLine& l : f.lines) {
      t.add({f.file, l.line, l.function, share(l.ns), l.ns, l.inclusive_ns, l.ops, joined(l.op_types, ", "), l.code,
             f.owner});
    }
  }
  const Cell none;
  if (!options.file.empty()) t.add({"other files", none, none, share(other), other, other, none, none, none, none});
  t.add({none, none, kNoLine, share(cost.no_line_ns), cost.no_line_ns, cost.no_line_ns, none, none, none, none});
  if (cost.variation_ns != 0) {
    t.add({none, none, "variation beyond the ops' usual times", share(cost.variation_ns), cost.variation_ns,
           cost.variation_ns, none, none, none, none});
  }
  // Programs sum the rows themselves: a total among them would count twice.
  if (options.format == "markdown") {
    t.add({"total: " + cost.basis.text(), none, none, share(cost.total_ns), cost.total_ns, cost.total_ns, none, none,
           none, none},
          RowStyle::Total);
  }
  return t.write(
      {.format = options.format, .width = options.width, .color = options.color, .header = true, .json_name = "source"},
      out);
}

}  // namespace

Status write_source(const Store& store, int64_t trace_id, const SourceOptions& options, std::string* out) {
  if (!is_table_format(options.format)) {
    return {Error::InvalidArgument,
            "unknown format \"" + options.format + "\"; there are table, csv, tsv, markdown and json"};
  }
  SourceCost cost;
  const bool for_people = options.format == "table" || options.format == "markdown";
  OpTable table;
  OpTableOptions wanted;
  wanted.basis = options.basis.value_or(Basis{for_people ? BasisKind::WarmMedian : BasisKind::Total});
  if (Status s = load_shown_ops(store, trace_id, wanted, &table); !s.ok()) return s;
  if (Status s = load_source_cost(store, table, &cost); !s.ok()) return s;
  if (cost.files.empty()) {
    Statement trace = store.query("SELECT 1 FROM traces WHERE trace_id = ?1 AND record_path IS NULL");
    trace.bind_all(trace_id);
    if (trace.step())
      return {Error::NotFound, "the trace has no source lines: it was imported without an ETRecord (--etrecord)"};
  }
  double other = 0;
  bool any = false;
  for (const SourceFileCost& f : cost.files) {
    const bool asked = asked_for(f.file, options.file);
    any = any || asked;
    if (!asked) other += f.ns;
  }
  if (!any && !options.file.empty()) {
    std::string known;
    for (const SourceFileCost& f : cost.files) known += (known.empty() ? "" : ", ") + f.file;
    return {Error::InvalidArgument, "no timed lines in \"" + options.file + "\"" +
                                        (known.empty() ? "; the trace has no source lines" : "; there are " + known)};
  }
  TimeUnit unit;
  // Programs want one unit, whatever the trace.
  const std::string wish = !for_people && options.units == "auto" ? cost.unit : options.units;
  if (Status s = choose_unit(wish, cost.unit, cost.total_ns, &unit); !s.ok()) return s;
  if (options.format != "table") return write_table(cost, options, unit, other, out);

  Listing listing(cost, options, unit, out);
  for (const SourceFileCost& f : cost.files) {
    if (asked_for(f.file, options.file)) listing.file(f, other);
  }
  listing.totals(other, !options.file.empty());
  return {};
}

}  // namespace et::inspector
