// The command line's side of the table of importers: their options, and a look at the files before they are imported.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/arguments.h"
#include "cli/option_table.h"
#include "inspector/ingest/importers.h"
#include "inspector/ingest/sort_files.h"

namespace et::cli {

/// All but the first row, which is the positional TRACE.
inline constexpr std::span<const inspector::Importer> kOptionImporters = std::span(inspector::kImporters).subspan(1);

/// The importers' options in the order of their rows, then `rest`.
template <size_t N>
constexpr auto importer_options_and(const OptionSpec (&rest)[N]) {
  std::array<OptionSpec, std::size(inspector::kImporters) - 1 + N> out{};
  size_t at = 0;
  for (const inspector::Importer& i : kOptionImporters) {
    out[at++] = {.name = i.option,
                 .short_name = i.short_name,
                 .argument = "FILE",
                 .type = Value::Text,
                 .complete = Complete::File,
                 .help = i.help};
  }
  for (const OptionSpec& option : rest) out[at++] = option;
  return out;
}

/// The files of TRACE and of the importers' options, sorted by what is in them, with their neighbours (unless
/// --no-neighbours). A store among other files is that of --store. `notes`: which neighbours were not taken, and why.
/// Errors: as sort_files(); a file that is plainly of another kind than its option, or than anything that is read here,
/// with a message that says where it belongs.
Status gather_input_files(const Arguments& args, inspector::SortedFiles* out, std::vector<std::string>* notes);

/// A program is all that TRACE names: its path, else "".
std::string lone_program(const Arguments& args);

}  // namespace et::cli
