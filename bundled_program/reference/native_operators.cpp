#include "bundled_program/reference/native_operators.h"

#include <cmath>
#include <cstring>

#include "bundled_program/reference/elements.h"
#include "bundled_program/reference/kernel_call.h"
#include "runtime/kernels/common/dtype.h"

namespace et::reference {
namespace {

using Kind = GraphValue::Kind;
using Numbers = std::vector<GraphValue>;

Status bad(const char* cause) { return {Error::InvalidProgram, cause}; }

bool real(const GraphValue& a) { return a.kind == Kind::Double; }
bool real(const GraphValue& a, const GraphValue& b) { return real(a) || real(b); }

// Integers stay integers; what leaves 64 bit, or has no value, is an error.
template <class I, class D>
Status arithmetic(const GraphValue& a, const GraphValue& b, GraphValue* out, I integers, D doubles) {
  if (real(a, b)) {
    *out = GraphValue::of_double(doubles(a.as_double(), b.as_double()));
    return {};
  }
  int64_t result = 0;
  if (!integers(a.integer, b.integer, &result)) return bad("the result is not a 64-bit integer");
  *out = GraphValue::of_int(result);
  return {};
}

bool floor_divide(int64_t a, int64_t b, int64_t* out) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  *out = a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
  return true;
}
bool modulo(int64_t a, int64_t b, int64_t* out) {
  int64_t quotient = 0;
  if (!floor_divide(a, b, &quotient)) return false;
  *out = a - quotient * b;
  return true;
}
bool power(int64_t a, int64_t b, int64_t* out) {
  if (b < 0) return false;
  *out = 1;
  for (int64_t base = a;;) {
    if ((b & 1) != 0 && __builtin_mul_overflow(*out, base, out)) return false;
    b >>= 1;
    if (b == 0) return true;
    if (__builtin_mul_overflow(base, base, &base)) return false;
  }
}

Status whole(double v, GraphValue* out) {
  if (!(v > -9.2e18 && v < 9.2e18)) return bad("the result is not a 64-bit integer");
  *out = GraphValue::of_int(static_cast<int64_t>(v));
  return {};
}

GraphValue compared(const GraphValue& a, const GraphValue& b, bool (*of)(int)) {
  if (real(a, b)) {
    const double x = a.as_double(), y = b.as_double();
    if (std::isnan(x) || std::isnan(y)) return GraphValue::of_bool(of(2));
    return GraphValue::of_bool(of(x < y ? -1 : x > y ? 1 : 0));
  }
  return GraphValue::of_bool(of(a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0));
}

bool truth(const GraphValue& a) { return a.kind == Kind::Double ? a.number != 0 : a.integer != 0; }

// Arithmetic with numbers: "_operator.add", "torch.sym_max", "math.ceil".
struct NumberOperator {
  std::string_view target;
  size_t arguments;
  Status (*call)(const Numbers& a, GraphValue* out);
};

#define ET_COMPARE(TEST)                                         \
  [](const Numbers& a, GraphValue* out) {                        \
    *out = compared(a[0], a[1], [](int order) { return TEST; }); \
    return Status();                                             \
  }
#define ET_ROUND(F)                                \
  [](const Numbers& a, GraphValue* out) {          \
    if (!real(a[0])) return *out = a[0], Status(); \
    return whole(F(a[0].number), out);             \
  }
constexpr NumberOperator kNumberOperators[] = {
    {"_operator.add", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(
           a[0], a[1], out, [](int64_t x, int64_t y, int64_t* r) { return !__builtin_add_overflow(x, y, r); },
           [](double x, double y) { return x + y; });
     }},
    {"_operator.sub", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(
           a[0], a[1], out, [](int64_t x, int64_t y, int64_t* r) { return !__builtin_sub_overflow(x, y, r); },
           [](double x, double y) { return x - y; });
     }},
    {"_operator.mul", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(
           a[0], a[1], out, [](int64_t x, int64_t y, int64_t* r) { return !__builtin_mul_overflow(x, y, r); },
           [](double x, double y) { return x * y; });
     }},
    {"_operator.floordiv", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(a[0], a[1], out, floor_divide, [](double x, double y) { return std::floor(x / y); });
     }},
    {"_operator.mod", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(a[0], a[1], out, modulo, [](double x, double y) { return x - std::floor(x / y) * y; });
     }},
    {"_operator.pow", 2,
     [](const Numbers& a, GraphValue* out) {
       if (!real(a[0], a[1]) && a[1].integer < 0) {
         *out = GraphValue::of_double(std::pow(a[0].as_double(), a[1].as_double()));
         return Status();
       }
       return arithmetic(a[0], a[1], out, power, [](double x, double y) { return std::pow(x, y); });
     }},
    {"_operator.truediv", 2,
     [](const Numbers& a, GraphValue* out) {
       if (a[1].as_double() == 0) return bad("division by 0");
       *out = GraphValue::of_double(a[0].as_double() / a[1].as_double());
       return Status();
     }},
    {"_operator.neg", 1,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(
           GraphValue::of_int(0), a[0], out,
           [](int64_t x, int64_t y, int64_t* r) { return !__builtin_sub_overflow(x, y, r); },
           [](double, double y) { return -y; });
     }},
    {"_operator.eq", 2, ET_COMPARE(order == 0)},
    {"_operator.ne", 2, ET_COMPARE(order != 0)},
    {"_operator.lt", 2, ET_COMPARE(order == -1)},
    {"_operator.le", 2, ET_COMPARE(order == -1 || order == 0)},
    {"_operator.gt", 2, ET_COMPARE(order == 1)},
    {"_operator.ge", 2, ET_COMPARE(order == 1 || order == 0)},
    {"_operator.and_", 2,
     [](const Numbers& a, GraphValue* out) {
       return *out = GraphValue::of_bool(truth(a[0]) && truth(a[1])), Status();
     }},
    {"_operator.or_", 2,
     [](const Numbers& a, GraphValue* out) {
       return *out = GraphValue::of_bool(truth(a[0]) || truth(a[1])), Status();
     }},
    {"_operator.not_", 1,
     [](const Numbers& a, GraphValue* out) { return *out = GraphValue::of_bool(!truth(a[0])), Status(); }},
    {"torch.sym_not", 1,
     [](const Numbers& a, GraphValue* out) { return *out = GraphValue::of_bool(!truth(a[0])), Status(); }},
    {"torch.sym_max", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(
           a[0], a[1], out, [](int64_t x, int64_t y, int64_t* r) { return *r = std::max(x, y), true; },
           [](double x, double y) { return std::max(x, y); });
     }},
    {"torch.sym_min", 2,
     [](const Numbers& a, GraphValue* out) {
       return arithmetic(
           a[0], a[1], out, [](int64_t x, int64_t y, int64_t* r) { return *r = std::min(x, y), true; },
           [](double x, double y) { return std::min(x, y); });
     }},
    {"torch.sym_float", 1,
     [](const Numbers& a, GraphValue* out) { return *out = GraphValue::of_double(a[0].as_double()), Status(); }},
    {"torch.sym_int", 1, ET_ROUND(std::trunc)},
    {"torch.sym_ite", 3, [](const Numbers& a, GraphValue* out) { return *out = truth(a[0]) ? a[1] : a[2], Status(); }},
    {"torch._sym_sqrt", 1,
     [](const Numbers& a, GraphValue* out) {
       return *out = GraphValue::of_double(std::sqrt(a[0].as_double())), Status();
     }},
    {"math.ceil", 1, ET_ROUND(std::ceil)},
    {"math.floor", 1, ET_ROUND(std::floor)},
    {"math.trunc", 1, ET_ROUND(std::trunc)},
    {"builtins.round", 1, ET_ROUND(std::nearbyint)},
};
#undef ET_COMPARE
#undef ET_ROUND

