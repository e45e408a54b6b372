// The parser behind parse_program(): one class, since graphs hold arguments that hold graphs, in a file an idea.
// program_json.cpp has the program as a whole, program_graph.cpp graphs and nodes, program_arguments.cpp arguments,
// program_signature.cpp inputs and outputs, program_delegates.cpp delegate calls. Internal to this room.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "etrecord/program_json.h"
#include "etrecord/record.h"

namespace et::etrecord {

constexpr int kMaxGraphDepth = 32;  // control flow inside control flow; models use two or three

/// Parses one program, and those inside of its delegate calls with their own parsers.
class ProgramParser {
 public:
  ProgramParser(const ProgramLimits& limits, std::vector<Program>* programs, std::vector<Problem>* problems)
      : limits_(limits), programs_(programs), problems_(problems) {}

  Status parse(std::string_view text, size_t index, uint32_t delegate_depth);

 private:
  // The program is built aside, because programs_ grows when delegates are met.
  Status parse_element(JsonValue root, size_t index, uint32_t delegate_depth);
  bool fail(const std::string& at, const std::string& expected);

  // Something optional could not be read; one report per kind and program.
  void odd(const std::string& what);
  // Something that no known release writes: a newer one's.
  void unknown(std::string what);
  bool parse_root(JsonValue root);
  void parse_schema_version(JsonValue e);
  void parse_opsets(JsonValue e);
  void parse_ranges(JsonValue e);
  std::vector<std::string> strings(JsonValue e, const char* what);

  // Index of the new graph, -1 on failure.
  int32_t parse_graph(JsonValue e, std::string name, int32_t parent_graph, int32_t parent_node, int depth);
  static std::vector<std::string> value_names(const std::vector<Argument>& arguments);
  void name_nodes(const Graph& graph);
  bool parse_node(JsonValue e, int32_t graph, int depth);
  bool parse_inputs(JsonValue e, Node* n, int32_t index, int depth);
  void parse_metadata(JsonValue e, Node* n);
  void parse_from_node(std::string_view text, Node* n);
  std::vector<Argument> arguments(JsonValue e, const char* what, int32_t graph, int depth);
  static std::string name_of(JsonValue e);
  bool parse_argument(JsonValue e, int32_t graph, int32_t node, int depth, Argument* a);
  bool parse_list_argument(std::string_view tag, JsonArray list, Argument* a);
  int64_t whole(JsonValue e);
  double real(JsonValue e);
  SymValue sym_value(JsonValue e);
  void parse_device(JsonValue e, Argument* a);
  void parse_custom_obj(JsonValue e, Argument* a);
  bool parse_graph_argument(JsonValue e, int32_t graph, int32_t node, int depth, Argument* a);
  void parse_tensors(JsonValue e, Graph* graph);
  void parse_sym_ints(JsonValue e, Graph* graph);
  void parse_sym_bools(JsonValue e, Graph* graph);
  void parse_custom_objs(JsonValue e, Graph* graph);
  void parse_signature(JsonValue e);

  // "arg" is an Argument for user inputs and outputs, {"name"} for the others.
  std::string spec_value(JsonValue arg);
  InputSpec input_spec(std::string_view tag, JsonValue e);
  OutputSpec output_spec(std::string_view tag, JsonValue e);
  std::vector<uint8_t> bytes(JsonValue e, const char* what);

  // The first input of a delegate call. False if it is not one, then it is read as a plain argument.
  bool parse_lowered_module(JsonValue e, const std::string& name, Node* n);
  void parse_compile_specs(JsonValue e, DelegateCall* call);
  void parse_named_data(JsonValue e, DelegateCall* call);
  void note_buffers(JsonValue e);
  void parse_original_module(JsonValue e, const std::string& member, DelegateCall* call);
  const ProgramLimits& limits_;
  std::vector<Program>* programs_;
  std::vector<Problem>* problems_;
  Program program_;
  uint32_t delegate_depth_ = 0;
  JsonDocument from_document_;
  std::string error_;
  std::set<std::string> reported_;
};

}  // namespace et::etrecord
