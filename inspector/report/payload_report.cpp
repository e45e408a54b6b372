#include "inspector/report/payload_report.h"

#include <optional>
#include <vector>

#include "inspector/report/compiled_report.h"
#include "inspector/store/line_rule.h"
#include "inspector/text/table.h"

namespace et::inspector {
namespace {

struct Delegate {
  int64_t id = 0, ordinal = 0, bytes = 0;
  std::string method, backend, kind, what;  // what: "delegate 0 of forward"
};

Cell maybe(const Statement& row, int column) { return row.is_null(column) ? Cell() : Cell(row.integer(column)); }
Cell text(const std::string& v) { return v.empty() ? Cell() : Cell(v); }

std::string place(const Statement& row, int file, int line) {
  const std::string path = row.str(file);
  return path.empty() ? "" : path.substr(path.find_last_of("/\\") + 1) + ":" + std::to_string(row.integer(line));
}

/// One heading of the report: the kinds of facts below it, and how their numbers read.
struct FactGroup {
  const char* title;
  const char* kinds;  // SQL list
  const char* name;
  const char* value;
  CellKind number;
};
constexpr FactGroup kFacts[] = {
    {"Blocks", "'block'", "block", "size", CellKind::Bytes},
    {"Memory and tensors", "'memory', 'tensor'", "what", "size", CellKind::Bytes},
    {"Device", "'device'", "what", "value", CellKind::Integer},
    {"Commands", "'command', 'work'", "what", "count", CellKind::Integer},
    {"Content", "'content'", "what", "size", CellKind::Bytes},
    {"Twin", "'twin'", "what", "count", CellKind::Integer},
    {"Compile specs", "'version', 'spec'", "key", "bytes", CellKind::Integer},
};

constexpr const char* kTypes =
    "SELECT type, count(*), min(ordinal) FROM payload_nodes WHERE delegate_id = ?1 GROUP BY type ORDER BY 2 DESC, 3";
constexpr const char* kLines =
    "SELECT n.file, n.line, count(DISTINCT n.node_id), max(n.code) FROM instructions i, json_each(i.debug_handles) h "
    "JOIN nodes n ON n.trace_id = i.trace_id AND n.method = i.method AND n.graph = 'edge' AND n.debug_handle = h.value "
    "WHERE i.delegate_id = ?1 AND n.file IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2";
// The surest link, or where the payload has handles of its own the first node of the handle.
constexpr const char* kLinked =
    "coalesce((SELECT l.node_id FROM payload_links l WHERE l.payload_node_id = p.payload_node_id AND l.ordinal = 0), ";
constexpr const char* kNodes =
    "(SELECT min(m.node_id) FROM nodes m WHERE m.trace_id = p.trace_id AND m.method = d.method AND m.graph = 'edge' "
    "AND "
    "m.debug_handle = p.debug_handle)";

// Expected cycles of the compiler's operators.
constexpr const char* kCompiled =
    "SELECT c.type, c.cycles, c.name, n.name, n.file, n.line FROM compiled_ops c LEFT JOIN payload_links l ON "
    "l.payload_node_id = c.payload_node_id AND l.ordinal = 0 LEFT JOIN nodes n ON n.node_id = l.node_id WHERE "
    "c.delegate_id = ?1 ORDER BY c.ordinal";

std::string nodes_query(const Store& store) {
  const bool links = store.has_table("raw_payload_link");
  return "SELECT p.ordinal, p.type, p.label, n.name, n.file, n.line FROM payload_nodes p JOIN delegates d ON "
         "d.delegate_id = p.delegate_id LEFT JOIN nodes n ON n.node_id = " +
         (links ? std::string(kLinked) + kNodes + ")" : std::string(kNodes)) +
         " WHERE p.delegate_id = ?1 ORDER BY p.ordinal";
}

class PayloadReport {
 public:
  PayloadReport(const Store& store, const PayloadOptions& options, std::string* out)
      : store_(store), options_(options), out_(*out) {}

  Status person(const Delegate& d) {
    const std::string payload =
        d.bytes < 0 ? "payloads are in the program (--pte)" : d.kind + " payload of " + format_bytes(d.bytes);
    heading(d.what + ": " + (d.backend.empty() ? "?" : d.backend) + ", " + payload);
    for (const FactGroup& g : kFacts) {
      if (Status s = facts(d, g); !s.ok()) return s;
    }
    if (Status s = part("Expected by Vela", compiled_table(store_, d.id)); !s.ok()) return s;
    Table types;
    types.columns = {{.title = "operator"}, {.title = "count", .kind = CellKind::Integer}};
    Statement st = rows(kTypes, d);
    while (st.step()) types.add({st.str(0), st.integer(1)});
    if (Status s = part("Operators inside", std::move(types)); !s.ok()) return s;
    Table lines;
    lines.columns = {{.title = "line"},
                     {.title = "graph nodes", .kind = CellKind::Integer},
                     {.title = "code", .drop = 1, .min_width = 20}};
    st = rows(kLines, d);
    while (st.step()) lines.add({place(st, 0, 1), st.integer(2), text(printable(st.str(3)))});
    if (Status s = part("Python lines that it stands for", std::move(lines)); !s.ok()) return s;
    if (!options_.nodes) return {};
    Table nodes;
    nodes.columns = {{.title = "#", .kind = CellKind::Integer},
                     {.title = "operator"},
                     {.title = "", .drop = 1, .min_width = 30},
                     {.title = "graph node", .drop = 2, .min_width = 16},
                     {.title = "line"}};
    st = rows(nodes_query(store_), d);
    while (st.step()) {
      nodes.add({st.integer(0), st.str(1), text(printable(st.str(2))), text(st.str(3)), text(place(st, 4, 5))});
    }
    return part("Nodes", std::move(nodes));
  }

