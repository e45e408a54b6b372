// What sets of graph nodes compute and move: floating-point operations, and bytes that come from or go to outside of
// the set. What a fused kernel passes on inside costs no memory traffic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/graph/graph_model.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/work/dim_expression.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct NodeWork {
  std::optional<double> flops;  ///< nullopt where an operator has no formula or a shape is no number
  std::optional<double> bytes;  ///< read and written, weights included; nullopt where a shape or a dtype is unknown
  double spared_flops = 0;      ///< of `flops`: spared_flops_of(), where products are of floats
  double weight_bytes = 0;      ///< of `bytes`: parameters, buffers and constants
  bool integer = false;         ///< its products are of quantised values
  std::string unknown;          ///< what is missing: "operator aten.topk", "shape [1, s0]"
};

/// Bits of an element, 0 for a dtype that is not known.
int bits_of_dtype(std::string_view dtype);

class WorkOfNodes {
 public:
  /// Reads the graphs that the table's ops lead to. `dims`: numbers for symbols of dynamic shapes ("s27").
  /// Errors: InvalidExternalData (damaged store).
  Status load(const Store& store, const OpTable& table, const DimValues& dims = {});
  bool has_graph() const { return !models_.empty(); }
  /// `nodes`: keys of nodes (NodeFacts::id). Those of no loaded graph are left out; without any, nothing is known.
  NodeWork of(const std::set<int64_t>& nodes) const;
  /// The node of a key, with its model; nullptr when no loaded graph has it.
  std::pair<const GraphModel*, const GraphNode*> node(int64_t id) const;
  /// Symbols of shapes without a number, by name.
  std::set<std::string> symbols() const;
  /// Of each symbol of shapes, where the program's user gives it: "dimension 1 of tokens in prefill".
  const std::map<std::string, std::string>& symbol_places() const { return symbol_places_; }

 private:
  void add_symbol_places(const GraphModel& model);

  std::map<std::string, std::string> symbol_places_;
  std::vector<GraphModel> models_;
  std::vector<std::vector<std::vector<int32_t>>> readers_;         // of models and nodes: nodes that read them
  std::unordered_map<int64_t, std::pair<uint32_t, uint32_t>> at_;  // of nodes: model, index
};

}  // namespace et::inspector
