#include "gui/core/document.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <tuple>

#include "gui/core/lasting_files.h"
#include "gui/core/notes_file.h"
#include "gui/core/settings.h"
#include "gui/core/temporary_store.h"
#include "inspector/analysis/checks/check_history.h"
#include "inspector/analysis/ops/basis_gaps.h"
#include "inspector/analysis/ops/kept_executions.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::Store;

namespace {

constexpr size_t kMaxPlaces = 200;  // of the history

/// What notes are on: the ETDump, else the ETRecord or the program that was opened alone.
std::string annotated_file(const OpenRequest& request) {
  const bool none = request.is_store() || request.files().empty() || !is_lasting(request);
  return none ? std::string() : request.files().front();
}

int64_t size_of(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 ? static_cast<int64_t>(st.st_size) : 0;
}

/// Notes of an earlier look at the same files.
Status restore_notes(const std::string& file, int64_t bytes, const std::string& store, int64_t trace_id) {
  std::vector<inspector::Note> notes;
  Status status = file.empty() ? Status() : read_notes_file(file, bytes, &notes);
  for (inspector::Note& note : notes) {
    note.trace = trace_id;
    if (status.ok()) status = inspector::add_note(store, note, nullptr);
  }
  return status;
}

}  // namespace

struct Document::SharedProgress {
  std::mutex mutex;
  ImportProgress progress;
};

Document::Document(Jobs& jobs) : jobs_(jobs), comparison_(jobs) {}

Document::~Document() {
  job_.reset();
  watch_job_.reset();
  remove_temporary();
  if (!importing_.empty()) ::unlink(importing_.c_str());
}

void Document::remove_temporary() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Document::Stamp Document::stamp_of(const std::string& path) {
  struct stat st {};
  Stamp stamp;
  if (path.empty() || ::stat(path.c_str(), &st) != 0) return stamp;
  stamp.exists = true;
  stamp.device = st.st_dev;
  stamp.inode = st.st_ino;
  stamp.size = static_cast<uint64_t>(st.st_size);
  stamp.modified = static_cast<int64_t>(st.st_mtim.tv_sec) * 1000000000 + st.st_mtim.tv_nsec;
  // Two writes may fall into one tick of the file system's clock: SQLite counts them at byte 24 of the file
  // (https://www.sqlite.org/fileformat.html, 1.3.8).
  char counter[sizeof stamp.changes] = {};
  std::ifstream file(path, std::ios::binary);
  if (file.seekg(24) && file.read(counter, sizeof counter)) std::memcpy(&stamp.changes, counter, sizeof counter);
  return stamp;
}

ImportProgress Document::progress() const {
  if (progress_ == nullptr) return {};
  const std::lock_guard lock(progress_->mutex);
  return progress_->progress;
}

void Document::open_files(const std::vector<std::string>& files) {
  waiting_ = false;
  OpenRequest request;
  Status status = classify(files, &request, neighbours_);
  if (!status.ok()) {
    fail(std::move(status));
    return;
  }
  leave(Leaving::Open, [this, request] { open(request); });
}

void Document::leave(Leaving how, std::function<void()> then) {
  if (!begun_note_ && !unsaved_notes_ && !writes_notes_) return then();
  leaving_ = how;
  leave_ = std::move(then);
}

void Document::go_on_leaving() {
  leaving_ = Leaving::Nothing;
  if (const std::function<void()> then = std::exchange(leave_, nullptr)) then();
}

void Document::stay() {
  leaving_ = Leaving::Nothing;
  leave_ = nullptr;
}

void Document::open(const OpenRequest& request) {
  if (!waiting_) error_ = {};  // while it waits, its reason stays on view
  waiting_ = false;
  opening_ = request;
  comparison_.lend(request.inputs);
  if (request.is_store()) {
    inspector::TraceRef ref;
    Status status = inspector::parse_trace_ref(request.store, &ref);
    if (!status.ok()) return fail(std::move(status));
    load(ref.path, request.store, 0, Keep::Nothing);
  } else {
    import(request);
  }
}

