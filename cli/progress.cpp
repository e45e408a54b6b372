#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace et::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPause = std::chrono::milliseconds(100);
constexpr auto kPatience = std::chrono::milliseconds(250);  // short work shows nothing

}  // namespace

std::string progress_text(const char* stage, uint64_t done, uint64_t total) {
  std::string text = stage;
  if (total > 0) {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    text += " " + std::to_string(static_cast<int>(part * 100)) + "%";
  } else if (done > 0) {
    text += " " + std::to_string(done);
  }
  return text;
}

ProgressLine::ProgressLine(const Arguments& args)
    : active_(!args.flag("quiet") && !args.flag("no-progress") && ::isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + kPatience) {}

bool ProgressLine::operator()(const char* stage, uint64_t done, uint64_t total) {
  if (!active_) return true;
  const auto now = Clock::now();
  if (now < next_) return true;
  next_ = now + kPause;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", progress_text(stage, done, total).c_str());
  std::fflush(stderr);
  return true;
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace et::cli
