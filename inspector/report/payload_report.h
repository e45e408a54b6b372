// What lies inside of the delegates of a program, as far as their payloads can be read without running them.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct PayloadOptions {
  std::string method;            ///< only this one; "" = all
  std::string format = "table";  ///< table, json, csv, tsv or markdown
  bool nodes = false;            ///< also each node of the payloads
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Appends, for each delegate: sizes, blocks, tensors, counts of commands and compile specs; the operators inside by
/// type; the Python lines that it stands for; with `nodes` each node and the line that it leads to. csv, tsv and json:
/// one row for each of these. Errors: InvalidArgument (unknown format, no such method).
Status write_payloads(const Store& store, int64_t trace_id, const PayloadOptions& options, std::string* out);

}  // namespace et::inspector
