// et_inspect._core.Program: the runtime, through the C interface. et_inspect/runtime.py makes Module and Method of it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <map>
#include <mutex>

#include "capi/et_runtime.h"
#include "capi/handles.h"
#include "python/src/tensor_object.h"

namespace et::python {
namespace {

void check(et_status status) {
  if (status != ET_OK) fail(static_cast<Error>(status), et_last_error());
}

/// One input, converted while the interpreter's lock is held.
struct Input {
  Tag tag = Tag::None;
  int64_t integer = 0;
  double real = 0;
  DenseInput tensor;
  bool as_exported = false;
};

class PyProgram {
  /// Another thread may be in the program and wait for the interpreter's lock: never wait with both.
  template <class F>
  auto locked(const F& f) {
    std::unique_lock lock(mutex_, std::defer_lock);
    {
      const nb::gil_scoped_release unlock;
      lock.lock();
    }
    if (program_ == nullptr) fail_closed("module");
    return f();
  }
  template <class F>
  void unlocked(const F& f) {
    et_status status = ET_OK;
    bool open = true;
    std::string text;
    {
      const nb::gil_scoped_release unlock;
      const std::lock_guard lock(mutex_);
      open = program_ != nullptr;
      if (open) status = f();
      if (status != ET_OK) text = et_last_error();
    }
    if (!open) fail_closed("module");
    if (status != ET_OK) fail(static_cast<Error>(status), text);
  }

 public:
  ~PyProgram() { release(); }

  void open(const std::string& path, const nb::object& data, const std::vector<std::string>& data_files, int load_mode,
            bool share, bool trace, int values, const std::string& debug_path, size_t max_bytes) {
    if (trace) {
      check(et_tracer_create(max_bytes, &tracer_));
      if (values != 0)
        check(et_tracer_record_values(tracer_, static_cast<et_trace_values>(values), debug_path.c_str()));
    }
    std::vector<const char*> files;
    for (const std::string& file : data_files) files.push_back(file.c_str());
    et_open_options options = {};
    options.size = sizeof options;
    options.load_mode = static_cast<et_load_mode>(load_mode);
    options.data_files = files.data();
    options.data_file_count = files.size();
    options.share_memory_arenas = share ? 1 : 0;
    options.tracer = tracer_;
    et_status status = ET_OK;
    if (data.is_none()) {
      const nb::gil_scoped_release unlock;
      status = et_program_open(path.c_str(), &options, &program_);
    } else {
      const auto bytes = nb::borrow<nb::bytes>(data);
      const nb::gil_scoped_release unlock;
      status = et_program_open_buffer(bytes.data(), bytes.size(), &options, &program_);
    }
    check(status);
    for (size_t i = 0; i < et_program_method_count(program_); ++i)
      names_.push_back(et_program_method_name(program_, i));
  }

  const std::vector<std::string>& names() const { return names_; }
  bool traced() const { return tracer_ != nullptr; }

  nb::dict info(const std::string& method) {
    return locked([&]() -> nb::dict {
      size_t inputs = 0, outputs = 0;
      check(et_method_count_values(program_, method.c_str(), &inputs, &outputs));
      nb::list in, out, backends;
      for (size_t i = 0; i < inputs; ++i) in.append(value_info(method, i, et_method_input_info));
      for (size_t i = 0; i < outputs; ++i) out.append(value_info(method, i, et_method_output_info));
      for (size_t i = 0; const char* backend = et_method_backend(program_, method.c_str(), i); ++i) {
        backends.append(backend);
      }
      nb::dict d;
      d["inputs"] = in;
      d["outputs"] = out;
      d["backends"] = backends;
      return d;
    });
  }

  void load(const std::string& method) {
    unlocked([&] { return et_program_load_method(program_, method.c_str()); });
  }
  void unload(const std::string& method) {
    unlocked([&] { return et_program_unload_method(program_, method.c_str()); });
    keep_.erase(method);
  }

  /// `writable[i]`: the runtime may use the array's own memory.
  nb::list run(const std::string& method, const nb::list& values, const std::vector<bool>& writable) {
    std::vector<Input> inputs;
    nb::list arrays;
    for (size_t i = 0; i < values.size(); ++i) inputs.push_back(input_of(method, i, values[i], writable[i], arrays));
    std::vector<PyValue> outputs;
    unlocked([&] { return execute(method, inputs, &outputs); });
    keep_[method] = arrays;  // inputs stay set: so does their memory
    nb::list out;
    for (PyValue& value : outputs) out.append(object_of(value));
    return out;
  }

  /// What an input was exported with: a number or a text; None for a tensor.
  nb::object exported(const std::string& method, size_t index) {
    PyValue out;
    unlocked([&]() -> et_status {
      const Result<Method*> loaded = program_->module->method(method);
      if (!loaded.ok()) {
        const et_status status = et_program_load_method(program_, method.c_str());
        if (status != ET_OK) return status;
      }
      const Result<Method*> ready = program_->module->method(method);
      if (!ready.ok()) return static_cast<et_status>(ready.error());
      if (index < (*ready)->inputs_size() && !(*ready)->get_input(index).isTensor())
        out = copy_value((*ready)->get_input(index));
      return ET_OK;
    });
    return object_of(out);
  }

