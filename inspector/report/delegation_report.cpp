#include "inspector/report/delegation_report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <sstream>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/delegation/what_if.h"
#include "inspector/analysis/ops/interruptions.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr size_t kMostOutside = 20;  // lines that a person reads
constexpr int kWidthNotTold = 120;   // where nobody says how wide the output is
constexpr const char* kItemKinds[] = {"delegate", "kernel", "control"};

Cell number(int64_t v) { return v < 0 ? Cell() : Cell(v); }
Cell text(const std::string& v) { return v.empty() ? Cell() : Cell(v); }

std::string place(const NonDelegatedOp& op) {
  return op.file.empty() ? "" : op.file.substr(op.file.find_last_of("/\\") + 1) + ":" + std::to_string(op.line);
}

std::string reason_names(const NonDelegatedOp& op, bool for_people = false) {
  std::string out;
  for (const StayReason& r : op.reasons) {
    if (for_people && r.kind == StayReason::Kind::NothingDelegated) continue;
    out += (out.empty() ? "" : ", ") + std::string(reason_name(r.kind));
  }
  return out;
}

/// `shared`: in words that operators between different calls have in common; the breaks name the calls.
std::string reason_texts(const NonDelegatedOp& op, bool for_people = false, bool shared = false) {
  std::string out;
  for (const StayReason& r : op.reasons) {
    if (for_people && r.kind == StayReason::Kind::NothingDelegated) continue;  // stands above the table
    const bool between = shared && r.kind == StayReason::Kind::Between;
    out += (out.empty() ? "" : "; ") +
           (between ? "splits two delegate calls: reads from one and feeds the other" : r.text);
  }
  return out;
}

/// Indented lines of at most `width` columns; words stay whole.
void append_wrapped(const std::string& sentence, int width, std::string* out) {
  constexpr int kFirst = 2, kNext = 6;
  int at = 0;
  std::istringstream words(printable(sentence));
  for (std::string w; words >> w;) {
    const int length = text_width(w);
    const bool begins = at == 0;
    if (begins || at + 1 + length > width) {
      *out += (begins ? "" : "\n") + std::string(begins ? kFirst : kNext, ' ');
      at = begins ? kFirst : kNext;
    } else {
      *out += ' ';
      ++at;
    }
    *out += w;
    at += length;
  }
  *out += "\n";
}

bool costs_nothing(const NonDelegatedOp& op) { return op.instruction < 0; }

/// What a call of a delegate is called: its part of the record, and which call of its backend it is.
std::string delegate_name(const MapItem& item) { return (item.part.empty() ? "" : item.part + "  ") + call_name(item); }

/// 0 says nothing in a table of what could be saved.
Cell if_any(double ns) { return ns > 0 ? Cell(ns) : Cell(); }
Cell if_any(int64_t count) { return count > 0 ? Cell(count) : Cell(); }

class Listing {
 public:
  /// `basis`: what the times are of.
  Listing(const DelegationOptions& options, const TimeUnit& unit, bool timed, const Basis& basis, std::string* out)
      : options_(options), unit_(unit), timed_(timed), basis_(basis), out_(*out) {}

  Status map(const DelegationMap& m) {
    heading(m.method.empty() ? "method" : m.method);
    out_ += summary(m) + "\n";
    if (Status s = instructions(m); !s.ok()) return s;
    if (Status s = breaks(m); !s.ok()) return s;
    if (Status s = non_delegated(m); !s.ok()) return s;
    return what_if(m);
  }

 private:
  std::string time(double ticks) const { return format_duration_named(ticks, unit_); }

  void heading(const std::string& line) {
    if (!out_.empty()) out_ += '\n';
    const bool markdown = options_.format == "markdown";
    if (markdown) out_ += "## " + printable(line) + "\n\n";
    if (!markdown) out_ += options_.color ? "\x1b[1m" + printable(line) + "\x1b[0m\n" : printable(line) + "\n";
  }
  void part(const std::string& line) { out_ += "\n" + line + (options_.format == "markdown" ? "\n\n" : "\n"); }

