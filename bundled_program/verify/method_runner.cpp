#include "bundled_program/verify/method_runner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "bundled_program/cases/input_value.h"
#include "bundled_program/cases/weights_beside.h"
#include "runtime/module/log_capture.h"
#include "runtime/module/output_memory.h"

namespace et::bundled {
namespace {

using Problem = MethodRunner::Problem;

Problem problem(Failure failure, Error error) {
  std::string text = take_errors();
  const std::string code = error_name(error);
  switch (error) {
    case Error::OperatorMissing:
      failure = Failure::MissingOperator;
      break;
    case Error::MemoryAllocationFailed:
    case Error::OutOfResources:
    case Error::DelegateMemoryAllocationFailed:
      failure = Failure::Memory;
      break;
    case Error::InvalidProgram:
      failure = Failure::Corrupt;
      break;
    default:
      break;
  }
  return {failure, text.empty() ? code : text + " (" + code + ")"};
}

std::string number(double v, int digits = 9) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, v);
  return text;
}

/// With the digits that tell the two apart.
std::string got_and_expected(double got, double want) {
  const int digits = number(got) == number(want) ? 17 : 9;
  return "got " + number(got, digits) + ", expected " + number(want, digits);
}

template <class List>
std::string list_text(const List& values) {
  std::string s = "[";
  for (size_t i = 0; i < values.size(); ++i) s += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return s + "]";
}

std::string count_text(const char* what, size_t has, const char* verb, size_t wants) {
  return std::string("the test case ") + verb + " " + std::to_string(has) + " " + what + ", the method has " +
         std::to_string(wants);
}

/// Values out of tolerance, or limits of the whole output that are not kept.
void judge(const OutputLimit& limit, OutputVerdict* out) {
  const Comparison& c = out->figures;
  const double share = c.elements > 0 ? static_cast<double>(c.outside) / static_cast<double>(c.elements) : 0;
  if (share > limit.max_outside) {
    out->failure = Failure::Values;
    out->reason = std::to_string(c.outside) + " of " + std::to_string(c.elements) +
                  " values out of tolerance, worst at " + list_text(out->place(c.worst_index)) + ": " +
                  got_and_expected(c.got, c.want);
  }
  const auto metric = [&](bool kept, const char* what, double value, double allowed, const char* unit) {
    if (kept) return;
    if (out->failure == Failure::None) out->failure = Failure::Metric;
    out->reason += (out->reason.empty() ? "" : ", ") + std::string(what) + " " + number(value) + unit + ", limit " +
                   number(allowed) + unit;
  };
  // NaN says that the metric does not apply: an expectation of zeros has no SNR.
  if (limit.max_abs_error) {
    metric(c.max_abs_error <= *limit.max_abs_error, "largest error", c.max_abs_error, *limit.max_abs_error, "");
  }
  const double snr = c.snr_db();
  if (limit.min_snr_db) metric(!(snr < *limit.min_snr_db), "SNR", snr, *limit.min_snr_db, " dB");
  const double cosine = c.cosine_similarity();
  if (limit.min_cosine) metric(!(cosine < *limit.min_cosine), "cosine similarity", cosine, *limit.min_cosine, "");
}

const char* kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::Tensor:
      return "Tensor";
    case ValueKind::Int:
      return "Int";
    case ValueKind::Bool:
      return "Bool";
    case ValueKind::Double:
      return "Double";
    case ValueKind::None:
      break;
  }
  return "None";
}

}  // namespace

void MethodRunner::list_operators() {
  const Result<MethodMeta> meta = program_.method_meta(name_.c_str());
  if (!meta.ok()) return;
  for (uint32_t i = 0; i < meta->view().operator_count(); ++i) {
    const format::OperatorName op = meta->view().operator_name(i);
    operators_.emplace_back(op.name);
    if (!op.overload.empty()) operators_.back() += "." + std::string(op.overload);
  }
  for (uint32_t i = 0; i < meta->view().delegate_count(); ++i) {
    const std::string id(meta->view().delegate(i).id());
    if (std::find(backends_.begin(), backends_.end(), id) == backends_.end()) backends_.push_back(id);
  }
}

Problem MethodRunner::load(const NamedDataMap* weights, EventTracer* tracer) {
  static_cast<void>(take_errors());
  Result<MethodMeta> meta = program_.method_meta(name_.c_str());
  if (!meta.ok()) return problem(Failure::Method, meta.error());
  Result<std::unique_ptr<MethodArenas>> arenas = MethodArenas::create(*meta);
  if (!arenas.ok()) return problem(Failure::Load, arenas.error());
  arenas_ = std::move(*arenas);
  Result<Method> method = program_.load_method(name_.c_str(), arenas_->manager(), tracer, weights);
  if (!method.ok()) {
    Problem p = problem(Failure::Load, method.error());
    const Error missing = program_.check_method(name_.c_str());
    static_cast<void>(take_errors());
    if (weights == nullptr && has_external_tensors(program_))
      p.reason += "; needs external weights: pass --data FILE.ptd";
    if (p.failure == Failure::Load && missing == Error::NotFound) p.failure = Failure::MissingBackend;
    return p;
  }
  method_.emplace(std::move(*method));
  give_output_memory(*method_, [&](const Tensor& t) {
    outputs_.push_back(std::make_unique<HostTensor>(t.scalar_type(), t.sizes()));
    return outputs_.back()->data();
  });
  return {};
}

