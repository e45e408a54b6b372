// One line on standard error that says how far long work is. Only on a terminal, at most ten times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/arguments.h"

namespace et::cli {

class ProgressLine {
 public:
  explicit ProgressLine(const Arguments& args);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `total` 0: unknown. Fits the import's callback; never cancels.
  bool operator()(const char* stage, uint64_t done, uint64_t total);
  void clear();

 private:
  bool active_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

/// "reading events 42%", or without a known total "reading events 1234567".
std::string progress_text(const char* stage, uint64_t done, uint64_t total);

}  // namespace et::cli
