// FullyConnected: out[.., n] = in[.., k] · filterᵀ + bias, with constant weights that are packed, or with weights that
// the graph computes.
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/backends/xnnpack/graph/pack.h"

namespace et::xnn {
namespace {

constexpr uint32_t kTransposedWeights = 1;

/// The output's shape is the input's with another last dimension.
Error reshape_gemm(Graph& g, const Operator& op, int64_t k, int64_t n) {
  const Value& in = g.values[op.inputs[0]];
  ET_XNN_CHECK(in.shape.rank >= 1 && in.shape.last() == k, op, InvalidArgument,
               "expected an input with last dimension %lld, got shape [%s]", static_cast<long long>(k),
               in.shape.text().c_str());
  Shape s = in.shape;
  s.dims[s.rank - 1] = n;
  g.values[op.outputs[0]].shape = s;
  return Error::Ok;
}

class FullyConnected final : public Operator {
 public:
  PackParams params;

  bool can_clamp() const override { return true; }
  bool fold(const Graph& g, const Operator& front) override {
    return params.gemm == GemmType::Qd8 && front.type == format::XnnNodeType::Convert &&
           g.values[front.outputs[0]].storage == Storage::D8;
  }
  Error prepare(Graph&, WeightCache& cache) override {
    n_ = params.n;
    k_ = params.k;
    gemm_ = params.gemm;
    const Error error = pack(params, *this, cache, &packed_);
    packed_bytes = static_cast<size_t>(packed_.bytes);
    return error;
  }
  Error reshape(Graph& g) override { return reshape_gemm(g, *this, k_, n_); }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const int64_t rows = in.shape.rows();
    switch (gemm_) {
      case GemmType::F32:
        return linear_f32(*packed_.f32, rows, in.as<float>(), k_, out.as<float>(), n_, clamp);
      case GemmType::Qs8: {
        const OutputQs8 to = output_qs8(out.quant(), clamp);
        return linear_qs8(*packed_.qs8, rows, in.as<int8_t>(), k_, out.as<int8_t>(), n_, &to);
      }
      case GemmType::Qd8:
        if (in.storage == Storage::F32) {
          return linear_qd8_f32(*packed_.qd8, rows, in.as<float>(), k_, out.as<float>(), n_, clamp);
        }
        return linear_qd8(*packed_.qd8, rows, in.as<int8_t>(), k_, in.row_quant(), out.as<float>(), n_, clamp);
    }
  }

 private:
  PackedWeights packed_;
  GemmType gemm_ = GemmType::F32;
  int64_t n_ = 0, k_ = 0;
};

/// Weights and bias are values like the input.
class ComputedWeights final : public Operator {
 public:
  bool transposed = false;  // weights are [k, n]
  bool has_bias = false;

  bool can_clamp() const override { return true; }
  Error reshape(Graph& g) override {
    const Shape& w = g.in(*this, 1).shape;
    ET_XNN_CHECK(w.rank == 2, *this, InvalidArgument, "filter: expected 2 dimensions, got shape [%s]",
                 w.text().c_str());
    const int64_t n = w.dims[transposed ? 1 : 0];
    ET_XNN_CHECK(!has_bias || g.in(*this, 2).shape.numel() == n, *this, InvalidArgument,
                 "bias: expected %lld values, got shape [%s]", static_cast<long long>(n),
                 g.in(*this, 2).shape.text().c_str());
    return reshape_gemm(g, *this, w.dims[transposed ? 0 : 1], n);
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    BatchMatrix m;
    m.m = in.shape.rows();
    m.k = in.shape.last();
    m.n = out.shape.last();
    m.transposed = !transposed;
    m.a = in.as<float>();
    m.b = g.in(*this, 1).as<float>();
    m.out = out.as<float>();
    batch_matmul_f32(m);
    const int64_t out_sizes[] = {m.m, m.n};
    const float zero = 0;
    const float* bias = has_bias ? g.in(*this, 2).as<float>() : &zero;
    if (has_bias || active(clamp)) {
      const Dims bias_shape = has_bias ? Dims(out_sizes + 1, 1) : Dims();
      binary_f32(Binary::Add, Dims(out_sizes, 2), m.out, bias_shape, bias, m.out, clamp);
    }
  }
};

}  // namespace

Error make_fully_connected(NodeReader& reader, std::unique_ptr<Operator>* out) {
  const format::XnnIds ids = reader.node().inputs();
  const bool transposed = (reader.flags() & kTransposedWeights) != 0;
  const bool has_bias = ids[2] != format::kXnnNoValue;
  uint32_t in = 0, to = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.input(ids[0], kFloat | kDynamic | one_of(Storage::S8), "input", &in));
  if (!reader.is_constant(ids[1]) || (has_bias && !reader.is_constant(ids[2]))) {
    auto op = std::make_unique<ComputedWeights>();
    op->transposed = transposed;
    op->has_bias = has_bias;
    op->inputs.resize(has_bias ? 3 : 2);
    ET_CHECK_OK_OR_RETURN_ERROR(reader.input(ids[0], kFloat, "input", &op->inputs[0]));
    ET_CHECK_OK_OR_RETURN_ERROR(reader.input(ids[1], kFloat, "filter", &op->inputs[1]));
    if (has_bias) ET_CHECK_OK_OR_RETURN_ERROR(reader.input(ids[2], kFloat, "bias", &op->inputs[2]));
    ET_CHECK_OK_OR_RETURN_ERROR(reader.output(reader.node().outputs()[0], kFloat, "output", &to));
    op->outputs = {to};
    op->clamp = reader.clamp();
    op->kind = "Fully Connected (F32";
    *out = std::move(op);
    return Error::Ok;
  }
  auto op = std::make_unique<FullyConnected>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.output(reader.node().outputs()[0], kFloat | one_of(Storage::S8), "output", &to));
  PackParams& params = op->params;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.weights(ids[1], "filter", &params.filter));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.weights(ids[2], "bias", &params.bias));
  const Shape& shape = params.filter.shape;
  if (shape.rank != 2) {
    return reader.fail(Error::InvalidProgram, "filter: expected 2 dimensions, got shape [%s]", shape.text().c_str());
  }
  params.transposed = transposed;
  params.n = shape.dims[transposed ? 1 : 0];
  params.k = shape.dims[transposed ? 0 : 1];
  if (transposed && !params.filter.block_scales.empty()) {
    return reader.fail(Error::NotSupported, "blockwise quantised weights cannot be transposed");
  }
  const Value& input = reader.graph().values[in];
  if (input.storage == Storage::D8 && input.nonbatch_dims != 1) {
    return reader.fail(Error::NotSupported,
                       "expected an input with one scale per row, got one for the last %d dimensions",
                       input.nonbatch_dims);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(choose_gemm(reader, input, reader.graph().values[to], &params));
  op->inputs = {in};
  op->outputs = {to};
  op->clamp = reader.clamp();
  op->kind = "Fully Connected (" + gemm_types(params, input);
  op->sizes = std::to_string(input.declared.rows()) + "x" + std::to_string(params.k) + "->" + std::to_string(params.n);
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
