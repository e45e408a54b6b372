#include "gui/core/comparison.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/mapped_file.h"
#include "gui/core/document.h"
#include "gui/core/text.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {

using inspector::Store;

namespace {

/// The trace that an address means; of a store of several without a selector the newest.
Status find_trace(const Store& store, const OtherTrace& other, int64_t* id) {
  if (*id = other.trace_id; *id != 0) return {};
  inspector::TraceRef ref;
  Status status = inspector::parse_trace_ref(other.ref, &ref);
  if (!status.ok()) return status;
  if (ref.kind == inspector::TraceRef::Kind::Only) ref.kind = inspector::TraceRef::Kind::Latest;
  return inspector::resolve_trace(store, ref, id);
}

std::string open_title(const Document& document, const TraceData& data) {
  if (document.request().is_store()) return base_name(document.store_path()) + "#" + std::to_string(data.trace_id());
  const std::vector<std::string> files = document.request().files();
  return files.empty() ? document.request().title() : folder_and_name(files.front());
}

/// The same bytes, in two files or in one.
bool have_same_content(const std::string& a, const std::string& b) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(a, error) || !std::filesystem::is_regular_file(b, error)) return false;
  if (std::filesystem::file_size(a, error) != std::filesystem::file_size(b, error)) return false;
  MappedFile x, y;
  return MappedFile::open(a, &x).ok() && MappedFile::open(b, &y).ok() && std::ranges::equal(x.bytes(), y.bytes());
}

std::string same_trace(const Store& second, const ComparedTraces& compared) {
  if (compared.open->path == compared.source->store && compared.open->trace_id() == compared.other_id)
    return "the same trace: " + compared.before_title;
  const std::string here = compared.open->facts.dump_path.value_or("");
  std::string there;
  inspector::Statement dump = second.query("SELECT coalesce(dump_path, '') FROM traces WHERE trace_id = ?1");
  dump.bind_all(compared.other_id);
  if (dump.step()) there = dump.text(0);
  if (here.empty() || there.empty()) return {};
  std::error_code error;
  if (std::filesystem::equivalent(here, there, error) && !error) return "the same file: " + here;
  return have_same_content(here, there) ? "files of the same content: " + here + " and " + there : std::string();
}

Status read_compared(const Store& store, const Jobs& jobs, const Cancel& cancel, ComparedTraces* out) {
  Store second;
  Status status = jobs.open_second(out->source->store, cancel, &second);
  if (status.ok()) status = find_trace(second, *out->source, &out->other_id);
  const inspector::Basis& basis = out->open->shown.basis;
  if (status.ok()) status = inspector::load_shown_ops(second, out->other_id, {.basis = basis}, &out->other);
  if (!status.ok() || cancel.cancelled()) return status;
  if (out->other.blocks.empty())
    return {Error::InvalidArgument,
            out->source->files.front() + ": expected a trace with times, got one without an ETDump"};
  out->same = same_trace(second, *out);
  const int64_t open_id = out->open->trace_id();
  const bool swapped = !out->open_is_after;
  const Store& before = swapped ? store : second;
  const Store& after = swapped ? second : store;
  const int64_t before_id = swapped ? open_id : out->other_id, after_id = swapped ? out->other_id : open_id;
  const auto go_on = [&] { return status.ok() && !cancel.cancelled(); };
  status = inspector::diff_tables(before, out->before_table(), after, out->after_table(), {}, &out->diff);
  if (go_on()) status = inspector::compare_traces(before, before_id, after, after_id, &out->changes);
  if (go_on()) status = inspector::diff_source(before, before_id, out->before_title, &out->before);
  if (go_on()) status = inspector::diff_source(after, after_id, out->after_title, &out->after);
  if (go_on()) status = inspector::typical_executions(before, out->before_table(), &out->typical_before);
  if (go_on()) status = inspector::typical_executions(after, out->after_table(), &out->typical_after);
  return status;
}

/// Fills in the ETRecord and the program from those that are open; returns their options.
std::vector<std::string> borrow(const inspector::IngestInputs& open, inspector::IngestInputs* inputs) {
  std::vector<std::string> borrowed;
  const auto take = [&](const std::string& from, std::string* to, const char* option) {
    if (!to->empty() || from.empty()) return;
    *to = from;
    inputs->found.emplace_back(option);
    borrowed.emplace_back(option);
  };
  // Files that the other trace has of its own are of one export; those of another one do not go with them.
  if (inputs->dump.empty() || !inputs->record.empty()) return borrowed;
  take(open.record, &inputs->record, "etrecord");
  take(open.program, &inputs->program, "pte");
  return borrowed;
}

}  // namespace

struct Comparison::SharedProgress {
  std::mutex mutex;
  ImportProgress progress;
};

std::string folder_and_name(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos || slash == 0) return path;
  const size_t above = path.find_last_of('/', slash - 1);
  return above == std::string::npos ? path : path.substr(above + 1);
}

ImportProgress Comparison::progress() const {
  if (progress_ == nullptr) return {};
  const std::lock_guard lock(progress_->mutex);
  return progress_->progress;
}

Comparison::State Comparison::state() const {
  if (importing_) return State::Importing;
  if (comparing_) return State::Comparing;
  return result_ != nullptr ? State::Ready : State::None;
}

