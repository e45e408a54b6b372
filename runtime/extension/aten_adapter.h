// WRAP_TO_ATEN(kernel, out_index): a kernel of this runtime as a function that PyTorch can register, so that a custom
// operator is written once and runs in eager mode and in programs.
//
//   Tensor& scale_out(KernelRuntimeContext& context, const Tensor& a, int64_t times, Tensor& out);
//   TORCH_LIBRARY(my_ops, m) {
//     m.def("scale.out(Tensor a, int times, *, Tensor(a!) out) -> Tensor(a!)", WRAP_TO_ATEN(scale_out, 2));
//   }
//
// `out_index` counts the arguments of the operator, without the context, which the kernel may or may not take. The out
// tensor is resized by what the kernel makes of it, within the number of elements it came with. Arguments: tensors,
// numbers, bools, strings, scalars, lists of numbers and tensors, and optionals of them. A kernel that fails throws
// c10::Error.
//
// Needs PyTorch's headers (libtorch); nothing else of this project does.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/core/kernel_context.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/scalar.h"
#include "runtime/core/tensor.h"

namespace et::aten_adapter {

/// A tensor of PyTorch, row-major, seen as one of ours.
class Converted {
 public:
  explicit Converted(const at::Tensor& t)
      : own_(t.contiguous()),
        sizes_(own_.sizes().begin(), own_.sizes().end()),
        order_(sizes_.size()),
        strides_(sizes_.size()) {
    TORCH_CHECK(own_.device().is_cpu(), "et kernels expect CPU tensors");
    TORCH_CHECK(sizes_.size() <= kTensorDimensionLimit, "et kernels expect tensors of rank at most ",
                kTensorDimensionLimit);
    for (size_t i = 0; i < sizes_.size(); ++i) {
      TORCH_CHECK(sizes_[i] == own_.size(static_cast<int64_t>(i)), "et kernels expect sizes below 2^31");
      order_[i] = static_cast<uint8_t>(i);
    }
    dim_order_to_strides(sizes_, order_, strides_.data());
    impl_.emplace(static_cast<ScalarType>(own_.scalar_type()), sizes_.size(), sizes_.data(), own_.data_ptr(),
                  order_.data(), strides_.data(),
                  sizes_.empty() ? TensorShapeDynamism::STATIC : TensorShapeDynamism::DYNAMIC_BOUND);
    tensor_ = Tensor(&*impl_);
  }
  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;

  Tensor& get() { return tensor_; }
  /// Gives `out` the shape and the values that the kernel left here.
  void store(at::Tensor& out) const {
    const std::vector<int64_t> shape(sizes_.begin(), sizes_.end());
    if (out.sizes() != at::IntArrayRef(shape)) out.resize_(shape);
    if (own_.data_ptr() == out.data_ptr()) return;
    out.copy_(own_.flatten().narrow(0, 0, impl_->numel()).view(shape));
  }

