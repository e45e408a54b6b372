// What a program (.pte, .bpte) takes, gives and needs, read from the file alone: methods with the types and shapes of
// their inputs and outputs, delegates, operators, constants, planned memory.
#pragma once

#include <string>

#include "base/status.h"

namespace et::inspector {

struct ProgramReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv and tsv have the inputs and outputs
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: those of opening the file, InvalidProgram, InvalidArgument (unknown format).
Status write_program_report(const std::string& path, const ProgramReportOptions& options, std::string* out);

}  // namespace et::inspector
