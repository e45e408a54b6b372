// Calls of delegates: payload, compile specs, named data, and the program that was lowered.
#include "base/base64.h"
#include "base/printable.h"
#include "etrecord/program_parser.h"

namespace et::etrecord {

std::vector<uint8_t> ProgramParser::bytes(JsonValue e, const char* what) {
  const auto text = json_string(e);
  if (text) {
    if (auto decoded = base64_decode(*text)) return std::move(*decoded);
  }
  odd("lowered module: " + std::string(what) + ": expected base64");
  return {};
}

// The first input of a delegate call. False if it is not one, then it is read as a plain argument.
bool ProgramParser::parse_lowered_module(JsonValue e, const std::string& name, Node* n) {
  const auto holder = e.find("as_string");
  const auto text = holder ? holder->string() : std::nullopt;
  if (!text) return false;
  JsonDocument document;
  const std::string member = program_.member + ":" + printable(name);
  Status status = document.parse(*text, member, limits_.max_json_depth);
  if (!status.ok()) {
    odd("lowered module: " + status.message());
    return false;
  }
  const auto object = document.root().object();
  if (!object) return false;
  DelegateCall call;
  call.name = name;
  for (const auto [key, value] : *object) {
    if (key == "backend_id")
      call.backend_id = json_string(value).value_or("");
    else if (key == "processed_bytes")
      call.payload = bytes(value, "processed_bytes");
    else if (key == "original_state_dict")
      call.state_dict = bytes(value, "original_state_dict");
    else if (key == "original_constants")
      call.constants = bytes(value, "original_constants");
    else if (key == "compile_specs")
      parse_compile_specs(value, &call);
    else if (key == "named_data_store")
      parse_named_data(value, &call);
    else if (key == "original_module")
      parse_original_module(value, member, &call);
    else
      unknown("lowered module field " + printable(key));
  }
  Argument a;
  a.name = name;
  a.kind = ArgumentKind::String;
  a.strings = {call.backend_id};
  n->inputs.push_back(std::move(a));
  n->delegate = static_cast<int32_t>(program_.delegates.size());
  program_.delegates.push_back(std::move(call));
  return true;
}

void ProgramParser::parse_compile_specs(JsonValue e, DelegateCall* call) {
  const auto list = e.array();
  if (!list) return odd("lowered module: compile_specs: expected a list");
  for (const JsonValue item : *list) {
    const auto object = item.object();
    if (!object) continue;
    std::pair<std::string, std::vector<uint8_t>> spec;
    for (const auto [key, value] : *object) {
      if (key == "key")
        spec.first = json_string(value).value_or("");
      else if (key == "value")
        spec.second = bytes(value, "compile_specs");
    }
    call->compile_specs.push_back(std::move(spec));
  }
}

void ProgramParser::note_buffers(JsonValue e) {
  const auto buffers = e.array();
  if (!buffers) return;
  for (const JsonValue buffer : *buffers) {
    program_.forms.add(buffer.object() ? Form::NamedDataBuffers : Form::NamedDataTexts);
  }
}

void ProgramParser::parse_named_data(JsonValue e, DelegateCall* call) {
  JsonDocument inner;
  JsonValue root = e;
  if (const auto text = json_string(e)) {
    if (!inner.parse(*text, "named_data_store", limits_.max_json_depth).ok()) {
      return odd("lowered module: named_data_store: expected JSON");
    }
    root = inner.root();
  }
  const auto object = root.object();
  if (!object) return;
  const auto add_keys = [call](JsonValue keys) {
    if (const auto map = keys.object()) {
      for (const auto field : *map) call->named_data_keys.emplace_back(field.key);
    }
  };
  for (const auto [key, value] : *object) {
    if (key == "pte_data") add_keys(value);
    if (key == "buffers") note_buffers(value);
    const auto tags = value.object();
    if (key != "external_data" || !tags) continue;
    for (const auto tag : *tags) add_keys(tag.value);
  }
}

void ProgramParser::parse_original_module(JsonValue e, const std::string& member, DelegateCall* call) {
  if (delegate_depth_ >= limits_.max_delegate_depth) {
    return odd("lowered module: nested deeper than " + std::to_string(limits_.max_delegate_depth) + ", skipped");
  }
  const size_t index = programs_->size();
  Program& p = programs_->emplace_back();
  p.kind = ProgramKind::Delegated;
  p.member = member;
  p.graph_name = program_.graph_name;
  p.method = program_.method;
  Status status;
  if (const auto text = json_string(e))
    status = parse(*text, index, delegate_depth_ + 1);
  else
    status = parse_element(e, index, delegate_depth_ + 1);
  if (!status.ok()) {
    programs_->resize(index);
    return odd("lowered module: " + status.message());
  }
  call->program = static_cast<int32_t>(index);
}

}  // namespace et::etrecord
