#include "inspector/match/xnnpack_kinds.h"

#include <algorithm>
#include <iterator>

#include "inspector/match/word_list.h"

namespace et::inspector {
namespace {

struct Kind {
  std::string_view node;       // payload node type
  std::string_view stems;      // event name stems, separated by |
  std::string_view operators;  // graph operators it is made from, separated by |
};
// Node types, event names and operators as seen with XNNPACK of ExecuTorch 0.7 to 1.5 (docs/xnnpack-events.md). A new
// name stays visible as unmatched until it has a row here.
constexpr Kind kKinds[] = {
    {"Abs", "Abs", "abs"},
    {"Add", "Add", "add"},
    {"ArgMaxPooling2d", "ArgMax Pooling|Argmax Pooling", "max_pool2d_with_indices|max_pool2d"},
    {"AvgPooling2d", "Average Pooling", "avg_pool2d|adaptive_avg_pool2d|_adaptive_avg_pool2d"},
    {"BatchMatrixMultiply", "Batch Matrix Multiply", "bmm|matmul|mm"},
    {"Ceiling", "Ceiling", "ceil"},
    {"Clamp", "Clamp", "clamp|hardtanh|relu|relu6"},
    {"Concatenate2", "Copy|Concatenate", "cat"},
    {"Concatenate3", "Copy|Concatenate", "cat"},
    {"Concatenate4", "Copy|Concatenate", "cat"},
    {"Concatenate5", "Copy|Concatenate", "cat"},
    {"Conv2d", "Convolution|Fully Connected", "convolution|conv2d|conv1d"},
    {"ConvTranspose2d", "Deconvolution", "convolution|conv_transpose2d|conv_transpose1d"},
    {"Convert", "Convert",
     "quantize_per_tensor|dequantize_per_tensor|quantize_per_channel|dequantize_per_channel|choose_qparams|choose_"
     "qparams_affine|"
     "quantize_affine|dequantize_affine|quantize_per_token|dequantize_per_token|to_copy|_to_copy|_to_dim_order_copy"},
    {"Copy", "Copy", "clone|_clone_dim_order|expand_copy|expand|copy"},
    {"Cos", "Cosine", "cos"},
    {"DepthwiseConv2d", "Convolution", "convolution|conv2d|conv1d"},
    {"Div", "Divide", "div"},
    {"ELU", "ELU", "elu"},
    {"Exp", "Exp", "exp"},
    {"Floor", "Floor", "floor"},
    {"FullyConnected", "Fully Connected", "linear|addmm|mm"},
    {"Gelu", "GELU", "gelu"},
    {"GlobalAvgPooling2d", "Mean|Global Average Pooling|Global Sum Pooling",
     "mean|adaptive_avg_pool2d|_adaptive_avg_pool2d"},
    {"Hardswish", "HardSwish", "hardswish"},
    {"LeakyReLU", "LeakyReLU|Leaky ReLU", "leaky_relu"},
    {"Log", "Log", "log"},
    {"MaxPooling2d", "Max Pooling", "max_pool2d|max_pool2d_with_indices"},
    {"Maximum", "Maximum", "maximum"},
    {"Minimum", "Minimum", "minimum"},
    {"Multiply", "Multiply|Square", "mul"},
    {"Negate", "Negate", "neg"},
    {"PReLU", "PReLU", "prelu|_prelu_kernel"},
    {"ReciprocalSquareRoot", "Reciprocal Square Root", "rsqrt"},
    {"ScaledDotProductAttention", "Scaled Dot", "scaled_dot_product_attention"},
    {"Sigmoid", "Sigmoid", "sigmoid"},
    {"Sin", "Sine", "sin"},
    {"Softmax", "Softmax", "_softmax|softmax"},
    {"Square", "Square", "pow|square|mul"},
    {"SquareRoot", "Square Root", "sqrt"},
    {"StaticConstantPad", "Constant Pad", "constant_pad_nd|pad"},
    {"StaticReshape", "Static Reshape",
     "view_copy|view|reshape|unsqueeze_copy|squeeze_copy|squeeze|unsqueeze|_unsafe_view"},
    {"StaticResizeBilinear2D", "Resize Bilinear", "upsample_bilinear2d|interpolate"},
    {"StaticSlice", "Slice|Static Slice",
     "slice_copy|slice|select_copy|select|split_copy|split_with_sizes_copy|narrow"},
    {"StaticTranspose", "Transpose", "permute_copy|permute|transpose_copy|transpose|t_copy|t"},
    {"Subtract", "Subtract", "sub"},
    {"Tanh", "TanH", "tanh"},
};

static_assert(std::is_sorted(std::begin(kKinds), std::end(kKinds),
                             [](const Kind& a, const Kind& b) { return a.node < b.node; }),
              "kind_of searches by node type");

// Names that stand for several node types. XNNPACK of ExecuTorch 0.5 and 0.6 (4ea82e59) calls all elementwise operators
// by their number of inputs; later it says which one.
struct Group {
  std::string_view stem;
  std::string_view nodes;
};
constexpr Group kGroups[] = {
    {kUnaryEvent,
     "Abs|Ceiling|Clamp|Convert|Cos|ELU|Exp|Floor|Gelu|Hardswish|LeakyReLU|Log|Negate|ReciprocalSquareRoot|Sigmoid|"
     "Sin|Square|SquareRoot|Tanh"},
    {kBinaryEvent, "Add|Div|Maximum|Minimum|Multiply|PReLU|Subtract"},
    {"Dynamic Fully Connected", "FullyConnected"},
};
// Likewise, but today's events of that name are of other nodes.
constexpr Group kOldGroups[] = {
    {"Copy", "StaticReshape"},
};

template <size_t N>
bool in_group(const Group (&groups)[N], std::string_view node_type, std::string_view stem) {
  return std::any_of(std::begin(groups), std::end(groups),
                     [&](const Group& g) { return g.stem == stem && in_word_list(g.nodes, node_type); });
}

const Kind* kind_of(std::string_view node_type) {
  const auto it = std::lower_bound(std::begin(kKinds), std::end(kKinds), node_type,
                                   [](const Kind& k, std::string_view t) { return k.node < t; });
  return it != std::end(kKinds) && it->node == node_type ? it : nullptr;
}

}  // namespace

std::string_view event_stem(std::string_view name) {
  name = name.substr(0, name.find_first_of("(#+"));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return name;
}

bool stem_fits_node(std::string_view node_type, std::string_view stem) {
  const Kind* kind = kind_of(node_type);
  return kind != nullptr && (in_word_list(kind->stems, stem) || in_group(kGroups, node_type, stem));
}

bool old_stem_fits_node(std::string_view node_type, std::string_view stem) {
  return stem_fits_node(node_type, stem) || in_group(kOldGroups, node_type, stem);
}

bool stem_fits_operator(std::string_view op, std::string_view stem) {
  // A table stands for the operators of its chain, not for the quantisation between them.
  if (stem == kTableEvent) {
    return !node_fits_operator("Convert", op) &&
           (stem_fits_operator(op, kUnaryEvent) || stem_fits_operator(op, kBinaryEvent));
  }
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& k) { return in_word_list(k.operators, op) && stem_fits_node(k.node, stem); });
}

