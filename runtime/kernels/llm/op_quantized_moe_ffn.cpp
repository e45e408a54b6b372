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

constexpr const char* kQuantizedMoeFfn = "llama::quantized_moe_ffn";
constexpr int64_t kMaxSize = 1 << 20;  // experts, and sizes of a layer
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
  float maximum = raw[chosen[0]];
  for (int64_t i = 1; i < count; ++i) maximum = std::max(maximum, raw[chosen[i]]);
  for (int64_t i = 0; i < count; ++i) total += weights[i] = std::exp(raw[chosen[i]] - maximum);
  for (int64_t i = 0; i < count; ++i) weights[i] /= total;
}

/// out [m, n] = x [m, k] times the transposed weights [n, k], a block of rows at a time.
void packed_linear(const PackedWeights& weights, const float* x, int64_t m, int64_t n, int64_t k, int64_t group,
                   float* out, float* block, float* gemm_memory) {
  for (int64_t r0 = 0; r0 < n; r0 += kWeightRows) {
    const int64_t rows = std::min(kWeightRows, n - r0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t g = 0; g < k / group; ++g) weights.read_group(r0 + r, g, block + r * k + g * group);
    }
    Gemm<float> params;
    params.m = m, params.n = rows, params.k = k;
    params.a = x, params.a_row = k, params.a_col = 1;
    params.b = block, params.b_row = 1, params.b_col = k;
    params.out = out + r0, params.out_row = n, params.out_col = 1;
    gemm(params, gemm_memory);
  }
}

