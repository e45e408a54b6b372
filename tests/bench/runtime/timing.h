// What both sides of the runtime benchmark share: arguments, inputs, and how a time is taken. C++17, no dependency, so
// that it compiles against upstream's headers as well as ours, and both sides measure the same way.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bench {

struct Options {
  std::string program;
  std::string inputs;       // bytes of all inputs in order; empty: zeros
  std::string output;       // where the bytes of all outputs go, for comparing both sides
  uint64_t iterations = 0;  // 0: as many as fit into `seconds`
  uint64_t warm = 0;        // so many first ones; 0: as their times suggest
  double seconds = 0.3;
  bool traced = false;
  uint64_t events = 0;  // of a loop over start_profiling and end_profiling; no program then
  bool load_only = false;
  unsigned threads = 1;
  std::string etdump;                       // where a trace of warm executions goes
  std::vector<std::vector<int32_t>> sizes;  // of the inputs in order, where the program leaves them open
};

/// "1,64,37;8" as lists of numbers; false where it is none.
inline bool parse_sizes(const char* text, std::vector<std::vector<int32_t>>* sizes) {
  sizes->emplace_back();
  for (;;) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || number <= 0 || number > INT32_MAX || sizes->back().size() == 16) return false;
    sizes->back().push_back(static_cast<int32_t>(number));
    if (*end == 0) return true;
    if (*end == ';')
      sizes->emplace_back();
    else if (*end != ',')
      return false;
    text = end + 1;
  }
}

inline bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name[0] != '-') {
      options->program = name;
      continue;
    }
    if (name == "--load-only") {
      options->load_only = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (name == "--iters")
      options->iterations = std::strtoull(value, nullptr, 10);
    else if (name == "--warm")
      options->warm = std::strtoull(value, nullptr, 10);
    else if (name == "--seconds")
      options->seconds = std::strtod(value, nullptr);
    else if (name == "--inputs")
      options->inputs = value;
    else if (name == "--output")
      options->output = value;
    else if (name == "--threads")
      options->threads = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    else if (name == "--events")
      options->events = std::strtoull(value, nullptr, 10);
    else if (name == "--etdump")
      options->etdump = value;
    else if (name == "--sizes") {
      if (!parse_sizes(value, &options->sizes)) return false;
    } else if (name == "--trace" && (!std::strcmp(value, "etdump") || !std::strcmp(value, "none")))
      options->traced = !std::strcmp(value, "etdump");
    else
      return false;
  }
  return options->events > 0 || !options->program.empty();
}

inline int usage(const char* program) {
  std::fprintf(
      stderr,
      "usage: %s PROGRAM.pte [--inputs FILE] [--output FILE] [--iters N | --seconds S] [--trace none|etdump]\n"
      "                        [--threads N] [--warm N] [--sizes 1,64,37;8] [--etdump FILE]\n"
      "       %s PROGRAM.pte --load-only\n"
      "       %s --events N\n"
      "Prints nanoseconds of one execution, or of one event, as JSON. --etdump: a trace instead, of warm executions.\n",
      program, program, program);
  return 2;
}

inline std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

/// CPU time of this thread, ns: what others do on the machine does not count, but for their traces in the caches. Of
/// several threads the time on the wall is what counts.
inline uint64_t now(bool wall = false) {
  timespec time{};
  clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000U + static_cast<uint64_t>(time.tv_nsec);
}

/// Hands out the bytes of the inputs file; what it does not have is zero.
class Inputs {
 public:
  explicit Inputs(const std::string& path) {
    if (!path.empty()) bytes_ = read_file(path);
  }
  void next(void* to, size_t size) {
    std::memset(to, 0, size);
    const size_t there = std::min(size, bytes_.size() - at_);
    if (there > 0) std::memcpy(to, bytes_.data() + at_, there);
    at_ += there;
  }

 private:
  std::vector<char> bytes_;
  size_t at_ = 0;
};

/// The size of input `i`: as asked for, else the largest that the program takes.
inline std::vector<int32_t> input_size(const Options& options, size_t i, std::vector<int32_t> most) {
  return i < options.sizes.size() && options.sizes[i].size() == most.size() ? options.sizes[i] : most;
}

