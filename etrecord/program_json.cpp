#include "etrecord/program_json.h"

#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "etrecord/base64.h"
#include "etrecord/dtype_map.h"
#include "etrecord/json_text.h"
#include "etrecord/printable.h"
#include "etrecord/record.h"
#include "etrecord/tensor_meta_json.h"

namespace et::etrecord {
namespace {

namespace dom = simdjson::dom;

constexpr int kMaxGraphDepth = 32;  // control flow inside control flow; models use two or three

std::optional<dom::object> as_object(dom::element e) {
  dom::object o;
  if (e.get_object().get(o) != simdjson::SUCCESS) return std::nullopt;
  return o;
}

std::optional<dom::array> as_array(dom::element e) {
  dom::array a;
  if (e.get_array().get(a) != simdjson::SUCCESS) return std::nullopt;
  return a;
}

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

class ProgramParser {
 public:
  ProgramParser(const ProgramLimits& limits, std::vector<Program>* programs, std::vector<Problem>* problems)
      : limits_(limits), programs_(programs), problems_(problems) {}

  Status parse(std::string_view text, size_t index, uint32_t delegate_depth) {
    JsonDocument document;
    Status status = document.parse(text, (*programs_)[index].member, limits_.max_json_depth);
    if (!status.ok()) return status;
    return parse_element(document.root(), index, delegate_depth);
  }

 private:
  // The program is built aside, because programs_ grows when delegates are met.
  Status parse_element(dom::element root, size_t index, uint32_t delegate_depth) {
    ProgramParser nested(limits_, programs_, problems_);
    nested.delegate_depth_ = delegate_depth;
    nested.program_ = std::move((*programs_)[index]);
    const bool ok = nested.parse_root(root);
    (*programs_)[index] = std::move(nested.program_);
    if (ok) return {};
    return {Error::InvalidExternalData, (*programs_)[index].member + ": " + nested.error_};
  }

  bool fail(const std::string& at, const std::string& expected) {
    error_ = at + ": expected " + expected;
    return false;
  }

  // Something optional could not be read; one report per kind and program.
  void odd(const std::string& what) {
    if (problems_ == nullptr || !reported_.insert(what).second) return;
    problems_->push_back({Problem::DataLoss, "program-field-unreadable", program_.member + ": " + what});
  }

  bool parse_root(dom::element root) {
    const auto object = as_object(root);
    if (!object) return fail("program", "an object");
    std::optional<dom::element> module;
    for (const auto [key, value] : *object) {
      if (key == "graph_module")
        module = value;
      else if (key == "range_constraints")
        parse_ranges(value);
      else if (key == "verifiers")
        program_.verifiers = strings(value, "verifiers");
      else if (key == "dialect")
        program_.dialect = json_string(value).value_or("");
      else if (key == "schema_version")
        parse_schema_version(value);
      else if (key == "opset_version")
        parse_opsets(value);
    }
    if (program_.dialect.empty() && !program_.verifiers.empty()) program_.dialect = program_.verifiers.front();
    if (!module) return fail("program", "a graph_module");
    const auto module_object = as_object(*module);
    if (!module_object) return fail("graph_module", "an object");
    std::optional<dom::element> graph, signature;
    for (const auto [key, value] : *module_object) {
      if (key == "graph")
        graph = value;
      else if (key == "signature")
        signature = value;
    }
    if (!graph) return fail("graph_module", "a graph");
    if (parse_graph(*graph, "", -1, -1, 0) < 0) return false;
    if (signature) parse_signature(*signature);
    return true;
  }

  void parse_schema_version(dom::element e) {
    const auto object = as_object(e);
    if (!object) return odd("schema_version: expected an object");
    for (const auto [key, value] : *object) {
      if (key == "major") program_.schema_major = json_int(value).value_or(0);
      if (key == "minor") program_.schema_minor = json_int(value).value_or(0);
    }
    if (program_.schema_major != 5 && program_.schema_major != 0 && problems_ != nullptr) {
      problems_->push_back({Problem::Info, "program-schema-version",
                            program_.member + ": schema " + std::to_string(program_.schema_major) + "." +
                                std::to_string(program_.schema_minor) +
                                " is not the one this reader knows (5); read as far as it is alike"});
    }
  }

