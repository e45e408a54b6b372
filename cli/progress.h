// One line on standard error that says how far long work is: only on a terminal, after half a second, ten times a
// second at most, and gone when the work is done. No escape sequences: it is overwritten with spaces.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/arguments.h"

namespace et::cli {

/// How far the work is.
struct ProgressState {
  std::string stage;      // "reading events"
  uint64_t done = 0;      // 0: not counted
  uint64_t total = 0;     // 0: unknown
  double share = -1;      // instead of both: from 0 to 1
  std::string what = {};  // "model.bpte forward": behind the share
  bool bytes = false;     // `done` counts bytes
  double seconds = 0;     // since the stage began
};

/// "reading events 42% (420 of 1,000), 210/s, 3 s left"; without a known total "reading rows 12,345, 4,115/s".
std::string progress_text(const ProgressState& state);
/// "3 s", "2 min 5 s", "1 h 20 min".
std::string short_time(double seconds);

class ProgressLine {
 public:
  /// Threaded: a thread draws the line, also while nothing is reported. Called: for a program that forks, whoever waits
  /// calls tick().
  enum class Drawing { Threaded, Called };
  explicit ProgressLine(const Arguments& args, Drawing drawing = Drawing::Threaded);
  ~ProgressLine() { end(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `total` 0: unknown. Fits the import's callback; never cancels.
  bool operator()(const std::string& stage, uint64_t done, uint64_t total);
  /// Where nothing can be counted, but something measured: time, say.
  void part(const std::string& stage, double share, const std::string& what = "");
  /// `bytes` is asked each time when the line is drawn, from another thread.
  void watch_bytes(const std::string& stage, std::function<uint64_t()> bytes);
  /// Draws the line when it is time to.
  void tick();
  /// Erases the line; it comes back with the next drawing.
  void erase();
  /// Erases the line for good.
  void end();
  bool active() const { return active_; }

 private:
  using Clock = std::chrono::steady_clock;
  void set(ProgressState state);
  void draw_locked();
  void erase_locked();
  void start();

  bool active_;
  Drawing drawing_;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::thread thread_;
  bool stopping_ = false;
  ProgressState state_;
  std::function<uint64_t()> bytes_;
  size_t shown_ = 0;  // columns
  Clock::time_point begin_, next_;
};

/// Draws a line of a forking program from a thread while it lives: for long work in the process itself.
class ProgressTicker {
 public:
  explicit ProgressTicker(ProgressLine& line);
  ~ProgressTicker();
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

/// What else is written to a terminal must not stand behind the line: messages erase it, results end it.
void erase_progress();
void end_progress();

}  // namespace et::cli
