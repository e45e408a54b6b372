// The files that a command line names: which it reads, which it writes, and that they are not the same.
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

/// An output that is also an input would destroy it, and two outputs one another. Errors: InvalidArgument.
Status check_outputs(const std::vector<FileValue>& files);

}  // namespace et::cli
