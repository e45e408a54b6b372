// Executions of a method as the tracer sees them, without running anything: blocks, events, values and notes in the
// order of the runtime, with times that mean nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "etdump/data_sink.h"
#include "etdump/etdump_gen.h"
#include "inspector/analysis/predict/delegate_events.h"
#include "inspector/analysis/predict/predict.h"

namespace et::inspector {

/// What a rehearsal came to.
struct Rehearsed {
  uint64_t dump = 0;     ///< bytes
  uint64_t values = 0;   ///< bytes of the debug buffer
  uint64_t records = 0;  ///< bytes of the tracer's memory, about
};

class Rehearsal {
 public:
  Rehearsal(const format::Method& method, const PredictOptions& options);
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  const std::vector<DelegateForecast>& delegates() const { return delegates_; }
  /// About what a visit of an instruction costs, in bytes.
  uint64_t weight(const format::Instruction& in) const;
  bool dynamic() const { return dynamic_; }
  bool logs() const { return options_.values != LoggedValues::None; }
  /// What is left out of a rehearsal for the least.
  struct Extent {
    bool varying = true;  ///< values whose shape varies are logged
    bool facts = true;    ///< the dump says where it was made, in strings of usual length
  };
  /// `visits`: of the instructions of each chain, in each execution.
  Rehearsed run(const std::vector<std::vector<uint64_t>>& visits, uint64_t executions, const Extent& extent);

  /// Events and values of one visit.
  struct Counts {
    uint64_t kernels = 0, calls = 0, delegates = 0, values = 0;
  };
  Counts counts(const format::Instruction& in) const;

 private:
  struct OwnTensor {
    std::vector<int32_t> sizes, strides;
    std::vector<uint8_t> order;
    TensorImpl impl;
    bool varies;
  };
  struct OwnList {
    std::vector<EValue*> items;
    std::vector<Tensor> unwrapped;
    BoxedList<Tensor> list;
  };

  void make_values();
  void make_lists();
  void add_tensor(ScalarType type, std::vector<int32_t> sizes, std::vector<uint8_t> order, bool varies);
  bool loggable(const EValue& value) const;
  void load(etdump::ETDumpGen* gen) const;
  void execute(etdump::ETDumpGen* gen, const std::vector<std::vector<uint64_t>>& visits, uint64_t execution);
  void instruction(etdump::ETDumpGen* gen, const format::Instruction& in, uint32_t chain, uint32_t index);
  void delegate_call(etdump::ETDumpGen* gen, const format::Instruction& in);
  void delegate_events(etdump::ETDumpGen* gen, const std::vector<ForecastEvent>& events, bool varies);
  void end_run(etdump::ETDumpGen* gen) const;
  bool any_varies(const format::Instruction& in) const;

  const format::Method method_;
  const PredictOptions& options_;
  const std::string name_;
  std::vector<EValue> values_;
  std::deque<OwnTensor> tensors_;
  std::deque<OwnList> lists_;
  std::deque<std::string> names_;  // of kernels' events, by operator; null-terminated
  std::vector<bool> primitive_;    // by operator
  std::vector<DelegateForecast> delegates_;
  std::vector<bool> called_;  // delegates that were called before
  bool dynamic_ = false;
  bool log_varying_ = true;
  uint64_t records_ = 0;
};

}  // namespace et::inspector
