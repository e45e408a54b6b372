// The names of the backends that et::backends registers, from the same tables as the registry: for tools that look at a
// program without linking a backend.
#pragma once

namespace et {

struct BackendName {
  const char* name;
  const char* refuses;  // "", or why it refuses all of its payloads: "its payloads run on an NPU"
};

inline constexpr BackendName kBackendNames[] = {
#define ET_BACKEND(name, interface, refuses) {name, refuses},
#include "runtime/backends/built_backends.def"
#undef ET_BACKEND
    {nullptr, nullptr},  // a build without backends has an array, too
};

}  // namespace et
