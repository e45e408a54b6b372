// The files that a command line names: which it reads, which it writes. That they are not the same: written_files.h.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace et::cli {

struct FileValue {
  std::string shown;  // "--output", "TRACE"
  std::string* value;
  bool written = false;
};

/// Spells standard input ("-") as a path where a file is read. Errors: InvalidArgument when two options read it.
Status name_standard_input(const std::vector<FileValue>& files);

}  // namespace et::cli