  std::string summary(const DelegationMap& m) const {
    const DelegationTotals t = delegation_totals(m);
    const auto cost = [&](double ns) {
      return time(ns) + (t.total > 0 ? " (" + format_share(ns / t.total) + ")" : std::string());
    };
    std::string line = "  nothing is delegated";
    if (m.delegates() > 0) {
      std::set<std::string> backends;
      for (const MapItem& i : m.items) {
        if (i.kind == MapItem::Kind::Delegate) backends.insert(i.backend);
      }
      line = "  " + plural(static_cast<int64_t>(m.delegates()), "delegate call");
      std::string names;
      for (const std::string& b : backends) {
        if (!b.empty()) names += (names.empty() ? " of " : ", ") + b;
      }
      line += names;
      if (m.has_graph) {
        line += " with " + format_count(m.nodes.delegated) + " of " + format_count(m.nodes.all()) + " nodes";
      }
    }
    if (timed_) {
      line += "\n  " + (m.delegates() == 0 ? "" : "delegated " + cost(t.delegated) + ", ") + "non-delegated " +
              cost(t.non_delegated) + ", framework " + cost(t.framework) +
              (std::fabs(t.variation) >= 0.5 ? ", variation " + cost(t.variation) : "") + "; " + basis_.text();
    }
    if (m.breaks.empty()) return line;
    line += "\n  " + plural(static_cast<int64_t>(m.breaks.size()), "graph break") + " between delegates";
    if (timed_) line += ": " + cost(t.breaks) + (t.move_count > 0 ? ", " + time(t.moves) + " moving data" : "");
    if (t.layout_count > 0) {
      line += ", " + plural(t.layout_count, "transpose") + " inside of the delegates beside them" +
              (timed_ ? " (" + time(t.layouts) + ")" : "");
    }
    if (t.break_bytes >= 0) line += ", " + format_bytes(t.break_bytes) + " crossing per run";
    return line;
  }

  Status write(Table t) const {
    t.drop_columns([&](size_t c) {
      const CellKind kind = t.columns[c].kind;
      return t.is_empty(c) || (!timed_ && (kind == CellKind::Duration || kind == CellKind::Share));
    });
    return t.write({.format = options_.format, .width = width(), .color = options_.color, .header = true}, &out_);
  }
  int width() const { return options_.width > 0 ? options_.width : kWidthNotTold; }

