// et_inspect._core.Trace: what et_inspect/trace.py builds on.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fstream>

#include "inspector/analysis/findings/finding.h"
#include "inspector/report/delegation_report.h"
#include "inspector/report/exporters.h"
#include "inspector/report/main_report.h"
#include "inspector/report/source_report.h"
#include "python/src/table_object.h"
#include "python/src/trace_costs.h"
#include "python/src/trace_session.h"

namespace et::python {
namespace {

using inspector::Store;

/// A signal's Python handler has raised (Ctrl-C). Takes the interpreter's lock.
class SignalWatch {
 public:
  bool operator()() {
    if (raised_) return true;
    const nb::gil_scoped_acquire lock;
    raised_ = PyErr_CheckSignals() != 0;
    if (raised_) error_ = std::make_unique<nb::python_error>();
    return raised_;
  }
  /// What a callback raised.
  void keep(std::unique_ptr<nb::python_error> error) {
    error_ = std::move(error);
    raised_ = true;
  }
  void rethrow() {
    if (error_ != nullptr) throw nb::python_error(std::move(*error_));
  }

 private:
  bool raised_ = false;
  std::unique_ptr<nb::python_error> error_;
};

struct PyTrace {
  std::shared_ptr<TraceSession> session = std::make_shared<TraceSession>();
};

/// Runs `body` without the interpreter's lock.
template <class F>
void unlocked(const F& body) {
  Status status;
  {
    const nb::gil_scoped_release release;
    status = body();
  }
  check(status);
}

PyTrace import_trace(const inspector::IngestInputs& inputs, const std::string& store, bool neighbours,
                     nb::object progress) {
  PyTrace trace;
  SignalWatch watch;
  const bool tells = !progress.is_none();
  const inspector::Progress step = [&](const char* stage, uint64_t done, uint64_t total) {
    if (watch()) return false;
    if (!tells) return true;
    const nb::gil_scoped_acquire lock;
    try {
      const nb::object answer = progress(stage, done, total);
      if (answer.ptr() != Py_False) return true;
      watch.keep(nullptr);
    } catch (nb::python_error& e) {
      watch.keep(std::make_unique<nb::python_error>(std::move(e)));
    }
    return false;
  };
  Status status;
  {
    const nb::gil_scoped_release release;
    status = trace.session->import_files(inputs, store, neighbours, step);
  }
  watch.rethrow();
  check(status);
  return trace;
}

int64_t sql_integer(const nb::object& number) {
  int64_t out = 0;
  if (!nb::try_cast(number, out))
    fail(Error::InvalidArgument,
         "SQL: expected an integer of at most 64 bits, got " + nb::cast<std::string>(nb::str(number)));
  return out;
}

SqlValue sql_value(nb::handle value) {
  SqlValue out;
  if (value.is_none()) return out;
  if (PyBool_Check(value.ptr()) || PyLong_Check(value.ptr())) {
    out.kind = SqlValue::Kind::Integer;
    out.integer = sql_integer(nb::steal(PyNumber_Long(value.ptr())));
  } else if (PyFloat_Check(value.ptr())) {
    out.kind = SqlValue::Kind::Real;
    out.real = nb::cast<double>(value);
  } else if (PyUnicode_Check(value.ptr())) {
    out.kind = SqlValue::Kind::Text;
    out.bytes = nb::cast<std::string>(value);
  } else if (PyBytes_Check(value.ptr())) {
    const auto bytes = nb::borrow<nb::bytes>(value);
    out.kind = SqlValue::Kind::Blob;
    out.bytes.assign(bytes.c_str(), bytes.size());
  } else if (PyIndex_Check(value.ptr())) {  // numbers of numpy
    out.kind = SqlValue::Kind::Integer;
    out.integer = sql_integer(nb::steal(PyNumber_Index(value.ptr())));
  } else if (nb::hasattr(value, "__float__")) {
    out.kind = SqlValue::Kind::Real;
    out.real = nb::cast<double>(nb::steal(PyNumber_Float(value.ptr())));
  } else {
    fail(Error::InvalidType, std::string("SQL: expected None, int, float, str or bytes as a parameter, got ") +
                                 nb::cast<std::string>(value.type().attr("__name__")));
  }
  return out;
}

SqlParameters sql_parameters(nb::handle given) {
  SqlParameters out;
  if (given.is_none()) return out;
  if (PyDict_Check(given.ptr())) {
    out.named = true;
    for (auto [key, value] : nb::borrow<nb::dict>(given)) {
      out.by_name.emplace_back(nb::cast<std::string>(key), sql_value(value));
    }
    return out;
  }
  for (nb::handle value : nb::borrow<nb::object>(given)) out.by_position.push_back(sql_value(value));
  return out;
}

Table query(PyTrace& trace, const std::string& sql, nb::handle parameters) {
  const SqlParameters values = sql_parameters(parameters);
  std::shared_ptr<TableData> data;
  SignalWatch watch;
  Status status;
  {
    const nb::gil_scoped_release release;
    status = trace.session->query(
        sql, values, [&] { return watch(); }, &data);
  }
  watch.rethrow();
  check(status);
  return {std::move(data)};
}

std::optional<inspector::Basis> basis_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  inspector::Basis basis;
  check(inspector::parse_basis(text, &basis));
  return basis;
}

std::string report(PyTrace& trace, const inspector::ReportOptions& options) {
  std::string out;
  unlocked([&] {
    return trace.session->with_store(
        [&](Store& store) { return inspector::write_main_report(store, trace.session->trace_id(), options, &out); });
  });
  return out;
}

inspector::PathMaps maps_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  inspector::PathMaps maps;
  for (const auto& [from, to] : pairs) maps.push_back({from, to});
  return maps;
}

