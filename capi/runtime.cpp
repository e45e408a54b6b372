// The C interface over et::Module and ETDumpGen.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "capi/call.h"
#include "capi/et_runtime.h"
#include "capi/handles.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/platform/log.h"

namespace et::capi {
namespace {

#define ET_NEED(pointer) ET_CHECK_OR_RETURN_ERROR((pointer) != nullptr, InvalidArgument, "%s: null", #pointer)

EventTracer* tracer_of(const et_program& p) { return p.trace == nullptr ? nullptr : &p.trace->gen; }

Error load_method(et_program* program, const char* method, ArrayRef<BackendLoadOptions> options = {}) {
  ET_NEED(program);
  ET_NEED(method);
  return program->module->load_method(method, nullptr, tracer_of(*program), {}, options);
}

/// Options by their backend.
using Settings = std::map<std::string, std::vector<BackendOption>>;

Error read_settings(const et_backend_option* given, size_t count, Settings* out) {
  ET_CHECK_OR_RETURN_ERROR(count == 0 || given != nullptr, InvalidArgument, "options: null with a count of %zu", count);
  for (size_t i = 0; i < count; ++i) {
    const et_backend_option& o = given[i];
    ET_CHECK_OR_RETURN_ERROR(o.backend != nullptr && o.key != nullptr, InvalidArgument,
                             "options[%zu]: backend or key is null", i);
    ET_CHECK_OR_RETURN_ERROR(std::strlen(o.key) < kMaxOptionKeyLength, InvalidArgument,
                             "options[%zu]: a key of %zu characters is too long", i, std::strlen(o.key));
    BackendOption option{string_view(o.key)};
    switch (o.kind) {
      case ET_OPTION_BOOL:
        option.set(o.value != 0);
        break;
      case ET_OPTION_INT:
        option.set(o.value);
        break;
      case ET_OPTION_TEXT:
        ET_CHECK_OR_RETURN_ERROR(o.text != nullptr && std::strlen(o.text) < kMaxOptionValueLength, InvalidArgument,
                                 "options[%zu]: text is null, or has %zu or more characters", i, kMaxOptionValueLength);
        option.set(o.text);
        break;
      default:
        ET_LOG(Error, "options[%zu]: unknown kind %d", i, static_cast<int>(o.kind));
        return Error::InvalidArgument;
    }
    (*out)[o.backend].push_back(option);
  }
  return Error::Ok;
}

struct Options {
  Module::LoadMode mode = Module::LoadMode::File;
  std::vector<std::string> data_files;
  bool share = false;
  std::shared_ptr<et_trace_state> trace;
};

Error read_options(const et_open_options* given, Options* out) {
  if (given == nullptr) return Error::Ok;
  et_open_options o = {};
  ET_CHECK_OR_RETURN_ERROR(given->size >= sizeof(size_t), InvalidArgument, "options: size is not set");
  std::memcpy(&o, given, given->size < sizeof(o) ? given->size : sizeof(o));
  ET_CHECK_OR_RETURN_ERROR(o.load_mode >= ET_LOAD_FILE && o.load_mode <= ET_LOAD_MMAP_READ_AHEAD, InvalidArgument,
                           "options: unknown load_mode %d", static_cast<int>(o.load_mode));
  out->mode = static_cast<Module::LoadMode>(o.load_mode);
  ET_CHECK_OR_RETURN_ERROR(o.data_file_count == 0 || o.data_files != nullptr, InvalidArgument,
                           "options: data_files is null with a count of %zu", o.data_file_count);
  for (size_t i = 0; i < o.data_file_count; ++i) {
    ET_CHECK_OR_RETURN_ERROR(o.data_files[i] != nullptr, InvalidArgument, "options: data_files[%zu]: null", i);
    out->data_files.emplace_back(o.data_files[i]);
  }
  out->share = o.share_memory_arenas != 0;
  if (o.tracer != nullptr) out->trace = o.tracer->state;
  return Error::Ok;
}

Error value_info(Result<Tag> tag, const Result<TensorInfo>& tensor, size_t index, et_value_info* info) {
  ET_CHECK_OR_RETURN_ERROR(tag.ok(), InvalidArgument, "value %zu is out of range", index);
  *info = {};
  info->kind = *tag <= Tag::String ? static_cast<et_value_kind>(*tag) : ET_VALUE_OTHER;
  if (!tensor.ok()) return Error::Ok;
  info->dtype = static_cast<et_dtype>(tensor->scalar_type());
  info->rank = tensor->sizes().size();
  info->sizes = tensor->sizes().data();
  info->bytes = tensor->nbytes();
  info->dynamic = tensor->is_dynamic();
  return Error::Ok;
}

et_tensor_view view_of(const Tensor& t) {
  return {static_cast<et_dtype>(t.scalar_type()),
          static_cast<size_t>(t.dim()),
          t.sizes().data(),
          t.strides().data(),
          t.mutable_data_ptr(),
          t.nbytes()};
}

Error check_tensor(et_dtype dtype, const int32_t* sizes, size_t rank, size_t* bytes) {
  *bytes = element_size(static_cast<ScalarType>(dtype));
  ET_CHECK_OR_RETURN_ERROR(dtype >= 0 && dtype < 30 && *bytes > 0, InvalidArgument, "tensor: unsupported dtype %d",
                           static_cast<int>(dtype));
  ET_CHECK_OR_RETURN_ERROR(rank <= kTensorDimensionLimit, InvalidArgument, "tensor: rank %zu exceeds the limit of %zu",
                           rank, kTensorDimensionLimit);
  ET_CHECK_OR_RETURN_ERROR(rank == 0 || sizes != nullptr, InvalidArgument, "tensor: sizes: null");
  for (size_t i = 0; i < rank; ++i) {
    ET_CHECK_OR_RETURN_ERROR(sizes[i] >= 0 && !__builtin_mul_overflow(*bytes, static_cast<size_t>(sizes[i]), bytes) &&
                                 *bytes <= static_cast<size_t>(PTRDIFF_MAX),
                             InvalidArgument, "tensor: invalid size %d of dimension %zu", static_cast<int>(sizes[i]),
                             i);
  }
  return Error::Ok;
}

Error set_input(et_program* program, const char* method, size_t index, const EValue& value, TensorPtr keep = nullptr) {
  ET_CHECK_OK_OR_RETURN_ERROR(load_method(program, method));
  ET_CHECK_OK_OR_RETURN_ERROR(program->module->set_input(method, value, index));
  program->inputs[{method, index}] = std::move(keep);
  return Error::Ok;
}

Error read_value(const EValue& v, et_value* out) {
  *out = {};
  out->kind = v.tag <= Tag::String ? static_cast<et_value_kind>(v.tag) : ET_VALUE_OTHER;
  switch (v.tag) {
    case Tag::Int:
      out->as_int = v.toInt();
      break;
    case Tag::Bool:
      out->as_int = v.toBool();
      break;
    case Tag::Double:
      out->as_double = v.toDouble();
      break;
    case Tag::String:
      out->as_string = v.toString().data();
      out->string_length = v.toString().size();
      break;
    case Tag::Tensor:
      out->tensor = view_of(v.toTensor());
      break;
    default:
      break;
  }
  return Error::Ok;
}

Error finish_open(std::unique_ptr<et_program> program, et_program** out) {
  ET_CHECK_OK_OR_RETURN_ERROR(program->module->load());
  *out = program.release();
  return Error::Ok;
}

}  // namespace
}  // namespace et::capi

