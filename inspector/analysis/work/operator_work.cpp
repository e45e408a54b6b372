#include "inspector/analysis/work/operator_work.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "base/read_double.h"

namespace et::inspector {
namespace {

enum class WorkRule : uint8_t {
  Product,
  Conv,
  Attention,
  Outputs,
  Inputs,
  Window,
  Power,
  Moves,  // from here on no arithmetic
  Views,
  Picks,
  Fills
};
struct WorkFormula {
  WorkRule rule;
  double factor;
};

// "aten.sub.Tensor" -> "sub", "linear.default" -> "linear", "aten.add_.Tensor" -> "add".
std::string_view plain_name(std::string_view op) {
  if (const size_t overload = op.rfind('.'); overload != std::string_view::npos) op = op.substr(0, overload);
  if (const size_t space = op.rfind('.'); space != std::string_view::npos) op = op.substr(space + 1);
  if (op.size() > 1 && op.ends_with('_')) op.remove_suffix(1);
  return op;
}

const WorkFormula* formula_of(std::string_view op) {
  static const std::unordered_map<std::string_view, WorkFormula> kFormulas = {
#define ET_WORK(name, rule, factor) {#name, {WorkRule::rule, factor}},
#include "inspector/analysis/work/operator_work.def"
#undef ET_WORK
  };
  const auto at = kFormulas.find(plain_name(op));
  return at == kFormulas.end() ? nullptr : &at->second;
}

const Shape* input_named(const OperatorCall& call, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const OperatorCall::Input& in : call.inputs) {
      if (in.name == name) return &in.shape;
    }
  }
  return nullptr;
}

std::string_view argument_text(const OperatorCall& call, std::string_view name) {
  for (const GraphArgument& a : call.arguments) {
    if (a.name == name) return a.text;
  }
  return {};
}

std::optional<double> product_flops(const OperatorCall& call) {
  const Shape* const left = input_named(call, {"mat1", "batch1", "input", "self"});
  if (left == nullptr || left->empty()) return std::nullopt;
  return 2 * elements_of(call.outputs[0]) * static_cast<double>(left->back());
}

std::optional<double> conv_flops(const OperatorCall& call) {
  const Shape *const in = input_named(call, {"input", "self"}), *const weight = input_named(call, {"weight"});
  if (in == nullptr || weight == nullptr || weight->empty() || weight->front() <= 0) return std::nullopt;
  const bool transposed =
      argument_text(call, "transposed") == "True" || plain_name(call.op).starts_with("conv_transpose");
  const double places = elements_of(transposed ? *in : call.outputs[0]);
  return 2 * places * elements_of(*weight) / static_cast<double>(weight->front());
}

std::optional<double> attention_flops(const OperatorCall& call) {
  const Shape *const q = input_named(call, {"query"}), *const k = input_named(call, {"key"}),
                     *const v = input_named(call, {"value"});
  if (q == nullptr || k == nullptr || v == nullptr || q->size() < 2 || k->size() < 2 || v->size() < 2)
    return std::nullopt;
  const auto keys = static_cast<double>((*k)[k->size() - 2]);
  const double rows = elements_of(*q) / static_cast<double>(std::max<int64_t>(q->back(), 1));
  return 2 * rows * keys * static_cast<double>(q->back() + v->back());
}

/// A window that reaches beyond its input reads no more than that: exporters write a global pooling with the number of
/// channels as its size.
std::optional<double> window_flops(const OperatorCall& call) {
  const std::optional<Shape> kernel = parse_shape(argument_text(call, "kernel_size"));
  const Shape* const in = input_named(call, {"input", "self"});
  if (!kernel || kernel->empty() || in == nullptr) return std::nullopt;
  const size_t dims = plain_name(call.op).find("2d") != std::string_view::npos ? 2 : kernel->size();
  if (in->size() < dims) return std::nullopt;
  double window = 1;
  for (size_t d = 0; d < dims; ++d) {
    // One number stands for all dimensions.
    const int64_t size = (*kernel)[std::min(d, kernel->size() - 1)];
    window *= static_cast<double>(std::min(size, (*in)[in->size() - dims + d]));
  }
  return elements_of(call.outputs[0]) * window;
}

