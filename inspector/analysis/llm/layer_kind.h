// What a part of a language model is for, told by the names of its modules, and without modules by its operators.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace et::inspector {

/// Framework: the runtime's own time. Unattributed: that of delegates' calls which no op
/// inside them explains.
enum class LayerKind : uint8_t {
  Attention,
  Cache,
  Mlp,
  Norm,
  Embedding,
  Head,
  Sampling,
  Other,
  Framework,
  Unattributed
};
inline constexpr size_t kLayerKinds = 10;
const char* layer_kind_name(LayerKind kind);  ///< "attention", "mlp"

/// `module_path`: "layers.0.feed_forward.w1"; `module_type`: its class, with or without its package; `op`: an operator
/// of the graph, or of a delegate.
LayerKind layer_kind(std::string_view module_path, std::string_view module_type, std::string_view op);

/// Of an operator in a layer whose module has no telling name: a softmax is its attention's, a SiLU its MLP's.
LayerKind layer_kind_of_operator(std::string_view op);

/// The first number in a module's path, "layers.12.attention": 12. -1 outside of layers.
int64_t layer_number(std::string_view module_path);
/// What stands before that number: "encoder.block" of encoder.block.0. "" outside of layers.
std::string layer_stack(std::string_view module_path);

}  // namespace et::inspector
