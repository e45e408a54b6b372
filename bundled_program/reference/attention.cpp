// softmax and scaled dot product attention as torch defines them, in float64.
#include <cmath>
#include <limits>

#include "bundled_program/reference/kernel_call.h"

namespace et::reference {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// One row of `n` elements, `stride` apart. `safe`: a row of minus infinities becomes zeros.
void softmax_row(double* row, size_t n, size_t stride, bool logarithm, bool safe) {
  double max = kMinusInfinity, sum = 0;
  for (size_t i = 0; i < n; ++i) max = std::isnan(row[i * stride]) ? row[i * stride] : std::max(max, row[i * stride]);
  const bool nothing = safe && max == kMinusInfinity;
  for (size_t i = 0; i < n; ++i) sum += std::exp(row[i * stride] - max);
  for (size_t i = 0; i < n; ++i) {
    double& v = row[i * stride];
    v = nothing ? 0 : logarithm ? v - max - std::log(sum) : std::exp(v - max) / sum;
  }
}

struct Heads {
  TensorHandle tensor;
  std::vector<double> values;
  int64_t rows = 0, columns = 0;  // the last two dimensions

  Status read(const NativeCall& call, std::string_view name, size_t position) {
    if (Status s = call.tensor(name, position, &tensor); !s.ok()) return s;
    const auto sizes = tensor->tensor().sizes();
    if (sizes.size() < 2) return {Error::InvalidProgram, "argument " + std::string(name) + " is no matrix"};
    rows = sizes[sizes.size() - 2];
    columns = sizes[sizes.size() - 1];
    return call.numbers(name, position, &values);
  }
  /// Where the matrix begins that belongs to this index of leading dimensions, broadcast; heads in groups.
  size_t at(std::span<const int32_t> lead, size_t flat) const {
    const auto sizes = tensor->tensor().sizes();
    size_t offset = 0, step = static_cast<size_t>(rows * columns);
    for (size_t d = lead.size(), own = sizes.size() - 2; d-- > 0;) {
      const auto size = static_cast<size_t>(lead[d]);
      const size_t index = flat % std::max<size_t>(size, 1);
      flat /= std::max<size_t>(size, 1);
      if (own == 0) continue;
      const auto count = static_cast<size_t>(sizes[--own]);
      offset += step * (count == size ? index : count < 2 ? 0 : index / (size / count));
      step *= count;
    }
    return offset;
  }
};

struct Attention {
  Heads q, k, v, mask;
  bool has_mask = false, causal = false, mask_is_bool = false;
  double scale = 0;

  /// The weights of one query row.
  void weigh(const double* query, const double* keys, const double* bias, int64_t row, std::vector<double>* out) const {
    for (int64_t j = 0; j < k.rows; ++j) {
      double dot = 0;
      for (int64_t c = 0; c < q.columns; ++c) dot += query[c] * keys[j * k.columns + c];
      dot *= scale;
      if (causal && j > row) dot = kMinusInfinity;
      if (bias != nullptr) {
        const double b = bias[(mask.rows == 1 ? 0 : row) * mask.columns + (mask.columns == 1 ? 0 : j)];
        dot = mask_is_bool ? (b != 0 ? dot : kMinusInfinity) : dot + b;
      }
      (*out)[static_cast<size_t>(j)] = dot;
    }
    softmax_row(out->data(), out->size(), 1, false, true);
  }
};

Status read_attention(NativeCall& call, Attention* a) {
  if (Status s = a->q.read(call, "query", 0); !s.ok()) return s;
  if (Status s = a->k.read(call, "key", 1); !s.ok()) return s;
  if (Status s = a->v.read(call, "value", 2); !s.ok()) return s;
  std::vector<GraphValue> mask, causal, scale, drop;
  if (Status s = call.argument("attn_mask", 3, &mask); !s.ok()) return s;
  if (Status s = call.argument("is_causal", SIZE_MAX, &causal); !s.ok()) return s;
  if (Status s = call.argument("scale", SIZE_MAX, &scale); !s.ok()) return s;
  if (Status s = call.argument("dropout_p", SIZE_MAX, &drop); !s.ok()) return s;
  if (drop.size() == 1 && drop[0].is_number() && drop[0].as_double() > 0) {
    return {Error::NotSupported, "attention with dropout"};
  }
  a->has_mask = mask.size() == 1 && mask[0].kind == GraphValue::Kind::Tensor;
  if (a->has_mask) {
    if (Status s = a->mask.read(call, "attn_mask", 3); !s.ok()) return s;
    a->mask_is_bool = mask[0].tensor->tensor().scalar_type() == ScalarType::Bool;
  }
  a->causal = causal.size() == 1 && causal[0].integer != 0;
  a->scale = scale.size() == 1 && scale[0].is_number() ? scale[0].as_double()
                                                       : 1 / std::sqrt(static_cast<double>(a->q.columns));
  const auto fits = [](int64_t size, int64_t to) { return size == to || size == 1; };
  if (a->q.columns != a->k.columns || a->k.rows != a->v.rows ||
      (a->has_mask && (!fits(a->mask.rows, a->q.rows) || !fits(a->mask.columns, a->k.rows)))) {
    return {Error::InvalidProgram, "query, key, value and mask do not fit"};
  }
  return {};
}

/// Leading dimensions must be those of the output, 1, or a divisor (heads in groups).
bool leads(const Heads& h, std::span<const int32_t> lead) {
  const auto sizes = h.tensor->tensor().sizes();
  if (sizes.size() - 2 > lead.size()) return false;
  for (size_t d = 0; d + 2 < sizes.size(); ++d) {
    const int32_t own = sizes[sizes.size() - 3 - d], of = lead[lead.size() - 1 - d];
    if (own != of && (own < 1 || of % own != 0)) return false;
  }
  return true;
}

}  // namespace

