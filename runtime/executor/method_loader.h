// MethodLoader: fills a Method, all in method memory. format::Program has checked the file; checked here are memory,
// external data, kernels and backends. Source: execution semantics of the program format ("method load").
#pragma once

#include <new>

#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/platform/log.h"

namespace et {

class MethodLoader {
 public:
  MethodLoader(Method* method, const NamedDataMap* named_data, ArrayRef<Kernel> kernels, bool stop_at_unloadable,
               ArrayRef<BackendLoadOptions> options)
      : m_(*method),
        view_(method->meta_.view()),
        memory_(method->memory_->method_allocator()),
        named_data_(named_data),
        kernels_(kernels),
        options_(options),
        stop_at_unloadable_(stop_at_unloadable) {}

  /// Memory, values, delegates, operators and instructions, in this order.
  Error run();

 private:
  struct Choice {
    const Kernel* fallback = nullptr;
    bool keyed = false;  // some kernel is for certain dtypes only
  };

  template <class T>
  Error allocate(size_t count, T** out) {
    *out = memory_->allocate_list<T>(count);
    ET_CHECK_OR_RETURN_ERROR(*out != nullptr || count == 0, MemoryAllocationFailed,
                             "method %s: method allocator: cannot allocate %zu items of %zu bytes", m_.meta_.name(),
                             count, sizeof(T));
    for (size_t i = 0; i < count; ++i) new (*out + i) T();
    return Error::Ok;
  }

  Error temporary_memory();
  Error data_maps();

  Error delegates();

  // load_values.cpp
  Error values();
  Error value(uint32_t i);
  template <class T>
  Error place(ArrayRef<T> items, EValue* out);
  template <class T>
  Error list(const format::IndexList& indices, EValue* out);
  Error tensor(const format::TensorView& t, uint32_t index, EValue* out);
  Error tensor_data(const format::TensorView& t, uint32_t index, TensorImpl* impl);
  Error aligned(const format::TensorView& t, uint32_t index, const TensorImpl* impl);
  Error planned(const format::TensorView& t, TensorImpl* impl);
  Error check_external(const format::TensorView& t);

  // load_instructions.cpp
  Choice choose(string_view op) const;
  Error operators();
  Error chains();
  void mark_loose();
  Error instruction(const format::Instruction& in, Method::Instruction* out);
  Error arguments(ArrayRef<int32_t> indices, Method::Instruction* out);
  Error kernel(Method::Instruction* in);

  Method& m_;
  const format::Method& view_;
  MemoryAllocator* memory_;
  const NamedDataMap* named_data_;
  const NamedDataMap* backend_data_ = nullptr;
  ArrayRef<Kernel> kernels_;
  ArrayRef<BackendLoadOptions> options_;
  bool stop_at_unloadable_;
  Choice* choices_ = nullptr;
  bool* loose_ = nullptr;
};

}  // namespace et
