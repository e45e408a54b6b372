#include "inspector/analysis/llm/layer_shapes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/type_family.h"

namespace et::inspector {
namespace {

/// "model.layers.3" of "model.layers.3.attention.wq"; "" outside of layers.
std::string_view layer_path(std::string_view path) {
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    if (layer_number(path.substr(begin, end - begin)) >= 0) return path.substr(0, end);
    begin = end + 1;
  }
  return {};
}

/// Of "[1, s0, 128]" 128; others may be symbols.
std::optional<int64_t> last_dimension(std::string_view shape) {
  if (!shape.ends_with(']')) return std::nullopt;
  shape.remove_suffix(1);
  const size_t at = shape.find_last_of(" [");
  const std::optional<Shape> last = parse_shape("[" + std::string(shape.substr(at + 1)) + "]");
  return last && last->size() == 1 ? std::optional(last->front()) : std::nullopt;
}

}  // namespace

Status LayerShapes::read_weights(const Store& store, int64_t trace_id) {
  constexpr std::string_view kWeight = ".weight";
  Statement st = store.query(
      "SELECT target, shape FROM graph_values WHERE trace_id = ?1 AND graph = 'edge' AND role = 'input' AND kind = "
      "'parameter' AND target IS NOT NULL AND shape IS NOT NULL");
  st.bind_all(trace_id);
  while (st.step()) {
    const std::string target = st.str(0);
    const std::optional<Shape> shape = parse_shape(st.text(1));
    if (!shape || shape->size() != 2 || !target.ends_with(kWeight)) continue;
    const std::string module = target.substr(0, target.size() - kWeight.size());
    const Matrix matrix = {(*shape)[0], (*shape)[1]};
    weights_[module] = matrix;
    const std::string_view layer = layer_path(module);
    if (!layer.empty()) layers_[std::string(layer)].matrices.insert(matrix);
  }
  for (auto& [path, layer] : layers_) {
    for (const auto& [out, in] : layer.matrices) {
      if (out > in && layer.matrices.contains({in, out})) layer.hidden.insert(out);
    }
  }
  return st.finish("weights");
}

Status LayerShapes::read_nodes(const Store& store, int64_t trace_id) {
  std::map<std::string, Matrix> tables;  // rows and columns of matrices, by the value that has them
  Statement values = store.query(
      "SELECT name, shape FROM graph_values WHERE trace_id = ?1 AND graph = 'edge' AND role = 'input' AND shape IS NOT "
      "NULL");
  values.bind_all(trace_id);
  while (values.step()) {
    const std::optional<Shape> shape = parse_shape(values.text(1));
    if (shape && shape->size() == 2) tables[values.str(0)] = {shape->front(), shape->back()};
  }
  if (Status s = values.finish("graph values"); !s.ok()) return s;
  Statement st = store.query(
      "SELECT node_id, coalesce(shape, ''), coalesce(op, ''), coalesce(arguments, ''), coalesce(module_path, ''), "
      "coalesce(module_type, '') FROM nodes WHERE trace_id = ?1 AND graph = 'edge'");
  st.bind_all(trace_id);
  while (st.step()) {
    if (const auto width = last_dimension(st.text(1))) widths_[st.integer(0)] = *width;
    if (operator_base(st.text(2)).find("embedding") != std::string_view::npos) {
      std::string table = st.str(3).substr(0, st.str(3).find(','));  // the first argument, "weight=p_tokens_weight"
      if (const size_t equals = table.find('='); equals != std::string::npos) table.erase(0, equals + 1);
      if (const auto known = tables.find(table); known != tables.end()) {
        vocabularies_.insert(known->second.first);
        embeddings_.insert(known->second.second);
      }
    }
    const auto layer = layers_.find(layer_path(st.text(4)));
    if (layer == layers_.end()) continue;
    const LayerKind named = layer_kind(st.text(4), st.text(5), "");
    layer->second.has_attention |= named == LayerKind::Attention;
    layer->second.has_mlp |= named == LayerKind::Mlp;
  }
  return st.finish("nodes");
}

Status LayerShapes::load(const Store& store, int64_t trace_id) {
  const Status status = read_weights(store, trace_id);
  return status.ok() ? read_nodes(store, trace_id) : status;
}

LayerKind LayerShapes::kind_in_layer(const Layer& layer, const NodeFacts& node) const {
  if (const auto weight = weights_.find(node.module_path); weight != weights_.end()) {
    const auto [out, in] = weight->second;
    if (layer.hidden.contains(out) && layer.matrices.contains({in, out})) return LayerKind::Mlp;
    if (layer.hidden.contains(in) && layer.matrices.contains({in, out})) return LayerKind::Mlp;
    // With the MLP told apart, what else a layer multiplies with is its attention's.
    const bool has_mlp = layer.has_mlp || !layer.hidden.empty();
    return has_mlp && !layer.has_attention ? LayerKind::Attention : LayerKind::Other;
  }
  // What stands between the two: an activation, the product with the gate.
  const auto width = widths_.find(node.id);
  return width != widths_.end() && layer.hidden.contains(width->second) ? LayerKind::Mlp : LayerKind::Other;
}

LayerKind LayerShapes::kind(const NodeFacts& node) const {
  const LayerKind named = layer_kind(node.module_path, node.module_type, node.op);
  if (named != LayerKind::Other) return named;
  const std::string_view path = layer_path(node.module_path);
  if (const auto layer = layers_.find(path); !path.empty() && layer != layers_.end()) {
    const LayerKind by_shape = kind_in_layer(layer->second, node);
    return by_shape != LayerKind::Other ? by_shape : layer_kind_of_operator(node.op);
  }
  if (!path.empty()) return layer_kind_of_operator(node.op);
  const auto width = widths_.find(node.id);
  if (width == widths_.end() || !vocabularies_.contains(width->second)) return LayerKind::Other;
  // As many positions as channels: what is as wide as both is a sum of embeddings, unless it multiplies.
  const bool ambiguous = embeddings_.contains(width->second);
  return !ambiguous || type_family(node.op) == TypeFamily::Matmul ? LayerKind::Head : LayerKind::Other;
}

}  // namespace et::inspector
