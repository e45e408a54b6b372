// All of the tensor helpers for applications.
#pragma once

#include "runtime/module/tensor_accessor.h"
#include "runtime/module/tensor_ptr.h"
#include "runtime/module/tensor_ptr_maker.h"
