// What is to be opened: a trace of a store, or files of a run to import.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/ingest/ingest.h"

namespace et::gui {

struct OpenRequest {
  std::string store;               ///< store.db, store.db#3, store.db@latest; "": the files of `inputs`
  inspector::IngestInputs inputs;  ///< an ETDump and what belongs to it; without one, ETRecord or program alone
  std::vector<std::string> notes;  ///< which files beside them were found or left out; for the user

  bool is_store() const { return !store.empty(); }
  /// File names without folders, for titles: "etdump.etdp + etrecord.bin".
  std::string title() const;
  /// The files again, one a word, as in the list of recent files; without those that were found beside them.
  std::vector<std::string> files() const;
};

/// What a long import is doing; total 0 when unknown.
struct ImportProgress {
  std::string stage;
  uint64_t done = 0, total = 0;
};

/// Sorts files by what is in them, however they are named and ordered (a drop of several files, a folder), and looks
/// for what belongs to them beside them. An ETRecord or a program may stand alone. Errors: NotFound (a file is
/// missing), InvalidArgument (two of a kind, or more than a store), InvalidExternalData (nothing that can stand alone
/// among them, or a file of another kind); each names the file.
Status classify(const std::vector<std::string>& files, OpenRequest* out, bool neighbours = true);

}  // namespace et::gui
