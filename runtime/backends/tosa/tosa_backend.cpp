// TOSABackend: the interpreter as a delegate.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runtime/backends/backend.h"
#include "runtime/backends/tosa/boundary.h"
#include "runtime/backends/tosa/graph.h"
#include "runtime/platform/log.h"

namespace et {
namespace tosa {
namespace {

struct FreeBytes {
  void operator()(uint8_t* p) const { std::free(p); }
};

struct Instance {
  std::unique_ptr<uint8_t, FreeBytes> copy;  // of a payload that is not aligned
  std::unique_ptr<Graph> graph;
  std::vector<Boundary> inputs, outputs;
};

class TosaBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer* processed, ArrayRef<CompileSpec>) const override {
    // The standard library's containers throw where there is no memory; the runtime does not.
    try {
      auto instance = std::make_unique<Instance>();
      ET_CHECK_OK_OR_RETURN_ERROR(load(*processed, instance.get()));
      return static_cast<DelegateHandle*>(instance.release());
    } catch (const std::bad_alloc&) {
      ET_LOG(Error, "TOSABackend: out of memory");
      return Error::MemoryAllocationFailed;
    }
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    try {
      return run(context, *static_cast<Instance*>(handle), args);
    } catch (const std::bad_alloc&) {
      ET_LOG(Error, "TOSABackend: out of memory");
      return Error::MemoryAllocationFailed;
    }
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<Instance*>(handle); }

 private:
  static Error load(const FreeableBuffer& processed, Instance* instance) {
    const auto* bytes = static_cast<const uint8_t*>(processed.data());
    if (reinterpret_cast<uintptr_t>(bytes) % 8 != 0) {
      instance->copy.reset(static_cast<uint8_t*>(std::aligned_alloc(64, (processed.size() / 64 + 1) * 64)));
      if (instance->copy == nullptr) return Error::MemoryAllocationFailed;
      std::memcpy(instance->copy.get(), bytes, processed.size());
      bytes = instance->copy.get();
    }
    std::string cause;
    const Error error = Graph::load({bytes, processed.size()}, Limits(), &instance->graph, &cause);
    if (error != Error::Ok) {
      ET_LOG(Error, "TOSABackend: %s", cause.c_str());
      return error;
    }
    const Block& main = instance->graph->main();
    for (size_t i = 0; i < main.inputs.size(); ++i) instance->inputs.emplace_back(main.input(i));
    for (size_t i = 0; i < main.outputs.size(); ++i) instance->outputs.emplace_back(main.output(i));
    return Error::Ok;
  }

  static Error wrong(const char* kind, size_t i, const std::string& cause) {
    ET_LOG(Error, "TOSABackend: %s %zu: %s", kind, i, cause.c_str());
    return Error::InvalidArgument;
  }

  static Error run(BackendExecutionContext& context, Instance& instance, Span<EValue*> args) {
    const size_t n_in = instance.inputs.size(), n_out = instance.outputs.size();
    ET_CHECK_OR_RETURN_ERROR(args.size() == n_in + n_out, InvalidArgument,
                             "TOSABackend: expected %zu inputs and %zu outputs, got %zu arguments", n_in, n_out,
                             args.size());
    std::string cause;
    std::vector<const uint8_t*> in(n_in);
    std::vector<uint8_t*> out(n_out);
    for (size_t i = 0; i < n_in; ++i) {
      if (!args[i]->isTensor()) return wrong("input", i, "expected a tensor");
      in[i] = instance.inputs[i].read(args[i]->toTensor(), &cause);
      if (in[i] == nullptr) return wrong("input", i, cause);
    }
    for (size_t i = 0; i < n_out; ++i) {
      if (!args[n_in + i]->isTensor()) return wrong("output", i, "expected a tensor");
      out[i] = instance.outputs[i].begin_write(args[n_in + i]->toTensor(), &cause);
      if (out[i] == nullptr) return wrong("output", i, cause);
    }
    Run run(context.event_tracer(), instance.graph->limits());
    if (!run.block(instance.graph->main(), in, out)) {
      ET_LOG(Error, "TOSABackend: %s", run.error().c_str());
      return Error::InvalidArgument;
    }
    for (size_t i = 0; i < n_out; ++i) instance.outputs[i].end_write(args[n_in + i]->toTensor());
    return Error::Ok;
  }
};

}  // namespace
}  // namespace tosa

Error register_tosa_backend();

namespace {

const BackendInterface& backend_of_tosa() {
  static const tosa::TosaBackend backend;
  return backend;
}

}  // namespace

Error register_tosa_backend() {
  static Backend rows[] = {
#define ET_BACKEND(name, interface, refuses) {name, &interface()},
#include "runtime/backends/tosa/backends.def"
#undef ET_BACKEND
  };
  for (Backend& row : rows) ET_CHECK_OK_OR_RETURN_ERROR(register_backend(&row));
  return Error::Ok;
}

}  // namespace et
