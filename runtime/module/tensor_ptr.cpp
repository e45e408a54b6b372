#include "runtime/module/tensor_ptr.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "runtime/core/device_allocator.h"
#include "runtime/platform/log.h"

namespace et {
namespace {

// What one TensorPtr points into.
struct Storage {
  std::vector<SizesType> sizes;
  std::vector<DimOrderType> dim_order;
  std::vector<StridesType> strides;
  std::function<void(void*)> deleter;
  TensorImpl impl;
  Tensor tensor{&impl};

  Storage(std::vector<SizesType> s, std::vector<DimOrderType> order, std::vector<StridesType> str, void* data,
          ScalarType type, TensorShapeDynamism dynamism, std::function<void(void*)> d)
      : sizes(std::move(s)),
        dim_order(std::move(order)),
        strides(std::move(str)),
        deleter(std::move(d)),
        impl(type, sizes.size(), sizes.data(), data, dim_order.data(), strides.data(), dynamism) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (deleter) deleter(impl.mutable_data());
  }
};

ssize_t checked_numel(const std::vector<SizesType>& sizes) {
  ET_CHECK_MSG(sizes.size() <= kTensorDimensionLimit, "tensor rank %zu exceeds the limit of %zu", sizes.size(),
               kTensorDimensionLimit);
  ssize_t n = 1;
  for (const SizesType s : sizes) {
    ET_CHECK_MSG(s >= 0 && !__builtin_mul_overflow(n, static_cast<ssize_t>(s), &n),
                 "tensor sizes are negative or exceed the address space");
  }
  return n;
}

// Outermost first; equal strides (of dimensions of size 1) stay in order.
std::vector<DimOrderType> order_of(const std::vector<StridesType>& strides, size_t rank) {
  std::vector<DimOrderType> order(rank);
  std::iota(order.begin(), order.end(), DimOrderType{0});
  if (!strides.empty()) {
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return strides[a] > strides[b]; });
  }
  return order;
}

void check_permutation(const std::vector<DimOrderType>& order) {
  uint32_t seen = 0;
  for (const DimOrderType d : order) {
    ET_CHECK_MSG(d < order.size() && (seen >> d & 1u) == 0, "dim order: expected a permutation");
    seen |= 1u << d;
  }
}

/// Numbers that the unsigned dtypes hold: torch casts no float to an integer, but ExecuTorch lets these pass.
template <class To, class From>
bool in_range(From x) {
  return x > From(-1) && static_cast<double>(x) < 2.0 * static_cast<double>(std::numeric_limits<To>::max() / 2 + 1);
}

constexpr kernels::DtypeSet kCastable = kernels::kRealHB | kernels::kUnsigned;

}  // namespace