  Status instructions(const DelegationMap& m) {
    if (m.items.empty()) return {};
    part("Instructions, each run of kernels between delegates on one line");
    Table t;
    t.columns = {{.title = "#", .right = true},
                 {.title = "what", .min_width = 20},
                 {.title = "nodes", .kind = CellKind::Integer},
                 {.title = "time", .kind = CellKind::Duration, .unit = unit_},
                 {.title = "share", .kind = CellKind::Share},
                 {.title = "inner", .kind = CellKind::Duration, .unit = unit_, .drop = 2},
                 {.title = "payload", .kind = CellKind::Bytes, .drop = 3},
                 {.title = "reads", .kind = CellKind::Bytes, .drop = 1},
                 {.title = "produces", .kind = CellKind::Bytes, .drop = 1}};
    const double total = m.total_ns > 0 ? m.total_ns : 1;
    for (size_t i = 0; i < m.items.size();) {
      const MapItem& item = m.items[i];
      if (item.kind == MapItem::Kind::Delegate) {
        t.add({std::to_string(item.instruction), delegate_name(item) + (item.guessed ? "  (nodes guessed)" : ""),
               item.shown_nodes > 0 ? Cell(item.shown_nodes) : Cell(), item.ns, item.ns / total,
               item.inner_ns > 0 ? Cell(item.inner_ns) : Cell(), number(item.payload_bytes), number(item.bytes_in),
               number(item.bytes_out)},
              RowStyle::Normal, item.ns / total);
        ++i;
        continue;
      }
      size_t end = i;
      double ns = 0;
      std::vector<std::string> names;
      for (; end < m.items.size() && m.items[end].kind != MapItem::Kind::Delegate; ++end) {
        ns += m.items[end].ns;
        const std::string& label = m.items[end].title;
        if (!label.empty() && std::find(names.begin(), names.end(), label) == names.end()) names.push_back(label);
      }
      const bool one = end - i == 1;
      std::string what = one ? (item.title.empty() ? "kernel" : item.title)
                             : plural(static_cast<int64_t>(end - i), "kernel") + (names.empty() ? "" : ": ");
      for (size_t n = 0; !one && n < std::min<size_t>(names.size(), 3); ++n) what += (n == 0 ? "" : ", ") + names[n];
      if (!one && names.size() > 3) what += ", …";
      t.add({std::to_string(item.instruction) + (one ? "" : "–" + std::to_string(m.items[end - 1].instruction)), what,
             Cell(), ns, ns / total, Cell(), Cell(), one ? number(item.bytes_in) : Cell(),
             one ? number(item.bytes_out) : Cell()},
            RowStyle::Dim, ns / total);
      i = end;
    }
    if (Status s = write(std::move(t)); !s.ok()) return s;
    const auto guessed = std::find_if(m.items.begin(), m.items.end(), [](const MapItem& i) { return i.guessed; });
    if (guessed != m.items.end()) {
      out_ += "nodes guessed: some nodes share a debug handle, and not all of them are in the delegate";
      out_ += guessed->payload_bytes < 0 ? "; the program (--pte) tells which\n" : "\n";
    }
    return {};
  }

  Status breaks(const DelegationMap& m) {
    if (m.breaks.empty()) return {};
    part("Graph breaks: what lies between two delegates, and what it costs to leave and come back");
    Table t;
    t.columns = {{.title = "#", .right = true},
                 {.title = "between"},
                 {.title = "operators", .min_width = 16},
                 {.title = "module", .drop = 2},
                 {.title = "kernels", .kind = CellKind::Integer, .drop = 2},
                 {.title = "time", .kind = CellKind::Duration, .unit = unit_},
                 {.title = "share", .kind = CellKind::Share},
                 {.title = "copies", .kind = CellKind::Integer, .drop = 1},
                 {.title = "copying", .kind = CellKind::Duration, .unit = unit_, .drop = 1},
                 {.title = "transposes", .kind = CellKind::Integer, .drop = 1},
                 {.title = "transposing", .kind = CellKind::Duration, .unit = unit_, .drop = 1},
                 {.title = "crossing", .kind = CellKind::Bytes}};
    // On a narrow terminal the backend is left to the line on top, where it is the only one.
    constexpr int kNarrowBreaks = 110;
    std::set<std::string> backends;
    for (const MapItem& item : m.items) {
      if (item.kind == MapItem::Kind::Delegate) backends.insert(item.backend);
    }
    const bool narrow = options_.width > 0 && options_.width < kNarrowBreaks;
    const std::string only = narrow && backends.size() == 1 ? *backends.begin() + " " : "";
    for (const MapBreak& b : m.breaks) {
      std::string between = calls_between(m.items[b.first - 1], m.items[b.last + 1]);
      if (!only.empty() && between.starts_with(only)) between.erase(0, only.size());
      const int64_t first = m.items[b.first].instruction, last = m.items[b.last].instruction;
      t.add({std::to_string(first) + (first == last ? "" : "–" + std::to_string(last)), std::move(between),
             break_operators(m, b), text(break_module(m, b)), static_cast<int64_t>(b.last - b.first + 1), b.ns,
             m.total_ns > 0 ? b.ns / m.total_ns : 0, if_any(b.moves), if_any(b.move_ns), if_any(b.layouts),
             if_any(b.layout_ns), number(b.bytes)});
    }
    return write(std::move(t));
  }

