// NoThreadPoolGuard: while it lives, loops stay on this thread.
#pragma once

#include "executorch/extension/threadpool/threadpool.h"
