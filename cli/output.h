// Where a command's result goes: standard output, or a file that appears whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/interruption.h"
#include "base/status.h"
#include "cli/arguments.h"

namespace et::cli {

class Output {
 public:
  Output();
  ~Output();  ///< without finish() a new file is dropped, an existing one stays as it was
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// --output: a regular file is written to a temporary one next to it and renamed by finish(); "-" or none is standard
  /// output; devices and pipes are written directly. Errors: AccessFailed.
  Status open(const Arguments& args);
  Status open(const std::string& path);
  /// From here on the signs of tables and texts are written in ASCII, one for one where that is possible.
  void write_ascii();
  std::ostream& stream() { return stream_; }
  /// For what is updated in place: the file may be one that was read.
  void may_replace_inputs() { may_replace_inputs_ = true; }
  /// Flushes and renames. A reader that went away (`| head`) is no error. Errors: AccessFailed (disk full, …),
  /// InvalidArgument (the file is an input, named or found: it stays as it is).
  Status finish();
  /// Bytes so far; for another thread, too.
  uint64_t written() const;
  /// True when nobody reads the output any more, so that there is no point in going on.
  bool reader_gone() const;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_;
  std::string shown_, target_, temporary_;
  UnfinishedFile unfinished_;  // the temporary one
  bool may_replace_inputs_ = false;
};

/// open(), write `text`, finish(); prints the error. Returns `exit_code`, or kExitInput when the text cannot be
/// written.
int write_output(const Arguments& args, std::string_view text, int exit_code = 0);

}  // namespace et::cli
