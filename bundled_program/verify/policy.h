// The policy of a model: tolerances of its outputs, allowed slowdowns, memory and time, in a TOML file that is kept
// beside the model and under version control with it.
//
//   version = 1
//   [default]                       # every method
//   rtol = 1e-4
//   max_slowdown = "5%"
//   [dtype.float16]                 # outputs of this dtype that nothing below speaks of
//   atol = 1e-3
//   [method.forward]                # goes before [default] and [dtype]
//   max_memory = "2 MiB"
//   timeout = "10 s"
//   [method.forward.output.0]       # goes before [method.forward]
//   rtol = 1e-3
//   max_outside = "0.1%"            # share of the elements that may be out of tolerance
//   min_snr_db = 30
//   min_cosine = 0.999
//   [method.forward.case.2.output.0]
//   atol = 0.5
//
// docs/checks.md lists every key.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "bundled_program/verify/limits.h"

namespace et::bundled {

class Policy {
 public:
  /// Errors: AccessFailed; InvalidArgument with file, line and column of what is wrong: unknown keys are.
  static Status open(const std::string& path, std::shared_ptr<const Policy>* out);
  static Status parse(std::string_view text, const std::string& path, std::shared_ptr<const Policy>* out);

  /// The policy that belongs to a bundle: model.policy.toml beside model.bpte, else policy.toml in its folder; empty
  /// without.
  static std::string path_beside(const std::string& bundle);

  /// Sets what the policy says of the output in `limit`, and `limit->from` when it gives a tolerance.
  void apply(const std::string& method, size_t test_case, uint32_t output, ScalarType dtype, OutputLimit* limit) const;
  MethodLimits method(const std::string& method) const;
  const std::string& path() const { return path_; }

 private:
  friend class PolicyReader;
  /// What one table of the file sets.
  struct Rules {
    std::string place;  // "method.forward.output.0"
    std::optional<double> rtol, atol, max_outside, max_abs_error, min_snr_db, min_cosine;
    MethodLimits limits;
  };
  std::string path_;
  std::map<std::string, Rules> tables_;  // by place
};

}  // namespace et::bundled
