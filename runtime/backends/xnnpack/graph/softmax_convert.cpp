// Softmax over the last dimension, and Convert between the types of values.
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

class Softmax final : public Operator {
 public:
  Error reshape(Graph& g) override {
    const Shape& in = g.in(*this).shape;
    ET_XNN_CHECK(in.rank >= 1, *this, InvalidArgument, "the input is a scalar");
    g.values[outputs[0]].shape = in;
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    softmax_f32(in.shape.rows(), in.shape.last(), in.as<float>(), g.out(*this).as<float>());
  }
};

/// Between float, int8, uint8 and int32, and from float to rows that are quantised as they come.
class Convert final : public Operator {
 public:
  /// Between floats: rounding, which is done for every result.
  bool as_step(const Graph& g, ChainStep* step) const override {
    step->unary = Unary::Clamp;
    return g.values[inputs[0]].storage == Storage::F32 && g.values[outputs[0]].storage == Storage::F32;
  }
  Error reshape(Graph& g) override {
    Value& out = g.values[outputs[0]];
    out.shape = g.in(*this).shape;
    ET_XNN_CHECK(out.storage != Storage::D8 || out.nonbatch_dims <= out.shape.rank, *this, InvalidArgument,
                 "an input of [%s], of which %d dimensions share a scale", out.shape.text().c_str(), out.nonbatch_dims);
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const int64_t n = in.shape.numel();
    if (out.storage == Storage::D8) {
      const int64_t rows = out.quantized_rows();
      const int64_t k = n / rows;
      return quantize_rows(rows, k, in.as<float>(), k, out.as<int8_t>(), k, out.row_quant());
    }
    if (in.storage == Storage::F32 && out.storage == Storage::S8) {
      return quantize_f32(n, in.as<float>(), output_qs8(out.quant(), {}), out.as<int8_t>());
    }
    if (in.storage == Storage::S8 && out.storage == Storage::F32) {
      return dequantize_qs8(n, in.as<int8_t>(), in.quant(), out.as<float>());
    }
    parallel_for(0, n, 1 << 13, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) write(out, i, read(in, i));
    });
  }

 private:
  static float read(const Value& v, int64_t i) {
    switch (v.storage) {
      case Storage::S32:
        return static_cast<float>(v.as<int32_t>()[i]);
      case Storage::S8:
        return static_cast<float>(v.as<int8_t>()[i] - v.zero_point) * v.scale;
      case Storage::U8:
        return static_cast<float>(v.data[i] - v.zero_point) * v.scale;
      default:
        return v.as<float>()[i];
    }
  }
  static void write(const Value& v, int64_t i, float x) {
    switch (v.storage) {
      case Storage::S32:
        // Out of range is as the processor's conversion has it on all of them: the nearest number, 0 for NaN.
        v.as<int32_t>()[i] = x >= 2147483648.0f    ? INT32_MAX
                             : x <= -2147483648.0f ? INT32_MIN
                             : x == x              ? static_cast<int32_t>(x)
                                                   : 0;
        return;
      case Storage::S8:
      case Storage::U8:
        v.data[i] = static_cast<uint8_t>(quantize(x, v.scale, v.zero_point, v.storage));
        return;
      default:
        v.as<float>()[i] = x;
    }
  }
};

}  // namespace

Error make_softmax(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Softmax>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, kFloat, kFloat));
  op->kind = std::string("Softmax (") + type_name(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

std::unique_ptr<Operator> make_conversion(Graph& graph, uint32_t from, uint32_t to) {
  auto op = std::make_unique<Convert>();
  op->type = format::XnnNodeType::Convert;
  op->inputs = {from};
  op->outputs = {to};
  op->kind = std::string("Convert (") + type_name(graph.values[from]) + "->" + type_name(graph.values[to]);
  graph.values[to].defined = true;
  return op;
}

Error make_convert(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Convert>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, kFloat | kInt8 | kInt32, kFloat | kInt8 | kInt32 | kDynamic));
  const Value& in = reader.graph().in(*op);
  const Value& to = reader.graph().values[op->outputs[0]];
  if (to.storage == Storage::D8 && in.storage != Storage::F32) {
    return reader.fail(Error::NotSupported, "from %s to %s", format::xnn_datatype_name(in.datatype),
                       format::xnn_datatype_name(to.datatype));
  }
  op->kind = std::string("Convert (") + type_name(in) + "->" + type_name(to);
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