  void parse_opsets(dom::element e) {
    const auto object = as_object(e);
    if (!object) return odd("opset_version: expected an object");
    for (const auto [key, value] : *object) program_.opset_version[std::string(key)] = json_int(value).value_or(0);
  }

  void parse_ranges(dom::element e) {
    const auto object = as_object(e);
    if (!object) return odd("range_constraints: expected an object");
    for (const auto [symbol, bounds] : *object) {
      const auto pair = as_object(bounds);
      if (!pair) {
        odd("range_constraints: expected an object for each symbol");
        continue;
      }
      Range range;
      for (const auto [key, value] : *pair) {
        if (key != "min_val" && key != "max_val") continue;
        std::optional<int64_t> bound = json_int(value);
        if (!bound) {
          // Infinite or beyond 64 bit: no bound.
          const auto d = json_double(value);
          if (d && std::abs(*d) < 9.2e18) bound = static_cast<int64_t>(*d);
        }
        (key == "min_val" ? range.min : range.max) = bound;
      }
      program_.range_constraints[std::string(symbol)] = range;
    }
  }

  std::vector<std::string> strings(dom::element e, const char* what) {
    std::vector<std::string> out;
    const auto array = as_array(e);
    if (!array) {
      odd(std::string(what) + ": expected a list of strings");
      return out;
    }
    for (const dom::element item : *array) {
      if (const auto s = json_string(item))
        out.emplace_back(*s);
      else
        odd(std::string(what) + ": expected a string");
    }
    return out;
  }

  // Index of the new graph, -1 on failure.
  int32_t parse_graph(dom::element e, std::string name, int32_t parent_graph, int32_t parent_node, int depth) {
    if (depth > kMaxGraphDepth) {
      fail("graph " + printable(name), "control flow nested at most " + std::to_string(kMaxGraphDepth) + " deep");
      return -1;
    }
    const auto object = as_object(e);
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
    std::optional<dom::element> nodes;
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
    }
    graph.inputs = value_names(graph.raw_inputs);
    graph.outputs = value_names(graph.raw_outputs);
    if (!nodes) {
      fail("graph " + printable(graph.name), "nodes");
      return -1;
    }
    const auto list = as_array(*nodes);
    if (!list) {
      fail("nodes", "a list");
      return -1;
    }
    size_t i = 0;
    for (const dom::element item : *list) {
      const auto node = static_cast<int32_t>(program_.nodes.size());
      if (!parse_node(item, index, depth)) {
        error_ = (graph.name.empty() ? "" : printable(graph.name) + ".") + "nodes[" + std::to_string(i) + "]." + error_;
        return -1;
      }
      graph.nodes.push_back(node);
      ++i;
    }
    program_.graphs[static_cast<size_t>(index)] = std::move(graph);
    return index;
  }

