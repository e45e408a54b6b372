// What recording costs, measured once with the names and memory at hand: the least of a few rounds. Leaves no trace.
#include "etdump/etdump_gen.h"

namespace et::etdump {
namespace {

constexpr uint32_t kEvents = 32;
constexpr int kRounds = 8;
constexpr size_t kExecution = 8192;  // bytes: more than one of kEvents steps takes

StepNames names_of_step(const void* name, ChainID, uint32_t) {
  return {static_cast<const char*>(name), static_cast<const char*>(name)};
}

}  // namespace

/// Ticks that `f` takes; what it records goes again.
template <class F>
uint64_t ETDumpGen::ticks_of(F&& f) {
  const size_t before = log_.available(), charged = log_.charged();
  uint64_t least = UINT64_MAX;
  for (int round = 0; round < kRounds; ++round) {
    const Timestamp begin = ticks_();
    f();
    const Timestamp end = ticks_();
    if (end - begin < least) least = end - begin;
    close_steps();
    log_.set_charged(charged);
    log_.retract(before - log_.available());
  }
  return least;
}

void ETDumpGen::measure_overhead(const char* name) {
  calibrated_ = true;
  const size_t each = sizeof(ProfileRecord) + (counter_count_ == 0 ? 0 : sizeof(NoteRecord) + 8 * counter_count_);
  if (full_ || log_.available() < 2 * kEvents * each) return;
  const ChainID chain_id = current_chain_id();
  const DebugHandle handle = current_debug_handle();
  RunRecord* const run = run_;
  const RunRecord run_content = *run;
  const size_t blocks = blocks_;
  const bool told = run_told_;
  const size_t before = log_.available();
  const NamesRecord* const names = step_names_;

  const uint64_t nothing = ticks_of([] {});
  const uint64_t events = ticks_of([&] {
    for (uint32_t i = 0; i < kEvents; ++i) end_profiling(start_profiling(name, 0, 0));
  });
  event_ticks_ = (static_cast<double>(events) - static_cast<double>(nothing)) / kEvents;

  step_ticks_ = event_ticks_;
  block_ticks_ = 0;
  // An execution as the executor tells it, without and with further instructions.
  const StepChain chain = {0, 0, kEvents + 1, &names_of_step, name};
  const bool room = wants_steps_ && log_.available() > kExecution && log_.budget() > kExecution;
  if (room) static_cast<void>(names_of(chain));
  const auto execution = [&](uint32_t steps) {
    create_event_block(name);
    begin_run({name, name, 0});
    const EventTracerEntry whole = start_profiling(name);
    break_steps();
    Timestamp begin = ticks_();
    for (uint32_t i = 0; i < steps; ++i) {
      set_chain_debug_handle(0, i);
      const Timestamp end = ticks_();
      step(chain, i, begin, end);
      begin = end;
    }
    break_steps();
    log_profiling(name, kUnsetChainId, kUnsetDebugHandle, whole.start_time, begin);
    for (int arena = 0; arena < 3; ++arena) log_arena({name, 1, 1});
    end_run(Error::Ok);
  };
  if (room) {
    const uint64_t one = ticks_of([&] { execution(1); });
    const uint64_t many = ticks_of([&] { execution(kEvents + 1); });
    step_ticks_ = many > one ? static_cast<double>(many - one) / kEvents : 0;
    const double block = static_cast<double>(one) - static_cast<double>(nothing) - step_ticks_ - event_ticks_;
    block_ticks_ = block > 0 ? block : 0;
  }

  log_.retract(before - log_.available());
  step_names_ = names;
  blocks_ = blocks;
  run_ = run;
  *run = run_content;
  run_told_ = told;
  block_has_events_ = block_has_profile_ = false;
  set_chain_debug_handle(chain_id, handle);
}

/// Of an event of this ETDump, in the mean: those of an execution share what is recorded once for it.
double ETDumpGen::overhead_ticks() const {
  double ticks = 0;
  uint64_t events = 0;
  bool executed = false;  // the block has steps
  for (Record* r = log_.oldest(); r != nullptr; r = log_.next(r)) {
    if (r->kind == RecordKind::Run) executed = false;
    if (r->kind == RecordKind::Profile) {
      ticks += event_ticks_;
      ++events;
    }
    if (r->kind == RecordKind::Steps) {
      if (!executed) ticks += block_ticks_;
      executed = true;
      const auto& steps = *static_cast<const StepsRecord*>(r);
      ticks += step_ticks_ * static_cast<double>(steps.steps());
      events += steps.events();
    }
  }
  return events == 0 ? event_ticks_ : ticks / static_cast<double>(events);
}

}  // namespace et::etdump
