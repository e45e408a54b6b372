#include "inspector/report/program_dump.h"

#include <algorithm>
#include <set>
#include <vector>

#include "inspector/analysis/program_file.h"
#include "inspector/text/json_list.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

using format::InstructionKind;
using format::ValueKind;

constexpr size_t kMostItems = 16;  // of a list in one line

/// "v3"; "none" for -1.
std::string name_of(int32_t value) { return value < 0 ? "none" : "v" + std::to_string(value); }

std::string names_of(const auto& values) {
  std::vector<std::string> names;
  for (size_t i = 0; i < values.size() && i < kMostItems; ++i)
    names.push_back(name_of(values[static_cast<uint32_t>(i)]));
  if (values.size() > kMostItems) names.push_back("… " + plural(static_cast<int64_t>(values.size()), "item"));
  return joined(names, ", ");
}

std::string tensor_type(const format::TensorView& t) {
  std::string out = std::string(scalar_type_name(t.scalar_type())) +
                    json_list(std::vector<int64_t>(t.sizes().begin(), t.sizes().end()));
  if (t.shape_dynamism() == format::ShapeDynamism::DynamicBound) out += " at most";
  if (t.shape_dynamism() == format::ShapeDynamism::DynamicUnbound) out += " unbounded";
  const auto order = t.dim_order();
  if (!std::is_sorted(order.begin(), order.end()))
    out += " dim order " + json_list(std::vector<int64_t>(order.begin(), order.end()));
  return out;
}

/// Where a tensor's bytes are: "constant of 864 B", "memory 1 at 768".
std::string tensor_place(const format::TensorView& t) {
  std::string out;
  if (t.is_external()) out = "external " + printable(t.fully_qualified_name());
  if (const auto data = t.constant_data(); !data.empty()) {
    out += (out.empty() ? "" : ", ") +
           std::string(t.data() == format::TensorData::PlannedInitialised ? "initial value of " : "constant of ") +
           format_bytes(static_cast<int64_t>(data.size()));
    if (!t.fully_qualified_name().empty()) out += " " + printable(t.fully_qualified_name());
  }
  if (t.has_allocation()) {
    const format::Allocation a = t.allocation();
    out += (out.empty() ? "" : ", ") + std::string("memory ") + std::to_string(a.memory_id) + " at " +
           std::to_string(a.offset);
  }
  return out.empty() ? "given at run time" : out;
}

template <class T>
std::string short_list(Span<const T> items, const auto& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < items.size() && i < kMostItems; ++i) out.push_back(text(items[i]));
  if (items.size() > kMostItems) out.push_back("… " + plural(static_cast<int64_t>(items.size()), "item"));
  return "[" + joined(out, ", ") + "]";
}

/// Values that an instruction writes: numbers among them are no constants, whatever they begin with.
using Written = std::set<int32_t>;

Written written_by(const format::Method& m) {
  Written out;
  for (uint32_t c = 0; c < m.chain_count(); ++c) {
    const format::Chain chain = m.chain(c);
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
      const format::Instruction in = chain.instruction(i);
      if (in.kind() == InstructionKind::MoveCall) out.insert(in.move_to());
      if (in.kind() == InstructionKind::KernelCall && in.args().size() > 1) out.insert(in.args()[in.args().size() - 1]);
    }
  }
  return out;
}

/// What stands for a value in an argument list: small constants themselves, else its name.
std::string argument(const format::Method& m, const Written& written, int32_t index) {
  if (index < 0) return "none";
  if (written.contains(index)) return name_of(index);
  const format::Value v = m.value(static_cast<uint32_t>(index));
  switch (v.kind()) {
    case ValueKind::Null:
      return "none";
    case ValueKind::Int:
      return std::to_string(v.as_int());
    case ValueKind::Bool:
      return v.as_bool() ? "true" : "false";
    case ValueKind::Double:
      return format_double(v.as_double());
    case ValueKind::String:
      return "\"" + printable(v.as_string()) + "\"";
    case ValueKind::DoubleList:
      return short_list(v.doubles(), [](double d) { return format_double(d); });
    case ValueKind::BoolList:
      return short_list(v.bools(), [](uint8_t b) { return std::string(b != 0 ? "true" : "false"); });
    case ValueKind::IntList: {
      std::vector<std::string> items;
      const format::IndexList list = v.indices();
      for (uint32_t i = 0; i < list.size() && i < kMostItems; ++i) {
        const format::Value item = m.value(static_cast<uint32_t>(std::max(list[i], 0)));
        const bool known = item.kind() == ValueKind::Int && !written.contains(list[i]);
        items.push_back(known ? std::to_string(item.as_int()) : name_of(list[i]));
      }
      if (list.size() > kMostItems) items.push_back("… " + plural(list.size(), "item"));
      return "[" + joined(items, ", ") + "]";
    }
    case ValueKind::TensorList:
    case ValueKind::OptionalTensorList:
      return "[" + names_of(v.indices()) + "]";
    default:
      return name_of(index);
  }
}

