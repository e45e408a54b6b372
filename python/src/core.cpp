// The extension module et_inspect._core. What a person calls is in the Python files around it.
#include "capi/et_status.h"
#include "python/src/bindings.h"

NB_MODULE(_core, m) {
  using namespace et::python;
  m.attr("version") = et_version();
  bind_errors(m);
  bind_table(m);
  bind_trace(m);
  bind_events(m);
  bind_program(m);
  bind_dataset(m);
}