namespace tensor_ptr_internal {

size_t checked_bytes(const std::vector<SizesType>& sizes, ScalarType type) {
  size_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(static_cast<size_t>(checked_numel(sizes)), element_size(type), &bytes);
  ET_CHECK_MSG(fits && element_size(type) > 0, "a tensor of %s exceeds the address space", scalar_type_name(type));
  return bytes;
}

void check_count(const std::vector<SizesType>& sizes, size_t count) {
  const ssize_t numel = checked_numel(sizes);
  ET_CHECK_MSG(static_cast<size_t>(numel) == count, "got %zu values for a tensor of %zd elements", count, numel);
}

std::vector<uint8_t> cast(const void* data, ScalarType from, ScalarType to, size_t count) {
  const bool unsigned_from_float = kernels::is_floating(from) && kernels::in_set(to, kernels::kUnsigned);
  ET_CHECK_MSG(kernels::can_cast(from, to) || unsigned_from_float, "cannot cast %s to %s", scalar_type_name(from),
               scalar_type_name(to));
  size_t bytes = 0;
  ET_CHECK_MSG(!__builtin_mul_overflow(count, element_size(to), &bytes), "%zu elements exceed the address space",
               count);
  std::vector<uint8_t> result(bytes);
  bool done = false;
  kernels::dispatch<kCastable>(from, [&]<class From>() {
    done = kernels::dispatch<kCastable>(to, [&]<class To>() {
      const auto* source = static_cast<const From*>(data);
      auto* target = reinterpret_cast<To*>(result.data());
      for (size_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
          target[i] = To(static_cast<float>(source[i]));
        } else {
          const auto value = static_cast<kernels::opmath_t<From>>(source[i]);
          if constexpr (std::is_floating_point_v<decltype(+value)> && std::is_unsigned_v<To> && sizeof(To) > 1) {
            ET_CHECK_MSG(in_range<To>(value), "value %zu is %g, which %s does not hold", i, static_cast<double>(value),
                         scalar_type_name(to));
          }
          target[i] = static_cast<To>(value);
        }
      }
    });
  });
  ET_CHECK_MSG(done, "cannot cast %s to %s", scalar_type_name(from), scalar_type_name(to));
  return result;
}

}  // namespace tensor_ptr_internal

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data, std::vector<DimOrderType> dim_order,
                          std::vector<StridesType> strides, ScalarType type, TensorShapeDynamism dynamism,
                          std::function<void(void*)> deleter) {
  const size_t rank = sizes.size();
  tensor_ptr_internal::checked_bytes(sizes, type);
  ET_CHECK_MSG(dim_order.empty() || dim_order.size() == rank, "got a dim order of %zu entries for a tensor of rank %zu",
               dim_order.size(), rank);
  ET_CHECK_MSG(strides.empty() || strides.size() == rank, "got %zu strides for a tensor of rank %zu", strides.size(),
               rank);
  if (dim_order.empty()) dim_order = order_of(strides, rank);
  check_permutation(dim_order);
  std::vector<StridesType> computed(rank);
  dim_order_to_strides(sizes, dim_order, computed.data());
  for (size_t i = 0; i < strides.size(); ++i) {
    ET_CHECK_MSG(strides[i] == computed[i] || sizes[i] == 1,
                 "stride %d of dimension %zu: expected %d for a dense tensor", static_cast<int>(strides[i]), i,
                 static_cast<int>(computed[i]));
  }
  auto storage = std::make_shared<Storage>(std::move(sizes), std::move(dim_order), std::move(computed), data, type,
                                           rank > 0 ? dynamism : TensorShapeDynamism::STATIC, std::move(deleter));
  Tensor* tensor = &storage->tensor;
  return TensorPtr(std::move(storage), tensor);
}

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<uint8_t> data, std::vector<DimOrderType> dim_order,
                          std::vector<StridesType> strides, ScalarType type, TensorShapeDynamism dynamism) {
  const size_t wanted = tensor_ptr_internal::checked_bytes(sizes, type);
  ET_CHECK_MSG(data.size() == wanted, "got %zu bytes for a tensor of %zu bytes", data.size(), wanted);
  auto owned = std::make_shared<std::vector<uint8_t>>(std::move(data));
  void* pointer = owned->data();
  return make_tensor_ptr(std::move(sizes), pointer, std::move(dim_order), std::move(strides), type, dynamism,
                         [owned](void*) {});
}

TensorPtr make_tensor_ptr(const Tensor& tensor, std::vector<SizesType> sizes, std::vector<DimOrderType> dim_order,
                          std::vector<StridesType> strides, std::function<void(void*)> deleter) {
  if (sizes.empty()) sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  const bool same_rank = sizes.size() == static_cast<size_t>(tensor.dim());
  const bool same_shape = same_rank && std::equal(sizes.begin(), sizes.end(), tensor.sizes().begin());
  const ssize_t numel = checked_numel(sizes);
  ET_CHECK_MSG(numel <= tensor.numel(), "a view of %zd elements exceeds the tensor of %zd", numel, tensor.numel());
  if (dim_order.empty() && strides.empty() && same_rank) {
    dim_order.assign(tensor.dim_order().begin(), tensor.dim_order().end());
  }
  if (strides.empty() && dim_order.empty() && same_shape) {
    strides.assign(tensor.strides().begin(), tensor.strides().end());
  }
  return make_tensor_ptr(std::move(sizes), tensor.mutable_data_ptr(), std::move(dim_order), std::move(strides),
                         tensor.scalar_type(), tensor.shape_dynamism(), std::move(deleter));
}

