// Problems met while importing, as data. One table (diagnostics.cpp) lists every one of them with severity and help;
// an import counts them and keeps the first message.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "inspector/store/store.h"

namespace et::inspector {

enum class Severity : uint8_t { Info, DataLoss, Error };
const char* severity_name(Severity severity);

struct DiagnosticKind {
  const char* code;
  Severity severity;
  const char* help;
};
/// All kinds, in alphabetical order of their codes.
std::span<const DiagnosticKind> diagnostic_kinds();

class Diagnostics {
 public:
  /// Counts `count` occurrences of `code`; the message of the first call is kept. An unknown code is our own bug and
  /// is kept as an error, so that nothing is lost.
  void add(const std::string& code, const std::string& message, uint64_t count = 1);
  bool has(Severity severity) const;
  bool has(const std::string& code) const { return found_.contains(code); }
  /// The first message of `code`; "" when it was not met.
  std::string message(const std::string& code) const;
  void write(Store& store, int64_t trace) const;

 private:
  struct Found {
    Severity severity;
    uint64_t count = 0;
    std::string message, help;
  };
  std::map<std::string, Found> found_;  // ordered: deterministic output
};

}  // namespace et::inspector