  static std::vector<std::string> value_names(const std::vector<Argument>& arguments) {
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

  bool parse_node(dom::element e, int32_t graph, int depth) {
    const auto object = as_object(e);
    if (!object) return fail("", "an object");
    const size_t index = program_.nodes.size();
    program_.nodes.emplace_back();  // keeps its place before the nodes of its subgraphs
    Node n;
    n.graph = graph;
    std::optional<dom::element> inputs;
    bool has_name = false, has_target = false;
    for (const auto [key, value] : *object) {
      if (key == "name" || key == "target") {
        const auto text = json_string(value);
        if (!text) return fail(std::string(key), "a string");
        (key == "name" ? n.name : n.target) = *text;
        (key == "name" ? has_name : has_target) = true;
      } else if (key == "inputs") {
        inputs = value;
      } else if (key == "outputs") {
        n.raw_outputs = arguments(value, "outputs", graph, depth);
      } else if (key == "metadata") {
        parse_metadata(value, &n);
      }
    }
    if (!has_name) return fail("name", "a string");
    if (!has_target) return fail("target", "a string");
    set_op(&n);
    for (const Argument& a : n.raw_outputs) {
      for (std::string& s : a.tensor_names()) n.outputs.push_back(std::move(s));
    }
    if (inputs && !parse_inputs(*inputs, &n, static_cast<int32_t>(index), depth)) return false;
    program_.nodes[index] = std::move(n);
    return true;
  }

  bool parse_inputs(dom::element e, Node* n, int32_t index, int depth) {
    const auto list = as_array(e);
    if (!list) {
      odd("node inputs: expected a list");
      return true;
    }
    const bool delegate = n->op == "executorch_call_delegate";
    for (const dom::element item : *list) {
      const auto object = as_object(item);
      if (!object) {
        odd("node inputs: expected objects");
        continue;
      }
      std::string name;
      std::optional<dom::element> value;
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

  void parse_metadata(dom::element e, Node* n) {
    const auto object = as_object(e);
    if (!object) return odd("node metadata: expected an object");
    for (const auto [key, value] : *object) {
      const auto text = json_string(value);
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
        parse_from_node(*text, n);
      }
    }
  }

  void parse_from_node(std::string_view text, Node* n) {
    Status status = from_document_.parse(text, "from_node", limits_.max_json_depth);
    if (!status.ok()) return odd("node " + status.message());
    auto list = as_array(from_document_.root());
    while (list) {
      std::optional<dom::element> last;
      for (const dom::element item : *list) last = item;
      if (!last) return;
      const auto object = as_object(*last);
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
          list = as_array(value);
      }
      n->from.push_back(std::move(step));
    }
  }

  std::vector<Argument> arguments(dom::element e, const char* what, int32_t graph, int depth) {
    std::vector<Argument> out;
    const auto list = as_array(e);
    if (!list) {
      odd(std::string(what) + ": expected a list");
      return out;
    }
    for (const dom::element item : *list) {
      Argument a;
      // Graphs stand among inputs of nodes only.
      if (!parse_argument(item, graph, -1, depth, &a)) odd(std::string(what) + ": expected arguments");
      out.push_back(std::move(a));
    }
    return out;
  }

  static std::string name_of(dom::element e) {
    dom::element name;
    if (e.get_object().at_key("name").get(name) != simdjson::SUCCESS) return {};
    return std::string(json_string(name).value_or(""));
  }

  bool parse_argument(dom::element e, int32_t graph, int32_t node, int depth, Argument* a) {
    const auto object = as_object(e);
    std::string_view tag;
    dom::element value;
    if (object) {
      for (const auto [key, v] : *object) {
        tag = key;
        value = v;
      }
    }
    if (tag.empty()) {
      odd("argument: expected an object with one key");
      return true;
    }
    const auto list = as_array(value);
    if (tag == "as_tensor") {
      a->kind = ArgumentKind::Tensor;
      a->strings.push_back(name_of(value));
    } else if (tag == "as_int") {
      a->kind = ArgumentKind::Int;
      a->ints.push_back(whole(value));
    } else if (tag == "as_none") {
      a->kind = ArgumentKind::None;
    } else if (tag == "as_float") {
      a->kind = ArgumentKind::Float;
      a->floats.push_back(real(value));
    } else if (tag == "as_bool") {
      a->kind = ArgumentKind::Bool;
      a->ints.push_back(whole(value));
    } else if (tag == "as_string") {
      a->kind = ArgumentKind::String;
      a->strings.emplace_back(json_string(value).value_or(""));
    } else if (tag == "as_operator") {
      a->kind = ArgumentKind::Operator;
      a->strings.emplace_back(json_string(value).value_or(""));
    } else if (tag == "as_scalar_type" || tag == "as_memory_format" || tag == "as_layout") {
      a->kind = tag == "as_scalar_type"     ? ArgumentKind::ScalarType
                : tag == "as_memory_format" ? ArgumentKind::MemoryFormat
                                            : ArgumentKind::Layout;
      a->ints.push_back(whole(value));
      if (a->kind == ArgumentKind::ScalarType) {
        const auto type = scalar_type_of_json(a->ints[0]);
        a->scalar_type_known = type.has_value();
        a->scalar_type = type.value_or(ScalarType::Byte);
      }
    } else if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") {
      a->kind = tag == "as_sym_int"     ? ArgumentKind::SymInt
                : tag == "as_sym_float" ? ArgumentKind::SymFloat
                                        : ArgumentKind::SymBool;
      a->syms.push_back(sym_value(value));
    } else if (tag == "as_device") {
      a->kind = ArgumentKind::Device;
      parse_device(value, a);
    } else if (tag == "as_custom_obj") {
      a->kind = ArgumentKind::CustomObj;
      parse_custom_obj(value, a);
    } else if (tag == "as_graph") {
      if (node < 0) return fail("argument", "graphs among the inputs of nodes only");
      return parse_graph_argument(value, graph, node, depth, a);
    } else if (list && parse_list_argument(tag, *list, a)) {
      return true;
    } else {
      a->kind = ArgumentKind::Unknown;
      a->strings = {std::string(tag), simdjson::minify(value)};
      odd("argument " + printable(tag) + ": not known to this reader, kept as text");
    }
    return true;
  }

