// No output is an input: what a command line writes is compared with what it reads, by path, link and inode, before
// anything is opened.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/arguments.h"

namespace et::cli {

struct NamedFile {
  std::string shown;  // "--output", "TRACE"
  std::string path;
};

/// Files that the options and positionals of a command line write or add to; standard output where it is a file.
std::vector<NamedFile> written_files(const Arguments& args);
/// Files that they read, as written there: `store.db#3`, `x.npy,y.npy`, folders.
std::vector<NamedFile> read_files(const Arguments& args);

/// Whether one of them is there already and would be lost. Else there is nothing that check_written() could find but
/// two outputs of one name.
bool replaces_any(const std::vector<NamedFile>& written);

/// Errors: InvalidArgument when an output is an input (or stands in a folder that is one, and is of a kind that is read
/// there), or two outputs are one file.
Status check_written(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);

}  // namespace et::cli
