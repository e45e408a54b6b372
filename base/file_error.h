// Why a file was refused: code, byte offset, the field, and what was expected there. No allocation, so that the
// verified views can run on a device; the desktop side turns it into one line with the file's name.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace et {

struct FileError {
  Error code = Error::Ok;
  uint64_t offset = 0;        // bytes from the start of the file
  const char* field = "";     // e.g. "Program.execution_plan[].values"; static storage
  const char* expected = "";  // e.g. "an offset inside the file"; static storage
  int64_t index = -1;         // element of a vector, or -1

  bool ok() const { return code == Error::Ok; }
  static FileError none() { return {}; }
};

}  // namespace et
