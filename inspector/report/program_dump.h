// `et-inspect pte`: a program as text that a person can read: methods with their values, instructions and delegates.
#pragma once

#include <string>

#include "base/status.h"

namespace et::inspector {

struct ProgramDumpOptions {
  std::string method;           ///< only this one; "": all
  std::string format = "text";  ///< text or json
  bool values = false;          ///< list all values of a method, too
};

/// Errors: those of opening the file, InvalidProgram, InvalidArgument (no such method, unknown format).
Status write_program_dump(const std::string& path, const ProgramDumpOptions& options, std::string* out);

}  // namespace et::inspector
