// Graphs, their nodes and values.
#include <algorithm>
#include <map>

#include "base/printable.h"
#include "etrecord/dtype_map.h"
#include "etrecord/graph_walk.h"
#include "etrecord/program_parser.h"
#include "etrecord/tensor_meta_json.h"

namespace et::etrecord {
namespace {

constexpr std::string_view kMetadata[] = {"stack_trace",     "nn_module_stack", "torch_fn",
                                          "source_fn_stack", "debug_handle",    "from_node"};

bool strip(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

void set_op(Node* n) {
  std::string_view t = n->target;
  if (strip(&t, "executorch.exir.dialects.edge.ops.") || strip(&t, "executorch.exir.dialects.backend.ops.") ||
      strip(&t, "torch.ops.higher_order.") || strip(&t, "_operator.") || strip(&t, "executorch.exir.memory.")) {
    n->op = n->qualified_op = t;
  } else if (strip(&t, "torch.ops.")) {
    // torch.ops.<namespace>.<op>.<overload>: Python's __name__ of these has no namespace.
    n->qualified_op = t;
    const size_t dot = t.find('.');
    n->op = dot == std::string_view::npos ? t : t.substr(dot + 1);
  } else {
    strip(&t, "torch.");
    n->op = n->qualified_op = t;
  }
}

// "layer_norm" of "layer_norm_unused_1", "" if it is no such name.
std::string owner_of_unused(std::string_view output) {
  const size_t at = output.rfind("_unused_");
  if (at == std::string_view::npos) return {};
  Node n;
  n.name = output.substr(0, at);
  return is_unused_output(n, output) ? n.name : std::string();
}

}  // namespace

// Index of the new graph, -1 on failure.
int32_t ProgramParser::parse_graph(JsonValue e, std::string name, int32_t parent_graph, int32_t parent_node,
                                   int depth) {
  if (depth > kMaxGraphDepth) {
    fail("graph " + printable(name), "control flow nested at most " + std::to_string(kMaxGraphDepth) + " deep");
    return -1;
  }
  const auto object = e.object();
  if (!object) {
    fail("graph " + printable(name), "an object");
    return -1;
  }
  const auto index = static_cast<int32_t>(program_.graphs.size());
  program_.graphs.emplace_back();
  Graph graph;
  graph.name = std::move(name);
  graph.parent_graph = parent_graph;
  graph.parent_node = parent_node;
  std::optional<JsonValue> nodes;
  for (const auto [key, value] : *object) {
    if (key == "nodes")
      nodes = value;
    else if (key == "inputs")
      graph.raw_inputs = arguments(value, "graph inputs", index, depth);
    else if (key == "outputs")
      graph.raw_outputs = arguments(value, "graph outputs", index, depth);
    else if (key == "tensor_values")
      parse_tensors(value, &graph);
    else if (key == "sym_int_values")
      parse_sym_ints(value, &graph);
    else if (key == "sym_bool_values")
      parse_sym_bools(value, &graph);
    else if (key == "custom_obj_values")
      parse_custom_objs(value, &graph);
    else if (key == "is_single_tensor_return")
      graph.is_single_tensor_return = json_int(value).value_or(0) != 0;
    else
      unknown("graph field " + printable(key));
  }
  graph.inputs = value_names(graph.raw_inputs);
  graph.outputs = value_names(graph.raw_outputs);
  if (!nodes) {
    fail("graph " + printable(graph.name), "nodes");
    return -1;
  }
  const auto list = nodes->array();
  if (!list) {
    fail("nodes", "a list");
    return -1;
  }
  size_t i = 0;
  for (const JsonValue item : *list) {
    const auto node = static_cast<int32_t>(program_.nodes.size());
    if (!parse_node(item, index, depth)) {
      error_ = (graph.name.empty() ? "" : printable(graph.name) + ".") + "nodes[" + std::to_string(i) + "]." + error_;
      return -1;
    }
    graph.nodes.push_back(node);
    ++i;
  }
  name_nodes(graph);
  program_.graphs[static_cast<size_t>(index)] = std::move(graph);
  return index;
}

std::vector<std::string> ProgramParser::value_names(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& a : arguments) {
    auto of_this = a.tensor_names();
    if (of_this.empty())
      names.emplace_back();
    else
      std::move(of_this.begin(), of_this.end(), std::back_inserter(names));
  }
  return names;
}

// Releases up to 0.7 wrote no names. A node with one output has its name; one with several left it in those that nobody
// uses, else it is called as torch.fx would call it.
void ProgramParser::name_nodes(const Graph& graph) {
  std::set<std::string> taken(graph.inputs.begin(), graph.inputs.end());
  std::vector<Node*> unnamed;
  std::map<std::string, size_t> numbers;
  for (const int32_t i : graph.nodes) {
    Node& n = program_.nodes[static_cast<size_t>(i)];
    program_.forms.add(n.name.empty() ? Form::NodesWithoutName : Form::NodesWithName);
    taken.insert(n.outputs.begin(), n.outputs.end());
    n.name.empty() ? unnamed.push_back(&n) : static_cast<void>(taken.insert(n.name));
  }
  for (Node* n : unnamed) {
    if (n->outputs.size() == 1 && n->raw_outputs.size() == 1 && n->raw_outputs[0].kind != ArgumentKind::Tensors) {
      n->name = n->outputs[0];
      continue;
    }
    for (const std::string& out : n->outputs) {
      if (n->name.empty()) n->name = owner_of_unused(out);
    }
    if (!n->name.empty() && taken.insert(n->name).second) continue;
    std::string base = n->op;
    std::replace(base.begin(), base.end(), '.', '_');
    n->name = base;
    size_t& number = numbers[base];
    while (!taken.insert(n->name).second) n->name = base + "_" + std::to_string(++number);
  }
}

bool ProgramParser::parse_node(JsonValue e, int32_t graph, int depth) {
  const auto object = e.object();
  if (!object) return fail("", "an object");
  const size_t index = program_.nodes.size();
  program_.nodes.emplace_back();  // keeps its place before the nodes of its subgraphs
  Node n;
  n.graph = graph;
  std::optional<JsonValue> inputs;
  bool has_target = false;
  for (const auto [key, value] : *object) {
    if (key == "name" || key == "target") {
      const auto text = json_string(value);
      if (!text) return fail(std::string(key), "a string");
      (key == "name" ? n.name : n.target) = *text;
      if (key == "target") has_target = true;
    } else if (key == "inputs") {
      inputs = value;
    } else if (key == "outputs") {
      n.raw_outputs = arguments(value, "outputs", graph, depth);
    } else if (key == "metadata") {
      parse_metadata(value, &n);
    } else {
      unknown("node field " + printable(key));
    }
  }
  if (!has_target) return fail("target", "a string");
  set_op(&n);
  for (const Argument& a : n.raw_outputs) {
    for (std::string& s : a.tensor_names()) n.outputs.push_back(std::move(s));
  }
  if (inputs && !parse_inputs(*inputs, &n, static_cast<int32_t>(index), depth)) return false;
  program_.nodes[index] = std::move(n);
  return true;
}

bool ProgramParser::parse_inputs(JsonValue e, Node* n, int32_t index, int depth) {
  const auto list = e.array();
  if (!list) {
    odd("node inputs: expected a list");
    return true;
  }
  const bool delegate = n->op == "executorch_call_delegate";
  for (const JsonValue item : *list) {
    const auto object = item.object();
    if (!object) {
      odd("node inputs: expected objects");
      continue;
    }
    std::string name;
    std::optional<JsonValue> value;
    for (const auto [key, v] : *object) {
      if (key == "name")
        name = json_string(v).value_or("");
      else if (key == "arg")
        value = v;
    }
    if (!value) {
      odd("node inputs: expected an arg");
      continue;
    }
    if (delegate && n->delegate < 0 && n->inputs.empty() && parse_lowered_module(*value, name, n)) continue;
    Argument a;
    if (!parse_argument(*value, n->graph, index, depth, &a)) return false;
    a.name = std::move(name);
    if (a.graph >= 0) n->subgraphs.push_back(a.graph);
    n->inputs.push_back(std::move(a));
  }
  return true;
}

void ProgramParser::parse_metadata(JsonValue e, Node* n) {
  const auto object = e.object();
  if (!object) return odd("node metadata: expected an object");
  for (const auto [key, value] : *object) {
    const auto text = json_string(value);
    if (std::find(std::begin(kMetadata), std::end(kMetadata), key) == std::end(kMetadata)) {
      unknown("node metadata " + printable(key));
      continue;
    }
    if (!text) {
      odd("node metadata: expected strings");
      continue;
    }
    if (key == "stack_trace") {
      n->stack_trace = *text;
      n->frames = parse_stack_trace(*text);
    } else if (key == "nn_module_stack") {
      n->nn_module_stack = *text;
      n->modules = parse_module_stack(*text);
    } else if (key == "torch_fn") {
      n->torch_fn = *text;
    } else if (key == "source_fn_stack") {
      n->source_fn_stack = *text;
    } else if (key == "debug_handle") {
      int64_t handle = 0;
      const auto r = std::from_chars(text->data(), text->data() + text->size(), handle);
      if (r.ec == std::errc() && r.ptr == text->data() + text->size())
        n->debug_handle = handle;
      else
        odd("node debug_handle: expected a decimal number");
    } else if (key == "from_node") {
      program_.forms.add(Form::FromNode);
      parse_from_node(*text, n);
    }
  }
}

void ProgramParser::parse_from_node(std::string_view text, Node* n) {
  Status status = from_document_.parse(text, "from_node", limits_.max_json_depth);
  if (!status.ok()) return odd("node " + status.message());
  auto list = from_document_.root().array();
  while (list) {
    std::optional<JsonValue> last;
    for (const JsonValue item : *list) last = item;
    if (!last) return;
    const auto object = last->object();
    if (!object) return odd("from_node: expected objects");
    list.reset();
    FromNode step;
    for (const auto [key, value] : *object) {
      if (key == "name")
        step.name = json_string(value).value_or("");
      else if (key == "target")
        step.target = json_string(value).value_or("");
      else if (key == "pass_name")
        step.pass_name = json_string(value).value_or("");
      else if (key == "action")
        step.action = json_string(value).value_or("");
      else if (key == "graph_id")
        step.graph_id = json_int(value).value_or(-1);
      else if (key == "from_node")
        list = value.array();
    }
    n->from.push_back(std::move(step));
  }
}

void ProgramParser::parse_tensors(JsonValue e, Graph* graph) {
  const auto object = e.object();
  if (!object) return odd("tensor_values: expected an object");
  graph->tensors.reserve(object->size());
  for (const auto [name, value] : *object) {
    TensorMeta meta;
    if (!parse_tensor_meta(value, &meta)) odd("tensor_values: expected dtype, sizes and strides");
    graph->tensors.insert_or_assign(std::string(name), std::move(meta));
  }
}

void ProgramParser::parse_sym_ints(JsonValue e, Graph* graph) {
  const auto object = e.object();
  if (!object) return odd("sym_int_values: expected an object");
  for (const auto [name, value] : *object) {
    Dim dim;
    if (!parse_dim(value, &dim)) odd("sym_int_values: expected as_int or as_expr");
    graph->sym_ints.insert_or_assign(std::string(name), std::move(dim));
  }
}

void ProgramParser::parse_sym_bools(JsonValue e, Graph* graph) {
  const auto object = e.object();
  if (!object) return odd("sym_bool_values: expected an object");
  for (const auto [name, value] : *object) {
    std::string text;
    if (const auto choice = value.object()) {
      for (const auto [key, v] : *choice) {
        if (key == "as_bool") text = json_int(v).value_or(0) != 0 ? "True" : "False";
        Dim dim;
        if (key == "as_expr" && parse_dim(value, &dim)) text = dim.expr;
      }
    }
    graph->sym_bools.insert_or_assign(std::string(name), std::move(text));
  }
}

void ProgramParser::parse_custom_objs(JsonValue e, Graph* graph) {
  const auto object = e.object();
  if (!object) return odd("custom_obj_values: expected an object");
  for (const auto [name, value] : *object) {
    Argument a;
    parse_custom_obj(value, &a);
    graph->custom_objs.insert_or_assign(std::string(name), std::move(a.strings[1]));
  }
}

}  // namespace et::etrecord
