#include "gui/models/timeline_model.h"

#include <algorithm>
#include <cmath>

#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::FoundSample;
using inspector::SampleReader;
using inspector::Store;
using inspector::TimelineIndex;
using inspector::TimelineWindow;
using inspector::WindowRequest;
using inspector::WindowSlice;

namespace {

constexpr double kAhead = 0.5;  // of the view is read beyond each of its ends
// A window does for views whose pixels are between so many times smaller and larger than its own.
constexpr double kTooCoarse = 1.5, kTooFine = 4;

}  // namespace

int64_t TimelineModel::absolute(double time) const {
  return view.origin() + static_cast<int64_t>(std::clamp(time, -4e18, 4e18));
}

void TimelineModel::show(std::shared_ptr<const TraceData> data, uint64_t version) {
  if (data == data_ && version == version_) return;
  const bool same_trace = data != nullptr && data_ != nullptr && data->path == data_->path &&
                          data->trace_id() == data_->trace_id() && data->runs.size() == data_->runs.size();
  if (same_trace && version == version_) {  // on another basis, or of a range: the slices are the same
    data_ = std::move(data);
    usual_run_ = find_usual_run();
    return;
  }
  data_ = std::move(data);
  usual_run_ = find_usual_run();
  version_ = version;
  index_ = nullptr;
  status_ = {};
  window_ = {};
  window_has_ = window_asked_ = {};
  rows_.clear();
  ghost_.reset();
  ghost_asked_ = 0;
  at_.reset();
  statistics_.reset();
  range_table_.reset();
  range_table_of_.reset();
  range_ = false;
  search_ = {};
  found_ = nullptr;
  at_number_ = 0;
  near_.reset();
  gaps_.clear();
  call_gaps_.clear();
  far_slices_.clear();
  folds_ = {};
  modules_ = {};
  module_spans_.clear();
  search_asked_.clear();
  details_.reset();
  details_asked_ = 0;
  window_running_ = index_running_ = false;
  for (JobHandle* job : {&index_job_, &window_job_, &ghost_job_, &search_job_, &step_job_, &fit_job_, &range_job_,
                         &near_job_, &details_job_})
    job->reset();
  executions_ = {};
  regimes_.clear();
  if (data_ == nullptr) return;
  if (!same_trace) {
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (const Run& run : data_->runs) {
      begin = std::min(begin, run.start);
      end = std::max(end, run.start + run.duration);
    }
    if (begin <= end) view.set_extent(begin, end);
    show_first();
    view.jump();
    untouched_ = true;
    details_asked_ = 0;
  }
  read_index();
}

void TimelineModel::read_index() {
  struct Read {
    std::shared_ptr<TimelineIndex> index = std::make_shared<TimelineIndex>();
    ExecutionsModel executions;
    std::vector<TimelineRegime> regimes;
  };
  index_running_ = true;
  index_job_ = jobs_.query<Read>(
      data_->path,
      [data = data_](const Store& store, const Cancel&, Read* out) {
        out->executions = ExecutionsModel::make(*data);
        out->regimes = find_regimes(out->executions, names_groups(data->findings));
        return TimelineIndex::load(store, data->table, TimelineIndex::kInMemory, out->index.get());
      },
      [this](const Status& status, Read read) {
        index_running_ = false;
        status_ = status;
        if (!status.ok()) return;
        index_ = std::move(read.index);
        executions_ = std::move(read.executions);
        regimes_ = std::move(read.regimes);
        use_medians(regimes_, &executions_);
        gap_level_ = frame_levels(*data_, *index_);
        folds_ = TimelineFolds(*data_, *index_);
        modules_ = TimelineModules(*data_);
        if (!search_asked_.empty()) search(std::exchange(search_asked_, ""));
        // Rows of the trace's own clock are there from the beginning.
        int32_t deepest = 0;
        for (size_t i = 0; i < index_->ops().size(); ++i) {
          if (index_->places()[i].track == 0) deepest = std::max(deepest, index_->ops()[i].level);
        }
        for (int32_t level = 0; level <= deepest; ++level) {
          rows_.push_back({.track = 0, .lane = 0, .level = level, .begins_track = level == 0});
        }
      });
}

