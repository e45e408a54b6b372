#include "inspector/report/export_text.h"

#include "inspector/text/json_list.h"

namespace et::inspector {

void append_us(std::string* out, int64_t ns) {
  if (ns < 0) {
    *out += '-';
    ns = ns == INT64_MIN ? INT64_MAX : -ns;
  }
  *out += std::to_string(ns / 1000);
  const int64_t rest = ns % 1000;
  if (rest == 0) return;
  const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
  out->append(digits, sizeof digits);
}

std::string frame_label(const TimelineOp& op) {
  const OpEntry& o = *op.entry;
  const bool stands_for_instruction = o.kind == "operator_call" || o.kind == "delegate_call" || o.kind == "control";
  if (!o.instruction_id || !stands_for_instruction) return op.title;
  return "[" + std::to_string(*o.instruction_id) + "] " + op.title;
}

std::string source_text(const TimelineOp& op) {
  if (op.source == nullptr || op.source->file.empty()) return {};
  return op.source->file + ":" + std::to_string(op.source->line.value_or(0));
}

std::string module_text(const TimelineOp& op) {
  if (op.source == nullptr) return {};
  const NodeFacts& n = *op.source;
  return n.module_path.empty() ? n.module_type : n.module_path + " (" + n.module_type + ")";
}

std::string types_json(const OpEntry& op) { return op.op_types.empty() ? "" : json_list(op.op_types); }
std::string handles_json(const OpEntry& op) { return op.debug_handles.empty() ? "" : json_list(op.debug_handles); }

std::string trace_title(const Timeline& timeline) {
  return timeline.trace_name().empty() ? "trace " + std::to_string(timeline.trace_id()) : timeline.trace_name();
}

void append_script_safe(std::string* out, std::string_view json) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : json) {
    // These occur only inside of strings, where JSON may spell any character as \u00XX.
    if (c == '<' || c == '>' || c == '&') {
      *out += "\\u00";
      *out += kHex[static_cast<unsigned char>(c) >> 4];
      *out += kHex[c & 15];
    } else {
      *out += c;
    }
  }
}

}  // namespace et::inspector