  void set_traced(const std::string& method, bool traced) {
    unlocked([&]() -> et_status {
      const et_status status = et_program_load_method(program_, method.c_str());
      if (status != ET_OK) return status;
      Result<Method*> loaded = program_->module->method(method);
      if (loaded.ok()) (*loaded)->set_event_tracer(traced && tracer_ != nullptr ? &tracer_->state->gen : nullptr);
      return ET_OK;
    });
  }
  void write_trace(const std::string& path) {
    const bool traced = locked([&] { return tracer_ != nullptr; });
    if (!traced) fail(Error::InvalidState, "trace: the module was opened without trace=True");
    unlocked([&] { return et_tracer_write(tracer_, path.c_str()); });
  }
  size_t blocks() {
    return locked([&] { return et_tracer_block_count(tracer_); });
  }

  void close() {
    {
      const nb::gil_scoped_release unlock;
      const std::lock_guard lock(mutex_);
      release();
    }
    keep_.clear();
  }
  bool closed() const { return program_ == nullptr; }

 private:
  /// An output outside of the runtime's memory.
  struct PyValue {
    Tag tag = Tag::None;
    int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<int64_t> integers;
    std::vector<double> reals;
    std::vector<PyTensor> tensors;
  };

  void release() {
    et_program_close(program_);
    et_tracer_free(tracer_);
    program_ = nullptr;
    tracer_ = nullptr;
  }

  template <class F>
  nb::dict value_info(const std::string& method, size_t index, F* ask) {
    et_value_info info;
    check(ask(program_, method.c_str(), index, &info));
    nb::dict d;
    static constexpr const char* kKinds[] = {"", "none", "int", "bool", "float", "tensor", "str", "other"};
    d["kind"] = kKinds[info.kind];
    if (info.kind != ET_VALUE_TENSOR) return d;
    nb::list shape;
    for (size_t i = 0; i < info.rank; ++i) shape.append(info.sizes[i]);
    d["dtype"] = et_dtype_name(info.dtype);
    d["shape"] = nb::tuple(shape);
    d["dynamic"] = info.dynamic != 0;
    return d;
  }

  /// Order of the dimensions in memory that the program wants of a tensor, {} for row-major.
  std::vector<uint8_t> dim_order(const std::string& method, size_t index) {
    const Result<MethodMeta> meta = program_->module->method_meta(method);
    if (!meta.ok()) return {};
    const Result<TensorInfo> tensor = meta->input_tensor_meta(index);
    if (!tensor.ok()) return {};
    return {tensor->dim_order().begin(), tensor->dim_order().end()};
  }

  Input input_of(const std::string& method, size_t index, nb::handle value, bool writable, nb::list& arrays) {
    Input input;
    if (value.is_none()) return input;
    input.as_exported = value.ptr() == Py_Ellipsis;
    if (input.as_exported) return input;
    if (PyBool_Check(value.ptr())) {
      input.tag = Tag::Bool;
      input.integer = value.ptr() == Py_True ? 1 : 0;
    } else if (PyLong_Check(value.ptr())) {
      input.tag = Tag::Int;
      if (!nb::try_cast(value, input.integer))
        fail(Error::InvalidArgument, "input " + std::to_string(index) +
                                         ": expected an integer of at most 64 bits, got " +
                                         nb::cast<std::string>(nb::str(value)));
    } else if (PyFloat_Check(value.ptr())) {
      input.tag = Tag::Double;
      input.real = nb::cast<double>(value);
    } else {
      nb::ndarray<nb::ro> array;
      if (!nb::try_cast(value, array)) {
        fail(Error::InvalidType,
             "input " + std::to_string(index) +
                 ": expected an array (numpy, or anything with __dlpack__), a number or None, got " +
                 nb::cast<std::string>(value.type().attr("__name__")));
      }
      const std::vector<uint8_t> order = locked([&] { return dim_order(method, index); });
      input.tag = Tag::Tensor;
      input.tensor = dense_input(array, writable, order);
      arrays.append(value);
    }
    return input;
  }

  /// With mutex_ held.
  et_status execute(const std::string& method, const std::vector<Input>& inputs, std::vector<PyValue>* outputs) {
    const char* name = method.c_str();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (const et_status status = set_input(name, i, inputs[i]); status != ET_OK) return status;
    }
    if (const et_status status = et_program_execute(program_, name); status != ET_OK) return status;
    size_t count = 0;
    if (const et_status status = et_method_count_values(program_, name, nullptr, &count); status != ET_OK)
      return status;
    for (size_t i = 0; i < count; ++i) {
      const Result<EValue> value = program_->module->get_output(method, i);
      if (!value.ok()) return static_cast<et_status>(value.error());
      outputs->push_back(copy_value(*value));
    }
    return ET_OK;
  }

