// One method of a program with its memory and the buffers of its inputs and outputs: sets the inputs of a test case,
// runs it, compares the outputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundled_program/cases/case_source.h"
#include "bundled_program/verify/limits.h"
#include "bundled_program/verify/verdict.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/module/host_tensor.h"
#include "runtime/module/method_arenas.h"

namespace et::bundled {

class MethodRunner {
 public:
  /// `program` must outlive the runner.
  MethodRunner(const Program& program, std::string method) : program_(program), name_(std::move(method)) {
    list_operators();
  }

  /// What went wrong, for a verdict. Messages of the runtime are taken from the log (capture_errors()).
  struct Problem {
    Failure failure = Failure::None;
    std::string reason;
    bool ok() const { return failure == Failure::None; }
  };

  Problem load(const NamedDataMap* weights, EventTracer* tracer);
  /// Before each execution: a program may use the memory of its inputs for something else once it has read them.
  Problem set_inputs(const LoadedCase& test);
  Problem execute();
  /// The outputs of the last execution against what the case expects. Limits of the output `i` are `limits(i, dtype)`.
  Problem compare(const LoadedCase& test, const OutputLimits& limits, std::vector<OutputVerdict>* out) const;

  const std::string& name() const { return name_; }
  const std::vector<std::string>& operators() const { return operators_; }
  /// Of its delegates, each once. Like the operators known before it is loaded.
  const std::vector<std::string>& backends() const { return backends_; }
  Method& method() { return *method_; }
  /// Planned memory, and the peak use of method and temporary memory.
  uint64_t memory_bytes() const;

 private:
  void list_operators();
  Problem set_input(const Value& v, size_t i);
  OutputVerdict compare_output(uint32_t i, const Value& want, const OutputLimits& limits) const;

  const Program& program_;
  std::string name_;
  std::vector<std::string> operators_, backends_;
  std::unique_ptr<MethodArenas> arenas_;
  std::optional<Method> method_;
  std::vector<std::unique_ptr<HostTensor>> inputs_, outputs_;
};

}  // namespace et::bundled
