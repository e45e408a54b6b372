// Programs: their header, and loading methods with kernels and options in ExecuTorch's form.
#include "executorch/runtime/executor/program.h"

#include <cstring>
#include <new>

#include "include/src/conversions.h"
#include "include/src/overflow_allocator.h"

namespace executorch::runtime {

Result<Program> Program::load(DataLoader* loader, Verification verification) {
  Result<::et::Program> program = ::et::Program::load(loader, verification);
  if (!program.ok()) return program.error();
  return Program(std::move(*program));
}

Result<const NamedDataMap*> Program::get_named_data_map() const {
  const ::et::ProgramDataMap& map = named_data_map();
  if (map.size() == 0) return Error::NotFound;
  return static_cast<const NamedDataMap*>(&map);
}

Result<const char*> Program::get_output_flattening_encoding(const char* method_name) const {
  const ::et::format::Method method = view().method(std::string_view(method_name));
  ET_CHECK_OR_RETURN_ERROR(method.valid(), InvalidArgument, "the program has no method %s", method_name);
  const char* text = method.encoded_outputs().data();
  ET_CHECK_OR_RETURN_ERROR(text != nullptr, InvalidProgram, "method %s does not say how its outputs are nested",
                           method_name);
  return text;
}

Program::HeaderStatus Program::check_header(const void* data, size_t size) {
  if (size < kMinHeadBytes) return ShortData;
  const char* identifier = static_cast<const char*>(data) + 4;
  if (std::memcmp(identifier, "ET12", 4) == 0) return CompatibleVersion;
  return std::memcmp(identifier, "ET", 2) == 0 ? IncompatibleVersion : NotPresent;
}

Result<Method> Program::load_method(const char* method_name, MemoryManager* memory_manager, EventTracer* event_tracer,
                                    const NamedDataMap* named_data_map, const LoadBackendOptionsMap* backend_options,
                                    Span<const Kernel> kernel_registry) const {
  // The rows live as long as the method.
  ::et::Kernel* rows = nullptr;
  if (!kernel_registry.empty()) {
    rows = memory_manager->method_allocator()->allocateList<::et::Kernel>(kernel_registry.size());
    if (rows == nullptr) return Error::MemoryAllocationFailed;
    for (size_t i = 0; i < kernel_registry.size(); ++i)
      new (rows + i)::et::Kernel(internal::our_kernel(kernel_registry[i]));
  }
  if (memory_manager->temp_allocator() != nullptr) {
    // It is reset after each instruction.
    ET_CHECK_OR_RETURN_ERROR(memory_manager->temp_allocator() != memory_manager->method_allocator(), InvalidArgument,
                             "the temporary allocator is the one that holds the method");
    void* room = memory_manager->method_allocator()->allocateInstance<internal::OverflowAllocator>();
    void* managers = memory_manager->method_allocator()->allocateInstance<MemoryManager>();
    if (room == nullptr || managers == nullptr) return Error::MemoryAllocationFailed;
    auto* temp = new (room) internal::OverflowAllocator(memory_manager->temp_allocator());
    memory_manager =
        new (managers) MemoryManager(memory_manager->method_allocator(), memory_manager->planned_memory(), temp);
  }
  const internal::OurOptions options(backend_options);
  return ::et::Program::load_method(method_name, memory_manager, event_tracer, named_data_map,
                                    {rows, kernel_registry.size()}, Unloadable::Refuse, options.rows());
}

}  // namespace executorch::runtime
