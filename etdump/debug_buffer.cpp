// Checks of a tensor against the debug buffer, and the walk in row-major order.
#include "etdump/debug_buffer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace et::etdump {

const char* tensor_fault_text(TensorFault fault) {
  switch (fault) {
    case TensorFault::None:
      return "is readable";
    case TensorFault::NotStored:
      return "was not stored by the writer";
    case TensorFault::UnknownType:
      return "has an unknown element type";
    case TensorFault::BadSizes:
      return "has sizes that are negative, too many or too large";
    case TensorFault::BadStrides:
      return "has strides that do not fit its sizes";
    case TensorFault::BadOffset:
      return "has a negative offset";
    case TensorFault::OutOfBuffer:
      return "runs past the end of the debug buffer";
  }
  return "unknown";
}

TensorFault DebugBuffer::open(const TensorInfo& tensor, TensorView* out) const {
  *out = TensorView();
  out->dtype_ = tensor.dtype;
  out->element_bytes_ = element_size(tensor.dtype);
  if (out->element_bytes_ == 0) return TensorFault::UnknownType;
  if (tensor.sizes.size() > TensorView::kMaxRank) return TensorFault::BadSizes;
  const bool has_strides = !tensor.strides.empty();
  if (has_strides && tensor.strides.size() != tensor.sizes.size()) return TensorFault::BadStrides;

  const size_t rank = tensor.sizes.size();
  bool none = false;
  for (size_t d = 0; d < rank; ++d) {
    if (tensor.sizes[d] < 0) return TensorFault::BadSizes;
    if (tensor.sizes[d] == 0) none = true;
    out->sizes_[d] = static_cast<uint64_t>(tensor.sizes[d]);
  }
  out->rank_ = rank;
  if (none) return TensorFault::None;

  uint64_t numel = 1;
  uint64_t bytes = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(numel, out->sizes_[d], &numel)) return TensorFault::BadSizes;
  }
  if (__builtin_mul_overflow(numel, out->element_bytes_, &bytes)) return TensorFault::BadSizes;

  // Strides must stay within the tensor's own elements: the writer stores product(sizes) of them.
  uint64_t dense = 1;
  uint64_t last = 0;
  for (size_t k = rank; k-- > 0;) {
    if (has_strides) {
      const int64_t stride = tensor.strides[k];
      uint64_t reach = 0;
      if (stride < 0) return TensorFault::BadStrides;
      out->strides_[k] = static_cast<uint64_t>(stride);
      if (__builtin_mul_overflow(out->sizes_[k] - 1, out->strides_[k], &reach) ||
          __builtin_add_overflow(last, reach, &last) || last >= numel) {
        return TensorFault::BadStrides;
      }
      if (out->sizes_[k] != 1 && out->strides_[k] != dense) out->contiguous_ = false;
    } else {
      out->strides_[k] = dense;
    }
    dense *= out->sizes_[k];
  }

  if (tensor.offset == -1) return TensorFault::NotStored;
  if (tensor.offset < 0) return TensorFault::BadOffset;
  const uint64_t offset = static_cast<uint64_t>(tensor.offset);
  if (offset > bytes_.size() || bytes > bytes_.size() - offset) return TensorFault::OutOfBuffer;
  out->numel_ = numel;
  out->storage_ = bytes_.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
  return TensorFault::None;
}

// Calls visit(storage index) for `count` elements from `first` on, in row-major order.
template <class F>
void TensorView::walk(uint64_t first, uint64_t count, F&& visit) const {
  if (contiguous_) {
    for (uint64_t i = first; i < first + count; ++i) visit(i);
    return;
  }
  std::array<uint64_t, kMaxRank> index{};
  uint64_t rest = first;
  uint64_t at = 0;
  for (size_t d = rank_; d-- > 0;) {
    index[d] = rest % sizes_[d];
    rest /= sizes_[d];
    at += index[d] * strides_[d];
  }
  for (uint64_t i = 0; i < count; ++i) {
    visit(at);
    for (size_t d = rank_; d-- > 0;) {
      at += strides_[d];
      if (++index[d] < sizes_[d]) break;
      at -= index[d] * strides_[d];
      index[d] = 0;
    }
  }
}

double TensorView::at(uint64_t i) const {
  double value = 0;
  if (i < numel_) {
    walk(i, 1, [&](uint64_t s) { value = element_as_double(dtype_, storage_.data() + s * element_bytes_); });
  }
  return value;
}

size_t TensorView::read(uint64_t first, std::span<double> out) const {
  if (first >= numel_ || out.empty()) return 0;
  const uint64_t count = std::min<uint64_t>(out.size(), numel_ - first);
  double* to = out.data();
  const uint8_t* from = storage_.data();
  if (dtype_ == ScalarType::Float) {
    walk(first, count, [&](uint64_t s) {
      float value;
      std::memcpy(&value, from + s * sizeof value, sizeof value);
      *to++ = value;
    });
  } else {
    walk(first, count, [&](uint64_t s) { *to++ = element_as_double(dtype_, from + s * element_bytes_); });
  }
  return static_cast<size_t>(count);
}

bool TensorView::copy_dense(std::span<uint8_t> out) const {
  if (out.size() < byte_count()) return false;
  if (numel_ == 0) return true;
  if (contiguous_) {
    std::memcpy(out.data(), storage_.data(), storage_.size());
    return true;
  }
  uint8_t* to = out.data();
  walk(0, numel_, [&](uint64_t s) {
    std::memcpy(to, storage_.data() + s * element_bytes_, element_bytes_);
    to += element_bytes_;
  });
  return true;
}

TensorSummary summarise(const DebugBuffer& buffer, const TensorInfo& tensor) {
  TensorSummary out;
  TensorView view;
  out.fault = buffer.open(tensor, &view);
  if (out.fault != TensorFault::None) return out;
  out.numel = view.numel();
  out.first_count = view.read(0, out.first);
  uint64_t counted = 0;
  std::array<double, 1024> chunk;
  for (uint64_t done = 0; done < view.numel();) {
    const size_t n = view.read(done, chunk);
    for (size_t i = 0; i < n; ++i) {
      const double v = chunk[i];
      if (std::isnan(v)) {
        ++out.nan_count;
        continue;
      }
      if (std::isinf(v)) ++out.inf_count;
      out.min = counted == 0 ? v : std::min(out.min, v);
      out.max = counted == 0 ? v : std::max(out.max, v);
      out.sum += v;
      out.sum_abs += std::fabs(v);
      ++counted;
    }
    done += n;
  }
  if (counted != 0) out.mean = out.sum / static_cast<double>(counted);
  return out;
}

}  // namespace et::etdump
