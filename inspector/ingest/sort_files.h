// Which of several files is the ETDump, which the ETRecord, the program, the store: by what is in them, however they
// are named and ordered. For command lines and for files that are dropped on a window.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/ingest/ingest.h"

namespace et::inspector {

struct SortedFiles {
  std::string store;          // its address, or ""
  IngestInputs inputs;        // what has a mark of its kind
  std::string folder;         // as of folder_prefix(): opened as a whole; its other files are still to be found
  bool whole_folder = false;  // there is one
  std::vector<std::string> other_dumps;  // of the folder, beside its etdump.etdp
  std::vector<std::string> others;       // without a mark: a debug buffer, a serial log, a damaged file
};

/// Of a folder its only ETDump is taken, of several the one named etdump.etdp, or without one its only store. Errors:
/// NotFound (a word names nothing), InvalidArgument (two of a kind; a folder with several ETDumps of other names, which
/// are listed), AccessFailed (a folder without anything to open).
Status sort_files(const std::vector<std::string>& words, SortedFiles* out);

/// Gives files without a mark their places: a serial log or a damaged ETDump where none is named, else a debug buffer,
/// unless there is one. Errors: InvalidExternalData (there is no place left for it).
Status place_others(SortedFiles* files, bool buffer_given = false);

}  // namespace et::inspector
