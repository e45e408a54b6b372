#include "board.h"

#include <cstdio>
#include <cstdlib>

namespace board {
namespace {

constexpr uint64_t kHertz = 32000000;  // processor clock of AN547
constexpr uint32_t kReload = 0xFFFFFF;

// SysTick of the Armv8-M architecture. (DWT's cycle counter would do on hardware; QEMU has none.)
volatile uint32_t& reg(uintptr_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }
constexpr uintptr_t kControl = 0xE000E010;
constexpr uintptr_t kLoad = 0xE000E014;
constexpr uintptr_t kValue = 0xE000E018;
constexpr uintptr_t kIcsr = 0xE000ED04;
constexpr uint32_t kPending = 1u << 26;

volatile uint32_t g_wraps = 0;

void start_clock() {
  reg(kLoad) = kReload;
  reg(kValue) = 0;
  reg(kControl) = 7;  // processor clock, interrupt, on
}

// Counts up; consistent although the counter may wrap, and the interrupt come late, between two reads.
et::Timestamp ticks() {
  for (;;) {
    const uint32_t wraps = g_wraps;
    uint32_t value = reg(kValue);
    const bool pending = (reg(kIcsr) & kPending) != 0;
    if (pending) value = reg(kValue);
    if (wraps != g_wraps) continue;
    const uint64_t periods = static_cast<uint64_t>(wraps) + (pending ? 1 : 0);
    return periods * (uint64_t{kReload} + 1) + (kReload - value);
  }
}

}  // namespace

void systick_wrapped() { g_wraps = g_wraps + 1; }

et::Platform platform() {
  et::Platform p;
  p.name = "mps3-an547";
  p.clock_name = "systick";
  p.init = +[] { start_clock(); };
  p.abort = [] [[noreturn]] () { std::_Exit(71); };
  p.ticks = &ticks;
  p.tick_ratio = +[]() -> et::TickRatio { return {1000000000, kHertz}; };
  p.emit_log = +[](const et::LogMessage& m) {
    std::printf("%c %s:%u] %.*s\n", static_cast<char>(m.level), m.file, static_cast<unsigned>(m.line),
                static_cast<int>(m.length), m.message);
  };
  return p;
}

}  // namespace board
