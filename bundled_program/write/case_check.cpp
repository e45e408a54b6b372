#include "bundled_program/write/case_check.h"

#include <algorithm>
#include <cmath>

#include "bundled_program/cases/tensor_value.h"

namespace et::bundled {
namespace {

using format::ShapeDynamism;

const char* kind_text(ValueKind kind) {
  switch (kind) {
    case ValueKind::Tensor:
      return "a tensor";
    case ValueKind::Int:
      return "an int";
    case ValueKind::Bool:
      return "a bool";
    case ValueKind::Double:
      return "a float";
    case ValueKind::None:
      break;
  }
  return "no value";
}

// None: a kind that no case can hold.
ValueKind kind_of(format::ValueKind kind) {
  switch (kind) {
    case format::ValueKind::Tensor:
      return ValueKind::Tensor;
    case format::ValueKind::Int:
      return ValueKind::Int;
    case format::ValueKind::Bool:
      return ValueKind::Bool;
    case format::ValueKind::Double:
      return ValueKind::Double;
    default:
      return ValueKind::None;
  }
}

std::string number_text(double v) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", v);
  return text;
}

// Runtimes compare numbers with what the program stores, floats with this distance.
bool close_enough(double given, double stored) {
  if (std::isnan(given) || std::isnan(stored)) return std::isnan(given) && std::isnan(stored);
  return given == stored || std::fabs(given - stored) <= 1e-4 + 1e-5 * std::fabs(stored);
}

// As runtimes resize: a bound is one of the number of elements, whatever the single dimensions are.
bool shape_fits(std::span<const int32_t> sizes, const format::TensorView& t) {
  if (sizes.size() != t.sizes().size()) return false;
  if (t.shape_dynamism() == ShapeDynamism::Static) return std::equal(sizes.begin(), sizes.end(), t.sizes().begin());
  if (t.shape_dynamism() == ShapeDynamism::DynamicUnbound || t.numel() == format::kUnboundedBytes) return true;
  uint64_t elements = 1;
  for (int32_t n : sizes) elements *= static_cast<uint64_t>(n);  // tensor_problem() has checked the product
  return elements <= t.numel();
}

std::string tensor_problem(const TensorValue& given, const format::TensorView& t, const char* verb) {
  if (std::string why = bundled::tensor_problem(given); !why.empty()) return why;
  if (given.scalar_type == t.scalar_type() && shape_fits(given.sizes, t)) return {};
  std::string text = tensor_text(given.scalar_type, given.sizes) + ", the method " + verb + " " +
                     tensor_text(t.scalar_type(), t.sizes());
  if (t.shape_dynamism() == ShapeDynamism::DynamicBound) text += " at most";
  if (t.shape_dynamism() == ShapeDynamism::DynamicUnbound) text += " with any sizes";
  return text;
}

std::string scalar_problem(const Value& given, const format::Value& stored) {
  const std::string made_for = ", the program was exported for ";
  switch (given.kind) {
    case ValueKind::Int:
      if (given.as_int == stored.as_int()) return {};
      return std::to_string(given.as_int) + made_for + std::to_string(stored.as_int());
    case ValueKind::Bool:
      if (given.as_bool == stored.as_bool()) return {};
      return std::string(given.as_bool ? "true" : "false") + made_for + (stored.as_bool() ? "true" : "false");
    default:
      if (close_enough(given.as_double, stored.as_double())) return {};
      return number_text(given.as_double) + made_for + number_text(stored.as_double());
  }
}

std::string value_problem(const Value& given, const format::Value& own, bool input) {
  const char* verb = input ? "takes" : "gives";
  const ValueKind kind = kind_of(own.kind());
  if (kind == ValueKind::None) {
    return std::string("the method ") + verb + " " + format::value_kind_name(own.kind()) +
           " there, which test cases do not support";
  }
  if (given.kind != kind) return std::string(kind_text(given.kind)) + ", the method " + verb + " " + kind_text(kind);
  if (kind == ValueKind::Tensor) return tensor_problem(given.tensor, own.as_tensor(), verb);
  return input ? scalar_problem(given, own) : std::string();
}

std::string count_text(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

}  // namespace

Status check_case(const format::Method& method, const LoadedCase& test, const std::string& place) {
  const auto fail = [&](const std::string& what) { return Status(Error::InvalidArgument, place + ": " + what); };
  if (test.inputs.size() != method.inputs().size()) {
    return fail(count_text(test.inputs.size(), "input") + ", method " + std::string(method.name()) + " takes " +
                std::to_string(method.inputs().size()));
  }
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const format::Value own = method.value(static_cast<uint32_t>(method.inputs()[i]));
    const std::string why = value_problem(test.inputs[i], own, true);
    if (!why.empty()) return fail("input " + std::to_string(i) + ": " + why);
  }
  if (test.expected.empty()) return {};
  const std::vector<uint32_t> outputs = outputs_in_cases(method);
  if (test.expected.size() != outputs.size()) {
    return fail(count_text(test.expected.size(), "expected output") + ", method " + std::string(method.name()) +
                " gives " + std::to_string(outputs.size()) +
                (outputs.size() < method.outputs().size() ? " besides None" : ""));
  }
  for (size_t i = 0; i < test.expected.size(); ++i) {
    const format::Value own = method.value(static_cast<uint32_t>(method.outputs()[outputs[i]]));
    const std::string why = value_problem(test.expected[i], own, false);
    if (!why.empty()) return fail("expected output " + std::to_string(i) + ": " + why);
  }
  return {};
}

std::vector<uint32_t> outputs_in_cases(const format::Method& method) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < method.outputs().size(); ++i) {
    if (method.value(static_cast<uint32_t>(method.outputs()[i])).kind() != format::ValueKind::Null) out.push_back(i);
  }
  return out;
}

Status check_cases(const format::Program& program, const CaseSource& cases) {
  for (size_t s = 0; s < cases.suite_count(); ++s) {
    const format::Method method = program.method(cases.method(s));
    if (!method.valid()) {
      std::string name;
      const std::string place = cases.case_count(s) > 0 ? cases.place(s, 0) : "test cases";
      return choose_method(program, place, std::string(cases.method(s)), &name);
    }
    for (size_t c = 0; c < cases.case_count(s); ++c) {
      LoadedCase test;
      if (Status status = cases.load(s, c, &test); !status.ok()) return status;
      if (Status status = check_case(method, test, cases.place(s, c)); !status.ok()) return status;
    }
  }
  return {};
}

Status choose_method(const format::Program& program, const std::string& path, const std::string& name,
                     std::string* out) {
  *out = name.empty() ? "forward" : name;
  if (program.method(std::string_view(*out)).valid()) return {};
  if (name.empty() && program.method_count() == 1) {
    *out = program.method(uint32_t{0}).name();
    return {};
  }
  std::string names;
  for (uint32_t i = 0; i < program.method_count(); ++i) {
    names += (i > 0 ? ", " : "") + std::string(program.method(i).name());
  }
  return {Error::InvalidArgument, path + ": the program has no method '" + *out + "'; there are: " + names};
}

}  // namespace et::bundled