  Status non_delegated(const DelegationMap& m) {
    std::vector<const NonDelegatedOp*> ops;
    size_t hidden = 0;
    for (const NonDelegatedOp& op : m.non_delegated) {
      if (options_.all || !costs_nothing(op)) ops.push_back(&op);
      if (!options_.all && costs_nothing(op)) ++hidden;
    }
    std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* b) { return a->ns > b->ns; });
    const std::string more =
        hidden == 0 ? "" : " (" + format_count(static_cast<int64_t>(hidden)) + " more leave no instruction: --all)";
    if (ops.empty()) {
      out_ += "\nEvery operator with a cost is delegated" + more + "\n";
      return {};
    }
    part("Non-delegated operators" + more);
    if (!m.has_graph && m.delegates() > 0) out_ += "(likely reasons need the ETRecord: --etrecord)\n";
    Table t;
    t.columns = {{.title = "#", .right = true},
                 {.title = "op", .min_width = 16},
                 {.title = "time", .kind = CellKind::Duration, .unit = unit_},
                 {.title = "share", .kind = CellKind::Share},
                 {.title = "tensor", .drop = 3},
                 {.title = "crossing", .kind = CellKind::Bytes, .drop = 2},
                 {.title = "line", .drop = 1},
                 {.title = "likely reason"}};
    const size_t shown = options_.all ? ops.size() : std::min(ops.size(), kMostOutside);
    for (const NonDelegatedOp* op : std::span(ops).first(shown)) {
      t.add({op->instruction < 0 ? Cell() : Cell(std::to_string(op->instruction)), operator_title(op->op), op->ns,
             m.total_ns > 0 ? op->ns / m.total_ns : 0, text(op->dtype.empty() ? "" : op->dtype + " " + op->shape),
             op->crossing_bytes > 0 ? Cell(op->crossing_bytes) : Cell(), text(place(*op)),
             text(options_.format == "markdown" ? reason_texts(*op, true) : reason_names(*op, true))},
            RowStyle::Normal, m.total_ns > 0 ? op->ns / m.total_ns : -1);
    }
    if (Status s = write(std::move(t)); !s.ok()) return s;
    if (options_.format == "table") reasons(std::span(ops).first(shown));
    if (shown == ops.size()) return {};
    double rest = 0;
    for (const NonDelegatedOp* op : std::span(ops).subspan(shown)) rest += op->ns;
    out_ += "and " + format_count(static_cast<int64_t>(ops.size() - shown)) + " more";
    out_ += (timed_ ? ", together " + time(rest) : "") + " (--all lists them)\n";
    return {};
  }

  Status what_if(const DelegationMap& m) {
    const WhatIfDelegated w = what_if_delegated(m);
    if (!timed_ || m.delegates() == 0 || w.all.ops == 0) return {};
    part("If more were delegated");
    Table t;
    t.columns = {{.title = "likely reason", .min_width = 24, .wrap = true},
                 {.title = "ops", .kind = CellKind::Integer},
                 {.title = "computing", .kind = CellKind::Duration, .unit = unit_},
                 {.title = "breaks gone", .kind = CellKind::Integer},
                 {.title = "moving data", .kind = CellKind::Duration, .unit = unit_},
                 {.title = "at most", .kind = CellKind::Duration, .unit = unit_},
                 {.title = "share", .kind = CellKind::Share}};
    const double total = m.total_ns > 0 ? m.total_ns : 1;
    const auto row = [&](const std::string& name, const WhatIf& x, RowStyle style) {
      t.add({name, x.ops, x.computing(), if_any(x.breaks), if_any(x.moving()), x.most(), x.most() / total}, style);
    };
    for (const WhatIf& x : w.by_reason) row(reason_name(*x.reason), x, RowStyle::Normal);
    row("all that are supported elsewhere", w.supported, RowStyle::Total);
    row("all", w.all, RowStyle::Total);
    if (Status s = write(std::move(t)); !s.ok()) return s;
    append_wrapped(what_if_text(), options_.width <= 0 ? kWidthNotTold : options_.width, &out_);
    return {};
  }

  /// The whole reasons, each once, behind the instructions that have it. A table would cut them.
  void reasons(std::span<const NonDelegatedOp* const> ops) {
    std::vector<std::pair<std::string, std::string>> list;  // reason, instructions
    for (const NonDelegatedOp* op : ops) {
      const std::string why = reason_texts(*op, true, true);
      if (why.empty()) continue;
      auto at = std::find_if(list.begin(), list.end(), [&](const auto& known) { return known.first == why; });
      if (at == list.end()) at = list.insert(list.end(), {why, ""});
      const std::string name = op->instruction < 0 ? operator_title(op->op) : "#" + std::to_string(op->instruction);
      at->second += (at->second.empty() ? "" : ", ") + name;
    }
    constexpr int kWidest = 100;
    const int width = options_.width <= 0 ? kWidest : std::min(options_.width, kWidest);
    if (!list.empty()) out_ += "Likely reasons:\n";
    for (const auto& [why, where] : list) append_wrapped(where + ": " + why, width, &out_);
  }

  const DelegationOptions& options_;
  const TimeUnit& unit_;
  bool timed_;
  Basis basis_;
  std::string& out_;
};

