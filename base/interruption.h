// SIGINT and SIGTERM: a command notes them and keeps what it has so far, or ends with nothing half-written left behind.
// Signals that were ignored when the program was started stay ignored.
#pragma once

#include <string>

namespace et {

enum class OnInterruption {
  Note,      // the first is noted; one that follows later than half a second ends the program as Exit does
  NoteEach,  // in a process whose parent decides when it ends
  Exit,      // says "interrupted", removes unfinished files, ends with 128 + signal
};
/// `program`: what the message begins with; static storage.
void catch_interruptions(OnInterruption what, const char* program);

/// The signal that was noted, 0 without.
int interruption();
/// Readable from the first noted signal on; -1 when none are caught.
int interruption_fd();
/// Ends the calling process when its parent does.
void end_with_parent();
/// "SIGINT".
const char* signal_name(int signal);
/// What shells say of a program that a signal ended: 130 of SIGINT.
constexpr int interruption_exit_code(int signal) { return 128 + signal; }

/// A file that is removed when a signal ends the program. The first few at a time; others stay.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile() { release(); }
  UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(other.slot_) { other.slot_ = -1; }
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  /// It is finished, or removed already.
  void release();

 private:
  int slot_ = -1;
};

}  // namespace et
