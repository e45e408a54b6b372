// Python source with its cost: the files, the text of the one that is looked at, and the ops of each line. Files are
// read and coloured in a job; a frame only reads the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/jobs.h"
#include "gui/models/python_tokens.h"

namespace et::gui {

/// A part of an op's self time that a line is charged with.
struct LineOp {
  int32_t op = 0;  ///< index into TraceData::table.ops
  double time = 0;
  double confidence = 0;  ///< of the surest link
};

/// A line of the text that is shown.
struct SourceRow {
  int64_t line = 0;
  std::string text;         ///< tabs as spaces, control characters made visible
  int32_t cost = -1;        ///< index into SourceFileCost::lines, -1 for a line without
  bool gap_before = false;  ///< lines between are not known
  bool changed = false;     ///< the text differs from the ETRecord
  std::vector<PythonSpan> spans;
};

struct SourceListing {
  std::string file;   ///< as in the ETRecord
  std::string found;  ///< where it was read, "" when it is not here
  int64_t changed = 0;
  int64_t longest = 0;  ///< characters of the longest line
  std::vector<SourceRow> rows;
  /// Row of a line, or of the last one before it; -1 without rows.
  int64_t row_of(int64_t line) const;
};

/// Reads the text of a file named in the ETRecord, or takes the lines that the ETRecord has.
SourceListing make_source_listing(const inspector::SourceFileCost& cost, const inspector::PathMaps& maps);

/// Ops of the executions by (file, line), the costliest first, a call and its kernel as one. Links that are charged
/// with nothing are there as well, with time 0: the line belongs to the op, but another line has its time.
class LineOps {
 public:
  /// On the basis of the source lines.
  static Status load(const TraceData& data, LineOps* out);
  const std::vector<LineOp>& at(const std::string& file, int64_t line) const;
  /// time without a source line, by its ops, the costliest first.
  const std::vector<LineOp>& without_line() const { return without_line_; }

 private:
  std::map<std::pair<std::string, int64_t>, std::vector<LineOp>> lines_;
  std::vector<LineOp> without_line_;
};

/// Lines of a file worth a look, by line: those with at least `least` of the total, or when there is none all with
/// time.
std::vector<int64_t> hot_lines(const inspector::SourceFileCost& cost, double total, double least = 0.01);
/// The next one behind `line` (before it when `back`), around the end; 0 when there is none.
int64_t next_hot_line(const std::vector<int64_t>& hot, int64_t line, bool back);

/// A line of any file.
struct HotLine {
  int file = 0;  ///< index into SourceCost::files
  int64_t line = 0;
  bool operator==(const HotLine&) const = default;
};
/// Of all files, those with at least `least` of the total, the hottest first.
std::vector<HotLine> hottest_lines(const inspector::SourceCost& sources, double least = 0.01);

class SourceModel {
 public:
  /// Reads again when the trace, the file or the maps changed.
  void refresh(const Document& document, Jobs& jobs);
  /// Costs in place of the trace's own, as those of a call tree with other frames; nullptr: the trace's. The file
  /// stays, where they have it. refresh() reads its text.
  void use(std::shared_ptr<const inspector::SourceCost> costs);
  /// What all of it is of.
  const inspector::SourceCost& sources() const { return used_ != nullptr ? *used_ : data_->sources; }
  /// Share of the line of all files that has the largest one, with all that it calls: one scale for all bars.
  double longest_share() const { return longest_share_; }
  /// Index into SourceCost::files; kNoLine: the time without a source line; -1 for none.
  static constexpr int kNoLine = -2;
  static constexpr int kOther = -3;
  void choose(int file) { file_ = file; }
  /// A file without time of its own, which others' stacks lead through.
  void choose(inspector::SourceFileCost other);
  int file() const { return file_; }
  const inspector::SourceFileCost* cost() const;
  const SourceListing& listing() const { return listing_; }
  const LineOps& ops() const { return ops_; }
  const std::vector<int64_t>& hot() const { return hot_; }
  const std::vector<HotLine>& hottest() const { return hottest_; }
  /// Place of a line of the chosen file in hottest(), -1 when it is not there.
  int64_t rank_of(int64_t line) const;
  bool reading() const { return reading_; }
  const TraceData* data() const { return data_.get(); }
  /// Index of a file by its path in the ETRecord, -1 for none.
  int find_file(const std::string& file) const;
  std::string csv() const;

 private:
  void take_costs(const std::string& file);

  std::shared_ptr<const TraceData> data_;
  std::shared_ptr<const inspector::SourceCost> used_;
  double longest_share_ = 0;
  bool read_again_ = false;
  int file_ = -1;
  std::shared_ptr<const inspector::SourceFileCost> other_;
  SourceListing listing_;
  LineOps ops_;
  std::vector<int64_t> hot_;
  std::vector<HotLine> hottest_;
  uint64_t version_ = 0;
  int asked_file_ = -1;
  std::string asked_other_;
  inspector::PathMaps asked_maps_;
  bool reading_ = false;
  JobHandle listing_job_, ops_job_;
};

}  // namespace et::gui
