// A tensor with memory of its own, for Python: DLPack and numpy see its memory, nothing is copied on the way out.
#pragma once

#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

#include "base/scalar_type.h"
#include "python/src/bindings.h"
#include "runtime/core/tensor.h"

namespace et::python {

struct PyTensor {
  std::shared_ptr<std::vector<uint8_t>> bytes;
  ScalarType dtype = ScalarType::Float;
  std::vector<int64_t> sizes, strides;  // elements
};

/// An input's memory as a program wants it.
struct DenseInput {
  void* data = nullptr;
  std::vector<int32_t> sizes;
  ScalarType dtype = ScalarType::Float;
  std::vector<uint8_t> dim_order;
  std::shared_ptr<std::vector<uint8_t>> own;  // where the array does not lie as the program wants it
};

/// The dtype of an array. False for one that the runtime does not have.
bool scalar_type_of(nb::dlpack::dtype type, ScalarType* out);

/// The array itself where it is dense in `dim_order` (row-major when empty), aligned and writable, else a copy that is.
/// Throws Failure for what no tensor can be.
DenseInput dense_input(const nb::ndarray<nb::ro>& array, bool writable, const std::vector<uint8_t>& dim_order);

PyTensor copy_of(const Tensor& tensor);

void bind_tensor(nb::module_& m);

}  // namespace et::python
