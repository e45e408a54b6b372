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

namespace {

/// Of "weight=p_tokens_weight, indices=x" the value of an argument: by its name, else by its place.
std::string_view named_argument(std::string_view arguments, std::string_view name, size_t place) {
  std::string_view by_place;
  for (size_t i = 0; !arguments.empty(); ++i) {
    const size_t end = std::min(arguments.find(", "), arguments.size());
    const std::string_view one = arguments.substr(0, end);
    arguments.remove_prefix(std::min(end + 2, arguments.size()));
    const size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name) return one.substr(equals + 1);
    if (i == place) by_place = equals == std::string_view::npos ? one : one.substr(equals + 1);
  }
  return by_place;
}

/// Tokens are given to a model; positions are counted by it. So what is looked up by an input, however it was viewed
/// and copied since, is a vocabulary, and what is looked up by anything else is none.
class TokenInputs {
 public:
  Status load(const Store& store, int64_t trace_id) {
    Statement st = store.query(
        "SELECT name FROM graph_values WHERE trace_id = ?1 AND graph = 'edge' AND role = 'input' AND kind = "
        "'user_input'");
    st.bind_all(trace_id);
    while (st.step()) given_.insert(st.str(0));
    known_ = !given_.empty();
    return st.finish("inputs");
  }
  void add(const std::string& name, std::string_view op, std::string_view arguments) {
    if (type_family(op) == TypeFamily::Movement && given_.contains(std::string(named_argument(arguments, "self", 0))))
      given_.insert(name);
  }
  /// Of a record that does not say what its inputs are anything may be one.
  bool may_be(std::string_view name) const { return !known_ || given_.contains(std::string(name)); }

 private:
  std::set<std::string> given_;
  bool known_ = false;
};

}  // namespace

Status LayerShapes::read_nodes(const Store& store, int64_t trace_id) {
  std::map<std::string, Matrix, std::less<>> tables;  // rows and columns of matrices, by the value that has them
  Statement values = store.query(
      "SELECT name, shape FROM graph_values WHERE trace_id = ?1 AND graph = 'edge' AND role = 'input' AND shape IS NOT "
      "NULL");
  values.bind_all(trace_id);
  while (values.step()) {
    const std::optional<Shape> shape = parse_shape(values.text(1));
    if (shape && shape->size() == 2) tables[values.str(0)] = {shape->front(), shape->back()};
  }
  if (Status s = values.finish("graph values"); !s.ok()) return s;
  TokenInputs tokens;
  if (Status s = tokens.load(store, trace_id); !s.ok()) return s;
  std::set<std::string> in_layers;  // methods whose layers have begun
  Statement st = store.query(
      "SELECT node_id, coalesce(shape, ''), coalesce(op, ''), coalesce(arguments, ''), coalesce(module_path, ''), "
      "coalesce(module_type, ''), coalesce(method, ''), name FROM nodes WHERE trace_id = ?1 AND graph = 'edge' ORDER "
      "BY node_id");
  st.bind_all(trace_id);
  while (st.step()) {
    const auto width = last_dimension(st.text(1));
    if (width) widths_[st.integer(0)] = *width;
    tokens.add(st.str(7), st.text(2), st.text(3));
    if (operator_base(st.text(2)).find("embedding") != std::string_view::npos) {
      const auto known = tables.find(named_argument(st.text(3), "weight", 0));
      if (known != tables.end()) {
        embeddings_.insert(known->second.second);
        if (tokens.may_be(named_argument(st.text(3), "indices", 1))) vocabularies_.insert(known->second.first);
      }
    }
    const std::string_view path = layer_path(st.text(4));
    if (!path.empty()) in_layers.insert(st.str(6));
    if (path.empty() && !in_layers.contains(st.str(6))) before_layers_.insert(st.integer(0));
    const auto layer = layers_.find(path);
    if (layer == layers_.end()) continue;
    const LayerKind named = layer_kind(st.text(4), st.text(5), "");
    layer->second.has_attention |= named == LayerKind::Attention;
    layer->second.has_mlp |= named == LayerKind::Mlp;
  }
  if (in_layers.empty()) before_layers_.clear();
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
  // A head reads what the layers made, and has its words in the last dimension, where no convolution has its channels.
  if (before_layers_.contains(node.id) || type_family(node.op) == TypeFamily::Convolution) return LayerKind::Other;
  // As many positions as channels: what is as wide as both is a sum of embeddings, unless it multiplies.
  const bool ambiguous = embeddings_.contains(width->second);
  return !ambiguous || type_family(node.op) == TypeFamily::Matmul ? LayerKind::Head : LayerKind::Other;
}

}  // namespace et::inspector
