// What recording costs, measured once with the names and memory at hand: the least of a few rounds. Leaves no trace.
#include <algorithm>

#include "etdump/etdump_gen.h"

namespace et::etdump {
namespace {

constexpr uint32_t kEvents = 16;
constexpr int kRounds = 6;
constexpr size_t kExecution = 8192;  // bytes: more than one of kEvents steps takes

// What is measured goes around some arithmetic: a processor works on several instructions at a time and reading its
// counter ends that, which costs more than the reading itself.
volatile uint32_t g_seed = 1;
void arithmetic(float* v) {
  uint32_t at = g_seed;  // not known to the compiler
  for (int i = 0; i < 7; ++i) {
    at = at * 1664525u + 1013904223u;
    v[at >> 27] += 1;
  }
}
void (*volatile g_work)(float*) = &arithmetic;

double difference(uint64_t more, uint64_t less) { return more > less ? static_cast<double>(more - less) : 0; }

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

  float values[32] = {};
  const auto work = [&](uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) g_work(values);
  };
  const uint64_t idle_once = ticks_of([&] { work(1); });
  const uint64_t idle = ticks_of([&] { work(kEvents + 1); });
  const uint64_t events = ticks_of([&] {
    work(1);
    for (uint32_t i = 0; i < kEvents; ++i) {
      const EventTracerEntry entry = start_profiling(name, 0, 0);
      work(1);
      end_profiling(entry);
    }
  });
  event_ticks_ = difference(events, idle) / kEvents;
  step_ticks_ = event_ticks_;
  block_ticks_ = 0;
  // An execution as the executor tells it, without and with further instructions.
  const StepChain chain = {0, 0, kEvents + 1, &names_of_step, name};
  const bool room = wants_steps_ && log_.available() > kExecution && log_.budget() > kExecution;
  if (room) static_cast<void>(names_of(chain));
  const auto execution = [&](uint32_t steps) {
    create_event_block(name);
    begin_run({name, name, 0});
    const Timestamp whole = ticks_();
    break_steps();
    Timestamp begin = ticks_();
    for (uint32_t i = 0; i < steps; ++i) {
      set_chain_debug_handle(0, i);
      work(1);
      const Timestamp end = ticks_();
      step(chain, i, begin, end);
      begin = end;
    }
    break_steps();
    log_profiling(name, kUnsetChainId, kUnsetDebugHandle, whole, begin);
    for (int arena = 0; arena < 3; ++arena) log_arena({name, 1, 1});
    end_run(Error::Ok);
  };
  if (room) {
    const uint64_t one = ticks_of([&] { execution(1); });
    const uint64_t many = ticks_of([&] { execution(kEvents + 1); });
    step_ticks_ = std::max(0.0, difference(many, one) - difference(idle, idle_once)) / kEvents;
    // The event of the whole counts as one; all else is the block's, which may so be less than nothing.
    block_ticks_ = difference(one, idle_once) - step_ticks_ - event_ticks_;
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
