// Steps: instructions that follow each other, recorded by the executor itself as one tick each. Their names are kept
// once for a chain; whatever else is recorded in between ends the record, and the next step begins another.
#include <new>

#include "etdump/etdump_gen.h"

namespace et::etdump {
namespace {

constexpr size_t kFew = 64;                          // steps for which a new chunk is worth it
constexpr size_t kEach = 2 * sizeof(ProfileRecord);  // bytes of the limit that a step takes

}  // namespace

/// Memory, the order of a ring, counters and threads need each event by itself.
void ETDumpGen::choose_steps() {
  close_steps();
  wants_steps_ = !static_ && policy_ == FullPolicy::Stop && counters_ == nullptr && thread_ == 0;
}

void ETDumpGen::close_steps_slowly() {
  StepsRecord& r = *steps_;
  steps_ = nullptr;
  const auto count = static_cast<size_t>(step_at_ - r.ends());
  log_.retract(size_t{8} * (r.words - count) - sizeof r);
  step_at_ = step_limit_ = nullptr;
  r.words = static_cast<uint32_t>(sizeof r / 8 + count);
  // The limit is one of events, however they are stored.
  if (count * kEach > size_t{8} * r.words) log_.charge(count * kEach - size_t{8} * r.words);
}

const NamesRecord* ETDumpGen::names_of(const StepChain& chain) {
  for (const NamesRecord* n = step_names_; n != nullptr; n = n->next_names) {
    if (n->method == chain.method && n->chain == chain.chain) return n;
  }
  const size_t bytes = sizeof(NamesRecord) + chain.instructions * sizeof(NamesRecord::Step);
  void* at = append(bytes);
  if (at == nullptr) return nullptr;
  NamesRecord* r = new (at) NamesRecord{};
  r->kind = RecordKind::Names;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->method = chain.method;
  r->chain = chain.chain;
  for (uint32_t i = 0; i < chain.instructions; ++i) {
    const StepNames names = chain.names(chain.context, chain.chain, i);
    r->steps()[i].event = names.event == nullptr ? NamesRecord::kNoEvent : name_id(names.event);
    r->steps()[i].call = name_id(names.call);
  }
  r->next_names = step_names_;
  return step_names_ = r;
}

bool ETDumpGen::open_steps(const StepChain& chain, uint32_t instruction, Timestamp start) {
  const NamesRecord* names = names_of(chain);
  if (names == nullptr || full_) return false;
  size_t most = log_.budget() / kEach;
  if (most > chain.instructions - instruction) most = chain.instructions - instruction;
  if (most == 0) return false;
  size_t room = log_.available() < sizeof(StepsRecord) ? 0 : (log_.available() - sizeof(StepsRecord)) / 8;
  if (room < most && room < kFew) room = most;  // of the next chunk
  if (room > most) room = most;
  void* at = append(sizeof(StepsRecord) + 8 * room);
  if (at == nullptr) return false;
  block_has_events_ = true;
  block_has_profile_ = false;  // there is no event that a note could be attached to
  steps_ = new (at) StepsRecord{};
  steps_->kind = RecordKind::Steps;
  steps_->words = static_cast<uint32_t>(sizeof(StepsRecord) / 8 + room);
  steps_->names = names;
  steps_->begin = start;
  steps_->first = instruction;
  step_at_ = steps_->ends();
  step_limit_ = step_at_ + room;
  return true;
}

void ETDumpGen::first_step(const StepChain& chain, uint32_t instruction, Timestamp start, Timestamp end) {
  if (!wants_steps_) return EventTracer::first_step(chain, instruction, start, end);
  close_steps();
  if (!ready("step")) return;
  if (open_steps(chain, instruction, start)) {
    *step_at_++ = end;
    return;
  }
  full_ = true;
  if (chain.names(chain.context, chain.chain, instruction).event != nullptr) lose_event();
  lose_event();
}

}  // namespace et::etdump
