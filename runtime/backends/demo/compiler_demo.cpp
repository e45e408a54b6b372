// BackendWithCompilerDemo: a chain of float operators.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/demo/backends.h"
#include "runtime/format/delegate_metadata.h"
#include "runtime/format/demo_payload.h"
#include "runtime/platform/log.h"

namespace et::demo {
namespace {

constexpr uint32_t kMaxValue = 4;  // what the backend allows of the compile spec "max_value"

struct Value {
  std::vector<int32_t> sizes;
  std::vector<float> data;
};

/// Writes the result into `a`, which is the first operand, too; `b` is null for operators with one. Null: done,
/// otherwise what is wrong.
using Compute = const char* (*)(Value* a, const Value* b);

const char* multiply(Value* a, const Value* b) {
  if (a->sizes.size() != 2 || b->sizes.size() != 2) return "mm: expected two matrices";
  const auto m = static_cast<size_t>(a->sizes[0]), k = static_cast<size_t>(a->sizes[1]);
  const auto n = static_cast<size_t>(b->sizes[1]);
  if (k != static_cast<size_t>(b->sizes[0])) return "mm: inner dimensions of the matrices differ";
  Value out{{a->sizes[0], b->sizes[1]}, std::vector<float>(m * n)};
  for (size_t i = 0; i < m; ++i) {
    for (size_t p = 0; p < k; ++p) {
      for (size_t j = 0; j < n; ++j) out.data[i * n + j] += a->data[i * k + p] * b->data[p * n + j];
    }
  }
  *a = std::move(out);
  return nullptr;
}

const char* add(Value* a, const Value* b) {
  if (a->sizes != b->sizes) return "add: expected operands of one shape";
  for (size_t i = 0; i < a->data.size(); ++i) a->data[i] += b->data[i];
  return nullptr;
}

const char* sine(Value* a, const Value*) {
  for (float& x : a->data) x = std::sin(x);
  return nullptr;
}

struct Row {
  std::string_view name;
  size_t operands;
  Compute compute;
};
constexpr Row kOperators[] = {
    {"aten.mm.default", 2, &multiply},
    {"aten.add.Tensor", 2, &add},
    {"aten.sin.default", 1, &sine},
};

const Row* find_operator(std::string_view name) {
  for (const Row& row : kOperators) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

struct Operator {
  const Row* row;
  int64_t numel;
  int64_t debug_handle;
  std::string event;  // "aten.mm.default op 0"
};

struct OperatorsInstance {
  std::vector<Operator> operators;
  size_t inputs = 0;
};

Error failure(Error error, size_t index, std::string_view name, int64_t handle, const char* cause) {
  ET_LOG(Error, "BackendWithCompilerDemo: operator %zu (%.*s): %s; debug handle %lld", index,
         static_cast<int>(name.size() < 60 ? name.size() : 60), name.data(), cause, static_cast<long long>(handle));
  return error;
}

uint32_t little_endian(ArrayRef<uint8_t> bytes) {
  uint32_t x = 0;
  for (size_t i = 0; i < bytes.size() && i < 4; ++i) x |= uint32_t{bytes[i]} << (8 * i);
  return x;
}

bool read(const Tensor& t, Value* out) {
  if (t.scalar_type() != ScalarType::Float || !is_contiguous_dim_order(t.dim_order())) return false;
  const auto* data = t.const_data_ptr<float>();
  out->sizes.assign(t.sizes().begin(), t.sizes().end());
  out->data.assign(data, data + t.numel());
  return true;
}

class CompilerDemo final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    for (const CompileSpec& spec : specs) {
      ET_CHECK_OR_RETURN_ERROR(spec.key != "max_value" || little_endian(spec.value) <= kMaxValue, InvalidArgument,
                               "BackendWithCompilerDemo: max_value is %u, more than %u",
                               static_cast<unsigned>(little_endian(spec.value)), static_cast<unsigned>(kMaxValue));
    }
    format::DemoPayload payload;
    const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(processed->data()), processed->size());
    const FileError e = format::DemoPayload::open(format::DemoPayload::Dialect::Compiler, bytes, &payload);
    ET_CHECK_OR_RETURN_ERROR(e.ok(), DelegateInvalidCompatibility,
                             "BackendWithCompilerDemo: %s at byte %llu: expected %s", e.field,
                             static_cast<unsigned long long>(e.offset), e.expected);
    ET_CHECK_OR_RETURN_ERROR(payload.size() != 0, InvalidProgram, "BackendWithCompilerDemo: no operators");
    auto instance = std::make_unique<OperatorsInstance>();
    for (const format::DemoOp& op : payload) {
      const size_t index = instance->operators.size();
      const Row* row = find_operator(op.name);
      if (row == nullptr) {
        return failure(Error::NotSupported, index, op.name, op.debug_handle, "operator not supported");
      }
      if (op.dtype != "torch.float32") {
        return failure(Error::NotSupported, index, op.name, op.debug_handle, "expected torch.float32");
      }
      instance->inputs += index == 0 ? row->operands : row->operands - 1;
      instance->operators.push_back(
          {row, op.numel, op.debug_handle, std::string(op.name) + " op " + std::to_string(index)});
    }
    processed->Free();
    return static_cast<DelegateHandle*>(instance.release());
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    const OperatorsInstance& instance = *static_cast<const OperatorsInstance*>(handle);
    const Operator& last = instance.operators.back();
    if (args.size() != instance.inputs + 1) {
      return failure(Error::InvalidArgument, instance.operators.size() - 1, last.row->name, last.debug_handle,
                     "expected the inputs of the operators and one output as arguments");
    }
    size_t next = 0;
    Value acc;
    for (size_t i = 0; i < instance.operators.size(); ++i) {
      const Operator& op = instance.operators[i];
      const Timestamp start = current_ticks();
      const char* cause = step(op, i == 0, args, &next, &acc);
      log(context.event_tracer(), op, i, start, acc);
      if (cause != nullptr) return failure(Error::InvalidArgument, i, op.row->name, op.debug_handle, cause);
    }
    if (!args[next]->isTensor() || args[next]->toTensor().scalar_type() != ScalarType::Float ||
        !is_contiguous_dim_order(args[next]->toTensor().dim_order())) {
      return failure(Error::InvalidArgument, instance.operators.size() - 1, last.row->name, last.debug_handle,
                     "expected a contiguous float tensor as output");
    }
    const Tensor out = args[next]->toTensor();
    ET_CHECK_OK_OR_RETURN_ERROR(resize_tensor(out, ArrayRef<int32_t>(acc.sizes.data(), acc.sizes.size())));
    for (size_t i = 0; i < acc.data.size(); ++i) out.mutable_data_ptr<float>()[i] = acc.data[i];
    return Error::Ok;
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<OperatorsInstance*>(handle); }