void Comparison::open_files(const std::vector<std::string>& files, bool neighbours) {
  cancel();
  error_ = {};
  OpenRequest request;
  Status status = classify(files, &request, neighbours);
  if (!status.ok()) return fail(std::move(status));
  auto other = std::make_shared<OtherTrace>();
  other->files = files;
  if (!request.is_store()) return import(request, std::move(other));
  inspector::TraceRef ref;
  if (status = inspector::parse_trace_ref(request.store, &ref); !status.ok()) return fail(std::move(status));
  other->store = ref.path;
  other->ref = request.store;
  other->title = folder_and_name(request.store);
  other_ = std::move(other);
}

void Comparison::open_trace(const Document& document, int64_t trace_id) {
  if (document.store_path().empty()) return;
  cancel();
  error_ = {};
  auto other = std::make_shared<OtherTrace>();
  other->store = document.store_path();
  other->ref = other->store + "#" + std::to_string(trace_id);
  other->files = {other->ref};
  other->trace_id = trace_id;
  other->title = base_name(other->ref);
  other_ = std::move(other);
}

void Comparison::import(const OpenRequest& request, std::shared_ptr<OtherTrace> other) {
  other->store = temporary_store_path();
  if (other->store.empty()) return fail({Error::AccessFailed, "cannot create a temporary store (TMPDIR)"});
  other->ref = other->store;
  other->temporary = std::make_shared<TemporaryStore>(other->store);
  other->title = request.files().empty() ? request.title() : folder_and_name(request.files().front());
  progress_ = std::make_shared<SharedProgress>();
  importing_ = true;
  import_job_ = jobs_.submit<Status>(
      [request, other, open = open_files_, progress = progress_](const Cancel& cancel) {
        Store store;
        Status status = Store::open(other->store, Store::Mode::ReadWrite, &store);
        if (!status.ok()) return status;
        inspector::IngestInputs inputs = request.inputs;
        inspector::IngestResult done;
        other->notes = request.notes;
        const std::vector<std::string> borrowed = borrow(open, &inputs);
        status = inspector::ingest_found(
            store, &inputs,
            [&](const char* stage, uint64_t at, uint64_t total) {
              const std::lock_guard lock(progress->mutex);
              progress->progress = {stage, at, total};
              return !cancel.cancelled();
            },
            &done, &other->notes);
        other->trace_id = done.trace_id;
        for (const std::string& option : borrowed) {
          if (inputs.was_found(option))
            other->notes.push_back("read with " + (option == "pte" ? inputs.program : inputs.record) +
                                   " of the open trace");
        }
        return status;
      },
      [this, other](Status status) {
        importing_ = false;
        progress_.reset();
        if (!status.ok()) return fail(std::move(status));
        other_ = other;
      });
}

void Comparison::update(const Document& document) {
  std::shared_ptr<const TraceData> base = document.shared_data();
  if (base != nullptr && base->whole != nullptr) base = base->whole;
  if (base == nullptr || !base->has_etdump()) {
    compare_job_.reset();
    comparing_ = false;
    asked_base_.reset();
    if (result_ != nullptr) take(nullptr);
    return;
  }
  // Its ops are those of a trace that is no longer open.
  if (result_ != nullptr && (result_->open->path != base->path || !is_alike(*result_->open, base.get()))) take(nullptr);
  if (other_ == nullptr) return;
  if (asked_base_ == base && asked_other_ == other_ && asked_after_ == open_is_after_) return;
  compare(document, base);
}

void Comparison::compare(const Document& document, const std::shared_ptr<const TraceData>& base) {
  asked_base_ = base;
  asked_other_ = other_;
  asked_after_ = open_is_after_;
  comparing_ = true;
  const std::string open = open_title(document, *base);
  const std::string before = open_is_after_ ? other_->title : open, after = open_is_after_ ? open : other_->title;
  compare_job_ = jobs_.query<ComparedTraces>(
      base->path,
      [this_jobs = &jobs_, base, other = other_, open_is_after = open_is_after_, before, after](
          const Store& store, const Cancel& cancel, ComparedTraces* out) {
        out->open = base;
        out->source = other;
        out->open_is_after = open_is_after;
        out->before_title = before;
        out->after_title = after;
        return read_compared(store, *this_jobs, cancel, out);
      },
      [this](Status status, ComparedTraces result) {
        comparing_ = false;
        if (!status.ok()) return fail(std::move(status));
        error_ = {};
        take(std::make_shared<const ComparedTraces>(std::move(result)));
      });
}

void Comparison::take(std::shared_ptr<const ComparedTraces> result) {
  result_ = std::move(result);
  ++version_;
}

void Comparison::fail(Status status) {
  error_ = std::move(status);
  // Of another trace or basis than the one that is open the last comparison says nothing.
  if (result_ != nullptr && asked_base_ != nullptr && result_->open != asked_base_) take(nullptr);
  if (result_ == nullptr) return;
  other_ = asked_other_ = result_->source;
  open_is_after_ = asked_after_ = result_->open_is_after;
}

void Comparison::cancel() {
  const bool reading = importing_ || comparing_;
  import_job_.reset();
  compare_job_.reset();
  progress_.reset();
  importing_ = comparing_ = false;
  if (!reading) return;
  if (result_ != nullptr && result_->open == asked_base_) {
    other_ = asked_other_ = result_->source;
    open_is_after_ = asked_after_ = result_->open_is_after;
  } else {
    other_.reset();
    asked_other_.reset();
  }
}

void Comparison::close() {
  cancel();
  error_ = {};
  other_.reset();
  asked_other_.reset();
  asked_base_.reset();
  if (result_ != nullptr) take(nullptr);
}

}  // namespace et::gui