const NumberOperator* number_operator(const etrecord::Node& node) {
  for (const NumberOperator& op : kNumberOperators) {
    if (op.target == node.target) return &op;
  }
  return nullptr;
}

Status compute_number(NativeCall& call) {
  const NumberOperator* op = number_operator(call.node);
  Numbers numbers;
  for (const etrecord::Argument& a : call.node.inputs) {
    if (Status s = values_of(call.scope, a, &numbers); !s.ok()) return s;
  }
  if (numbers.size() != op->arguments) return bad("a wrong number of arguments");
  for (const GraphValue& n : numbers) {
    if (!n.is_number()) return bad("an argument is not a number");
  }
  GraphValue out;
  if (Status s = op->call(numbers, &out); !s.ok()) return s;
  call.results.push_back(out);
  return {};
}

Status tensor_argument(const NativeCall& call, TensorHandle* out) {
  std::vector<GraphValue> values;
  if (Status s = call.argument("self", 0, &values); !s.ok()) return s;
  if (values.size() != 1 || values[0].kind != Kind::Tensor) return bad("argument self is not a tensor");
  *out = values[0].tensor;
  return {};
}

// sym_size and sym_stride: `of` gives the entries.
template <class F>
Status entry_of_tensor(NativeCall& call, const F& of) {
  TensorHandle tensor;
  if (Status s = tensor_argument(call, &tensor); !s.ok()) return s;
  std::vector<GraphValue> dim;
  if (Status s = call.argument("dim", 1, &dim); !s.ok()) return s;
  const auto entries = of(tensor->tensor());
  const auto rank = static_cast<int64_t>(entries.size());
  if (dim.size() != 1 || dim[0].kind != Kind::Int || dim[0].integer < -rank || dim[0].integer >= rank) {
    return bad("argument dim is out of range");
  }
  const int64_t d = dim[0].integer < 0 ? dim[0].integer + rank : dim[0].integer;
  call.results.push_back(GraphValue::of_int(entries[static_cast<size_t>(d)]));
  return {};
}

