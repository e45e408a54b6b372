// The C interface of oneDNN 2. GEMMs go to its sgemm, where strides allow; convolutions to its convolution primitive
// on plain layouts, created for each call (oneDNN keeps created primitives in a cache of its own). Whatever it does not
// take, or fails at, is declined before anything is written.
#include "runtime/kernels/matrix/onednn_provider.h"

#include <dnnl.h>

#include <cstring>

#include "runtime/kernels/matrix/provider.h"

namespace et::matrix {
namespace {

constexpr char kPlain = 'N', kTransposed = 'T';

/// A row-major matrix for sgemm: its rows or its columns are contiguous.
bool leading(int64_t rows, int64_t cols, int64_t row, int64_t col, char* transposed, int64_t* ld) {
  if (col == 1 && row >= cols) {
    *transposed = kPlain;
    *ld = row;
    return true;
  }
  if (row == 1 && col >= rows) {
    *transposed = kTransposed;
    *ld = col;
    return true;
  }
  return false;
}

bool gemm(const Gemm<float>& g) {
  char a_transposed = kPlain, b_transposed = kPlain;
  int64_t lda = 0, ldb = 0;
  if (g.k == 0 || g.out_col != 1 || g.out_row < g.n || !leading(g.m, g.k, g.a_row, g.a_col, &a_transposed, &lda) ||
      !leading(g.k, g.n, g.b_row, g.b_col, &b_transposed, &ldb)) {
    return false;
  }
  for (int64_t i = 0; i < g.batch; ++i) {
    float* out = g.out + i * g.out_batch;
    if (g.c != nullptr && g.c != g.out) {
      const float* c = g.c + i * g.c_batch;
      for (int64_t r = 0; r < g.m; ++r) {
        for (int64_t j = 0; j < g.n; ++j) out[r * g.out_row + j] = c[r * g.c_row + j * g.c_col];
      }
    }
    const dnnl_status_t status =
        dnnl_sgemm(a_transposed, b_transposed, g.m, g.n, g.k, g.alpha, g.a + i * g.a_batch, lda, g.b + i * g.b_batch,
                   ldb, g.c == nullptr ? 0.0f : g.beta, out, g.out_row);
    if (status != dnnl_success) return false;
  }
  return true;
}

/// Objects of one call, given back at its end.
struct Convolving {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_primitive_desc_t description = nullptr;
  dnnl_primitive_t primitive = nullptr;
  dnnl_memory_t memory[4] = {};

  Convolving() = default;
  Convolving(const Convolving&) = delete;
  Convolving& operator=(const Convolving&) = delete;
  ~Convolving() {
    for (dnnl_memory_t m : memory) {
      if (m != nullptr) dnnl_memory_destroy(m);
    }
    if (primitive != nullptr) dnnl_primitive_destroy(primitive);
    if (description != nullptr) dnnl_primitive_desc_destroy(description);
    if (stream != nullptr) dnnl_stream_destroy(stream);
    if (engine != nullptr) dnnl_engine_destroy(engine);
  }
};

/// sizes and strides of a tensor: two leading dimensions, then the last `spatial` of three.
bool describe(const int64_t* lead, const int64_t* lead_strides, int leading_count, const int64_t* sizes,
              const int64_t* strides, int spatial, dnnl_memory_desc_t* out) {
  dnnl_dims_t all_sizes, all_strides;
  int rank = 0;
  for (int d = 0; d < leading_count; ++d, ++rank) all_sizes[rank] = lead[d], all_strides[rank] = lead_strides[d];
  for (int d = 3 - spatial; d < 3; ++d, ++rank) all_sizes[rank] = sizes[d], all_strides[rank] = strides[d];
  return dnnl_memory_desc_init_by_strides(out, rank, all_sizes, dnnl_f32, all_strides) == dnnl_success;
}

bool is_reference(const_dnnl_primitive_desc_t description) {
  const char* name = nullptr;
  return dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name) != dnnl_success ||
         name == nullptr || std::strncmp(name, "ref", 3) == 0;
}

bool convolution(const Convolution& params) {
  Convolving c;
  // Dimensions that the tensors lack have stride 0.
  int spatial = 3;
  while (spatial > 1 && params.in_stride[5 - spatial] == 0) --spatial;
  const int skip = 3 - spatial;
  const int64_t g = params.groups;
  const int64_t* w = params.weight_stride;
  const int64_t in_lead[2] = {params.batch, params.in_channels}, out_lead[2] = {params.batch, params.out_channels};
  const int64_t weight_lead[3] = {g, params.out_channels / g, params.in_channels / g};
  const int64_t weight_lead_strides[3] = {params.out_channels / g * w[0], w[0], w[1]};
  const int plain = g == 1 ? 1 : 0;
  dnnl_memory_desc_t in, weight, bias, out;
  const dnnl_dims_t bias_dims = {params.out_channels}, bias_strides = {1};
  if (!describe(in_lead, params.in_stride, 2, params.in_size, params.in_stride + 2, spatial, &in) ||
      !describe(out_lead, params.out_stride, 2, params.out_size, params.out_stride + 2, spatial, &out) ||
      !describe(weight_lead + plain, weight_lead_strides + plain, 3 - plain, params.kernel, w + 2, spatial, &weight) ||
      dnnl_memory_desc_init_by_strides(&bias, 1, bias_dims, dnnl_f32, bias_strides) != dnnl_success) {
    return false;
  }
  dnnl_dims_t dilation, after;
  for (int d = 0; d < 3; ++d) {
    dilation[d] = params.dilation[d] - 1;
    const int64_t reach = (params.out_size[d] - 1) * params.stride[d] + params.dilation[d] * (params.kernel[d] - 1) + 1;
    after[d] = reach - params.in_size[d] - params.padding[d];
  }
  dnnl_convolution_desc_t convolution_desc;
  if (dnnl_dilated_convolution_forward_desc_init(&convolution_desc, dnnl_forward_inference, dnnl_convolution_auto, &in,
                                                 &weight, params.bias == nullptr ? nullptr : &bias, &out,
                                                 params.stride + skip, dilation + skip, params.padding + skip,
                                                 after + skip) != dnnl_success ||
      dnnl_engine_create(&c.engine, dnnl_cpu, 0) != dnnl_success ||
      dnnl_stream_create(&c.stream, c.engine, dnnl_stream_default_flags) != dnnl_success ||
      dnnl_primitive_desc_create(&c.description, &convolution_desc, nullptr, c.engine, nullptr) != dnnl_success ||
      is_reference(c.description) || dnnl_primitive_create(&c.primitive, c.description) != dnnl_success) {
    return false;
  }
  const dnnl_memory_desc_t* descriptions[4] = {&in, &weight, &out, &bias};
  const void* data[4] = {params.in, params.weight, params.out, params.bias};
  const int names[4] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS};
  dnnl_exec_arg_t args[4];
  const int count = params.bias == nullptr ? 3 : 4;
  for (int i = 0; i < count; ++i) {
    if (dnnl_memory_create(&c.memory[i], descriptions[i], c.engine, const_cast<void*>(data[i])) != dnnl_success) {
      return false;
    }
    args[i] = {names[i], c.memory[i]};
  }
  return dnnl_primitive_execute(c.primitive, c.stream, count, args) == dnnl_success &&
         dnnl_stream_wait(c.stream) == dnnl_success;
}

constexpr Provider kProvider = {"onednn", &gemm, &convolution};

}  // namespace

const Provider* onednn_provider() { return &kProvider; }
void select_onednn() { select_provider(&kProvider); }

}  // namespace et::matrix
