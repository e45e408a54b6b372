#include "inspector/match/tosa_sequences.h"

namespace et::inspector {
namespace {

constexpr std::string_view kConvolutions = "CONV2D|DEPTHWISE_CONV2D|CONV3D|TRANSPOSE_CONV2D";

// Scalings, casts and padding between them are not listed: they go with what they stand next to.
constexpr TosaSequence kSequences[] = {
    {"convolution", {kConvolutions}},
    {"linear", {"RESHAPE", "CONV2D|MATMUL", "RESHAPE"}},
    {"addmm", {"RESHAPE", "CONV2D|MATMUL", "RESHAPE"}},
    {"mm", {"RESHAPE", "MATMUL|CONV2D", "RESHAPE"}},
    {"bmm", {"MATMUL"}},
    {"matmul", {"RESHAPE", "MATMUL", "RESHAPE"}},
    {"add", {"ADD"}},
    {"sub", {"SUB"}},
    {"rsub", {"SUB"}},
    {"mul", {"MUL"}},
    {"div", {"RECIPROCAL|INTDIV", "MUL"}, {"TABLE|INTDIV", "MUL"}},
    {"maximum", {"MAXIMUM"}},
    {"minimum", {"MINIMUM"}},
    {"relu", {"CLAMP"}},
    {"hardtanh", {"CLAMP"}},
    {"clamp", {"CLAMP|MINIMUM|MAXIMUM"}},
    {"sigmoid", {"SIGMOID"}, {"TABLE"}},
    {"tanh", {"TANH"}, {"TABLE"}},
    {"exp", {"EXP"}, {"TABLE"}},
    {"log", {"LOG"}, {"TABLE"}},
    {"rsqrt", {"RSQRT"}, {"TABLE"}},
    {"sqrt", {"POW"}, {"TABLE"}},
    {"reciprocal", {"RECIPROCAL"}, {"TABLE"}},
    {"erf", {"ERF"}, {"TABLE"}},
    {"sin", {"SIN"}, {"TABLE"}},
    {"cos", {"COS"}, {"TABLE"}},
    {"pow", {"POW|MUL"}, {"TABLE|MUL"}},
    {"abs", {"ABS"}},
    {"neg", {"NEGATE"}},
    {"ceil", {"CEIL"}, {"TABLE"}},
    {"floor", {"FLOOR"}, {"TABLE"}},
    {"gelu", {"MUL", "ERF", "ADD", "MUL", "MUL"}, {"TABLE"}},
    {"silu", {"SIGMOID", "MUL"}, {"TABLE"}},
    {"hardsigmoid", {"ADD", "CLAMP", "MUL"}, {"TABLE"}},
    {"hardswish", {"ADD", "CLAMP", "MUL", "MUL"}, {"TABLE"}},
    {"leaky_relu", {"CLAMP", "CLAMP", "MUL", "ADD"}, {"TABLE"}},
    {"elu", {"EXP", "SUB", "MUL", "GREATER_EQUAL", "SELECT"}, {"TABLE"}},
    {"softmax", {"REDUCE_MAX", "SUB", "EXP", "REDUCE_SUM", "RECIPROCAL", "MUL"}},
    {"log_softmax", {"REDUCE_MAX", "SUB", "EXP", "REDUCE_SUM", "RECIPROCAL", "MUL", "LOG"}},
    {"native_layer_norm", {"REDUCE_SUM", "MUL", "SUB", "MUL", "REDUCE_SUM", "MUL", "ADD", "RSQRT", "MUL|SUB", "MUL"}},
    {"native_group_norm", {"REDUCE_SUM", "MUL", "SUB", "MUL", "REDUCE_SUM", "MUL", "ADD", "RSQRT", "MUL|SUB", "MUL"}},
    {"native_batch_norm_legit_no_training", {"SUB", "ADD", "RSQRT", "MUL", "MUL", "ADD"}},
    {"mean", {"REDUCE_SUM|AVG_POOL2D", "REDUCE_SUM", "MUL"}},
    {"var", {"REDUCE_SUM", "REDUCE_SUM", "MUL", "SUB", "MUL", "REDUCE_SUM", "REDUCE_SUM", "MUL"}},
    {"sum", {"REDUCE_SUM", "REDUCE_SUM"}},
    {"amax", {"REDUCE_MAX", "REDUCE_MAX"}},
    {"amin", {"REDUCE_MIN", "REDUCE_MIN"}},
    {"any", {"REDUCE_ANY"}},
    {"all", {"REDUCE_ALL"}},
    {"prod", {"REDUCE_PRODUCT"}},
    {"argmax", {"ARGMAX"}},
    {"avg_pool2d", {"AVG_POOL2D"}},
    {"adaptive_avg_pool2d", {"AVG_POOL2D"}},
    {"max_pool2d", {"MAX_POOL2D"}},
    {"max_pool2d_with_indices", {"MAX_POOL2D"}},
    {"upsample_nearest2d", {"RESIZE"}},
    {"upsample_bilinear2d", {"RESIZE"}},
    {"cat", {"CONCAT"}},
    {"stack", {"CONCAT"}},
    {"permute", {"TRANSPOSE"}},
    {"transpose", {"TRANSPOSE"}},
    {"t", {"TRANSPOSE"}},
    {"view", {"RESHAPE"}},
    {"reshape", {"RESHAPE"}},
    {"unsqueeze", {"RESHAPE"}},
    {"squeeze", {"RESHAPE"}},
    {"expand", {"TILE"}},
    {"repeat", {"TILE"}},
    {"slice", {"SLICE"}},
    {"select", {"SLICE", "RESHAPE"}},
    {"constant_pad_nd", {"PAD"}},
    {"pad", {"PAD"}},
    {"flip", {"REVERSE"}},
    {"index", {"GATHER"}},
    {"index_select", {"GATHER"}},
    {"embedding", {"GATHER"}},
    {"gather", {"GATHER"}},
    {"where", {"SELECT"}},
    {"eq", {"EQUAL"}},
    {"ne", {"EQUAL", "LOGICAL_NOT"}},
    {"gt", {"GREATER"}},
    {"lt", {"GREATER"}},
    {"ge", {"GREATER_EQUAL"}},
    {"le", {"GREATER_EQUAL"}},
    {"logical_and", {"LOGICAL_AND"}},
    {"logical_or", {"LOGICAL_OR"}},
    {"logical_xor", {"LOGICAL_XOR"}},
    {"logical_not", {"LOGICAL_NOT"}},
    {"bitwise_and", {"BITWISE_AND"}},
    {"bitwise_or", {"BITWISE_OR"}},
    {"bitwise_xor", {"BITWISE_XOR"}},
    {"bitwise_not", {"BITWISE_NOT"}},
    {"cond", {"COND_IF"}},
    {"while_loop", {"WHILE_LOOP"}},
};

}  // namespace

const TosaSequence* tosa_sequence(std::string_view base) {
  if (base.ends_with("_copy")) base.remove_suffix(5);
  while (base.starts_with('_')) base.remove_prefix(1);
  for (const TosaSequence& s : kSequences) {
    if (s.operator_base == base) return &s;
  }
  return nullptr;
}

bool tosa_step_has(std::string_view step, std::string_view type) {
  while (!step.empty()) {
    const size_t end = step.find('|');
    if (step.substr(0, end) == type) return true;
    if (end == std::string_view::npos) break;
    step.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace et::inspector
