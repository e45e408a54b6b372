#include "runtime/core/kernel_context.h"

#include "runtime/core/boxing.h"
#include "runtime/platform/log.h"

namespace et {

Result<void*> KernelRuntimeContext::allocate_temp(size_t size, size_t alignment) {
  ET_CHECK_OR_RETURN_ERROR(temp_ != nullptr, NotFound, "a kernel needs %zu bytes, but the method has no temp allocator",
                           size);
  void* piece = temp_->allocate(size, alignment);
  ET_CHECK_OR_RETURN_ERROR(piece != nullptr, MemoryAllocationFailed, "no %zu bytes of temporary memory for a kernel",
                           size);
  return piece;
}

namespace boxing {

void fail_count(KernelRuntimeContext& context, size_t given, size_t wanted) {
  ET_LOG(Error, "a kernel takes %zu arguments, the program gives %zu", wanted, given);
  context.fail(Error::InvalidProgram);
}

void fail_type(KernelRuntimeContext& context, size_t index, const EValue& value) {
  ET_LOG(Error, "argument %zu of a kernel has an unexpected type or value: %s", index, tag_name(value.tag));
  context.fail(Error::InvalidType);
}

}  // namespace boxing
}  // namespace et
