// ExecutorBackend: runs the program that is its payload with this runtime.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "runtime/backends/demo/backends.h"
#include "runtime/backends/demo/nested_tracer.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/method_arenas.h"
#include "runtime/platform/log.h"

namespace et::demo {
namespace {

constexpr int kMaxNesting = 16;  // programs inside programs; each level costs stack
thread_local int t_depth = 0;

struct Depth {
  Depth() { ++t_depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  ~Depth() { --t_depth; }
};

struct FreeBytes {
  void operator()(uint8_t* p) const { std::free(p); }
};

struct ProgramInstance {
  std::unique_ptr<uint8_t, FreeBytes> copy;  // when the payload does not lie where a program must
  std::optional<BufferDataLoader> loader;
  std::optional<Program> program;
  std::unique_ptr<MethodArenas> arenas;
  std::optional<NestedTracer> tracer;
  std::optional<Method> method;
};

Error copy_output(const EValue& from, const EValue& to, size_t i) {
  ET_CHECK_OR_RETURN_ERROR(from.isTensor() && to.isTensor(), NotSupported,
                           "ExecutorBackend: output %zu is not a tensor", i);
  const Tensor source = from.toTensor(), target = to.toTensor();
  ET_CHECK_OR_RETURN_ERROR(source.scalar_type() == target.scalar_type(), InvalidArgument,
                           "ExecutorBackend: output %zu is %s in the inner program and %s in the outer one", i,
                           scalar_type_name(source.scalar_type()), scalar_type_name(target.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      source.dim() == target.dim() &&
          std::memcmp(source.dim_order().data(), target.dim_order().data(), static_cast<size_t>(source.dim())) == 0,
      InvalidArgument, "ExecutorBackend: output %zu has different dim orders in the inner and the outer program", i);
  ET_CHECK_OK_OR_RETURN_ERROR(resize_tensor(target, source.sizes()));
  ET_CHECK_OR_RETURN_ERROR(source.nbytes() == 0 || (source.const_data_ptr() != nullptr && target.data_ptr() != nullptr),
                           InvalidState, "ExecutorBackend: output %zu has no memory", i);
  if (source.nbytes() != 0) std::memmove(target.data_ptr(), source.const_data_ptr(), source.nbytes());
  return Error::Ok;
}

/// Nodes of the payload are the instructions of all methods in order.
uint32_t first_node(const format::Program& program) {
  uint32_t first = 0;
  for (uint32_t m = 0; m < program.method_count() && program.method(m).name() != "forward"; ++m) {
    first += program.method(m).instruction_count();
  }
  return first;
}

class ExecutorDemo final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    const Depth depth;
    ET_CHECK_OR_RETURN_ERROR(t_depth <= kMaxNesting, NotSupported, "ExecutorBackend: programs nested more than %d deep",
                             kMaxNesting);
    auto instance = std::make_unique<ProgramInstance>();
    ET_CHECK_OK_OR_RETURN_ERROR(load(context, *processed, instance.get()));
    return static_cast<DelegateHandle*>(instance.release());
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    ProgramInstance& in = *static_cast<ProgramInstance*>(handle);
    const size_t inputs = in.method->inputs_size(), outputs = in.method->outputs_size();
    ET_CHECK_OR_RETURN_ERROR(args.size() == inputs + outputs, InvalidArgument,
                             "ExecutorBackend: %zu arguments for %zu inputs and %zu outputs", args.size(), inputs,
                             outputs);
    for (size_t i = 0; i < inputs; ++i) ET_CHECK_OK_OR_RETURN_ERROR(in.method->set_input(*args[i], i));
    EventTracer* outer = context.event_tracer();
    in.tracer->attach(outer);
    in.method->set_event_tracer(outer == nullptr ? nullptr : &*in.tracer);
    const Error error = in.method->execute();
    in.method->set_event_tracer(nullptr);
    in.tracer->attach(nullptr);
    ET_CHECK_OK_OR_RETURN_ERROR(error);
    for (size_t i = 0; i < outputs; ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(copy_output(in.method->get_output(i), *args[inputs + i], i));
    }
    return Error::Ok;
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<ProgramInstance*>(handle); }

 private:
  static Error load(BackendInitContext& context, const FreeableBuffer& processed, ProgramInstance* in) {
    const auto* bytes = static_cast<const uint8_t*>(processed.data());
    const size_t size = processed.size();
    if (reinterpret_cast<uintptr_t>(bytes) % 16 != 0) {
      in->copy.reset(static_cast<uint8_t*>(std::aligned_alloc(64, (size + 63) / 64 * 64)));
      ET_CHECK_OR_RETURN_ERROR(in->copy != nullptr, MemoryAllocationFailed, "ExecutorBackend: out of memory: %zu bytes",
                               size);
      std::memcpy(in->copy.get(), bytes, size);
      bytes = in->copy.get();
    }
    in->loader.emplace(bytes, size);
    Result<Program> program = Program::load(&*in->loader);
    ET_CHECK_OR_RETURN_ERROR(program.ok(), DelegateInvalidCompatibility,
                             "ExecutorBackend: the payload is not a program: %s", error_name(program.error()));
    in->program.emplace(std::move(*program));
    Result<MethodMeta> meta = in->program->method_meta("forward");
    ET_CHECK_OR_RETURN_ERROR(meta.ok(), InvalidProgram, "ExecutorBackend: the inner program has no method forward");
    Result<std::unique_ptr<MethodArenas>> arenas = MethodArenas::create(*meta);
    if (!arenas.ok()) return arenas.error();
    in->arenas = std::move(*arenas);
    in->tracer.emplace(meta->view(), first_node(in->program->view()));
    Result<Method> method =
        in->program->load_method("forward", in->arenas->manager(), nullptr, context.get_named_data_map());
    if (!method.ok()) return method.error();
    in->method.emplace(std::move(*method));
    return Error::Ok;
  }
};

}  // namespace

const BackendInterface& executor_demo() {
  static const ExecutorDemo backend;
  return backend;
}

}  // namespace et::demo