TensorPtr clone_tensor_ptr(const Tensor& tensor, ScalarType type) {
  std::vector<SizesType> sizes(tensor.sizes().begin(), tensor.sizes().end());
  std::vector<DimOrderType> dim_order(tensor.dim_order().begin(), tensor.dim_order().end());
  const auto* data = tensor.const_data_ptr<uint8_t>();
  if (data == nullptr) {
    return make_tensor_ptr(std::move(sizes), nullptr, std::move(dim_order), {}, type, tensor.shape_dynamism());
  }
  std::vector<uint8_t> bytes =
      type == tensor.scalar_type()
          ? std::vector<uint8_t>(data, data + tensor.nbytes())
          : tensor_ptr_internal::cast(data, tensor.scalar_type(), type, static_cast<size_t>(tensor.numel()));
  return make_tensor_ptr(std::move(sizes), std::move(bytes), std::move(dim_order), {}, type, tensor.shape_dynamism());
}

TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, Device device) {
  const Device from = tensor->device();
  ET_CHECK_MSG(from.is_cpu() || device.is_cpu(), "clone: Device-to-device copy is not supported");
  ET_CHECK_MSG(!from.is_cpu() || !device.is_cpu(), "clone: it does not copy CPU-to-CPU, clone_tensor_ptr() does");
  const Device other = from.is_cpu() ? device : from;
  DeviceAllocator* allocator = get_device_allocator(other.type());
  ET_CHECK_MSG(allocator != nullptr, "clone: no allocator is registered for device type %d",
               static_cast<int>(other.type()));
  const size_t bytes = tensor->nbytes();
  ET_CHECK_MSG(tensor->const_data_ptr() != nullptr || bytes == 0, "clone: Source tensor has no data");
  std::vector<SizesType> sizes(tensor->sizes().begin(), tensor->sizes().end());
  std::vector<DimOrderType> dim_order(tensor->dim_order().begin(), tensor->dim_order().end());
  if (device.is_cpu()) {
    std::vector<uint8_t> data(bytes);
    const Error copied = allocator->copy_device_to_host(data.data(), tensor->const_data_ptr(), bytes, other.index());
    ET_CHECK_MSG(copied == Error::Ok, "clone: the copy from the device failed: %s", error_name(copied));
    return make_tensor_ptr(std::move(sizes), std::move(data), std::move(dim_order), {}, tensor->scalar_type(),
                           tensor->shape_dynamism());
  }
  const Result<void*> memory = allocator->allocate(bytes, other.index());
  ET_CHECK_MSG(memory.ok(), "clone: the device has no %zu bytes: %s", bytes, error_name(memory.error()));
  const Error copied = allocator->copy_host_to_device(*memory, tensor->const_data_ptr(), bytes, other.index());
  ET_CHECK_MSG(copied == Error::Ok, "clone: the copy to the device failed: %s", error_name(copied));
  TensorPtr clone = make_tensor_ptr(std::move(sizes), *memory, std::move(dim_order), {}, tensor->scalar_type(),
                                    tensor->shape_dynamism(),
                                    [allocator, other](void* data) { allocator->deallocate(data, other.index()); });
  clone->unsafeGetTensorImpl()->set_device(device);
  return clone;
}

Error resize_tensor_ptr(TensorPtr& tensor, const std::vector<SizesType>& sizes) {
  return resize_tensor(*tensor, ArrayRef<int32_t>(sizes));
}

}  // namespace et
