// Program: a loaded and verified .pte, and the way to its methods.
#pragma once

#include <cstdint>
#include <optional>

#include "executorch/runtime/backend/backend_options_map.h"
#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/freeable_buffer.h"
#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "executorch/runtime/executor/memory_manager.h"
#include "executorch/runtime/executor/method.h"
#include "executorch/runtime/executor/method_meta.h"
#include "executorch/runtime/executor/pte_data_map.h"
#include "executorch/runtime/kernel/operator_registry.h"
#include "executorch/runtime/platform/compiler.h"
#include "runtime/executor/program.h"

namespace executorch_flatbuffer {
struct Program;
}

namespace executorch::runtime {

namespace testing {
class ProgramTestFriend;
}

class Program : public ::et::Program {
 public:
  using Verification = ::et::Program::Verification;

  Program(::et::Program&& program);  // NOLINT: a program like any other
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

  /// How the outputs are nested, as the exporter wrote it. InvalidArgument: no such method; InvalidProgram: it says
  /// nothing.
  Result<const char*> get_output_flattening_encoding(const char* method_name = "forward") const;

  enum HeaderStatus { CompatibleVersion, IncompatibleVersion, NotPresent, ShortData };
  static constexpr size_t kMinHeadBytes = 64;
  /// What the first bytes of a file say.
  static HeaderStatus check_header(const void* data, size_t size);

 private:
  // As ExecuTorch's Program has them for its executor and for tests of it.
  friend class testing::ProgramTestFriend;
  /// A view of tables without a file: nothing can be loaded from it.
  Program(DataLoader* loader, size_t segment_base_offset, FreeableBuffer&& program_data,
          const executorch_flatbuffer::Program* internal_program, FreeableBuffer&& constant_segment_data,
          std::optional<internal::PteDataMap>&& pte_data_map);
  Result<FreeableBuffer> LoadSegment(const DataLoader::SegmentInfo& segment_info) const;
  Error load_mutable_subsegment_into(size_t mutable_data_segments_index, size_t offset_index, size_t size,
                                     void* buffer) const;
  Result<const void*> get_constant_buffer_data(size_t buffer_index, size_t nbytes) const;
  /// Where segment `index` lies in the file, or an error.
  Result<Span<const uint8_t>> segment(size_t index) const;

  const executorch_flatbuffer::Program* internal_program_ = nullptr;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Program;
}
