// What the exporters share: a buffered stream, and the words they use for ops.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "inspector/analysis/timeline/timeline.h"
#include "inspector/report/exporters.h"
#include "inspector/text/format.h"

namespace et::inspector {

/// Collects text and hands it to the stream in large pieces.
class ExportSink {
 public:
  explicit ExportSink(std::ostream& out) : out_(out) { buffer.reserve(kPiece + 4096); }
  std::string buffer;

  /// To be called between pieces. False once the stream refuses.
  bool flush_if_large() { return buffer.size() < kPiece || flush(); }
  bool flush() {
    out_.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
    return out_.good();
  }
  Status status() const {
    return out_.good() ? Status()
                       : Status(Error::AccessFailed, "cannot write the export: the output refuses more data");
  }
  Status finish() {
    flush();
    out_.flush();
    return status();
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 16;
  std::ostream& out_;
};

/// ns as decimal µs: 1234567 -> "1234.567". All digits are kept.
void append_us(std::string* out, int64_t ns);
/// "[3] aten.add.Tensor": the label with the instruction, for the op that stands for the instruction.
std::string frame_label(const TimelineOp& op);
/// "model.py:12", "" without a source.
std::string source_text(const TimelineOp& op);
/// "layers.0 (Linear)", the class alone for the root, "" without a module.
std::string module_text(const TimelineOp& op);
/// As JSON, "" for an empty list.
std::string types_json(const OpEntry& op);
std::string handles_json(const OpEntry& op);
/// "trace 3" or its name.
std::string trace_title(const Timeline& timeline);
/// JSON text that may stand inside of a <script>: no "<", ">" and "&".
void append_script_safe(std::string* out, std::string_view json);

}  // namespace et::inspector
