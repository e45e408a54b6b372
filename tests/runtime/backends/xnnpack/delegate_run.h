// One delegate: initialised from a payload, run with tensors of the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/backend.h"
#include "runtime/backends/xnnpack/backend.h"
#include "tests/runtime/execution/loaded_program.h"

namespace et::xnn::testing {

/// A row-major tensor with memory for `room` elements or its own.
class TestTensor {
 public:
  template <class T>
  TestTensor(ScalarType type, std::vector<int32_t> sizes, std::vector<T> data)
      : sizes_(std::move(sizes)), order_(sizes_.size()), strides_(sizes_.size()), bytes_(data.size() * sizeof(T) + 1) {
    if (!data.empty()) std::memcpy(bytes_.data(), data.data(), data.size() * sizeof(T));
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<uint8_t>(i);
    dim_order_to_strides(sizes_, order_, strides_.data());
    impl_ = std::make_unique<TensorImpl>(type, sizes_.size(), sizes_.data(), bytes_.data(), order_.data(),
                                         strides_.data(), TensorShapeDynamism::DYNAMIC_BOUND);
    value_ = EValue(Tensor(impl_.get()));
  }
  static std::unique_ptr<TestTensor> floats(std::vector<int32_t> sizes, std::vector<float> data) {
    return std::make_unique<TestTensor>(ScalarType::Float, std::move(sizes), std::move(data));
  }
  EValue* value() { return &value_; }
  Tensor tensor() const { return Tensor(impl_.get()); }
  template <class T>
  std::vector<T> data() const {
    const T* p = reinterpret_cast<const T*>(bytes_.data());
    return {p, p + impl_->numel()};
  }
  std::vector<int32_t> sizes() const { return {impl_->sizes().begin(), impl_->sizes().end()}; }

 private:
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  std::vector<uint8_t> bytes_;
  std::unique_ptr<TensorImpl> impl_;
  EValue value_;
};

inline const BackendInterface& backend() {
  static const Error once = register_xnnpack_backend();
  static_cast<void>(once);
  return *get_backend_class("XnnpackBackend");
}

class Delegate {
 public:
  Error init(const std::vector<uint8_t>& payload, EventTracer* tracer = nullptr, ArrayRef<BackendOption> options = {},
             const NamedDataMap* data = nullptr) {
    bytes_ = et::testing::AlignedBytes(payload);
    FreeableBuffer processed(bytes_.data(), bytes_.size());
    BackendInitContext context(&memory_, tracer, "forward", data, options);
    Result<DelegateHandle*> handle = backend().init(context, &processed, {});
    if (!handle.ok()) return handle.error();
    kept_ = processed.data() != nullptr;
    handle_ = *handle;
    return Error::Ok;
  }
  ~Delegate() {
    if (handle_ != nullptr) backend().destroy(handle_);
  }
  Error run(std::vector<TestTensor*> arguments, EventTracer* tracer = nullptr) {
    std::vector<EValue*> values;
    for (TestTensor* t : arguments) values.push_back(t->value());
    return run_values(values, tracer);
  }
  Error run_values(std::vector<EValue*> values, EventTracer* tracer = nullptr) {
    BackendExecutionContext context(tracer, nullptr, "forward");
    return backend().execute(context, handle_, {values.data(), values.size()});
  }
  bool payload_kept() const { return kept_; }

 private:
  PlatformMemoryAllocator memory_;
  et::testing::AlignedBytes bytes_;
  DelegateHandle* handle_ = nullptr;
  bool kept_ = false;
};

}  // namespace et::xnn::testing
