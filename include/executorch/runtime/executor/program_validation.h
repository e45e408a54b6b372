// Checks of a program's tables that a flatbuffer verifier does not make. Program::load() makes all of them.
#pragma once

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch_flatbuffer {
struct Program;
struct Tensor;
}  // namespace executorch_flatbuffer

namespace executorch::runtime {

/// InvalidProgram: a negative size, an unknown dtype, or more elements or bytes than can be counted.
ET_NODISCARD Error validate_tensor(const executorch_flatbuffer::Tensor* tensor);
/// InvalidProgram: one of its tensors is invalid (dynamic inputs may exceed what can be counted: they are checked when
/// they are set), or a list of tensors has an item that is none.
ET_NODISCARD Error validate_program(const executorch_flatbuffer::Program* program);

}  // namespace executorch::runtime
