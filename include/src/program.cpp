// Programs: their header, and loading methods with kernels and options in ExecuTorch's form.
#include "executorch/runtime/executor/program.h"

#include <cstring>
#include <new>
#include <vector>

#include "runtime/backends/backend.h"

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
    for (size_t i = 0; i < kernel_registry.size(); ++i) {
      const Kernel& k = kernel_registry[i];
      const bool native = std::strncmp(k.name_, "aten::", 6) == 0;
      new (rows + i)::et::Kernel{k.name_, k.op_, native ? ::et::KernelKind::Native : ::et::KernelKind::Library,
                                 k.kernel_key_.data()};
    }
  }
  std::vector<std::vector<::et::BackendOption>> lists;
  std::vector<::et::BackendLoadOptions> options;
  const size_t backends = backend_options == nullptr ? 0 : backend_options->size();
  lists.reserve(backends);
  for (size_t i = 0; i < backends; ++i) {
    const LoadBackendOptionsMap::EntryView entry = backend_options->entry_at(i);
    std::vector<::et::BackendOption>& list = lists.emplace_back();
    for (const BackendOption& o : entry.options) {
      ::et::BackendOption ours{::et::string_view(o.key)};
      if (const bool* b = std::get_if<bool>(&o.value)) ours.set(*b);
      if (const int* n = std::get_if<int>(&o.value)) ours.set(*n);
      if (const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&o.value)) ours.set(text->data());
      list.push_back(ours);
    }
    options.push_back({entry.backend_id, list});
  }
  return ::et::Program::load_method(method_name, memory_manager, event_tracer, named_data_map,
                                    {rows, kernel_registry.size()}, Unloadable::Refuse, options);
}

}  // namespace executorch::runtime
