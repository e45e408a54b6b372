// The programs of an ETRecord as data: graphs, nodes, values, where each node came from. Plain structs; the parser is
// in program_json.h, questions about a graph are in graph_walk.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/scalar_type.h"
#include "etrecord/releases.h"

namespace et::etrecord {

/// One frame of a Python stack trace. `code` is the source text of the line(s), `line` is 1-based.
struct Frame {
  std::string file;
  int32_t line = 0;
  std::string function;
  std::string code;
};

/// One level of the module hierarchy: ("L__self__conv", "conv", "torch.nn.modules.conv.Conv2d").
struct ModuleEntry {
  std::string key;
  std::string path;
  std::string type;
};

/// A size or stride. Fixed: `expr` is empty and `value` is set. Symbolic: `expr` is the expression ("s77", "s0 + 1")
/// and `value` the hint of the export, if it gave one.
struct Dim {
  std::optional<int64_t> value;
  std::string expr;

  bool fixed() const { return expr.empty(); }
};

/// What the graph says about a tensor value. `dtype` has the numbers of programs and ETDumps (the ETRecord's JSON has
/// its own); it means nothing unless `dtype_known`.
struct TensorMeta {
  ScalarType dtype = ScalarType::Byte;
  bool dtype_known = false;
  bool requires_grad = false;
  std::vector<Dim> sizes;
  std::vector<Dim> strides;  ///< in elements
  std::string device;        ///< "cpu", "cuda:0"
  int32_t layout = 0;        ///< torch layout as the ETRecord numbers it: 7 = strided
};

enum class ArgumentKind : uint8_t {
  None,
  Tensor,
  Tensors,
  OptionalTensors,
  Int,
  Ints,
  Float,
  Floats,
  String,
  Strings,
  SymInt,
  SymInts,
  SymFloat,
  SymFloats,
  SymBool,
  SymBools,
  ScalarType,
  MemoryFormat,
  Layout,
  Device,
  Bool,
  Bools,
  Graph,
  CustomObj,
  Operator,
  Unknown,  ///< a kind that a newer exporter invented: `strings` holds its tag and its JSON text
};

/// "tensor", "sym_ints", …: the tag in the ETRecord without its "as_".
const char* argument_kind_name(ArgumentKind kind);

/// One element of a symbolic argument: the name of a value of the graph, or a number when `name` is empty.
struct SymValue {
  std::string name;
  double number = 0;    ///< SymFloat only
  int64_t integer = 0;  ///< SymInt, SymBool (0 or 1)
};

/// One argument of a node, an input or output of a graph. Which members are used depends on `kind`:
///   strings  Tensor, Tensors, OptionalTensors ("" = none), String(s), CustomObj (value, class), Operator, Graph
///   (name),
///            Device (type)
///   ints     Int(s), Bool(s), ScalarType, MemoryFormat, Layout (number as stored), Device (index, may be empty)
///   floats   Float(s)
///   syms     SymInt(s), SymFloat(s), SymBool(s)
struct Argument {
  std::string name;  ///< parameter name; "" where the operator has unnamed inputs, and in outputs
  ArgumentKind kind = ArgumentKind::None;
  std::vector<std::string> strings;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<SymValue> syms;
  et::ScalarType scalar_type = et::ScalarType::Byte;  ///< of kind ScalarType, in the numbering of programs
  bool scalar_type_known = false;
  int32_t graph = -1;  ///< of kind Graph: index into Program::graphs

