// parallel_for, by its old path.
#pragma once

#include "executorch/runtime/kernel/thread_parallel_interface.h"
