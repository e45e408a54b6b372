// The arithmetic of an operator's call, from shapes: multiplications and additions count as one each, so a product of
// [m, k] and [k, n] has 2·m·n·k, as torch.utils.flop_counter counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {

using Shape = std::vector<int64_t>;
/// "[1, 24, 128]"; nullopt for a shape with a symbol, "[]" is a scalar.
std::optional<Shape> parse_shape(std::string_view text);
double elements_of(const Shape& shape);

/// An operator with the shapes that it was called with.
struct OperatorCall {
  std::string_view op;  ///< "aten.linear.default", with or without namespace
  struct Input {
    std::string_view name;  ///< of the argument: "self", "weight"
    Shape shape;
  };
  std::vector<Input> inputs;  ///< tensors among the arguments, in order
  std::span<const Shape> outputs;
  std::span<const GraphArgument> arguments;  ///< all, as texts
};

/// Is there a formula for the operator? A name such as "aten.sub.Tensor" is read as "sub".
bool has_work_formula(std::string_view op);
/// Its work are products of matrices: what reaches a machine's peak.
bool multiplies(std::string_view op);
/// The operator reads no more of its first input than it writes: a slice, an embedding.
bool reads_what_it_writes(std::string_view op);
/// Of its input the operator takes the shape and no element: full_like.
bool reads_no_input(std::string_view op);
/// The operator changes how elements are looked at, or copies them one by one: a runtime may leave them where they are.
bool may_leave_data(std::string_view op);
/// nullopt without a formula, or where an input that it needs is missing.
std::optional<double> flops_of(const OperatorCall& call);

/// Of flops_of(call), what F(2x2, 3x3) of Winograd's minimal filtering does without: five ninths of a 3x3 convolution
/// with steps and dilations of one and one group. 0 of anything else. A runtime may compute such a convolution either
/// way.
double spared_flops_of(const OperatorCall& call);

}  // namespace et::inspector
