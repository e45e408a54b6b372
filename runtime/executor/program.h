// Program: a loaded and verified .pte, and the way to its methods. The loader and everything given to load_method must
// outlive the methods.
#pragma once

#include "base/result.h"
#include "runtime/backends/backend.h"
#include "runtime/core/event_tracer.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/executor/data_maps.h"
#include "runtime/executor/method_meta.h"
#include "runtime/format/program.h"
#include "runtime/loader/data_loader.h"

namespace et {

class Method;

class Program {
 public:
  /// Kept for source compatibility: a program is always verified whole, before anything of it is used.
  enum class Verification : uint8_t { Minimal, InternalConsistency };

  /// Loads all of the loader's bytes (a mapping or a buffer is not copied) and verifies them.
  /// InvalidProgram: not a valid program, the log names offset and field; NotSupported; errors of the loader.
  static Result<Program> load(const DataLoader* loader, Verification verification = Verification::InternalConsistency);

  size_t num_methods() const { return program_.method_count(); }
  /// Zero-terminated. InvalidArgument: no such method.
  Result<const char*> get_method_name(size_t i) const;
  Result<MethodMeta> method_meta(const char* name) const;
  /// Why a program may fail to load: every operator without kernel and every missing backend is
  /// logged, then the first kind found is returned: OperatorMissing or NotFound.
  /// `with_backends` false: operators only.
  Error check_method(const char* name, ArrayRef<Kernel> kernels = {}, bool with_backends = true) const;

  /// What to do about a delegate that cannot be loaded: its backend is missing or rejects the payload.
  enum class Unloadable : uint8_t {
    Refuse,      ///< the method is not loaded
    StopAtCall,  ///< it runs as far as it can; the call of the delegate fails with NotFound
  };

  /// `kernels` are looked at before the global registry; `named_data` holds external weights; `options` are settings
  /// of backends for this load.
  Result<Method> load_method(const char* name, MemoryManager* memory, EventTracer* tracer = nullptr,
                             const NamedDataMap* named_data = nullptr, ArrayRef<Kernel> kernels = {},
                             Unloadable unloadable = Unloadable::Refuse,
                             ArrayRef<BackendLoadOptions> options = {}) const;

  const ProgramDataMap& named_data_map() const { return named_data_; }
  const format::Program& view() const { return program_; }

 protected:
  Program() = default;
  const void* data() const { return bytes_.data(); }

 private:
  Program(FreeableBuffer&& bytes, const format::Program& program, const DataLoader* loader)
      : bytes_(std::move(bytes)), program_(program), named_data_(program, loader) {}

  FreeableBuffer bytes_;
  format::Program program_;
  ProgramDataMap named_data_;
};

}  // namespace et
