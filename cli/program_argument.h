// A program that a command takes, or the folder that it is in.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/option_table.h"

namespace et::cli {

inline constexpr OptionSpec kProgramArgument = {
    .name = "program",
    .argument = "PROGRAM",
    .type = Value::Text,
    .complete = Complete::File,
    .required = true,
    .help = "a program (.pte) or bundled program (.bpte), or a folder with one"};

/// Of a folder its only program, found by content. Errors: NotFound (a word names nothing), InvalidArgument (a folder
/// with several programs or with none).
Status program_of(const std::string& word, std::string* path);

}  // namespace et::cli
