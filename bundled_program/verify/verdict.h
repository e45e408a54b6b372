// What checking bundled programs gives: a verdict for each case, with one for each of its outputs. Plain data; reports,
// the store and the pipe between a worker and its parent take it from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bundled_program/compare.h"

namespace et::bundled {

/// Why a check failed.
enum class Failure : uint8_t {
  None,
  Values,           // elements out of tolerance
  Metric,           // a limit of the policy on a whole output: SNR, cosine similarity, largest error
  Dtype,            // the output has another one than expected
  Shape,            //
  DimOrder,         //
  Count,            // another number of inputs or outputs than the method has
  NoExpectation,    // the case has no expected outputs
  Input,            // the method refuses an input
  Execution,        // the method ended with an error
  Load,             // the method cannot be loaded
  MissingOperator,  //
  MissingBackend,   //
  Corrupt,          // a file that is damaged, or is no bundled program
  Timeout,          //
  Crash,            // the process that ran it ended
  Memory,           // more than is allowed, or than there is
  Method,           // no such method, or no cases of it
  Io,               // a file that cannot be read or written
};
/// "values", "missing_operator": as the reports write it; "" of None.
const char* failure_name(Failure failure);
/// What a person calls it: "values out of tolerance".
const char* failure_text(Failure failure);

struct OutputVerdict {
  uint32_t index = 0;
  Failure failure = Failure::None;
  std::string reason;  // empty when it passed
  std::string dtype;   // "float32"; "Int" and so on of outputs that are no tensors
  std::vector<int32_t> shape;
  Tolerance tolerance;
  std::string tolerance_from;  // "dtype", "--rtol/--atol", "policy.toml: method.forward", "index.json"
  bool compared = false;       // false: the figures below do not apply
  Comparison figures;

  bool passed() const { return failure == Failure::None; }
  /// The logical index `n` as one position a dimension; empty for scalars and −1.
  std::vector<int64_t> place(int64_t n) const;
};

struct CaseVerdict {
  std::string file;
  std::string program;  // SHA-256 of the nested program, hexadecimal; empty when it could not be read
  std::string method;   // empty: the whole file failed
  int64_t test_case = -1;
  Failure failure = Failure::None;
  std::string reason;
  std::vector<std::string> operators;  // of the method, in the order of its operator table
  std::vector<std::string> backends;   // of its delegates, each once
  std::vector<OutputVerdict> outputs;
  std::vector<int64_t> samples_ns;  // wall time of each execution, in their order; at most kMaxSamples
  uint64_t iterations = 0;
  uint64_t memory_bytes = 0;  // planned, method and temporary memory, the peak in use; 0 when not loaded
  std::string etdump;         // path of the trace; empty without one
  std::string debug_buffer;   // of its logged tensors
  static constexpr size_t kMaxSamples = 1000;

  bool passed() const { return failure == Failure::None; }
  /// Over all outputs; NaN when none was compared.
  double max_abs_error() const;
  /// Median of the samples; 0 without.
  int64_t duration_ns() const;
  /// "model.bpte: forward case 0".
  std::string name() const;
};

/// One call of the checker.
struct CheckRun {
  std::vector<CaseVerdict> cases;
  size_t passed = 0;
  size_t failed = 0;
  void add(CaseVerdict verdict);
};

}  // namespace et::bundled