 private:
  static const char* step(const Operator& op, bool first, Span<EValue*> args, size_t* next, Value* acc) {
    Value operand;
    for (size_t k = first ? 0 : 1; k < op.row->operands; ++k) {
      const EValue& arg = *args[(*next)++];
      if (!arg.isTensor() || !read(arg.toTensor(), k == 0 ? acc : &operand)) {
        return "expected a contiguous float tensor as input";
      }
    }
    if (const char* cause = op.row->compute(acc, &operand); cause != nullptr) return cause;
    return acc->data.size() == static_cast<size_t>(op.numel)
               ? nullptr
               : "the result has another number of elements than the payload says";
  }

  static void log(EventTracer* tracer, const Operator& op, size_t index, Timestamp start, Value& value) {
    if (tracer == nullptr) return;
    const Timestamp end = current_ticks();
    const format::DelegateNode node{static_cast<uint32_t>(index), static_cast<uint32_t>(op.debug_handle)};
    uint8_t metadata[format::delegate_metadata_size(1)];
    format::write_delegate_metadata(format::DelegatePhase::Run, {&node, 1}, metadata);
    tracer->log_profiling_delegate(op.event.c_str(), kUnsetDelegateDebugIntId, start, end, metadata, sizeof(metadata));
    if (tracer->event_tracer_debug_level() < EventTracerDebugLogLevel::kIntermediateOutputs) return;
    std::vector<uint8_t> order(value.sizes.size());
    std::vector<int32_t> strides(value.sizes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint8_t>(i);
    static_cast<void>(
        dim_order_to_strides({value.sizes.data(), value.sizes.size()}, {order.data(), order.size()}, strides.data()));
    TensorImpl impl(ScalarType::Float, value.sizes.size(), value.sizes.data(), value.data.data(), order.data(),
                    strides.data());
    static_cast<void>(
        tracer->log_intermediate_output_delegate(op.event.c_str(), kUnsetDelegateDebugIntId, EValue(Tensor(&impl))));
  }
};

}  // namespace

const BackendInterface& compiler_demo() {
  static const CompilerDemo backend;
  return backend;
}

}  // namespace et::demo
