// Operators that to_edge_transform_and_lower leaves whole to a backend, as calls of the kernels that their
// decompositions would end in.
#include "bundled_program/reference/kernel_call.h"

namespace et::reference {
namespace {

using etrecord::Argument;
using etrecord::ArgumentKind;
using Arguments = std::vector<Argument>;

Argument none(std::string name) {
  Argument a;
  a.name = std::move(name);
  return a;
}
Argument ints(std::string name, std::vector<int64_t> values) {
  Argument a = none(std::move(name));
  a.kind = ArgumentKind::Ints;
  a.ints = std::move(values);
  return a;
}
Argument integer(std::string name, int64_t value) {
  Argument a = ints(std::move(name), {value});
  a.kind = ArgumentKind::Int;
  return a;
}
Argument boolean(std::string name, bool value) {
  Argument a = integer(std::move(name), value ? 1 : 0);
  a.kind = ArgumentKind::Bool;
  return a;
}
Argument floats(std::string name, std::vector<double> values) {
  Argument a = none(std::move(name));
  a.kind = ArgumentKind::Floats;
  a.floats = std::move(values);
  return a;
}
Argument real(std::string name, double value) {
  Argument a = floats(std::move(name), {value});
  a.kind = ArgumentKind::Float;
  return a;
}

/// The node's argument under the name that the kernel has for it, or `otherwise`.
Argument given(const NativeCall& call, std::string_view name, Argument otherwise) {
  const Argument* a = call.find(name);
  if (a == nullptr) return otherwise;
  Argument out = *a;
  out.name = otherwise.name;
  return out;
}

Status one_int(const NativeCall& call, std::string_view name, size_t position, int64_t* out) {
  std::vector<GraphValue> v;
  if (Status s = call.argument(name, position, &v); !s.ok()) return s;
  if (v.size() != 1 || v[0].kind != GraphValue::Kind::Int) {
    return {Error::InvalidProgram, "argument " + std::string(name) + " is not an integer"};
  }
  *out = v[0].integer;
  return {};
}

/// Calls the kernel of `op`, whose first output is the node's; `more` are outputs that the node leaves out.
Status call_as(NativeCall& call, std::string_view op, const Arguments& arguments,
               const std::vector<TensorHandle>& more = {}) {
  std::vector<TensorHandle> outputs(1);
  if (Status s = result_tensor(call, 0, &outputs[0]); !s.ok()) return s;
  outputs.insert(outputs.end(), more.begin(), more.end());
  if (Status s = call_operator(call, op, arguments, outputs); !s.ok()) return s;
  call.results.emplace_back(outputs[0]);
  return {};
}

Status max_pool2d(NativeCall& call) {
  TensorHandle out, indices;
  if (Status s = result_tensor(call, 0, &out); !s.ok()) return s;
  const Tensor t = out->tensor();
  if (Status s = call.state.make_tensor(ScalarType::Long, t.sizes(), t.dim_order(), &indices); !s.ok()) return s;
  return call_as(call, "aten.max_pool2d_with_indices.default", call.node.inputs, {indices});
}

Status layer_norm(NativeCall& call) {
  TensorHandle input, mean, rstd;
  if (Status s = call.tensor("input", 0, &input); !s.ok()) return s;
  const Tensor t = input->tensor();
  // Statistics have fewer elements.
  if (Status s = call.state.make_tensor(t.scalar_type(), t.sizes(), {}, &mean); !s.ok()) return s;
  if (Status s = call.state.make_tensor(t.scalar_type(), t.sizes(), {}, &rstd); !s.ok()) return s;
  return call_as(
      call, "aten.native_layer_norm.default",
      {given(call, "input", none("input")), given(call, "normalized_shape", none("normalized_shape")),
       given(call, "weight", none("weight")), given(call, "bias", none("bias")), given(call, "eps", real("eps", 1e-5))},
      {mean, rstd});
}

Status group_norm(NativeCall& call) {
  TensorHandle input, mean, rstd;
  if (Status s = call.tensor("input", 0, &input); !s.ok()) return s;
  const Tensor t = input->tensor();
  int64_t groups = 0;
  if (Status s = one_int(call, "num_groups", 1, &groups); !s.ok()) return s;
  if (t.dim() < 2 || groups < 1 || groups > INT32_MAX) return {Error::InvalidProgram, "num_groups does not fit"};
  int64_t inner = 1;
  for (ssize_t d = 2; d < t.dim(); ++d) inner *= t.sizes()[static_cast<size_t>(d)];
  const int32_t statistics[] = {t.sizes()[0], static_cast<int32_t>(groups)};
  if (Status s = call.state.make_tensor(t.scalar_type(), statistics, {}, &mean); !s.ok()) return s;
  if (Status s = call.state.make_tensor(t.scalar_type(), statistics, {}, &rstd); !s.ok()) return s;
  return call_as(call, "aten.native_group_norm.default",
                 {given(call, "input", none("input")), given(call, "weight", none("weight")),
                  given(call, "bias", none("bias")), integer("N", t.sizes()[0]), integer("C", t.sizes()[1]),
                  integer("HxW", inner), integer("group", groups), given(call, "eps", real("eps", 1e-5))},
                 {mean, rstd});
}

/// Padding by name: "same" needs the same on both sides.
Status named_padding(const NativeCall& call, const std::string& name, const Tensor& weight, Argument* out) {
  const size_t rank = weight.sizes().size() - 2;
  std::vector<int64_t> padding(rank, 0);
  if (name == "same") {
    std::vector<GraphValue> dilation;
    if (Status s = call.argument("dilation", 5, &dilation); !s.ok()) return s;
    for (size_t d = 0; d < rank; ++d) {
      const GraphValue by = dilation.size() == rank ? dilation[d] : dilation[0];
      const int64_t step = by.kind == GraphValue::Kind::Int ? by.integer : 1;
      const int64_t total = step * (weight.sizes()[d + 2] - 1);
      if (total % 2 != 0) return {Error::NotSupported, "padding 'same' is uneven"};
      padding[d] = total / 2;
    }
  } else if (name != "valid") {
    return {Error::InvalidProgram, "padding '" + name + "'"};
  }
  *out = ints("padding", std::move(padding));
  return {};
}

template <bool transposed>
Status convolution(NativeCall& call) {
  TensorHandle weight;
  if (Status s = call.tensor("weight", 1, &weight); !s.ok()) return s;
  if (weight->tensor().dim() < 3) return {Error::InvalidProgram, "weight has no kernel dimensions"};
  const auto rank = static_cast<size_t>(weight->tensor().dim()) - 2;
  const std::vector<int64_t> zeros(rank, 0), ones(rank, 1);
  Argument padding = given(call, "padding", ints("padding", zeros));
  if (padding.kind == ArgumentKind::String && !padding.strings.empty()) {
    const std::string name = padding.strings[0];
    if (Status s = named_padding(call, name, weight->tensor(), &padding); !s.ok()) return s;
  }
  return call_as(
      call, "aten.convolution.default",
      {given(call, "input", none("input")), given(call, "weight", none("weight")), given(call, "bias", none("bias")),
       given(call, "stride", ints("stride", ones)), padding, given(call, "dilation", ints("dilation", ones)),
       boolean("transposed", transposed), given(call, "output_padding", ints("output_padding", zeros)),
       given(call, "groups", integer("groups", 1))});
}

/// upsample_….default has output sizes and may have scales, the form of the kernel one of both.
Status upsample(NativeCall& call) {
  const bool bilinear = call.node.qualified_op == "aten.upsample_bilinear2d.default";
  std::vector<GraphValue> h, w;
  if (Status s = call.argument("scales_h", SIZE_MAX, &h); !s.ok()) return s;
  if (Status s = call.argument("scales_w", SIZE_MAX, &w); !s.ok()) return s;
  const bool by_scale = h.size() == 1 && w.size() == 1 && h[0].is_number() && w[0].is_number();
  Arguments arguments = {
      given(call, "self", none("input")),
      by_scale ? none("output_size") : given(call, "output_size", none("output_size")),
      by_scale ? floats("scale_factors", {h[0].as_double(), w[0].as_double()}) : none("scale_factors")};
  if (bilinear) arguments.push_back(given(call, "align_corners", boolean("align_corners", false)));
  return call_as(call, bilinear ? "aten.upsample_bilinear2d.vec" : "aten.upsample_nearest2d.vec", arguments);
}

Status pad(NativeCall& call) {
  std::vector<GraphValue> sizes;
  if (Status s = call.argument("pad", 1, &sizes); !s.ok()) return s;
  const Argument* mode = call.find("mode");
  const std::string name = mode != nullptr && !mode->strings.empty() ? mode->strings[0] : "constant";
  if (name == "constant") {
    Argument value = given(call, "value", real("value", 0));
    if (value.kind == ArgumentKind::None) value = real("value", 0);
    return call_as(call, "aten.constant_pad_nd.default",
                   {given(call, "self", none("self")), given(call, "pad", none("pad")), value});
  }
  const std::string kind = name == "reflect" ? "reflection" : name == "replicate" ? "replication" : "";
  if (kind.empty()) return {Error::NotSupported, "padding mode '" + name + "'"};
  return call_as(call, "aten." + kind + "_pad" + std::to_string(sizes.size() / 2) + "d.default",
                 {given(call, "self", none("self")), given(call, "pad", none("padding"))});
}

/// The same elements in the same order, of another shape.
Status reshape(NativeCall& call) {
  TensorHandle in, rows, out;
  if (Status s = call.tensor("self", 0, &in); !s.ok()) return s;
  if (Status s = result_tensor(call, 0, &out); !s.ok()) return s;
  const Tensor from = in->tensor(), to = out->tensor();
  if (from.numel() != to.numel() || from.scalar_type() != to.scalar_type()) {
    return {Error::InvalidProgram, "the output has another number of elements or another dtype"};
  }
  if (Status s = call.state.make_tensor(from.scalar_type(), from.sizes(), {}, &rows); !s.ok()) return s;
  copy_elements(from, rows->tensor());
  TensorHandle reshaped;
  if (Status s = call.state.make_tensor(to.scalar_type(), to.sizes(), {}, &reshaped); !s.ok()) return s;
  std::copy_n(rows->data(), rows->size(), reshaped->data());
  copy_elements(reshaped->tensor(), to);
  call.results.emplace_back(out);
  return {};
}

/// A copy, perhaps of another dtype or dim order.
Status copy_as(NativeCall& call) {
  Argument self = call.node.inputs.empty() ? none("self") : call.node.inputs[0];
  self.name = "self";
  return call_as(call, "aten._to_copy.default", {self});
}

Status dropout(NativeCall& call) {
  std::vector<GraphValue> train;
  if (Status s = call.argument("train", 2, &train); !s.ok()) return s;
  if (train.size() == 1 && train[0].integer != 0) return {Error::NotSupported, "dropout of a model in training"};
  return copy_as(call);
}

Status eye(NativeCall& call) {
  TensorHandle out;
  if (Status s = result_tensor(call, 0, &out); !s.ok()) return s;
  const Tensor t = out->tensor();
  if (t.dim() != 2) return {Error::InvalidProgram, "the output is not a matrix"};
  std::vector<double> values(static_cast<size_t>(t.numel()), 0);
  const auto columns = static_cast<size_t>(t.sizes()[1]);
  for (size_t i = 0; i < std::min(columns, static_cast<size_t>(t.sizes()[0])); ++i) values[i * columns + i] = 1;
  return call.give(values);
}

Status linspace(NativeCall& call) {
  std::vector<GraphValue> start, end;
  int64_t steps = 0;
  if (Status s = call.argument("start", 0, &start); !s.ok()) return s;
  if (Status s = call.argument("end", 1, &end); !s.ok()) return s;
  if (Status s = one_int(call, "steps", 2, &steps); !s.ok()) return s;
  if (!start.at(0).is_number() || !end.at(0).is_number() || steps < 0 || steps > INT32_MAX) {
    return {Error::InvalidProgram, "start, end or steps is no number"};
  }
  const double a = start[0].as_double(), b = end[0].as_double();
  std::vector<double> values(static_cast<size_t>(steps), a);
  const double step = steps > 1 ? (b - a) / static_cast<double>(steps - 1) : 0;
  // From both ends, as torch.
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i < values.size() / 2 ? a + step * static_cast<double>(i)
                                      : b - step * static_cast<double>(values.size() - 1 - i);
  }
  if (steps == 1) values[0] = a;
  return call.give(values);
}

struct WholeRow {
  std::string_view op;
  NativeOperator call;
};
constexpr WholeRow kWholeRows[] = {
    {"aten.max_pool2d.default", max_pool2d},
    {"aten.layer_norm.default", layer_norm},
    {"aten.group_norm.default", group_norm},
    {"aten.conv1d.default", convolution<false>},
    {"aten.conv1d.padding", convolution<false>},
    {"aten.conv2d.default", convolution<false>},
    {"aten.conv2d.padding", convolution<false>},
    {"aten.conv3d.default", convolution<false>},
    {"aten.conv_transpose1d.default", convolution<true>},
    {"aten.conv_transpose2d.input", convolution<true>},
    {"aten.upsample_bilinear2d.default", upsample},
    {"aten.upsample_nearest2d.default", upsample},
    {"aten.pad.default", pad},
    {"aten.prelu.default", prelu},
    {"aten._prelu_kernel.default", prelu},
    {"aten.softmax.int", softmax},
    {"aten.log_softmax.int", softmax},
    {"aten._safe_softmax.default", softmax},
    {"aten.scaled_dot_product_attention.default", attention},
    {"aten.reshape.default", reshape},
    {"aten.flatten.using_ints", reshape},
    {"aten.unflatten.int", reshape},
    {"aten._unsafe_view.default", reshape},
    {"aten.squeeze.default", reshape},
    {"aten.contiguous.default", copy_as},
    {"aten.to.dtype", copy_as},
    {"aten.to.dtype_layout", copy_as},
    {"aten.dropout.default", dropout},
    {"aten.eye.default", eye},
    {"aten.eye.m", eye},
    {"aten.linspace.default", linspace},
};

}  // namespace

NativeOperator find_whole(const etrecord::Node& node) {
  for (const WholeRow& row : kWholeRows) {
    if (row.op == node.qualified_op) return row.call;
  }
  return nullptr;
}

}  // namespace et::reference