/// One row for each instruction, and for each node outside that has none or shares one.
Status write_rows(const std::vector<const DelegationMap*>& maps, const DelegationOptions& options, const TimeUnit& unit,
                  std::string* out) {
  Table t;
  for (const char* title : {"method", "instruction", "kind", "op", "backend", "part", "nodes", "payload_bytes"}) {
    t.columns.push_back({.title = title});
  }
  t.columns.push_back({.title = "time", .kind = CellKind::Duration, .key = "time", .unit = unit});
  t.columns.push_back({.title = "inner", .kind = CellKind::Duration, .key = "inner", .unit = unit});
  for (const char* title : {"calls", "bytes_in", "bytes_out", "moves_data", "crossing_bytes", "node", "dtype", "shape",
                            "file", "line", "module", "reasons", "why", "supported_elsewhere"}) {
    t.columns.push_back({.title = title});
  }
  const Cell none;
  for (const DelegationMap* m : maps) {
    for (const MapItem& i : m->items) {
      if (i.non_delegated >= 0) continue;
      t.add({m->method, i.instruction, std::string(kItemKinds[static_cast<size_t>(i.kind)]), i.label, text(i.backend),
             text(i.part), i.node_count, number(i.payload_bytes), i.ns, i.inner_ns, i.calls, number(i.bytes_in),
             number(i.bytes_out), static_cast<int64_t>(i.moves)});
    }
    for (const NonDelegatedOp& o : m->non_delegated) {
      const MapItem* i = o.item < 0 ? nullptr : &m->items[static_cast<size_t>(o.item)];
      t.add({m->method,
             number(o.instruction),
             std::string("outside"),
             o.op,
             none,
             none,
             none,
             none,
             o.ns,
             none,
             o.calls,
             i ? number(i->bytes_in) : none,
             i ? number(i->bytes_out) : none,
             static_cast<int64_t>(only_moves_data(o.op)),
             number(o.crossing_bytes),
             text(o.node),
             text(o.dtype),
             text(o.shape),
             text(o.file),
             o.line > 0 ? Cell(o.line) : none,
             text(o.module_path),
             text(reason_names(o)),
             text(reason_texts(o)),
             static_cast<int64_t>(is_supported_elsewhere(o))});
    }
  }
  return t.write({.format = options.format}, out);
}

