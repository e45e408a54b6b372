// Attaches the thread pool of the process when the program starts. An object of its own, which links whole.
#include "runtime/threadpool/threadpool.h"

namespace {

[[maybe_unused]] const bool g_attached = (et::threadpool::attach(), true);

}  // namespace
