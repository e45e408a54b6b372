// Scaled dot product attention with a cache of keys and values: custom_sdpa, its quantised form, and
// sdpa_with_kv_cache. A block of queries meets the keys block by block; maximum and sum of each row's exponentials run
// along, so that no row of all scores is ever stored (Dao et al., FlashAttention, 2022).
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/llm/update_cache.h"
#include "runtime/kernels/matrix/gemm.h"

namespace et::ET_KERNELS {
namespace {

inline constexpr DtypeSet kFloating = kHalfs | dtype_bit(ScalarType::Float);
constexpr int64_t kQueries = 64, kKeys = 512;

/// [batch, head, position, head_dim] of a tensor whose positions are dimension 1 or 2; rows of head_dim elements are
/// contiguous. int8 numbers have a scale and a zero point for each row.
struct Heads {
  const Tensor* tensor = nullptr;
  int64_t batch = 0, heads = 0, length = 0, head_dim = 0;
  int64_t batch_stride = 0, head_stride = 0, position_stride = 0;
  const float* scales = nullptr;
  const int8_t* zero_points = nullptr;
  int64_t qparam_batch = 0, qparam_head = 0, qparam_position = 0;

  int64_t offset(int64_t b, int64_t h, int64_t position) const {
    return b * batch_stride + h * head_stride + position * position_stride;
  }
  /// Rows as floats: those of the tensor where it has floats, else converted into `workspace`.
  const float* rows(int64_t b, int64_t h, int64_t position, int64_t count, float* workspace, int64_t* stride) const {
    const int64_t at = offset(b, h, position);
    if (tensor->scalar_type() == ScalarType::Float) {
      *stride = position_stride;
      return tensor->const_data_ptr<float>() + at;
    }
    *stride = head_dim;
    dispatch<kFloating | dtype_bit(ScalarType::Char)>(tensor->scalar_type(), [&]<class T>() {
      for (int64_t r = 0; r < count; ++r) {
        const T* from = tensor->const_data_ptr<T>() + at + r * position_stride;
        float scale = 1, zero_point = 0;
        if constexpr (std::is_same_v<T, int8_t>) {
          const int64_t p = b * qparam_batch + h * qparam_head + (position + r) * qparam_position;
          scale = scales[p];
          zero_point = static_cast<float>(zero_points[p]);
        }
        float* to = workspace + r * head_dim;
        for (int64_t d = 0; d < head_dim; ++d) to[d] = (static_cast<float>(from[d]) - zero_point) * scale;
      }
    });
    return workspace;
  }
};

struct Attention {
  Heads query, key, value, out;
  const float* mask = nullptr;
  int64_t mask_stride = 0;
  bool causal = false;
  int64_t start_pos = 0;
  int64_t keys = 0;  // that may be attended to
  float scale = 1;
};

/// Memory of one task, in floats.
struct Workspace {
  int64_t query, key, value, scores, sums, part, state, gemm;
  explicit Workspace(int64_t head_dim)
      : query(kQueries * head_dim),
        key(kKeys * head_dim),
        value(kKeys * head_dim),
        scores(kQueries * kKeys),
        sums(kQueries * head_dim),
        part(kQueries * head_dim),
        state(2 * kQueries),
        gemm(std::max(gemm_workspace(kQueries, kKeys, head_dim, sizeof(float), 1),
                      gemm_workspace(kQueries, head_dim, kKeys, sizeof(float), 1))) {}
  int64_t total() const { return (query + key + value + scores + sums + part + state + gemm + 15) / 16 * 16; }
};

/// scores[i][j] = exp(score - maximum so far); what was summed up before is scaled to the new maximum.
void update_online_softmax(int64_t rows, int64_t keys, float* scores, float* maxima, float* totals, float* sums,
                           int64_t head_dim) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < rows; ++i) {
    float* row = scores + i * keys;
    float maximum = maxima[i];
    for (int64_t j = 0; j < keys; ++j) maximum = row[j] > maximum || row[j] != row[j] ? row[j] : maximum;
    if (maximum == kNone) {
      std::fill(row, row + keys, 0.0f);
      continue;
    }
    for (int64_t j = 0; j < keys; ++j) row[j] = vm::exp(row[j] - maximum);
    float total = 0;
    for (int64_t j = 0; j < keys; ++j) total += row[j];
    const float before = maxima[i] == kNone ? 0.0f : std::exp(maxima[i] - maximum);
    totals[i] = totals[i] * before + total;
    maxima[i] = maximum;
    for (int64_t d = 0; d < head_dim; ++d) sums[i * head_dim + d] *= before;
  }
}

