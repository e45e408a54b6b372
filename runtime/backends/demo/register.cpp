#include "runtime/backends/demo/backends.h"
#include "runtime/platform/log.h"

namespace et {

Error register_demo_backend();

Error register_demo_backend() {
  static Backend rows[] = {
#define ET_BACKEND(name, interface, refuses) {name, &interface()},
#include "runtime/backends/demo/backends.def"
#undef ET_BACKEND
  };
  for (Backend& row : rows) ET_CHECK_OK_OR_RETURN_ERROR(register_backend(&row));
  return Error::Ok;
}

}  // namespace et
