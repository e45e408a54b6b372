// The open store and the trace of it that is looked at. Opening, importing and reading happen in jobs; all members are
// called on the UI thread. A change of data() is a new version(): models that depend on it refresh then.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/comparison.h"
#include "gui/core/jobs.h"
#include "gui/core/open_request.h"
#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {

/// A note on something that happened at a time: an op or a range. For panels that draw over time.
struct NotePin {
  Selection target;
  std::string text;   ///< its first line, or where it is for a bookmark without a text
  std::string color;  ///< as the note has it
};

/// A finding that a panel leads to: what stays of it on another basis.
struct WantedFinding {
  std::string id, method, title;
};

/// A group of ops that a panel leads to.
struct WantedGroup {
  inspector::GroupBy by = inspector::GroupBy::Type;
  std::string key;
};

class Document {
 public:
  enum class State : uint8_t { Empty, Importing, Loading, Ready, Failed };
  /// How a user leaves what is open.
  enum class Leaving : uint8_t { Nothing, Open, Close, Quit };

  explicit Document(Jobs& jobs);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  void open(const OpenRequest& request);
  /// As open(), for files of any kind in any order. With leave(), as is show_trace().
  void open_files(const std::vector<std::string>& files);
  /// Whether what belongs to the files is looked for beside them.
  void set_neighbours(bool wanted) { neighbours_ = wanted; }
  bool neighbours() const { return neighbours_; }
  void close();
  void cancel();  ///< stops an import or a load; what was open before stays
  void show_trace(int64_t trace_id);

  State state() const { return state_; }
  const Status& error() const { return error_; }  ///< of the last open that failed
  ImportProgress progress() const;
  const OpenRequest& request() const { return request_; }
  /// Of the store that is open: the user's, or a temporary one with the import. "" when none is.
  const std::string& store_path() const { return store_path_; }
  bool is_temporary() const { return !temporary_.empty(); }
  /// Whether notes on files without a store are kept in a file of their own; off: nothing is written.
  bool keep_notes = false;
  const std::vector<NotePin>& pins() const { return pins_; }
  void set_pins(std::vector<NotePin> pins) { pins_ = std::move(pins); }
  /// That file for what is open, "" for a store.
  const std::string& notes_file() const { return notes_file_; }
  int64_t notes_bytes() const { return notes_bytes_; }  ///< size of what the notes are on
  /// Notes that are in no file: what could not be written, or must not.
  bool has_unsaved_notes() const { return unsaved_notes_; }
  void set_unsaved_notes(bool unsaved) { unsaved_notes_ = unsaved; }
  /// A note whose text is being written, in no list yet.
  bool has_begun_note() const { return begun_note_; }
  void set_begun_note(bool begun) { begun_note_ = begun; }
  /// It is to be saved; what shows it asks once.
  void save_note() { save_note_ = true; }
  bool take_note_save() { return std::exchange(save_note_, false); }
  /// Notes are on their way to their file.
  bool writes_notes() const { return writes_notes_; }
  void set_writes_notes(bool writes) { writes_notes_ = writes; }
  /// Grows when the user looks at another trace than before: what was being written on that one is not of this one.
  uint64_t subject_version() const { return subject_version_; }
  /// Does it now; where a note would be lost, when the user was asked: by go_on_leaving() or never by stay().
  void leave(Leaving how, std::function<void()> then);
  /// What waits for the user's answer, or for notes on their way.
  Leaving leaving() const { return leaving_; }
  void go_on_leaving();
  void stay();
  /// Its text is to be typed on; what shows it asks once.
  void focus_note() { focus_note_ = true; }
  bool take_note_focus() { return std::exchange(focus_note_, false); }
  /// Copies the store to a file of the user's and goes on with that. Errors: AccessFailed.
  Status save_store(const std::string& path);

  /// nullptr until a trace is there; a store may be open without one when it has checks.
  const TraceData* data() const { return data_.get(); }
  std::shared_ptr<const TraceData> shared_data() const { return data_; }
  /// Grows whenever data() changes.
  uint64_t version() const { return version_; }
  /// The same without changes of the basis: for what shows no times of TraceData::shown, and for where the user looks.
  uint64_t trace_version() const { return trace_version_; }
  /// What the times of all panels are of; data() follows as soon as it is read.
  const inspector::Basis& basis() const { return basis_; }
  /// One that the trace does not have is told in a notice, and the basis stays as it was.
  void set_basis(const inspector::Basis& basis);
  const std::vector<inspector::TraceSummary>& traces() const { return traces_; }
  /// Grows whenever the store is another one or its file changed: for what does not belong to a trace.
  uint64_t store_version() const { return store_version_; }

