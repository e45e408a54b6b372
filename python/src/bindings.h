// What the files of the module share: each binds one part of the package.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "base/status.h"

namespace et::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_table(nb::module_& m);
void bind_trace(nb::module_& m);
void bind_events(nb::module_& m);
void bind_program(nb::module_& m);
void bind_dataset(nb::module_& m);

/// Becomes the exception of et_inspect.errors that the code stands for.
struct Failure {
  Error code;
  std::string message;
};
[[noreturn]] void fail(Error code, std::string message);
void check(const Status& status);

/// "closed": for objects that a with block has left.
[[noreturn]] void fail_closed(const char* what);

}  // namespace et::python