using namespace et;
using et::capi::call;

const char* et_status_name(et_status status) { return error_name(static_cast<Error>(status)); }
const char* et_dtype_name(et_dtype dtype) {
  return et_dtype_size(dtype) == 0 ? "unknown" : scalar_type_name(static_cast<ScalarType>(dtype));
}
size_t et_dtype_size(et_dtype dtype) {
  return dtype < 0 || dtype >= 30 ? 0 : element_size(static_cast<ScalarType>(dtype));
}
const char* et_version(void) { return ET_VERSION; }
int et_capi_version(void) { return ET_CAPI_VERSION; }

// --- Tensors --------------------------------------------------------------------------------------------------------

et_status et_tensor_create(et_dtype dtype, const int32_t* sizes, size_t rank, const void* data, size_t bytes,
                           et_tensor** tensor) {
  return call([&]() -> Error {
    ET_NEED(tensor);
    size_t wanted = 0;
    ET_CHECK_OK_OR_RETURN_ERROR(capi::check_tensor(dtype, sizes, rank, &wanted));
    ET_CHECK_OR_RETURN_ERROR(data == nullptr || bytes == wanted, InvalidArgument, "tensor: expected %zu bytes, got %zu",
                             wanted, bytes);
    std::vector<uint8_t> own(wanted);
    if (data != nullptr && wanted > 0) std::memcpy(own.data(), data, wanted);
    std::vector<int32_t> shape(sizes, sizes + rank);
    *tensor = new et_tensor{make_tensor_ptr(std::move(shape), std::move(own), static_cast<ScalarType>(dtype))};
    return Error::Ok;
  });
}

et_status et_tensor_wrap(et_dtype dtype, const int32_t* sizes, size_t rank, void* data, size_t bytes,
                         et_tensor** tensor) {
  return call([&]() -> Error {
    ET_NEED(tensor);
    size_t wanted = 0;
    ET_CHECK_OK_OR_RETURN_ERROR(capi::check_tensor(dtype, sizes, rank, &wanted));
    ET_CHECK_OR_RETURN_ERROR(bytes >= wanted && (data != nullptr || wanted == 0), InvalidArgument,
                             "tensor: expected %zu bytes, got %zu", wanted, data == nullptr ? 0 : bytes);
    std::vector<int32_t> shape(sizes, sizes + rank);
    *tensor = new et_tensor{make_tensor_ptr(std::move(shape), data, static_cast<ScalarType>(dtype))};
    return Error::Ok;
  });
}

