// Elementwise nodes with one or two inputs.
#include <cmath>
#include <cstring>

#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

using T = format::XnnNodeType;

struct UnaryKind {
  T type;
  Unary op;
  const char* name;  // of the event
};
constexpr UnaryKind kUnary[] = {
    {T::Abs, Unary::Abs, "Abs"},
    {T::Ceiling, Unary::Ceiling, "Ceiling"},
    {T::Clamp, Unary::Clamp, "Clamp"},
    {T::Cos, Unary::Cos, "Cosine"},
    {T::ELU, Unary::Elu, "ELU"},
    {T::Exp, Unary::Exp, "Exp"},
    {T::Floor, Unary::Floor, "Floor"},
    {T::Gelu, Unary::Gelu, "GELU"},
    {T::Hardswish, Unary::Hardswish, "HardSwish"},
    {T::LeakyReLU, Unary::LeakyRelu, "LeakyReLU"},
    {T::Log, Unary::Log, "Log"},
    {T::Negate, Unary::Negate, "Negate"},
    {T::ReciprocalSquareRoot, Unary::ReciprocalSquareRoot, "Reciprocal Square Root"},
    {T::Sigmoid, Unary::Sigmoid, "Sigmoid"},
    {T::Sin, Unary::Sin, "Sine"},
    {T::Square, Unary::Square, "Square"},
    {T::SquareRoot, Unary::SquareRoot, "Square Root"},
    {T::Tanh, Unary::Tanh, "TanH"},
};

struct BinaryKind {
  T type;
  Binary op;
  const char* name;
  bool clamped;  // honours the node's bounds
};
constexpr BinaryKind kBinary[] = {
    {T::Add, Binary::Add, "Add", true},
    {T::Subtract, Binary::Subtract, "Subtract", true},
    {T::Multiply, Binary::Multiply, "Multiply", true},
    {T::Div, Binary::Divide, "Divide", true},
    {T::Minimum, Binary::Minimum, "Minimum", false},
    {T::Maximum, Binary::Maximum, "Maximum", false},
    {T::PReLU, Binary::PRelu, "PReLU", false},
};

// --- one input

class UnaryOperator final : public Operator {
 public:
  UnaryKind of{};
  float alpha = 1;
  bool quantised = false;

  /// Those of quantised values are in the table.
  bool can_clamp() const override { return of.op == Unary::Clamp && !quantised; }
  bool as_step(const Graph& g, ChainStep* step) const override {
    step->unary = of.op;
    step->params = {alpha, fused_clamp};
    return g.values[inputs[0]].storage == Storage::F32;
  }
  Error prepare(Graph& g, WeightCache&) override {
    if (quantised) tabulate(g.in(*this), g.values[outputs[0]]);
    return Error::Ok;
  }
  Error reshape(Graph& g) override {
    g.values[outputs[0]].shape = g.in(*this).shape;
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const int64_t n = in.shape.numel();
    if (in.storage == Storage::F32) {
      unary_f32(of.op, n, in.as<float>(), out.as<float>(), {alpha, clamp});
    } else if (in.storage == Storage::S32) {
      run_int32(n, in.as<int32_t>(), out.as<int32_t>());
    } else {
      look_up(n, in.as<uint8_t>(), table_, out.as<uint8_t>());
    }
  }

 private:
  /// The 256 results of a quantised function.
  void tabulate(const Value& in, const Value& out) {
    float x[256], y[256];
    for (int i = 0; i < 256; ++i) {
      const int q = in.storage == Storage::U8 ? i : static_cast<int8_t>(i);
      x[i] = static_cast<float>(q - in.zero_point) * in.scale;
    }
    unary_f32(of.op, 256, x, y, {alpha, clamp});
    for (int i = 0; i < 256; ++i)
      table_[i] = static_cast<uint8_t>(quantize(y[i], out.scale, out.zero_point, out.storage));
  }
  void run_int32(int64_t n, const int32_t* x, int32_t* y) const {
    for (int64_t i = 0; i < n; ++i) {
      const auto u = static_cast<uint32_t>(x[i]);
      uint32_t r = u;
      if (of.op == Unary::Negate || (of.op == Unary::Abs && x[i] < 0)) r = 0u - u;
      if (of.op == Unary::Square) r = u * u;
      y[i] = static_cast<int32_t>(r);
    }
  }

  uint8_t table_[256] = {};
};

// --- two inputs

Error broadcast(const Operator& op, const Shape& a, const Shape& b, Shape* out) {
  out->rank = std::max(a.rank, b.rank);
  for (int i = 0; i < out->rank; ++i) {
    const int at_a = i - (out->rank - a.rank), at_b = i - (out->rank - b.rank);
    const int64_t x = at_a < 0 ? 1 : a.dims[at_a];
    const int64_t y = at_b < 0 ? 1 : b.dims[at_b];
    ET_XNN_CHECK(x == y || x == 1 || y == 1, op, InvalidArgument, "inputs of [%s] and [%s] do not broadcast",
                 a.text().c_str(), b.text().c_str());
    out->dims[i] = x == 1 ? y : x;
  }
  return Error::Ok;
}

class BinaryOperator final : public Operator {
 public:
  BinaryKind of{};

