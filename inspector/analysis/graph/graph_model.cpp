#include "inspector/analysis/graph/graph_model.h"

#include "inspector/analysis/graph/node_counts.h"

#include <algorithm>
#include <set>

namespace et::inspector {
namespace {

bool starts_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_identifier(char c) { return starts_identifier(c) || (c >= '0' && c <= '9'); }

// Behind a quoted text that starts at `i`.
size_t skip_quoted(std::string_view s, size_t i) {
  for (++i; i < s.size() && s[i] != '"'; ++i) {
    if (s[i] == '\\') ++i;
  }
  return std::min(i + 1, s.size());
}

Status load_nodes(const Store& store, int64_t trace_id, GraphModel* m) {
  Statement st = store.query(
      "SELECT node_id, name, op, target, subgraph, coalesce(file, ''), coalesce(function, ''), coalesce(code, ''), "
      "coalesce(module_path, ''), coalesce(module_type, ''), coalesce(dtype, ''), coalesce(shape, ''), debug_handle, "
      "coalesce(line, 0), coalesce(arguments, '') FROM nodes WHERE trace_id = ?1 AND coalesce(method, '') = ?2 AND "
      "graph = ?3 "
      "ORDER BY ordinal, node_id");
  st.bind_all(trace_id, m->method, m->graph);
  while (st.step()) {
    GraphNode n;
    n.id = st.integer(0);
    n.name = st.str(1);
    n.op = st.str(2);
    n.target = st.str(3);
    n.subgraph = st.str(4);
    n.file = st.str(5);
    n.function = st.str(6);
    n.code = st.str(7);
    n.module_path = st.str(8);
    n.module_type = st.str(9);
    n.dtype = st.str(10);
    n.shape = st.str(11);
    n.debug_handle = st.maybe_integer(12);
    n.line = st.integer(13);
    n.arguments = split_arguments(st.text(14));
    n.scope = m->find_scope(n.subgraph);
    if (n.scope < 0) {
      n.scope = static_cast<int32_t>(m->scopes.size());
      m->scopes.emplace_back().path = n.subgraph;
    }
    m->scopes[static_cast<size_t>(n.scope)].nodes.push_back(static_cast<int32_t>(m->nodes.size()));
    m->nodes.push_back(std::move(n));
  }
  return st.finish("nodes");
}

Status load_values(const Store& store, int64_t trace_id, GraphModel* m) {
  std::unordered_map<int64_t, int32_t> node_at;
  for (size_t i = 0; i < m->nodes.size(); ++i) node_at.emplace(m->nodes[i].id, static_cast<int32_t>(i));
  Statement st = store.query(
      "SELECT subgraph, role, name, node_id, coalesce(kind, ''), coalesce(target, ''), coalesce(dtype, ''), "
      "coalesce(shape, ''), "
      "ordinal FROM graph_values WHERE trace_id = ?1 AND coalesce(method, '') = ?2 AND graph = ?3 ORDER BY role, "
      "node_id, ordinal");
  st.bind_all(trace_id, m->method, m->graph);
  while (st.step()) {
    int32_t scope = m->find_scope(st.text(0));
    if (scope < 0) {  // a body without nodes
      scope = static_cast<int32_t>(m->scopes.size());
      m->scopes.emplace_back().path = st.str(0);
    }
    GraphScope& s = m->scopes[static_cast<size_t>(scope)];
    const std::string_view role = st.text(1);
    GraphValue v;
    v.name = st.str(2);
    if (role == "output") {
      s.outputs.push_back(v.name);
      continue;
    }
    if (v.name.empty()) continue;
    v.kind = st.str(4);
    v.target = st.str(5);
    v.dtype = st.str(6);
    v.shape = st.str(7);
    if (role == "input") {
      s.inputs.push_back(v.name);
    } else {
      const auto at = node_at.find(st.integer(3));
      if (at == node_at.end()) continue;
      GraphNode& n = m->nodes[static_cast<size_t>(at->second)];
      v.producer = at->second;
      v.index = static_cast<int32_t>(n.results.size());
      n.results.push_back(v.name);
      n.has_results = true;
    }
    s.values.insert_or_assign(v.name, std::move(v));
  }
  if (Status failed = st.finish("values"); !failed.ok()) return failed;
  for (size_t i = 0; i < m->nodes.size(); ++i) {
    GraphNode& n = m->nodes[i];
    if (n.has_results) continue;
    n.results = {n.name};
    GraphValue v;
    v.name = n.name;
    v.dtype = n.dtype;
    v.shape = n.shape;
    v.producer = static_cast<int32_t>(i);
    m->scopes[static_cast<size_t>(n.scope)].values.insert_or_assign(n.name, std::move(v));
  }
  return {};
}

// Delegates within delegates as well: their nodes run in the outer ones.
Status load_inside(const Store& store, int64_t trace_id, GraphModel* m) {
  if (std::none_of(m->nodes.begin(), m->nodes.end(),
                   [](const GraphNode& n) { return n.op == "executorch_call_delegate"; }))
    return {};
  Statement st = store.query(
      "SELECT node_id, op FROM nodes WHERE trace_id = ?1 AND coalesce(method, '') = ?2 AND graph LIKE 'edge:%' "
      "ORDER BY node_id");
  st.bind_all(trace_id, m->method);
  while (st.step()) {
    if (is_counted_node(st.text(1))) m->inside.push_back({st.integer(0), st.str(1), 0});
  }
  return st.finish("nodes");
}

// Producers and control flow bodies, from the arguments.
void connect(GraphModel* m) {
  for (GraphNode& n : m->nodes) {
    std::set<int32_t> producers;
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const std::string name(id);
        if (const GraphValue* v = m->value(n.scope, name); v != nullptr) {
          if (v->producer >= 0) producers.insert(v->producer);
          continue;
        }
        const std::string& outer = m->scopes[static_cast<size_t>(n.scope)].path;
        const std::string path = outer.empty() ? name : outer + "/" + name;
        if (m->find_scope(path) > 0) n.bodies.push_back(path);
      }
    }
    n.producers.assign(producers.begin(), producers.end());
  }
}

}  // namespace