Status softmax(NativeCall& call) {
  TensorHandle input;
  std::vector<double> values;
  std::vector<GraphValue> dim;
  if (Status s = call.tensor("self", 0, &input); !s.ok()) return s;
  if (Status s = call.numbers("self", 0, &values); !s.ok()) return s;
  if (Status s = call.argument("dim", 1, &dim); !s.ok()) return s;
  const auto sizes = input->tensor().sizes();
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t bound = std::max<int64_t>(rank, 1);
  if (dim.size() != 1 || dim[0].kind != GraphValue::Kind::Int || dim[0].integer < -bound || dim[0].integer >= bound) {
    return {Error::InvalidProgram, "argument dim is out of range"};
  }
  const auto d = static_cast<size_t>(dim[0].integer < 0 ? dim[0].integer + bound : dim[0].integer);
  const size_t n = rank == 0 ? 1 : static_cast<size_t>(sizes[d]);
  size_t inner = 1;
  for (size_t i = d + 1; i < sizes.size(); ++i) inner *= static_cast<size_t>(sizes[i]);
  const bool logarithm = call.node.qualified_op.find("log_softmax") != std::string::npos;
  const bool safe = call.node.qualified_op.find("_safe_softmax") != std::string::npos;
  if (!values.empty()) {
    for (size_t begin = 0; begin < values.size(); begin += n * inner) {
      for (size_t i = 0; i < inner; ++i) softmax_row(values.data() + begin + i, n, inner, logarithm, safe);
    }
  }
  return call.give(values);
}

Status attention(NativeCall& call) {
  Attention a;
  if (Status s = read_attention(call, &a); !s.ok()) return s;
  TensorHandle out;
  if (Status s = result_tensor(call, 0, &out); !s.ok()) return s;
  const auto sizes = out->tensor().sizes();
  if (sizes.size() < 2 || sizes[sizes.size() - 2] != a.q.rows || sizes[sizes.size() - 1] != a.v.columns) {
    return {Error::InvalidProgram, "the output does not fit query and value"};
  }
  const auto lead = sizes.subspan(0, sizes.size() - 2);
  for (const Heads* h : {&a.q, &a.k, &a.v, &a.mask}) {
    if ((h != &a.mask || a.has_mask) && !leads(*h, lead)) {
      return {Error::InvalidProgram, "leading dimensions do not fit the output"};
    }
  }
  std::vector<double> result(static_cast<size_t>(out->tensor().numel()), 0);
  std::vector<double> weights(static_cast<size_t>(a.k.rows));
  size_t matrices = 1;
  for (const int32_t n : lead) matrices *= static_cast<size_t>(n);
  double* to = result.data();
  for (size_t m = 0; m < matrices; ++m) {
    const double* query = a.q.values.data() + a.q.at(lead, m);
    const double* keys = a.k.values.data() + a.k.at(lead, m);
    const double* values = a.v.values.data() + a.v.at(lead, m);
    const double* bias = a.has_mask ? a.mask.values.data() + a.mask.at(lead, m) : nullptr;
    for (int64_t row = 0; row < a.q.rows; ++row, to += a.v.columns) {
      a.weigh(query + row * a.q.columns, keys, bias, row, &weights);
      for (int64_t j = 0; j < a.v.rows; ++j) {
        const double w = weights[static_cast<size_t>(j)];
        for (int64_t c = 0; c < a.v.columns; ++c) to[c] += w * values[j * a.v.columns + c];
      }
    }
  }
  return call.give(result);
}

}  // namespace et::reference
