// Consistency of a program beyond the flatbuffer's own: indices, ranges, sizes. Part of Program::open.
#pragma once

#include "base/file_error.h"
#include "runtime/format/program_source.h"

namespace et::format {

/// `source` has passed the flatbuffers verifier and the check of its segments. `flat_size`: bytes of the flatbuffer.
FileError verify_program(const ProgramSource& source, size_t flat_size);

}  // namespace et::format