void Document::import(const OpenRequest& request) {
  if (!importing_.empty()) ::unlink(importing_.c_str());
  importing_ = temporary_store_path();
  if (importing_.empty()) return fail({Error::AccessFailed, "cannot create a temporary store (TMPDIR)"});
  state_ = State::Importing;
  progress_ = std::make_shared<SharedProgress>();
  struct Result {
    Status status, notes;
    int64_t trace_id = 0;
    OpenRequest request = {};
  };
  const std::string annotated = annotated_file(request);
  const std::string notes_file = keep_notes ? notes_file_of(annotated, settings_folder()) : std::string();
  job_ = jobs_.submit<Result>(
      [request, path = importing_, progress = progress_, notes_file, annotated](const Cancel& cancel) {
        Result result;
        result.request = request;
        {
          Store store;
          result.status = Store::open(path, Store::Mode::ReadWrite, &store);
          if (!result.status.ok()) return result;
          inspector::IngestResult done;
          result.status = inspector::ingest_found(
              store, &result.request.inputs,
              [&](const char* stage, uint64_t at, uint64_t total) {
                const std::lock_guard lock(progress->mutex);
                progress->progress = {stage, at, total};
                return !cancel.cancelled();
              },
              &done, &result.request.notes);
          const std::string found = inspector::found_text(result.request.inputs);
          if (!found.empty()) result.request.notes.push_back(found);
          result.trace_id = done.trace_id;
          if (result.status.ok()) result.status = inspector::keep_executions(store, done.trace_id);
        }
        if (result.status.ok()) result.notes = restore_notes(notes_file, size_of(annotated), path, result.trace_id);
        return result;
      },
      [this, notes_file, annotated](Result result) {
        if (!result.status.ok()) return fail(std::move(result.status));
        opening_ = std::move(result.request);
        if (!opening_.notes.empty()) notice_ = inspector::joined(opening_.notes, "\n");
        if (!result.notes.ok()) notice_ = result.notes.message();
        importing_notes_ = {notes_file, size_of(annotated)};
        load(importing_, importing_, result.trace_id, Keep::Nothing);
      });
}

void Document::load(const std::string& path, const std::string& ref, int64_t trace_id, Keep keep) {
  state_ = State::Loading;
  loading_ = {path, ref, trace_id, keep};
  loading_stamp_ = stamp_of(path);        // what is written while we read is seen by the next look
  std::shared_ptr<const TraceData> kept;  // what does not depend on the basis
  const bool unchanged = is_temporary() || stamp_ == loading_stamp_;
  if (keep == Keep::AllButBasis && data_ != nullptr && unchanged) kept = data_->whole != nullptr ? data_->whole : data_;
  job_ = jobs_.query<Loaded>(
      path,
      [ref, trace_id, basis = basis_, kept](const Store& store, const Cancel& cancel, Loaded* out) {
        // First, so that a trace that arrives while the rest is read counts as new.
        out->traces = inspector::traces_of(store);
        int64_t id = trace_id;
        Status status;
        if (id == 0) {
          inspector::TraceRef address;
          status = inspector::parse_trace_ref(ref, &address);
          if (!status.ok()) return status;
          if (out->traces.empty() && address.kind == inspector::TraceRef::Kind::Only &&
              inspector::count_checks(store).runs > 0)
            return Status();  // checks are something to look at, too
          // A store of many is opened at its newest; the others are a click away.
          if (address.kind == inspector::TraceRef::Kind::Only) address.kind = inspector::TraceRef::Kind::Latest;
          status = inspector::resolve_trace(store, address, &id);
          if (!status.ok()) return status;
        }
        auto data = std::make_shared<TraceData>();
        status = kept != nullptr ? load_other_times(store, kept, cancel, data.get(), basis)
                                 : load_trace_data(store, id, cancel, data.get(), basis);
        if (!status.ok()) return status;
        out->data = std::move(data);
        return status;
      },
      [this](Status status, Loaded result) { loaded(std::move(status), std::move(result)); });
}

