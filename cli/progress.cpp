#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "inspector/text/format.h"

namespace et::cli {
namespace {

constexpr auto kPause = std::chrono::milliseconds(100);
constexpr auto kPatience = std::chrono::milliseconds(500);  // short work shows nothing
constexpr double kSecondsForRate = 1;                       // before that a rate is a guess
constexpr size_t kWidthOfUnknown = 80;

std::atomic<ProgressLine*> g_shown_line = nullptr;

std::string count_text(double n) { return inspector::format_count(static_cast<int64_t>(std::llround(n))); }

std::string rate_text(double per_second) {
  if (per_second >= 100) return count_text(per_second) + "/s";
  return inspector::format_real(per_second, per_second >= 10 ? 0 : 1) + "/s";
}

bool shows_progress(const Arguments& args) {
  if (args.flag("quiet") || args.flag("no-progress") || ::isatty(STDERR_FILENO) == 0) return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != 0 && std::string_view(term) != "dumb";
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// As much as fits into a line: what is wrapped cannot be erased.
std::string fitted(std::string text) {
  winsize size = {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const size_t width = (known ? size.ws_col : kWidthOfUnknown) - 1;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  while (columns_of(text) > width) {
    while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
  }
  return text;
}

void write_line(const std::string& text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

std::string short_time(double seconds) {
  const auto s = static_cast<int64_t>(std::clamp(std::ceil(seconds), 0.0, 1e9));
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min " + std::to_string(s % 60) + " s";
  return inspector::format_count(s / 3600) + " h " + std::to_string(s % 3600 / 60) + " min";
}

std::string progress_text(const ProgressState& p) {
  std::string text = p.stage;
  const auto done = static_cast<double>(p.done);
  double share = p.share;
  if (p.total > 0) {
    share = std::min(1.0, done / static_cast<double>(p.total));
    text += " " + std::to_string(static_cast<int>(share * 100)) + "% (" + count_text(done) + " of " +
            count_text(static_cast<double>(p.total)) + ")";
  } else if (share >= 0) {
    text += " " + std::to_string(static_cast<int>(std::min(1.0, share) * 100)) + "%";
    if (!p.what.empty()) text += " (" + p.what + ")";
  } else if (p.done > 0) {
    text += " " + (p.bytes ? inspector::format_bytes(static_cast<int64_t>(p.done)) : count_text(done));
  }
  if (p.seconds < kSecondsForRate) return text;
  if (p.done > 0) {
    const double rate = done / p.seconds;
    text += ", " + (p.bytes ? inspector::format_bytes(static_cast<int64_t>(rate)) + "/s" : rate_text(rate));
  } else if (share < 0 || p.total > 0) {
    text += ", " + short_time(p.seconds);
  }
  if (share > 0) text += ", " + short_time(p.seconds * (1 - share) / share) + " left";
  return text;
}

ProgressLine::ProgressLine(const Arguments& args, Drawing drawing)
    : active_(shows_progress(args)), drawing_(drawing), begin_(Clock::now()), next_(begin_ + kPatience) {
  if (active_) g_shown_line = this;
}

void ProgressLine::start() {
  if (drawing_ == Drawing::Called || thread_.joinable()) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kPause, [this] { return stopping_; })) draw_locked();
  });
}

void ProgressLine::set(ProgressState state) {
  const std::lock_guard lock(mutex_);
  if (state.stage != state_.stage) begin_ = Clock::now();
  state_ = std::move(state);
  if (active_ && !stopping_) start();
}

bool ProgressLine::operator()(const std::string& stage, uint64_t done, uint64_t total) {
  if (!active_) return true;
  set({.stage = stage, .done = done, .total = total});
  if (drawing_ == Drawing::Called) tick();
  return true;
}

void ProgressLine::part(const std::string& stage, double share, const std::string& what) {
  if (!active_) return;
  set({.stage = stage, .share = share, .what = what});
  if (drawing_ == Drawing::Called) tick();
}

void ProgressLine::watch_bytes(const std::string& stage, std::function<uint64_t()> bytes) {
  if (!active_) return;
  {
    const std::lock_guard lock(mutex_);
    bytes_ = std::move(bytes);
  }
  set({.stage = stage, .bytes = true});
}

void ProgressLine::tick() {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  draw_locked();
}

void ProgressLine::draw_locked() {
  const Clock::time_point now = Clock::now();
  if (now < next_ || stopping_) return;
  next_ = now + kPause;
  if (bytes_) state_.done = bytes_();
  state_.seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string text = fitted(progress_text(state_));
  const size_t columns = columns_of(text);
  const size_t old = columns < shown_ ? shown_ - columns : 0;
  write_line("\r" + text + std::string(old, ' ') + std::string(old, '\b'));
  shown_ = columns;
}

void ProgressLine::erase_locked() {
  if (shown_ > 0) write_line("\r" + std::string(shown_, ' ') + "\r");
  shown_ = 0;
}

void ProgressLine::erase() {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  erase_locked();
}

void ProgressLine::end() {
  if (!active_) return;
  ProgressLine* self = this;
  g_shown_line.compare_exchange_strong(self, nullptr);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    erase_locked();
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

ProgressTicker::ProgressTicker(ProgressLine& line) {
  if (!line.active()) return;
  thread_ = std::thread([this, &line] {
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kPause, [this] { return stopping_; })) line.tick();
  });
}

ProgressTicker::~ProgressTicker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void erase_progress() {
  if (ProgressLine* line = g_shown_line) line->erase();
}

void end_progress() {
  if (ProgressLine* line = g_shown_line) line->end();
}

}  // namespace et::cli
