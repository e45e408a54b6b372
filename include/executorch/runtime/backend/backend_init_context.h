// BackendInitContext: what a delegate may use while it is made.
#pragma once

#include <cstring>
#include <type_traits>

#include "executorch/runtime/backend/options.h"
#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/memory_allocator.h"
#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"

namespace executorch::runtime {

class BackendInitContext {
 public:
  explicit BackendInitContext(MemoryAllocator* runtime_allocator, EventTracer* event_tracer = nullptr,
                              const char* method_name = nullptr, const NamedDataMap* named_data_map = nullptr,
                              Span<const BackendOption> runtime_specs = {})
      : allocator_(runtime_allocator),
        tracer_(event_tracer),
        method_(method_name),
        named_data_(named_data_map),
        specs_(runtime_specs) {}
  /// Memory that lives as long as the method.
  MemoryAllocator* get_runtime_allocator() { return allocator_; }
  EventTracer* event_tracer() { return tracer_; }
  const char* get_method_name() const { return method_; }
  const NamedDataMap* get_named_data_map() const { return named_data_; }
  Span<const BackendOption> runtime_specs() const { return specs_; }
  /// T: bool, int or const char*. NotFound: not given; InvalidArgument: of another type.
  template <class T>
  Result<T> get_runtime_spec(const char* key) const {
    for (const BackendOption& option : specs_) {
      if (std::strcmp(option.key, key) != 0) continue;
      if constexpr (std::is_same_v<T, const char*>) {
        const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&option.value);
        if (text == nullptr) return Error::InvalidArgument;
        return text->data();
      } else {
        const T* value = std::get_if<T>(&option.value);
        if (value == nullptr) return Error::InvalidArgument;
        return *value;
      }
    }
    return Error::NotFound;
  }

 private:
  MemoryAllocator* allocator_;
  EventTracer* tracer_;
  const char* method_;
  const NamedDataMap* named_data_;
  Span<const BackendOption> specs_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::BackendInitContext;
}
