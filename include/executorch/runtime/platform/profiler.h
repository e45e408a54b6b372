// The old profiler's macros: all that they measured is in the ETDump now, so they expand to nothing.
#pragma once

#define EXECUTORCH_BEGIN_PROF(name) (static_cast<void>(name), -1)
#define EXECUTORCH_END_PROF(token) static_cast<void>(token)
#define EXECUTORCH_SCOPE_PROF(name) static_cast<void>(name)
#define EXECUTORCH_PROFILE_INSTRUCTION_SCOPE(chain, instruction) static_cast<void>(0)
#define EXECUTORCH_PROFILE_CREATE_BLOCK(name) static_cast<void>(name)
#define EXECUTORCH_RESET_PROFILE_RESULTS() static_cast<void>(0)
#define EXECUTORCH_TRACK_ALLOCATOR(name) (static_cast<void>(name), -1)
#define EXECUTORCH_TRACK_ALLOCATION(id, size) (static_cast<void>(id), static_cast<void>(size))
#define EXECUTORCH_DUMP_PROFILE_RESULTS(result) static_cast<void>(0)
