// The board's first serial line, for sending only: a CMSDK APB UART.
#pragma once

#include <cstddef>

namespace uart {

void start();
void print(const char* text);
/// In lines of 64 characters.
void print_base64(const void* data, size_t size);

}  // namespace uart
