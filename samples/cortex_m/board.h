// The board as a platform of the runtime: SysTick as the clock, log lines on the console.
#pragma once

#include "runtime/platform/platform.h"

namespace board {

/// Starts the clock.
et::Platform platform();
/// Interrupt of SysTick: its 24 bits went round.
void systick_wrapped();

}  // namespace board
