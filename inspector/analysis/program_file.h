// A program as it lies on disk, alone (.pte) or in a bundle (.bpte), opened for those who read it without running it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/mapped_file.h"
#include "base/status.h"
#include "bundled_program/bundle.h"
#include "runtime/format/program.h"

namespace et::inspector {

/// Views point into `file`, which has to stay.
struct ProgramFile {
  MappedFile file;
  bool bundled = false;
  bundled::Bundle bundle;          ///< when bundled
  std::span<const uint8_t> bytes;  ///< of the program
  format::Program program;
};

/// Errors: those of opening the file, InvalidProgram; each names file and place.
Status open_program_file(const std::string& path, ProgramFile* out);

}  // namespace et::inspector
