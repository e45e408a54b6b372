// Bundled programs: the cases in them as inputs of a method, and what it gives against what they expect.
#pragma once

#include <cstddef>

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/memory_allocator.h"
#include "executorch/runtime/executor/method.h"
#include "executorch/runtime/platform/compiler.h"

#define BUNDLED_PROGRAM_NAMESPACE bundled_program

namespace executorch::bundled_program {

/// A bundle in memory. Its length is not known here, so it must be one that get_program_data() has found in order.
using SerializedBundledProgram = const void;

using ::et::Method;

/// Sets all inputs of the method to those of case `testset_idx`.
/// InvalidArgument: no cases for this method, or not so many; NotSupported: no bundle, or the method refuses an input.
ET_NODISCARD ::et::Error load_bundled_input(Method& method, SerializedBundledProgram* bundled_program_ptr,
                                            size_t testset_idx);

/// Over all elements of all outputs; an error is relative to the larger of the two values.
struct ErrorStats {
  ::et::Error status;
  double mean_abs_error;
  double max_abs_error;
  double mean_relative_error;
  double max_relative_error;
};
/// NotSupported: an output is no tensor of numbers.
ET_NODISCARD ErrorStats compute_method_output_error_stats(Method& method, SerializedBundledProgram* bundled_program_ptr,
                                                          size_t testset_idx);

/// Floating point: |got − want| ≤ atol + rtol · |want|; all else must be equal.
/// NotFound: an output differs; NotSupported: no bundle, or it expects nothing; InvalidArgument: no such case.
ET_NODISCARD ::et::Error verify_method_outputs(Method& method, SerializedBundledProgram* bundled_program_ptr,
                                               size_t testset_idx, double rtol = 1e-5, double atol = 1e-8);

/// The program's bytes in a bundle, which is verified whole. NotSupported: it is no bundle.
ET_NODISCARD ::et::Error get_program_data(void* file_data, size_t file_data_len, const void** out_program_data,
                                          size_t* out_program_data_len);
bool is_bundled_program(void* file_data, size_t file_data_len);
ET_DEPRECATED inline bool is_bundled_program(void* file_data) { return is_bundled_program(file_data, 128); }

}  // namespace executorch::bundled_program

// The former names.
namespace torch::executor::bundled_program {
using serialized_bundled_program = const void;
ET_NODISCARD inline ::et::Error LoadBundledInput(::et::Method& method, serialized_bundled_program* bundle,
                                                 size_t testset_idx) {
  return ::executorch::bundled_program::load_bundled_input(method, bundle, testset_idx);
}
ET_NODISCARD inline ::et::Error VerifyResultWithBundledExpectedOutput(::et::Method& method,
                                                                      serialized_bundled_program* bundle,
                                                                      size_t testset_idx, double rtol = 1e-5,
                                                                      double atol = 1e-8) {
  return ::executorch::bundled_program::verify_method_outputs(method, bundle, testset_idx, rtol, atol);
}
ET_NODISCARD inline ::et::Error GetProgramData(void* file_data, size_t size, const void** program,
                                               size_t* program_size) {
  return ::executorch::bundled_program::get_program_data(file_data, size, program, program_size);
}
inline bool IsBundledProgram(void* file_data) {
  return ::executorch::bundled_program::is_bundled_program(file_data, 128);  // as long as any bundle
}
}  // namespace torch::executor::bundled_program