std::string value_text(const format::Method& m, uint32_t i) {
  const format::Value v = m.value(i);
  if (v.kind() == ValueKind::Tensor) return tensor_type(v.as_tensor()) + ", " + tensor_place(v.as_tensor());
  const std::string value = argument(m, {}, static_cast<int32_t>(i));
  return std::string(format::value_kind_name(v.kind())) + (v.kind() == ValueKind::Null ? "" : " " + value);
}

std::string operator_text(const format::Method& m, int32_t index) {
  const format::OperatorName op = m.operator_name(static_cast<uint32_t>(index));
  return printable(op.name) + (op.overload.empty() ? "" : "." + printable(op.overload));
}

std::string instruction_text(const format::Method& m, const Written& written, const format::Instruction& in) {
  std::vector<std::string> args;
  switch (in.kind()) {
    case InstructionKind::KernelCall:
      for (const int32_t v : in.args()) args.push_back(argument(m, written, v));
      // The result is there twice: as the out argument and behind it.
      if (args.size() > 1) {
        const std::string result = args.back();
        args.pop_back();
        return result + " = " + operator_text(m, in.op_index()) + "(" + joined(args, ", ") + ")";
      }
      return operator_text(m, in.op_index()) + "(" + joined(args, ", ") + ")";
    case InstructionKind::DelegateCall:
      for (const int32_t v : in.args()) args.push_back(argument(m, written, v));
      return "delegate " + std::to_string(in.delegate_index()) + " " +
             printable(m.delegate(static_cast<uint32_t>(in.delegate_index())).id()) + "(" + joined(args, ", ") + ")";
    case InstructionKind::MoveCall:
      return name_of(in.move_to()) + " = " + name_of(in.move_from());
    case InstructionKind::JumpFalseCall:
      return "if not " + name_of(in.cond_value_index()) + ": go to " + std::to_string(in.destination());
    case InstructionKind::FreeCall:
      return "free " + name_of(in.value_index());
    case InstructionKind::None:
      break;
  }
  return "?";
}

std::string signature(const format::Method& m) {
  const auto typed = [&](std::span<const int32_t> values) {
    std::vector<std::string> out;
    for (const int32_t v : values) {
      const format::Value value = v < 0 ? format::Value() : m.value(static_cast<uint32_t>(v));
      out.push_back(
          name_of(v) + ": " +
          (value.kind() == ValueKind::Tensor ? tensor_type(value.as_tensor()) : format::value_kind_name(value.kind())));
    }
    return joined(out, ", ");
  };
  return printable(m.name()) + "(" + typed(m.inputs()) + ") -> (" + typed(m.outputs()) + ")";
}

std::string place_of(const format::StackTrace& stack) {
  if (stack.size() == 0) return {};
  const format::StackFrame frame = stack.frame(stack.size() - 1);
  return printable(frame.filename) + ":" + std::to_string(frame.line);
}

std::string delegate_text(const format::Delegate& d) {
  std::string out =
      printable(d.id()) + ", payload of " + format_bytes(static_cast<int64_t>(d.payload().size())) +
      (d.payload_in_segment() ? " in segment " + std::to_string(d.payload_index()) : " inside the tables");
  for (uint32_t s = 0; s < d.compile_spec_count(); ++s) {
    const format::CompileSpec spec = d.compile_spec(s);
    out += ", " + printable(spec.key) + " (" + format_bytes(static_cast<int64_t>(spec.value.size())) + ")";
  }
  return out;
}

void write_method(const format::Method& m, bool values, std::string* out) {
  *out += "\nmethod " + signature(m) + "\n";
  const auto buffers = m.buffer_sizes();
  for (size_t b = 1; b < buffers.size(); ++b) {
    *out += "  memory " + std::to_string(b) + ": " + format_count(buffers[b]) + " bytes\n";
  }
  for (uint32_t d = 0; d < m.delegate_count(); ++d) {
    *out += "  delegate " + std::to_string(d) + ": " + delegate_text(m.delegate(d)) + "\n";
  }
  const Written written = written_by(m);
  for (uint32_t c = 0; c < m.chain_count(); ++c) {
    const format::Chain chain = m.chain(c);
    *out += m.chain_count() > 1 ? "  chain " + std::to_string(c) + "\n" : "";
    const size_t digits = std::to_string(chain.instruction_count()).size();
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
      const std::string number = std::to_string(i);
      *out += "  " + std::string(digits - number.size(), ' ') + number + "  " +
              instruction_text(m, written, chain.instruction(i));
      const std::string place = chain.has_stack_traces() ? place_of(chain.stack_trace(i)) : "";
      *out += (place.empty() ? "" : "  # " + place) + "\n";
    }
  }
  if (!values) return;
  *out += "  values\n";
  for (uint32_t v = 0; v < m.value_count(); ++v) *out += "    v" + std::to_string(v) + "  " + value_text(m, v) + "\n";
}