void export_to(PyTrace& trace, const std::string& format, const std::string& path, int64_t max_executions) {
  const inspector::Exporter* exporter = inspector::find_exporter(format);
  if (exporter == nullptr) {
    std::string names;
    for (const inspector::Exporter& e : inspector::exporters())
      names += std::string(names.empty() ? "" : ", ") + e.name;
    fail(Error::InvalidArgument, "export: expected one of " + names + ", got '" + format + "'");
  }
  unlocked([&] {
    return trace.session->with_store([&](Store& store) -> Status {
      std::ofstream file(path, std::ios::binary | std::ios::trunc);
      if (!file) return {Error::AccessFailed, path + ": cannot be written"};
      inspector::ExportOptions options;
      options.max_executions = max_executions;
      Status status = exporter->write(store, trace.session->trace_id(), options, file);
      file.close();
      if (status.ok() && !file) status = {Error::AccessFailed, path + ": cannot be written"};
      return status;
    });
  });
}

nb::list findings(PyTrace& trace) {
  std::vector<inspector::Finding> found;
  unlocked([&] {
    return trace.session->with_store(
        [&](Store& store) { return inspector::find_findings(store, trace.session->trace_id(), &found); });
  });
  nb::list out;
  for (const inspector::Finding& f : found) {
    nb::dict row;
    row["severity"] = f.severity;
    row["id"] = f.id;
    row["text"] = f.text;
    row["advice"] = f.advice;
    out.append(row);
  }
  return out;
}

std::string delegation(PyTrace& trace, const std::string& format, const std::string& basis, const std::string& method) {
  inspector::DelegationOptions options;
  options.format = format;
  options.basis = basis_of(basis);
  options.method = method;
  options.all = true;
  std::string out;
  unlocked([&] {
    return trace.session->with_store(
        [&](Store& store) { return inspector::write_delegation(store, trace.session->trace_id(), options, &out); });
  });
  return out;
}

std::string source(PyTrace& trace, const std::string& file, const std::string& format, const std::string& basis,
                   int context, const std::vector<std::pair<std::string, std::string>>& maps) {
  inspector::SourceOptions options;
  options.file = file;
  options.format = format;
  options.basis = basis_of(basis);
  options.context = context;
  options.source_maps = maps_of(maps);
  std::string out;
  unlocked([&] {
    return trace.session->with_store(
        [&](Store& store) { return inspector::write_source(store, trace.session->trace_id(), options, &out); });
  });
  return out;
}