  /// All values of the graph that this argument names, in order (tensors, symbolic numbers, custom objects).
  std::vector<std::string> tensor_names() const;
  /// Short form for people: `x`, `[a, b]`, `1`, `[1, 2]`, `"text"`, `float32`, `channels_last`, `None`.
  std::string text() const;
};

/// One step of a node's history, see Node::from.
struct FromNode {
  std::string name;
  std::string target;
  int64_t graph_id = 0;
  std::string pass_name;
  std::string action;  ///< lower-case names joined by "+": "create", "replace", "create+replace"
};

/// One call of an operator. Placeholders, outputs and getitem nodes of torch are not nodes here: they are
/// Graph::inputs, Graph::outputs and the outputs of their producer.
struct Node {
  std::string name;
  std::string target;        ///< as stored: "executorch.exir.dialects.edge.ops.aten.add.Tensor"
  std::string op;            ///< as upstream's Inspector writes op_types: "aten.add.Tensor"; for an operator called
                             ///< through torch.ops it leaves the namespace out ("sym_size.int", "add.Tensor")
  std::string qualified_op;  ///< always with the namespace: "aten.sym_size.int"
  std::vector<Argument> inputs;
  std::vector<std::string> outputs;  ///< value names, lists flattened, in order
  std::vector<Argument> raw_outputs;
  std::optional<int64_t> debug_handle;  ///< edge programs; counts from 1
  std::string stack_trace;              ///< as stored, "" if none
  std::string nn_module_stack;          ///< as stored
  std::string torch_fn;                 ///< as stored: "conv2d_1;builtin_function_or_method.conv2d"
  std::string source_fn_stack;          ///< as stored (strict export only)
  std::vector<Frame> frames;            ///< outermost call first
  std::vector<ModuleEntry> modules;     ///< outermost first; empty where a pass made the node for no module
  std::vector<FromNode> from;           ///< newest first; back() is the torch.export node
  int32_t graph = 0;                    ///< index into Program::graphs
  std::vector<int32_t> subgraphs;       ///< graphs that this node calls (cond, map, scan, while_loop)
  int32_t delegate = -1;                ///< index into Program::delegates for executorch_call_delegate
  int32_t lowered_in = -1;              ///< likewise: the call that stood for this node, see inline_delegates.h
};

/// A list of nodes in one scope of names: the program's own graph, or the body of a control flow operator.
struct Graph {
  std::string name;                  ///< "" for the top graph, else e.g. "true_graph_0", "submodule_0"
  int32_t parent_graph = -1;         ///< index into Program::graphs
  int32_t parent_node = -1;          ///< index into Program::nodes
  std::vector<std::string> inputs;   ///< value names; "" where the input is a constant
  std::vector<std::string> outputs;  ///< value names; "" where the output is a constant
  std::vector<Argument> raw_inputs;
  std::vector<Argument> raw_outputs;
  std::vector<int32_t> nodes;  ///< indices into Program::nodes, in execution order, without those of subgraphs
  std::unordered_map<std::string, TensorMeta> tensors;
  std::unordered_map<std::string, Dim> sym_ints;
  std::unordered_map<std::string, std::string> sym_bools;    ///< expression, or "True" / "False"
  std::unordered_map<std::string, std::string> custom_objs;  ///< class
  bool is_single_tensor_return = false;
};

enum class InputKind : uint8_t {
  UserInput,
  Parameter,
  Buffer,
  TensorConstant,
  CustomObj,
  Token,
  ConstantInput,
  Unknown
};
enum class OutputKind : uint8_t {
  UserOutput,
  BufferMutation,
  ParameterMutation,
  UserInputMutation,
  LossOutput,
  GradientToParameter,
  GradientToUserInput,
  Token,
  Unknown
};

/// Role of one input of the top graph. `value` is the value's name in the graph ("" for constant inputs), `target` the
/// fully qualified name of a parameter, buffer or constant; user inputs have none.
struct InputSpec {
  InputKind kind = InputKind::Unknown;
  std::string value;
  std::string target;
  bool persistent = true;            ///< buffers: in the state dict (else among the constants)
  std::optional<Argument> constant;  ///< of ConstantInput
  int32_t delegate = -1;             ///< index into Program::delegates: its data is with that call, not the program
};

/// Role of one output of the top graph. `target`: the mutated buffer, parameter or user input.
struct OutputSpec {
  OutputKind kind = OutputKind::Unknown;
  std::string value;
  std::string target;
};

struct Signature {
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
};

/// Bounds of a symbol; no value = unbounded.
struct Range {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

/// A lowered module inside a program (ETRecords of a program after to_backend).
struct DelegateCall {
  std::string name;  ///< "lowered_module_0"
  std::string backend_id;
  std::vector<uint8_t> payload;  ///< processed bytes, as in the .pte
  std::vector<std::pair<std::string, std::vector<uint8_t>>> compile_specs;
  int32_t program = -1;             ///< the graph that was lowered: index into Record::programs(); -1 if unreadable
  std::vector<uint8_t> state_dict;  ///< torch.save archive (torch_archive.h), may be empty
  std::vector<uint8_t> constants;   ///< torch.save archive, may be empty
  std::vector<std::string> named_data_keys;
};

enum class ProgramKind : uint8_t { Exported, Edge, Extra, Delegated };

struct Program {
  ProgramKind kind = ProgramKind::Edge;
  std::string member;      ///< zip member; for Delegated: "<member of the caller>:<lowered module>"
  std::string graph_name;  ///< "exported_program", "edge_dialect_exported_program" or the user's name of an extra graph
  std::string method;   ///< as stored; an ETRecord of one method says "forward" whatever its name (Record::methods())
  std::string dialect;  ///< from the verifiers: "TRAINING", "EDGE", …
  std::vector<Graph> graphs;  ///< [0] is the top graph
  std::vector<Node> nodes;    ///< execution order; the nodes of a subgraph stand right after the node that calls it
  std::vector<DelegateCall> delegates;
  Signature signature;
  std::map<std::string, Range> range_constraints;
  std::vector<std::string> verifiers;
  std::map<std::string, int64_t> opset_version;
  int64_t schema_major = 0;
  int64_t schema_minor = 0;
  FormSet forms;                  ///< how it is written (releases.def)
  std::set<std::string> unknown;  ///< parts of it that no release up to the newest known one writes

  /// What is known of a value in the scope of `graph` (index), nullptr if nothing.
  const TensorMeta* tensor(int32_t graph, const std::string& value) const;
  /// Fully qualified name of the parameter, buffer or constant that a value of the top graph holds, nullptr if none.
  const std::string* fqn(const std::string& value) const;
};

}  // namespace et::etrecord
