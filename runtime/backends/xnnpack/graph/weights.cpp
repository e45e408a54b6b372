// Filters and biases as stored: where their bytes are, what tells them apart, their real numbers.
#include <cstring>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/graph/node_reader.h"
#include "runtime/core/half.h"

namespace et::xnn {

using format::XnnDatatype;

namespace {

/// Four chains side by side: the processor multiplies faster than one chain can use.
uint64_t hash(std::span<const uint8_t> bytes, uint64_t start) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15u;
  constexpr size_t kLanes = 4, kStep = 8 * kLanes;
  uint64_t h[kLanes] = {start, start ^ 0x6A09E667F3BCC909u, start ^ 0xBB67AE8584CAA73Bu, start ^ 0x3C6EF372FE94F82Bu};
  const auto mix = [](uint64_t& lane, uint64_t x) {
    lane = (lane ^ x) * kFactor;
    lane ^= lane >> 32;
  };
  const uint8_t* const data = bytes.data();
  size_t i = 0;
  for (; i + kStep <= bytes.size(); i += kStep) {
    uint64_t x[kLanes];
    std::memcpy(x, data + i, kStep);
    for (size_t l = 0; l < kLanes; ++l) mix(h[l], x[l]);
  }
  for (; i < bytes.size(); ++i) mix(h[0], data[i]);
  for (size_t l = 1; l < kLanes; ++l) mix(h[0], h[l]);
  mix(h[0], bytes.size());
  return h[0];
}

template <class T>
std::span<const uint8_t> bytes_of(const std::vector<T>& v) {
  return {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(T)};
}

/// Names of constants are those of one program only: what is shared between programs must be the same, too.
uint64_t content_hash(const Weights& w) {
  uint64_t h = hash(w.bytes, static_cast<uint64_t>(w.datatype));
  h = hash(bytes_of(w.scales), h);
  return hash(bytes_of(w.block_scales), h + static_cast<uint64_t>(w.zero_point));
}

}  // namespace

bool Weights::is_float() const {
  return datatype == XnnDatatype::Fp32 || datatype == XnnDatatype::PFp32 || datatype == XnnDatatype::Fp16 ||
         datatype == XnnDatatype::Bf16;
}

FloatType Weights::float_type() const {
  return datatype == XnnDatatype::Fp16   ? FloatType::F16
         : datatype == XnnDatatype::Bf16 ? FloatType::BF16
                                         : FloatType::F32;
}

std::vector<float> Weights::dequantized() const {
  const int64_t n = shape.numel();
  std::vector<float> out(static_cast<size_t>(n));
  if (is_float()) {
    convert_to_f32(n, bytes.data(), float_type(), out.data());
    return out;
  }
  const int64_t inner = shape.last();
  // Elements until the channel changes.
  const int64_t step = scales.size() > 1 ? shape.numel(channel_dim + 1, shape.rank) : n;
  const bool nibbles = datatype == XnnDatatype::QCInt4 || datatype == XnnDatatype::QBInt4;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = i / inner, at = i % inner;
    const auto u = static_cast<size_t>(i);
    if (!block_scales.empty()) {
      const auto s = static_cast<size_t>(row * (inner / block) + at / block);
      out[u] = BFloat16::from_bits(block_scales[s]);
    } else {
      out[u] = scales[static_cast<size_t>(i / step) % scales.size()];
    }
    int64_t q = 0;
    if (datatype == XnnDatatype::QInt32 || datatype == XnnDatatype::QCInt32) {
      int32_t stored = 0;
      std::memcpy(&stored, bytes.data() + u * sizeof(stored), sizeof(stored));
      q = int64_t{stored} - zero_point;
    } else if (nibbles) {
      const uint8_t pair = bytes[static_cast<size_t>(row * ((inner + 1) / 2) + at / 2)];
      q = (at % 2 == 0 ? pair & 15 : pair >> 4) - 8;
    } else {
      q = as_int8()[i] - zero_point;
    }
    out[u] *= static_cast<float>(q);
  }
  return out;
}

std::string Weights::key() const { return name + ':' + std::to_string(content_hash(*this)); }

Error ConstantSource::find(const format::XnnConstant& constant, uint64_t size, std::span<const uint8_t>* out,
                           std::shared_ptr<void>* keeps, std::string* error) const {
  std::span<const uint8_t> bytes = constant.bytes;
  if (constant.place == format::XnnConstant::Place::Named) {
    const std::string key(constant.key);
    if (named_data_ == nullptr) {
      *error = "no named data to look up key " + key;
      return Error::NotFound;
    }
    Result<FreeableBuffer> found = named_data_->get_data(constant.key);
    if (!found.ok()) {
      *error = "key " + key + " is in neither the program nor its tensor files";
      return found.error();
    }
    bytes = {static_cast<const uint8_t*>(found->data()), found->size()};
    *keeps = std::make_shared<FreeableBuffer>(std::move(*found));
  }
  if (bytes.size() < size || (size != 0 && bytes.data() == nullptr)) {
    *error = "expected " + std::to_string(size) + " bytes of data, got " + std::to_string(bytes.size());
    return Error::InvalidProgram;
  }
  bytes = bytes.first(static_cast<size_t>(size));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 4 != 0) {
    const auto aligned = std::make_shared<std::vector<uint32_t>>(bytes.size() / 4 + 1);
    std::memcpy(aligned->data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const uint8_t*>(aligned->data()), bytes.size()};
    *keeps = aligned;
  }
  *out = bytes;
  return Error::Ok;
}

}  // namespace et::xnn
