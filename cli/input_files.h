// The command line's side of the table of importers: their options, and a look at the files before they are imported.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include "base/status.h"
#include "cli/arguments.h"
#include "cli/option_table.h"
#include "inspector/ingest/importers.h"

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

/// Paths of TRACE (`dump`) and of the importers' options.
void take_input_files(const Arguments& args, const std::string& dump, inspector::IngestInputs* out);

/// A file that is plainly of another kind is refused with a message that says where it belongs.
Status check_input_files(const inspector::IngestInputs& inputs);

}  // namespace et::cli
