// BackendInterface: how a delegate runs the part of a program that was lowered to it, and the registry of backends.
#pragma once

#include "base/result.h"
#include "runtime/core/evalue.h"
#include "runtime/core/event_tracer.h"
#include "runtime/core/freeable_buffer.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/named_data_map.h"

namespace et {

/// A delegate instance after init; what it points to is the backend's business.
using DelegateHandle = void;

struct CompileSpec {
  string_view key;
  ArrayRef<uint8_t> value;
};

inline constexpr size_t kMaxOptionKeyLength = 64;     // with the zero at the end
inline constexpr size_t kMaxOptionValueLength = 256;  // of a text, likewise

/// A setting of a backend: a key and a bool, an int or a text.
struct BackendOption {
  enum class Type : uint8_t { None, Bool, Int, Text };
  char key[kMaxOptionKeyLength] = {};
  Type type = Type::None;
  bool bool_value = false;
  int int_value = 0;
  char text_value[kMaxOptionValueLength] = {};

  BackendOption() = default;
  /// For get_option(): the backend fills in the value. Longer keys and texts are cut.
  explicit BackendOption(string_view k) { copy(k, key, sizeof key); }
  BackendOption(string_view k, bool value) : BackendOption(k) { set(value); }
  BackendOption(string_view k, int value) : BackendOption(k) { set(value); }
  BackendOption(string_view k, const char* value) : BackendOption(k) { set(value); }

  void set(bool value) {
    type = Type::Bool;
    bool_value = value;
  }
  void set(int value) {
    type = Type::Int;
    int_value = value;
  }
  void set(const char* value) {
    type = Type::Text;
    copy(value, text_value, sizeof text_value);
  }
  /// T: bool, int or const char*. InvalidArgument: the value has another type.
  template <class T>
  Result<T> get() const;

 private:
  static void copy(string_view from, char* to, size_t room) {
    const size_t n = from.size() < room ? from.size() : room - 1;
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
    to[n] = 0;
  }
};
template <>
inline Result<bool> BackendOption::get() const {
  if (type != Type::Bool) return Error::InvalidArgument;
  return bool_value;
}
template <>
inline Result<int> BackendOption::get() const {
  if (type != Type::Int) return Error::InvalidArgument;
  return int_value;
}
template <>
inline Result<const char*> BackendOption::get() const {
  if (type != Type::Text) return Error::InvalidArgument;
  return text_value;
}

/// Options for one backend while a method is loaded.
struct BackendLoadOptions {
  string_view backend;  // its id
  ArrayRef<BackendOption> options;
};

class BackendInitContext {
 public:
  BackendInitContext(MemoryAllocator* allocator, EventTracer* tracer, string_view method,
                     const NamedDataMap* named_data, ArrayRef<BackendOption> runtime_specs = {})
      : allocator_(allocator),
        tracer_(tracer),
        method_(method),
        named_data_(named_data),
        runtime_specs_(runtime_specs) {}
  /// Memory that lives as long as the method.
  MemoryAllocator* get_runtime_allocator() const { return allocator_; }
  EventTracer* event_tracer() const { return tracer_; }
  string_view get_method_name() const { return method_; }
  /// Null when there is none.
  const NamedDataMap* get_named_data_map() const { return named_data_; }
  /// Options that were given for this load.
  ArrayRef<BackendOption> runtime_specs() const { return runtime_specs_; }
  /// The value of one. NotFound: not given; InvalidArgument: of another type. T: bool, int or const char*.
  template <class T>
  Result<T> get_runtime_spec(string_view key) const {
    for (const BackendOption& option : runtime_specs_) {
      if (key == option.key) return option.get<T>();
    }
    return Error::NotFound;
  }

 private:
  MemoryAllocator* allocator_;
  EventTracer* tracer_;
  string_view method_;
  const NamedDataMap* named_data_;
  ArrayRef<BackendOption> runtime_specs_;
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
  /// Settings for what is initialised from now on; keys that the backend does not know are left alone.
  /// InvalidArgument: a value of the wrong type or outside of its range.
  virtual Error set_option(Span<const BackendOption>) const { return Error::Ok; }
  /// Fills in the values of the keys that the backend knows.
  virtual Error get_option(Span<BackendOption>) const { return Error::Ok; }
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
/// The same for a backend by its name. NotFound: no such backend.
Error set_option(string_view backend, Span<const BackendOption> options);
Error get_option(string_view backend, Span<BackendOption> options);

}  // namespace et
