#include "inspector/analysis/llm/layer_kind.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

#include "inspector/match/operator_name.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

struct Word {
  std::string_view text;
  LayerKind kind;
  bool whole = false;  ///< the whole name of a module, not a part of it
};

/// In a name the first that fits counts: "attention_norm" is a norm, "kv_cache" of an attention is a cache.
constexpr Word kModuleWords[] = {
    {"cache", LayerKind::Cache},
    {"norm", LayerKind::Norm},
    {"ln", LayerKind::Norm, true},
    {"ln_", LayerKind::Norm},
    {"lm_head", LayerKind::Head, true},
    {"unembed", LayerKind::Head},
    {"embed", LayerKind::Embedding},
    {"wte", LayerKind::Embedding, true},
    {"wpe", LayerKind::Embedding, true},
    {"feed_forward", LayerKind::Mlp},
    {"feedforward", LayerKind::Mlp},
    {"mlp", LayerKind::Mlp},
    {"densereludense", LayerKind::Mlp},
    {"denseact", LayerKind::Mlp},
    {"ffn", LayerKind::Mlp},
    {"moe", LayerKind::Mlp},
    {"expert", LayerKind::Mlp},
    {"gate_proj", LayerKind::Mlp, true},
    {"up_proj", LayerKind::Mlp, true},
    {"down_proj", LayerKind::Mlp, true},
    {"fc1", LayerKind::Mlp, true},
    {"fc2", LayerKind::Mlp, true},
    {"intermediate", LayerKind::Mlp, true},
    {"attn", LayerKind::Attention},
    {"attention", LayerKind::Attention},
    {"sdpa", LayerKind::Attention},
    {"rope", LayerKind::Attention},
    {"rotary", LayerKind::Attention},
    {"q_proj", LayerKind::Attention, true},
    {"k_proj", LayerKind::Attention, true},
    {"v_proj", LayerKind::Attention, true},
    {"o_proj", LayerKind::Attention, true},
    {"qkv", LayerKind::Attention},
    {"sampl", LayerKind::Sampling},
};
/// Outside of all layers only: inside, "output" is a projection.
constexpr Word kOuterWords[] = {
    {"output", LayerKind::Head, true}, {"head", LayerKind::Head, true}, {"logits", LayerKind::Head}};

/// Modules that stand in a layer itself, not in one that is named for an attention or an MLP.
constexpr Word kLayerWords[] = {
    {"gate", LayerKind::Mlp, true},
    {"up", LayerKind::Mlp, true},
    {"down", LayerKind::Mlp, true},
    {"gate_up", LayerKind::Mlp},
    {"w1", LayerKind::Mlp, true},
    {"w2", LayerKind::Mlp, true},
    {"w3", LayerKind::Mlp, true},
    {"wi", LayerKind::Mlp, true},
    {"wi_0", LayerKind::Mlp, true},
    {"wi_1", LayerKind::Mlp, true},
    {"fc_in", LayerKind::Mlp, true},
    {"fc_out", LayerKind::Mlp, true},
    {"linear1", LayerKind::Mlp, true},
    {"linear2", LayerKind::Mlp, true},
    {"4h", LayerKind::Mlp},
    {"q", LayerKind::Attention, true},
    {"k", LayerKind::Attention, true},
    {"v", LayerKind::Attention, true},
    {"o", LayerKind::Attention, true},
    {"wq", LayerKind::Attention, true},
    {"wk", LayerKind::Attention, true},
    {"wv", LayerKind::Attention, true},
    {"wo", LayerKind::Attention, true},
    {"query", LayerKind::Attention, true},
    {"key", LayerKind::Attention, true},
    {"value", LayerKind::Attention, true},
    {"query_key_value", LayerKind::Attention},
};

