// Activations that programs leave whole to their backends, element by element in float64.
#include <cmath>

#include "bundled_program/reference/elements.h"
#include "bundled_program/reference/kernel_call.h"

namespace et::reference {
namespace {

constexpr size_t kMaxParameters = 3;
struct Parameter {
  std::string_view name;
  double value = 0;
};
struct Activation {
  std::string_view op;
  Parameter parameters[kMaxParameters];
  double (*f)(double x, const double* p);
};

double clamped(double x, double min, double max) { return x < min ? min : x > max ? max : x; }
double softplus(double x, double beta, double threshold) {
  return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
}
double elu(double x, double alpha, double scale) { return scale * (x > 0 ? x : alpha * std::expm1(x)); }

// torch's selu.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

constexpr Activation kActivations[] = {
    {"aten.hardswish.default", {}, [](double x, const double*) { return x * clamped(x + 3, 0, 6) / 6; }},
    {"aten.hardsigmoid.default", {}, [](double x, const double*) { return clamped(x + 3, 0, 6) / 6; }},
    {"aten.silu.default", {}, [](double x, const double*) { return x / (1 + std::exp(-x)); }},
    {"aten.mish.default", {}, [](double x, const double*) { return x * std::tanh(softplus(x, 1, 20)); }},
    {"aten.softplus.default",
     {{"beta", 1}, {"threshold", 20}},
     [](double x, const double* p) { return softplus(x, p[0], p[1]); }},
    {"aten.celu.default",
     {{"alpha", 1}},
     [](double x, const double* p) { return x > 0 ? x : p[0] * std::expm1(x / p[0]); }},
    {"aten.selu.default", {}, [](double x, const double*) { return elu(x, kSeluAlpha, kSeluScale); }},
    {"aten.relu6.default", {}, [](double x, const double*) { return clamped(x, 0, 6); }},
    {"aten.log_sigmoid.default", {}, [](double x, const double*) { return -softplus(-x, 1, 40); }},
    {"aten.square.default", {}, [](double x, const double*) { return x * x; }},
    {"aten.threshold.default",
     {{"threshold"}, {"value"}},
     [](double x, const double* p) { return x <= p[0] ? p[1] : x; }},
    {"aten.hardshrink.default",
     {{"lambd", 0.5}},
     [](double x, const double* p) { return x >= -p[0] && x <= p[0] ? 0 : x; }},
    {"aten.softshrink.default",
     {{"lambd", 0.5}},
     [](double x, const double* p) { return x > p[0]    ? x - p[0]
                                            : x < -p[0] ? x + p[0]
                                                        : x * 0; }},
};

const Activation* activation_of(const etrecord::Node& node) {
  for (const Activation& a : kActivations) {
    if (a.op == node.qualified_op) return &a;
  }
  return nullptr;
}

Status activate(NativeCall& call) {
  const Activation& of = *activation_of(call.node);
  double p[kMaxParameters] = {};
  for (size_t i = 0; i < kMaxParameters && !of.parameters[i].name.empty(); ++i) {
    std::vector<GraphValue> v;
    if (Status s = call.argument(of.parameters[i].name, i + 1, &v); !s.ok()) return s;
    p[i] = v.size() == 1 && v[0].is_number() ? v[0].as_double() : of.parameters[i].value;
  }
  std::vector<double> values;
  if (Status s = call.numbers("self", 0, &values); !s.ok()) return s;
  for (double& v : values) v = of.f(v, p);
  return call.give(values);
}

}  // namespace

Status prelu(NativeCall& call) {
  TensorHandle input;
  std::vector<double> values, slopes;
  if (Status s = call.tensor("self", 0, &input); !s.ok()) return s;
  if (Status s = call.numbers("self", 0, &values); !s.ok()) return s;
  if (Status s = call.numbers("weight", 1, &slopes); !s.ok()) return s;
  const auto sizes = input->tensor().sizes();
  const size_t channels = sizes.size() < 2 ? 1 : static_cast<size_t>(sizes[1]);
  if (slopes.size() != 1 && slopes.size() != channels) {
    return {Error::InvalidProgram, "weight has not one element for each channel"};
  }
  size_t inner = 1;
  for (size_t d = 2; d < sizes.size(); ++d) inner *= static_cast<size_t>(sizes[d]);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= 0) values[i] *= slopes[slopes.size() == 1 ? 0 : i / inner % channels];
  }
  return call.give(values);
}

NativeOperator find_activation(const etrecord::Node& node) {
  return activation_of(node) != nullptr ? activate : nullptr;
}

}  // namespace et::reference
