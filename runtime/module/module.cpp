#include "runtime/module/module.h"

#include <algorithm>

#include "runtime/loader/file_data_loader.h"
#include "runtime/loader/mmap_data_loader.h"
#include "runtime/platform/log.h"

namespace et {
namespace {

template <class L>
Result<std::unique_ptr<DataLoader>> boxed(Result<L> loader) {
  if (!loader.ok()) return loader.error();
  return std::unique_ptr<DataLoader>(std::make_unique<L>(std::move(*loader)));
}

Result<std::unique_ptr<DataLoader>> open_file(const std::string& path, Module::LoadMode mode) {
  using Mlock = MmapDataLoader::MlockConfig;
  switch (mode) {
    case Module::LoadMode::File:
      return boxed(FileDataLoader::from(path.c_str()));
    case Module::LoadMode::Mmap:
      return boxed(MmapDataLoader::from(path.c_str(), Mlock::NoMlock));
    case Module::LoadMode::MmapUseMlock:
      return boxed(MmapDataLoader::from(path.c_str(), Mlock::UseMlock));
    case Module::LoadMode::MmapUseMlockIgnoreErrors:
      return boxed(MmapDataLoader::from(path.c_str(), Mlock::UseMlockIgnoreErrors));
    case Module::LoadMode::MmapUseMadvise:
      return boxed(MmapDataLoader::from(path.c_str(), Mlock::UseMadvise));
  }
  ET_LOG(Error, "%s: unknown load mode %d", path.c_str(), static_cast<int>(mode));
  return Error::InvalidArgument;
}

}  // namespace

Module::Module(const std::string& file_path, LoadMode load_mode, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator, std::unique_ptr<MemoryAllocator> temp_allocator,
               bool share_memory_arenas)
    : Module(file_path, std::vector<std::string>{}, load_mode, std::move(event_tracer), std::move(memory_allocator),
             std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, const std::string& data_map_path, LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path, data_map_path.empty() ? std::vector<std::string>{} : std::vector<std::string>{data_map_path},
             load_mode, std::move(event_tracer), std::move(memory_allocator), std::move(temp_allocator),
             share_memory_arenas) {}

Module::Module(const std::string& file_path, std::vector<std::string> data_files, LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : name_(file_path),
      load_mode_(load_mode),
      share_all_(share_memory_arenas),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(std::move(temp_allocator)),
      event_tracer_(std::move(event_tracer)) {
  runtime_init();
  for (std::string& file : data_files) weights_.emplace_back().name = std::move(file);
}

Module::Module(std::unique_ptr<DataLoader> data_loader, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : share_all_(share_memory_arenas),
      loader_(std::move(data_loader)),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(std::move(temp_allocator)),
      event_tracer_(std::move(event_tracer)) {
  runtime_init();
  if (data_map_loader != nullptr) {
    weights_.emplace_back().name = "external weights";
    weights_.back().loader = std::move(data_map_loader);
  }
}

Module::Module(std::unique_ptr<DataLoader> data_loader, std::vector<std::string> data_files, LoadMode load_mode,
               bool share_memory_arenas)
    : Module(std::string("program"), std::move(data_files), load_mode, nullptr, nullptr, nullptr, share_memory_arenas) {
  loader_ = std::move(data_loader);
}

Module::Module(std::shared_ptr<Program> program, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : Module(std::unique_ptr<DataLoader>(), std::move(memory_allocator), std::move(temp_allocator),
             std::move(event_tracer), std::move(data_map_loader), share_memory_arenas) {
  program_ = std::move(program);
}

// --- Program --------------------------------------------------------------------------------------------------------

Error Module::load(Program::Verification) {
  if (program_ == nullptr) ET_CHECK_OK_OR_RETURN_ERROR(load_program());
  return load_weights();
}

Error Module::load_program() {
  if (loader_ == nullptr) {
    Result<std::unique_ptr<DataLoader>> loader = open_file(name_, load_mode_);
    if (!loader.ok()) return loader.error();
    loader_ = std::move(*loader);
  }
  Result<Program> program = Program::load(loader_.get());
  if (!program.ok()) {
    ET_LOG(Error, "%s: cannot load the program: %s", name_.c_str(), error_name(program.error()));
    return program.error();
  }
  std::shared_ptr<Program> made = own_program(std::move(*program));
  program_ = std::shared_ptr<Program>(made.get(), [loader = loader_, made](Program*) {});
  return Error::Ok;
}

// After the program, also when that was given ready. Nothing is kept when one of the files is bad.
Error Module::load_weights() {
  if (merged_ != nullptr) return Error::Ok;
  SharedArenas shared;
  ET_CHECK_OK_OR_RETURN_ERROR(shared.plan(*program_, share_all_));
  std::vector<const NamedDataMap*> maps;
  for (WeightFile& w : weights_) {
    if (w.loader == nullptr) {
      Result<std::unique_ptr<DataLoader>> loader = open_file(w.name, load_mode_);
      if (!loader.ok()) return loader.error();
      w.loader = std::move(*loader);
    }
    Result<size_t> size = w.loader->size();
    if (!size.ok()) return size.error();
    Result<FreeableBuffer> bytes = w.loader->load(0, *size, {DataLoader::SegmentInfo::Type::External, 0, nullptr});
    if (!bytes.ok()) return bytes.error();
    Result<FlatTensorDataMap> map =
        FlatTensorDataMap::load({static_cast<const uint8_t*>(bytes->data()), bytes->size()}, w.loader.get());
    if (!map.ok()) {
      ET_LOG(Error, "%s: cannot load the tensor file: %s", w.name.c_str(), error_name(map.error()));
      return map.error();
    }
    w.map = std::make_unique<FlatTensorDataMap>(std::move(*map));
    w.bytes = std::move(*bytes);
    maps.push_back(w.map.get());
  }
  const Error distinct = MergedDataMap(maps).check();
  if (distinct != Error::Ok) {
    ET_LOG(Error, "%s: duplicate key in its %zu data files", name_.c_str(), weights_.size());
    return distinct;
  }
  shared_ = std::move(shared);
  weight_maps_ = std::move(maps);
  merged_ = std::make_unique<MergedDataMap>(weight_maps_);
  return Error::Ok;
}

Result<size_t> Module::num_methods() {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  return program_->num_methods();
}

Result<std::unordered_set<std::string>> Module::method_names() {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < program_->num_methods(); ++i) names.emplace(*program_->get_method_name(i));
  return names;
}

Result<MethodMeta> Module::method_meta(const std::string& method_name) {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  std::string names;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    const char* name = *program_->get_method_name(i);
    if (method_name == name) return program_->method_meta(name);
    names += (i > 0 ? ", " : "") + std::string(name);
  }
  ET_LOG(Error, "%s: no method %s; available: %s", name_.c_str(), method_name.c_str(), names.c_str());
  return Error::InvalidArgument;
}

// --- Methods --------------------------------------------------------------------------------------------------------

Error Module::load_method(const std::string& method_name, HierarchicalAllocator* planned_memory,
                          EventTracer* event_tracer, std::vector<Kernel> kernels,
                          ArrayRef<BackendLoadOptions> options) {
  if (is_method_loaded(method_name)) return Error::Ok;
  Result<MethodMeta> meta = method_meta(method_name);
  if (!meta.ok()) return meta.error();
  Loaded loaded;
  loaded.kernels = std::move(kernels);
  if (planned_memory != nullptr) {
    loaded.arenas = MethodArenas::around(*planned_memory, memory_allocator_.get(), temp_allocator_.get());
  } else {
    Result<std::unique_ptr<MethodArenas>> arenas =
        MethodArenas::create(*meta, shared_.given(), memory_allocator_.get(), temp_allocator_.get());
    if (!arenas.ok()) return arenas.error();
    loaded.arenas = std::move(*arenas);
  }
  if (planned_memory == nullptr) shared_.before_load();
  Result<Method> method = program_->load_method(
      method_name.c_str(), loaded.arenas->manager(), event_tracer != nullptr ? event_tracer : event_tracer_.get(),
      weights_.empty() ? nullptr : merged_.get(), loaded.kernels, Program::Unloadable::Refuse, options);
  if (!method.ok()) {
    if (planned_memory == nullptr) shared_.load_failed();
    ET_LOG(Error, "%s: cannot load method %s: %s", name_.c_str(), method_name.c_str(), error_name(method.error()));
    return method.error();
  }
  if (planned_memory == nullptr) shared_.after_load(*meta);
  loaded.method = std::make_unique<Method>(std::move(*method));
  methods_.emplace(method_name, std::move(loaded));
  return Error::Ok;
}

bool Module::unload_method(const std::string& method_name) {
  const auto it = methods_.find(method_name);
  if (it == methods_.end()) return false;
  const MethodMeta meta = it->second.method->method_meta();
  methods_.erase(it);
  shared_.unloaded(meta);
  return true;
}

Result<Module::Loaded*> Module::loaded(const std::string& method_name) {
  ET_CHECK_OK_OR_RETURN_ERROR(load_method(method_name));
  return &methods_.at(method_name);
}

Result<Method*> Module::method(const std::string& method_name) {
  Result<Loaded*> m = loaded(method_name);
  if (!m.ok()) return m.error();
  return (*m)->method.get();
}

// --- Execution, inputs and outputs -----------------------------------------------------------------------------------

Error Module::provide_outputs(Loaded* loaded) const {
  Method& method = *loaded->method;
  const MethodMeta& meta = method.method_meta();
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const EValue& v = method.get_output(i);
    if (!v.isTensor() || v.toTensor().const_data_ptr() != nullptr || v.toTensor().nbytes() == 0) continue;
    const Result<TensorInfo> info = meta.output_tensor_meta(i);
    if (!info.ok() || info->is_memory_planned()) continue;
    bool is_input = false;
    for (size_t k = 0; k < method.inputs_size(); ++k) is_input = is_input || &method.get_input(k) == &v;
    if (is_input) continue;
    std::vector<uint8_t>& memory = loaded->outputs.emplace_back(info->nbytes());
    ET_CHECK_OK_OR_RETURN_ERROR(method.set_output_data_ptr(memory.data(), memory.size(), i));
  }
  return Error::Ok;
}

Result<std::vector<EValue>> Module::execute(const std::string& method_name, const std::vector<EValue>& input_values) {
  Result<Loaded*> m = loaded(method_name);
  if (!m.ok()) return m.error();
  Method& method = *(*m)->method;
  ET_CHECK_OR_RETURN_ERROR(input_values.size() <= method.inputs_size(), InvalidArgument,
                           "method %s expects %zu inputs, got %zu", method_name.c_str(), method.inputs_size(),
                           input_values.size());
  for (size_t i = 0; i < input_values.size(); ++i) ET_CHECK_OK_OR_RETURN_ERROR(method.set_input(input_values[i], i));
  ET_CHECK_OK_OR_RETURN_ERROR(provide_outputs(*m));
  ET_CHECK_OK_OR_RETURN_ERROR(method.execute());
  return get_outputs(method_name);
}

Result<EValue> Module::get(const std::string& method_name, const std::vector<EValue>& input_values) {
  Result<std::vector<EValue>> outputs = execute(method_name, input_values);
  if (!outputs.ok()) return outputs.error();
  ET_CHECK_OR_RETURN_ERROR(!outputs->empty(), InvalidArgument, "method %s has no outputs", method_name.c_str());
  return outputs->front();
}

Error Module::set_input(const std::string& method_name, const EValue& input_value, size_t input_index) {
  Result<Method*> m = method(method_name);
  return m.ok() ? (*m)->set_input(input_value, input_index) : m.error();
}

Error Module::set_inputs(const std::string& method_name, const std::vector<EValue>& input_values) {
  Result<Method*> m = method(method_name);
  return m.ok() ? (*m)->set_inputs(input_values) : m.error();
}

Error Module::set_output(const std::string& method_name, EValue output_value, size_t output_index) {
  Result<Method*> m = method(method_name);
  if (!m.ok()) return m.error();
  ET_CHECK_OR_RETURN_ERROR(output_value.isTensor() && output_value.payload.as_tensor.unsafeGetTensorImpl() != nullptr,
                           InvalidArgument, "output %zu of method %s: expected a tensor, got %s", output_index,
                           method_name.c_str(), tag_name(output_value.tag));
  const Tensor t = output_value.toTensor();
  if (output_index < (*m)->outputs_size() && (*m)->get_output(output_index).isTensor()) {
    const Tensor own = (*m)->get_output(output_index).toTensor();
    ET_CHECK_OR_RETURN_ERROR(own.scalar_type() == t.scalar_type(), InvalidArgument,
                             "output %zu of method %s: expected a tensor of %s, got %s", output_index,
                             method_name.c_str(), scalar_type_name(own.scalar_type()),
                             scalar_type_name(t.scalar_type()));
  }
  return (*m)->set_output_data_ptr(t.mutable_data_ptr(), t.nbytes(), output_index);
}

Error Module::set_outputs(const std::string& method_name, const std::vector<EValue>& output_values) {
  Result<Method*> m = method(method_name);
  if (!m.ok()) return m.error();
  ET_CHECK_OR_RETURN_ERROR(output_values.size() == (*m)->outputs_size(), InvalidArgument,
                           "method %s produces %zu outputs, got %zu", method_name.c_str(), (*m)->outputs_size(),
                           output_values.size());
  for (size_t i = 0; i < output_values.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(set_output(method_name, output_values[i], i));
  }
  return Error::Ok;
}

Result<std::vector<EValue>> Module::get_outputs(const std::string& method_name) {
  Result<Method*> m = method(method_name);
  if (!m.ok()) return m.error();
  std::vector<EValue> outputs((*m)->outputs_size());
  ET_CHECK_OK_OR_RETURN_ERROR((*m)->get_outputs(outputs));
  return outputs;
}

Result<EValue> Module::get_output(const std::string& method_name, size_t output_index) {
  Result<Method*> m = method(method_name);
  if (!m.ok()) return m.error();
  ET_CHECK_OR_RETURN_ERROR(output_index < (*m)->outputs_size(), InvalidArgument,
                           "output %zu is out of range: method %s produces %zu outputs", output_index,
                           method_name.c_str(), (*m)->outputs_size());
  return (*m)->get_output(output_index);
}

}  // namespace et
