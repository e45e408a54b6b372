// Module: a program with its memory, loaded and run in a line or two.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "executorch/runtime/backend/backend_options_map.h"
#include "executorch/runtime/backend/options.h"
#include "executorch/runtime/executor/program.h"
#include "runtime/module/module.h"

#define ET_MODULE_NAMESPACE module

namespace executorch::extension {

using ::executorch::runtime::Kernel;
using ::executorch::runtime::LoadBackendOptionsMap;
using ::executorch::runtime::Method;
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::NamedDataMap;
using ::executorch::runtime::Program;

namespace module {

/// The runtime's Module with ExecuTorch's types of programs, kernels and settings.
class Module : public ::et::Module {
 public:
  using ::et::Module::Module;
  explicit Module(std::shared_ptr<Program> program, std::unique_ptr<::et::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<::et::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<::et::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<::et::DataLoader> data_map_loader = nullptr, bool share_memory_arenas = false)
      : ::et::Module(std::shared_ptr<::et::Program>(std::move(program)), std::move(memory_allocator),
                     std::move(temp_allocator), std::move(event_tracer), std::move(data_map_loader),
                     share_memory_arenas) {}

  using ::et::Module::load;
  /// Methods that are loaded later get these settings unless they are given others. They are copied; when loading
  /// fails those of before stay.
  ET_NODISCARD virtual ::et::Error load(const LoadBackendOptionsMap& backend_options,
                                        Program::Verification verification = Program::Verification::Minimal);
  const LoadBackendOptionsMap& backend_options() const { return options_; }

  std::shared_ptr<Program> program() const;

  ET_NODISCARD ::et::Error load_method(const std::string& method_name,
                                       ::et::HierarchicalAllocator* planned_memory = nullptr,
                                       ::et::EventTracer* event_tracer = nullptr,
                                       const LoadBackendOptionsMap* backend_options = nullptr,
                                       std::vector<Kernel> kernel_registry = {});
  ET_NODISCARD ::et::Error load_method(const std::string& method_name, ::et::EventTracer* event_tracer) {
    return load_method(method_name, nullptr, event_tracer);
  }
  ET_NODISCARD ::et::Error load_forward(::et::HierarchicalAllocator* planned_memory = nullptr,
                                        ::et::EventTracer* event_tracer = nullptr,
                                        const LoadBackendOptionsMap* backend_options = nullptr,
                                        std::vector<Kernel> kernel_registry = {}) {
    return load_method("forward", planned_memory, event_tracer, backend_options, std::move(kernel_registry));
  }
  ET_NODISCARD ::et::Error load_forward(::et::EventTracer* event_tracer) { return load_forward(nullptr, event_tracer); }

  // With the settings of load() these load the method first.
  using ::et::Module::execute;
  ET_NODISCARD ::et::Result<std::vector<::et::EValue>> execute(const std::string& method_name,
                                                               const std::vector<::et::EValue>& input_values) override;
  ::et::Result<Method*> method(const std::string& method_name);

 private:
  std::shared_ptr<::et::Program> own_program(::et::Program&& program) const override;

  std::vector<std::vector<::executorch::runtime::BackendOption>> kept_;  // what options_ points to
  LoadBackendOptionsMap options_;
};

}  // namespace module
using module::Module;
}  // namespace executorch::extension
namespace torch::executor {
using ::executorch::extension::Module;
}
