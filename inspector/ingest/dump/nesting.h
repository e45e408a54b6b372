// Which event of a run encloses which. An ETDump does not say it: events are appended when they end, so inner ones come
// before outer ones, and levels (framework ⊃ call ⊃ kernel or delegate event) and instruction numbers decide the rest.
// Times alone cannot: clocks are coarse, and start times of XNNPACK's events are synthetic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace et::inspector {

enum class NestingLevel : uint8_t {
  Method,    // Method::execute, Method::init, Program::load_method
  Step,      // Method::step: encloses the calls of its own instruction
  Call,      // OPERATOR_CALL, DELEGATE_CALL, JF_CALL, MOVE_CALL, FREE_CALL
  Inner,     // kernels and whatever a backend measures on the same clock
  Delegate,  // events with a delegate id: their clock need not be the trace's
};

struct NestingEvent {
  NestingLevel level = NestingLevel::Inner;
  int32_t instruction = -1;
  int64_t chain = -1;
  uint64_t start = 0, end = 0;
};

/// Parent of each event (index into `events`), -1 for outermost ones. `events` in the order of the ETDump.
std::vector<int32_t> nest(std::span<const NestingEvent> events);

}  // namespace et::inspector