  const Selection& selection() const { return selection_; }
  /// Grows whenever the selection changes.
  uint64_t selection_version() const { return selection_version_; }
  /// `panel`: where the user is led to by it, "" for none. A step of the history, as is being led to another panel with
  /// what is selected already; back() returns to the panel that the user was in.
  void select(Selection selection, const std::string& panel = "");
  /// The panel that has the keyboard.
  void set_panel(const std::string& panel) { panel_ = panel; }
  /// The panels that rank show what happens in a range of time and nothing else; none: everything. Selecting a range
  /// restricts to it. data()->range follows as soon as it is read; the selection stays.
  void restrict_to(std::optional<inspector::TimeRange> range);
  const std::optional<inspector::TimeRange>& restriction() const { return restriction_; }
  /// "1.2 ms to 3.4 ms of execution #4"; "" without a restriction.
  std::string restriction_text() const;
  /// One execution, apart from the selection; 0 for none.
  int64_t run() const { return run_; }
  void select_run(int64_t run_id);
  /// Selects it and has the timeline frame it, also where it was selected before, whatever ops are selected.
  void show_run(int64_t run_id);
  /// The one that was asked for so; reading it clears it. 0 for none.
  int64_t take_wanted_run() { return std::exchange(wanted_run_, 0); }
  bool can_back() const { return at_ > 0; }
  bool can_forward() const { return at_ + 1 < history_.size(); }
  void back();
  void forward();
  /// The panel that the last select(), back() or forward() asked for; reading it clears it.
  std::string take_wanted_panel();
  /// A group that the table of operators is to show; reading it clears it.
  void want_group(WantedGroup group) { wanted_group_ = std::move(group); }
  bool wants_group() const { return wanted_group_.has_value(); }
  std::optional<WantedGroup> take_wanted_group() { return std::exchange(wanted_group_, std::nullopt); }
  /// The finding that the panel of them is to show; reading it clears it.
  void want_finding(WantedFinding finding) { wanted_finding_ = std::move(finding); }
  std::optional<WantedFinding> take_wanted_finding() { return std::exchange(wanted_finding_, std::nullopt); }

  /// Looks whether the store's file changed (called twice a second); true when a redraw is due.
  bool poll();
  bool follow_latest = true;  ///< show traces that arrive while the store is open
  /// A sentence about what happened to the store, "" for nothing: "store.db was deleted".
  const std::string& notice() const { return notice_; }
  void dismiss_notice() { notice_.clear(); }
  /// The store's file is gone; what was read is still shown.
  bool store_deleted() const { return !store_path_.empty() && !is_temporary() && !stamp_.exists; }
  void notify(std::string text) { notice_ = std::move(text); }

  const inspector::PathMaps& path_maps() const { return path_maps_; }
  void set_path_maps(inspector::PathMaps maps);
  /// Reads the trace again, since what its numbers rest on has changed: all panels show it anew. Selection and range
  /// stay.
  void read_again();
  inspector::LineRule lines() const { return jobs_.lines(); }
  /// Reads the trace again, with another frame for the lines of its nodes.
  void set_lines(inspector::LineRule rule);

  /// Of the open trace with another one; its update() is called by who draws.
  Comparison& comparison() { return comparison_; }
  const Comparison& comparison() const { return comparison_; }

  Jobs& jobs() { return jobs_; }

 private:
  struct Stamp {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t modified = 0;
    uint32_t changes = 0;
    bool exists = false;
    bool operator==(const Stamp&) const = default;
  };
  struct Loaded {
    std::shared_ptr<const TraceData> data;
    std::vector<inspector::TraceSummary> traces;
  };
  struct Place {
    Selection selection;
    std::string panel;
    int64_t run = 0;
    uint64_t trace_version = 0;  ///< of what the selection's indices are
  };
  struct SharedProgress;

  static Stamp stamp_of(const std::string& path);
  void import(const OpenRequest& request);
  void load_trace(int64_t trace_id);
  /// What of the last look stays: everything is the same but the basis, or the selection is.
  enum class Keep : uint8_t { Nothing, Selection, AllButBasis };
  struct Loading {
    std::string path, ref;
    int64_t trace_id = 0;
    Keep keep = Keep::Nothing;
  };
  void load(const std::string& path, const std::string& ref, int64_t trace_id, Keep keep);
  void loaded(Status status, Loaded result);
  void keep_selection();
  void fail(Status status);
  void remove_temporary();
  Place here() const { return {selection_, panel_, run_, trace_version_}; }
  void go_to(size_t place);
  void restricted(const Status& status, std::shared_ptr<TraceData> data);

  Jobs& jobs_;
  State state_ = State::Empty;
  Status error_;
  OpenRequest request_, opening_;
  bool neighbours_ = true;
  std::string store_path_, temporary_, importing_, notes_file_;
  int64_t notes_bytes_ = 0;
  bool unsaved_notes_ = false, begun_note_ = false;
  bool focus_note_ = false, save_note_ = false, writes_notes_ = false;
  Leaving leaving_ = Leaving::Nothing;
  std::function<void()> leave_;
  uint64_t subject_version_ = 0;
  std::vector<NotePin> pins_;
  std::pair<std::string, int64_t> importing_notes_;
  std::shared_ptr<const TraceData> data_;
  std::vector<inspector::TraceSummary> traces_;
  uint64_t version_ = 0, trace_version_ = 0, selection_version_ = 0, store_version_ = 0;
  inspector::Basis basis_, shown_basis_;  ///< asked for; of data_, as it was asked for
  Loading loading_;                       ///< what is being read
  bool waiting_ = false;                  ///< the store is locked: poll() tries again
  Selection selection_;
  std::optional<inspector::TimeRange> restriction_;
  int64_t run_ = 0;
  std::vector<Place> history_;
  size_t at_ = 0;
  std::string panel_, wanted_panel_, notice_;
  std::optional<WantedGroup> wanted_group_;
  std::optional<WantedFinding> wanted_finding_;
  int64_t wanted_run_ = 0;
  inspector::PathMaps path_maps_;
  std::shared_ptr<SharedProgress> progress_;
  Stamp stamp_, loading_stamp_;
  Comparison comparison_;
  JobHandle job_, watch_job_, restrict_job_;
};

}  // namespace et::gui
