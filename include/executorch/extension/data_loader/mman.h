// Mapping of files, in the words that code for several systems shares; here they are POSIX's.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

#include "executorch/runtime/platform/compiler.h"

ET_INLINE size_t get_os_page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

/// 0 and the file's bytes, or -1.
ET_INLINE int get_file_stat(int fd, size_t* out_size) {
  struct stat about {};
  const int result = ::fstat(fd, &about);
  if (result == 0) *out_size = static_cast<size_t>(about.st_size);
  return result;
}

ET_INLINE off_t get_mmap_offset(size_t offset) { return static_cast<off_t>(offset); }

/// The pages are read soon and in order.
ET_INLINE void madvise_pages_willneed_sequential(void* begin, size_t size) {
  ::madvise(begin, size, MADV_WILLNEED);
  ::madvise(begin, size, MADV_SEQUENTIAL);
}

/// Apple's systems only.
ET_INLINE void fcntl_rdadvise_apple(int /*fd*/, size_t /*file_size*/) {}
