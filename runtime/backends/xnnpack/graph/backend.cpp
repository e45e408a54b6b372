// The backend's entry points. What they create and destroy: one Executor a delegate.
#include "runtime/backends/backend.h"

#include <cstring>
#include <new>

#include "runtime/backends/xnnpack/backend.h"
#include "runtime/backends/xnnpack/graph/executor.h"
#include "runtime/backends/xnnpack/graph/loader.h"
#include "runtime/backends/xnnpack/graph/options.h"
#include "runtime/platform/log.h"

namespace et::xnn {
namespace {

class Backend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    try {
      return load(context, processed);
    } catch (const std::bad_alloc&) {
      ET_LOG(Error, "XNNPACK: out of memory while loading the delegate");
      return Error::MemoryAllocationFailed;
    }
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    try {
      return static_cast<Executor*>(handle)->execute(context.event_tracer(), args);
    } catch (const std::bad_alloc&) {
      ET_LOG(Error, "XNNPACK: out of memory while running the delegate");
      return Error::MemoryAllocationFailed;
    }
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<Executor*>(handle); }

  Error set_option(Span<const BackendOption> options) const override {
    for (const BackendOption& option : options) ET_CHECK_OK_OR_RETURN_ERROR(options_.set(option));
    return Error::Ok;
  }
  Error get_option(Span<BackendOption> options) const override {
    for (BackendOption& option : options) options_.get(&option);
    return Error::Ok;
  }

 private:
  Result<DelegateHandle*> load(BackendInitContext& context, FreeableBuffer* processed) const {
    Options options;
    ET_CHECK_OK_OR_RETURN_ERROR(options_.resolve(context, &options));
    const auto* bytes = static_cast<const uint8_t*>(processed->data());
    std::vector<uint64_t> aligned;  // payloads may lie anywhere in a program, the verified view wants them aligned
    if (reinterpret_cast<uintptr_t>(bytes) % sizeof(uint64_t) != 0) {
      aligned.resize(processed->size() / sizeof(uint64_t) + 1);
      std::memcpy(aligned.data(), bytes, processed->size());
      bytes = reinterpret_cast<const uint8_t*>(aligned.data());
    }
    format::XnnpackPayload payload;
    const FileError error = format::XnnpackPayload::open({bytes, processed->size()}, &payload);
    if (!error.ok()) {
      ET_LOG(Error, "XNNPACK payload: at byte %llu: %s: expected %s", static_cast<unsigned long long>(error.offset),
             error.field, error.expected);
      return error.code;
    }
    Graph graph;
    graph.winograd = options.winograd();
    WeightCache own;
    WeightCache& cache = options.weight_cache() ? WeightCache::shared() : own;
    ET_CHECK_OK_OR_RETURN_ERROR(
        load_graph(payload, context.get_named_data_map(), cache, context.event_tracer(), &graph));
    // Nothing refers to the payload any more.
    processed->Free();
    return static_cast<DelegateHandle*>(new Executor(std::move(graph),
                                                     get_workspace(options.sharing(), context.get_runtime_allocator()),
                                                     options.workspace_limit()));
  }

  mutable Options options_;
};

}  // namespace
}  // namespace et::xnn

namespace et {

namespace {

const BackendInterface& backend_of_xnnpack() {
  static const xnn::Backend backend;
  return backend;
}

}  // namespace

Error register_xnnpack_backend() {
  static Backend rows[] = {
#define ET_BACKEND(name, interface, refuses) {name, &interface()},
#include "runtime/backends/xnnpack/backends.def"
#undef ET_BACKEND
  };
  for (Backend& row : rows) ET_CHECK_OK_OR_RETURN_ERROR(register_backend(&row));
  return Error::Ok;
}

}  // namespace et
