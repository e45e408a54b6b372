#include "runtime/backends/demo/backends.h"
#include "runtime/platform/log.h"

namespace et {

Error register_demo_backend();

Error register_demo_backend() {
  static Backend backends[] = {{"BackendWithCompilerDemo", &demo::compiler_demo()},
                               {"ExecutorBackend", &demo::executor_demo()},
                               {"BackendWithDelegateMappingDemo", &demo::mapping_demo()}};
  for (Backend& backend : backends) ET_CHECK_OK_OR_RETURN_ERROR(register_backend(&backend));
  return Error::Ok;
}

}  // namespace et
