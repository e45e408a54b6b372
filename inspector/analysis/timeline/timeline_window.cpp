#include "inspector/analysis/timeline/timeline_window.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace et::inspector {
namespace {

// Columns of an estimated window: two pixels each, and never more than any screen has.
constexpr int64_t kColumnPixels = 2;
constexpr int64_t kMostColumns = 8192;
// Slices of an estimated window that are kept before they are merged (64 bytes each).
constexpr int64_t kMostUnmerged = 250'000;
// Overlapping slices wider than this many pixels are cut where the one before ends; narrower ones are merged with it.
constexpr int64_t kCutPixels = 4;

/// What one op adds to a merged slice.
struct Portion {
  int32_t op;
  int64_t sum;
};

struct RowKey {
  int32_t track, lane, level;
  auto operator<=>(const RowKey&) const = default;
};

class Builder {
 public:
  Builder(const Store& store, const TimelineIndex& index, const WindowRequest& request)
      : index_(index), request_(request), reader_(store, index), spans_(index.ops().size()) {}

  Status build(TimelineWindow* out);

 private:
  struct Span {
    int64_t first = 0, last = 0;
    int64_t size() const { return last - first; }
  };
  struct Placed {
    TimelineSample sample;
    int64_t run;
  };
  /// How far an op of an estimated window was read.
  struct Course {
    int32_t op = 0;
    int64_t position = 0, step = 1;
    bool each = false;  ///< sample by sample: it has hardly more than there are columns
  };

  bool cancelled() const { return request_.cancelled && request_.cancelled(); }
  bool is_own(int32_t op) const { return index_.places()[static_cast<size_t>(op)].track == 0; }
  static bool has(const std::vector<bool>* ops, int32_t op) {
    return ops != nullptr && (*ops)[static_cast<size_t>(op)];
  }
  /// When `sum` and `count` are known.
  void mark(WindowSlice* slice) const {
    const bool marked = has(request_.marked, slice->op), found = has(request_.found, slice->op);
    slice->marked = marked ? slice->count : 0;
    slice->marked_sum = marked ? slice->sum : 0;
    slice->found = found ? slice->count : 0;
    slice->found_sum = found ? slice->sum : 0;
  }
  void find_spans(TimelineWindow* out);
  void read_exactly();
  void read_columns();
  void read_each(Course* course, int64_t until);
  void read_columns_of(Course* course, int64_t width, int64_t until);
  void read_foreign();
  void lay_over_hosts(std::vector<Placed>* samples);
  void band_of_foreign();
  void place(std::vector<Placed>* samples);
  WindowSlice slice_of(int32_t op, int64_t position, const SampleTime& s) const;
  std::vector<WindowSlice>& row_of(int32_t op);
  void merge_row(std::vector<WindowSlice>* row, std::vector<WindowSlice>* out);

