#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "python/src/table_object.h"

namespace et::python {
namespace {

nb::object text_of(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object cell(const Column& column, size_t row) {
  if (column.is_null(row)) return nb::none();
  switch (column.kind()) {
    case ColumnKind::Integer:
      return nb::int_(column.integers()[row]);
    case ColumnKind::Real:
      return nb::float_(column.reals()[row]);
    case ColumnKind::Text:
      return text_of(column.text(row));
    case ColumnKind::Blob:
      return nb::bytes(column.text(row).data(), column.text(row).size());
    case ColumnKind::Null:
      break;
  }
  return nb::none();
}

nb::list values(const Table& table, size_t index) {
  if (index >= table.data->columns.size()) throw nb::index_error("no such column");
  const Column& column = table.data->columns[index];
  nb::list out;
  for (size_t row = 0; row < column.size(); ++row) out.append(cell(column, row));
  return out;
}

/// Numbers as they lie, read-only; None for texts. With nulls also the mask of them.
template <class T>
nb::object view_of(const Table& table, const std::vector<T>& numbers) {
  auto* keep = new std::shared_ptr<const TableData>(table.data);
  const nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<const TableData>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(numbers.data(), {numbers.size()}, owner));
}

nb::object numbers(const Table& table, size_t index) {
  if (index >= table.data->columns.size()) throw nb::index_error("no such column");
  const Column& column = table.data->columns[index];
  if (column.kind() == ColumnKind::Integer) return view_of(table, column.integers());
  if (column.kind() == ColumnKind::Real) return view_of(table, column.reals());
  return nb::none();
}

nb::object null_mask(const Table& table, size_t index) {
  if (index >= table.data->columns.size()) throw nb::index_error("no such column");
  const Column& column = table.data->columns[index];
  if (column.nulls() == 0) return nb::none();
  auto* mask = new std::vector<uint8_t>(column.size());
  for (size_t i = 0; i < column.size(); ++i) (*mask)[i] = column.is_null(i) ? 1 : 0;
  const nb::capsule owner(mask, [](void* p) noexcept { delete static_cast<std::vector<uint8_t>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, bool, nb::ndim<1>>(mask->data(), {mask->size()}, owner));
}

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table")
      .def("__len__", [](const Table& t) { return t.data->rows; })
      .def_prop_ro("names",
                   [](const Table& t) {
                     nb::list names;
                     for (const Column& column : t.data->columns) names.append(text_of(column.name()));
                     return names;
                   })
      .def("values", &values, nb::arg("column"))
      .def("numbers", &numbers, nb::arg("column"))
      .def("null_mask", &null_mask, nb::arg("column"))
      .def(
          "__arrow_c_stream__", [](const Table& t, nb::handle) { return arrow_stream(t.data); },
          nb::arg("requested_schema") = nb::none());
}

}  // namespace et::python