void et_tensor_free(et_tensor* tensor) { delete tensor; }

et_status et_tensor_get(const et_tensor* tensor, et_tensor_view* view) {
  return call([&]() -> Error {
    ET_NEED(tensor);
    ET_NEED(view);
    *view = capi::view_of(*tensor->tensor);
    return Error::Ok;
  });
}

// --- Programs -------------------------------------------------------------------------------------------------------

et_status et_program_open(const char* path, const et_open_options* options, et_program** program) {
  return call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(path);
    capi::Options o;
    ET_CHECK_OK_OR_RETURN_ERROR(capi::read_options(options, &o));
    auto p = std::make_unique<et_program>();
    p->trace = o.trace;
    p->module = std::make_unique<Module>(path, o.data_files, o.mode, nullptr, nullptr, nullptr, o.share);
    return capi::finish_open(std::move(p), program);
  });
}

et_status et_program_open_buffer(const void* data, size_t size, const et_open_options* options, et_program** program) {
  return call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(data);
    capi::Options o;
    ET_CHECK_OK_OR_RETURN_ERROR(capi::read_options(options, &o));
    constexpr size_t kAlignment = 64;
    ET_CHECK_OR_RETURN_ERROR(size <= PTRDIFF_MAX - kAlignment, InvalidArgument,
                             "program: a size of %zu bytes is too large", size);
    auto p = std::make_unique<et_program>();
    p->trace = o.trace;
    p->bytes.resize(size + kAlignment);
    auto* start = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(p->bytes.data()) + kAlignment - 1) &
                                             ~(uintptr_t{kAlignment} - 1));
    std::memcpy(start, data, size);
    const BufferDataLoader loader(start, size);
    p->module = std::make_unique<Module>(std::make_unique<BufferDataLoader>(loader), o.data_files, o.mode, o.share);
    return capi::finish_open(std::move(p), program);
  });
}

void et_program_close(et_program* program) { delete program; }

size_t et_program_method_count(const et_program* program) {
  return program == nullptr ? 0 : program->module->program()->num_methods();
}

const char* et_program_method_name(const et_program* program, size_t index) {
  if (program == nullptr) return nullptr;
  const Result<const char*> name = program->module->program()->get_method_name(index);
  return name.ok() ? *name : nullptr;
}

et_status et_method_count_values(et_program* program, const char* method, size_t* inputs, size_t* outputs) {
  return call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(method);
    const Result<MethodMeta> meta = program->module->method_meta(method);
    if (!meta.ok()) return meta.error();
    if (inputs != nullptr) *inputs = meta->num_inputs();
    if (outputs != nullptr) *outputs = meta->num_outputs();
    return Error::Ok;
  });
}

et_status et_method_input_info(et_program* program, const char* method, size_t index, et_value_info* info) {
  return call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(method);
    ET_NEED(info);
    const Result<MethodMeta> meta = program->module->method_meta(method);
    if (!meta.ok()) return meta.error();
    return capi::value_info(meta->input_tag(index), meta->input_tensor_meta(index), index, info);
  });
}

et_status et_method_output_info(et_program* program, const char* method, size_t index, et_value_info* info) {
  return call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(method);
    ET_NEED(info);
    const Result<MethodMeta> meta = program->module->method_meta(method);
    if (!meta.ok()) return meta.error();
    return capi::value_info(meta->output_tag(index), meta->output_tensor_meta(index), index, info);
  });
}

const char* et_method_backend(et_program* program, const char* method, size_t index) {
  const char* name = nullptr;
  call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(method);
    const Result<MethodMeta> meta = program->module->method_meta(method);
    if (!meta.ok()) return meta.error();
    const Result<const char*> backend = meta->get_backend_name(index);
    if (backend.ok()) name = *backend;
    return Error::Ok;
  });
  return name;
}

et_status et_program_load_method(et_program* program, const char* method) {
  return call([&] { return capi::load_method(program, method); });
}

et_status et_program_load_method_with(et_program* program, const char* method, const et_backend_option* options,
                                      size_t count) {
  return call([&]() -> Error {
    capi::Settings settings;
    ET_CHECK_OK_OR_RETURN_ERROR(capi::read_settings(options, count, &settings));
    std::vector<BackendLoadOptions> lists;
    for (const auto& [backend, list] : settings) lists.push_back({backend, {list.data(), list.size()}});
    return capi::load_method(program, method, {lists.data(), lists.size()});
  });
}