  bool parse_list_argument(std::string_view tag, dom::array list, Argument* a) {
    const auto each = [&](ArgumentKind kind, auto add) {
      a->kind = kind;
      for (const dom::element item : list) add(item);
      return true;
    };
    const auto add_int = [&](dom::element e) { a->ints.push_back(whole(e)); };
    const auto add_sym = [&](dom::element e) { a->syms.push_back(sym_value(e)); };
    if (tag == "as_tensors") {
      return each(ArgumentKind::Tensors, [&](dom::element e) { a->strings.push_back(name_of(e)); });
    }
    if (tag == "as_ints") return each(ArgumentKind::Ints, add_int);
    if (tag == "as_bools") return each(ArgumentKind::Bools, add_int);
    if (tag == "as_floats") return each(ArgumentKind::Floats, [&](dom::element e) { a->floats.push_back(real(e)); });
    if (tag == "as_strings") {
      return each(ArgumentKind::Strings, [&](dom::element e) { a->strings.emplace_back(json_string(e).value_or("")); });
    }
    if (tag == "as_sym_ints") return each(ArgumentKind::SymInts, add_sym);
    if (tag == "as_sym_floats") return each(ArgumentKind::SymFloats, add_sym);
    if (tag == "as_sym_bools") return each(ArgumentKind::SymBools, add_sym);
    if (tag == "as_optional_tensors") {
      return each(ArgumentKind::OptionalTensors, [&](dom::element e) {
        dom::element tensor;
        const bool has = e.get_object().at_key("as_tensor").get(tensor) == simdjson::SUCCESS;
        a->strings.push_back(has ? name_of(tensor) : std::string());
      });
    }
    return false;
  }

  int64_t whole(dom::element e) {
    if (const auto i = json_int(e)) return *i;
    odd("argument: expected an integer of 64 bits");
    const auto d = json_double(e);
    if (!d || std::isnan(*d)) return 0;
    return *d < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }

  double real(dom::element e) {
    if (const auto d = json_double(e)) return *d;
    odd("argument: expected a number");
    return std::numeric_limits<double>::quiet_NaN();
  }

  SymValue sym_value(dom::element e) {
    SymValue s;
    const auto object = as_object(e);
    if (!object) {
      odd("symbolic argument: expected an object");
      return s;
    }
    for (const auto [key, value] : *object) {
      if (key == "as_name")
        s.name = json_string(value).value_or("");
      else if (key == "as_int" || key == "as_bool")
        s.integer = whole(value);
      else if (key == "as_float")
        s.number = real(value);
    }
    return s;
  }

  void parse_device(dom::element e, Argument* a) {
    a->strings.emplace_back();
    const auto object = as_object(e);
    if (!object) return odd("device: expected an object");
    for (const auto [key, value] : *object) {
      if (key == "type")
        a->strings[0] = json_string(value).value_or("");
      else if (key == "index" && !value.is_null())
        a->ints = {whole(value)};
    }
  }

  void parse_custom_obj(dom::element e, Argument* a) {
    a->strings.resize(2);
    const auto object = as_object(e);
    if (!object) return odd("custom object: expected an object");
    for (const auto [key, value] : *object) {
      if (key == "name")
        a->strings[0] = json_string(value).value_or("");
      else if (key == "class_fqn")
        a->strings[1] = json_string(value).value_or("");
    }
  }

  bool parse_graph_argument(dom::element e, int32_t graph, int32_t node, int depth, Argument* a) {
    a->kind = ArgumentKind::Graph;
    const auto object = as_object(e);
    if (!object) return fail("as_graph", "an object");
    std::string name;
    std::optional<dom::element> body;
    for (const auto [key, value] : *object) {
      if (key == "name")
        name = json_string(value).value_or("");
      else if (key == "graph")
        body = value;
    }
    if (!body) return fail("as_graph " + printable(name), "a graph");
    a->strings.push_back(name);
    a->graph = parse_graph(*body, std::move(name), graph, node, depth + 1);
    return a->graph >= 0;
  }

