// BackendInterface: how a delegate runs the part of a program that was lowered to it, and the registry of backends.
#pragma once

#include "runtime/core/evalue.h"
#include "runtime/core/event_tracer.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/result.h"
#include "runtime/executor/named_data_map.h"
#include "runtime/loader/data_loader.h"

namespace et {

/// A delegate instance after init; what it points to is the backend's business.
using DelegateHandle = void;

struct CompileSpec {
  string_view key;
  ArrayRef<uint8_t> value;
};

class BackendInitContext {
 public:
  BackendInitContext(MemoryAllocator* allocator, EventTracer* tracer, string_view method,
                     const NamedDataMap* named_data)
      : allocator_(allocator), tracer_(tracer), method_(method), named_data_(named_data) {}
  /// Memory that lives as long as the method.
  MemoryAllocator* get_runtime_allocator() const { return allocator_; }
  EventTracer* event_tracer() const { return tracer_; }
  string_view get_method_name() const { return method_; }
  /// Null when there is none.
  const NamedDataMap* get_named_data_map() const { return named_data_; }

 private:
  MemoryAllocator* allocator_;
  EventTracer* tracer_;
  string_view method_;
  const NamedDataMap* named_data_;
};

class BackendExecutionContext {
 public:
  BackendExecutionContext(EventTracer* tracer, MemoryAllocator* temp, string_view method)
      : tracer_(tracer), temp_(temp), method_(method) {}
  EventTracer* event_tracer() const { return tracer_; }
  /// Memory until the end of the call; null when the method has none.
  MemoryAllocator* get_temp_allocator() const { return temp_; }
  string_view get_method_name() const { return method_; }

 private:
  EventTracer* tracer_;
  MemoryAllocator* temp_;
  string_view method_;
};

class BackendInterface {
 public:
  virtual ~BackendInterface() = default;
  virtual bool is_available() const = 0;
  /// `processed` may be kept or freed early; it is freed with the method at the latest.
  virtual Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                                       ArrayRef<CompileSpec> compile_specs) const = 0;
  /// `args`: inputs, then outputs.
  virtual Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const = 0;
  virtual void destroy(DelegateHandle*) const {}
};

/// A row of the registry; must live as long as the process.
struct Backend {
  const char* name;
  const BackendInterface* backend;
  Backend* next = nullptr;
};
/// RegistrationAlreadyRegistered: the name is taken.
Error register_backend(Backend* backend);
/// Null when there is none.
const BackendInterface* get_backend_class(string_view name);
const Backend* first_backend();

}  // namespace et