/// x² is a product, and only an exponent that is none takes a logarithm and an exponential.
double power_flops(const OperatorCall& call) {
  constexpr double kFunction = 8, kRoot = 4, kMostProducts = 4;
  const std::string_view text = argument_text(call, "exponent");
  double exponent = 0;
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), &exponent);
  double each = 2 * kFunction + 1;
  if (error == std::errc() && end == text.data() + text.size()) {
    if (std::abs(exponent) == 0.5) each = kRoot;
    if (exponent == std::floor(exponent) && exponent >= 1 && exponent <= kMostProducts) each = exponent - 1;
  }
  return each * elements_of(call.outputs[0]);
}

}  // namespace

std::optional<Shape> parse_shape(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  Shape out;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(text[0] == ' ' ? 1 : 0, comma - (text[0] == ' ' ? 1 : 0));
    int64_t n = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc() || end != word.data() + word.size() || n < 0) return std::nullopt;
    out.push_back(n);
    text = text.substr(std::min(comma + 1, text.size()));
  }
  return out;
}

double elements_of(const Shape& shape) {
  double n = 1;
  for (const int64_t d : shape) n *= static_cast<double>(d);
  return n;
}

bool has_work_formula(std::string_view op) { return formula_of(op) != nullptr; }

bool reads_what_it_writes(std::string_view op) {
  const WorkFormula* const f = formula_of(op);
  return f != nullptr && f->rule == WorkRule::Picks;
}

bool reads_no_input(std::string_view op) {
  const WorkFormula* const f = formula_of(op);
  return f != nullptr && f->rule == WorkRule::Fills;
}

bool may_leave_data(std::string_view op) {
  const WorkFormula* const f = formula_of(op);
  return f != nullptr && f->rule == WorkRule::Views;
}

bool multiplies(std::string_view op) {
  const WorkFormula* const f = formula_of(op);
  return f != nullptr && (f->rule == WorkRule::Product || f->rule == WorkRule::Conv || f->rule == WorkRule::Attention);
}

std::optional<double> flops_of(const OperatorCall& call) {
  const WorkFormula* const f = formula_of(call.op);
  if (f == nullptr) return std::nullopt;
  if (f->rule >= WorkRule::Moves) return 0;
  if (call.outputs.empty() || (f->rule == WorkRule::Inputs && call.inputs.empty())) return std::nullopt;
  switch (f->rule) {
    case WorkRule::Product:
      return product_flops(call);
    case WorkRule::Conv:
      return conv_flops(call);
    case WorkRule::Attention:
      return attention_flops(call);
    case WorkRule::Outputs:
      return f->factor * elements_of(call.outputs[0]);
    case WorkRule::Inputs:
      return f->factor * elements_of(call.inputs[0].shape);
    case WorkRule::Window:
      return window_flops(call);
    case WorkRule::Power:
      return power_flops(call);
    default:
      return 0;
  }
}

double spared_flops_of(const OperatorCall& call) {
  const WorkFormula* const f = formula_of(call.op);
  if (f == nullptr || f->rule != WorkRule::Conv || argument_text(call, "transposed") == "True" ||
      plain_name(call.op).starts_with("conv_transpose")) {
    return 0;
  }
  const Shape *const in = input_named(call, {"input", "self"}), *const weight = input_named(call, {"weight"});
  if (in == nullptr || weight == nullptr || weight->size() != 4 || in->size() != 4 || (*weight)[2] != 3 ||
      (*weight)[3] != 3 || (*weight)[1] != (*in)[1]) {
    return 0;
  }
  for (const std::string_view name : {"stride", "dilation"}) {
    // Left out, it is one.
    for (const int64_t step : parse_shape(argument_text(call, name)).value_or(Shape{})) {
      if (step != 1) return 0;
    }
  }
  return flops_of(call).value_or(0) * 5 / 9;
}

}  // namespace et::inspector
