// The names of the backends that et::backends registers, from the same tables as the registry: for tools that look at a
// program without linking a backend.
#pragma once

namespace et {

struct BackendName {
  const char* name;
  const char* needs;  // "", or the hardware without which it refuses its payloads
};

inline constexpr BackendName kBackendNames[] = {
#define ET_BACKEND(name, interface, needs) {name, needs},
#include "runtime/backends/built_backends.def"
#undef ET_BACKEND
    {nullptr, nullptr},  // a build without backends has an array, too
};

}  // namespace et
