// BatchMatrixMultiply: out[.., m, n] = a[.., m, k] · b[.., k, n], or b[.., n, k] with flag 1. Leading dimensions
// broadcast.
#include <algorithm>

#include "runtime/backends/xnnpack/graph/operator_factories.h"

namespace et::xnn {
namespace {

constexpr uint32_t kTransposedB = 1;

class BatchMatrixMultiply final : public Operator {
 public:
  bool transposed = false;

  Error reshape(Graph& g) override {
    const Shape& a = g.in(*this, 0).shape;
    const Shape& b = g.in(*this, 1).shape;
    ET_XNN_CHECK(a.rank >= 2 && b.rank >= 2, *this, InvalidArgument,
                 "expected inputs of at least 2 dimensions, got [%s] and [%s]", a.text().c_str(), b.text().c_str());
    k_ = a.dims[a.rank - 1];
    n_ = b.dims[b.rank - (transposed ? 2 : 1)];
    ET_XNN_CHECK(b.dims[b.rank - (transposed ? 1 : 2)] == k_, *this, InvalidArgument,
                 "inner dimensions of [%s] and [%s]%s differ", a.text().c_str(), b.text().c_str(),
                 transposed ? " (transposed)" : "");
    Shape out;
    out.rank = std::max(a.rank, b.rank);
    for (int i = 0; i < out.rank - 2; ++i) {
      const int64_t x = dim(a, out.rank, i), y = dim(b, out.rank, i);
      ET_XNN_CHECK(x == y || x == 1 || y == 1, *this, InvalidArgument, "inputs of [%s] and [%s] do not broadcast",
                   a.text().c_str(), b.text().c_str());
      out.dims[i] = x == 1 ? y : x;
    }
    m_ = out.dims[out.rank - 2] = a.dims[a.rank - 2];
    out.dims[out.rank - 1] = n_;
    g.values[outputs[0]].shape = out;
    return Error::Ok;
  }

  void run(Graph& g, uint8_t*) override {
    const Value& a = g.in(*this, 0);
    const Value& b = g.in(*this, 1);
    const Value& out = g.out(*this);
    const int64_t batch = out.shape.numel(0, out.shape.rank - 2);
    if (k_ == 0) return static_cast<void>(std::fill_n(out.as<float>(), out.shape.numel(), 0.0f));
    const auto batches = [](const Value& v) { return v.shape.numel(0, v.shape.rank - 2); };
    BatchMatrix params{batch, m_, n_, k_, transposed, a.as<float>(), m_ * k_, b.as<float>(), n_ * k_, out.as<float>()};
    if (batches(a) == 1) params.a_batch = 0;
    if (batches(b) == 1) params.b_batch = 0;
    const bool regular = (batches(a) == batch || batches(a) == 1) && (batches(b) == batch || batches(b) == 1);
    if (regular) return batch_matmul_f32(params);
    // Some dimensions are repeated and some are not: one problem at a time.
    params.batch = 1;
    for (int64_t i = 0; i < batch; ++i) {
      params.a = a.as<float>() + source(a.shape, out.shape, i) * m_ * k_;
      params.b = b.as<float>() + source(b.shape, out.shape, i) * n_ * k_;
      params.out = out.as<float>() + i * m_ * n_;
      batch_matmul_f32(params);
    }
  }

 private:
  static int64_t dim(const Shape& s, int rank, int i) {
    const int at = i - (rank - s.rank);
    return at < 0 ? 1 : s.dims[at];
  }
  /// Problem of `s` for problem `i` of the output.
  static int64_t source(const Shape& s, const Shape& out, int64_t i) {
    int64_t at = 0, step = 1;
    for (int d = out.rank - 3; d >= 0; --d) {
      const int64_t size = dim(s, out.rank, d);
      if (size != 1) at += i % out.dims[d] * step;
      step *= size;
      i /= out.dims[d];
    }
    return at;
  }

  int64_t m_ = 0, n_ = 0, k_ = 0;
};

}  // namespace

Error make_batch_matrix_multiply(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<BatchMatrixMultiply>();
  op->transposed = (reader.flags() & kTransposedB) != 0;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 2, kFloat, kFloat));
  op->kind = "Batch Matrix Multiply (F32";
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
