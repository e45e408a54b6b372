// A synthetic trace for the length of a benchmark program.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/etdump_builder.h"

namespace et::bench {

class TemporaryTrace {
 public:
  explicit TemporaryTrace(uint64_t executions)
      : path_(std::filesystem::temp_directory_path() / ("et-bench-" + std::to_string(::getpid()) + ".etdp")) {
    test::BigTrace shape;
    shape.executions = executions;
    test::make_big_trace(path_.string(), shape);
    events_ = shape.events();
  }
  TemporaryTrace(const TemporaryTrace&) = delete;
  TemporaryTrace& operator=(const TemporaryTrace&) = delete;
  ~TemporaryTrace() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  std::string path() const { return path_.string(); }
  uint64_t events() const { return events_; }

 private:
  std::filesystem::path path_;
  uint64_t events_ = 0;
};

}  // namespace et::bench
