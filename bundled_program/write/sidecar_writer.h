// Writes side-cars: the cases of a program as a zip of .npy arrays (cases/sidecar_format.h). The same cases give the
// same bytes.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"

namespace et::bundled {

struct SidecarOptions {
  bool deflate = false;  ///< members are compressed; else stored, which loads faster
};

/// All cases of `cases` for `program`, the bytes of a .pte file. Cases are loaded one after another, twice: to list the
/// members and to write them. The file appears whole or not at all, also in the place of the one that `cases` reads.
/// check_cases() says whether the cases fit the program, which is not looked at here.
/// Errors: those of loading a case, InvalidArgument (a value without kind, an unsound tensor), AccessFailed.
Status write_sidecar(const std::string& path, std::span<const uint8_t> program, const CaseSource& cases,
                     const SidecarOptions& options = {});

}  // namespace et::bundled
