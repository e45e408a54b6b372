// The trace of a file's cases: an ETDump with a run for each execution, which carries the number of its case.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "bundled_program/verify/program_file.h"
#include "etdump/etdump_gen.h"
#include "etdump/file_data_sink.h"

namespace et::bundled {

class CaseTrace {
 public:
  /// `etdump` empty: nothing is traced. `part` above 0 goes into the file's name. `log_values`: what every operator
  /// writes goes into a debug buffer beside the trace. Errors: AccessFailed.
  Status open(const std::string& etdump, uint32_t part, bool log_values, const ProgramFile& file,
              const std::string& program_path);
  EventTracer* tracer() const { return gen_.get(); }
  void set_case(size_t index) {
    if (gen_ != nullptr) gen_->set_bundled_input_index(static_cast<int>(index));
  }
  /// Writes the file. Without any event there is none.
  Status close();
  const std::string& path() const { return path_; }
  const std::string& debug_buffer() const { return debug_path_; }

 private:
  std::string path_, debug_path_;
  std::unique_ptr<etdump::ETDumpGen> gen_;
  std::optional<etdump::FileDataSink> sink_;
  std::array<uint8_t, 32> data_hash_{};
};

}  // namespace et::bundled
