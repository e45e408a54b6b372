// What this process read as input, so that no output takes its place: an input may have been found, not named.
#pragma once

#include <sys/stat.h>

#include <string>

namespace et {

/// Remembers a regular file by device and inode; anything else is let be.
void remember_input(const struct stat& file, const std::string& path);
void remember_input(const std::string& path);

/// The path under which this file was read; "" when it was not.
std::string path_as_read(const struct stat& file);
std::string path_as_read(const std::string& path);

}  // namespace et