void Document::loaded(Status status, Loaded result) {
  const std::string& path = loading_.path;
  progress_.reset();
  waiting_ = false;
  if (!status.ok()) {
    // Another program writes: what was asked for comes when it is done.
    if (status.message().find(path) == std::string::npos) status = {status.code(), path + ": " + status.message()};
    waiting_ = status.code() == Error::AccessFailed && opening_.is_store() && stamp_of(path).exists;
    if (waiting_) status = {status.code(), status.message() + "; opens as soon as it is unlocked"};
    return fail(std::move(status));
  }
  if (path == importing_) {
    std::tie(notes_file_, notes_bytes_) = importing_notes_;
    unsaved_notes_ = false;
    remove_temporary();
    temporary_ = std::move(importing_);
    importing_.clear();
  } else if (path != temporary_) {
    notes_file_.clear();
    unsaved_notes_ = false;
    remove_temporary();
  }
  const bool other_trace = loading_.trace_id != 0 && data_ != nullptr && data_->trace_id() != loading_.trace_id;
  if (loading_.keep == Keep::Nothing || other_trace) ++subject_version_;
  const bool same = loading_.keep == Keep::AllButBasis && data_ != nullptr && is_alike(*data_, result.data.get()) &&
                    (is_temporary() || stamp_ == loading_stamp_);
  if (loading_.keep == Keep::AllButBasis && !same) loading_.keep = Keep::Selection;
  request_ = opening_;
  store_path_ = path;
  stamp_ = loading_stamp_;
  const std::optional<inspector::TimeRange> range = std::exchange(restriction_, std::nullopt);
  restrict_job_.reset();
  data_ = std::move(result.data);
  traces_ = std::move(result.traces);
  state_ = State::Ready;
  error_ = {};
  if (data_ != nullptr && !data_->basis_error.empty()) {
    notice_ = data_->basis_error;
    basis_ = {};
  }
  shown_basis_ = basis_;
  ++version_;
  if (same) return restrict_to(range);  // ops have the same indices
  ++trace_version_;
  ++store_version_;
  keep_selection();
}

void Document::keep_selection() {
  if (loading_.keep == Keep::Selection && data_ != nullptr) {
    selection_ = select_again(*data_, selection_);
  } else {
    selection_ = {};
    history_.clear();
    at_ = 0;
  }
  const auto is_run = [&](const Run& r) { return r.id == run_; };
  if (data_ == nullptr || std::none_of(data_->runs.begin(), data_->runs.end(), is_run)) run_ = 0;
  ++selection_version_;
}

void Document::fail(Status status) {
  progress_.reset();
  if (!importing_.empty()) ::unlink(importing_.c_str());
  importing_.clear();
  error_ = std::move(status);
  basis_ = data_ != nullptr ? shown_basis_ : basis_;
  state_ = store_path_.empty() ? State::Failed : State::Ready;
}

void Document::close() {
  cancel();
  stay();
  ++subject_version_;
  comparison_.close();
  remove_temporary();
  restriction_.reset();
  restrict_job_.reset();
  data_.reset();
  traces_.clear();
  store_path_.clear();
  notes_file_.clear();
  unsaved_notes_ = begun_note_ = false;
  request_ = {};
  selection_ = {};
  history_.clear();
  at_ = 0;
  run_ = 0;
  error_ = {};
  notice_.clear();
  state_ = State::Empty;
  ++version_;
  ++trace_version_;
  ++store_version_;
  ++selection_version_;
}

void Document::cancel() {
  waiting_ = false;
  job_.reset();
  progress_.reset();
  if (!importing_.empty()) ::unlink(importing_.c_str());
  importing_.clear();
  basis_ = data_ != nullptr ? shown_basis_ : basis_;
  state_ = store_path_.empty() ? State::Empty : State::Ready;
}

void Document::show_trace(int64_t trace_id) {
  if (data_ != nullptr && data_->trace_id() == trace_id) return load_trace(trace_id);
  leave(Leaving::Open, [this, trace_id] { load_trace(trace_id); });
}

void Document::load_trace(int64_t trace_id) {
  if (store_path_.empty()) return;
  opening_ = request_;
  load(store_path_, store_path_, trace_id, Keep::Selection);
}

void Document::set_path_maps(inspector::PathMaps maps) { path_maps_ = std::move(maps); }

void Document::set_lines(inspector::LineRule rule) {
  if (rule == jobs_.lines()) return;
  jobs_.set_lines(rule);
  if (data_ != nullptr) show_trace(data_->trace_id());
}

void Document::read_again() {
  if (state_ != State::Ready || data_ == nullptr) return;
  opening_ = request_;
  load(store_path_, store_path_, data_->trace_id(), Keep::AllButBasis);
}

void Document::set_basis(const inspector::Basis& basis) {
  if (basis == basis_) return;
  const bool ready = state_ == State::Ready && data_ != nullptr;
  const std::string missing = ready ? inspector::missing_basis(data_->usual(), basis) : std::string();
  if (!missing.empty()) {
    notice_ = basis.text() + ": " + missing;
    return;
  }
  basis_ = basis;
  if (ready) {
    read_again();
  } else if (state_ == State::Loading) {
    const Loading again = loading_;
    load(again.path, again.ref, again.trace_id, again.keep);
  }
}

