#include "executorch/runtime/executor/program_validation.h"

#include <cstdint>

#include "base/scalar_type.h"
#include "executorch/runtime/platform/log.h"
#include "executorch/schema/program_generated.h"
#include "runtime/format/tensor_facts.h"

namespace executorch::runtime {
namespace {

namespace fb = executorch_flatbuffer;

bool is_input(const fb::ExecutionPlan& plan, uint32_t value) {
  if (plan.inputs() == nullptr) return false;
  for (const int32_t i : *plan.inputs()) {
    if (i >= 0 && static_cast<uint32_t>(i) == value) return true;
  }
  return false;
}

Error validate_list(const fb::TensorList& list, const flatbuffers::Vector<flatbuffers::Offset<fb::EValue>>& values) {
  ET_CHECK_OR_RETURN_ERROR(list.items() != nullptr, InvalidProgram, "a list of tensors has no items");
  for (const int32_t i : *list.items()) {
    ET_CHECK_OR_RETURN_ERROR(i >= 0 && static_cast<uint32_t>(i) < values.size(), InvalidProgram,
                             "a list of tensors has item %d of %u values", i, static_cast<unsigned>(values.size()));
    const fb::EValue* item = values.Get(static_cast<uint32_t>(i));
    ET_CHECK_OR_RETURN_ERROR(item->val_type() == fb::KernelTypes::Tensor, InvalidProgram,
                             "a list of tensors: value %d is no tensor", i);
  }
  return Error::Ok;
}

}  // namespace

Error validate_tensor(const fb::Tensor* tensor) {
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr && tensor->sizes() != nullptr, InvalidProgram, "a tensor has no sizes");
  for (const int32_t s : *tensor->sizes()) {
    ET_CHECK_OR_RETURN_ERROR(s >= 0, InvalidProgram, "a tensor has a size of %d", s);
  }
  const auto type = static_cast<::et::ScalarType>(tensor->scalar_type());
  ET_CHECK_OR_RETURN_ERROR(::et::element_size(type) != 0, InvalidProgram, "a tensor has the unknown dtype %d",
                           static_cast<int>(tensor->scalar_type()));
  const uint64_t numel = ::et::format::element_count({tensor->sizes()->data(), tensor->sizes()->size()});
  ET_CHECK_OR_RETURN_ERROR(::et::format::byte_count(numel, type) <= INT64_MAX, InvalidProgram,
                           "a tensor has more bytes than can be counted");
  return Error::Ok;
}

Error validate_program(const fb::Program* program) {
  ET_CHECK_OR_RETURN_ERROR(program != nullptr && program->execution_plan() != nullptr, InvalidProgram,
                           "the program has no methods");
  for (const fb::ExecutionPlan* plan : *program->execution_plan()) {
    if (plan->values() == nullptr) continue;
    for (uint32_t i = 0; i < plan->values()->size(); ++i) {
      const fb::EValue* value = plan->values()->Get(i);
      if (const fb::Tensor* tensor = value->val_as_Tensor()) {
        if (tensor->shape_dynamism() != fb::TensorShapeDynamism::STATIC && is_input(*plan, i)) continue;
        ET_CHECK_OK_OR_RETURN_ERROR(validate_tensor(tensor));
      } else if (const fb::TensorList* list = value->val_as_TensorList()) {
        ET_CHECK_OK_OR_RETURN_ERROR(validate_list(*list, *plan->values()));
      }
    }
  }
  return Error::Ok;
}

}  // namespace executorch::runtime