void bind_costs(nb::class_<PyTrace>& type) {
  const auto with_basis = [&type](const char* name, auto* costs) {
    type.def(
        name, [costs](PyTrace& t, const std::string& basis) { return costs(*t.session, basis_or_warm(basis)); },
        nb::arg("basis"));
  };
  with_basis("op_costs", &op_costs);
  with_basis("lines", &line_costs);
  with_basis("modules", &module_costs);
}

}  // namespace

void bind_trace(nb::module_& m) {
  m.def(
      "basis_name", [](const std::string& text) { return basis_or_warm(text).name(); }, nb::arg("basis"));
  m.def("exporters", [] {
    nb::list names;
    for (const inspector::Exporter& e : inspector::exporters()) names.append(nb::make_tuple(e.name, e.extension));
    return names;
  });
  nb::class_<PyTrace> type(m, "Trace");
  bind_costs(type);
  type.def_static(
          "import_files",
          [](const std::string& dump, const std::string& record, const std::string& program,
             const std::string& debug_buffer, const std::string& store, const std::string& name,
             const std::string& unit, const std::vector<std::string>& clocks, int64_t dump_index, bool neighbours,
             const std::string& method, nb::object progress) {
            inspector::IngestInputs inputs;
            inputs.dump = dump;
            inputs.record = record;
            inputs.program = program;
            inputs.debug_buffer = debug_buffer;
            inputs.trace_name = name;
            inputs.source_time_scale = unit;
            inputs.delegate_clocks = clocks;
            inputs.dump_index = dump_index;
            inputs.method = method;
            return import_trace(inputs, store, neighbours, std::move(progress));
          },
          nb::arg("dump"), nb::arg("record"), nb::arg("program"), nb::arg("debug_buffer"), nb::arg("store"),
          nb::arg("name"), nb::arg("source_time_scale"), nb::arg("delegate_clocks"), nb::arg("dump_index"),
          nb::arg("neighbours"), nb::arg("method"), nb::arg("progress").none())
      .def_static("open_stored",
                  [](const std::string& address) {
                    PyTrace trace;
                    unlocked([&] { return trace.session->open_stored(address); });
                    return trace;
                  })
      .def("query", &query, nb::arg("sql"), nb::arg("parameters").none())
      .def(
          "report",
          [](PyTrace& t, const std::string& format, const std::string& group_by, const std::string& sort,
             const std::string& filter, const std::string& basis, const std::string& units, int64_t top, bool samples,
             bool values, int width) {
            inspector::ReportOptions options;
            options.format = format;
            options.group_by = group_by;
            options.sort = sort;
            options.filter = filter;
            options.basis = basis_of(basis);
            options.units = units;
            options.top = top;
            options.samples = samples;
            options.values = values;
            options.width = width;
            return report(t, options);
          },
          nb::arg("format"), nb::arg("group_by"), nb::arg("sort"), nb::arg("filter"), nb::arg("basis"),
          nb::arg("units"), nb::arg("top"), nb::arg("samples"), nb::arg("values"), nb::arg("width"))
      .def("delegation", &delegation, nb::arg("format"), nb::arg("basis"), nb::arg("method"))
      .def("source", &source, nb::arg("file"), nb::arg("format"), nb::arg("basis"), nb::arg("context"), nb::arg("maps"))
      .def("findings", &findings)
      .def("export", &export_to, nb::arg("format"), nb::arg("path"), nb::arg("max_executions"))
      .def("copy_to",
           [](PyTrace& t, const std::string& path) {
             unlocked([&] { return t.session->with_store([&](Store& store) { return store.copy_to(path); }); });
           })
      .def_prop_ro("trace_id", [](const PyTrace& t) { return t.session->trace_id(); })
      .def_prop_ro("store_path", [](const PyTrace& t) { return t.session->store_path(); })
      .def_prop_ro("notes", [](const PyTrace& t) { return t.session->notes(); })
      .def_prop_ro("closed",
                   [](PyTrace& t) {
                     const nb::gil_scoped_release release;
                     return t.session->closed();
                   })
      .def("close", [](PyTrace& t) {
        const nb::gil_scoped_release release;
        t.session->close();
      });
}

}  // namespace et::python
