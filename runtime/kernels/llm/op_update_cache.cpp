// update_cache and update_cache_with_indices. Their `out` is a placeholder of the exporter and is never written.
#include <cstring>

#include "runtime/kernels/llm/update_cache.h"

namespace et::ET_KERNELS {

bool check_cache_update(KernelRuntimeContext& context, const Tensor& value, const Tensor& cache, int64_t start_pos,
                        const Tensor* indices, const char* name) {
  ET_KERNEL_CHECK_MSG(context, value.dim() == 4 && cache.dim() == 4, InvalidArgument, false,
                      "%s: expected value and cache of rank 4, got %zd and %zd", name, value.dim(), cache.dim());
  ET_KERNEL_CHECK_MSG(context, is_contiguous(value) && is_contiguous(cache), InvalidArgument, false,
                      "%s: value and cache must be contiguous", name);
  for (ssize_t d : {0, 2, 3}) {
    ET_KERNEL_CHECK_MSG(context, value.size(d) == cache.size(d), InvalidArgument, false,
                        "%s: dimension %zd of value has size %zd, of cache %zd", name, d, value.size(d), cache.size(d));
  }
  ET_KERNEL_CHECK_MSG(context, value.element_size() == cache.element_size(), InvalidArgument, false,
                      "%s: value is %s, cache %s", name, scalar_type_name(value.scalar_type()),
                      scalar_type_name(cache.scalar_type()));
  ET_KERNEL_CHECK_MSG(context,
                      value.numel() == 0 || (value.const_data_ptr() != nullptr && cache.const_data_ptr() != nullptr),
                      InvalidArgument, false, "%s: value or cache has no memory", name);
  const int64_t positions = cache.size(1), length = value.size(1);
  if (indices == nullptr) {
    ET_KERNEL_CHECK_MSG(context, start_pos >= 0 && start_pos < positions && length <= positions - start_pos,
                        InvalidArgument, false, "%s: start_pos %lld and %lld tokens, cache has %lld positions", name,
                        static_cast<long long>(start_pos), static_cast<long long>(length),
                        static_cast<long long>(positions));
    return true;
  }
  ET_KERNEL_CHECK_MSG(context,
                      indices->scalar_type() == ScalarType::Long && indices->dim() == 2 &&
                          indices->size(0) == value.size(0) && indices->size(1) == length && is_contiguous(*indices),
                      InvalidArgument, false, "%s: indices must be int64 [%zd, %lld], contiguous", name, value.size(0),
                      static_cast<long long>(length));
  ET_KERNEL_CHECK_MSG(context, indices->numel() == 0 || indices->const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: indices has no memory", name);
  ET_KERNEL_CHECK_MSG(context, !share_memory(*indices, cache), InvalidArgument, false,
                      "%s: indices shares memory with cache", name);
  for (ssize_t i = 0; i < indices->numel(); ++i) {
    const int64_t at = indices->const_data_ptr<int64_t>()[i];
    ET_KERNEL_CHECK_MSG(context, at >= 0 && at < positions, InvalidArgument, false,
                        "%s: indices has %lld, cache has %lld positions", name, static_cast<long long>(at),
                        static_cast<long long>(positions));
  }
  return true;
}

void write_cache(const Tensor& value, const Tensor& cache, int64_t start_pos, const Tensor* indices) {
  const auto batch = static_cast<size_t>(value.size(0)), length = static_cast<size_t>(value.size(1));
  if (value.nbytes() == 0) return;
  const size_t token = value.nbytes() / (batch * length), cache_item = static_cast<size_t>(cache.size(1)) * token;
  const auto* from = static_cast<const char*>(value.const_data_ptr());
  auto* to = static_cast<char*>(cache.mutable_data_ptr());
  for (size_t b = 0; b < batch; ++b) {
    if (indices == nullptr) {
      std::memmove(to + b * cache_item + static_cast<size_t>(start_pos) * token, from + b * length * token,
                   length * token);
      continue;
    }
    for (size_t s = 0; s < length; ++s) {
      const auto at = static_cast<size_t>(indices->const_data_ptr<int64_t>()[b * length + s]);
      std::memmove(to + b * cache_item + at * token, from + (b * length + s) * token, token);
    }
  }
}

namespace {

Tensor& update_cache_out(KernelRuntimeContext& ctx, const Tensor& value, Tensor& cache, int64_t start_pos,
                         Tensor& out) {
  if (check_cache_update(ctx, value, cache, start_pos, nullptr, "llama::update_cache")) {
    write_cache(value, cache, start_pos, nullptr);
  }
  return out;
}

/// `start_pos` has no meaning here.
Tensor& update_cache_with_indices_out(KernelRuntimeContext& ctx, const Tensor& value, Tensor& cache, int64_t start_pos,
                                      const Tensor& indices, Tensor& out) {
  if (check_cache_update(ctx, value, cache, start_pos, &indices, "llama::update_cache_with_indices")) {
    write_cache(value, cache, start_pos, &indices);
  }
  return out;
}

}  // namespace

ET_KERNEL(update_cache_out)
ET_KERNEL(update_cache_with_indices_out)

}  // namespace et::ET_KERNELS