  /// Programs take no other number or text than the one they were exported with.
  et_status keep_input(const char* method, size_t index) {
    const Result<Method*> loaded = program_->module->method(method);
    if (!loaded.ok()) return static_cast<et_status>(loaded.error());
    if (index >= (*loaded)->inputs_size() || (*loaded)->get_input(index).isTensor())
      return static_cast<et_status>(Error::InvalidArgument);
    return static_cast<et_status>((*loaded)->set_input((*loaded)->get_input(index), index));
  }

  et_status set_input(const char* method, size_t index, const Input& input) {
    if (input.as_exported) return keep_input(method, index);
    switch (input.tag) {
      case Tag::Int:
        return et_program_set_int(program_, method, index, input.integer);
      case Tag::Bool:
        return et_program_set_bool(program_, method, index, static_cast<int>(input.integer));
      case Tag::Double:
        return et_program_set_double(program_, method, index, input.real);
      case Tag::Tensor: {
        const auto own = input.tensor.own;
        const et_tensor tensor{make_tensor_ptr(input.tensor.sizes, input.tensor.data, input.tensor.dim_order, {},
                                               input.tensor.dtype, TensorShapeDynamism::DYNAMIC_BOUND,
                                               [own](void*) {})};
        return et_program_set_tensor(program_, method, index, &tensor);
      }
      default:
        return et_program_set_none(program_, method, index);
    }
  }

  static PyValue copy_value(const EValue& v) {
    PyValue out;
    out.tag = v.tag;
    switch (v.tag) {
      case Tag::Int:
        out.integer = v.toInt();
        break;
      case Tag::Bool:
        out.integer = v.toBool() ? 1 : 0;
        break;
      case Tag::Double:
        out.real = v.toDouble();
        break;
      case Tag::String:
        out.text.assign(v.toString().data(), v.toString().size());
        break;
      case Tag::Tensor:
        out.tensors.push_back(copy_of(v.toTensor()));
        break;
      case Tag::ListInt:
        out.integers.assign(v.toIntList().begin(), v.toIntList().end());
        break;
      case Tag::ListBool:
        for (const bool b : v.toBoolList()) out.integers.push_back(b ? 1 : 0);
        break;
      case Tag::ListDouble:
        out.reals.assign(v.toDoubleList().begin(), v.toDoubleList().end());
        break;
      case Tag::ListTensor:
        for (const Tensor& t : v.toTensorList()) out.tensors.push_back(copy_of(t));
        break;
      default:
        break;
    }
    return out;
  }

  static nb::object object_of(PyValue& v) {
    nb::list list;
    switch (v.tag) {
      case Tag::Int:
        return nb::int_(v.integer);
      case Tag::Bool:
        return nb::bool_(v.integer != 0);
      case Tag::Double:
        return nb::float_(v.real);
      case Tag::String:
        return nb::str(v.text.data(), v.text.size());
      case Tag::Tensor:
        return nb::cast(std::move(v.tensors.front()));
      case Tag::ListInt:
        for (const int64_t n : v.integers) list.append(n);
        return list;
      case Tag::ListBool:
        for (const int64_t n : v.integers) list.append(n != 0);
        return list;
      case Tag::ListDouble:
        for (const double n : v.reals) list.append(n);
        return list;
      case Tag::ListTensor:
        for (PyTensor& t : v.tensors) list.append(nb::cast(std::move(t)));
        return list;
      default:
        return nb::none();
    }
  }

  std::mutex mutex_;
  et_program* program_ = nullptr;
  et_tracer* tracer_ = nullptr;
  std::vector<std::string> names_;
  std::map<std::string, nb::list> keep_;
};

}  // namespace

void bind_program(nb::module_& m) {
  bind_tensor(m);
  nb::class_<PyProgram>(m, "Program")
      .def(nb::init<>())
      .def("open", &PyProgram::open, nb::arg("path"), nb::arg("data").none(), nb::arg("data_files"),
           nb::arg("load_mode"), nb::arg("share"), nb::arg("trace"), nb::arg("values"), nb::arg("debug_path"),
           nb::arg("max_bytes"))
      .def_prop_ro("names", &PyProgram::names)
      .def_prop_ro("traced", &PyProgram::traced)
      .def_prop_ro("closed", &PyProgram::closed)
      .def("info", &PyProgram::info, nb::arg("method"))
      .def("load", &PyProgram::load, nb::arg("method"))
      .def("unload", &PyProgram::unload, nb::arg("method"))
      .def("run", &PyProgram::run, nb::arg("method"), nb::arg("inputs"), nb::arg("writable"))
      .def("exported", &PyProgram::exported, nb::arg("method"), nb::arg("index"))
      .def("set_traced", &PyProgram::set_traced, nb::arg("method"), nb::arg("traced"))
      .def("write_trace", &PyProgram::write_trace, nb::arg("path"))
      .def_prop_ro("blocks", &PyProgram::blocks)
      .def("close", &PyProgram::close);
}

}  // namespace et::python
