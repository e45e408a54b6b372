#include "runtime/executor/program.h"

#include "runtime/backends/backend.h"
#include "runtime/executor/method.h"
#include "runtime/platform/log.h"

namespace et {

Result<Program> Program::load(const DataLoader* loader, Verification) {
  Result<size_t> size = loader->size();
  if (!size.ok()) return size.error();
  Result<FreeableBuffer> bytes = loader->load(0, *size, {DataLoader::SegmentInfo::Type::Program, 0, nullptr});
  if (!bytes.ok()) return bytes.error();
  format::Program view;
  const FileError e = format::Program::open({static_cast<const uint8_t*>(bytes->data()), bytes->size()}, &view);
  if (!e.ok()) {
    if (e.index >= 0) {
      ET_LOG(Error, "program: offset %llu: %s, element %lld: expected %s", static_cast<unsigned long long>(e.offset),
             e.field, static_cast<long long>(e.index), e.expected);
    } else {
      ET_LOG(Error, "program: offset %llu: %s: expected %s", static_cast<unsigned long long>(e.offset), e.field,
             e.expected);
    }
    return e.code;
  }
  return Program(std::move(*bytes), view, loader);
}

Result<const char*> Program::get_method_name(size_t i) const {
  if (i >= num_methods()) return Error::InvalidArgument;
  return program_.method(static_cast<uint32_t>(i)).name().data();
}

Result<MethodMeta> Program::method_meta(const char* name) const {
  const format::Method method = program_.method(string_view(name));
  ET_CHECK_OR_RETURN_ERROR(method.valid(), InvalidArgument, "the program has no method %s", name);
  return MethodMeta(method);
}

Error Program::check_method(const char* name, ArrayRef<Kernel> kernels, bool with_backends) const {
  Result<MethodMeta> meta = method_meta(name);
  if (!meta.ok()) return meta.error();
  const format::Method& m = meta->view();
  Error error = Error::Ok;
  for (uint32_t i = 0; with_backends && i < m.delegate_count(); ++i) {
    const BackendInterface* backend = get_backend_class(m.delegate(i).id());
    if (backend != nullptr && backend->is_available()) continue;
    ET_LOG(Error, "method %s: delegate %u: backend %s is %s", name, static_cast<unsigned>(i), m.delegate(i).id().data(),
           backend == nullptr ? "not registered" : "not available");
    error = Error::NotFound;
  }
  for (uint32_t i = 0; i < m.operator_count(); ++i) {
    char full[Method::kMaxOperatorName];
    const Error named = Method::operator_name(m, i, full);
    if (named != Error::Ok) {
      if (error == Error::Ok) error = named;
      continue;
    }
    bool used = false;
    for (uint32_t c = 0; !used && c < m.chain_count(); ++c) {
      const format::Chain chain = m.chain(c);
      for (uint32_t k = 0; !used && k < chain.instruction_count(); ++k) {
        used = chain.instruction(k).kind() == format::InstructionKind::KernelCall &&
               chain.instruction(k).op_index() == static_cast<int32_t>(i);
      }
    }
    if (!used || has_kernel(full) || find_kernel(kernels, full, {}) != nullptr) continue;
    ET_LOG(Error, "method %s: operator %s has no kernel", name, full);
    if (error == Error::Ok) error = Error::OperatorMissing;
  }
  return error;
}

Result<Method> Program::load_method(const char* name, MemoryManager* memory, EventTracer* tracer,
                                    const NamedDataMap* named_data, ArrayRef<Kernel> kernels, Unloadable unloadable,
                                    ArrayRef<BackendLoadOptions> options) const {
  Result<MethodMeta> meta = method_meta(name);
  if (!meta.ok()) return meta.error();
  return Method::load(*this, *meta, memory, tracer, named_data, kernels, unloadable == Unloadable::StopAtCall, options);
}

bool MethodMeta::uses_backend(string_view id) const {
  for (uint32_t i = 0; i < method_.delegate_count(); ++i) {
    if (method_.delegate(i).id() == id) return true;
  }
  return false;
}

namespace {

// Value index of the i-th named tensor, −1 when there are fewer.
int64_t attribute(const format::Method& m, size_t i) {
  for (uint32_t v = 0; v < m.value_count(); ++v) {
    const format::Value value = m.value(v);
    if (value.kind() != format::ValueKind::Tensor || value.as_tensor().fully_qualified_name().empty()) continue;
    if (i-- == 0) return v;
  }
  return -1;
}

}  // namespace

size_t MethodMeta::num_attributes() const {
  size_t n = 0;
  while (attribute(method_, n) >= 0) ++n;
  return n;
}

Result<TensorInfo> MethodMeta::attribute_tensor_meta(size_t i) const {
  const int64_t v = attribute(method_, i);
  if (v < 0) return Error::InvalidArgument;
  return TensorInfo(method_.value(static_cast<uint32_t>(v)).as_tensor());
}

}  // namespace et
