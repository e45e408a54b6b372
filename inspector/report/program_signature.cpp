#include "inspector/report/program_signature.h"

#include <set>

#include "inspector/analysis/program_file.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

using format::ValueKind;

const char* dynamism_name(format::ShapeDynamism d) {
  switch (d) {
    case format::ShapeDynamism::DynamicBound:
      return "bounded";
    case format::ShapeDynamism::DynamicUnbound:
      return "unbounded";
    case format::ShapeDynamism::Static:
      break;
  }
  return "static";
}

std::string constant_text(const format::Value& v) {
  switch (v.kind()) {
    case ValueKind::Int:
      return std::to_string(v.as_int());
    case ValueKind::Bool:
      return v.as_bool() ? "true" : "false";
    case ValueKind::Double:
      return format_double(v.as_double());
    case ValueKind::String:
      return std::string(v.as_string());
    default:
      return {};
  }
}

SignatureValue signature_value(const format::Method& method, const char* role, int64_t index, int32_t value) {
  SignatureValue out;
  out.role = role;
  out.index = index;
  const format::Value v = value < 0 ? format::Value() : method.value(static_cast<uint32_t>(value));
  out.kind = format::value_kind_name(v.kind());
  out.value = constant_text(v);
  if (v.kind() != ValueKind::Tensor) return out;
  const format::TensorView t = v.as_tensor();
  out.dtype = scalar_type_name(t.scalar_type());
  for (const int32_t n : t.sizes()) out.sizes.push_back(n);
  out.dynamism = dynamism_name(t.shape_dynamism());
  if (t.nbytes() <= static_cast<uint64_t>(INT64_MAX)) out.bytes = static_cast<int64_t>(t.nbytes());
  return out;
}

void read_operators(const format::Method& method, MethodSignature* out) {
  for (uint32_t c = 0; c < method.chain_count(); ++c) {
    const format::Chain chain = method.chain(c);
    out->instructions += chain.instruction_count();
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
      const format::Instruction in = chain.instruction(i);
      if (in.kind() != format::InstructionKind::KernelCall) continue;
      const format::OperatorName op = method.operator_name(static_cast<uint32_t>(in.op_index()));
      ++out->operators[std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload))];
    }
  }
}

void read_buffers(const format::Method& method, MethodSignature* out) {
  const auto sizes = method.buffer_sizes();
  for (size_t b = 1; b < sizes.size(); ++b) {  // 0 is reserved
    SignatureBuffer buffer{sizes[b], "cpu"};
    for (uint32_t k = 0; k < method.buffer_device_count(); ++k) {
      const format::BufferDevice device = method.buffer_device(k);
      if (device.buffer == static_cast<int32_t>(b) && device.device_type == 1) {
        buffer.device = "cuda:" + std::to_string(device.device_index);
      }
    }
    out->planned.push_back(std::move(buffer));
  }
}

/// Methods share constants: each counts once.
struct Constants {
  std::set<std::pair<uint32_t, bool>> seen;
  std::set<std::string> external;

  void read(const format::Method& method, ProgramSignature* out) {
    for (uint32_t i = 0; i < method.value_count(); ++i) {
      if (method.value(i).kind() != ValueKind::Tensor) continue;
      const format::TensorView t = method.value(i).as_tensor();
      if (t.is_external()) external.insert(std::string(t.fully_qualified_name()));
      const bool in_segment = t.data() == format::TensorData::ConstantSegment;
      if (!in_segment && t.data() != format::TensorData::ConstantInline) continue;
      if (!seen.insert({t.data_buffer_idx(), in_segment}).second) continue;
      ++out->constants;
      out->constant_bytes += static_cast<int64_t>(t.constant_data().size());
    }
  }
};

MethodSignature read_method(const format::Method& method) {
  MethodSignature out;
  out.name = std::string(method.name());
  int64_t index = 0;
  for (const int32_t v : method.inputs()) out.values.push_back(signature_value(method, "input", index++, v));
  index = 0;
  for (const int32_t v : method.outputs()) out.values.push_back(signature_value(method, "output", index++, v));
  for (uint32_t d = 0; d < method.delegate_count(); ++d) {
    const format::Delegate delegate = method.delegate(d);
    out.delegates.push_back({std::string(delegate.id()), static_cast<int64_t>(delegate.payload().size())});
  }
  read_operators(method, &out);
  read_buffers(method, &out);
  return out;
}

}  // namespace

Status read_signature(const std::string& path, ProgramSignature* out) {
  ProgramFile file;
  const Status status = open_program_file(path, &file);
  out->path = path;
  out->file_bytes = static_cast<int64_t>(file.file.bytes().size());
  out->bundled = file.bundled;
  out->program_bytes = static_cast<int64_t>(file.bytes.size());
  if (!status.ok()) return status;
  const format::Program& program = file.program;
  Constants constants;
  for (uint32_t m = 0; m < program.method_count(); ++m) {
    out->methods.push_back(read_method(program.method(m)));
    constants.read(program.method(m), out);
    for (uint32_t s = 0; out->bundled && s < file.bundle.suite_count(); ++s) {
      if (file.bundle.suite(s).method() == program.method(m).name())
        out->methods.back().cases += file.bundle.suite(s).case_count();
    }
  }
  out->external.assign(constants.external.begin(), constants.external.end());
  out->named_data = program.named_data_count();
  for (uint32_t i = 0; i < program.named_data_count(); ++i) {
    out->named_data_bytes += static_cast<int64_t>(program.named_data(i).bytes.size());
  }
  return {};
}

}  // namespace et::inspector
