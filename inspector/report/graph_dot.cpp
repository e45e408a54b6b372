// The graph in Graphviz's DOT language: nodes with operator and time, edges with dtype and shape, clusters for
// delegates (colour by delegate) or for modules (else).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "inspector/report/graph_format.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

constexpr std::array<const char*, 8> kDelegateColors = {"#a6cee3", "#b2df8a", "#fdbf6f", "#cab2d6",
                                                        "#fb9a99", "#ffff99", "#8dd3c7", "#d9d9d9"};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Lines of a label: each escaped, then joined with DOT's \n.
std::string label(const std::vector<std::string>& lines) {
  std::string out = "\"";
  for (const std::string& l : lines) {
    if (l.empty()) continue;
    if (out.size() > 1) out += "\\n";
    const std::string q = quoted(l);
    out.append(q, 1, q.size() - 2);
  }
  return out + "\"";
}

/// White over yellow to red. The square root lets the middle of the field show, too.
std::string heat_color(double share) {
  const double x = std::sqrt(std::clamp(share, 0.0, 1.0));
  const auto mix = [&](int from, int middle, int to) {
    const double v = x < 0.5 ? from + (middle - from) * 2 * x : middle + (to - middle) * (2 * x - 1);
    return static_cast<int>(std::lround(v));
  };
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", mix(255, 255, 230), mix(255, 224, 80), mix(255, 130, 60));
  return text.data();
}

class DotGraph {
 public:
  DotGraph(const GraphModel& model, size_t number, const GraphOptions& options, std::string* out)
      : m_(model), prefix_("g" + std::to_string(number) + "_"), options_(options), out_(*out) {}

  void write(bool alone) {
    for (const GraphNode& n : m_.nodes) hottest_ = std::max(hottest_, n.ns);
    if (!alone) out_ += "  subgraph " + quoted("cluster_" + prefix_) + " {\n    label=" + quoted(m_.method) + ";\n";
    write_inputs();
    if (options_.color_by == "delegate") {
      write_delegate_clusters();
    } else {
      write_module_clusters();
    }
    write_outputs();
    if (!alone) out_ += "  }\n";
    write_edges();
  }

 private:
  std::string id(int32_t n) const { return prefix_ + "n" + std::to_string(n); }
  std::string id(int32_t scope, const std::string& input) const {
    return quoted(prefix_ + "s" + std::to_string(scope) + "_in_" + input);
  }
  double share(double ns) const { return m_.total_ns > 0 ? ns / m_.total_ns : 0; }

  std::string time_text(double ns) const {
    return ns == 0
               ? ""
               : format_duration_with_unit(ns, m_.unit) + (m_.total_ns > 0 ? " (" + format_share(share(ns)) + ")" : "");
  }

  // Only inputs that the user gives: a box for each weight would bury the graph.
  bool shown(const GraphValue* v) const { return v != nullptr && v->producer < 0 && !v->is_constant(); }

  void write_inputs() {
    for (size_t s = 0; s < m_.scopes.size(); ++s) {
      for (const std::string& in : m_.scopes[s].inputs) {
        const GraphValue* v = m_.value(static_cast<int32_t>(s), in);
        if (!shown(v)) continue;
        out_ += "    " + id(static_cast<int32_t>(s), in) +
                " [shape=ellipse, label=" + label({in, v->dtype + v->shape}) + "];\n";
      }
    }
  }

  void write_outputs() {
    if (m_.scopes[0].outputs.empty()) return;
    out_ += "    " + prefix_ + "out [shape=ellipse, label=\"output\"];\n";
  }

  void write_node(int32_t n, const std::string& indent) {
    const GraphNode& x = m_.nodes[static_cast<size_t>(n)];
    std::string fill = "#ffffff";
    if (options_.color_by == "cost" && hottest_ > 0) fill = heat_color(x.ns / hottest_);
    if (options_.color_by == "delegate" && x.part >= 0) fill = part_color(x.part);
    out_ += indent + id(n) + " [label=" + label({x.op, x.name, time_text(x.ns)}) + ", fillcolor=\"" + fill + "\"";
    if (x.part >= 0) out_ += ", peripheries=2";
    std::vector<std::string> tip = {x.target,
                                    x.module_path + (x.module_type.empty() ? "" : " (" + x.module_type + ")")};
    if (!x.file.empty()) tip.push_back(x.file + ":" + std::to_string(x.line) + (x.code.empty() ? "" : "  " + x.code));
    if (x.part >= 0)
      tip.push_back(m_.parts[static_cast<size_t>(x.part)].name + " " + m_.parts[static_cast<size_t>(x.part)].backend);
    out_ += ", tooltip=" + label(tip) + "];\n";
  }

  static const char* part_color(int32_t part) {
    return kDelegateColors[static_cast<size_t>(part) % kDelegateColors.size()];
  }

