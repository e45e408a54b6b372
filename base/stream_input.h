// What can be read only once (a pipe, a socket) as a file: `et-inspect <(zcat etdump.etdp.gz)`, `… | et-inspect -`.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/status.h"

namespace et {

/// At most so much is taken from a pipe: it is kept in memory, and one without an end must not fill it.
inline constexpr size_t kMostStreamBytes = size_t{1} << 30;

inline bool is_stream(const struct stat& st) { return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode); }

/// Opens for reading without blocking; a socket as standard input, too, which open() refuses. -1 with errno.
int open_input(const std::string& path);

/// The bytes of a pipe as a descriptor that can be mapped, for the caller to close. The first call for a pipe reads it
/// to its end, later ones get the same bytes. `fd`: `path`, open for reading without blocking; stays the caller's.
/// Errors: AccessFailed (nobody writes to the pipe, a read error, too much), MemoryAllocationFailed.
Status stream_as_file(int fd, const struct stat& st, const std::string& path, int* file);

/// Reads `path` now if it is a pipe, so that looking at it later does not wait. Other paths are left alone.
Status read_stream(const std::string& path);

/// For a pipe that has been read: its bytes as above. -1: it has not.
int copy_of_stream(const struct stat& st);

}  // namespace et
