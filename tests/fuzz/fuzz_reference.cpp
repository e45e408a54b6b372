// Any bytes as an ETRecord whose graphs are executed, with zeros as inputs.
#include <cstddef>
#include <cstdint>

#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/reference/reference_run.h"
#include "etrecord/record.h"
#include "runtime/module/log_capture.h"

namespace {

using namespace et;

// Inputs that fit the graph where it says what they are.
std::vector<bundled::Value> inputs_of(const etrecord::Program& program,
                                      std::vector<std::unique_ptr<bundled::OwnedTensor>>* owners) {
  std::vector<bundled::Value> inputs;
  for (const etrecord::InputSpec& spec : program.signature.inputs) {
    if (spec.kind != etrecord::InputKind::UserInput) continue;
    const etrecord::TensorMeta* meta = program.tensor(0, spec.value);
    if (meta == nullptr || !meta->dtype_known || element_size(meta->dtype) == 0) {
      inputs.push_back(bundled::int_value(1));
      continue;
    }
    std::vector<int32_t> sizes;
    uint64_t elements = 1;
    for (const etrecord::Dim& dim : meta->sizes) {
      const int64_t n = dim.value.value_or(2);
      sizes.push_back(static_cast<int32_t>(n >= 0 && n < 64 ? n : 1));
      elements *= static_cast<uint64_t>(sizes.back());
      if (elements > 4096 || sizes.size() > bundled::kMaxDimensions) break;
    }
    if (elements > 4096 || sizes.size() > bundled::kMaxDimensions) sizes.clear();
    owners->push_back(std::make_unique<bundled::OwnedTensor>(meta->dtype, sizes));
    inputs.push_back(bundled::tensor_value(owners->back()->value));
  }
  return inputs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  capture_errors();
  etrecord::RecordLimits record_limits;
  record_limits.zip.max_inflated_member = record_limits.zip.max_inflated_total = 8 << 20;
  etrecord::Record record;
  if (!etrecord::Record::open({data, size}, "fuzz", record_limits, &record).ok()) return 0;
  reference::Limits limits;
  limits.max_tensor_bytes = 16 << 10;
  limits.max_live_bytes = 8 << 20;
  limits.max_steps = 2000;
  limits.max_seconds = 1;
  for (const std::string& method : record.methods()) {
    std::unique_ptr<reference::ReferenceRun> run;
    if (!reference::ReferenceRun::open(record, method, limits, &run).ok()) continue;
    std::vector<std::unique_ptr<bundled::OwnedTensor>> owners;
    const std::vector<bundled::Value> inputs = inputs_of(run->program(), &owners);
    (void)run->missing_operators();
    for (int i = 0; i < 2; ++i) {
      reference::RunResult result;
      (void)run->run(
          inputs, [](const reference::NodeValue&) { return true; }, &result);
      (void)take_errors();
    }
  }
  return 0;
}
