// Reset of a bare Cortex-M55: coprocessors on, memory initialised, constructors, main(), end of the simulation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "board.h"

int main();

extern "C" {
extern uint8_t __data_start, __data_end, __data_load, __bss_start, __bss_end, __stack_top;
using Constructor = void (*)();
extern Constructor __init_array_start, __init_array_end;
void initialise_monitor_handles();  // newlib: files and console through semihosting

[[noreturn]] void start() {
  // CPACR: floating point and vector unit; CCR: trap nothing but what the core cannot do.
  *reinterpret_cast<volatile uint32_t*>(0xE000ED88) |= 0xFu << 20;
  asm volatile("dsb\n isb" ::: "memory");
  std::memcpy(&__data_start, &__data_load, static_cast<size_t>(&__data_end - &__data_start));
  std::memset(&__bss_start, 0, static_cast<size_t>(&__bss_end - &__bss_start));
  initialise_monitor_handles();
  for (Constructor* c = &__init_array_start; c != &__init_array_end; ++c) (*c)();
  std::exit(__extension__ main());  // who starts the program may call it
}

// The stack pointer comes from the vector table.
[[noreturn]] void reset_handler() { start(); }

// A fault ends the simulation with a message; a board would keep the registers and restart.
[[noreturn]] void fault_handler() {
  const auto status = *reinterpret_cast<volatile uint32_t*>(0xE000ED28);   // CFSR
  const auto address = *reinterpret_cast<volatile uint32_t*>(0xE000ED38);  // BFAR
  std::printf("fault: CFSR %08lx, BFAR %08lx\n", static_cast<unsigned long>(status),
              static_cast<unsigned long>(address));
  std::fflush(stdout);
  std::_Exit(70);
}
void systick_handler() { board::systick_wrapped(); }
// For the C library's exit().
void _init() {}
void _fini() {}
void* __dso_handle = nullptr;
}

namespace {

using Handler = void (*)();
struct Vectors {
  const void* stack;
  Handler handlers[15];
};
[[gnu::used, gnu::section(".vectors")]] const Vectors kVectors = {
    &__stack_top,
    {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, nullptr,
     nullptr, nullptr, fault_handler, fault_handler, nullptr, fault_handler, systick_handler}};

}  // namespace