  void parse_tensors(dom::element e, Graph* graph) {
    const auto object = as_object(e);
    if (!object) return odd("tensor_values: expected an object");
    graph->tensors.reserve(object->size());
    for (const auto [name, value] : *object) {
      TensorMeta meta;
      if (!parse_tensor_meta(value, &meta)) odd("tensor_values: expected dtype, sizes and strides");
      graph->tensors.insert_or_assign(std::string(name), std::move(meta));
    }
  }

  void parse_sym_ints(dom::element e, Graph* graph) {
    const auto object = as_object(e);
    if (!object) return odd("sym_int_values: expected an object");
    for (const auto [name, value] : *object) {
      Dim dim;
      if (!parse_dim(value, &dim)) odd("sym_int_values: expected as_int or as_expr");
      graph->sym_ints.insert_or_assign(std::string(name), std::move(dim));
    }
  }

  void parse_sym_bools(dom::element e, Graph* graph) {
    const auto object = as_object(e);
    if (!object) return odd("sym_bool_values: expected an object");
    for (const auto [name, value] : *object) {
      std::string text;
      if (const auto choice = as_object(value)) {
        for (const auto [key, v] : *choice) {
          if (key == "as_bool") text = json_int(v).value_or(0) != 0 ? "True" : "False";
          Dim dim;
          if (key == "as_expr" && parse_dim(value, &dim)) text = dim.expr;
        }
      }
      graph->sym_bools.insert_or_assign(std::string(name), std::move(text));
    }
  }

  void parse_custom_objs(dom::element e, Graph* graph) {
    const auto object = as_object(e);
    if (!object) return odd("custom_obj_values: expected an object");
    for (const auto [name, value] : *object) {
      Argument a;
      parse_custom_obj(value, &a);
      graph->custom_objs.insert_or_assign(std::string(name), std::move(a.strings[1]));
    }
  }

  void parse_signature(dom::element e) {
    const auto object = as_object(e);
    if (!object) return odd("signature: expected an object");
    for (const auto [key, value] : *object) {
      const bool input = key == "input_specs";
      if (!input && key != "output_specs") continue;
      const auto list = as_array(value);
      if (!list) {
        odd("signature: expected lists");
        continue;
      }
      for (const dom::element item : *list) {
        const auto spec = as_object(item);
        if (!spec || spec->size() == 0) {
          odd("signature: expected objects with one key");
          continue;
        }
        const auto field = *spec->begin();
        if (input)
          program_.signature.inputs.push_back(input_spec(field.key, field.value));
        else
          program_.signature.outputs.push_back(output_spec(field.key, field.value));
      }
    }
  }

  // "arg" is an Argument for user inputs and outputs, {"name"} for the others.
  std::string spec_value(dom::element arg) {
    std::string plain = name_of(arg);
    if (!plain.empty()) return plain;
    Argument a;
    if (!parse_argument(arg, 0, -1, 0, &a)) return {};
    auto names = a.tensor_names();
    return names.empty() ? std::string() : std::move(names[0]);
  }

  InputSpec input_spec(std::string_view tag, dom::element e) {
    InputSpec spec;
    spec.kind = tag == "user_input"        ? InputKind::UserInput
                : tag == "parameter"       ? InputKind::Parameter
                : tag == "buffer"          ? InputKind::Buffer
                : tag == "tensor_constant" ? InputKind::TensorConstant
                : tag == "custom_obj"      ? InputKind::CustomObj
                : tag == "token"           ? InputKind::Token
                : tag == "constant_input"  ? InputKind::ConstantInput
                                           : InputKind::Unknown;
    const auto object = as_object(e);
    if (!object) {
      odd("signature input: expected an object");
      return spec;
    }
    for (const auto [key, value] : *object) {
      if (key == "arg") {
        spec.value = spec_value(value);
      } else if (key == "parameter_name" || key == "buffer_name" || key == "tensor_constant_name" ||
                 key == "custom_obj_name") {
        spec.target = json_string(value).value_or("");
      } else if (key == "persistent") {
        spec.persistent = json_int(value).value_or(1) != 0;
      } else if (key == "value") {
        Argument a;
        if (parse_argument(value, 0, -1, 0, &a)) spec.constant = std::move(a);
      } else if (key == "name") {
        spec.target = json_string(value).value_or("");
      }
    }
    return spec;
  }

