#include "python/src/tensor_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace et::python {
namespace {

using Code = nb::dlpack::dtype_code;

struct DtypeRow {
  ScalarType type;
  Code code;
  uint8_t bits;
};
constexpr DtypeRow kDtypes[] = {
    {ScalarType::Byte, Code::UInt, 8},
    {ScalarType::Char, Code::Int, 8},
    {ScalarType::Short, Code::Int, 16},
    {ScalarType::Int, Code::Int, 32},
    {ScalarType::Long, Code::Int, 64},
    {ScalarType::Half, Code::Float, 16},
    {ScalarType::Float, Code::Float, 32},
    {ScalarType::Double, Code::Float, 64},
    {ScalarType::ComplexFloat, Code::Complex, 64},
    {ScalarType::ComplexDouble, Code::Complex, 128},
    {ScalarType::Bool, Code::Bool, 8},
    {ScalarType::BFloat16, Code::Bfloat, 16},
    {ScalarType::UInt16, Code::UInt, 16},
    {ScalarType::UInt32, Code::UInt, 32},
    {ScalarType::UInt64, Code::UInt, 64},
    {ScalarType::Float8_e5m2, Code::Float8_E5M2, 8},
    {ScalarType::Float8_e4m3fn, Code::Float8_E4M3FN, 8},
};

nb::dlpack::dtype dlpack_type(ScalarType type) {
  for (const DtypeRow& row : kDtypes) {
    if (row.type == type) return {static_cast<uint8_t>(row.code), row.bits, 1};
  }
  fail(Error::NotSupported, std::string("tensor: no array of Python has the dtype ") + scalar_type_name(type));
}

/// Element strides of a dense tensor in that order.
std::vector<int64_t> dense_strides(const std::vector<int64_t>& sizes, const std::vector<uint8_t>& order) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    const size_t dim = order.empty() ? i : order[i];
    strides[dim] = step;
    step *= std::max<int64_t>(sizes[dim], 1);
  }
  return strides;
}

/// Both as strides in elements; every element once.
void copy_strided(const uint8_t* from, const std::vector<int64_t>& from_strides, uint8_t* to,
                  const std::vector<int64_t>& to_strides, const std::vector<int64_t>& sizes, size_t element) {
  const size_t rank = sizes.size();
  std::vector<int64_t> at(rank, 0);
  for (const int64_t size : sizes) {
    if (size == 0) return;
  }
  while (true) {
    int64_t source = 0, target = 0;
    for (size_t d = 0; d < rank; ++d) {
      source += at[d] * from_strides[d];
      target += at[d] * to_strides[d];
    }
    std::memcpy(to + target * static_cast<int64_t>(element), from + source * static_cast<int64_t>(element), element);
    size_t d = rank;
    while (d > 0 && ++at[d - 1] == sizes[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

bool same_layout(const std::vector<int64_t>& sizes, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  for (const int64_t size : sizes) {
    if (size == 0) return true;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1 && a[i] != b[i]) return false;
  }
  return true;
}

size_t checked_size(const std::vector<int64_t>& sizes, ScalarType type) {
  size_t bytes = element_size(type);
  if (sizes.size() > kTensorDimensionLimit) {
    fail(Error::InvalidArgument, "tensor: expected at most " + std::to_string(kTensorDimensionLimit) +
                                     " dimensions, got " + std::to_string(sizes.size()));
  }
  for (const int64_t size : sizes) {
    if (size < 0 || size > INT32_MAX || __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes) ||
        bytes > static_cast<size_t>(PTRDIFF_MAX)) {
      fail(Error::InvalidArgument, "tensor: a dimension of " + std::to_string(size) + " is too large");
    }
  }
  return bytes;
}

template <class Framework>
nb::object as_array(const PyTensor& t, nb::dlpack::dtype type) {
  auto* keep = new std::shared_ptr<std::vector<uint8_t>>(t.bytes);
  const nb::capsule owner(keep,
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<std::vector<uint8_t>>*>(p); });
  std::vector<size_t> shape(t.sizes.begin(), t.sizes.end());
  return nb::cast(nb::ndarray<Framework>(t.bytes->data(), shape.size(), shape.data(), owner, t.strides.data(), type));
}

template <class Framework>
nb::object as_array(const PyTensor& t) {
  return as_array<Framework>(t, dlpack_type(t.dtype));
}

/// The memory as unsigned integers of the elements' size: how numpy sees dtypes that it has not.
nb::object bits_of(const PyTensor& t) {
  const size_t element = element_size(t.dtype);
  if (element > 8) fail(Error::NotSupported, "tensor: there are no integers of 128 bits");
  return as_array<nb::numpy>(
      t, {static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), static_cast<uint8_t>(8 * element), 1});
}

nb::tuple tuple_of(const std::vector<int64_t>& numbers) {
  nb::list list;
  for (const int64_t n : numbers) list.append(n);
  return nb::tuple(list);
}