  const TimelineIndex& index_;
  const WindowRequest& request_;
  SampleReader reader_;
  std::vector<Span> spans_;                // by op
  int64_t first_run_ = 0, last_run_ = -1;  // foreign clocks: indices into index_.runs()
  int64_t own_ = 0, foreign_ = 0;
  std::map<RowKey, std::vector<WindowSlice>> rows_;
  std::map<RowKey, std::vector<WindowSlice>> merged_;  // parts of rows that are done, in the order of time
};

// Samples of a foreign clock are in the window with their run.
void Builder::find_spans(TimelineWindow* out) {
  const auto runs = index_.runs();
  first_run_ = static_cast<int64_t>(runs.size());
  for (int64_t i = 0; i < static_cast<int64_t>(runs.size()); ++i) {
    const IndexedRun& run = runs[static_cast<size_t>(i)];
    if (run.start >= request_.end || (run.end <= request_.begin && run.start < request_.begin)) continue;
    first_run_ = std::min(first_run_, i);
    last_run_ = i;
  }
  for (size_t i = 0; i < spans_.size(); ++i) {
    const auto op = static_cast<int32_t>(i);
    if (is_own(op)) {
      const auto [first, last] = reader_.overlapping(op, request_.begin, request_.end);
      spans_[i] = {first, last};
      own_ += spans_[i].size();
    } else if (first_run_ <= last_run_) {
      const int64_t last_id = runs[static_cast<size_t>(last_run_)].id;
      spans_[i] = {reader_.first_of_run(op, runs[static_cast<size_t>(first_run_)].id),
                   reader_.first_of_run(op, last_id + 1)};
      foreign_ += spans_[i].size();
    }
    if (i % 1024 == 0 && cancelled()) return;
  }
  out->samples = own_ + foreign_;
}

WindowSlice Builder::slice_of(int32_t op, int64_t position, const SampleTime& s) const {
  WindowSlice slice;
  slice.start = s.start;
  slice.end = s.end;
  slice.sum = s.end - s.start;
  slice.count = 1;
  slice.sample = position;
  slice.op = op;
  mark(&slice);
  return slice;
}

std::vector<WindowSlice>& Builder::row_of(int32_t op) {
  const auto i = static_cast<size_t>(op);
  return rows_[{index_.places()[i].track, 0, index_.ops()[i].level}];
}

// Runs one by one, as the whole timeline does: samples of a run nest only in samples of that run.
void Builder::place(std::vector<Placed>* samples) {
  std::stable_sort(samples->begin(), samples->end(), [](const Placed& a, const Placed& b) { return a.run < b.run; });
  LanePlacer placer(index_.places(), index_.tracks().size());
  std::vector<TimelineSample> run;
  std::vector<Slice> slices;
  for (size_t i = 0; i < samples->size() && !cancelled();) {
    run.clear();
    const int64_t id = (*samples)[i].run;
    for (; i < samples->size() && (*samples)[i].run == id; ++i) run.push_back((*samples)[i].sample);
    slices.clear();
    placer.place(run, &slices);
    for (const Slice& s : slices) {
      WindowSlice slice = slice_of(s.op, s.sample, {s.start, s.end, id});
      slice.clamped = s.clamped;
      slice.sum += s.clamped;
      mark(&slice);
      rows_[{index_.places()[static_cast<size_t>(s.op)].track, s.lane, s.level}].push_back(slice);
    }
  }
}

void Builder::read_exactly() {
  std::vector<Placed> samples;
  samples.reserve(static_cast<size_t>(own_));
  for (const int32_t op : index_.nested()) {
    if (!is_own(op)) continue;
    const Span span = spans_[static_cast<size_t>(op)];
    reader_.read(op, span.first, span.last, [&](int64_t position, const SampleTime& s) {
      samples.push_back({{s.start, s.end, position, op}, s.run});
    });
    if (cancelled()) return;
  }
  place(&samples);
}

// A part of the window at a time, since thousands of ops with a slice a column each would take hundreds of megabytes:
// the rows of a part are merged to pixels before the next is read.
void Builder::read_columns() {
  const int64_t width =
      std::max<int64_t>({request_.resolution * kColumnPixels, 1, (request_.end - request_.begin) / kMostColumns});
  const int64_t columns = (request_.end - request_.begin) / width + 1;
  std::vector<Course> courses;
  int64_t expected = 0;
  for (const int32_t op : index_.nested()) {
    const Span span = spans_[static_cast<size_t>(op)];
    if (!is_own(op) || span.size() == 0) continue;
    const bool each = span.size() <= 2 * columns;
    courses.push_back({.op = op, .position = span.first, .each = each});
    expected += each ? span.size() : columns;
  }
  const int64_t parts = std::clamp<int64_t>(expected / kMostUnmerged + 1, 1, columns);
  for (int64_t part = 1; part <= parts; ++part) {
    const bool last = part == parts;
    const int64_t until = last ? std::numeric_limits<int64_t>::max()
                               : request_.begin + (columns / parts * part + columns % parts * part / parts) * width;
    for (Course& course : courses) {
      if (cancelled() || !reader_.status().ok()) return;
      course.each ? read_each(&course, until) : read_columns_of(&course, width, until);
    }
    if (last) break;
    for (auto& [key, row] : rows_) {
      merge_row(&row, &merged_[key]);
      row.clear();
    }
  }
}

void Builder::read_each(Course* course, int64_t until) {
  const int64_t last = spans_[static_cast<size_t>(course->op)].last;
  const int64_t end = until == std::numeric_limits<int64_t>::max()
                          ? last
                          : reader_.first_from(course->op, course->position, last, until);
  std::vector<WindowSlice>& row = row_of(course->op);
  reader_.read(course->op, course->position, end,
               [&](int64_t position, const SampleTime& s) { row.push_back(slice_of(course->op, position, s)); });
  course->position = end;
}

void Builder::read_columns_of(Course* course, int64_t width, int64_t until) {
  const int32_t op = course->op;
  const int64_t last = spans_[static_cast<size_t>(op)].last;
  if (course->position >= last) return;
  std::vector<WindowSlice>& row = row_of(op);
  const double mean = index_.ops()[static_cast<size_t>(op)].mean;
  SampleTime s = reader_.at(op, course->position);
  while (s.start < until && reader_.status().ok()) {
    const int64_t column = (std::max(s.start, request_.begin) - request_.begin) / width;
    const int64_t boundary = request_.begin + (column + 1) * width;
    const int64_t position = course->position;
    const int64_t next = reader_.first_near(op, position + 1, last, boundary, position + course->step);
    WindowSlice slice = slice_of(op, position, s);
    slice.end = std::min(std::max(reader_.at(op, next - 1).end, s.end), std::max(boundary, s.start));
    slice.count = course->step = next - position;
    slice.sum = static_cast<int64_t>(mean * static_cast<double>(slice.count));
    slice.estimated = true;
    mark(&slice);
    row.push_back(slice);
    course->position = next;
    if (next >= last) return;
    s = reader_.at(op, next);
  }
}

void Builder::read_foreign() {
  if (foreign_ == 0 || cancelled()) return;
  if (foreign_ > request_.exact / 4) return band_of_foreign();
  std::vector<Placed> samples;
  for (const int32_t op : index_.nested()) {
    if (is_own(op)) continue;
    const Span span = spans_[static_cast<size_t>(op)];
    reader_.read(op, span.first, span.last, [&](int64_t position, const SampleTime& s) {
      samples.push_back({{s.start, s.end, position, op}, s.run});
    });
  }
  lay_over_hosts(&samples);
}

// Samples of one run and track with the same host: stretched from their own clock over it, durations kept.
void Builder::lay_over_hosts(std::vector<Placed>* samples) {
  const auto places = index_.places();
  const auto host_op = [&](int32_t op) {
    int32_t host = op;
    while (host >= 0 && places[static_cast<size_t>(host)].track != 0) host = places[static_cast<size_t>(host)].parent;
    return host;
  };
  struct Group {
    std::vector<size_t> members;
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  };
  std::map<std::tuple<int64_t, int32_t, int32_t>, Group> groups;  // run, track, host
  for (size_t i = 0; i < samples->size(); ++i) {
    const Placed& p = (*samples)[i];
    Group& g = groups[{p.run, places[static_cast<size_t>(p.sample.op)].track, host_op(p.sample.op)}];
    g.members.push_back(i);
    g.first = std::min(g.first, p.sample.start);
    g.last = std::max(g.last, p.sample.end);
  }
  std::map<std::pair<int32_t, int64_t>, int64_t> sums;  // (op, position) -> time on its own clock
  for (const auto& entry : groups) {                    // no structured binding: a lambda below needs the group
    const auto& group = entry.second;
    const auto [run_id, track, host] = entry.first;
    const auto runs = index_.runs();
    const auto run =
        std::lower_bound(runs.begin(), runs.end(), run_id, [](const IndexedRun& r, int64_t id) { return r.id < id; });
    if (run == runs.end() || run->id != run_id) continue;
    int64_t from = run->start, to = run->end;
    if (host >= 0) {
      const int64_t first = reader_.first_of_run(host, run_id), last = reader_.first_of_run(host, run_id + 1);
      if (first < last) {
        from = reader_.at(host, first).start;
        to = std::max(reader_.at(host, last - 1).end, from);
      }
    }
    const double scale =
        static_cast<double>(to - from) / static_cast<double>(std::max<int64_t>(group.last - group.first, 1));
    const auto laid = [&](int64_t t) {
      return std::min(to, from + static_cast<int64_t>(static_cast<double>(t - group.first) * scale));
    };
    for (const size_t i : group.members) {
      TimelineSample& s = (*samples)[i].sample;
      sums[{s.op, s.position}] = s.end - s.start;
      s.start = laid(s.start);
      s.end = laid(s.end);
    }
  }
  std::map<RowKey, std::vector<WindowSlice>> own;
  own.swap(rows_);
  place(samples);
  for (auto& [key, row] : rows_) {
    for (WindowSlice& slice : row) {
      slice.sum = sums[{slice.op, slice.sample}];
      slice.clamped = 0;
      mark(&slice);
    }
  }
  rows_.merge(own);
}

void Builder::band_of_foreign() {
  const auto runs = index_.runs();
  for (const int32_t op : index_.nested()) {
    const Span span = spans_[static_cast<size_t>(op)];
    if (is_own(op) || span.size() == 0) continue;
    WindowSlice slice;
    slice.start = runs[static_cast<size_t>(first_run_)].start;
    slice.end = std::max(slice.start, runs[static_cast<size_t>(last_run_)].end);
    slice.count = span.size();
    slice.sum = static_cast<int64_t>(index_.ops()[static_cast<size_t>(op)].mean * static_cast<double>(slice.count));
    slice.sample = span.first;
    slice.op = op;
    slice.estimated = true;
    mark(&slice);
    row_of(op).push_back(slice);
  }
}

// `out`: what was merged of the same row before, all of it earlier.
void Builder::merge_row(std::vector<WindowSlice>* row, std::vector<WindowSlice>* out) {
  std::stable_sort(row->begin(), row->end(),
                   [](const WindowSlice& a, const WindowSlice& b) { return a.start < b.start; });
  const int64_t pixel = request_.resolution;
  const auto narrow = [&](const WindowSlice& s, int64_t pixels) { return s.end - s.start < pixel * pixels; };
  std::vector<Portion> portions;  // of the slice at hand
  const auto close = [&] {
    if (portions.size() < 2) return portions.clear();
    WindowSlice& s = out->back();
    std::stable_sort(portions.begin(), portions.end(), [](const Portion& a, const Portion& b) { return a.op < b.op; });
    int64_t best = -1;
    for (size_t i = 0; i < portions.size();) {
      const int32_t op = portions[i].op;
      int64_t sum = 0;
      for (; i < portions.size() && portions[i].op == op; ++i) sum += portions[i].sum;
      if (sum <= best) continue;
      best = sum;
      s.op = op;
    }
    s.mixed = s.mixed || portions.front().op != portions.back().op;
    portions.clear();
  };
  if (!out->empty()) portions.push_back({out->back().op, out->back().sum});
  for (WindowSlice s : *row) {
    if (!out->empty()) {
      WindowSlice& last = out->back();
      const bool overlaps = s.start < last.end;
      const bool same_place = overlaps && s.start == last.start && s.estimated && last.estimated;
      const bool both_narrow = narrow(s, kCutPixels) && narrow(last, kCutPixels);
      if (same_place || (overlaps && both_narrow) || (pixel > 0 && s.end - last.start < pixel)) {
        last.end = std::max(last.end, s.end);
        last.sum += s.sum;
        last.count += s.count;
        last.clamped += s.clamped;
        last.marked += s.marked;
        last.marked_sum += s.marked_sum;
        last.found += s.found;
        last.found_sum += s.found_sum;
        last.estimated = last.estimated || s.estimated;
        portions.push_back({s.op, s.sum});
        continue;
      }
      if (overlaps) {
        s.start = last.end;
        s.end = std::max(s.start, s.end);
      }
    }
    close();
    out->push_back(s);
    portions.push_back({s.op, s.sum});
  }
  close();
}

Status Builder::build(TimelineWindow* out) {
  TimelineWindow window;
  window.begin = request_.begin;
  window.end = request_.end;
  window.resolution = request_.resolution;
  find_spans(&window);
  window.estimated = own_ > request_.exact || foreign_ > request_.exact / 4;
  if (!cancelled()) own_ > request_.exact ? read_columns() : read_exactly();
  read_foreign();
  if (Status status = reader_.status(); !status.ok()) return status;
  for (auto& [key, row] : rows_) {
    if (cancelled()) break;
    WindowRow r{.track = key.track, .lane = key.lane, .level = key.level, .first = window.slices.size()};
    std::vector<WindowSlice> merged = std::move(merged_[key]);
    merge_row(&row, &merged);
    window.slices.insert(window.slices.end(), merged.begin(), merged.end());
    r.last = window.slices.size();
    row = {};
    window.rows.push_back(r);
  }
  *out = std::move(window);
  return {};
}

}  // namespace

Status read_window(const Store& store, const TimelineIndex& index, const WindowRequest& request, TimelineWindow* out) {
  if (request.end <= request.begin) {
    *out = {};
    out->begin = request.begin;
    out->end = request.end;
    return {};
  }
  return Builder(store, index, request).build(out);
}

}  // namespace et::inspector
