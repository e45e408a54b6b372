// Attaches the thread pool of the process when the program starts. A separate object, so that it is always linked.
#include "runtime/threadpool/threadpool.h"

namespace {

[[maybe_unused]] const bool g_attached = (et::threadpool::attach(), true);

}  // namespace