bool check_matrix(KernelRuntimeContext& context, const Tensor& t, ScalarType dtype, int64_t rows, int64_t cols,
                  const char* argument) {
  ET_KERNEL_CHECK_MSG(context,
                      t.scalar_type() == dtype && t.dim() == 2 && t.size(0) == rows &&
                          (cols < 0 || t.size(1) == cols) && is_contiguous(t),
                      InvalidArgument, false, "%s: %s must be contiguous %s with %lld rows", kQuantizedMoeFfn, argument,
                      scalar_type_name(dtype), static_cast<long long>(rows));
  ET_KERNEL_CHECK_MSG(context, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no memory", kQuantizedMoeFfn, argument);
  return true;
}

/// The sizes of a call, and how its experts are chosen.
struct MoeShape {
  int64_t tokens, experts, count;  // `count` experts work on each token
  int64_t dim, hidden_dim, group_size, weight_nbit;
  bool by_sigmoid;
};

bool check_shape(KernelRuntimeContext& ctx, const MoeShape& s) {
  ET_KERNEL_CHECK_MSG(ctx, s.experts > 0 && s.experts <= kMaxSize && s.count > 0 && s.count <= s.experts,
                      InvalidArgument, false, "%s: num_activated_experts is %lld, num_experts %lld", kQuantizedMoeFfn,
                      static_cast<long long>(s.count), static_cast<long long>(s.experts));
  ET_KERNEL_CHECK_MSG(
      ctx,
      s.dim > 0 && s.dim <= kMaxSize && s.hidden_dim > 0 && s.hidden_dim <= kMaxSize && s.group_size > 0 &&
          s.group_size % 16 == 0 && s.dim % s.group_size == 0 && s.hidden_dim % s.group_size == 0,
      InvalidArgument, false, "%s: dim %lld and hidden_dim %lld do not divide into groups of %lld", kQuantizedMoeFfn,
      static_cast<long long>(s.dim), static_cast<long long>(s.hidden_dim), static_cast<long long>(s.group_size));
  ET_KERNEL_CHECK_MSG(ctx, s.weight_nbit == 4 || s.weight_nbit == 8, InvalidArgument, false, "%s: weight_nbit is %lld",
                      kQuantizedMoeFfn, static_cast<long long>(s.weight_nbit));
  return true;
}

/// All tensors fit the sizes; `out` gets its own.
bool check_tensors(KernelRuntimeContext& ctx, const MoeShape& s, const Tensor& x, const Tensor& gate_weight,
                   const Tensor& expert_bias, const Tensor& packed_w13, const Tensor& packed_w2, Tensor& out) {
  if (!check_matrix(ctx, x, ScalarType::Float, s.tokens, s.dim, "x") ||
      !check_matrix(ctx, gate_weight, ScalarType::Float, s.experts, s.dim, "gate_weight") ||
      !check_matrix(ctx, packed_w13, ScalarType::Byte, s.experts, -1, "packed_w13") ||
      !check_matrix(ctx, packed_w2, ScalarType::Byte, s.experts, -1, "packed_w2")) {
    return false;
  }
  const bool biased = expert_bias.numel() > 0;
  ET_KERNEL_CHECK_MSG(
      ctx,
      !biased || (s.by_sigmoid && expert_bias.scalar_type() == ScalarType::Float && expert_bias.dim() == 1 &&
                  expert_bias.size(0) == s.experts && expert_bias.const_data_ptr() != nullptr),
      InvalidArgument, false, "%s: expert_bias must be float32 [%lld], and only with sigmoid", kQuantizedMoeFfn,
      static_cast<long long>(s.experts));
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == ScalarType::Float && is_contiguous(out), InvalidArgument, false,
                      "%s: out must be contiguous float32", kQuantizedMoeFfn);
  if (!resize_out(ctx, out, x.sizes(), kQuantizedMoeFfn)) return false;
  ET_KERNEL_CHECK_MSG(ctx, out.numel() == 0 || out.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: out has no memory", kQuantizedMoeFfn);
  return true;
}

/// Memory of a call, in one piece.
struct MoeWorkspace {
  float *gemm, *block, *gathered, *hidden, *result, *raw, *scores, *weights;
  int32_t* chosen;  // [tokens, count], as `weights`

  bool allocate(KernelRuntimeContext& ctx, const MoeShape& s) {
    const int64_t widest = std::max(s.dim, s.hidden_dim);
    const int64_t gemm_size = std::max(gemm_workspace(kTokens, kWeightRows, widest, sizeof(float), 1),
                                       gemm_workspace(s.tokens, s.experts, s.dim, sizeof(float), 1));
    const int64_t floats = gemm_size + kWeightRows * widest + kTokens * (s.dim + 2 * s.hidden_dim + s.dim) +
                           s.tokens * s.experts + s.experts + 2 * s.tokens * s.count;
    Result<void*> memory = ctx.allocate_temp(static_cast<size_t>(floats) * sizeof(float), 64);
    ET_KERNEL_CHECK_MSG(ctx, memory.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", kQuantizedMoeFfn);
    gemm = static_cast<float*>(memory.get());
    block = gemm + gemm_size;
    gathered = block + kWeightRows * widest;
    hidden = gathered + kTokens * s.dim;
    result = hidden + kTokens * 2 * s.hidden_dim;
    raw = result + kTokens * s.dim;
    scores = raw + s.tokens * s.experts;
    weights = scores + s.experts;
    chosen = reinterpret_cast<int32_t*>(weights + s.tokens * s.count);
    return true;
  }
};

/// `m` gathered tokens through one expert; their results, weighted, are added to `out`.
void run_expert(const MoeShape& s, const PackedWeights& w13, const PackedWeights& w2, const int64_t* members, int64_t m,
                const MoeWorkspace& w, float* out) {
  const int64_t dim = s.dim, hidden_dim = s.hidden_dim;
  float* hidden = w.hidden;
  packed_linear(w13, w.gathered, m, 2 * hidden_dim, dim, s.group_size, hidden, w.block, w.gemm);
  for (int64_t i = 0; i < m; ++i) {
    // In place: row i of the result never lies behind what is still to be read.
    for (int64_t j = 0; j < hidden_dim; ++j) {
      const float up = hidden[i * 2 * hidden_dim + j];
      hidden[i * hidden_dim + j] = up * sigmoid(up) * hidden[i * 2 * hidden_dim + hidden_dim + j];
    }
  }
  packed_linear(w2, hidden, m, dim, hidden_dim, s.group_size, w.result, w.block, w.gemm);
  for (int64_t i = 0; i < m; ++i) {
    const float weight = w.weights[members[i]];
    float* row = out + members[i] / s.count * dim;
    for (int64_t d = 0; d < dim; ++d) row[d] += weight * w.result[i * dim + d];
  }
}

/// The experts and weights of every token.
void choose_experts(const MoeShape& s, const float* x, const Tensor& gate_weight, const Tensor& expert_bias,
                    double route_scale, const MoeWorkspace& w) {
  Gemm<float> gate;
  gate.m = s.tokens, gate.n = s.experts, gate.k = s.dim;
  gate.a = x, gate.a_row = s.dim, gate.a_col = 1;
  gate.b = gate_weight.const_data_ptr<float>(), gate.b_row = 1, gate.b_col = s.dim;
  gate.out = w.raw, gate.out_row = s.experts, gate.out_col = 1;
  gemm(gate, w.gemm);
  const float* bias = expert_bias.numel() > 0 ? expert_bias.const_data_ptr<float>() : nullptr;
  for (int64_t t = 0; t < s.tokens; ++t) {
    route(w.raw + t * s.experts, bias, s.experts, s.count, s.by_sigmoid, route_scale, w.scores, w.chosen + t * s.count,
          w.weights + t * s.count);
  }
}

Tensor& quantized_moe_ffn_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& gate_weight,
                              const Tensor& expert_bias, const Tensor& packed_w13, const Tensor& packed_w2,
                              int64_t num_activated_experts, int64_t num_experts, int64_t hidden_dim, int64_t dim,
                              int64_t group_size, int64_t weight_nbit, string_view score_func, double route_scale,
                              Tensor& out) {
  const bool by_sigmoid = score_func == "sigmoid";
  ET_KERNEL_CHECK_MSG(ctx, by_sigmoid || score_func == "softmax", InvalidArgument, out,
                      "%s: score_func: expected sigmoid or softmax", kQuantizedMoeFfn);
  ET_KERNEL_CHECK_MSG(ctx, x.dim() == 2, InvalidArgument, out, "%s: x has %zd dimensions", kQuantizedMoeFfn, x.dim());
  const MoeShape s{x.size(0), num_experts, num_activated_experts, dim, hidden_dim, group_size, weight_nbit, by_sigmoid};
  if (!check_shape(ctx, s) || !check_tensors(ctx, s, x, gate_weight, expert_bias, packed_w13, packed_w2, out) ||
      out.numel() == 0) {
    return out;
  }
  MoeWorkspace w;
  if (!w.allocate(ctx, s)) return out;
  const float* in = x.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  choose_experts(s, in, gate_weight, expert_bias, route_scale, w);
  std::fill(to, to + s.tokens * dim, 0.0f);
  for (int64_t e = 0; e < s.experts; ++e) {
    PackedWeights w13, w2;
    bool opened = false;
    // The tokens of this expert, kTokens at a time.
    for (int64_t next = 0; next < s.tokens;) {
      int64_t members[kTokens];
      int64_t m = 0;
      for (; next < s.tokens && m < kTokens; ++next) {
        const int32_t* row = w.chosen + next * s.count;
        const int32_t* found = std::find(row, row + s.count, static_cast<int32_t>(e));
        if (found == row + s.count) continue;
        std::copy(in + next * dim, in + (next + 1) * dim, w.gathered + m * dim);
        members[m++] = found - w.chosen;
      }
      if (m == 0) continue;
      if (!opened) {
        opened = w13.open(packed_w13.const_data_ptr<uint8_t>() + e * packed_w13.size(1), packed_w13.size(1),
                          2 * hidden_dim, dim, group_size, weight_nbit) &&
                 w2.open(packed_w2.const_data_ptr<uint8_t>() + e * packed_w2.size(1), packed_w2.size(1), dim,
                         hidden_dim, group_size, weight_nbit);
        ET_KERNEL_CHECK_MSG(ctx, opened, InvalidArgument, out,
                            "%s: expert %lld of packed_w13 or packed_w2 is too small or of another format",
                            kQuantizedMoeFfn, static_cast<long long>(e));
      }
      run_expert(s, w13, w2, members, m, w, to);
    }
  }
  return out;
}

}  // namespace

ET_KERNEL(quantized_moe_ffn_out)

}  // namespace et::ET_KERNELS
