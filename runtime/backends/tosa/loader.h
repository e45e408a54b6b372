// Loader: from a verified payload to the blocks of a graph.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/backends/tosa/op_builder.h"

namespace et::tosa {

class Loader {
 public:
  Loader(Graph& graph, const format::TosaPayload& payload, std::string* error)
      : graph_(graph), payload_(payload), budget_(graph.limits_), error_(error) {}

  Error load();

  /// The block of a region that a control operator names, loaded; null after builder.fail().
  Block* region(OpBuilder& builder, std::string_view name);

 private:
  using Names = std::unordered_map<std::string_view, uint32_t>;
  /// What is known of the values of a block while it is read.
  struct Reading {
    format::TosaBlock file;
    Block& block;
    Names names;
    std::vector<uint8_t> defined;
  };

  bool fail(Error code, std::string text);
  bool read(const format::TosaBlock& file, Block& block);
  bool tensors(Reading& r);
  bool tensor(Reading& r, const format::TosaTensor& t);
  bool shapes(Reading& r);
  bool add_value(Reading& r, Value value);
  bool ends(Reading& r, const format::TosaNames& names, bool inputs, std::vector<uint32_t>* out);
  bool operators(Reading& r);
  bool constant(Reading& r, const format::TosaOperator& op, uint32_t index);
  bool operation(Reading& r, const format::TosaOperator& op, uint32_t index);
  bool operands(Reading& r, const format::TosaNames& names, bool outputs, Node* node);
  bool variable(const format::TosaTensor& t, Value* value);
  /// The bytes of a constant as they lie in memory; null after fail().
  const uint8_t* constant_bytes(const format::TosaTensor& t, const Value& value);
  /// Memory of the graph, zeros, aligned for every type; null after fail().
  uint8_t* own(size_t bytes);
  bool plan(Block& block);
  std::string place(const Reading& r, uint32_t index, const char* name) const;

  Graph& graph_;
  const format::TosaPayload& payload_;
  Budget budget_;
  std::string* error_;
  Error code_ = Error::Ok;
  int depth_ = 0;
};

// control_flow.cpp
Kernel prepare_cond_if(OpBuilder& builder, Loader& loader);
Kernel prepare_while_loop(OpBuilder& builder, Loader& loader, Budget& budget);

}  // namespace et::tosa