std::vector<GraphArgument> split_arguments(std::string_view text) {
  std::vector<GraphArgument> out;
  size_t begin = 0;
  int depth = 0;
  auto add = [&](size_t end) {
    std::string_view part = text.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    GraphArgument a;
    size_t i = 0;
    if (!part.empty() && starts_identifier(part[0])) {
      while (i < part.size() && continues_identifier(part[i])) ++i;
    }
    if (i > 0 && i < part.size() && part[i] == '=' && !part.substr(i).starts_with("==")) {
      a.name = std::string(part.substr(0, i));
      part.remove_prefix(i + 1);
    }
    a.text = std::string(part);
    out.push_back(std::move(a));
  };
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = skip_quoted(text, i);
      continue;
    }
    if (c == '[' || c == '(' || c == '{') ++depth;
    if ((c == ']' || c == ')' || c == '}') && depth > 0) --depth;
    if (c == ',' && depth == 0) {
      add(i);
      begin = i + 1;
    }
    ++i;
  }
  if (!text.empty()) add(text.size());
  return out;
}

std::vector<std::string_view> identifiers(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = skip_quoted(text, i);
    } else if (starts_identifier(text[i])) {
      const size_t begin = i;
      while (i < text.size() && continues_identifier(text[i])) ++i;
      out.push_back(text.substr(begin, i - begin));
    } else if (continues_identifier(text[i])) {  // a number, with its exponent
      while (i < text.size() && (continues_identifier(text[i]) || text[i] == '.')) ++i;
    } else {
      ++i;
    }
  }
  return out;
}

const GraphValue* GraphModel::value(int32_t scope, const std::string& name) const {
  if (scope < 0 || static_cast<size_t>(scope) >= scopes.size()) return nullptr;
  const auto& values = scopes[static_cast<size_t>(scope)].values;
  const auto at = values.find(name);
  return at == values.end() ? nullptr : &at->second;
}

int32_t GraphModel::find_scope(std::string_view path) const {
  for (size_t i = 0; i < scopes.size(); ++i) {
    if (scopes[i].path == path) return static_cast<int32_t>(i);
  }
  return -1;
}

std::vector<std::string> graph_methods(const Store& store, int64_t trace_id, const std::string& graph) {
  std::vector<std::string> out;
  Statement st = store.query(
      "SELECT coalesce(n.method, '') FROM nodes n LEFT JOIN methods m ON m.trace_id = n.trace_id AND m.name = n.method "
      "WHERE n.trace_id = ?1 AND n.graph = ?2 GROUP BY n.method ORDER BY min(m.method_id), 1");
  st.bind_all(trace_id, graph);
  while (st.step()) out.push_back(st.str(0));
  return out;
}

std::vector<std::string> graph_names(const Store& store, int64_t trace_id) {
  std::vector<std::string> out;
  Statement st = store.query("SELECT DISTINCT graph FROM nodes WHERE trace_id = ?1 ORDER BY graph != 'edge', graph");
  st.bind_all(trace_id);
  while (st.step()) out.push_back(st.str(0));
  return out;
}

Status load_graph(const Store& store, const OpTable& table, const std::string& method, const std::string& graph,
                  GraphModel* out) {
  GraphModel m;
  m.method = method;
  m.graph = graph;
  m.unit = table.unit;
  m.scopes.emplace_back();
  if (Status s = load_nodes(store, table.trace_id, &m); !s.ok()) return s;
  if (Status s = load_values(store, table.trace_id, &m); !s.ok()) return s;
  if (m.nodes.empty() && m.scopes[0].inputs.empty()) {
    return {Error::NotFound, "the trace has no graph " + graph + (method.empty() ? "" : " of method " + method)};
  }
  connect(&m);
  if (graph == "edge") {
    assign_parts(store, table.trace_id, &m);
    if (Status s = load_inside(store, table.trace_id, &m); !s.ok()) return s;
  }
  charge_graph(table, &m);
  *out = std::move(m);
  return {};
}

}  // namespace et::inspector