void attend(const Attention& a, int64_t b, int64_t h, int64_t first, float* memory) {
  const Workspace workspace(a.query.head_dim);
  float* gemm_memory = memory;
  float* query = gemm_memory + workspace.gemm;
  float* key = query + workspace.query;
  float* value = key + workspace.key;
  float* scores = value + workspace.value;
  float* sums = scores + workspace.scores;
  float* part = sums + workspace.sums;
  float* maxima = part + workspace.part;
  float* totals = maxima + kQueries;
  const int64_t head_dim = a.query.head_dim, rows = std::min(kQueries, a.query.length - first);
  const int64_t kv_head = h / (a.query.heads / a.key.heads);
  int64_t query_stride = 0, key_stride = 0, value_stride = 0;
  const float* q = a.query.rows(b, h, first, rows, query, &query_stride);
  std::fill(sums, sums + rows * head_dim, 0.0f);
  std::fill(maxima, maxima + rows, -std::numeric_limits<float>::infinity());
  std::fill(totals, totals + rows, 0.0f);
  const int64_t reach = a.causal ? std::min(a.keys, a.start_pos + first + rows) : a.keys;
  for (int64_t n = 0; n < reach; n += kKeys) {
    const int64_t keys = std::min(kKeys, reach - n);
    const float* k = a.key.rows(b, kv_head, n, keys, key, &key_stride);
    Gemm<float> g;
    g.m = rows, g.n = keys, g.k = head_dim;
    g.a = q, g.a_row = query_stride, g.a_col = 1;
    g.b = k, g.b_row = 1, g.b_col = key_stride;
    g.out = scores, g.out_row = keys, g.out_col = 1;
    g.alpha = a.scale;
    gemm(g, gemm_memory);
    for (int64_t i = 0; i < rows; ++i) {
      float* row = scores + i * keys;
      if (a.mask != nullptr) {
        const float* mask = a.mask + (first + i) * a.mask_stride + n;
        for (int64_t j = 0; j < keys; ++j) row[j] += mask[j];
      }
      if (a.causal) {
        const int64_t seen = std::max<int64_t>(0, std::min(keys, a.start_pos + first + i + 1 - n));
        std::fill(row + seen, row + keys, -std::numeric_limits<float>::infinity());
      }
    }
    update_online_softmax(rows, keys, scores, maxima, totals, sums, head_dim);
    const float* v = a.value.rows(b, kv_head, n, keys, value, &value_stride);
    Gemm<float> p;
    p.m = rows, p.n = head_dim, p.k = keys;
    p.a = scores, p.a_row = keys, p.a_col = 1;
    p.b = v, p.b_row = value_stride, p.b_col = 1;
    p.out = part, p.out_row = head_dim, p.out_col = 1;
    gemm(p, gemm_memory);
    for (int64_t i = 0; i < rows * head_dim; ++i) sums[i] += part[i];
  }
  dispatch<kFloating>(a.out.tensor->scalar_type(), [&]<class O>() {
    for (int64_t i = 0; i < rows; ++i) {
      // A row without any key is 0 / 0, as softmax has it.
      const float inverse = 1 / totals[i];
      O* to = a.out.tensor->mutable_data_ptr<O>() + a.out.offset(b, h, first + i);
      for (int64_t d = 0; d < head_dim; ++d) to[d] = static_cast<O>(sums[i * head_dim + d] * inverse);
    }
  });
}

