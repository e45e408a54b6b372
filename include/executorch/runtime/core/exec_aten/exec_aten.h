// The tensor vocabulary: executorch::aten.
#pragma once

#include <optional>
#include <string_view>

#include "executorch/runtime/core/array_ref.h"
#include "executorch/runtime/core/portable_type/bfloat16.h"
#include "executorch/runtime/core/portable_type/complex.h"
#include "executorch/runtime/core/portable_type/device.h"
#include "executorch/runtime/core/portable_type/half.h"
#include "executorch/runtime/core/portable_type/optional.h"
#include "executorch/runtime/core/portable_type/qint_types.h"
#include "executorch/runtime/core/portable_type/scalar.h"
#include "executorch/runtime/core/portable_type/scalar_type.h"
#include "executorch/runtime/core/portable_type/string_view.h"
#include "executorch/runtime/core/portable_type/tensor.h"
#include "executorch/runtime/core/portable_type/tensor_options.h"
#include "executorch/runtime/core/tensor_shape_dynamism.h"

#ifndef ET_RUNTIME_NAMESPACE
#define ET_RUNTIME_NAMESPACE runtime
#endif

namespace executorch::aten {

using ::et::ArrayRef;
using ::et::BFloat16;
using ::et::Device;
using ::et::DeviceType;
using ::et::Half;
using ::et::IntArrayRef;
using ::et::Layout;
using ::et::MemoryFormat;
using ::et::Scalar;
using ::et::ScalarType;
using ::et::Tensor;
using ::et::TensorImpl;
using ::et::TensorList;
using ::et::TensorShapeDynamism;
using SizesType = Tensor::SizesType;
using DimOrderType = Tensor::DimOrderType;
using StridesType = Tensor::StridesType;
using ::executorch::runtime::etensor::complex;
using ::executorch::runtime::etensor::compute_numel;
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;
using ::executorch::runtime::etensor::safe_numel;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
template <class T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

}  // namespace executorch::aten

namespace exec_aten = executorch::aten;

namespace torch::executor {
using ::et::TensorList;
}
