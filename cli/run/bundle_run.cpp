#include "cli/run/bundle_run.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "bundled_program/bundle.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/format/mapped_file.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/host_tensor.h"
#include "runtime/module/log_capture.h"
#include "runtime/module/method_arenas.h"
#include "runtime/module/weights.h"

namespace et::cli {
namespace {

std::string why(Error error) {
  std::string text = take_errors();
  const std::string code = error_name(error);
  return text.empty() ? code : text + " (" + code + ")";
}

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", v);
  return text;
}

std::string describe(const bundled::Comparison& c, const Tensor& got, const bundled::TensorValue& want) {
  using bundled::Mismatch;
  const auto shape = [](auto sizes) {
    std::string s = "[";
    for (size_t i = 0; i < sizes.size(); ++i) s += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
    return s + "]";
  };
  switch (c.mismatch) {
    case Mismatch::Dtype:
      return std::string("dtype ") + scalar_type_name(got.scalar_type()) + ", expected " +
             scalar_type_name(want.scalar_type);
    case Mismatch::Shape:
      return "shape " + shape(got.sizes()) + ", expected " + shape(want.sizes);
    case Mismatch::DimOrder:
      return "dim order " + shape(got.dim_order()) + ", expected " + shape(want.dim_order);
    case Mismatch::Values:
      return std::to_string(c.outside) + " of " + std::to_string(c.elements) + " values out of tolerance, worst at " +
             std::to_string(c.worst_index) + ": got " + number(c.got) + ", expected " + number(c.want);
    default:
      return bundled::mismatch_name(c.mismatch);
  }
}

/// One method with its memory and the buffers of its inputs and outputs.
class Runner {
 public:
  Runner(const Program& program, std::string name) : program_(program), name_(std::move(name)) {}

  Error load(const NamedDataMap* weights, EventTracer* tracer) {
    Result<MethodMeta> meta = program_.method_meta(name_.c_str());
    if (!meta.ok()) return meta.error();
    for (uint32_t i = 0; i < meta->view().operator_count(); ++i) {
      const format::OperatorName op = meta->view().operator_name(i);
      operators_.emplace_back(op.name);
      if (!op.overload.empty()) operators_.back() += "." + std::string(op.overload);
    }
    Result<std::unique_ptr<MethodArenas>> arenas = MethodArenas::create(*meta);
    if (!arenas.ok()) return arenas.error();
    arenas_ = std::move(*arenas);
    Result<Method> method = program_.load_method(name_.c_str(), arenas_->manager(), tracer, weights);
    if (!method.ok()) return method.error();
    method_.emplace(std::move(*method));
    return output_memory();
  }

  void run(size_t index, const bundled::Case& test, const CheckOptions& options, Tolerances* tolerances,
           CaseResult* result) {
    result->reason = run_case(index, test, options, tolerances, result);
    result->passed = result->reason.empty();
  }

  const std::vector<std::string>& operators() const { return operators_; }
  const std::string& name() const { return name_; }

 private:
  // Outputs that the program leaves to the caller.
  Error output_memory() {
    for (size_t i = 0; i < method_->outputs_size(); ++i) {
      const EValue& v = method_->get_output(i);
      if (!v.isTensor() || v.toTensor().const_data_ptr() != nullptr || v.toTensor().nbytes() == 0) continue;
      bool is_input = false;
      for (size_t k = 0; k < method_->inputs_size(); ++k) is_input = is_input || &method_->get_input(k) == &v;
      if (is_input) continue;
      outputs_.push_back(std::make_unique<HostTensor>(v.toTensor().scalar_type(), v.toTensor().sizes()));
      // A value that is moved into place needs none; that is no error.
      static_cast<void>(method_->set_output_data_ptr(outputs_.back()->data(), outputs_.back()->size(), i));
      static_cast<void>(take_errors());
    }
    return Error::Ok;
  }

  std::string set_input(const bundled::Value& v, size_t i) {
    using bundled::ValueKind;
    switch (v.kind) {
      case ValueKind::Tensor: {
        auto own = std::make_unique<HostTensor>(v.tensor.scalar_type, v.tensor.sizes, v.tensor.dim_order);
        if (!v.tensor.data.empty()) std::memcpy(own->data(), v.tensor.data.data(), v.tensor.data.size());
        const EValue& target = method_->get_input(i);
        if (target.isTensor() && target.toTensor().dim() == own->tensor().dim()) {
          own = own->with_dim_order(target.toTensor().dim_order());
        }
        inputs_.push_back(std::move(own));
        const Error error = method_->set_input(inputs_.back()->tensor(), i);
        return error == Error::Ok ? "" : why(error);
      }
      case ValueKind::Int:
        return scalar(EValue(v.as_int), i);
      case ValueKind::Bool:
        return scalar(EValue(v.as_bool), i);
      case ValueKind::Double:
        return scalar(EValue(v.as_double), i);
      case ValueKind::None:
        break;
    }
    return "input " + std::to_string(i) + " is missing in the test case";
  }
  std::string scalar(const EValue& v, size_t i) {
    const Error error = method_->set_input(v, i);
    return error == Error::Ok ? "" : why(error);
  }

