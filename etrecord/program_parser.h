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

#include "base/json_text.h"
#include "etrecord/program_json.h"
#include "etrecord/record.h"

namespace et::etrecord {

namespace dom = simdjson::dom;

constexpr int kMaxGraphDepth = 32;  // control flow inside control flow; models use two or three

inline std::optional<dom::object> as_object(dom::element e) {
  dom::object o;
  if (e.get_object().get(o) != simdjson::SUCCESS) return std::nullopt;
  return o;
}

inline std::optional<dom::array> as_array(dom::element e) {
  dom::array a;
  if (e.get_array().get(a) != simdjson::SUCCESS) return std::nullopt;
  return a;
}

/// Parses one program, and those inside of its delegate calls with parsers of their own.
class ProgramParser {
 public:
  ProgramParser(const ProgramLimits& limits, std::vector<Program>* programs, std::vector<Problem>* problems)
      : limits_(limits), programs_(programs), problems_(problems) {}

  Status parse(std::string_view text, size_t index, uint32_t delegate_depth);

 private:
  // The program is built aside, because programs_ grows when delegates are met.
  Status parse_element(dom::element root, size_t index, uint32_t delegate_depth);
  bool fail(const std::string& at, const std::string& expected);

  // Something optional could not be read; one report per kind and program.
  void odd(const std::string& what);
  bool parse_root(dom::element root);
  void parse_schema_version(dom::element e);
  void parse_opsets(dom::element e);
  void parse_ranges(dom::element e);
  std::vector<std::string> strings(dom::element e, const char* what);

  // Index of the new graph, -1 on failure.
  int32_t parse_graph(dom::element e, std::string name, int32_t parent_graph, int32_t parent_node, int depth);
  static std::vector<std::string> value_names(const std::vector<Argument>& arguments);
  bool parse_node(dom::element e, int32_t graph, int depth);
  bool parse_inputs(dom::element e, Node* n, int32_t index, int depth);
  void parse_metadata(dom::element e, Node* n);
  void parse_from_node(std::string_view text, Node* n);
  std::vector<Argument> arguments(dom::element e, const char* what, int32_t graph, int depth);
  static std::string name_of(dom::element e);
  bool parse_argument(dom::element e, int32_t graph, int32_t node, int depth, Argument* a);
  bool parse_list_argument(std::string_view tag, dom::array list, Argument* a);
  int64_t whole(dom::element e);
  double real(dom::element e);
  SymValue sym_value(dom::element e);
  void parse_device(dom::element e, Argument* a);
  void parse_custom_obj(dom::element e, Argument* a);
  bool parse_graph_argument(dom::element e, int32_t graph, int32_t node, int depth, Argument* a);
  void parse_tensors(dom::element e, Graph* graph);
  void parse_sym_ints(dom::element e, Graph* graph);
  void parse_sym_bools(dom::element e, Graph* graph);
  void parse_custom_objs(dom::element e, Graph* graph);
  void parse_signature(dom::element e);

  // "arg" is an Argument for user inputs and outputs, {"name"} for the others.
  std::string spec_value(dom::element arg);
  InputSpec input_spec(std::string_view tag, dom::element e);
  OutputSpec output_spec(std::string_view tag, dom::element e);
  std::vector<uint8_t> bytes(dom::element e, const char* what);

  // The first input of a delegate call. False if it is not one, then it is read as a plain argument.
  bool parse_lowered_module(dom::element e, const std::string& name, Node* n);
  void parse_compile_specs(dom::element e, DelegateCall* call);
  void parse_named_data(dom::element e, DelegateCall* call);
  void parse_original_module(dom::element e, const std::string& member, DelegateCall* call);
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
