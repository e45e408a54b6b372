// Module with ExecuTorch's types, and modules of bundled programs.
#include "executorch/extension/module/module.h"

#include "bundled_program/bundle.h"
#include "executorch/devtools/bundled_program/bundled_program.h"
#include "executorch/extension/data_loader/buffer_data_loader.h"
#include "executorch/extension/data_loader/file_data_loader.h"
#include "executorch/extension/module/bundled_module.h"
#include "include/src/conversions.h"

namespace executorch::extension {

using ::et::Error;
using ::et::EValue;
using ::et::Result;

namespace module {

Error Module::load(const LoadBackendOptionsMap& backend_options, Program::Verification verification) {
  ET_CHECK_OK_OR_RETURN_ERROR(load(verification));
  kept_.clear();
  options_ = LoadBackendOptionsMap();
  kept_.reserve(backend_options.size());
  for (size_t i = 0; i < backend_options.size(); ++i) {
    const LoadBackendOptionsMap::EntryView entry = backend_options.entry_at(i);
    auto& list = kept_.emplace_back(entry.options.begin(), entry.options.end());
    ET_CHECK_OK_OR_RETURN_ERROR(options_.set_options(entry.backend_id, {list.data(), list.size()}));
  }
  return Error::Ok;
}

std::shared_ptr<Program> Module::program() const {
  // All that a module has are of this type: its own (own_program) and what the constructors take.
  return std::static_pointer_cast<Program>(::et::Module::program());
}

std::shared_ptr<::et::Program> Module::own_program(::et::Program&& program) const {
  return std::make_shared<Program>(std::move(program));
}

Error Module::load_method(const std::string& method_name, ::et::HierarchicalAllocator* planned_memory,
                          ::et::EventTracer* event_tracer, const LoadBackendOptionsMap* backend_options,
                          std::vector<Kernel> kernel_registry) {
  std::vector<::et::Kernel> kernels;
  kernels.reserve(kernel_registry.size());
  for (const Kernel& k : kernel_registry) kernels.push_back(::executorch::runtime::internal::our_kernel(k));
  const ::executorch::runtime::internal::OurOptions options(backend_options != nullptr ? backend_options : &options_);
  return ::et::Module::load_method(method_name, planned_memory, event_tracer, std::move(kernels), options.rows());
}

Result<std::vector<EValue>> Module::execute(const std::string& method_name, const std::vector<EValue>& input_values) {
  ET_CHECK_OK_OR_RETURN_ERROR(load_method(method_name));
  return ::et::Module::execute(method_name, input_values);
}

Result<Method*> Module::method(const std::string& method_name) {
  ET_CHECK_OK_OR_RETURN_ERROR(load_method(method_name));
  return ::et::Module::method(method_name);
}

}  // namespace module

namespace bundled_module {
namespace {

/// The program in a bundle; keeps the bundle's bytes as long as the module needs them.
class BundleLoader final : public ::et::DataLoader {
 public:
  BundleLoader(::et::Span<const uint8_t> program, ::et::FreeableBuffer owned)
      : owned_(std::move(owned)), program_(program.data(), program.size()) {}
  Result<::et::FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo& info) const override {
    return program_.load(offset, size, info);
  }
  ::et::Error load_into(size_t offset, size_t size, const SegmentInfo& info, void* buffer) const override {
    return program_.load_into(offset, size, info, buffer);
  }
  Result<size_t> size() const override { return program_.size(); }

 private:
  ::et::FreeableBuffer owned_;
  BufferDataLoader program_;
};

std::unique_ptr<::et::DataLoader> loader_of(const void* bytes, ::et::FreeableBuffer owned, bool usable) {
  ::et::bundled::Bundle bundle;
  if (usable) ::et::bundled::Bundle::of_trusted(bytes, &bundle);
  return std::make_unique<BundleLoader>(bundle.program(), std::move(owned));
}

}  // namespace

BundledModule::BundledModule(const void* bytes, ::et::FreeableBuffer owned, bool usable,
                             std::unique_ptr<::et::MemoryAllocator> memory_allocator,
                             std::unique_ptr<::et::MemoryAllocator> temp_allocator,
                             std::unique_ptr<::et::EventTracer> event_tracer,
                             std::unique_ptr<::et::DataLoader> data_map_loader)
    : Module(loader_of(bytes, std::move(owned), usable), std::move(memory_allocator), std::move(temp_allocator),
             std::move(event_tracer), std::move(data_map_loader)),
      bytes_(bytes),
      usable_(usable) {}

BundledModule::BundledModule(const void* bundled_program_ptr, std::unique_ptr<::et::MemoryAllocator> memory_allocator,
                             std::unique_ptr<::et::MemoryAllocator> temp_allocator,
                             std::unique_ptr<::et::EventTracer> event_tracer,
                             std::unique_ptr<::et::DataLoader> data_map_loader)
    : BundledModule(bundled_program_ptr, {},
                    ::executorch::bundled_program::is_bundled_program(const_cast<void*>(bundled_program_ptr), 8),
                    std::move(memory_allocator), std::move(temp_allocator), std::move(event_tracer),
                    std::move(data_map_loader)) {}

Result<std::unique_ptr<BundledModule>> BundledModule::from_file(const std::string& file_path,
                                                                std::unique_ptr<::et::MemoryAllocator> memory_allocator,
                                                                std::unique_ptr<::et::MemoryAllocator> temp_allocator,
                                                                std::unique_ptr<::et::EventTracer> event_tracer,
                                                                std::unique_ptr<::et::DataLoader> data_map_loader) {
  Result<FileDataLoader> loader = FileDataLoader::from(file_path.c_str());
  if (!loader.ok()) return loader.error();
  const Result<size_t> size = loader->size();
  if (!size.ok()) return size.error();
  Result<::et::FreeableBuffer> bytes = loader->load(0, *size, {});
  if (!bytes.ok()) return bytes.error();
  const void* begin = bytes->data();
  const void* program = nullptr;
  size_t program_size = 0;
  // A file that is no bundle in order gives a module that refuses every call: the log has said why.
  const bool usable = ::executorch::bundled_program::get_program_data(const_cast<void*>(begin), *size, &program,
                                                                      &program_size) == Error::Ok;
  return std::unique_ptr<BundledModule>(new BundledModule(begin, std::move(*bytes), usable, std::move(memory_allocator),
                                                          std::move(temp_allocator), std::move(event_tracer),
                                                          std::move(data_map_loader)));
}

Result<std::vector<EValue>> BundledModule::execute(const std::string& method_name, size_t testset_idx) {
  ET_CHECK_OR_RETURN_ERROR(usable_, InvalidArgument, "the module has no bundled program");
  const Result<Method*> m = method(method_name);
  if (!m.ok()) return m.error();
  ET_CHECK_OK_OR_RETURN_ERROR(::executorch::bundled_program::load_bundled_input(**m, bytes_, testset_idx));
  return Module::execute(method_name);
}

Error BundledModule::verify_method_outputs(const std::string& method_name, size_t testset_idx, double rtol,
                                           double atol) {
  ET_CHECK_OR_RETURN_ERROR(usable_, InvalidArgument, "the module has no bundled program");
  const Result<Method*> m = method(method_name);
  if (!m.ok()) return m.error();
  return ::executorch::bundled_program::verify_method_outputs(**m, bytes_, testset_idx, rtol, atol);
}

}  // namespace bundled_module
}  // namespace executorch::extension
