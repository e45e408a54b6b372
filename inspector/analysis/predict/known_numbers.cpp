#include "inspector/analysis/predict/known_numbers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace et::inspector {
namespace {

using Binary = double (*)(double, double);
struct BinaryRow {
  std::string_view name;
  Binary function;
};
double truth(bool holds) { return holds ? 1 : 0; }
double floor_mod(double a, double b) { return a - std::floor(a / b) * b; }
constexpr BinaryRow kBinary[] = {
    {"add.Scalar", [](double a, double b) { return a + b; }},
    {"sub.Scalar", [](double a, double b) { return a - b; }},
    {"mul.Scalar", [](double a, double b) { return a * b; }},
    {"truediv.Scalar", [](double a, double b) { return a / b; }},
    {"floordiv.Scalar", [](double a, double b) { return std::floor(a / b); }},
    {"floordiv.int", [](double a, double b) { return std::floor(a / b); }},
    {"mod.Scalar", floor_mod},
    {"mod.int", floor_mod},
    {"eq.Scalar", [](double a, double b) { return truth(a == b); }},
    {"gt.Scalar", [](double a, double b) { return truth(a > b); }},
    {"lt.Scalar", [](double a, double b) { return truth(a < b); }},
    {"ge.Scalar", [](double a, double b) { return truth(a >= b); }},
    {"le.Scalar", [](double a, double b) { return truth(a <= b); }},
    {"sym_max.Scalar", [](double a, double b) { return std::max(a, b); }},
    {"sym_min.Scalar", [](double a, double b) { return std::min(a, b); }},
};
using Unary = double (*)(double);
struct UnaryRow {
  std::string_view name;
  Unary function;
};
constexpr UnaryRow kUnary[] = {
    {"neg.Scalar", [](double a) { return -a; }},
    {"sym_float.Scalar", [](double a) { return a; }},
    {"sym_int.Scalar", [](double a) { return std::trunc(a); }},
    {"trunc.Scalar", [](double a) { return std::trunc(a); }},
    {"ceil.Scalar", [](double a) { return std::ceil(a); }},
    {"round.Scalar", [](double a) { return std::nearbyint(a); }},
    {"sym_not.Scalar", [](double a) { return truth(a == 0); }},
};

}  // namespace

KnownNumbers::KnownNumbers(const format::Method& method) : method_(&method) {
  for (const int32_t i : method.inputs()) given_.insert(i);
}

std::optional<double> KnownNumbers::number(int32_t value) const {
  if (const auto it = changed_.find(value); it != changed_.end()) return it->second;
  if (value < 0 || given_.contains(value)) return std::nullopt;
  const format::Value v = method_->value(static_cast<uint32_t>(value));
  switch (v.kind()) {
    case format::ValueKind::Int:
      return static_cast<double>(v.as_int());
    case format::ValueKind::Bool:
      return truth(v.as_bool());
    case format::ValueKind::Double:
      return v.as_double();
    default:
      return std::nullopt;
  }
}

std::optional<bool> KnownNumbers::condition(int32_t value) const {
  const std::optional<double> n = number(value);
  return n ? std::optional(*n != 0) : std::nullopt;
}

void KnownNumbers::apply_kernel(const format::Instruction& in) {
  const std::span<const int32_t> args = in.args();
  if (args.size() < 2) return;
  const format::OperatorName op = method_->operator_name(static_cast<uint32_t>(in.op_index()));
  const std::string name = std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
  if (name == "executorch_prim::et_copy_index.tensor") return;  // its last argument is an index that it reads
  const int32_t result = args.back();
  std::optional<double> made;
  constexpr std::string_view kPrim = "executorch_prim::";
  if (name == "aten::sym_size.int") {
    const format::TensorView t = method_->value(static_cast<uint32_t>(args[0])).as_tensor();
    const std::optional<double> dim = number(args[1]);
    if (t.valid() && dim && t.shape_dynamism() == format::ShapeDynamism::Static) {
      const auto rank = static_cast<double>(t.sizes().size());
      const double d = *dim < 0 ? *dim + rank : *dim;
      if (d >= 0 && d < rank) made = t.sizes()[static_cast<size_t>(d)];
    }
  } else if (name.starts_with(kPrim)) {
    const std::string_view what = std::string_view(name).substr(kPrim.size());
    const std::optional<double> a = number(args[0]), b = number(args[1]);
    for (const BinaryRow& row : kBinary) {
      if (row.name == what && args.size() == 3 && a && b) made = row.function(*a, *b);
    }
    for (const UnaryRow& row : kUnary) {
      if (row.name == what && args.size() == 2 && a) made = row.function(*a);
    }
  }
  const format::ValueKind kind = method_->value(static_cast<uint32_t>(result)).kind();
  if (kind == format::ValueKind::Tensor || kind == format::ValueKind::TensorList) return;
  changed_[result] = made && std::isfinite(*made) ? made : std::nullopt;
}

void KnownNumbers::apply(const format::Instruction& in) {
  switch (in.kind()) {
    case format::InstructionKind::KernelCall:
      return apply_kernel(in);
    case format::InstructionKind::MoveCall:
      changed_[in.move_to()] = number(in.move_from());
      return;
    default:
      return;
  }
}

void KnownNumbers::keep_common(const KnownNumbers& other) {
  for (auto& [value, n] : changed_) {
    if (n != other.number(value)) n.reset();
  }
  for (const auto& [value, n] : other.changed_) {
    if (number(value) != n) changed_[value].reset();
  }
}

}  // namespace et::inspector