void TimelineModel::mark(const Selection& selection) {
  auto marked = std::make_shared<std::vector<bool>>(data_->table.ops.size());
  for (const int32_t op : selection.ops) (*marked)[static_cast<size_t>(op)] = true;
  if (marked_ != nullptr && *marked_ == *marked) return;
  marked_ = std::move(marked);
  ++marks_;
}

void TimelineModel::update(int width, const Selection& selection, uint64_t selection_version, int64_t run) {
  if (!ready() || width <= 0) return;
  if (selection_version != selection_version_ || marked_ == nullptr || marked_->size() != data_->table.ops.size()) {
    selection_version_ = selection_version;
    mark(selection);
  }
  // Of what is glided to, so that it is there on arrival.
  const double begin = std::min(view.begin(), view.wanted_begin()), end = std::max(view.end(), view.wanted_end());
  const double pixel = (view.wanted_end() - view.wanted_begin()) / width;
  const auto has = static_cast<double>(window_has_.resolution);
  const bool fine = pixel < 1.5 ? has <= 1 : has <= pixel * kTooCoarse && has * kTooFine >= pixel;
  const bool covers = window_has_.end > window_has_.begin && absolute(view.wanted_begin()) >= window_has_.begin &&
                      absolute(view.wanted_end()) <= window_has_.end;
  if (!window_running_ && (!fine || !covers || window_has_.marks != marks_)) {
    const double ahead = (view.wanted_end() - view.wanted_begin()) * kAhead;
    read_window({.begin = absolute(std::min(view.wanted_begin() - ahead, begin)),
                 .end = absolute(std::max(view.wanted_end() + ahead, end)) + 1,
                 .resolution = static_cast<int64_t>(pixel),
                 .marks = marks_});
  }
  update_ghost(run);
}

void TimelineModel::read_window(const Wanted& wanted) {
  window_running_ = true;
  window_asked_ = wanted;
  window_job_ = jobs_.query<TimelineWindow>(
      data_->path,
      [index = index_, wanted, marked = marked_, found = found_](const Store& store, const Cancel& cancel,
                                                                 TimelineWindow* out) {
        WindowRequest request{.begin = wanted.begin, .end = wanted.end, .resolution = wanted.resolution};
        if (index->in_memory()) request.exact = TimelineIndex::kInMemory;
        request.marked = marked.get();
        request.found = found.get();
        request.cancelled = [&] { return cancel.cancelled(); };
        return inspector::read_window(store, *index, request, out);
      },
      [this](const Status& status, TimelineWindow window) {
        window_running_ = false;
        window_has_ = window_asked_;  // one that failed is not asked for again and again
        status_ = status;
        if (!status.ok()) return;
        window_ = std::move(window);
        update_rows();
        update_gaps();
        module_spans_ = modules_.any() ? modules_.spans(*data_, window_) : std::vector<ModuleSpan>();
      });
}

void TimelineModel::update_rows() {
  for (TimelineRow& row : rows_) row.first = row.last = 0;
  for (const inspector::WindowRow& w : window_.rows) {
    const auto key = [](const auto& r) { return std::tuple(r.track, r.lane, r.level); };
    auto at = std::lower_bound(rows_.begin(), rows_.end(), w,
                               [&](const TimelineRow& a, const inspector::WindowRow& b) { return key(a) < key(b); });
    if (at == rows_.end() || key(*at) != key(w)) {
      at = rows_.insert(at, {.track = w.track, .lane = w.lane, .level = w.level});
    }
    at->first = w.first;
    at->last = w.last;
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].begins_track = i == 0 || rows_[i - 1].track != rows_[i].track;
  }
}

bool TimelineModel::is_folded_row(size_t row) const {
  if (row == 0 || rows_[row].track != 0 || !folds_.whole_level(rows_[row].level)) return false;
  const TimelineRow& before = rows_[row - 1];
  return before.track == 0 && before.lane == rows_[row].lane && before.level + 1 == rows_[row].level;
}

