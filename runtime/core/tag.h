// What an EValue holds.
#pragma once

#include <cstdint>

namespace et {

/// Numbers are those of the program schema's KernelTypes, so that a value of a file needs no translation.
enum class Tag : uint8_t {
  None = 1,
  Int = 2,
  Bool = 3,
  Double = 4,
  Tensor = 5,
  String = 6,
  ListInt = 7,
  ListDouble = 8,
  ListBool = 9,
  ListTensor = 10,
  ListOptionalTensor = 11,
};
const char* tag_name(Tag tag);

}  // namespace et
