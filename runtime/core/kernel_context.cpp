#include "runtime/core/kernel_context.h"

#include "runtime/core/boxing.h"
#include "runtime/platform/log.h"

namespace et {

Result<void*> KernelRuntimeContext::allocate_temp(size_t size, size_t alignment) {
  ET_CHECK_OR_RETURN_ERROR(temp_ != nullptr, NotFound,
                           "kernel requested %zu bytes, but the method has no temp allocator", size);
  void* piece = temp_->allocate(size, alignment);
  ET_CHECK_OR_RETURN_ERROR(piece != nullptr, MemoryAllocationFailed,
                           "temp allocator: cannot allocate %zu bytes for a kernel", size);
  return piece;
}

namespace boxing {

void fail_count(KernelRuntimeContext& context, size_t given, size_t wanted) {
  ET_LOG(Error, "kernel expects %zu arguments, got %zu", wanted, given);
  context.fail(Error::InvalidProgram);
}

void fail_type(KernelRuntimeContext& context, size_t index, const EValue& value) {
  ET_LOG(Error, "kernel argument %zu: unexpected type or value: %s", index, tag_name(value.tag));
  context.fail(Error::InvalidType);
}

namespace {

/// f(tensor) for the tensors of a value; stops at the first true.
template <class F>
bool any_tensor(const EValue& value, const F& f) {
  if (value.isTensor()) return f(value.payload.as_tensor.unsafeGetTensorImpl());
  if (value.isTensorList()) {
    for (const Tensor& t : value.toTensorList()) {
      if (f(t.unsafeGetTensorImpl())) return true;
    }
  }
  if (value.isListOptionalTensor()) {
    for (const optional<Tensor>& t : value.toListOptionalTensor()) {
      if (t.has_value() && f(t->unsafeGetTensorImpl())) return true;
    }
  }
  return false;
}

}  // namespace

void fail_layout(KernelRuntimeContext& context, Span<EValue*> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    const bool bad = any_tensor(*args[i], [&](const TensorImpl* impl) {
      if (impl != nullptr && impl->has_layout()) return false;
      ET_LOG(Error,
             "kernel argument %zu: expected a tensor of up to %zu dimensions with strides and a dim order, got %s", i,
             kTensorDimensionLimit,
             impl == nullptr                                            ? "no tensor"
             : static_cast<size_t>(impl->dim()) > kTensorDimensionLimit ? "more dimensions"
                                                                        : "one without");
      return true;
    });
    if (bad) break;
  }
  context.fail(Error::InvalidArgument);
}

bool prepare_write(KernelRuntimeContext& context, Span<EValue*> args, size_t index) {
  return !any_tensor(*args[index], [&](TensorImpl* impl) {
    if (impl == nullptr || impl->is_read_only()) {
      ET_LOG(Error, "kernel argument %zu: expected a writable tensor, got %s", index,
             impl == nullptr ? "no tensor" : "a constant");
      context.fail(Error::InvalidArgument);
      return true;
    }
    bool again = false;
    for (size_t i = 0; !again && i < args.size(); ++i) {
      again = i != index && any_tensor(*args[i], [&](TensorImpl* other) { return other == impl; });
    }
    if (again) impl->set_shape_fixed(true);
    return false;
  });
}

void release(const EValue& written) {
  any_tensor(written, [](TensorImpl* impl) {
    if (impl != nullptr) impl->set_shape_fixed(false);
    return false;
  });
}

}  // namespace boxing
}  // namespace et