const WindowSlice* TimelineModel::slice_at(const TimelineRow& row, double time, double slack) const {
  const auto first = window_.slices.begin() + static_cast<std::ptrdiff_t>(row.first);
  const auto last = window_.slices.begin() + static_cast<std::ptrdiff_t>(row.last);
  auto at = std::partition_point(first, last, [&](const WindowSlice& s) { return begin_of(s) <= time; });
  const WindowSlice* best = nullptr;
  double distance = slack;
  const auto look = [&](const WindowSlice& s) {
    const double off = std::max({begin_of(s) - time, time - end_of(s), 0.0});
    if (off > distance || (best != nullptr && off == distance)) return;
    best = &s;
    distance = off;
  };
  if (at != first) look(*(at - 1));
  if (at != last) look(*at);
  return best;
}

void TimelineModel::search(const std::string& text) {
  if (text == search_asked_ || data_ == nullptr) return;
  search_asked_ = text;
  if (text.empty()) {
    take_search({});
    search_job_.reset();
    return;
  }
  search_job_ =
      jobs_.submit<TimelineSearch>([data = data_, text](const Cancel&) { return search_timeline(*data, text); },
                                   [this](TimelineSearch found) { take_search(std::move(found)); });
}

void TimelineModel::take_search(TimelineSearch found) {
  search_ = std::move(found);
  found_ = search_.hit.empty() ? nullptr : std::make_shared<const std::vector<bool>>(search_.hit);
  ++marks_;
}

void TimelineModel::step(const std::vector<int32_t>& ops, bool forward, bool around) {
  if (!ready() || ops.empty()) return;
  // From the slice that was gone to, while it is seen; else from the edge of the view.
  inspector::SamplePlace from{absolute(forward ? view.wanted_begin() - 1 : view.wanted_end())};
  if (at_) {
    const auto start = static_cast<double>(at_->time.start - view.origin());
    if (start >= view.wanted_begin() && start <= view.wanted_end()) from = {at_->time.start, at_->op, at_->position};
  }
  struct Step {
    std::optional<FoundSample> found;
    int64_t number = 0;
  };
  step_job_ = jobs_.query<Step>(
      data_->path,
      [index = index_, ops, from, forward, around](const Store& store, const Cancel&, Step* out) {
        SampleReader reader(store, *index);
        out->found = inspector::neighbour_sample(reader, *index, ops, from, forward);
        if (!out->found && around) {
          const inspector::SamplePlace edge{forward ? INT64_MIN / 2 : INT64_MAX / 2};
          out->found = inspector::neighbour_sample(reader, *index, ops, edge, forward);
        }
        if (out->found) {
          const FoundSample& f = *out->found;
          out->number = inspector::count_samples_until(reader, *index, ops, {f.time.start, f.op, f.position});
        }
        return reader.status();
      },
      [this](const Status& status, const Step& step) {
        const std::optional<FoundSample>& found = step.found;
        if (!status.ok()) status_ = status;
        if (!found) return;
        at_ = found;
        at_number_ = step.number;
        ++steps_;
        read_near();
        view.reveal(static_cast<double>(found->time.start - view.origin()),
                    static_cast<double>(found->time.end - view.origin()));
      });
}

void TimelineModel::go_to(int32_t op, int64_t position, const WindowSlice& slice) {
  at_ = FoundSample{op, position, {slice.start, slice.end, 0}};
  at_number_ = 0;
  read_near();
}

void TimelineModel::go_near(const NearSlice& slice) {
  at_ = FoundSample{slice.op, slice.sample, {slice.start, slice.end, 0}};
  at_number_ = 0;
  view.reveal(static_cast<double>(slice.start - view.origin()), static_cast<double>(slice.end - view.origin()));
  read_near();
}

