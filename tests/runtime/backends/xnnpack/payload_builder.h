// Payloads put together by hand: values, nodes, constants inside the payload.
#pragma once

#include <cstring>
#include <limits>
#include <vector>

#include "xnnpack_generated.h"

namespace et::xnn::testing {

namespace fb = format::xnn_fb;

inline constexpr uint32_t kNone = 0xFFFFFFFFu;
enum Datatype : int16_t {
  kFp32 = 1,
  kFp16 = 2,
  kQInt8 = 3,
  kQInt32 = 5,
  kQCInt8 = 6,
  kQDInt8 = 9,
  kInt32 = 12,
  kBf16 = 14
};

struct Bounds {
  float min = -std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::infinity();
};

/// Values are numbered in the order in which they are added; external ones as the arguments of the delegate.
class PayloadBuilder {
 public:
  uint32_t input(std::vector<uint32_t> dims, int16_t type = kFp32) { return add(type, dims, 0, externals_++, 1); }
  uint32_t output(std::vector<uint32_t> dims, int16_t type = kFp32) { return add(type, dims, 0, externals_++, 2); }
  uint32_t internal(std::vector<uint32_t> dims, int16_t type = kFp32) { return add(type, dims, 0, kNone, 0); }
  template <class T>
  uint32_t constant(std::vector<uint32_t> dims, const std::vector<T>& data, int16_t type = kFp32) {
    return add(type, dims, bytes(data), kNone, 0);
  }
  /// Per-tensor quantised.
  uint32_t quantised(std::vector<uint32_t> dims, float scale, int32_t zero_point, uint32_t flags,
                     int16_t type = kQInt8) {
    const auto tensor = tensor_of(type, dims, 0, flags == 0 ? kNone : externals_++, flags);
    return wrap(tensor, fb::XNNQuantParams::PerTensorQuant, fb::CreatePerTensorQuant(b_, scale, zero_point).Union());
  }
  uint32_t dynamic(std::vector<uint32_t> dims, int32_t nonbatch) {
    const auto tensor = tensor_of(kQDInt8, dims, 0, kNone, 0);
    return wrap(tensor, fb::XNNQuantParams::PerTokenDynamicQuant, fb::CreatePerTokenDynamicQuant(b_, nonbatch).Union());
  }
  template <class T>
  uint32_t per_channel(std::vector<uint32_t> dims, const std::vector<T>& data, std::vector<float> scales,
                       int16_t type = kQCInt8) {
    const auto tensor = tensor_of(type, dims, bytes(data), kNone, 0);
    return wrap(tensor, fb::XNNQuantParams::PerChannelQuant,
                fb::CreatePerChannelQuantDirect(b_, &scales, 0, 0, static_cast<uint32_t>(scales.size())).Union());
  }
  /// Anything: ids of externals, flags and datatypes that make no sense.
  uint32_t add(int16_t type, const std::vector<uint32_t>& dims, uint32_t constant, uint32_t external, uint32_t flags,
               int16_t dynamic = 0) {
    const auto t = tensor_of(type, dims, constant, external, flags, dynamic);
    values_.push_back(fb::CreateXValue(b_, fb::XValueUnion::XNNTensorValue, t.Union()));
    return static_cast<uint32_t>(values_.size()) - 1;
  }

  void unary(fb::XNodeUnion type, uint32_t in, uint32_t out, Bounds bounds = {}, uint32_t handle = 65535) {
    node(type, fb::CreateNode1x1(b_, in, out, 0).Union(), bounds, handle);
  }
  void binary(fb::XNodeUnion type, uint32_t a, uint32_t c, uint32_t out, Bounds bounds = {}, uint32_t flags = 0) {
    node(type, fb::CreateNode2x1(b_, a, c, out, flags).Union(), bounds, 65535);
  }
  void fully_connected(uint32_t in, uint32_t filter, uint32_t bias, uint32_t out, uint32_t flags = 0,
                       Bounds bounds = {}) {
    node(fb::XNodeUnion::XNNFullyConnected, fb::CreateFullyConnected(b_, in, filter, bias, out, flags).Union(), bounds,
         65535);
  }
  template <class T>
  void node(fb::XNodeUnion type, flatbuffers::Offset<T> parameters, Bounds bounds = {}, uint32_t handle = 65535) {
    nodes_.push_back(
        fb::CreateXNode(b_, type, parameters.Union(), handle, fb::CreateOutputMinMax(b_, bounds.min, bounds.max)));
  }
  flatbuffers::FlatBufferBuilder& builder() { return b_; }

  /// `identifier`: XN00 or XN01, both without the header: constants are inside the flatbuffer.
  std::vector<uint8_t> finish(const char* identifier = "XN01", int externs = -1) {
    constants_.insert(constants_.begin(), fb::CreateBufferDirect(b_));
    const auto graph =
        fb::CreateXNNGraphDirect(b_, "0", &nodes_, &values_, externs < 0 ? externals_ : static_cast<uint32_t>(externs),
                                 nullptr, nullptr, &constants_);
    b_.Finish(graph, identifier);
    return {b_.GetBufferPointer(), b_.GetBufferPointer() + b_.GetSize()};
  }

 private:
  template <class T>
  uint32_t bytes(const std::vector<T>& data) {
    std::vector<uint8_t> raw(data.size() * sizeof(T));
    std::memcpy(raw.data(), data.data(), raw.size());
    b_.ForceVectorAlignment(raw.size(), 1, 16);
    constants_.push_back(fb::CreateBuffer(b_, b_.CreateVector(raw)));
    return static_cast<uint32_t>(constants_.size());  // 0 is "none"
  }
  flatbuffers::Offset<fb::XNNTensorValue> tensor_of(int16_t type, const std::vector<uint32_t>& dims, uint32_t constant,
                                                    uint32_t external, uint32_t flags, int16_t dynamic = 0) {
    return fb::CreateXNNTensorValueDirect(b_, type, static_cast<uint32_t>(dims.size()), &dims, constant, external,
                                          flags, static_cast<uint32_t>(values_.size()), dynamic);
  }
  uint32_t wrap(flatbuffers::Offset<fb::XNNTensorValue> tensor, fb::XNNQuantParams kind,
                flatbuffers::Offset<void> parameters) {
    const auto q = fb::CreateXNNQuantizedTensorValue(b_, tensor, kind, parameters);
    values_.push_back(fb::CreateXValue(b_, fb::XValueUnion::XNNQuantizedTensorValue, q.Union()));
    return static_cast<uint32_t>(values_.size()) - 1;
  }

  flatbuffers::FlatBufferBuilder b_;
  std::vector<flatbuffers::Offset<fb::XNode>> nodes_;
  std::vector<flatbuffers::Offset<fb::XValue>> values_;
  std::vector<flatbuffers::Offset<fb::Buffer>> constants_;
  uint32_t externals_ = 0;
};

}  // namespace et::xnn::testing