  void write_delegate_clusters() {
    for (size_t p = 0; p < m_.parts.size(); ++p) {
      const GraphPart& part = m_.parts[p];
      out_ += "    subgraph " + quoted("cluster_" + prefix_ + "part" + std::to_string(p)) +
              " {\n      style=\"rounded\"; color=\"" + part_color(static_cast<int32_t>(p)) +
              "\"; label=" + label({part.name + " " + part.backend, time_text(part.ns)}) + ";\n";
      for (const int32_t n : part.nodes) write_node(n, "      ");
      out_ += "    }\n";
    }
    for (size_t n = 0; n < m_.nodes.size(); ++n) {
      if (m_.nodes[n].part < 0) write_node(static_cast<int32_t>(n), "    ");
    }
  }

  // Clusters as the modules nest: "block.conv" inside of "block".
  struct Module {
    std::map<std::string, Module> inner;
    std::vector<int32_t> nodes;
    std::string type;
  };

  void write_module_clusters() {
    Module root;
    constexpr size_t kMostLevels = 32;
    for (size_t n = 0; n < m_.nodes.size(); ++n) {
      const std::string& path = m_.nodes[n].module_path;
      Module* at = &root;
      size_t levels = 0;
      for (size_t begin = 0; begin < path.size() && ++levels < kMostLevels;) {
        const size_t dot = std::min(path.find('.', begin), path.size());
        at = &at->inner[path.substr(begin, dot - begin)];
        begin = dot + 1;
      }
      if (at->type.empty()) at->type = m_.nodes[n].module_type;
      at->nodes.push_back(static_cast<int32_t>(n));
    }
    write_module(root, "", "    ");
  }

  void write_module(const Module& module, const std::string& path, const std::string& indent) {
    for (const int32_t n : module.nodes) write_node(n, indent);
    for (const auto& [name, inner] : module.inner) {
      const std::string full = path.empty() ? name : path + "." + name;
      const size_t dot = inner.type.rfind('.');
      const std::string type = dot == std::string::npos ? inner.type : inner.type.substr(dot + 1);
      out_ += indent + "subgraph " + quoted("cluster_" + prefix_ + "m_" + full) + " {\n" + indent +
              "  style=\"rounded\"; color=\"#999999\"; label=" + quoted(type.empty() ? full : full + ": " + type) +
              ";\n";
      write_module(inner, full, indent + "  ");
      out_ += indent + "}\n";
    }
  }

  void write_edges() {
    for (size_t n = 0; n < m_.nodes.size(); ++n) {
      const GraphNode& x = m_.nodes[n];
      std::set<std::string> seen;
      for (const GraphArgument& a : x.arguments) {
        for (const std::string_view name : identifiers(a.text)) {
          const GraphValue* v = m_.value(x.scope, std::string(name));
          if (v == nullptr || !seen.insert(v->name).second || (v->producer < 0 && !shown(v))) continue;
          out_ += "  " + (v->producer >= 0 ? id(v->producer) : id(x.scope, v->name)) + " -> " +
                  id(static_cast<int32_t>(n)) + " [label=" + quoted(v->dtype + v->shape) +
                  ", tooltip=" + quoted(v->name) + "];\n";
        }
      }
      for (const std::string& body : x.bodies) {
        const int32_t scope = m_.find_scope(body);
        if (scope <= 0 || m_.scopes[static_cast<size_t>(scope)].nodes.empty()) continue;
        out_ += "  " + id(static_cast<int32_t>(n)) + " -> " + id(m_.scopes[static_cast<size_t>(scope)].nodes.front()) +
                " [style=dashed, label=" + quoted(body) + "];\n";
      }
    }
    std::set<std::string> seen;
    for (const std::string& o : m_.scopes[0].outputs) {
      const GraphValue* v = m_.value(0, o);
      if (v == nullptr || !seen.insert(o).second || (v->producer < 0 && !shown(v))) continue;
      out_ += "  " + (v->producer >= 0 ? id(v->producer) : id(0, o)) + " -> " + prefix_ +
              "out [label=" + quoted(v->dtype + v->shape) + ", tooltip=" + quoted(o) + "];\n";
    }
  }

  const GraphModel& m_;
  std::string prefix_;
  const GraphOptions& options_;
  std::string& out_;
  double hottest_ = 0;
};

}  // namespace

void write_graph_dot(const std::vector<GraphModel>& models, const GraphOptions& options,
                     const std::vector<std::string>& errors, std::string* out) {
  std::vector<std::string> title;
  for (const std::string& e : errors) title.push_back("ERROR: " + e);
  const bool timed = std::any_of(models.begin(), models.end(), [](const GraphModel& m) { return m.total_ns > 0; });
  if (timed) title.push_back("times: " + models.front().basis.text());
  *out +=
      "digraph graph_of_model {\n"
      "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#ffffff\", fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#555555\"];\n"
      "  graph [fontname=\"sans-serif\", fontsize=11, labeljust=l];\n";
  if (!title.empty()) *out += "  labelloc=t; label=" + label(title) + ";\n";
  for (size_t i = 0; i < models.size(); ++i) DotGraph(models[i], i, options, out).write(models.size() == 1);
  *out += "}\n";
}

}  // namespace et::inspector
