// What every kernel file includes. A kernel is a plain function in the anonymous namespace with the out schema of its
// operator; ET_KERNEL makes its boxed form, and a row ET_OPERATOR("aten::add.out", add_out) in the family's
// operators.def puts it into the registry.
#pragma once

#include "runtime/core/boxing.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/common/shape.h"
#include "runtime/platform/log.h"
#include "runtime/platform/parallel.h"

#define ET_KERNEL(function)                                                 \
  void boxed_##function(KernelRuntimeContext& context, Span<EValue*> args); \
  void boxed_##function(KernelRuntimeContext& context, Span<EValue*> args) { kBoxed<&function>(context, args); }