/// Strides of `sizes` whose dimensions lie in memory in `order`, the outermost first.
template <class Stride, class Order>
std::vector<Stride> strides_of(const std::vector<int32_t>& sizes, const std::vector<Order>& order) {
  std::vector<Stride> strides(sizes.size());
  Stride step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= static_cast<Stride>(sizes[order[i]]);
  }
  return strides;
}

/// Resident memory of the process in KB, the part of it that is neither file nor shared memory, and the most so far.
struct Memory {
  long resident = 0, anonymous = 0, peak = 0;
};
inline Memory memory() {
  Memory found;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) found.resident = std::strtol(line.c_str() + 6, nullptr, 10);
    if (line.rfind("VmHWM:", 0) == 0) found.peak = std::strtol(line.c_str() + 6, nullptr, 10);
    if (line.rfind("RssAnon:", 0) == 0) found.anonymous = std::strtol(line.c_str() + 8, nullptr, 10);
  }
  return found;
}

inline void print_load(const Memory& before, const Memory& after, uint64_t ns) {
  std::printf(
      "{\"rss_before_kb\": %ld, \"rss_kb\": %ld, \"anonymous_before_kb\": %ld, \"anonymous_kb\": %ld, \"ns\": %llu}\n",
      before.resident, after.resident, before.anonymous, after.anonymous, static_cast<unsigned long long>(ns));
}

/// Calls run() until it is warm, then reset(), which forgets what was traced, then run() for the trace: as often as
/// fits into the time, 10 to 1,000 times.
template <class Prepare, class Reset, class Run>
bool record(const Options& options, Prepare prepare, Reset reset, Run run) {
  uint64_t once = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    prepare();
    const uint64_t started = now(true);
    if (!run()) return false;
    once = std::min(once, std::max<uint64_t>(now(true) - started, 1));
  }
  reset();
  const double fit = options.seconds * 1e9 / static_cast<double>(once);
  const uint64_t count =
      options.iterations > 0 ? options.iterations : static_cast<uint64_t>(std::clamp(fit, 10.0, 1000.0));
  for (uint64_t i = 0; i < count; ++i) {
    prepare();
    if (!run()) return false;
  }
  return true;
}

/// Writes an ETDump of either side; the exit code.
template <class Tracer>
int write_etdump(const Options& options, Tracer& tracer) {
  const auto dump = tracer.get_etdump_data();
  std::ofstream file(options.etdump, std::ios::binary);
  if (dump.buf != nullptr) file.write(static_cast<const char*>(dump.buf), static_cast<std::streamsize>(dump.size));
  std::free(dump.buf);
  if (dump.buf != nullptr && file.flush()) return 0;
  std::fprintf(stderr, "%s: cannot be written\n", options.etdump.c_str());
  return 1;
}

/// Calls run() over and over and prints the least and the median time of one call. Short calls are timed several at a
/// time, so that the clock does not count; prepare() is called before each sample, unmeasured.
template <class Prepare, class Run>
int measure(const Options& options, Prepare prepare, Run run) {
  constexpr uint64_t kSample = 50000;  // ns
  const auto now = [wall = options.threads > 1] { return bench::now(wall); };
  uint64_t started = 0;
  uint64_t once = UINT64_MAX;
  const uint64_t warm = options.warm > 0 ? options.warm : 8;
  for (uint64_t i = 0; i < warm; ++i) {  // the first ones meet cold pages
    prepare();
    started = now();
    if (!run()) return 1;
    once = std::min(once, std::max<uint64_t>(now() - started, 1));
    if (options.warm == 0 && once > 10 * kSample) break;
  }
  const uint64_t batch = options.iterations > 0 ? 1 : std::max<uint64_t>(1, kSample / once);
  std::vector<double> samples;
  const uint64_t end = now() + static_cast<uint64_t>(options.seconds * 1e9);
  while (options.iterations > 0 ? samples.size() < options.iterations : samples.size() < 5 || now() < end) {
    prepare();
    started = now();
    for (uint64_t i = 0; i < batch; ++i) {
      if (!run()) return 1;
    }
    samples.push_back(static_cast<double>(now() - started) / static_cast<double>(batch));
  }
  std::sort(samples.begin(), samples.end());
  std::printf("{\"min\": %.1f, \"median\": %.1f, \"samples\": %zu, \"batch\": %llu, \"peak_kb\": %ld}\n",
              samples.front(), samples[samples.size() / 2], samples.size(), static_cast<unsigned long long>(batch),
              memory().peak);
  return 0;
}

}  // namespace bench
