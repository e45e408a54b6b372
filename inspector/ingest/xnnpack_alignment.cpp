#include "inspector/ingest/xnnpack_alignment.h"

#include <algorithm>

#include "inspector/ingest/text_fits.h"

namespace et::inspector {
namespace {

struct Kind {
  std::string_view node;       // payload node type
  std::string_view stems;      // event name stems, separated by |
  std::string_view operators;  // graph operators it is made from, separated by |
};
// Node types, event names and operators as seen with XNNPACK of ExecuTorch 1.5 (docs/xnnpack-events.md). A new name
// stays visible as unmatched until it has a row here.
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
    {"FullyConnected", "Fully Connected", "linear|addmm|mm|t|permute_copy"},
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

bool in_list(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t bar = list.find('|');
    if (list.substr(0, bar) == word) return true;
    if (bar == std::string_view::npos) return false;
    list.remove_prefix(bar + 1);
  }
  return false;
}

const Kind* kind_of(std::string_view node_type) {
  const auto it = std::lower_bound(std::begin(kKinds), std::end(kKinds), node_type,
                                   [](const Kind& k, std::string_view t) { return k.node < t; });
  return it != std::end(kKinds) && it->node == node_type ? it : nullptr;
}

// Arithmetic nodes whose output bounds XNNPACK runs as an operator behind them; the others apply theirs inside.
bool clamps_separately(const PayloadNode& node) {
  return node.clamped && in_list("Add|Subtract|Multiply|Div", node.type);
}

// Nodes that XNNPACK is known to fold into a neighbour.
bool is_fusible(const PayloadNode& node) {
  return in_list("Clamp|Convert|StaticConstantPad|Copy|StaticReshape", node.type);
}
bool folds_forward(const PayloadNode& node) { return in_list("Convert|StaticConstantPad", node.type); }

}  // namespace

std::string_view event_stem(std::string_view name) {
  name = name.substr(0, name.find_first_of("(#"));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return name;
}

bool stem_fits_node(std::string_view node_type, std::string_view stem) {
  const Kind* kind = kind_of(node_type);
  return kind != nullptr && in_list(kind->stems, stem);
}

bool stem_fits_operator(std::string_view op, std::string_view stem) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& k) { return in_list(k.operators, op) && in_list(k.stems, stem); });
}

bool node_fits_operator(std::string_view node_type, std::string_view op) {
  const Kind* kind = kind_of(node_type);
  return kind != nullptr && in_list(kind->operators, op);
}

bool is_clamp_operator(std::string_view op) { return node_fits_operator("Clamp", op); }

XnnpackMatch match_xnnpack(const DelegateFacts& delegate, const std::vector<std::string_view>& events) {
  XnnpackMatch match;
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    match.steps.push_back({static_cast<int32_t>(i), false});
    if (clamps_separately(delegate.nodes[i])) match.steps.push_back({static_cast<int32_t>(i), true});
  }
  std::vector<std::string_view> types, stems;
  for (const XnnpackMatch::Step& s : match.steps) {
    types.push_back(s.clamp ? std::string_view("Clamp") : delegate.nodes[static_cast<size_t>(s.node)].type);
  }
  for (const std::string_view e : events) stems.push_back(event_stem(e));
  TextFits fits(types, stems, stem_fits_node);
  match.alignment = align(match.steps.size(), events.size(), fits);

  // Fused nodes ride on the event of the neighbour they were folded into.
  match.host.assign(delegate.nodes.size(), -1);
  for (size_t s = 0; s < match.steps.size(); ++s) {
    const auto node = static_cast<size_t>(match.steps[s].node);
    if (!match.steps[s].clamp && match.alignment.of_a[s] >= 0) match.host[node] = static_cast<int32_t>(node);
  }
  std::map<int64_t, int32_t> maker;
  std::multimap<int64_t, int32_t> users;
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    for (const int64_t v : delegate.nodes[i].outputs) maker[v] = static_cast<int32_t>(i);
    for (const int64_t v : delegate.nodes[i].inputs) users.emplace(v, static_cast<int32_t>(i));
  }
  auto neighbour = [&](const PayloadNode& node, bool forward) -> int32_t {
    if (forward) {
      for (const int64_t v : node.outputs) {
        if (const auto it = users.find(v); it != users.end()) return it->second;
      }
    } else {
      for (const int64_t v : node.inputs) {
        if (const auto it = maker.find(v); it != maker.end()) return it->second;
      }
    }
    return -1;
  };
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    if (match.host[i] >= 0) continue;
    if (!is_fusible(delegate.nodes[i])) ++match.unexplained_nodes;
    int32_t at = static_cast<int32_t>(i);
    const bool forward = folds_forward(delegate.nodes[i]);
    for (int hops = 0; hops < 8 && at >= 0 && match.host[static_cast<size_t>(at)] != at; ++hops) {
      at = neighbour(delegate.nodes[static_cast<size_t>(at)], forward);
    }
    if (at < 0 || match.host[static_cast<size_t>(at)] != at) at = neighbour(delegate.nodes[i], !forward);
    if (at >= 0 && match.host[static_cast<size_t>(at)] == at) match.host[i] = at;
  }
  return match;
}

std::map<int32_t, std::vector<int32_t>> delegate_events(const Trace& trace, const Block& block) {
  std::map<int32_t, std::vector<int32_t>> out;
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::DelegateOp && op.key.chain >= 0) out[op.key.instruction].push_back(o);
  }
  return out;
}

std::vector<std::string_view> event_names(const Trace& trace, const std::vector<int32_t>& ops) {
  std::vector<std::string_view> names;
  for (const int32_t o : ops) names.push_back(trace.ops[static_cast<size_t>(o)].name);
  return names;
}

}  // namespace et::inspector
