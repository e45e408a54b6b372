// quantized_moe_ffn: each token goes through a few of many feed-forward networks ("experts"), chosen by a linear gate:
// out = sum over chosen e of weight_e * W2_e (silu(W1_e x) * W3_e x). W1 and W3 lie together in packed_w13 [2F, D],
// W2 in packed_w2 [D, F], both quantised. Activations stay float32.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/llm/packed_weights.h"
#include "runtime/kernels/matrix/gemm.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kName = "llama::quantized_moe_ffn";
constexpr int64_t kMost = 1 << 20;  // experts, and sizes of a layer
constexpr int64_t kWeightRows = 64, kTokens = 256;

float sigmoid(float x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const float e = std::exp(x);
  return e / (1 + e);
}

/// Indices of the `count` largest of n scores, ties by index; NaN comes last.
void choose(const float* scores, int64_t n, int64_t count, int32_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t best = -1;
    for (int64_t e = 0; e < n; ++e) {
      if (std::find(out, out + i, static_cast<int32_t>(e)) != out + i) continue;
      if (best < 0 || scores[e] > scores[best] || (scores[best] != scores[best] && scores[e] == scores[e])) best = e;
    }
    out[i] = static_cast<int32_t>(best);
  }
}

/// The routing weights of one token.
void route(const float* raw, const float* bias, int64_t experts, int64_t count, bool by_sigmoid, double scale,
           float* scores, int32_t* chosen, float* weights) {
  for (int64_t e = 0; e < experts; ++e) {
    scores[e] = (by_sigmoid ? sigmoid(raw[e]) : raw[e]) + (bias == nullptr ? 0.0f : bias[e]);
  }
  choose(scores, experts, count, chosen);
  float total = 0;
  if (by_sigmoid) {
    for (int64_t i = 0; i < count; ++i) total += weights[i] = sigmoid(raw[chosen[i]]);
    total = static_cast<float>(scale) / std::max(total, std::numeric_limits<float>::min());
    for (int64_t i = 0; i < count; ++i) weights[i] *= total;
    return;
  }
  float most = raw[chosen[0]];
  for (int64_t i = 1; i < count; ++i) most = std::max(most, raw[chosen[i]]);
  for (int64_t i = 0; i < count; ++i) total += weights[i] = std::exp(raw[chosen[i]] - most);
  for (int64_t i = 0; i < count; ++i) weights[i] /= total;
}

/// out [m, n] = x [m, k] times the transposed weights [n, k], a block of rows at a time.
void packed_linear(const PackedWeights& weights, const float* x, int64_t m, int64_t n, int64_t k, int64_t group,
                   float* out, float* block, float* gemm_room) {
  for (int64_t r0 = 0; r0 < n; r0 += kWeightRows) {
    const int64_t rows = std::min(kWeightRows, n - r0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t g = 0; g < k / group; ++g) weights.read_group(r0 + r, g, block + r * k + g * group);
    }
    Gemm<float> job;
    job.m = m, job.n = rows, job.k = k;
    job.a = x, job.a_row = k, job.a_col = 1;
    job.b = block, job.b_row = 1, job.b_col = k;
    job.out = out + r0, job.out_row = n, job.out_col = 1;
    gemm(job, gemm_room);
  }
}

