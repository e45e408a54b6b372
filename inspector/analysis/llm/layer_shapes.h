// Kinds of what no module is named for, by shapes: in a layer the projection that widens and the one that undoes it are
// its MLP, the others beside them its attention; outside of layers, behind the first, a result
// as wide as the vocabulary is the head's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/status.h"
#include "inspector/analysis/llm/layer_kind.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

class LayerShapes {
 public:
  /// Errors: InvalidExternalData (damaged store).
  Status load(const Store& store, int64_t trace_id);
  /// As layer_kind(); by shapes where names say nothing.
  LayerKind kind(const NodeFacts& node) const;

 private:
  using Matrix = std::pair<int64_t, int64_t>;  // outputs, inputs
  struct Layer {
    std::set<Matrix> matrices;
    std::set<int64_t> hidden;                     // widths between an MLP's matrices
    bool has_attention = false, has_mlp = false;  // modules that are named for it
  };

  Status read_weights(const Store& store, int64_t trace_id);
  Status read_nodes(const Store& store, int64_t trace_id);
  LayerKind kind_in_layer(const Layer& layer, const NodeFacts& node) const;

  std::map<std::string, Layer, std::less<>> layers_;    // by path up to its number
  std::map<std::string, Matrix, std::less<>> weights_;  // by module
  std::unordered_map<int64_t, int64_t> widths_;         // last dimension of a node's result
  std::set<int64_t> vocabularies_;                      // rows of tables that tokens are looked up in
  std::set<int64_t> embeddings_;                        // columns of all tables that are looked up
  std::unordered_set<int64_t> before_layers_;           // nodes outside of layers, in front of the first of them
};

}  // namespace et::inspector