  OutputSpec output_spec(std::string_view tag, dom::element e) {
    OutputSpec spec;
    spec.kind = tag == "user_output"              ? OutputKind::UserOutput
                : tag == "buffer_mutation"        ? OutputKind::BufferMutation
                : tag == "parameter_mutation"     ? OutputKind::ParameterMutation
                : tag == "user_input_mutation"    ? OutputKind::UserInputMutation
                : tag == "loss_output"            ? OutputKind::LossOutput
                : tag == "gradient_to_parameter"  ? OutputKind::GradientToParameter
                : tag == "gradient_to_user_input" ? OutputKind::GradientToUserInput
                : tag == "token"                  ? OutputKind::Token
                                                  : OutputKind::Unknown;
    const auto object = as_object(e);
    if (!object) {
      odd("signature output: expected an object");
      return spec;
    }
    for (const auto [key, value] : *object) {
      if (key == "arg")
        spec.value = spec_value(value);
      else if (key == "buffer_name" || key == "parameter_name" || key == "user_input_name")
        spec.target = json_string(value).value_or("");
    }
    return spec;
  }

  std::vector<uint8_t> bytes(dom::element e, const char* what) {
    const auto text = json_string(e);
    if (text) {
      if (auto decoded = base64_decode(*text)) return std::move(*decoded);
    }
    odd("lowered module: " + std::string(what) + ": expected base64");
    return {};
  }

  // The first input of a delegate call. False if it is not one, then it is read as a plain argument.
  bool parse_lowered_module(dom::element e, const std::string& name, Node* n) {
    dom::element holder;
    if (e.get_object().at_key("as_string").get(holder) != simdjson::SUCCESS) return false;
    const auto text = json_string(holder);
    if (!text) return false;
    JsonDocument document;
    const std::string member = program_.member + ":" + printable(name);
    Status status = document.parse(*text, member, limits_.max_json_depth);
    if (!status.ok()) {
      odd("lowered module: " + status.message());
      return false;
    }
    const auto object = as_object(document.root());
    if (!object) return false;
    DelegateCall call;
    call.name = name;
    for (const auto [key, value] : *object) {
      if (key == "backend_id")
        call.backend_id = json_string(value).value_or("");
      else if (key == "processed_bytes")
        call.payload = bytes(value, "processed_bytes");
      else if (key == "original_state_dict")
        call.state_dict = bytes(value, "original_state_dict");
      else if (key == "original_constants")
        call.constants = bytes(value, "original_constants");
      else if (key == "compile_specs")
        parse_compile_specs(value, &call);
      else if (key == "named_data_store")
        parse_named_data(value, &call);
      else if (key == "original_module")
        parse_original_module(value, member, &call);
    }
    Argument a;
    a.name = name;
    a.kind = ArgumentKind::String;
    a.strings = {call.backend_id};
    n->inputs.push_back(std::move(a));
    n->delegate = static_cast<int32_t>(program_.delegates.size());
    program_.delegates.push_back(std::move(call));
    return true;
  }

  void parse_compile_specs(dom::element e, DelegateCall* call) {
    const auto list = as_array(e);
    if (!list) return odd("lowered module: compile_specs: expected a list");
    for (const dom::element item : *list) {
      const auto object = as_object(item);
      if (!object) continue;
      std::pair<std::string, std::vector<uint8_t>> spec;
      for (const auto [key, value] : *object) {
        if (key == "key")
          spec.first = json_string(value).value_or("");
        else if (key == "value")
          spec.second = bytes(value, "compile_specs");
      }
      call->compile_specs.push_back(std::move(spec));
    }
  }

