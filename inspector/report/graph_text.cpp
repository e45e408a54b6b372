// The graph as text, in the layout of ExecuTorch's print_delegated_graph: a line a node, and below each lowered module
// its backend and its own graph. Bodies of control flow are printed in the same way.
#include <algorithm>
#include <map>
#include <set>

#include "inspector/report/graph_format.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

constexpr const char* kIndent = "  ";

class TextGraph {
 public:
  TextGraph(const GraphModel& model, const GraphOptions& options, std::string* out)
      : m_(model), color_(options.color), out_(*out) {}

  void write() {
    for (size_t s = 0; s < m_.scopes.size(); ++s) count_users(static_cast<int32_t>(s));
    name_results();
    write_scope(0, 0);
  }

 private:
  // Who reads a value, seen from one graph: nodes by number, a delegate's call as ~part, the graph's output as kOutput.
  static constexpr int32_t kOutput = INT32_MAX;
  using Users = std::map<std::string, std::set<int32_t>>;

  static std::string indent(int depth) {
    std::string s;
    for (int i = 0; i < depth; ++i) s += kIndent;
    return s;
  }
  const GraphNode& node(int32_t n) const { return m_.nodes[static_cast<size_t>(n)]; }

  void read_by(const GraphNode& n, int32_t reader, Users* users) const {
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        if (m_.value(n.scope, std::string(id)) != nullptr) (*users)[std::string(id)].insert(reader);
      }
    }
  }

  void count_users(int32_t scope) {
    const GraphScope& s = m_.scopes[static_cast<size_t>(scope)];
    Users& users = users_[scope];
    for (const int32_t n : s.nodes) {
      if (node(n).part < 0) read_by(node(n), n, &users);
    }
    if (scope == 0) {
      for (size_t p = 0; p < m_.parts.size(); ++p) {
        for (const std::string& in : m_.parts[p].inputs) users[in].insert(~static_cast<int32_t>(p));
      }
    }
    for (const std::string& o : s.outputs) users[o].insert(kOutput);
  }

  static size_t count(const Users& users, const std::string& value) {
    const auto at = users.find(value);
    return at == users.end() ? 0 : at->second.size();
  }

  void line(int depth, const std::string& name, size_t users, const std::string& rest, double share = -1) {
    std::string text = "%" + name + " : [num_users=" + std::to_string(users) + "] = " + rest;
    out_ += indent(depth);
    text = printable(text);
    if (color_ && share >= 0.1) {
      out_ += (share >= 0.3 ? "\x1b[31m" : "\x1b[33m") + text + "\x1b[0m";
    } else {
      out_ += text;
    }
    out_ += '\n';
  }

  double share(double ns) const { return m_.total_ns > 0 ? ns / m_.total_ns : -1; }

  void placeholder(int depth, const std::string& name, size_t users) {
    line(depth, name, users, "placeholder[target=" + name + "]");
  }

  void write_getitems(int depth, const std::string& of, const std::vector<std::string>& values, const Users& users) {
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t n = count(users, values[i]);
      if (n == 0) continue;
      line(depth, values[i], n,
           "call_function[target=operator.getitem](args = (%" + of + ", " + std::to_string(i) + "), kwargs = {})");
    }
  }

  void write_node(int depth, int32_t n, const Users& users) {
    const GraphNode& x = node(n);
    for (const std::string& body : x.bodies) write_body(depth, body);
    size_t readers = count(users, x.name);
    if (x.has_results) {
      readers = 0;
      for (const std::string& r : x.results) readers += count(users, r) > 0 ? 1 : 0;
    }
    line(depth, x.name, readers,
         "call_function[target=" + call_target(x) + "](" +
             call_arguments(m_, x, x.part < 0 && x.scope == 0 ? renames_ : no_renames_) + ")",
         share(x.ns));
    if (x.has_results) write_getitems(depth, x.name, x.results, users);
  }

  // The parent's path is no part of the name that the parent uses.
  void write_body(int depth, const std::string& path) {
    const size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    line(depth, name, 1, "get_attr[target=" + name + "]");
    const int32_t scope = m_.find_scope(path);
    // A body may be called twice; its graph is printed once. That also ends any recursion that a damaged store claims.
    if (scope > 0 && printed_.insert(scope).second) write_scope(scope, depth + 1);
  }

  void write_part(int depth, const GraphPart& part) {
    line(depth, part.name, 1, "get_attr[target=" + part.name + "]", share(part.ns));
    out_ += indent(depth + 1) + "backend_id: " + printable(part.backend.empty() ? "unknown" : part.backend) + "\n";
    if (part.guessed) {
      out_ +=
          indent(depth + 1) + "# several nodes share a debug handle: which of them are here is the likeliest choice\n";
    }
    out_ += indent(depth + 1) + "lowered graph():\n";
    Users users;
    for (const int32_t n : part.nodes) read_by(node(n), n, &users);
    for (const std::string& o : part.outputs) users[o].insert(kOutput);
    for (const std::string& c : part.constants) placeholder(depth + 2, c, count(users, c));
    for (const std::string& in : part.inputs) placeholder(depth + 2, in, count(users, in));
    for (const int32_t n : part.nodes) write_node(depth + 2, n, users);
    out_ += indent(depth + 2) + "return [" + join(part.outputs) + "]\n";
    write_call(depth, part);
  }

  void write_call(int depth, const GraphPart& part) {
    const auto number = static_cast<size_t>(&part - m_.parts.data());
    const std::string suffix = number == 0 ? "" : "_" + std::to_string(number);
    std::string args = "%" + part.name;
    for (const std::string& in : part.inputs) args += ", %" + outside(in);
    const std::string call = "executorch_call_delegate" + suffix;
    line(depth, call, part.outputs.size(),
         "call_function[target=torch.ops.higher_order.executorch_call_delegate](args = (" + args +
             (part.inputs.empty() ? "," : "") + "), kwargs = {})");
    for (size_t i = 0; i < part.outputs.size(); ++i) {
      line(depth, outside(part.outputs[i]), count(users_[0], part.outputs[i]),
           "call_function[target=operator.getitem](args = (%" + call + ", " + std::to_string(i) + "), kwargs = {})");
    }
  }

  // Outside of its delegate a result is what getitem takes from the call, under a name of its own.
  void name_results() {
    int number = 0;
    auto fresh = [&] {
      for (;; ++number) {
        std::string name = number == 0 ? "getitem" : "getitem_" + std::to_string(number);
        if (m_.value(0, name) == nullptr) {
          ++number;
          return name;
        }
      }
    };
    // Upstream lowers the last partition first.
    for (auto p = m_.parts.rbegin(); p != m_.parts.rend(); ++p) {
      for (const std::string& o : p->outputs) renames_[o] = fresh();
    }
  }
  const std::string& outside(const std::string& value) const {
    const auto at = renames_.find(value);
    return at == renames_.end() ? value : at->second;
  }

  static std::string join(const std::vector<std::string>& names) {
    std::string s;
    for (const std::string& n : names) s += (s.empty() ? "" : ", ") + (n.empty() ? std::string("None") : n);
    return s;
  }

  void write_scope(int32_t index, int depth) {
    const GraphScope& scope = m_.scopes[static_cast<size_t>(index)];
    const Users& users = users_[index];
    out_ += indent(depth) + "graph():\n";
    for (const std::string& in : scope.inputs) {
      const GraphValue* v = m_.value(index, in);
      // Weights that went into delegates are no inputs of what is left.
      if (v != nullptr && v->is_constant() && count(users, in) == 0) continue;
      placeholder(depth + 1, in, count(users, in));
    }
    for (const GraphItem& i : execution_order(m_, index)) {
      if (i.node >= 0) {
        write_node(depth + 1, i.node, users);
      } else {
        write_part(depth + 1, m_.parts[static_cast<size_t>(i.part)]);
      }
    }
    if (!scope.outputs.empty()) {
      std::vector<std::string> outputs = scope.outputs;
      if (index == 0) {
        for (std::string& o : outputs) o = outside(o);
      }
      out_ += indent(depth + 1) + "return (" + join(outputs) + (scope.outputs.size() == 1 ? "," : "") + ")\n";
    }
  }

  const GraphModel& m_;
  bool color_;
  std::string& out_;
  std::map<int32_t, Users> users_;
  GraphRenames renames_;
  const GraphRenames no_renames_;
  std::set<int32_t> printed_;
};

}  // namespace

void write_graph_text(const GraphModel& model, const GraphOptions& options, std::string* out) {
  TextGraph(model, options, out).write();
}

}  // namespace et::inspector
