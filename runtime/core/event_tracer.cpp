#include "runtime/core/event_tracer.h"

namespace et {

Result<bool> EventTracer::log_intermediate_output_delegate(const char* name, DelegateDebugIntId id,
                                                           const EValue& value) {
  switch (value.tag) {
    case Tag::Tensor:
      return log_intermediate_output_delegate(name, id, value.toTensor());
    case Tag::ListTensor:
      return log_intermediate_output_delegate(name, id, value.toTensorList());
    case Tag::Int:
      return log_intermediate_output_delegate(name, id, static_cast<int>(value.toInt()));
    case Tag::Bool:
      return log_intermediate_output_delegate(name, id, value.toBool());
    case Tag::Double:
      return log_intermediate_output_delegate(name, id, value.toDouble());
    default:
      return Error::InvalidType;
  }
}

Result<bool> EventTracer::log_intermediate_output_delegate(const char* name, DelegateDebugIntId id,
                                                           ArrayRef<Tensor> output) {
  // A list is a list of values, which must outlive the call only: the longest that a delegate logs is short.
  constexpr size_t kMost = 64;
  EValue items[kMost];
  EValue* pointers[kMost];
  Tensor room[kMost];
  if (output.size() > kMost) return Error::NotSupported;
  for (size_t i = 0; i < output.size(); ++i) {
    items[i] = EValue(output[i]);
    pointers[i] = &items[i];
  }
  const BoxedEvalueList<Tensor> list(pointers, room, output.size());
  return log_intermediate_output_delegate(name, id, EValue(&list));
}

}  // namespace et
