#include "inspector/report/export_text.h"

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
  const bool stands_for_instruction = op.kind == "operator_call" || op.kind == "delegate_call" || op.kind == "control";
  if (!op.instruction || !stands_for_instruction) return op.label();
  return "[" + std::to_string(*op.instruction) + "] " + op.label();
}

std::string source_text(const TimelineOp& op) {
  return op.file.empty() ? std::string() : op.file + ":" + std::to_string(op.line);
}

std::string map_source(std::string_view file, const SourceMaps& maps) {
  for (const auto& [from, to] : maps) {
    if (from.empty() || !file.starts_with(from)) continue;
    const std::string_view rest = file.substr(from.size());
    // "/src" is no prefix of "/srcs/x.py".
    if (!rest.empty() && rest[0] != '/' && from.back() != '/') continue;
    if (to.empty()) return std::string(rest.starts_with('/') ? rest.substr(1) : rest);
    std::string out = to;
    if (out.back() == '/' && rest.starts_with('/')) out.pop_back();
    if (out.back() != '/' && !rest.empty() && rest[0] != '/') out += '/';
    return out.append(rest);
  }
  return std::string(file);
}

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