struct Operator {
  std::string_view base;
  LayerKind kind;
};
constexpr Operator kOperators[] = {
    {"scaled_dot_product_attention", LayerKind::Attention},
    {"custom_sdpa", LayerKind::Attention},
    {"sdpa_with_kv_cache", LayerKind::Attention},
    {"update_cache", LayerKind::Cache},
    {"update_quantized_cache", LayerKind::Cache},
    {"layer_norm", LayerKind::Norm},
    {"native_layer_norm", LayerKind::Norm},
    {"rms_norm", LayerKind::Norm},
    {"embedding", LayerKind::Embedding},
    {"embedding_byte", LayerKind::Embedding},
    {"embedding_4bit", LayerKind::Embedding},
    {"embedding_2bit", LayerKind::Embedding},
    {"argmax", LayerKind::Sampling},
    {"topk", LayerKind::Sampling},
    {"multinomial", LayerKind::Sampling},
};
/// In a layer, where no module says what they are for.
constexpr Operator kLayerOperators[] = {
    {"softmax", LayerKind::Attention}, {"_softmax", LayerKind::Attention}, {"_safe_softmax", LayerKind::Attention},
    {"bmm", LayerKind::Attention},     {"matmul", LayerKind::Attention},   {"silu", LayerKind::Mlp},
    {"gelu", LayerKind::Mlp},          {"relu", LayerKind::Mlp},           {"hardswish", LayerKind::Mlp},
    {"sigmoid", LayerKind::Mlp},
};
/// These say more than the module that calls them.
bool is_telling(LayerKind kind) { return kind == LayerKind::Cache || kind == LayerKind::Sampling; }

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    out.push_back(lower_case(path.substr(0, dot)));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return out;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

template <size_t N>
LayerKind kind_of_name(std::string_view name, const Word (&words)[N]) {
  for (const Word& word : words) {
    if (word.whole ? name == word.text : name.find(word.text) != std::string_view::npos) return word.kind;
  }
  return LayerKind::Other;
}

template <size_t N>
LayerKind kind_of_operator(std::string_view op, const Operator (&operators)[N]) {
  const std::string base = lower_case(operator_base(op));
  for (const Operator& known : operators) {
    if (base == known.base) return known.kind;
  }
  return LayerKind::Other;
}

}  // namespace

const char* layer_kind_name(LayerKind kind) {
  constexpr std::array<const char*, kLayerKinds> kNames = {
      "attention", "cache", "mlp", "norm", "embedding", "head", "sampling", "other", "framework", "unattributed"};
  return kNames[static_cast<size_t>(kind)];
}

LayerKind layer_kind(std::string_view module_path, std::string_view module_type, std::string_view op) {
  const LayerKind by_operator = kind_of_operator(op, kOperators);
  if (is_telling(by_operator)) return by_operator;
  const std::vector<std::string> segments = segments_of(module_path);
  const bool in_layer = std::any_of(segments.begin(), segments.end(), is_number);
  // The innermost module that has a telling name; the class speaks for the innermost alone.
  for (size_t i = segments.size(); i-- > 0;) {
    const LayerKind kind = kind_of_name(segments[i], kModuleWords);
    if (kind != LayerKind::Other) return kind;
    // The second half of BERT's MLP; an attention's output is inside the attention.
    if (segments[i] == "output" && i > 0 && is_number(segments[i - 1])) return LayerKind::Mlp;
    if (i + 1 != segments.size()) continue;
    const size_t dot = module_type.rfind('.');
    const LayerKind by_class =
        kind_of_name(lower_case(module_type.substr(dot == std::string_view::npos ? 0 : dot + 1)), kModuleWords);
    if (by_class != LayerKind::Other) return by_class;
  }
  if (!segments.empty()) {
    const LayerKind kind =
        in_layer ? kind_of_name(segments.back(), kLayerWords) : kind_of_name(segments.back(), kOuterWords);
    if (kind != LayerKind::Other) return kind;
  }
  return by_operator;
}

LayerKind layer_kind_of_operator(std::string_view op) { return kind_of_operator(op, kLayerOperators); }

int64_t layer_number(std::string_view module_path) {
  for (const std::string& segment : segments_of(module_path)) {
    int64_t number = 0;
    if (!is_number(segment)) continue;
    const auto [end, error] = std::from_chars(segment.data(), segment.data() + segment.size(), number);
    return error == std::errc() ? number : -1;
  }
  return -1;
}

std::string layer_stack(std::string_view module_path) {
  std::string out;
  for (const std::string& segment : segments_of(module_path)) {
    if (is_number(segment)) return out;
    out += (out.empty() ? "" : ".") + segment;
  }
  return {};
}

}  // namespace et::inspector
