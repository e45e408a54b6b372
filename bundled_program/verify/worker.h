// The process that checks files for a WorkerPool: what it is told, what it says, and the memory that outlives it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bundled_program/verify/worker_pool.h"

namespace et::bundled {

/// What the parent asks for, as it goes through the pipe.
struct WorkOrder {
  uint64_t task = 0;
  Start start;
};

/// What the worker says: a header, then bytes. Begin: Start, timeout, what is known of the case; Done: a verdict.
enum class Word : uint32_t { Begin, Done, EndOfTask };
struct WordHeader {
  Word word;
  uint32_t size;
};

/// Words that are not yet written to the pipe, in memory shared with the parent: a write for each would cost more than
/// small checks do, and a worker that dies must not take its last words with it.
struct Staging {
  static constexpr size_t kCapacity = size_t{256} << 10;
  std::atomic<uint64_t> base;  // bytes of the stream before data[0]
  std::atomic<uint64_t> size;  // of data
  char data[kCapacity];
};

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// Errors: OutOfResources. `others`: the parent's ends of their pipes are closed in the new process.
  Status start(const std::vector<CheckTask>& tasks, const VerifyOptions& options, bool flush_always,
               const std::deque<Worker>& others);
  bool running() const { return pid_ >= 0; }
  /// A worker that is gone shows as the end of its words.
  void give(const WorkOrder& order);
  int words_fd() const { return words_; }
  /// More of the stream into `out`; false at its end.
  bool receive(std::string* out);
  /// Asks it to end behind the case that it works on.
  void interrupt();
  /// Takes the process, which is killed before if asked for, and what it had not yet said. Returns waitpid()'s status.
  int end(bool kill_it, std::string* rest);

 private:
  pid_t pid_ = -1;
  int orders_ = -1;
  int words_ = -1;
  uint64_t received_ = 0;
  Staging* staging_ = nullptr;
};

}  // namespace et::bundled
