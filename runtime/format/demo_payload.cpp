// Parses the demonstration backends' text, one operator at a time.
#include "runtime/format/demo_payload.h"

#include <charconv>

namespace et::format {

namespace {

bool take_prefix(std::string_view* s, std::string_view prefix) {
  if (s->substr(0, prefix.size()) != prefix) return false;
  s->remove_prefix(prefix.size());
  return true;
}

/// What comes before `end`, which is consumed as well.
bool take_until(std::string_view* s, std::string_view end, std::string_view* out) {
  const size_t at = s->find(end);
  if (at == std::string_view::npos) return false;
  *out = s->substr(0, at);
  s->remove_prefix(at + end.size());
  return true;
}

bool number(std::string_view s, int64_t* out) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
  return error == std::errc() && end == s.data() + s.size();
}

bool take_compiler_op(std::string_view* rest, DemoOp* op) {
  std::string_view text, numel;
  if (!take_until(rest, "#", &text) || !take_prefix(&text, "op:")) return false;
  take_prefix(&text, "demo::");
  if (!take_until(&text, ", numel:", &op->name) || !take_until(&text, ", dtype:", &numel)) return false;
  if (!number(numel, &op->numel) || !take_until(&text, "<debug_handle>", &op->dtype)) return false;
  if (!number(text, &op->debug_handle)) op->debug_handle = -1;  // an operator without one
  return true;
}

bool take_mapping_op(std::string_view* rest, DemoOp* op) {
  std::string_view identifier;
  if (!take_until(rest, ",", &op->name) || op->name.empty()) return false;
  return take_until(rest, ",", &identifier) && number(identifier, &op->identifier);
}

bool take_op(DemoPayload::Dialect dialect, std::string_view* rest, DemoOp* op) {
  *op = {};
  return dialect == DemoPayload::Dialect::Compiler ? take_compiler_op(rest, op) : take_mapping_op(rest, op);
}

FileError invalid(std::string_view text, std::string_view rest, const char* field, const char* expected,
                  int64_t index = -1) {
  return {Error::DelegateInvalidCompatibility, static_cast<uint64_t>(rest.data() - text.data()), field, expected,
          index};
}

}  // namespace

FileError DemoPayload::open(Dialect dialect, Span<const uint8_t> payload, DemoPayload* out) {
  *out = DemoPayload();
  const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  std::string_view rest = text;
  std::string_view head;
  int64_t count = 0;
  const bool compiler = dialect == Dialect::Compiler;
  if (!take_until(&rest, compiler ? "version:0#" : "#", &head) || !number(head, &count) || count < 0) {
    return invalid(text, text, "demo payload", compiler ? "a count and \"version:0#\"" : "a count and \"#\"");
  }
  DemoPayload opened;
  opened.dialect_ = dialect;
  opened.ops_ = rest;
  for (int64_t i = 0; i < count; ++i) {
    DemoOp op;
    const std::string_view before = rest;
    if (!take_op(dialect, &rest, &op)) return invalid(text, before, "demo payload operator", "an operator", i);
  }
  if (!rest.empty()) return invalid(text, rest, "demo payload", "the end of the text after the counted operators");
  opened.count_ = static_cast<uint32_t>(count);
  *out = opened;
  return FileError::none();
}

DemoPayload::Iterator& DemoPayload::Iterator::operator++() {
  done_ = !take_op(dialect_, &rest_, &op_);
  return *this;
}

DemoPayload::Iterator DemoPayload::begin() const {
  Iterator it;
  it.dialect_ = dialect_;
  it.rest_ = ops_;
  return ++it;
}

DemoPayload::Iterator DemoPayload::end() const {
  Iterator it;
  it.rest_ = ops_.substr(ops_.size());
  return it;
}

}  // namespace et::format