void write_text(const format::Program& p, const std::string& path, const ProgramDumpOptions& options,
                std::string* out) {
  *out += "program " + printable(path) + ": " + plural(p.method_count(), "method") + ", " +
          plural(p.segment_count(), "segment") + ", " + plural(p.named_data_count(), "named weight") + "\n";
  for (uint32_t s = 0; s < p.segment_count(); ++s) {
    const format::Segment segment = p.segment(s);
    *out += "  segment " + std::to_string(s) + ": " + format_count(static_cast<int64_t>(segment.size)) + " bytes at " +
            std::to_string(segment.file_offset);
    if (static_cast<int64_t>(s) == p.constant_segment_index()) *out += ", constants";
    if (static_cast<int64_t>(s) == p.mutable_segment_index()) *out += ", initial values";
    *out += "\n";
  }
  for (uint32_t i = 0; i < p.named_data_count(); ++i) {
    const format::NamedData n = p.named_data(i);
    *out += "  named " + printable(n.key) + ": " + format_count(static_cast<int64_t>(n.bytes.size())) +
            " bytes in segment " + std::to_string(n.segment_index) + "\n";
  }
  for (uint32_t m = 0; m < p.method_count(); ++m) {
    if (options.method.empty() || p.method(m).name() == options.method) write_method(p.method(m), options.values, out);
  }
}

void json_method(JsonWriter& json, const format::Method& m) {
  json.begin_object().member("name", std::string(m.name())).key("inputs").begin_array();
  for (const int32_t v : m.inputs()) json.value(int64_t{v});
  json.end_array().key("outputs").begin_array();
  for (const int32_t v : m.outputs()) json.value(int64_t{v});
  json.end_array().key("memory").begin_array();
  for (const int64_t size : m.buffer_sizes()) json.value(size);
  json.end_array().key("delegates").begin_array();
  for (uint32_t d = 0; d < m.delegate_count(); ++d) {
    json.begin_object().member("backend", std::string(m.delegate(d).id()));
    json.member("payload_bytes", static_cast<int64_t>(m.delegate(d).payload().size())).end_object();
  }
  json.end_array().key("chains").begin_array();
  const Written written = written_by(m);
  for (uint32_t c = 0; c < m.chain_count(); ++c) {
    json.begin_array();
    for (uint32_t i = 0; i < m.chain(c).instruction_count(); ++i) {
      const format::Instruction in = m.chain(c).instruction(i);
      json.begin_object().member("kind", format::instruction_kind_name(in.kind()));
      json.member("text", instruction_text(m, written, in)).key("args").begin_array();
      for (const int32_t v : in.args()) json.value(int64_t{v});
      json.end_array().end_object();
    }
    json.end_array();
  }
  json.end_array().key("values").begin_array();
  for (uint32_t v = 0; v < m.value_count(); ++v) {
    json.begin_object().member("kind", format::value_kind_name(m.value(v).kind())).member("text", value_text(m, v));
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

Status write_program_dump(const std::string& path, const ProgramDumpOptions& options, std::string* out) {
  ProgramFile file;
  if (Status s = open_program_file(path, &file); !s.ok()) return s;
  const format::Program& p = file.program;
  if (!options.method.empty() && !p.method(options.method).valid()) {
    std::vector<std::string> names;
    for (uint32_t m = 0; m < p.method_count(); ++m) names.push_back(std::string(p.method(m).name()));
    return {Error::InvalidArgument,
            "--method: no method " + options.method + " in " + path + "; expected one of " + joined(names, ", ")};
  }
  if (options.format != "json") {
    write_text(p, path, options, out);
    return {};
  }
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("program_dump").begin_object();
  json.member("path", path).key("methods").begin_array();
  for (uint32_t m = 0; m < p.method_count(); ++m) {
    if (options.method.empty() || p.method(m).name() == options.method) json_method(json, p.method(m));
  }
  json.end_array().end_object().end_object();
  *out += "\n";
  return {};
}

}  // namespace et::inspector
