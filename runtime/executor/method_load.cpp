// Loading a method: memory, delegates, and the order of the steps.
#include <atomic>
#include <cstring>

#include "runtime/executor/method_loader.h"

namespace et {

Error MethodLoader::run() {
  ET_CHECK_OK_OR_RETURN_ERROR(temporary_memory());
  ET_CHECK_OK_OR_RETURN_ERROR(data_maps());
  ET_CHECK_OK_OR_RETURN_ERROR(values());
  // Both kinds of what is missing are listed before the first is returned.
  ET_CHECK_OK_OR_RETURN_ERROR(m_.program_->check_method(m_.meta_.name(), kernels_, !stop_at_unloadable_));
  ET_CHECK_OK_OR_RETURN_ERROR(delegates());
  ET_CHECK_OK_OR_RETURN_ERROR(operators());
  return chains();
}

Error MethodLoader::temporary_memory() {
  m_.temp_ = m_.memory_->temp_allocator();
  ET_CHECK_OR_RETURN_ERROR(m_.temp_ != memory_, InvalidArgument, "the temp allocator must not be the method allocator");
  if (m_.temp_ != nullptr || platform().allocate == nullptr) return Error::Ok;
  auto* place = memory_->allocate_instance<PlatformMemoryAllocator>();
  ET_CHECK_OR_RETURN_ERROR(place != nullptr, MemoryAllocationFailed,
                           "method allocator: cannot allocate the temp allocator");
  m_.temp_ = new (place) PlatformMemoryAllocator();
  m_.own_temp_ = true;
  return Error::Ok;
}

Error MethodLoader::data_maps() {
  const NamedDataMap* own = &m_.program_->named_data_map();
  if (named_data_ == nullptr || m_.program_->named_data_map().size() == 0) {
    backend_data_ = named_data_ != nullptr ? named_data_ : own;
    return Error::Ok;
  }
  const NamedDataMap** both = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(2, &both));
  both[0] = named_data_;
  both[1] = own;
  auto* place = memory_->allocate_instance<MergedDataMap>();
  ET_CHECK_OR_RETURN_ERROR(place != nullptr, MemoryAllocationFailed,
                           "method allocator: cannot allocate the named data map");
  auto* merged = new (place) MergedDataMap(ArrayRef<const NamedDataMap*>(both, 2));
  backend_data_ = merged;
  return merged->check();
}

Error MethodLoader::delegates() {
  Method::DelegateState* states = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(view_.delegate_count(), &states));
  m_.delegates_ = {states, view_.delegate_count()};
  for (uint32_t i = 0; i < view_.delegate_count(); ++i) {
    const format::Delegate d = view_.delegate(i);
    CompileSpec* specs = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(d.compile_spec_count(), &specs));
    for (uint32_t k = 0; k < d.compile_spec_count(); ++k) {
      specs[k] = {d.compile_spec(k).key, d.compile_spec(k).value};
    }
    Method::DelegateState& state = states[i];
    state.id = d.id().data();
    state.processed = m_.program_->named_data_map().buffer({d.payload().data(), d.payload().size()});
    const BackendInterface* backend = get_backend_class(d.id());
    if (backend == nullptr || !backend->is_available()) {
      if (stop_at_unloadable_) continue;
      return Error::NotFound;
    }
    ArrayRef<BackendOption> options;
    for (const BackendLoadOptions& o : options_) {
      if (o.backend == d.id()) options = o.options;
    }
    BackendInitContext context(memory_, m_.tracer_, view_.name(), backend_data_, options);
    Result<DelegateHandle*> handle =
        backend->init(context, &state.processed, ArrayRef<CompileSpec>(specs, d.compile_spec_count()));
    if (!handle.ok()) {
      ET_LOG(Error, "method %s: delegate %u: backend %s failed to initialise: %s", m_.meta_.name(),
             static_cast<unsigned>(i), state.id, error_name(handle.error()));
      state.processed.Free();
      if (stop_at_unloadable_) continue;
      return handle.error();
    }
    state.backend = backend;
    state.handle = *handle;
  }
  return Error::Ok;
}

namespace {

// Records "name" from its construction to its end, also when the load fails.
class LoadScope {
 public:
  LoadScope(EventTracer* tracer, const char* name) : tracer_(tracer) {
    if (tracer_ != nullptr) entry_ = tracer_->start_profiling(name);
  }
  LoadScope(const LoadScope&) = delete;
  LoadScope& operator=(const LoadScope&) = delete;
  ~LoadScope() {
    if (tracer_ != nullptr) tracer_->end_profiling(entry_);
  }

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_;
};

}  // namespace

Error Method::operator_name(const format::Method& method, uint32_t index, char* buffer) {
  const format::OperatorName op = method.operator_name(index);
  const size_t dot = op.overload.empty() ? 0 : 1;
  const size_t total = op.name.size() + dot + op.overload.size();
  ET_CHECK_OR_RETURN_ERROR(total < kMaxOperatorName, InvalidProgram, "operator %u: name too long",
                           static_cast<unsigned>(index));
  std::memcpy(buffer, op.name.data(), op.name.size());
  if (dot != 0) {
    buffer[op.name.size()] = '.';
    std::memcpy(buffer + op.name.size() + 1, op.overload.data(), op.overload.size());
  }
  buffer[total] = 0;
  return Error::Ok;
}

Result<Method> Method::load(const Program& program, const MethodMeta& meta, MemoryManager* memory, EventTracer* tracer,
                            const NamedDataMap* named_data, ArrayRef<Kernel> kernels, bool stop_at_unloadable,
                            ArrayRef<BackendLoadOptions> options) {
#if !ET_EVENT_TRACER_ENABLED
  tracer = nullptr;
#endif
  static std::atomic<uint32_t> loaded{0};
  Method method(program, meta, memory, tracer);
  method.number_ = loaded.fetch_add(1, std::memory_order_relaxed) + 1;
  Error error = Error::Ok;
  if (tracer != nullptr) {
    tracer->create_event_block("Default");
    tracer->begin_run({meta.name(), "load", 0});
  }
  {
    LoadScope whole(tracer, "Program::load_method");
    LoadScope init(tracer, "Method::init");
    error = MethodLoader(&method, named_data, kernels, stop_at_unloadable, options).run();
  }
  if (tracer != nullptr) method.end_run(error);
  if (error != Error::Ok) return error;
  return method;
}

}  // namespace et