  void parse_named_data(dom::element e, DelegateCall* call) {
    JsonDocument inner;
    dom::element root = e;
    if (const auto text = json_string(e)) {
      if (!inner.parse(*text, "named_data_store", limits_.max_json_depth).ok()) {
        return odd("lowered module: named_data_store: expected JSON");
      }
      root = inner.root();
    }
    const auto object = as_object(root);
    if (!object) return;
    const auto add_keys = [call](dom::element keys) {
      if (const auto map = as_object(keys)) {
        for (const auto field : *map) call->named_data_keys.emplace_back(field.key);
      }
    };
    for (const auto [key, value] : *object) {
      if (key == "pte_data") add_keys(value);
      const auto tags = as_object(value);
      if (key != "external_data" || !tags) continue;
      for (const auto tag : *tags) add_keys(tag.value);
    }
  }

  void parse_original_module(dom::element e, const std::string& member, DelegateCall* call) {
    if (delegate_depth_ >= limits_.max_delegate_depth) {
      return odd("lowered module: nested deeper than " + std::to_string(limits_.max_delegate_depth) + ", left out");
    }
    const size_t index = programs_->size();
    Program& p = programs_->emplace_back();
    p.kind = ProgramKind::Delegated;
    p.member = member;
    p.graph_name = program_.graph_name;
    p.method = program_.method;
    Status status;
    if (const auto text = json_string(e))
      status = parse(*text, index, delegate_depth_ + 1);
    else
      status = parse_element(e, index, delegate_depth_ + 1);
    if (!status.ok()) {
      programs_->resize(index);
      return odd("lowered module: " + status.message());
    }
    call->program = static_cast<int32_t>(index);
  }

  const ProgramLimits& limits_;
  std::vector<Program>* programs_;
  std::vector<Problem>* problems_;
  Program program_;
  uint32_t delegate_depth_ = 0;
  JsonDocument from_document_;
  std::string error_;
  std::set<std::string> reported_;
};

}  // namespace

bool parse_dim(dom::element e, Dim* dim) {
  const auto object = as_object(e);
  if (!object) return false;
  bool ok = false;
  for (const auto [key, value] : *object) {
    if (key == "as_int") {
      dim->value = json_int(value);
      ok = dim->value.has_value();
    } else if (key == "as_expr") {
      const auto expr = as_object(value);
      if (!expr) return false;
      for (const auto [part, v] : *expr) {
        if (part == "expr_str") {
          dim->expr = json_string(v).value_or("");
          ok = !dim->expr.empty();
        } else if (part == "hint") {
          dom::element hint;
          if (v.get_object().at_key("as_int").get(hint) == simdjson::SUCCESS) dim->value = json_int(hint);
        }
      }
    }
  }
  return ok;
}

bool parse_tensor_meta(dom::element e, TensorMeta* meta) {
  const auto object = as_object(e);
  if (!object) return false;
  bool ok = true;
  const auto dims = [&ok](dom::element list, std::vector<Dim>* out) {
    const auto array = as_array(list);
    if (!array) {
      ok = false;
      return;
    }
    out->clear();
    for (const dom::element item : *array) ok = parse_dim(item, &out->emplace_back()) && ok;
  };
  for (const auto [key, value] : *object) {
    if (key == "dtype") {
      const auto type = scalar_type_of_json(json_int(value).value_or(0));
      meta->dtype_known = type.has_value();
      meta->dtype = type.value_or(ScalarType::Byte);
    } else if (key == "sizes") {
      dims(value, &meta->sizes);
    } else if (key == "strides") {
      dims(value, &meta->strides);
    } else if (key == "requires_grad") {
      meta->requires_grad = json_int(value).value_or(0) != 0;
    } else if (key == "layout") {
      meta->layout = static_cast<int32_t>(json_int(value).value_or(0));
    } else if (key == "device") {
      dom::element part;
      if (value.get_object().at_key("type").get(part) == simdjson::SUCCESS)
        meta->device = json_string(part).value_or("");
      if (value.get_object().at_key("index").get(part) == simdjson::SUCCESS && json_int(part)) {
        meta->device += ":" + std::to_string(*json_int(part));
      }
    }
  }
  return ok;
}

Status parse_program(std::string_view text, const ProgramLimits& limits, std::vector<Program>* out,
                     std::vector<Problem>* problems) {
  if (out->empty()) out->emplace_back();
  return ProgramParser(limits, out, problems).parse(text, 0, 0);
}

}  // namespace et::etrecord