bool node_fits_operator(std::string_view node_type, std::string_view op) {
  const Kind* kind = kind_of(node_type);
  return kind != nullptr && in_word_list(kind->operators, op);
}

bool node_stems_from(std::string_view node_type, std::string_view op) {
  if (node_fits_operator(node_type, op)) return true;
  // A batch norm that no convolution took in runs as a depthwise convolution of its own.
  return node_type == "DepthwiseConv2d" && is_batch_norm_operator(op);
}

Conversion conversion_of_event(std::string_view name) {
  if (event_stem(name) != "Convert") return Conversion::None;
  Conversion last = Conversion::None;  // of the dtype before: Dequantize starts from an integer
  const auto is_word = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && is_word(name[end])) ++end;
    const std::string_view word = name.substr(i, end - i);
    i = end + 1;
    const bool real = in_word_list("F32|F16|BF16", word);
    if (!real && !in_word_list("QS8|QU8|QC8|QD8|QDU8|QP8|QB4|QC4", word)) continue;
    if (last != Conversion::None) return (last == Conversion::Quantize) == real ? Conversion::None : last;
    last = real ? Conversion::Quantize : Conversion::Dequantize;
  }
  return Conversion::None;
}

bool goes_the_way(Conversion conversion, std::string_view op) {
  if (conversion == Conversion::None) return false;
  return op.starts_with(conversion == Conversion::Quantize ? "quantize" : "dequantize");
}

bool is_concatenation(std::string_view node_type) { return node_type.starts_with("Concatenate"); }

bool is_batch_norm_operator(std::string_view op) {
  return in_word_list("_native_batch_norm_legit_no_training|native_batch_norm|batch_norm", op);
}

bool is_composite_node(std::string_view node_type) {
  return in_word_list("StaticResizeBilinear2D|ScaledDotProductAttention|PReLU|Gelu|Hardswish|ELU", node_type);
}

bool is_layout_node(std::string_view node_type) {
  return in_word_list("StaticTranspose|StaticReshape|Copy|Convert|StaticConstantPad", node_type);
}

bool is_layout_operator(std::string_view op) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& k) { return is_layout_node(k.node) && in_word_list(k.operators, op); });
}

bool stem_fits_layout(std::string_view stem) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& k) { return is_layout_node(k.node) && in_word_list(k.stems, stem); });
}

bool is_clamp_operator(std::string_view op) { return node_fits_operator("Clamp", op); }

}  // namespace et::inspector
