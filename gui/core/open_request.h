// What is to be opened: a trace of a store, or files of a run to import.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::gui {

struct OpenRequest {
  std::string trace;         ///< store.db, store.db#3, store.db@latest; or an ETDump file; "": record or program alone
  std::string record;        ///< ETRecord, or ""
  std::string program;       ///< .pte, or ""
  std::string debug_buffer;  ///< tensors of debug events, or ""
  bool is_store = false;

  /// File names without folders, for titles: "etdump.etdp + etrecord.bin".
  std::string title() const;
  /// The files again, one a word, as in the list of recent files.
  std::vector<std::string> files() const;
};

/// Sorts files by what is in them, however they are named and ordered (a drop of several files).
/// A record or a program may stand alone. Errors: NotFound (a file is missing), InvalidArgument (nothing that can stand
/// alone among them, two of a kind, or a file of another kind); each names the file.
Status classify(const std::vector<std::string>& files, OpenRequest* out);

}  // namespace et::gui