bool read_heads(KernelRuntimeContext& context, const Tensor& t, bool position_second, const char* argument,
                const char* name, Heads* out) {
  ET_KERNEL_CHECK_MSG(context, t.dim() == 4 && is_contiguous(t), InvalidArgument, false,
                      "%s: %s must have 4 dimensions and be contiguous", name, argument);
  ET_KERNEL_CHECK_MSG(context, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no memory", name, argument);
  const ssize_t position = position_second ? 2 : 1, head = position_second ? 1 : 2;
  out->tensor = &t;
  out->batch = t.size(0);
  out->heads = t.size(head);
  out->length = t.size(position);
  out->head_dim = t.size(3);
  out->batch_stride = t.strides()[0];
  out->head_stride = t.strides()[static_cast<size_t>(head)];
  out->position_stride = t.strides()[static_cast<size_t>(position)];
  return true;
}

bool read_qparams(KernelRuntimeContext& context, const optional<Tensor>& scales, const optional<Tensor>& zero_points,
                  bool position_second, const char* argument, const char* name, Heads* heads) {
  ET_KERNEL_CHECK_MSG(context, scales.has_value() && zero_points.has_value(), InvalidArgument, false,
                      "%s: int8 %s needs scales and zero points", name, argument);
  ET_KERNEL_CHECK_MSG(
      context, scales->scalar_type() == ScalarType::Float && zero_points->scalar_type() == ScalarType::Char,
      InvalidArgument, false, "%s: %s_scales is %s, %s_zero_points %s; float32 and int8 are needed", name, argument,
      scalar_type_name(scales->scalar_type()), argument, scalar_type_name(zero_points->scalar_type()));
  for (const Tensor* t : {&*scales, &*zero_points}) {
    bool fits = t->dim() == 4 && is_contiguous(*t) && t->size(3) == 1;
    for (ssize_t d = 0; fits && d < 3; ++d) fits = t->size(d) == heads->tensor->size(d);
    ET_KERNEL_CHECK_MSG(context, fits && (t->numel() == 0 || t->const_data_ptr() != nullptr), InvalidArgument, false,
                        "%s: scales and zero points of %s must be one for each row, contiguous", name, argument);
  }
  heads->scales = scales->const_data_ptr<float>();
  heads->zero_points = zero_points->const_data_ptr<int8_t>();
  heads->qparam_batch = scales->strides()[0];
  heads->qparam_head = scales->strides()[position_second ? 1 : 2];
  heads->qparam_position = scales->strides()[position_second ? 2 : 1];
  return true;
}

bool read_attention(KernelRuntimeContext& context, const Tensor& query, const Tensor& key, const Tensor& value,
                    int64_t start_pos, const optional<Tensor>& mask, bool causal, const optional<double>& scale,
                    bool position_second, const Tensor& out, const char* name, Attention* a) {
  ET_KERNEL_CHECK_MSG(context,
                      in_set(query.scalar_type(), kFloating | dtype_bit(ScalarType::Char)) &&
                          key.scalar_type() == query.scalar_type() && value.scalar_type() == query.scalar_type(),
                      InvalidArgument, false, "%s: query is %s, key %s, value %s", name,
                      scalar_type_name(query.scalar_type()), scalar_type_name(key.scalar_type()),
                      scalar_type_name(value.scalar_type()));
  ET_KERNEL_CHECK_MSG(context, in_set(out.scalar_type(), kFloating), InvalidArgument, false, "%s: out is %s", name,
                      scalar_type_name(out.scalar_type()));
  if (!read_heads(context, query, position_second, "query", name, &a->query) ||
      !read_heads(context, key, position_second, "key", name, &a->key) ||
      !read_heads(context, value, position_second, "value", name, &a->value)) {
    return false;
  }
  const Heads &q = a->query, &k = a->key, &v = a->value;
  ET_KERNEL_CHECK_MSG(context,
                      k.batch == q.batch && v.batch == q.batch && k.head_dim == q.head_dim &&
                          v.head_dim == q.head_dim && v.heads == k.heads && v.length == k.length,
                      InvalidArgument, false, "%s: the sizes of query, key and value do not match", name);
  ET_KERNEL_CHECK_MSG(context, k.heads > 0 && q.heads % k.heads == 0, InvalidArgument, false,
                      "%s: query has %lld heads, not a multiple of the %lld of key", name,
                      static_cast<long long>(q.heads), static_cast<long long>(k.heads));
  ET_KERNEL_CHECK_MSG(context, q.head_dim > 0 && q.head_dim <= 1 << 16, InvalidArgument, false,
                      "%s: heads have head_dim %lld", name, static_cast<long long>(q.head_dim));
  ET_KERNEL_CHECK_MSG(context, !(causal && mask.has_value()), InvalidArgument, false,
                      "%s: expected attn_mask or is_causal, got both", name);
  ET_KERNEL_CHECK_MSG(context, start_pos >= 0, InvalidArgument, false, "%s: start_pos is %lld", name,
                      static_cast<long long>(start_pos));
  a->keys = k.length;
  if (!mask.has_value()) {
    ET_KERNEL_CHECK_MSG(context, start_pos <= k.length && q.length <= k.length - start_pos, InvalidArgument, false,
                        "%s: start_pos %lld and %lld queries, but %lld keys", name, static_cast<long long>(start_pos),
                        static_cast<long long>(q.length), static_cast<long long>(k.length));
    a->keys = start_pos + q.length;
  } else if (mask->numel() > 0) {
    ET_KERNEL_CHECK_MSG(context,
                        mask->scalar_type() == ScalarType::Float && mask->dim() == 2 && mask->size(0) == q.length &&
                            mask->size(1) == k.length && is_contiguous(*mask) && mask->const_data_ptr() != nullptr,
                        InvalidArgument, false, "%s: attn_mask must be float32 [%lld, %lld], contiguous", name,
                        static_cast<long long>(q.length), static_cast<long long>(k.length));
    a->mask = mask->const_data_ptr<float>();
    a->mask_stride = mask->strides()[0];
  }
  a->causal = causal;
  a->start_pos = start_pos;
  a->scale = static_cast<float>(scale.has_value() ? *scale : 1 / std::sqrt(static_cast<double>(q.head_dim)));
  return true;
}

void run_attention(KernelRuntimeContext& context, Attention* a, bool position_second, const Tensor& query,
                   const Tensor& out, const char* name) {
  if (!resize_out(context, out, query.sizes(), name) || out.numel() == 0 ||
      !read_heads(context, out, position_second, "out", name, &a->out)) {
    return;
  }
  const int64_t blocks = (a->query.length + kQueries - 1) / kQueries;
  const int64_t units = a->query.batch * a->query.heads * blocks;
  const int64_t tasks = std::min(units, parallel_threads()), share = Workspace(a->query.head_dim).total();
  Result<void*> memory = context.allocate_temp(static_cast<size_t>(tasks * share) * sizeof(float), 64);
  ET_KERNEL_CHECK_MSG(context, memory.ok(), MemoryAllocationFailed, , "%s: no temporary memory", name);
  parallel_for(0, tasks, 1, [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      for (int64_t u = units * t / tasks; u < units * (t + 1) / tasks; ++u) {
        const int64_t head = u / blocks;
        attend(*a, head / a->query.heads, head % a->query.heads, u % blocks * kQueries,
               static_cast<float*>(memory.get()) + t * share);
      }
    }
  });
}

