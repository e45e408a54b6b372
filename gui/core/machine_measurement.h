// The peaks of this machine, which et-run --calibrate measures and keeps for all programs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gui/core/jobs.h"

namespace et::gui {

class MachineMeasurement {
 public:
  /// Runs et-run from the folder of this program, or from the PATH, on so many threads; `done` once it has its file.
  void start(Jobs& jobs, int64_t threads, std::function<void()> done);
  bool runs() const { return runs_; }
  /// Of the last one; "" when it went well.
  const std::string& error() const { return error_; }

 private:
  JobHandle job_;
  bool runs_ = false;
  std::string error_;
};

}  // namespace et::gui
