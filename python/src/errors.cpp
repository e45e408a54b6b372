// Errors of the libraries become exceptions of et_inspect.errors, with the code and the whole message.
#include <new>

#include "python/src/bindings.h"

namespace et::python {

void fail(Error code, std::string message) { throw Failure{code, std::move(message)}; }

void check(const Status& status) {
  if (!status.ok()) fail(status.code(), status.message());
}

void fail_closed(const char* what) { fail(Error::InvalidState, std::string(what) + ": it is closed"); }

namespace {

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& f) {
    try {
      const nb::object text = nb::steal(
          PyUnicode_DecodeUTF8(f.message.data(), static_cast<Py_ssize_t>(f.message.size()), "backslashreplace"));
      const nb::object exception = nb::module_::import_("et_inspect.errors")
                                       .attr("from_code")(static_cast<uint32_t>(f.code), error_name(f.code), text);
      PyErr_SetObject(exception.type().ptr(), exception.ptr());
    } catch (nb::python_error& e) {
      e.restore();
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace et::python