Tensor& custom_sdpa_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
                        int64_t start_pos, const optional<Tensor>& mask, double /*dropout*/, bool causal,
                        const optional<double>& scale, Tensor& out) {
  constexpr const char* kName = "llama::custom_sdpa";
  ET_KERNEL_CHECK_MSG(ctx, query.scalar_type() != ScalarType::Char, InvalidArgument, out, "%s: query is int8", kName);
  Attention a;
  if (read_attention(ctx, query, key, value, start_pos, mask, causal, scale, false, out, kName, &a)) {
    run_attention(ctx, &a, false, query, out, kName);
  }
  return out;
}

Tensor& custom_quantized_sdpa_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                                  const Tensor& value, int64_t start_pos, const optional<Tensor>& mask,
                                  double /*dropout*/, bool causal, const optional<double>& scale,
                                  const optional<Tensor>& q_zero_points, const optional<Tensor>& q_scales,
                                  const optional<Tensor>& k_zero_points, const optional<Tensor>& k_scales,
                                  const optional<Tensor>& v_zero_points, const optional<Tensor>& v_scales,
                                  bool position_second, Tensor& out) {
  constexpr const char* kName = "llama::custom_quantized_sdpa";
  Attention a;
  if (!read_attention(ctx, query, key, value, start_pos, mask, causal, scale, position_second, out, kName, &a)) {
    return out;
  }
  if (query.scalar_type() == ScalarType::Char &&
      (!read_qparams(ctx, q_scales, q_zero_points, position_second, "q", kName, &a.query) ||
       !read_qparams(ctx, k_scales, k_zero_points, position_second, "k", kName, &a.key) ||
       !read_qparams(ctx, v_scales, v_zero_points, position_second, "v", kName, &a.value))) {
    return out;
  }
  run_attention(ctx, &a, position_second, query, out, kName);
  return out;
}

Tensor& sdpa_with_kv_cache_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
                               Tensor& key_cache, Tensor& value_cache, int64_t start_pos, int64_t seq_len,
                               const optional<Tensor>& mask, double /*dropout*/, bool causal,
                               const optional<double>& scale, Tensor& out) {
  constexpr const char* kName = "llama::sdpa_with_kv_cache";
  ET_KERNEL_CHECK_MSG(ctx, query.dim() == 4 && seq_len == query.size(1), InvalidArgument, out,
                      "%s: seq_len is %lld, query has %zd dimensions", kName, static_cast<long long>(seq_len),
                      query.dim());
  ET_KERNEL_CHECK_MSG(ctx,
                      key.scalar_type() == key_cache.scalar_type() &&
                          value.scalar_type() == value_cache.scalar_type() && query.scalar_type() != ScalarType::Char,
                      InvalidArgument, out, "%s: keys and values must have the dtype of their caches, and be floats",
                      kName);
  Attention a;
  if (!check_cache_update(ctx, key, key_cache, start_pos, nullptr, kName) ||
      !check_cache_update(ctx, value, value_cache, start_pos, nullptr, kName) ||
      !read_attention(ctx, query, key_cache, value_cache, start_pos, mask, causal, scale, false, out, kName, &a)) {
    return out;
  }
  write_cache(key, key_cache, start_pos, nullptr);
  write_cache(value, value_cache, start_pos, nullptr);
  run_attention(ctx, &a, false, query, out, kName);
  return out;
}

}  // namespace

ET_KERNEL(custom_sdpa_out)
ET_KERNEL(custom_quantized_sdpa_out)
ET_KERNEL(sdpa_with_kv_cache_out)

}  // namespace et::ET_KERNELS
