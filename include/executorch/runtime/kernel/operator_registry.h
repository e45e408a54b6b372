// The registry of kernels: by name, and where a kernel is for certain dtypes and dim orders only, by key.
#pragma once

#include <cstring>

#include "executorch/runtime/core/array_ref.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/evalue.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "executorch/runtime/kernel/kernel_runtime_context.h"
#include "executorch/runtime/platform/compiler.h"
#include "executorch/runtime/platform/platform.h"
#include "runtime/core/kernel_registry.h"

#define ET_LOG_KERNEL_KEY(k) ET_LOG(Info, "key: %s, is_fallback: %s", (k).data(), (k).is_fallback() ? "true" : "false")
#define ET_LOG_TENSOR_META(list)                                                                       \
  for (const auto& meta : list) {                                                                      \
    ET_LOG(Info, "dtype: %d | %zu dimensions", static_cast<int>(meta.dtype_), meta.dim_order_.size()); \
  }

namespace executorch::runtime {

using ::et::OpFunction;

/// dtype and dim order of one tensor argument.
struct TensorMeta {
  ::executorch::aten::ScalarType dtype_ = ::executorch::aten::ScalarType::Undefined;
  Span<::executorch::aten::DimOrderType> dim_order_;

  TensorMeta() = default;
  TensorMeta(::executorch::aten::ScalarType dtype, Span<::executorch::aten::DimOrderType> order)
      : dtype_(dtype), dim_order_(order) {}
  bool equals(const TensorMeta& other) const { return dtype_ == other.dtype_ && dim_order_.equals(other.dim_order_); }
  bool operator==(const TensorMeta& other) const { return equals(other); }
  bool operator!=(const TensorMeta& other) const { return !equals(other); }
};

/// "v1/<dtype>;<dim order>|…"; null: any.
struct KernelKey {
  constexpr KernelKey() = default;
  constexpr KernelKey(const char* data) : data_(data) {}  // NOLINT: conversion is the point
  bool is_fallback() const { return data_ == nullptr; }
  const char* data() const { return data_; }
  bool equals(const KernelKey& other) const {
    if (is_fallback() || other.is_fallback()) return is_fallback() == other.is_fallback();
    return std::strcmp(data_, other.data_) == 0;
  }
  bool operator==(const KernelKey& other) const { return equals(other); }
  bool operator!=(const KernelKey& other) const { return !equals(other); }

 private:
  const char* data_ = nullptr;
};

struct Kernel {
  const char* name_ = nullptr;
  KernelKey kernel_key_;
  OpFunction op_ = nullptr;

  constexpr Kernel() = default;
  constexpr explicit Kernel(const char* name, OpFunction function) : name_(name), op_(function) {}
  constexpr explicit Kernel(const char* name, KernelKey key, OpFunction function)
      : name_(name), kernel_key_(key), op_(function) {}
};

namespace internal {
inline constexpr size_t kKernelKeyBufSize = 659;
/// InvalidArgument: it does not fit.
Error make_kernel_key_string(Span<const TensorMeta> key, char* buffer, size_t buffer_size);
}  // namespace internal

bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list = {});
/// OperatorMissing: none fits.
Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list = {});
/// Looks in `kernels` instead of the registry.
Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list,
                                                 Span<const Kernel> kernels);
/// All that is registered now, the library's included. Valid until the next call.
Span<const Kernel> get_registered_kernels();
/// Copied. A name and key that is there already ends the process.
ET_NODISCARD Error register_kernels(Span<const Kernel> kernels);
ET_NODISCARD inline Error register_kernel(const Kernel& kernel) { return register_kernels({&kernel, 1}); }

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelKey;
using ::executorch::runtime::OpFunction;
using ::executorch::runtime::TensorMeta;
inline ::et::Error register_kernels(::et::ArrayRef<Kernel> kernels) {
  return ::executorch::runtime::register_kernels(kernels);
}
inline OpFunction getOpsFn(const char* name, ::et::ArrayRef<TensorMeta> meta_list = {}) {
  const auto function = ::executorch::runtime::get_op_function_from_registry(name, meta_list);
  ET_CHECK_MSG(function.ok(), "no kernel of %s", name);
  return *function;
}
inline bool hasOpsFn(const char* name, ::et::ArrayRef<TensorMeta> meta_list = {}) {
  return ::executorch::runtime::registry_has_op_function(name, meta_list);
}
inline ::et::ArrayRef<Kernel> get_kernels() { return ::executorch::runtime::get_registered_kernels(); }
}  // namespace torch::executor
