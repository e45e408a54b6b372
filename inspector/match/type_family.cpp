#include "inspector/match/type_family.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Without the overload "aten.mm" and "mm.out" look alike: these stand in front.
constexpr std::array<std::string_view, 12> kNamespaces = {
    "aten",     "prims",   "dim_order_ops", "quantized_decomposed", "quantized", "torchao", "llama", "et_vk",
    "cortex_m", "cadence", "tosa",          "executorch_prim"};

/// Words that a key has between other signs than letters and digits; the first family with one of them has it. A word
/// that ends with "*" is the beginning of one.
struct FamilyWords {
  TypeFamily family;
  std::initializer_list<std::string_view> words;
};

std::span<const FamilyWords> families() {
  static const std::array<FamilyWords, 11> all = {{
      {TypeFamily::Quantisation, {"quantize*", "dequantize*", "quantise*", "convert", "choose", "rescale", "qparams"}},
      {TypeFamily::Softmax, {"softmax", "logsoftmax", "sdpa", "attention"}},
      {TypeFamily::Matmul,
       {"addmm", "mm", "bmm", "baddbmm", "matmul", "matrix", "linear*", "connected", "gemm", "einsum", "dot", "mv",
        "addmv"}},
      {TypeFamily::Convolution, {"conv*", "deconv*", "depthwise*"}},
      {TypeFamily::Normalisation, {"norm", "layernorm", "batchnorm", "groupnorm", "rmsnorm", "normalize*"}},
      {TypeFamily::Reduction, {"mean", "sum",    "amax",   "amin",   "argmax",   "argmin",  "max",       "min",
                               "var",  "std",    "prod",   "cumsum", "any",      "all",     "topk",      "sort",
                               "pool", "pool1d", "pool2d", "pool3d", "pooling*", "reduce*", "upsample*", "resize*"}},
      {TypeFamily::Activation,
       {"relu", "relu6", "gelu", "silu", "sigmoid", "tanh", "hardtanh", "hardswish", "hardsigmoid", "elu", "selu",
        "leaky", "prelu", "softplus", "clamp", "mish", "glu", "swish"}},
      {TypeFamily::Lookup, {"embedding", "gather", "index", "scatter", "put", "nonzero"}},
      {TypeFamily::Creation,
       {"full", "arange", "zeros", "ones", "empty", "scalar", "rand", "randn", "eye", "linspace"}},
      {TypeFamily::Movement,
       {"copy",         "clone",      "permute", "transpose", "t",      "view",      "reshape",   "expand", "cat",
        "concatenate*", "stack",      "split",   "slice",     "select", "squeeze",   "unsqueeze", "pad",    "flip",
        "repeat",       "roll",       "tile",    "unbind",    "unfold", "to",        "alias",     "detach", "move",
        "chunk",        "contiguous", "pixel",   "narrow",    "concat", "broadcast", "even"}},
      {TypeFamily::Arithmetic,
       {"add",     "sub",     "mul",      "div",     "pow",      "sqrt",        "rsqrt",    "exp",    "log",
        "neg",     "abs",     "where",    "eq",      "ne",       "ge",          "gt",       "le",     "lt",
        "minimum", "maximum", "logical",  "bitwise", "sin",      "cos",         "erf",      "floor",  "ceil",
        "round",   "square",  "multiply", "divide",  "subtract", "reciprocal*", "squared*", "negate", "remainder",
        "fmod",    "sign",    "addition", "isnan",   "isinf"}},
  }};
  return all;
}

bool is_word_sign(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool has_word(const std::string& key, std::string_view word) {
  const bool begins = word.ends_with('*');
  if (begins) word.remove_suffix(1);
  for (size_t at = key.find(word); at != std::string::npos; at = key.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool starts = at == 0 || !is_word_sign(key[at - 1]);
    if (starts && (begins || end == key.size() || !is_word_sign(key[end]))) return true;
  }
  return false;
}

/// Without shapes and the numbers of a backend's events: "Convolution (NHWC, F32) IGEMM #3", "Softmax (F32) node 8".
std::string_view without_details(std::string_view name) {
  for (const std::string_view mark : {" (", " #", " node "}) name = name.substr(0, name.find(mark));
  return name;
}

}  // namespace

std::string short_type(std::string_view name) {
  name = without_details(name);
  if (name.find(' ') != std::string_view::npos) return std::string(name);
  constexpr std::string_view kKernel = "native_call_";
  if (name.starts_with(kKernel)) {
    name.remove_prefix(kKernel.size());
  } else if (const size_t colons = name.rfind("::"); colons != std::string_view::npos && name.back() != ':') {
    name.remove_prefix(colons + 2);
  } else if (const size_t dot = name.find('.'); dot != std::string_view::npos) {
    const bool known = std::find(kNamespaces.begin(), kNamespaces.end(), name.substr(0, dot)) != kNamespaces.end();
    if (known || name.find('.', dot + 1) != std::string_view::npos) name.remove_prefix(dot + 1);
  }
  // Letters that say nothing of the type: "_softmax", "native_layer_norm".
  for (const std::string_view before : {"_", "native_"}) {
    if (name.starts_with(before) && name.size() > before.size()) name.remove_prefix(before.size());
  }
  return std::string(name.substr(0, name.find('.')));
}

std::string type_key(std::string_view name) { return lower_case(short_type(name)); }

TypeFamily type_family(std::string_view name) {
  const std::string key = type_key(name);
  for (const FamilyWords& f : families()) {
    if (std::any_of(f.words.begin(), f.words.end(), [&](std::string_view word) { return has_word(key, word); }))
      return f.family;
  }
  return TypeFamily::Other;
}

}  // namespace et::inspector