Status Document::save_store(const std::string& path) {
  if (store_path_.empty()) return {Error::InvalidState, "no store is open"};
  Store from;
  Status status = Store::open(store_path_, Store::Mode::ReadOnly, &from);
  if (!status.ok()) return status;
  if (stamp_of(path).exists) return {Error::AccessFailed, path + ": already exists"};
  status = from.copy_to(path);
  if (!status.ok()) return status;
  opening_ = {};
  opening_.store = path;
  load(path, path, data_ != nullptr ? data_->trace_id() : 0, Keep::Selection);
  return {};
}

void Document::select(Selection selection, const std::string& panel) {
  // A group and its dearest op are named by that op alike.
  const bool same = selection.same(selection_) && selection.ops == selection_.ops;
  if (same && panel.empty()) return;
  if (!same || panel != panel_) {
    if (history_.empty()) history_.emplace_back();
    history_.resize(at_ + 1);
    history_[at_] = here();
    history_.push_back({selection, panel.empty() ? panel_ : panel, run_, trace_version_});
    if (history_.size() > kMaxPlaces) history_.erase(history_.begin());
    at_ = history_.size() - 1;
  }
  selection_ = std::move(selection);
  wanted_panel_ = panel;
  if (!panel.empty()) panel_ = panel;
  ++selection_version_;
  if (selection_.kind == Selection::Kind::Range) restrict_to(inspector::TimeRange{selection_.start, selection_.end});
}

void Document::select_run(int64_t run_id) {
  if (run_ == run_id) return;
  run_ = run_id;
  ++selection_version_;
}

void Document::show_run(int64_t run_id) {
  run_ = wanted_run_ = run_id;
  ++selection_version_;
}

void Document::go_to(size_t place) {
  history_[at_] = here();
  at_ = place;
  const Place& there = history_[at_];
  // As it was, where it is of the same trace: of several things chosen together the first says what it is.
  selection_ = data_ == nullptr                        ? Selection()
               : there.trace_version == trace_version_ ? there.selection
                                                       : select_again(*data_, there.selection);
  wanted_panel_ = panel_ = there.panel;
  const auto is_run = [&](const Run& r) { return r.id == there.run; };
  if (data_ != nullptr && (there.run == 0 || std::any_of(data_->runs.begin(), data_->runs.end(), is_run)))
    run_ = there.run;
  ++selection_version_;
  if (selection_.kind == Selection::Kind::Range) restrict_to(inspector::TimeRange{selection_.start, selection_.end});
}

void Document::back() {
  if (can_back()) go_to(at_ - 1);
}
void Document::forward() {
  if (can_forward()) go_to(at_ + 1);
}

std::string Document::take_wanted_panel() { return std::exchange(wanted_panel_, {}); }

bool Document::poll() {
  if (waiting_ && state_ != State::Loading) {
    open(opening_);
    return false;
  }
  if (store_path_.empty() || state_ != State::Ready || is_temporary()) return false;
  const Stamp now = stamp_of(store_path_);
  if (now == stamp_) return false;
  const Stamp before = std::exchange(stamp_, now);
  ++store_version_;
  if (!now.exists) {
    return true;  // store_deleted() says so, for as long as it is
  }
  const bool replaced = before.exists && (before.inode != now.inode || before.device != now.device);
  if (replaced || !before.exists) {
    notice_ = store_path_ + " was replaced; showing its newest trace";
    jobs_.forget_stores();
    opening_ = request_;
    load(store_path_, store_path_, 0, Keep::Selection);
    return true;
  }
  // It grew: are there new traces?
  watch_job_ = jobs_.query<std::vector<inspector::TraceSummary>>(
      store_path_,
      [](const Store& store, const Cancel&, std::vector<inspector::TraceSummary>* out) {
        *out = inspector::traces_of(store);
        return Status();
      },
      [this](Status status, std::vector<inspector::TraceSummary> traces) {
        if (!status.ok()) {
          notice_ = status.message();
          return;
        }
        if (traces.empty()) return;
        const int64_t newest = traces.back().id;
        const bool more = traces_.empty() || newest > traces_.back().id;
        traces_ = std::move(traces);
        if (!more) return;
        if (follow_latest && !begun_note_) {  // a note is on the trace that it was begun on
          notice_ = "showing new trace #" + std::to_string(newest);
          opening_ = request_;
          load(store_path_, store_path_, 0, Keep::Selection);  // the newest, should more have come since
        } else {
          notice_ = "new trace #" + std::to_string(newest);
        }
      });
  return true;
}

}  // namespace et::gui
