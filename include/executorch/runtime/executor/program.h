// Program: a loaded and verified .pte, and the way to its methods.
#pragma once

#include <cstdint>

#include "executorch/runtime/backend/backend_options_map.h"
#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/freeable_buffer.h"
#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/executor/memory_manager.h"
#include "executorch/runtime/executor/method.h"
#include "executorch/runtime/executor/method_meta.h"
#include "executorch/runtime/kernel/operator_registry.h"
#include "executorch/runtime/platform/compiler.h"
#include "runtime/executor/program.h"

namespace executorch::runtime {

class Program : public ::et::Program {
 public:
  using Verification = ::et::Program::Verification;

  Program(::et::Program&& program) : ::et::Program(std::move(program)) {}  // NOLINT: a program like any other
  Program(Program&&) = default;

  /// Verified whole, whatever is asked.
  ET_NODISCARD static Result<Program> load(DataLoader* loader, Verification verification = Verification::Minimal);
  ET_NODISCARD static Result<Program> Load(DataLoader* loader, Verification verification = Verification::Minimal) {
    return load(loader, verification);
  }

  /// `kernel_registry` is looked at before the global one.
  Result<Method> load_method(const char* method_name, MemoryManager* memory_manager,
                             EventTracer* event_tracer = nullptr, const NamedDataMap* named_data_map = nullptr,
                             const LoadBackendOptionsMap* backend_options = nullptr,
                             Span<const Kernel> kernel_registry = {}) const;
  /// NotFound: the program has no named data.
  Result<const NamedDataMap*> get_named_data_map() const;

  enum HeaderStatus { CompatibleVersion, IncompatibleVersion, NotPresent, ShortData };
  static constexpr size_t kMinHeadBytes = 64;
  /// What the first bytes of a file say.
  static HeaderStatus check_header(const void* data, size_t size);
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Program;
}
