#include "runtime/backends/backend.h"

#include "runtime/platform/log.h"

namespace et {
namespace {

constinit Backend* g_first = nullptr;

}  // namespace

Error register_backend(Backend* backend) {
  ET_CHECK_OR_RETURN_ERROR(get_backend_class(backend->name) == nullptr, RegistrationAlreadyRegistered,
                           "backend %s is already registered", backend->name);
  backend->next = g_first;
  g_first = backend;
  return Error::Ok;
}

const BackendInterface* get_backend_class(string_view name) {
  for (const Backend* b = g_first; b != nullptr; b = b->next) {
    if (name == b->name) return b->backend;
  }
  return nullptr;
}

const Backend* first_backend() { return g_first; }

Error set_option(string_view backend, Span<const BackendOption> options) {
  const BackendInterface* const b = get_backend_class(backend);
  ET_CHECK_OR_RETURN_ERROR(b != nullptr, NotFound, "no backend named %.*s", static_cast<int>(backend.size()),
                           backend.data());
  return b->set_option(options);
}

Error get_option(string_view backend, Span<BackendOption> options) {
  const BackendInterface* const b = get_backend_class(backend);
  ET_CHECK_OR_RETURN_ERROR(b != nullptr, NotFound, "no backend named %.*s", static_cast<int>(backend.size()),
                           backend.data());
  return b->get_option(options);
}

}  // namespace et