  bool can_clamp() const override { return of.clamped && !int32; }
  bool as_step(const Graph& g, ChainStep* step) const override {
    step->is_binary = true;
    step->binary = of.op;
    step->params.clamp = fused_clamp;
    return g.values[inputs[0]].storage == Storage::F32;
  }
  Error reshape(Graph& g) override {
    const Shape& a = g.in(*this, 0).shape;
    const Shape& b = g.in(*this, 1).shape;
    Value& out = g.values[outputs[0]];
    ET_CHECK_OK_OR_RETURN_ERROR(broadcast(*this, a, b, &out.shape));
    ET_XNN_CHECK(out.shape.fits(), *this, InvalidArgument, "a result of [%s]", out.shape.text().c_str());
    scratch = in_float_ ? static_cast<size_t>(a.numel() + b.numel() + out.shape.numel()) * 4 : 0;
    return Error::Ok;
  }
  Error prepare(Graph& g, WeightCache&) override {
    const Value& a = g.in(*this, 0);
    const Value& b = g.in(*this, 1);
    const Value& out = g.values[outputs[0]];
    int32 = a.storage == Storage::S32;
    // What the int8 functions do not take is done in float.
    const auto near = [&](const Value& v) { return v.scale / out.scale >= 0x1p-10f && v.scale / out.scale < 256.0f; };
    in_float_ =
        a.storage == Storage::U8 || (a.storage == Storage::S8 && (of.op == Binary::PRelu || !near(a) || !near(b)));
    return Error::Ok;
  }
  void run(Graph& g, uint8_t* scratch_memory) override {
    const Value& a = g.in(*this, 0);
    const Value& b = g.in(*this, 1);
    const Value& out = g.out(*this);
    const Dims as = dims_of(a.shape), bs = dims_of(b.shape);
    if (a.storage == Storage::F32) {
      binary_f32(of.op, as, a.as<float>(), bs, b.as<float>(), out.as<float>(), clamp);
    } else if (int32) {
      binary_i32(of.op, as, a.as<int32_t>(), bs, b.as<int32_t>(), out.as<int32_t>());
    } else if (in_float_) {
      auto* x = reinterpret_cast<float*>(scratch_memory);
      float* y = x + a.shape.numel();
      float* z = y + b.shape.numel();
      dequantize(a, x);
      dequantize(b, y);
      binary_f32(of.op, as, x, bs, y, z, clamp);
      for (int64_t i = 0; i < out.shape.numel(); ++i) {
        out.data[i] = static_cast<uint8_t>(quantize(z[i], out.scale, out.zero_point, out.storage));
      }
    } else {
      binary_qs8(of.op, as, a.as<int8_t>(), a.quant(), bs, b.as<int8_t>(), b.quant(), output_qs8(out.quant(), clamp),
                 out.as<int8_t>());
    }
  }

  bool int32 = false;

 private:
  static void dequantize(const Value& v, float* to) {
    for (int64_t i = 0; i < v.shape.numel(); ++i) {
      const int q = v.storage == Storage::U8 ? v.data[i] : static_cast<int8_t>(v.data[i]);
      to[i] = static_cast<float>(q - v.zero_point) * v.scale;
    }
  }

  bool in_float_ = false;
};

}  // namespace

Error make_unary(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<UnaryOperator>();
  for (const UnaryKind& k : kUnary) {
    if (k.type == reader.node().type()) op->of = k;
  }
  Storages types = kFloat | kInt8;
  if (op->of.op == Unary::Abs || op->of.op == Unary::Negate || op->of.op == Unary::Square) types |= kInt32;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, types, types));
  const Value& in = reader.graph().in(*op);
  const Value& to = reader.graph().values[op->outputs[0]];
  if (in.storage != to.storage) {
    return reader.fail(Error::NotSupported, "from %s to %s", format::xnn_datatype_name(in.datatype),
                       format::xnn_datatype_name(to.datatype));
  }
  if (op->of.op == Unary::LeakyRelu) ET_CHECK_OK_OR_RETURN_ERROR(reader.number("negative_slope", &op->alpha));
  if (op->of.op == Unary::Elu) ET_CHECK_OK_OR_RETURN_ERROR(reader.number("alpha", &op->alpha));
  if (op->of.op == Unary::Clamp) op->clamp = reader.clamp();
  op->reuse = Operator::Reuse::InPlace;
  op->quantised = in.quantized();
  op->kind = std::string(op->of.name) + " (" + type_name(in);
  *out = std::move(op);
  return Error::Ok;
}

Error make_binary(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<BinaryOperator>();
  for (const BinaryKind& k : kBinary) {
    if (k.type == reader.node().type()) op->of = k;
  }
  const Storages types = kFloat | kInt8 | (op->of.op == Binary::PRelu ? 0u : kInt32);
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 2, types, types));
  const Value& a = reader.graph().in(*op, 0);
  const Value& b = reader.graph().in(*op, 1);
  const Value& to = reader.graph().values[op->outputs[0]];
  if (a.storage != b.storage || a.storage != to.storage) {
    return reader.fail(Error::NotSupported, "%s and %s to %s", format::xnn_datatype_name(a.datatype),
                       format::xnn_datatype_name(b.datatype), format::xnn_datatype_name(to.datatype));
  }
  if (op->of.clamped) op->clamp = reader.clamp();
  if (a.storage == Storage::S32 && active(op->clamp)) {
    return reader.fail(Error::NotSupported, "bounds on a result of int32");
  }
  op->int32 = a.storage == Storage::S32;
  op->reuse = Operator::Reuse::InPlace;
  op->kind = std::string(op->of.name) + " (" + type_name(a);
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
