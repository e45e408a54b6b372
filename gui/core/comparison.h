// The open trace beside another one: a trace of any store, or files that are imported to be looked at. Reading and
// comparing happen in jobs; all members are called on the UI thread. What is open stays as it is, whatever fails here,
// and the last comparison stays until the next one is there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/core/jobs.h"
#include "gui/core/open_request.h"
#include "gui/core/temporary_store.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/diff/trace_changes.h"
#include "inspector/analysis/diff/trace_diff.h"
#include "inspector/analysis/diff/typical_execution.h"
#include "inspector/report/diff_report.h"

namespace et::gui {

class Document;

/// Where the other trace is.
struct OtherTrace {
  std::vector<std::string> files;             ///< as they were asked for
  std::string title;                          ///< "portable/etdump.etdp", "runs.db#3"
  std::string store, ref;                     ///< path of its store, and its address in it
  int64_t trace_id = 0;                       ///< 0: as `ref` says
  std::shared_ptr<TemporaryStore> temporary;  ///< of imported files
  std::vector<std::string> notes;             ///< which files beside them were found or left out
};

/// Both traces on one basis. Never changed once it is made.
struct ComparedTraces {
  std::shared_ptr<const TraceData> open;  ///< all of it, whatever range is looked at
  std::shared_ptr<const OtherTrace> source;
  inspector::OpTable other;
  int64_t other_id = 0;
  std::string before_title, after_title;
  bool open_is_after = true;
  std::string same;  ///< why nothing can differ: "the same file: …"; "" where something may
  inspector::TraceDiff diff;
  inspector::TraceChanges changes;
  inspector::DiffSource before, after;
  std::vector<inspector::TypicalExecution> typical_before, typical_after;

  const inspector::OpTable& before_table() const { return open_is_after ? other : open->shown; }
  const inspector::OpTable& after_table() const { return open_is_after ? open->shown : other; }
};

class Comparison {
 public:
  enum class State : uint8_t { None, Importing, Comparing, Ready };

  explicit Comparison(Jobs& jobs) : jobs_(jobs) {}

  /// As Document::open_files, for the other side. What it lacks, and is not beside it, is taken from what is open where
  /// that belongs to it.
  void open_files(const std::vector<std::string>& files, bool neighbours = true);
  /// The files that are open.
  void lend(const inspector::IngestInputs& open) { open_files_ = open; }
  /// A trace of the store that is open.
  void open_trace(const Document& document, int64_t trace_id);
  void cancel();  ///< what is being read; the last comparison stays
  void close();
  /// The open trace is "after" at first.
  void swap() { open_is_after_ = !open_is_after_; }
  bool open_is_after() const { return open_is_after_; }
  /// Once a frame: compares again when the open trace, its basis or the other one has changed.
  void update(const Document& document);

  State state() const;
  ImportProgress progress() const;
  const Status& error() const { return error_; }  ///< of the last thing that was asked for
  void dismiss_error() { error_ = {}; }
  /// The other side that is shown or being read; nullptr without one.
  const OtherTrace* other() const { return other_.get(); }
  std::shared_ptr<const ComparedTraces> result() const { return result_; }
  /// Grows whenever result() changes.
  uint64_t version() const { return version_; }

  /// What the shell offers beside the traces of the store: files of earlier openings, separated by tabs.
  std::vector<std::string> recent;

 private:
  struct SharedProgress;
  void import(const OpenRequest& request, std::shared_ptr<OtherTrace> other);
  void compare(const Document& document, const std::shared_ptr<const TraceData>& base);
  void fail(Status status);
  void take(std::shared_ptr<const ComparedTraces> result);

  Jobs& jobs_;
  inspector::IngestInputs open_files_;
  JobHandle import_job_, compare_job_;
  std::shared_ptr<SharedProgress> progress_;
  std::shared_ptr<const OtherTrace> other_;
  std::shared_ptr<const ComparedTraces> result_;
  bool open_is_after_ = true, importing_ = false, comparing_ = false;
  Status error_;
  uint64_t version_ = 0;
  // What the last job was asked to compare.
  std::shared_ptr<const TraceData> asked_base_;
  std::shared_ptr<const OtherTrace> asked_other_;
  bool asked_after_ = true;
};

/// "run/etdump.etdp" of "/home/me/run/etdump.etdp": a name that tells two runs apart.
std::string folder_and_name(const std::string& path);

}  // namespace et::gui