  std::string run_case(size_t index, const bundled::Case& test, const CheckOptions& options, Tolerances* tolerances,
                       CaseResult* result) {
    static_cast<void>(take_errors());
    if (test.input_count() != method_->inputs_size()) {
      return "the test case has " + std::to_string(test.input_count()) + " inputs, the method takes " +
             std::to_string(method_->inputs_size());
    }
    inputs_.clear();
    for (uint32_t i = 0; i < test.input_count(); ++i) {
      std::string problem = set_input(test.input(i), i);
      if (!problem.empty()) return problem;
    }
    if (options.tracer != nullptr) options.tracer->set_bundled_input_index(static_cast<int>(index));
    const Error error = method_->execute();
    if (error != Error::Ok) return why(error);
    if (test.expected_count() == 0) return "the test case has no expected outputs";
    if (test.expected_count() != method_->outputs_size()) {
      return "the test case expects " + std::to_string(test.expected_count()) + " outputs, the method has " +
             std::to_string(method_->outputs_size());
    }
    std::string reason;
    for (uint32_t i = 0; i < test.expected_count(); ++i) {
      const std::string problem = compare_output(i, test.expected(i), index, options, tolerances, result);
      if (!problem.empty()) reason += (reason.empty() ? "" : "; ") + ("output " + std::to_string(i) + ": " + problem);
    }
    return reason;
  }

  std::string compare_output(uint32_t i, const bundled::Value& want, size_t index, const CheckOptions& options,
                             Tolerances* tolerances, CaseResult* result) {
    using bundled::ValueKind;
    const EValue& got = method_->get_output(i);
    switch (want.kind) {
      case ValueKind::Tensor: {
        if (!got.isTensor()) return std::string(tag_name(got.tag)) + ", expected a tensor";
        std::optional<bundled::Tolerance> tolerance = options.tolerance;
        if (!tolerance) tolerance = tolerances->find(result->file, name_, index, i);
        const bundled::Comparison c = bundled::compare(
            got.toTensor(), want.tensor, tolerance ? *tolerance : bundled::default_tolerance(want.tensor.scalar_type));
        result->max_abs_error = std::max(result->max_abs_error, c.max_abs_error);
        return c.passed() ? "" : describe(c, got.toTensor(), want.tensor);
      }
      case ValueKind::Int:
        if (got.isInt() && got.toInt() == want.as_int) return "";
        return "expected the integer " + std::to_string(want.as_int);
      case ValueKind::Bool:
        if (got.isBool() && got.toBool() == want.as_bool) return "";
        return std::string("expected ") + (want.as_bool ? "true" : "false");
      case ValueKind::Double:
        if (got.isDouble() && (got.toDouble() == want.as_double)) return "";
        return "expected the number " + number(want.as_double);
      case ValueKind::None:
        break;
    }
    return "no expected value";
  }

  const Program& program_;
  std::string name_;
  std::vector<std::string> operators_;
  std::unique_ptr<MethodArenas> arenas_;
  std::optional<Method> method_;
  std::vector<std::unique_ptr<HostTensor>> inputs_, outputs_;
};

void failed(const std::string& path, const std::string& method, std::string reason, std::vector<CaseResult>* out) {
  CaseResult r;
  r.file = path;
  r.method = method;
  r.reason = std::move(reason);
  out->push_back(std::move(r));
}

/// The tensor files to use: those that the user named, else those beside the bundle, when the program asks for one.
Status open_weights(const std::string& path, const Program& program, const std::vector<std::string>& named,
                    Weights* out) {
  bool needed = !named.empty();
  for (uint32_t m = 0; m < program.num_methods() && !needed; ++m) {
    const format::Method method = program.view().method(m);
    for (uint32_t v = 0; v < method.value_count() && !needed; ++v) {
      needed = method.value(v).kind() == format::ValueKind::Tensor && method.value(v).as_tensor().is_external();
    }
    needed = needed || method.delegate_count() > 0;
  }
  if (!needed) return {};
  std::vector<std::string> files = named;
  if (files.empty()) {
    std::error_code ec;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, ec)) {
      if (entry.path().extension() == ".ptd") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
  }
  return out->open(files);
}

}  // namespace

void check_bundle(const std::string& path, const CheckOptions& options, Tolerances* tolerances,
                  std::vector<CaseResult>* out) {
  format::MappedFile file;
  if (const Status s = format::MappedFile::open(path, &file); !s.ok()) return failed(path, "", s.message(), out);
  bundled::Bundle bundle;
  if (const format::FileError e = bundled::Bundle::open(file.bytes(), &bundle); !e.ok()) {
    return failed(path, "", Status::of_file(path, e).message(), out);
  }
  static_cast<void>(take_errors());
  const BufferDataLoader loader(bundle.program().data(), bundle.program().size());
  Result<Program> program = Program::load(&loader);
  if (!program.ok()) return failed(path, "", why(program.error()), out);

  Weights weights;
  if (const Status status = open_weights(path, *program, options.data_files, &weights); !status.ok()) {
    return failed(path, "", status.message(), out);
  }
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<std::string> problems;
  for (uint32_t s = 0; s < bundle.suite_count(); ++s) {
    runners.push_back(std::make_unique<Runner>(*program, std::string(bundle.suite(s).method())));
    problems.emplace_back();
    if (!options.method.empty() && options.method != runners.back()->name()) continue;
    const Error error = runners.back()->load(weights.map(), options.tracer);
    if (error != Error::Ok) problems.back() = why(error);
  }
  for (uint32_t s = 0; s < bundle.suite_count(); ++s) {
    if (!options.method.empty() && options.method != runners[s]->name()) continue;
    for (uint32_t c = 0; c < bundle.suite(s).case_count(); ++c) {
      CaseResult r;
      r.file = path;
      r.method = runners[s]->name();
      r.test_case = c;
      r.operators = runners[s]->operators();
      r.reason = problems[s];
      if (problems[s].empty()) runners[s]->run(c, bundle.suite(s).test_case(c), options, tolerances, &r);
      out->push_back(std::move(r));
    }
  }
}

}  // namespace et::cli