/// What the elements are to be taken as; they have as many bytes.
ScalarType taken_as(const std::string& name, ScalarType given) {
  for (const DtypeRow& row : kDtypes) {
    if (name != scalar_type_name(row.type)) continue;
    if (element_size(row.type) == element_size(given)) return row.type;
    fail(Error::InvalidType, "tensor: expected an array of " + std::to_string(element_size(row.type)) +
                                 " bytes an element for " + name + ", got " + scalar_type_name(given));
  }
  fail(Error::InvalidType, "tensor: there is no dtype '" + name + "'");
}

PyTensor tensor_from(const nb::ndarray<nb::ro>& array, const std::optional<std::string>& dtype) {
  DenseInput input = dense_input(array, false, {});
  PyTensor t;
  t.dtype = dtype ? taken_as(*dtype, input.dtype) : input.dtype;
  t.sizes.assign(input.sizes.begin(), input.sizes.end());
  t.strides = dense_strides(t.sizes, {});
  t.bytes = input.own;
  if (t.bytes == nullptr) {
    const size_t bytes = checked_size(t.sizes, t.dtype);
    t.bytes = std::make_shared<std::vector<uint8_t>>(std::max<size_t>(bytes, 1));
    if (bytes > 0) std::memcpy(t.bytes->data(), input.data, bytes);
  }
  return t;
}

}  // namespace

bool scalar_type_of(nb::dlpack::dtype type, ScalarType* out) {
  for (const DtypeRow& row : kDtypes) {
    if (static_cast<uint8_t>(row.code) != type.code || row.bits != type.bits || type.lanes != 1) continue;
    *out = row.type;
    return true;
  }
  return false;
}

DenseInput dense_input(const nb::ndarray<nb::ro>& array, bool writable, const std::vector<uint8_t>& dim_order) {
  DenseInput out;
  if (!scalar_type_of(array.dtype(), &out.dtype)) {
    fail(Error::InvalidType, "tensor: a dtype of code " + std::to_string(array.dtype().code) + " and " +
                                 std::to_string(array.dtype().bits) + " bits is not supported");
  }
  if (array.device_type() != nb::device::cpu::value) {
    fail(Error::InvalidArgument, "tensor: expected memory of the processor; move it there first (.cpu())");
  }
  std::vector<int64_t> sizes, strides;
  for (size_t i = 0; i < array.ndim(); ++i) {
    sizes.push_back(static_cast<int64_t>(array.shape(i)));
    strides.push_back(array.stride(i));
  }
  const size_t bytes = checked_size(sizes, out.dtype);
  out.sizes.assign(sizes.begin(), sizes.end());
  if (dim_order.size() == sizes.size()) out.dim_order = dim_order;
  const size_t element = element_size(out.dtype);
  const std::vector<int64_t> wanted = dense_strides(sizes, out.dim_order);
  const bool aligned = reinterpret_cast<uintptr_t>(array.data()) % element == 0;
  if (writable && aligned && same_layout(sizes, strides, wanted)) {
    out.data = const_cast<void*>(array.data());
    return out;
  }
  out.own = std::make_shared<std::vector<uint8_t>>(std::max<size_t>(bytes, 1));
  out.data = out.own->data();
  const auto* from = static_cast<const uint8_t*>(array.data());
  if (bytes > 0 && same_layout(sizes, strides, wanted)) {
    std::memcpy(out.data, from, bytes);
  } else if (bytes > 0) {
    copy_strided(from, strides, out.own->data(), wanted, sizes, element);
  }
  return out;
}

PyTensor copy_of(const Tensor& tensor) {
  PyTensor t;
  t.dtype = tensor.scalar_type();
  t.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  t.strides.assign(tensor.strides().begin(), tensor.strides().end());
  t.bytes = std::make_shared<std::vector<uint8_t>>(std::max<size_t>(tensor.nbytes(), 1));
  if (tensor.nbytes() > 0) std::memcpy(t.bytes->data(), tensor.const_data_ptr(), tensor.nbytes());
  return t;
}

void bind_tensor(nb::module_& m) {
  nb::class_<PyTensor>(m, "Tensor")
      .def(
          "__init__",
          [](PyTensor* self, const nb::ndarray<nb::ro>& array, const std::optional<std::string>& dtype) {
            new (self) PyTensor(tensor_from(array, dtype));
          },
          nb::arg("array"), nb::arg("dtype") = nb::none())
      .def_prop_ro("shape", [](const PyTensor& t) { return tuple_of(t.sizes); })
      .def_prop_ro("strides", [](const PyTensor& t) { return tuple_of(t.strides); })
      .def_prop_ro("ndim", [](const PyTensor& t) { return t.sizes.size(); })
      .def_prop_ro("dtype", [](const PyTensor& t) { return scalar_type_name(t.dtype); })
      .def_prop_ro("nbytes", [](const PyTensor& t) { return checked_size(t.sizes, t.dtype); })
      .def("_numpy", [](const PyTensor& t) { return as_array<nb::numpy>(t); })
      .def("bits", &bits_of)
      .def("__dlpack_device__", [](const PyTensor&) { return nb::make_tuple(1, 0); })
      .def("__dlpack__", [](const PyTensor& t, const nb::kwargs& kwargs) {
        return as_array<nb::array_api>(t).attr("__dlpack__")(**kwargs);
      });
}

}  // namespace et::python
