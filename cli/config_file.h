// Options that a user always gives, from a file: TOML with a table for each program, one inside it for a subcommand.
//
//   color = "never"          # wherever the option exists
//   [et-inspect]
//   lines = "user"
//   [et-inspect.source]
//   top = 20
//
// docs/reports.md, "A configuration file".
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/toml_values.h"
#include "cli/option_table.h"

namespace et::cli {

/// Of the working folder.
inline constexpr const char* kFolderConfig = ".et-inspect.toml";

/// The files that are there, the one that counts more first: .et-inspect.toml of the working folder, then
/// et-inspect/config.toml of $XDG_CONFIG_HOME (~/.config). ET_INSPECT_CONFIG names one instead; empty, there is none.
std::vector<std::string> config_files();

struct ConfiguredOption {
  std::string name;
  std::vector<std::string> values;
  std::string place;  ///< "config.toml:3:1"
};

/// What the file says for `command`: the subcommand's own table first, then the program's, then the root. Checks the
/// tables and names for all of the program's commands; one `of_folder` may not set what writes files. Errors:
/// InvalidArgument with file, line and nearest name.
Status configured_options(const std::vector<TomlValue>& file, bool of_folder, const ProgramSpec& program,
                          const CommandSpec& command, std::vector<ConfiguredOption>* out);

}  // namespace et::cli