void write_what_if(JsonWriter* json, const std::string& suffix, const DelegationMap& map) {
  const WhatIfDelegated w = what_if_delegated(map);
  const auto members = [&](const WhatIf& x) {
    json->member("ops", x.ops).member("sum" + suffix, x.ns).member("copies" + suffix, x.copy_ns);
    json->member("breaks", x.breaks).member("breaks" + suffix, x.break_ns).member("most" + suffix, x.most());
    json->end_object();
  };
  json->key("if_delegated").begin_object().key("supported_elsewhere").begin_object();
  members(w.supported);
  json->key("all").begin_object();
  members(w.all);
  json->key("by_reason").begin_array();
  for (const WhatIf& x : w.by_reason) {
    json->begin_object().member("kind", reason_name(*x.reason));
    members(x);
  }
  json->end_array().key("by_operator").begin_array();
  for (const WhatIf& x : w.by_operator) {
    json->begin_object().member("op", x.op);
    members(x);
  }
  json->end_array().end_object();
}

void write_json(const std::vector<const DelegationMap*>& maps, const std::string& unit, const std::string& lines,
                std::string* out) {
  JsonWriter json(out);
  const std::string suffix = unit == "ns" ? "_ns" : "_cycles";
  const auto known = [](int64_t v) { return v < 0 ? std::optional<int64_t>() : std::optional<int64_t>(v); };
  const auto known_text = [](const std::string& v) { return v.empty() ? std::optional<std::string>() : v; };
  json.begin_object().member("schema_version", kJsonSchemaVersion);
  json.key("methods").begin_array();
  for (const DelegationMap* m : maps) {
    const DelegationTotals t = delegation_totals(*m);
    json.begin_object().member("method", known_text(m->method));
    json.member("total" + suffix, t.total).member("delegated" + suffix, t.delegated);
    json.member("outside" + suffix, t.non_delegated).member("framework" + suffix, t.framework);
    json.member("breaks" + suffix, t.breaks).member("copies" + suffix, t.moves);
    json.member("crossing_bytes", known(t.break_bytes));
    if (m->has_graph) {
      json.member("delegated_nodes", m->summary.delegated_nodes);
      json.member("non_delegated_nodes", m->summary.non_delegated_nodes);
    }
    json.key("items").begin_array();
    for (const MapItem& i : m->items) {
      json.begin_object().member("instruction", i.instruction).member("kind", kItemKinds[static_cast<size_t>(i.kind)]);
      json.member("op", i.label).member("backend", known_text(i.backend)).member("part", known_text(i.part));
      json.key("nodes").begin_array();
      for (const std::string& n : i.nodes) json.value(n);
      json.end_array().member("node_count", i.node_count).member("payload_bytes", known(i.payload_bytes));
      json.member("payload_nodes", known(i.payload_nodes))
          .member("sum" + suffix, i.ns)
          .member("inner" + suffix, i.inner_ns);
      json.member("call", known(i.number > 0 ? i.number : -1));
      json.member("calls", i.calls).member("bytes_in", known(i.bytes_in)).member("bytes_out", known(i.bytes_out));
      json.member("moves_data", i.moves).member("crossing", i.crossing).member("guessed", i.guessed).end_object();
    }
    json.end_array().key("breaks").begin_array();
    for (const MapBreak& b : m->breaks) {
      json.begin_object().member("first_instruction", m->items[b.first].instruction);
      json.member("last_instruction", m->items[b.last].instruction).member("after", b.before).member("before", b.after);
      json.member("after_call", m->items[b.first - 1].number).member("before_call", m->items[b.last + 1].number);
      json.member("module", known_text(break_module(*m, b)));
      json.member("sum" + suffix, b.ns).member("copies", b.moves).member("copies" + suffix, b.move_ns);
      json.member("transposes", known(b.layouts)).member("transposes" + suffix, b.layout_ns);
      json.member("crossing_bytes", known(b.bytes)).end_object();
    }
    json.end_array().key("outside").begin_array();
    for (const NonDelegatedOp& o : m->non_delegated) {
      json.begin_object()
          .member("op", o.op)
          .member("node", known_text(o.node))
          .member("instruction", known(o.instruction));
      json.member("dtype", known_text(o.dtype)).member("shape", known_text(o.shape)).member("file", known_text(o.file));
      json.member("line", known(o.line > 0 ? o.line : -1)).member("module", known_text(o.module_path));
      json.member("sum" + suffix, o.ns).member("calls", o.calls).member("crossing_bytes", known(o.crossing_bytes));
      json.key("reasons").begin_array();
      for (const StayReason& r : o.reasons) {
        json.begin_object().member("kind", reason_name(r.kind)).member("text", r.text).end_object();
      }
      json.end_array().member("supported_elsewhere", is_supported_elsewhere(o)).end_object();
    }
    json.end_array();
    write_what_if(&json, suffix, *m);
    json.end_object();
  }
  json.end_array().member("lines", lines).end_object();
}

}  // namespace

