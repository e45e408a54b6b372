// Operations of the operating system that need no library.
#pragma once

#include <dlfcn.h>

/// The shared library or program that an address is from; null: not known.
inline const char* et_pal_get_shared_library_name(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : nullptr;
}
