#include "runtime/backends/demo/nested_tracer.h"

#include <string_view>

#include "runtime/executor/method.h"
#include "runtime/format/delegate_metadata.h"

namespace et::demo {
namespace {

std::string text_of(const char* name, DelegateDebugIntId id) {
  return name != nullptr ? std::string(name) : "identifier " + std::to_string(id);
}

}  // namespace

NestedTracer::NestedTracer(const format::Method& method, uint32_t first_node) : first_node_(first_node) {
  for (uint32_t i = 0; i < method.instruction_count(); ++i) {
    const format::Instruction in = method.instruction(i);
    std::string name = in.kind() == format::InstructionKind::DelegateCall ? "delegate call" : "control";
    char buffer[Method::kMaxOperatorName];
    if (in.kind() == format::InstructionKind::KernelCall &&
        Method::operator_name(method, static_cast<uint32_t>(in.op_index()), buffer) == Error::Ok) {
      name = buffer;
    }
    names_.push_back(name + " instruction " + std::to_string(i));
  }
}

void NestedTracer::attach(EventTracer* outer) {
  outer_ = outer;
  if (outer == nullptr) return;
  set_event_tracer_debug_level(outer->event_tracer_debug_level());
  set_event_tracer_profiling_level(outer->event_tracer_profiling_level());
}

const std::string& NestedTracer::name_of(DebugHandle instruction) const {
  return instruction < names_.size() ? names_[instruction] : unnamed_;
}

EventTracerEntry NestedTracer::start_profiling(const char* name, ChainID chain, DebugHandle handle) {
  EventTracerEntry entry;
  entry.name = name;
  entry.chain_id = chain;
  entry.debug_handle = handle;
  entry.start_time = current_ticks();
  return entry;
}

// The executor tells each instruction twice where it is a kernel; the outer one counts.
void NestedTracer::log_profiling(const char* name, ChainID chain, DebugHandle handle, Timestamp start, Timestamp end) {
  const std::string_view event(name);
  if (chain != 0 || (event != "OPERATOR_CALL" && event != "DELEGATE_CALL")) return;
  const format::DelegateNode node{first_node_ + handle, format::kNoDebugHandle};
  uint8_t metadata[format::delegate_metadata_size(1)];
  format::write_delegate_metadata(format::DelegatePhase::Run, {&node, 1}, metadata);
  outer_->log_profiling_delegate(name_of(handle).c_str(), kUnsetDelegateDebugIntId, start, end, metadata,
                                 sizeof(metadata));
}

EventTracerEntry NestedTracer::start_profiling_delegate(const char* name, DelegateDebugIntId id) {
  return outer_->start_profiling_delegate(name, id);
}

// A record of payload nodes would be read as nodes of the outer payload: it stays inside.
void NestedTracer::end_profiling_delegate(EventTracerEntry entry, const void*, size_t) {
  outer_->end_profiling_delegate(entry);
}

void NestedTracer::log_profiling_delegate(const char* name, DelegateDebugIntId id, Timestamp start, Timestamp end,
                                          const void*, size_t) {
  const std::string text = name_of(current_debug_handle()) + ": " + text_of(name, id);
  outer_->log_profiling_delegate(text.c_str(), kUnsetDelegateDebugIntId, start, end);
}

Result<bool> NestedTracer::log_evalue(const EValue& value, LoggedEValueType type) {
  if (type != LoggedEValueType::kIntermediateOutput) return false;  // the outer program logs its own results
  if (current_chain_id() != 0) return false;
  return outer_->log_intermediate_output_delegate(name_of(current_debug_handle()).c_str(), kUnsetDelegateDebugIntId,
                                                  value);
}

Result<bool> NestedTracer::log_intermediate_output_delegate(const char* name, DelegateDebugIntId id,
                                                            const EValue& value) {
  const std::string text = name_of(current_debug_handle()) + ": " + text_of(name, id);
  return outer_->log_intermediate_output_delegate(text.c_str(), kUnsetDelegateDebugIntId, value);
}

}  // namespace et::demo
