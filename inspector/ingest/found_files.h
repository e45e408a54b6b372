// Do files that were found beside others belong to them? Unlike those that the user named, they are left out where they
// do not.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "inspector/ingest/import.h"

namespace et::inspector {

/// By option: why a found file is not used.
using ForeignFiles = std::map<std::string, std::string>;

/// Once the files are loaded: parts that are damaged, and an ETRecord and a program that contradict one another.
ForeignFiles foreign_files(const Import& in);

/// Our own ETDumps name the program that ran by its hash: whether it is this one, which nothing else can tell better.
/// Nothing for upstream's.
std::optional<bool> program_hash_agrees(const Import& in);

/// Once a block's method is inferred.
ForeignFiles foreign_files(const Import& in, const Block& block);

}  // namespace et::inspector