Problem MethodRunner::set_input(const Value& v, size_t i) {
  if (v.kind == ValueKind::None) {
    return {Failure::Input, "input " + std::to_string(i) + " is missing in the test case"};
  }
  const Error error = method_->set_input(input_value(v, method_->get_input(i), &inputs_), i);
  return error == Error::Ok ? Problem() : problem(Failure::Input, error);
}

Problem MethodRunner::set_inputs(const LoadedCase& test) {
  static_cast<void>(take_errors());
  if (test.inputs.size() != method_->inputs_size()) {
    return {Failure::Count, count_text("inputs", test.inputs.size(), "has", method_->inputs_size())};
  }
  inputs_.clear();
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    if (Problem p = set_input(test.inputs[i], i); !p.ok()) return p;
  }
  return {};
}

Problem MethodRunner::execute() {
  const Error error = method_->execute();
  return error == Error::Ok ? Problem() : problem(Failure::Execution, error);
}

Problem MethodRunner::compare(const LoadedCase& test, const OutputLimits& limits,
                              std::vector<OutputVerdict>* out) const {
  if (test.expected.empty()) return {Failure::NoExpectation, "the test case has no expected outputs"};
  // Upstream's bundles, and ours, leave out the outputs that are None: no case can hold one.
  std::vector<uint32_t> outputs;
  for (uint32_t i = 0; i < method_->outputs_size(); ++i) {
    if (test.expected.size() == method_->outputs_size() || !method_->get_output(i).isNone()) outputs.push_back(i);
  }
  if (test.expected.size() != outputs.size()) {
    return {Failure::Count, count_text("outputs", test.expected.size(), "expects", outputs.size())};
  }
  Problem all;
  for (size_t at = 0; at < outputs.size(); ++at) {
    const uint32_t i = outputs[at];
    out->push_back(compare_output(i, test.expected[at], limits));
    const OutputVerdict& v = out->back();
    if (v.passed()) continue;
    if (all.ok()) all.failure = v.failure;
    all.reason += (all.reason.empty() ? "output " : "; output ") + std::to_string(i) + ": " + v.reason;
  }
  return all;
}

OutputVerdict MethodRunner::compare_output(uint32_t i, const Value& want, const OutputLimits& limits) const {
  OutputVerdict out;
  out.index = i;
  const EValue& got = method_->get_output(i);
  const auto fail = [&](Failure failure, std::string reason) {
    out.failure = failure;
    out.reason = std::move(reason);
    return out;
  };
  if (want.kind != ValueKind::Tensor) {
    out.dtype = kind_name(want.kind);
    const bool same = (want.kind == ValueKind::Int && got.isInt()) || (want.kind == ValueKind::Bool && got.isBool()) ||
                      (want.kind == ValueKind::Double && got.isDouble()) ||
                      (want.kind == ValueKind::None && got.isNone());
    if (!same) return fail(Failure::Dtype, std::string(tag_name(got.tag)) + ", expected " + out.dtype);
    const ScalarType type = want.kind == ValueKind::Double ? ScalarType::Double : ScalarType::Long;
    const OutputLimit limit = limits(i, type);
    out.tolerance = limit.tolerance;
    out.tolerance_from = limit.from;
    if (want.kind == ValueKind::None) return out;
    const double a = want.kind == ValueKind::Int    ? static_cast<double>(got.toInt())
                     : want.kind == ValueKind::Bool ? static_cast<double>(got.toBool())
                                                    : got.toDouble();
    const double b = want.kind == ValueKind::Int    ? static_cast<double>(want.as_int)
                     : want.kind == ValueKind::Bool ? static_cast<double>(want.as_bool)
                                                    : want.as_double;
    const bool equal = want.kind == ValueKind::Int ? got.toInt() == want.as_int : a == b;
    out.compared = true;
    out.figures = compare_numbers(a, b, equal, limit.tolerance);
    judge(limit, &out);
    return out;
  }
  out.dtype = scalar_type_name(want.tensor.scalar_type);
  out.shape.assign(want.tensor.sizes.begin(), want.tensor.sizes.end());
  if (!got.isTensor()) return fail(Failure::Dtype, std::string(tag_name(got.tag)) + ", expected a tensor");
  const Tensor tensor = got.toTensor();
  const OutputLimit limit = limits(i, want.tensor.scalar_type);
  out.tolerance = limit.tolerance;
  out.tolerance_from = limit.from;
  out.figures = bundled::compare(tensor, want.tensor, limit.tolerance);
  switch (out.figures.mismatch) {
    case Mismatch::Dtype:
      return fail(Failure::Dtype,
                  std::string("dtype ") + scalar_type_name(tensor.scalar_type()) + ", expected " + out.dtype);
    case Mismatch::Shape:
      return fail(Failure::Shape, "shape " + list_text(tensor.sizes()) + ", expected " + list_text(want.tensor.sizes));
    case Mismatch::DimOrder:
      return fail(Failure::DimOrder,
                  "dim order " + list_text(tensor.dim_order()) + ", expected " + list_text(want.tensor.dim_order));
    case Mismatch::NoData:
    case Mismatch::Unsupported:
      return fail(Failure::Values, mismatch_name(out.figures.mismatch));
    case Mismatch::None:
    case Mismatch::Values:
      break;
  }
  out.compared = true;
  judge(limit, &out);
  return out;
}

uint64_t MethodRunner::memory_bytes() const {
  if (!method_) return 0;
  uint64_t sum = arenas_->method_allocator()->high_water() + arenas_->temp_allocator()->high_water();
  const MethodMeta& meta = method_->method_meta();
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    sum += static_cast<uint64_t>(*meta.memory_planned_buffer_size(i));
  }
  return sum;
}

}  // namespace et::bundled
