// The numbers of a method that are known without running it: constants, sizes of tensors whose shape is static, and
// what primitive operators make of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "runtime/format/program.h"

namespace et::inspector {

class KnownNumbers {
 public:
  explicit KnownNumbers(const format::Method& method);
  /// After `in` was executed.
  void apply(const format::Instruction& in);
  /// Of a jump; no value where it depends on data.
  std::optional<bool> condition(int32_t value) const;
  /// Only what both ways to here agree on is known.
  void keep_common(const KnownNumbers& other);

 private:
  void apply_kernel(const format::Instruction& in);
  std::optional<double> number(int32_t value) const;

  const format::Method* method_;
  // Those that were changed since the start; no value: not known. Others are as the program has them.
  std::map<int32_t, std::optional<double>> changed_;
  std::set<int32_t> given_;  // by the caller
};

}  // namespace et::inspector
