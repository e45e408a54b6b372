#include "uart.h"

#include <cstdint>

namespace uart {
namespace {

constexpr uintptr_t kBase = 0x49303000;  // UART0 of AN547, as the board's memory map names it
constexpr size_t kLine = 64;             // characters of base64 in a line

volatile uint32_t& reg(uintptr_t offset) { return *reinterpret_cast<volatile uint32_t*>(kBase + offset); }

void put(char c) {
  while ((reg(0x04) & 1) != 0) {  // STATE: transmit buffer full
  }
  reg(0x00) = static_cast<uint32_t>(static_cast<unsigned char>(c));
}

}  // namespace

void start() {
  reg(0x10) = 32000000 / 115200;  // BAUDDIV
  reg(0x08) = 1;                  // CTRL: transmitter on
}

void print(const char* text) {
  for (; *text != 0; ++text) put(*text);
}

void print_base64(const void* data, size_t size) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < size; i += 3) {
    uint32_t bits = static_cast<uint32_t>(bytes[i]) << 16;
    if (i + 1 < size) bits |= static_cast<uint32_t>(bytes[i + 1]) << 8;
    if (i + 2 < size) bits |= bytes[i + 2];
    put(kDigits[bits >> 18]);
    put(kDigits[bits >> 12 & 63]);
    put(i + 1 < size ? kDigits[bits >> 6 & 63] : '=');
    put(i + 2 < size ? kDigits[bits & 63] : '=');
    if ((i / 3 + 1) % (kLine / 4) == 0 && i + 3 < size) put('\n');
  }
}

}  // namespace uart