 private:
  at::Tensor own_;
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  std::optional<TensorImpl> impl_;
  Tensor tensor_;
};

/// How an argument of type T (ours, without const and &) looks in PyTorch, and how it is turned into ours.
template <class T>
struct Argument {
  using Aten = T;
  T value;
  explicit Argument(T v) : value(v) {}
  T& get() { return value; }
};
template <>
struct Argument<Tensor> {
  using Aten = const at::Tensor&;
  Converted converted;
  explicit Argument(const at::Tensor& t) : converted(t) {}
  Tensor& get() { return converted.get(); }
};
template <>
struct Argument<Scalar> {
  using Aten = const at::Scalar&;
  Scalar value;
  explicit Argument(const at::Scalar& s) {
    if (s.isBoolean()) {
      value = Scalar(s.to<bool>());
    } else if (s.isIntegral(false)) {
      value = Scalar(s.to<int64_t>());
    } else {
      value = Scalar(s.to<double>());
    }
  }
  Scalar& get() { return value; }
};
template <>
struct Argument<string_view> {
  using Aten = std::string_view;
  string_view value;
  explicit Argument(std::string_view s) : value(s) {}
  string_view& get() { return value; }
};
template <>
struct Argument<ScalarType> {
  using Aten = at::ScalarType;
  ScalarType value;
  explicit Argument(at::ScalarType t) : value(static_cast<ScalarType>(t)) {}
  ScalarType& get() { return value; }
};
template <class T>
requires std::is_arithmetic_v<T>
struct Argument<ArrayRef<T>> {
  using Aten = at::ArrayRef<T>;
  ArrayRef<T> value;
  explicit Argument(at::ArrayRef<T> list) : value(list.data(), list.size()) {}
  ArrayRef<T>& get() { return value; }
};
template <>
struct Argument<ArrayRef<Tensor>> {
  using Aten = at::TensorList;
  std::vector<std::unique_ptr<Converted>> owned;
  std::vector<Tensor> tensors;
  ArrayRef<Tensor> value;
  explicit Argument(at::TensorList list) {
    for (const at::Tensor& t : list) {
      owned.push_back(std::make_unique<Converted>(t));
      tensors.push_back(owned.back()->get());
    }
    value = tensors;
  }
  ArrayRef<Tensor>& get() { return value; }
};
template <class T>
struct Argument<optional<T>> {
  using Given = std::optional<std::remove_cv_t<std::remove_reference_t<typename Argument<T>::Aten>>>;
  using Aten = std::conditional_t<std::is_same_v<T, Tensor>, const Given&, Given>;  // as PyTorch passes them
  std::optional<Argument<T>> inner;
  optional<T> value;
  explicit Argument(const Given& given) {
    if (!given.has_value()) return;
    inner.emplace(*given);
    value = inner->get();
  }
  optional<T>& get() { return value; }
};

template <class T>
using ArgumentOf = Argument<std::remove_cv_t<std::remove_reference_t<T>>>;

template <class R, class... A>
struct Adapter {
  template <size_t kOut, size_t I>
  using Aten =
      std::conditional_t<I == kOut, at::Tensor&, typename ArgumentOf<std::tuple_element_t<I, std::tuple<A...>>>::Aten>;

  template <auto kFn, bool kContext, size_t kOut, class Indices = std::index_sequence_for<A...>>
  struct Function;
  template <auto kFn, bool kContext, size_t kOut, size_t... I>
  struct Function<kFn, kContext, kOut, std::index_sequence<I...>> {
    static_assert(kOut < sizeof...(A), "out_index: the kernel has fewer parameters");
    static_assert(std::is_same_v<std::tuple_element_t<kOut, std::tuple<A...>>, Tensor&>,
                  "out_index: that parameter is not a Tensor&");

    static at::Tensor& call(Aten<kOut, I>... arguments) {
      std::tuple<ArgumentOf<A>...> converted(arguments...);
      at::Tensor& out = std::get<kOut>(std::tie(arguments...));
      if constexpr (kContext) {
        PlatformMemoryAllocator temp;
        KernelRuntimeContext context(nullptr, &temp);
        static_cast<void>(kFn(context, std::get<I>(converted).get()...));
        TORCH_CHECK(context.failure_state() == Error::Ok, "the kernel failed: ", error_name(context.failure_state()));
      } else {
        static_cast<void>(kFn(std::get<I>(converted).get()...));
      }
      std::get<kOut>(converted).converted.store(out);
      return out;
    }
  };
};

/// The kernel's arguments without the context, and whether it takes one.
template <class F>
struct Split;
template <class R, class... A>
struct Split<R (*)(A...)> {
  static constexpr bool kContext = false;
  using Arguments = Adapter<R, A...>;
};
template <class R, class... A>
struct Split<R (*)(KernelRuntimeContext&, A...)> {
  static constexpr bool kContext = true;
  using Arguments = Adapter<R, A...>;
};

template <auto kFn, size_t kOut, class S = Split<decltype(kFn)>>
using Wrap = typename S::Arguments::template Function<kFn, S::kContext, kOut>;

}  // namespace et::aten_adapter

#define WRAP_TO_ATEN(function, out_index) ::et::aten_adapter::Wrap<&function, out_index>::call
