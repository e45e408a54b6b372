// Takes a bundled program apart: the program and its cases as files of a folder, which side-cars hold in a zip.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"

namespace et::bundled {

struct FolderOptions {
  bool sidecar = false;  ///< the cases in one file, program.cases.npz, instead of one file a value
};

/// Writes `folder`/program.pte and the cases: meta.json and METHOD/CASE/input_I.npy … (cases/sidecar_format.h). The
/// folder appears whole or not at all; it must not be there yet, or be empty.
/// Errors: those of write_sidecar(); InvalidArgument (the folder has files, or is no folder).
Status write_case_folder(const std::string& folder, std::span<const uint8_t> program, const CaseSource& cases,
                         const FolderOptions& options = {});

}  // namespace et::bundled