Status sym_size(NativeCall& call) {
  return entry_of_tensor(call, [](const Tensor& t) { return t.sizes(); });
}
Status sym_stride(NativeCall& call) {
  return entry_of_tensor(call, [](const Tensor& t) { return t.strides(); });
}
Status sym_numel(NativeCall& call) {
  TensorHandle tensor;
  if (Status s = tensor_argument(call, &tensor); !s.ok()) return s;
  call.results.push_back(GraphValue::of_int(tensor->tensor().numel()));
  return {};
}
Status sym_storage_offset(NativeCall& call) {
  call.results.push_back(GraphValue::of_int(0));  // every tensor has its own memory
  return {};
}

Status item_of_tensor(NativeCall& call) {
  TensorHandle tensor;
  if (Status s = tensor_argument(call, &tensor); !s.ok()) return s;
  const Tensor t = tensor->tensor();
  if (t.numel() != 1) return bad("argument self has not exactly one element");
  const bool known = kernels::dispatch<kernels::kRealHB>(t.scalar_type(), [&]<class T>() {
    const T v = *t.const_data_ptr<T>();
    if constexpr (std::is_same_v<T, bool>) {
      call.results.push_back(GraphValue::of_bool(v));
    } else if constexpr (std::is_integral_v<T>) {
      call.results.push_back(GraphValue::of_int(static_cast<int64_t>(v)));
    } else {
      call.results.push_back(GraphValue::of_double(static_cast<double>(static_cast<kernels::opmath_t<T>>(v))));
    }
  });
  return known ? Status() : bad("argument self has a dtype without numbers");
}

Status assert_scalar(NativeCall& call) {
  std::vector<GraphValue> value;
  if (Status s = call.argument("self", 0, &value); !s.ok()) return s;
  if (value.size() != 1 || !value[0].is_number()) return bad("argument self is not a number");
  if (truth(value[0])) return {};
  const etrecord::Argument* message = call.find("assert_msg");
  return {Error::InvalidArgument,
          message != nullptr && !message->strings.empty() ? message->strings[0] : std::string("an assertion failed")};
}

// What only the export checks.
Status nothing(NativeCall&) { return {}; }

struct NativeRow {
  std::string_view op;
  NativeOperator call;
};
constexpr NativeRow kNativeRows[] = {
    {"aten.sym_size.int", sym_size},
    {"aten.sym_stride.int", sym_stride},
    {"aten.sym_numel.default", sym_numel},
    {"aten.sym_storage_offset.default", sym_storage_offset},
    {"aten._local_scalar_dense.default", item_of_tensor},
    {"aten.item.default", item_of_tensor},
    {"aten._assert_scalar.default", assert_scalar},
    {"aten._assert_async.msg", nothing},
    {"aten._assert_tensor_metadata.default", nothing},
    {"aten.sym_constrain_range.default", nothing},
    {"aten.sym_constrain_range_for_size.default", nothing},
    {"torchao.choose_qparams_affine.default", choose_qparams_affine},
    {"torchao.quantize_affine.default", quantize_affine},
    {"torchao.dequantize_affine.default", dequantize_affine},
};

}  // namespace

const etrecord::Argument* NativeCall::find(std::string_view name) const {
  for (const etrecord::Argument& a : node.inputs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

Status NativeCall::argument(std::string_view name, size_t position, std::vector<GraphValue>* out) const {
  const etrecord::Argument* a = find(name);
  if (a == nullptr && position < node.inputs.size() && node.inputs[position].name.empty()) a = &node.inputs[position];
  if (a == nullptr) {
    out->emplace_back();
    return {};
  }
  Status s = values_of(scope, *a, out);
  return s.ok() ? s : Status(s.code(), "argument " + std::string(name) + ": " + s.message());
}

Status NativeCall::tensor(std::string_view name, size_t position, TensorHandle* out) const {
  std::vector<GraphValue> values;
  if (Status s = argument(name, position, &values); !s.ok()) return s;
  if (values.size() != 1 || values[0].kind != Kind::Tensor) {
    return {Error::InvalidProgram, "argument " + std::string(name) + " is not a tensor"};
  }
  *out = values[0].tensor;
  return {};
}

Status NativeCall::numbers(std::string_view name, size_t position, std::vector<double>* out) const {
  TensorHandle t;
  if (Status s = tensor(name, position, &t); !s.ok()) return s;
  return read_numbers(t->tensor(), state, out);
}

Status NativeCall::give(const std::vector<double>& values) {
  TensorHandle out;
  if (Status s = result_tensor(*this, 0, &out); !s.ok()) return s;
  if (Status s = write_numbers(values, state, out); !s.ok()) return s;
  results.emplace_back(std::move(out));
  return {};
}

NativeOperator find_native(const etrecord::Node& node) {
  if (number_operator(node) != nullptr) return compute_number;
  if (const NativeOperator activation = find_activation(node)) return activation;
  if (const NativeOperator whole = find_whole(node)) return whole;
  for (const NativeRow& row : kNativeRows) {
    if (row.op == node.qualified_op) return row.call;
  }
  return nullptr;
}

}  // namespace et::reference