bool check_matrix(KernelRuntimeContext& context, const Tensor& t, ScalarType dtype, int64_t rows, int64_t cols,
                  const char* argument) {
  ET_KERNEL_CHECK_MSG(context,
                      t.scalar_type() == dtype && t.dim() == 2 && t.size(0) == rows &&
                          (cols < 0 || t.size(1) == cols) && is_contiguous(t),
                      InvalidArgument, false, "%s: %s must be contiguous %s with %lld rows", kName, argument,
                      scalar_type_name(dtype), static_cast<long long>(rows));
  ET_KERNEL_CHECK_MSG(context, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no memory", kName, argument);
  return true;
}

Tensor& quantized_moe_ffn_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& gate_weight,
                              const Tensor& expert_bias, const Tensor& packed_w13, const Tensor& packed_w2,
                              int64_t num_activated_experts, int64_t num_experts, int64_t hidden_dim, int64_t dim,
                              int64_t group_size, int64_t weight_nbit, string_view score_func, double route_scale,
                              Tensor& out) {
  const int64_t experts = num_experts, count = num_activated_experts;
  ET_KERNEL_CHECK_MSG(ctx, experts > 0 && experts <= kMost && count > 0 && count <= experts, InvalidArgument, out,
                      "%s: num_activated_experts is %lld, num_experts %lld", kName, static_cast<long long>(count),
                      static_cast<long long>(experts));
  ET_KERNEL_CHECK_MSG(ctx,
                      dim > 0 && dim <= kMost && hidden_dim > 0 && hidden_dim <= kMost && group_size > 0 &&
                          group_size % 16 == 0 && dim % group_size == 0 && hidden_dim % group_size == 0,
                      InvalidArgument, out, "%s: dim %lld and hidden_dim %lld do not divide into groups of %lld", kName,
                      static_cast<long long>(dim), static_cast<long long>(hidden_dim),
                      static_cast<long long>(group_size));
  ET_KERNEL_CHECK_MSG(ctx, weight_nbit == 4 || weight_nbit == 8, InvalidArgument, out, "%s: weight_nbit is %lld", kName,
                      static_cast<long long>(weight_nbit));
  const bool by_sigmoid = score_func == "sigmoid";
  ET_KERNEL_CHECK_MSG(ctx, by_sigmoid || score_func == "softmax", InvalidArgument, out,
                      "%s: score_func is neither sigmoid nor softmax", kName);
  ET_KERNEL_CHECK_MSG(ctx, x.dim() == 2, InvalidArgument, out, "%s: x has %zd dimensions", kName, x.dim());
  const int64_t tokens = x.size(0);
  if (!check_matrix(ctx, x, ScalarType::Float, tokens, dim, "x") ||
      !check_matrix(ctx, gate_weight, ScalarType::Float, experts, dim, "gate_weight") ||
      !check_matrix(ctx, packed_w13, ScalarType::Byte, experts, -1, "packed_w13") ||
      !check_matrix(ctx, packed_w2, ScalarType::Byte, experts, -1, "packed_w2")) {
    return out;
  }
  const bool biased = expert_bias.numel() > 0;
  ET_KERNEL_CHECK_MSG(
      ctx,
      !biased || (by_sigmoid && expert_bias.scalar_type() == ScalarType::Float && expert_bias.dim() == 1 &&
                  expert_bias.size(0) == experts && expert_bias.const_data_ptr() != nullptr),
      InvalidArgument, out, "%s: expert_bias must be float32 [%lld], and only with sigmoid", kName,
      static_cast<long long>(experts));
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == ScalarType::Float && is_contiguous(out), InvalidArgument, out,
                      "%s: out must be contiguous float32", kName);
  if (!resize_out(ctx, out, x.sizes(), kName) || out.numel() == 0) return out;
  ET_KERNEL_CHECK_MSG(ctx, out.const_data_ptr() != nullptr, InvalidArgument, out, "%s: out has no memory", kName);

  const int64_t widest = std::max(dim, hidden_dim);
  const int64_t gemm_size = std::max(gemm_workspace(kTokens, kWeightRows, widest, sizeof(float), 1),
                                     gemm_workspace(tokens, experts, dim, sizeof(float), 1));
  const int64_t floats = gemm_size + kWeightRows * widest + kTokens * (dim + 2 * hidden_dim + dim) + tokens * experts +
                         experts + 2 * tokens * count;
  Result<void*> room = ctx.allocate_temp(static_cast<size_t>(floats) * sizeof(float), 64);
  ET_KERNEL_CHECK_MSG(ctx, room.ok(), MemoryAllocationFailed, out, "%s: no temporary memory", kName);
  float* gemm_room = static_cast<float*>(room.get());
  float* block = gemm_room + gemm_size;
  float* gathered = block + kWeightRows * widest;
  float* hidden = gathered + kTokens * dim;
  float* result = hidden + kTokens * 2 * hidden_dim;
  float* raw = result + kTokens * dim;
  float* scores = raw + tokens * experts;
  float* weights = scores + experts;
  auto* chosen = reinterpret_cast<int32_t*>(weights + tokens * count);

  const float* in = x.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  Gemm<float> gate;
  gate.m = tokens, gate.n = experts, gate.k = dim;
  gate.a = in, gate.a_row = dim, gate.a_col = 1;
  gate.b = gate_weight.const_data_ptr<float>(), gate.b_row = 1, gate.b_col = dim;
  gate.out = raw, gate.out_row = experts, gate.out_col = 1;
  gemm(gate, gemm_room);
  for (int64_t t = 0; t < tokens; ++t) {
    route(raw + t * experts, biased ? expert_bias.const_data_ptr<float>() : nullptr, experts, count, by_sigmoid,
          route_scale, scores, chosen + t * count, weights + t * count);
  }
  std::fill(to, to + tokens * dim, 0.0f);
  for (int64_t e = 0; e < experts; ++e) {
    PackedWeights w13, w2;
    bool opened = false;
    // The tokens of this expert, kTokens at a time.
    for (int64_t next = 0; next < tokens;) {
      int64_t members[kTokens];
      int64_t m = 0;
      for (; next < tokens && m < kTokens; ++next) {
        const int32_t* row = chosen + next * count;
        const int32_t* found = std::find(row, row + count, static_cast<int32_t>(e));
        if (found == row + count) continue;
        std::copy(in + next * dim, in + (next + 1) * dim, gathered + m * dim);
        members[m++] = found - chosen;
      }
      if (m == 0) continue;
      if (!opened) {
        opened = w13.open(packed_w13.const_data_ptr<uint8_t>() + e * packed_w13.size(1), packed_w13.size(1),
                          2 * hidden_dim, dim, group_size, weight_nbit) &&
                 w2.open(packed_w2.const_data_ptr<uint8_t>() + e * packed_w2.size(1), packed_w2.size(1), dim,
                         hidden_dim, group_size, weight_nbit);
        ET_KERNEL_CHECK_MSG(ctx, opened, InvalidArgument, out,
                            "%s: expert %lld of packed_w13 or packed_w2 is too small or of another format", kName,
                            static_cast<long long>(e));
      }
      packed_linear(w13, gathered, m, 2 * hidden_dim, dim, group_size, hidden, block, gemm_room);
      for (int64_t i = 0; i < m; ++i) {
        // In place: row i of the result never lies behind what is still to be read.
        for (int64_t j = 0; j < hidden_dim; ++j) {
          const float up = hidden[i * 2 * hidden_dim + j];
          hidden[i * hidden_dim + j] = up * sigmoid(up) * hidden[i * 2 * hidden_dim + hidden_dim + j];
        }
      }
      packed_linear(w2, hidden, m, dim, hidden_dim, group_size, result, block, gemm_room);
      for (int64_t i = 0; i < m; ++i) {
        const float weight = weights[members[i]];
        float* row = to + members[i] / count * dim;
        for (int64_t d = 0; d < dim; ++d) row[d] += weight * result[i * dim + d];
      }
    }
  }
  return out;
}

}  // namespace

ET_KERNEL(quantized_moe_ffn_out)

}  // namespace et::ET_KERNELS
