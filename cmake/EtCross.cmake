# Cross compilation: which part of the project a target can have, and headers of the host that are good for any target.

# ET_HOSTED: the target has an operating system: files, a heap, threads.
set(ET_HOSTED ON)
if(CMAKE_SYSTEM_NAME STREQUAL Generic)
  set(ET_HOSTED OFF)
endif()
set(device_only_default OFF)
if(NOT ET_HOSTED)
  set(device_only_default ON)
  set(ET_PLATFORM minimal CACHE STRING "Default platform: posix or minimal")
endif()
option(ET_DEVICE_ONLY "Build only what runs on devices: runtime, kernels, trace writer, bundled programs"
       ${device_only_default})

# flatbuffers are headers only; the host's cannot be reached through /usr/include, which belongs to another machine.
if(CMAKE_CROSSCOMPILING)
  find_path(ET_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h PATHS /usr/include /usr/local/include
            NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH REQUIRED)
  set(headers ${CMAKE_BINARY_DIR}/host_headers)
  file(MAKE_DIRECTORY ${headers})
  file(CREATE_LINK ${ET_FLATBUFFERS_INCLUDE}/flatbuffers ${headers}/flatbuffers SYMBOLIC)
  include_directories(SYSTEM ${headers})
endif()
