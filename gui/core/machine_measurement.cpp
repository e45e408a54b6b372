#include "gui/core/machine_measurement.h"

#include <utility>

#include "base/child_process.h"

namespace et::gui {
namespace {

/// "" when it went well.
std::string measure(int64_t threads, const Cancel& cancel) {
  constexpr int kNoProgram = 127;
  const std::string program = program_beside("et-run");
  ChildEnd end;
  const Status status = run_child(
      {program, "--calibrate", "--threads", std::to_string(threads)}, [&cancel] { return cancel.cancelled(); }, &end);
  if (!status.ok()) return program + ": " + status.message();
  if (end.exit_code == kNoProgram) return program + ": not found beside this program, nor on the PATH";
  if (end.signal != 0) return program + " --calibrate: ended by signal " + std::to_string(end.signal);
  if (end.exit_code == 0) return {};
  const std::string first = end.errors.substr(0, end.errors.find('\n'));
  return first.empty() ? program + " --calibrate: exit code " + std::to_string(end.exit_code) : first;
}

}  // namespace

void MachineMeasurement::start(Jobs& jobs, int64_t threads, std::function<void()> done) {
  runs_ = true;
  error_.clear();
  job_ = jobs.submit<std::string>([threads](const Cancel& cancel) { return measure(threads, cancel); },
                                  [this, done = std::move(done)](std::string error) {
                                    runs_ = false;
                                    error_ = std::move(error);
                                    if (error_.empty() && done) done();
                                  });
}

}  // namespace et::gui