  /// The same as rows of one table.
  void machine(const Delegate& d, Table* t) {
    const Cell none;
    const auto add = [&](const char* kind, Cell name, Cell value, Cell more, Cell node, Cell file, Cell line) {
      t->add({d.method, d.ordinal, d.backend, kind, std::move(name), std::move(value), std::move(more), std::move(node),
              std::move(file), std::move(line)});
    };
    add("payload", d.kind, d.bytes < 0 ? none : Cell(d.bytes), none, none, none, none);
    if (store_.has_table("raw_payload_fact")) {
      Statement st =
          rows("SELECT kind, name, value, text FROM payload_facts WHERE delegate_id = ?1 ORDER BY ordinal", d);
      while (st.step()) add(st.str(0).c_str(), st.str(1), maybe(st, 2), text(st.str(3)), none, none, none);
    }
    Statement st = rows(kTypes, d);
    while (st.step()) add("operator", st.str(0), st.integer(1), none, none, none, none);
    if (store_.has_table("raw_compiled_op")) {
      st = rows(kCompiled, d);
      while (st.step()) {
        add("compiled", st.str(0), maybe(st, 1), text(st.str(2)), text(st.str(3)), text(st.str(4)), maybe(st, 5));
      }
    }
    st = rows(kLines, d);
    while (st.step()) add("line", none, st.integer(2), text(st.str(3)), none, text(st.str(0)), maybe(st, 1));
    if (!options_.nodes) return;
    st = rows(nodes_query(store_), d);
    while (st.step()) {
      add("node", st.str(1), st.integer(0), text(st.str(2)), text(st.str(3)), text(st.str(4)), maybe(st, 5));
    }
  }

 private:
  Statement rows(const std::string& sql, const Delegate& d) {
    Statement st = store_.query(sql);
    st.bind_all(d.id);
    return st;
  }

  void heading(const std::string& line) {
    if (!out_.empty()) out_ += '\n';
    const bool markdown = options_.format == "markdown";
    out_ += markdown         ? "## " + printable(line) + "\n"
            : options_.color ? "\x1b[1m" + printable(line) + "\x1b[0m\n"
                             : printable(line) + "\n";
  }

  Status part(const char* title, Table t) {
    if (t.rows.empty()) return {};
    out_ += std::string("\n") + title + (options_.format == "markdown" ? "\n\n" : "\n");
    t.drop_columns([&](size_t c) { return t.is_empty(c); });
    return t.write({.format = options_.format, .width = options_.width, .color = options_.color, .header = true},
                   &out_);
  }

  Status facts(const Delegate& d, const FactGroup& g) {
    if (!store_.has_table("raw_payload_fact")) return {};
    Table t;
    t.columns = {{.title = g.name}, {.title = g.value, .kind = g.number}, {.title = "", .drop = 1, .min_width = 20}};
    Statement st = rows(("SELECT name, value, text FROM payload_facts WHERE delegate_id = ?1 AND kind IN (" +
                         std::string(g.kinds) + ") ORDER BY ordinal"),
                        d);
    while (st.step()) t.add({printable(st.str(0)), maybe(st, 1), text(printable(st.str(2)))});
    return part(g.title, std::move(t));
  }

  const Store& store_;
  const PayloadOptions& options_;
  std::string& out_;
};

}  // namespace

Status write_payloads(const Store& store, int64_t trace_id, const PayloadOptions& options, std::string* out) {
  if (!is_table_format(options.format)) {
    return {Error::InvalidArgument,
            "unknown format \"" + options.format + "\"; there are table, csv, tsv, markdown and json"};
  }
  std::vector<Delegate> delegates;
  bool method_known = options.method.empty();
  Statement methods = store.query("SELECT 1 FROM methods WHERE trace_id = ?1 AND name = ?2");
  methods.bind_all(trace_id, options.method);
  method_known |= methods.step();
  if (!method_known) return {Error::InvalidArgument, "there is no method \"" + options.method + "\""};
  Statement st = store.query(
      "SELECT delegate_id, method, ordinal, backend, coalesce(payload_kind, 'unknown'), payload_bytes FROM delegates "
      "WHERE trace_id = ?1 AND (?2 = '' OR method = ?2) ORDER BY delegate_id");
  st.bind_all(trace_id, options.method);
  while (st.step()) {
    Delegate d;
    d.id = st.integer(0);
    d.method = st.str(1);
    d.ordinal = st.integer(2);
    d.backend = st.str(3);
    d.kind = st.str(4);
    d.bytes = st.is_null(5) ? -1 : st.integer(5);
    d.what = "delegate " + std::to_string(d.ordinal) + " of " + d.method;
    delegates.push_back(std::move(d));
  }
  PayloadReport report(store, options, out);
  if (options.format == "table" || options.format == "markdown") {
    for (const Delegate& d : delegates) {
      if (Status s = report.person(d); !s.ok()) return s;
    }
    if (delegates.empty()) *out += "no delegate is known: payloads are in the program (--pte)\n";
    const std::string shown = shown_lines(store, trace_id).text();
    if (!delegates.empty() && !shown.empty()) *out += "\n" + printable(shown) + "\n";
    return {};
  }
  Table t;
  for (const char* title : {"method", "delegate", "backend", "kind", "name", "value", "text", "node", "file", "line"}) {
    t.columns.push_back({.title = title});
  }
  for (const Delegate& d : delegates) report.machine(d, &t);
  return t.write({.format = options.format, .json_name = "payloads"}, out);
}

}  // namespace et::inspector
