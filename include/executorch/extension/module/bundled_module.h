// BundledModule: a bundled program, its methods run on the cases in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executorch/extension/module/module.h"

#define ET_BUNDLED_MODULE_NAMESPACE bundled_module

namespace executorch::extension {

using module::Module;

namespace bundled_module {

class BundledModule : public Module {
 public:
  /// A bundle in memory that outlives the module and that may be trusted. What is none gives an empty module, whose
  /// calls return InvalidArgument.
  explicit BundledModule(const void* bundled_program_ptr,
                         std::unique_ptr<::et::MemoryAllocator> memory_allocator = nullptr,
                         std::unique_ptr<::et::MemoryAllocator> temp_allocator = nullptr,
                         std::unique_ptr<::et::EventTracer> event_tracer = nullptr,
                         std::unique_ptr<::et::DataLoader> data_map_loader = nullptr);
  BundledModule(const BundledModule&) = delete;
  BundledModule& operator=(const BundledModule&) = delete;

  /// The file is verified whole. AccessFailed: it cannot be read.
  ET_NODISCARD static ::et::Result<std::unique_ptr<BundledModule>> from_file(
      const std::string& file_path, std::unique_ptr<::et::MemoryAllocator> memory_allocator = nullptr,
      std::unique_ptr<::et::MemoryAllocator> temp_allocator = nullptr,
      std::unique_ptr<::et::EventTracer> event_tracer = nullptr,
      std::unique_ptr<::et::DataLoader> data_map_loader = nullptr);

  using Module::execute;
  /// InvalidArgument: no such method or case.
  ET_NODISCARD ::et::Result<std::vector<::et::EValue>> execute(const std::string& method_name, size_t testset_idx);
  /// What the last execution gave, against what the case expects. NotFound: it differs.
  ET_NODISCARD ::et::Error verify_method_outputs(const std::string& method_name, size_t testset_idx, double rtol = 1e-5,
                                                 double atol = 1e-8);

 private:
  /// `owned`: the file, if it was read here; `usable`: it is a bundle.
  BundledModule(const void* bytes, ::et::FreeableBuffer owned, bool usable,
                std::unique_ptr<::et::MemoryAllocator> memory_allocator,
                std::unique_ptr<::et::MemoryAllocator> temp_allocator, std::unique_ptr<::et::EventTracer> event_tracer,
                std::unique_ptr<::et::DataLoader> data_map_loader);
  const void* bytes_;
  bool usable_;
};

}  // namespace bundled_module
using bundled_module::BundledModule;
}  // namespace executorch::extension
