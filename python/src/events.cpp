// et_inspect._core.group_events: what et_inspect/compat makes its event blocks of.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "base/mapped_file.h"
#include "python/src/bindings.h"
#include "python/src/event_groups.h"

namespace et::python {
namespace {

nb::str text(std::string_view t) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(t.data(), static_cast<Py_ssize_t>(t.size()), "replace"));
}

nb::tuple tensor_of(const etdump::TensorInfo& t) {
  nb::list sizes;
  for (size_t i = 0; i < t.sizes.size(); ++i) sizes.append(t.sizes[i]);
  return nb::make_tuple(static_cast<int>(t.raw_dtype), sizes, t.offset);
}

/// (kind, value): a tensor is (dtype number, sizes, offset in the debug buffer).
nb::tuple value_of(const etdump::Value& v) {
  switch (v.kind()) {
    case etdump::ValueKind::Int:
      return nb::make_tuple("int", v.as_int());
    case etdump::ValueKind::Bool:
      return nb::make_tuple("bool", v.as_bool());
    case etdump::ValueKind::Float:
    case etdump::ValueKind::Double:
      return nb::make_tuple("float", v.as_double());
    case etdump::ValueKind::Tensor:
      return nb::make_tuple("tensor",
                            v.tensor_count() > 0 ? nb::object(tensor_of(v.tensor(0))) : nb::object(nb::none()));
    case etdump::ValueKind::TensorList: {
      nb::list items;
      for (size_t i = 0; i < v.tensor_count(); ++i) items.append(tensor_of(v.tensor(i)));
      return nb::make_tuple("tensors", items);
    }
    default:
      return nb::make_tuple("none", nb::none());
  }
}

nb::list values_of(const std::vector<etdump::Value>& values) {
  nb::list out;
  for (const etdump::Value& v : values) out.append(value_of(v));
  return out;
}

nb::object identity(bool there, const EventIdentity& e) {
  if (!there) return nb::none();
  return nb::make_tuple(text(e.name),
                        e.delegate_int == -1 ? nb::object(nb::none()) : nb::object(nb::int_(e.delegate_int)),
                        e.delegate_text.empty() ? nb::object(nb::none()) : nb::object(text(e.delegate_text)));
}

/// Rows × runs.
nb::object times(const EventGroup& g, uint64_t RowSample::*member) {
  auto* data = new std::vector<uint64_t>(g.rows.size() * g.runs.size());
  for (size_t run = 0; run < g.runs.size(); ++run) {
    for (size_t row = 0; row < g.rows.size(); ++row) (*data)[row * g.runs.size() + run] = g.runs[run][row].*member;
  }
  const nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<uint64_t>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, uint64_t, nb::ndim<2>>(data->data(), {g.rows.size(), g.runs.size()}, owner));
}

nb::dict group_of(const EventGroup& g) {
  nb::list rows;
  nb::dict metadata, values;
  for (size_t row = 0; row < g.rows.size(); ++row) {
    const RowKey& key = g.rows[row];
    rows.append(
        nb::make_tuple(key.instruction, identity(key.has_profile, key.profile), identity(key.has_debug, key.debug)));
    bool told = false;
    for (const auto& run : g.runs) told |= !run[row].metadata.empty();
    if (told) {
      nb::list texts;
      for (const auto& run : g.runs) texts.append(nb::bytes(run[row].metadata.data(), run[row].metadata.size()));
      metadata[nb::int_(row)] = texts;
    }
    if (key.has_debug) {
      nb::list of_runs;
      for (const auto& run : g.runs) of_runs.append(values_of(run[row].values));
      values[nb::int_(row)] = of_runs;
    }
  }
  nb::list outputs;
  for (const auto& run : g.outputs) outputs.append(values_of(run));
  nb::dict out;
  out["name"] = text(g.name);
  out["bundled_input_index"] = g.bundled_input_index;
  out["rows"] = rows;
  out["starts"] = times(g, &RowSample::start);
  out["ends"] = times(g, &RowSample::end);
  out["metadata"] = metadata;
  out["values"] = values;
  out["outputs"] = outputs;
  return out;
}

nb::tuple result_of(const EventGroups& groups) {
  nb::list out;
  for (const EventGroup& g : groups.groups) out.append(group_of(g));
  return nb::make_tuple(out, groups.lost, groups.first_loss);
}

nb::tuple group_file(const std::string& path) {
  MappedFile file;
  EventGroups groups;
  Status status;
  {
    const nb::gil_scoped_release release;
    status = MappedFile::open(path, &file);
    if (status.ok()) status = group_events(file.bytes(), path, &groups);
  }
  check(status);
  return result_of(groups);
}

nb::tuple group_bytes(const nb::bytes& data) {
  EventGroups groups;
  Status status;
  const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(data.data()), data.size());
  {
    const nb::gil_scoped_release release;
    status = group_events(bytes, "ETDump", &groups);
  }
  check(status);
  return result_of(groups);
}

}  // namespace

void bind_events(nb::module_& m) {
  m.def("group_events", &group_file, nb::arg("path"));
  m.def("group_events", &group_bytes, nb::arg("data"));
}

}  // namespace et::python