Status write_delegation(const Store& store, int64_t trace_id, const DelegationOptions& options, std::string* out) {
  if (!is_table_format(options.format)) {
    return {Error::InvalidArgument,
            "unknown format \"" + options.format + "\"; there are table, csv, tsv, markdown and json"};
  }
  const bool for_people = options.format == "table" || options.format == "markdown";
  OpTable table;
  OpTableOptions wanted;
  wanted.basis = options.basis.value_or(Basis{for_people ? BasisKind::WarmMedian : BasisKind::Total});
  if (Status s = load_shown_ops(store, trace_id, wanted, &table); !s.ok()) return s;
  // Machine formats have the times as they were.
  std::vector<Interruption> held;
  if (Status s = for_people ? find_interruptions(store, table, &held) : Status(); !s.ok()) return s;
  std::vector<DelegationMap> all;
  const OpTable calm = held.empty() ? OpTable() : without_interruptions(table, held);
  if (Status s = delegation_map(store, held.empty() ? table : calm, &all); !s.ok()) return s;
  std::vector<const DelegationMap*> maps;
  std::string names;
  double largest = 0, total = 0;
  for (const DelegationMap& m : all) {
    names += (names.empty() ? "" : ", ") + m.method;
    if (!options.method.empty() && m.method != options.method) continue;
    maps.push_back(&m);
    total += m.total_ns;
    for (const MapItem& i : m.items) largest = std::max(largest, i.ns);
  }
  if (maps.empty() && !options.method.empty()) {
    return {Error::InvalidArgument, "there is no method \"" + options.method + "\"; the trace has " + names};
  }
  const std::string trace_unit = maps.empty() ? "ns" : maps.front()->unit;
  TimeUnit unit;
  const std::string wish = !for_people && options.units == "auto" ? trace_unit : options.units;
  if (Status s = choose_unit(wish, trace_unit, largest, &unit); !s.ok()) return s;
  if (options.format == "json") {
    write_json(maps, trace_unit, table.lines.text(), out);
    return {};
  }
  if (!for_people) return write_rows(maps, options, unit, out);
  Listing listing(options, unit, total > 0, table.basis, out);
  for (const DelegationMap* m : maps) {
    if (Status s = listing.map(*m); !s.ok()) return s;
  }
  if (maps.empty()) *out += "the trace has no methods\n";
  if (!held.empty()) *out += "\n" + printable(left_out_text(table, held)) + ".\n";
  const bool any = std::any_of(maps.begin(), maps.end(), [](const DelegationMap* m) {
    return std::any_of(m->non_delegated.begin(), m->non_delegated.end(), [](const auto& o) { return !o.file.empty(); });
  });
  if (any && !table.lines.text().empty()) *out += "\n" + printable(table.lines.text()) + "\n";
  return {};
}

}  // namespace et::inspector