// Samples on a foreign clock are where their run is: `time` is on the trace's clock here, whatever was gone to.
void TimelineModel::read_near() {
  near_.reset();
  if (!at_ || data_->runs.empty()) return;
  const auto& runs = data_->runs;
  auto run = std::upper_bound(runs.begin(), runs.end(), at_->time.start,
                              [](int64_t time, const Run& r) { return time < r.start; });
  if (run != runs.begin()) --run;
  near_job_ = jobs_.query<SliceSurroundings>(
      data_->path,
      [index = index_, run = *run, op = at_->op, sample = at_->position](const Store& store, const Cancel& cancel,
                                                                         SliceSurroundings* out) {
        return read_surroundings(store, *index, run, op, sample, cancel, out);
      },
      [this](const Status& status, SliceSurroundings near) {
        if (status.ok()) near_ = std::move(near);
      });
}

void TimelineModel::show_execution(size_t execution) {
  const Run& run = data_->runs[static_cast<size_t>(executions_.run(execution))];
  const auto begin = static_cast<double>(run.start - view.origin());
  view.show(begin, begin + static_cast<double>(run.duration));
}

TimelineModel::Span TimelineModel::executions_span() const {
  Span out = {0, view.extent()};
  bool any = false;
  for (const Run& run : data_->runs) {
    if (data_->table.blocks[static_cast<size_t>(run.block)].kind != "execute") continue;
    const auto begin = static_cast<double>(run.start - view.origin()), end = begin + static_cast<double>(run.duration);
    out = any ? Span{std::min(out.begin, begin), std::max(out.end, end)} : Span{begin, end};
    any = true;
  }
  return out;
}

void TimelineModel::show_executions() {
  if (data_ == nullptr) return;
  const Span span = executions_span();
  view.show(span.begin, span.end, 0.01);
}

std::string TimelineModel::view_text() const {
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, data_->unit()); };
  const double span = view.span(), extent = view.extent();
  std::string out;
  if (executions_.size() > 0) {
    out = inspector::plural(static_cast<int64_t>(executions_.size()), "execution");
    // One median stands for neither of two times.
    if (!executions_.several_blocks() && !regimes_.empty()) {
      out += ": " + regimes_in_short(regimes_, data_->unit());
    } else if (!executions_.several_blocks() && executions_.size() > 1) {
      out += ", median " + time(executions_.median_of(0));
    }
    out += " · ";
  }
  if (span >= extent) return out + "all " + time(extent);
  const std::string one = seen_execution_text();
  out += one.empty() ? "shown " : one;
  out += time(span) + " of " + time(extent);
  // Several methods are loaded one after the other, between executions of those that are.
  int64_t loading = 0, all = 0;
  const size_t first = executions_.size() == 0 ? 0 : static_cast<size_t>(executions_.run(0));
  for (size_t i = 0; i < data_->runs.size(); ++i) {
    const Run& run = data_->runs[i];
    if (data_->table.blocks[static_cast<size_t>(run.block)].kind != "load") continue;
    all += run.duration;
    const bool before = static_cast<double>(run.start + run.duration / 2 - view.origin()) < view.begin();
    if (before && i < first) loading += run.duration;
  }
  const std::string of = loading < all ? " of " + time(static_cast<double>(all)) : "";
  if (loading > 0) out += "; loading (" + time(static_cast<double>(loading)) + of + ") is before it";
  return out;
}

void TimelineModel::select_range(double begin, double end) {
  if (!ready()) return;
  if (begin > end) std::swap(begin, end);
  if (range_ && begin == range_begin_ && end == range_end_) return;
  range_ = true;
  range_begin_ = begin;
  range_end_ = end;
  range_job_ = jobs_.query<inspector::RangeStatistics>(
      data_->path,
      [index = index_, from = absolute(begin), to = absolute(end)](const Store& store, const Cancel& cancel,
                                                                   inspector::RangeStatistics* out) {
        return inspector::range_statistics(
            store, *index, from, to, [&] { return cancel.cancelled(); }, out);
      },
      [this](const Status& status, inspector::RangeStatistics statistics) {
        if (!status.ok()) status_ = status;
        if (status.ok()) statistics_ = std::move(statistics);
        range_table_.reset();
      });
}

void TimelineModel::clear_range() {
  range_ = false;
  statistics_.reset();
  range_table_.reset();
  range_table_of_.reset();
  range_job_.reset();
}

}  // namespace et::gui
