// SHA-256 (FIPS 180-4): the name of a program in a trace. Small and portable; speed does not matter here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace et {

std::array<uint8_t, 32> sha256(std::span<const uint8_t> bytes);

}  // namespace et