et_status et_program_unload_method(et_program* program, const char* method) {
  return call([&]() -> Error {
    ET_NEED(program);
    ET_NEED(method);
    ET_CHECK_OR_RETURN_ERROR(program->module->unload_method(method), NotFound, "method %s is not loaded", method);
    std::erase_if(program->inputs, [&](const auto& input) { return input.first.first == method; });
    return Error::Ok;
  });
}

// --- Execution ------------------------------------------------------------------------------------------------------

et_status et_program_set_tensor(et_program* program, const char* method, size_t index, const et_tensor* tensor) {
  return call([&]() -> Error {
    ET_NEED(tensor);
    return capi::set_input(program, method, index, EValue(tensor->tensor), tensor->tensor);
  });
}
et_status et_program_set_int(et_program* program, const char* method, size_t index, int64_t value) {
  return call([&] { return capi::set_input(program, method, index, EValue(value)); });
}
et_status et_program_set_double(et_program* program, const char* method, size_t index, double value) {
  return call([&] { return capi::set_input(program, method, index, EValue(value)); });
}
et_status et_program_set_bool(et_program* program, const char* method, size_t index, int value) {
  return call([&] { return capi::set_input(program, method, index, EValue(value != 0)); });
}
et_status et_program_set_none(et_program* program, const char* method, size_t index) {
  return call([&] { return capi::set_input(program, method, index, EValue()); });
}

et_status et_program_execute(et_program* program, const char* method) {
  return call([&]() -> Error {
    ET_CHECK_OK_OR_RETURN_ERROR(capi::load_method(program, method));
    return program->module->execute(method).error();
  });
}

et_status et_program_get_output(et_program* program, const char* method, size_t index, et_value* value) {
  return call([&]() -> Error {
    ET_NEED(value);
    ET_CHECK_OK_OR_RETURN_ERROR(capi::load_method(program, method));
    const Result<EValue> output = program->module->get_output(method, index);
    return output.ok() ? capi::read_value(*output, value) : output.error();
  });
}

// --- Tracing --------------------------------------------------------------------------------------------------------

et_status et_tracer_create(size_t max_bytes, et_tracer** tracer) {
  return call([&]() -> Error {
    ET_NEED(tracer);
    auto t = std::make_unique<et_tracer>();
    t->state = std::make_shared<et_trace_state>();
    if (max_bytes > 0) t->state->gen.set_max_bytes(max_bytes);
    *tracer = t.release();
    return Error::Ok;
  });
}

void et_tracer_free(et_tracer* tracer) { delete tracer; }

et_status et_tracer_record_values(et_tracer* tracer, et_trace_values which, const char* debug_path) {
  return call([&]() -> Error {
    ET_NEED(tracer);
    ET_NEED(debug_path);
    ET_CHECK_OR_RETURN_ERROR(which >= ET_TRACE_NO_VALUES && which <= ET_TRACE_INTERMEDIATES, InvalidArgument,
                             "tracer: unknown values %d", static_cast<int>(which));
    Result<etdump::FileDataSink> sink = etdump::FileDataSink::create(debug_path);
    ET_CHECK_OR_RETURN_ERROR(sink.ok(), AccessFailed, "%s: cannot open for writing", debug_path);
    auto values = std::make_unique<etdump::FileDataSink>(std::move(*sink));
    tracer->state->gen.set_data_sink(values.get());
    tracer->state->values = std::move(values);
    tracer->state->gen.set_event_tracer_debug_level(static_cast<EventTracerDebugLogLevel>(which));
    return Error::Ok;
  });
}

size_t et_tracer_block_count(const et_tracer* tracer) {
  return tracer == nullptr ? 0 : tracer->state->gen.get_num_blocks();
}

et_status et_tracer_write(et_tracer* tracer, const char* path) {
  return call([&]() -> Error {
    ET_NEED(tracer);
    ET_NEED(path);
    // Whoever reads the dump reads the values, too.
    ET_CHECK_OR_RETURN_ERROR(tracer->state->values == nullptr || tracer->state->values->flush(), OutOfResources,
                             "tracer: the file of values: write failed");
    const etdump::ETDumpResult dump = tracer->state->gen.get_etdump_data();
    const std::unique_ptr<void, void (*)(void*)> owned(dump.buf, &std::free);
    ET_CHECK_OR_RETURN_ERROR(dump.buf != nullptr, InvalidState, "tracer: nothing was recorded");
    std::FILE* file = std::fopen(path, "wb");
    ET_CHECK_OR_RETURN_ERROR(file != nullptr, AccessFailed, "%s: cannot open for writing", path);
    const bool wrote = std::fwrite(dump.buf, 1, dump.size, file) == dump.size;
    ET_CHECK_OR_RETURN_ERROR(std::fclose(file) == 0 && wrote, OutOfResources, "%s: write failed", path);
    return Error::Ok;
  });
}
