// Windows of a timeline: the same slices as the whole one at full zoom, nothing lost and nothing overlapping at any.
#include "inspector/analysis/timeline/timeline_window.h"

#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "inspector/analysis/timeline/timeline.h"
#include "tests/inspector/export/export_store.h"
#include "tests/inspector/timeline/traces.h"

namespace et::inspector {
namespace {

// op id, position, start, end, clamped, lane, level
using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int32_t, int32_t>;

TimelineWindow read(const ImportedTrace& t, const WindowRequest& request) {
  TimelineWindow window;
  const Status s = read_window(t.store, t.index, request, &window);
  EXPECT_TRUE(s.ok()) << s.message();
  return window;
}

int64_t samples_of(const TimelineWindow& window) {
  int64_t count = 0;
  for (const WindowSlice& s : window.slices) count += s.count;
  return count;
}

void expect_rows_are_disjoint(const TimelineWindow& window) {
  std::set<std::tuple<int32_t, int32_t, int32_t>> seen;
  size_t next = 0;
  for (const WindowRow& row : window.rows) {
    EXPECT_TRUE(seen.emplace(row.track, row.lane, row.level).second);
    EXPECT_EQ(row.first, next);
    next = row.last;
    for (size_t i = row.first; i < row.last; ++i) {
      EXPECT_LE(window.slices[i].start, window.slices[i].end);
      if (i == row.first) continue;
      ASSERT_GE(window.slices[i].start, window.slices[i - 1].end) << "level " << row.level;
    }
  }
  EXPECT_EQ(next, window.slices.size());
}

TEST(TimelineWindow, EqualsTheWholeTimelineAtFullZoom) {
  for (const std::string& name : timeline_artifacts()) {
    SCOPED_TRACE(name);
    ImportedTrace t = ImportedTrace::artifact(name);
    Timeline timeline;
    ASSERT_TRUE(Timeline::load(t.store, 1, &timeline).ok());
    std::multiset<Key> whole;
    const Status s = timeline.walk(t.store, 0, [&](const TimelineRun&, std::span<const Slice> slices) {
      for (const Slice& x : slices) {
        whole.emplace(timeline.ops()[static_cast<size_t>(x.op)].entry->id, x.sample, x.start, x.end, x.clamped, x.lane,
                      x.level);
      }
      return Status();
    });
    ASSERT_TRUE(s.ok()) << s.message();
    for (const int64_t in_memory : {int64_t{0}, TimelineIndex::kInMemory}) {
      t.load(in_memory);
      const TimelineWindow window = read(t, {.begin = t.begin, .end = t.end + 1, .exact = INT64_MAX});
      std::multiset<Key> seen;
      for (const WindowRow& row : window.rows) {
        for (size_t i = row.first; i < row.last; ++i) {
          const WindowSlice& x = window.slices[i];
          EXPECT_EQ(x.count, 1);
          seen.emplace(t.index.ops()[static_cast<size_t>(x.op)].id, x.sample, x.start, x.end, x.clamped, row.lane,
                       row.level);
        }
      }
      EXPECT_EQ(seen, whole);
      EXPECT_EQ(window.samples, t.index.samples());
      expect_rows_are_disjoint(window);
    }
  }
}

TEST(TimelineWindow, SumsAreThoseOfTheOpsAtEveryZoom) {
  for (const std::string& name : timeline_artifacts()) {
    SCOPED_TRACE(name);
    const ImportedTrace t = ImportedTrace::artifact(name);
    int64_t sum = 0;
    for (const OpEntry& op : t.table.ops) sum += op.sum;
    for (const int64_t pixels : {3, 100, 1500}) {
      const TimelineWindow window =
          read(t, {.begin = t.begin, .end = t.end + 1, .resolution = (t.end - t.begin) / pixels});
      int64_t seen = 0;
      for (const WindowSlice& s : window.slices) seen += s.sum;
      EXPECT_EQ(seen, sum) << "every nanosecond is in a slice, " << pixels;
      EXPECT_EQ(samples_of(window), t.index.samples());
      expect_rows_are_disjoint(window);
    }
  }
}

TEST(TimelineWindow, MergedSlicesAreFewAndLoseNoSample) {
  ImportedTrace t = ImportedTrace::synthetic({.executions = 3000});
  for (const int64_t in_memory : {int64_t{0}, TimelineIndex::kInMemory}) {
    t.load(in_memory);
    for (const int64_t exact : {int64_t{0}, int64_t{1'000'000}}) {
      for (int zoom = 0; zoom < 4; ++zoom) {
        const int64_t width = (t.end - t.begin) >> (3 * zoom), begin = t.begin + (t.end - t.begin - width) / 3;
        const WindowRequest request{
            .begin = begin, .end = begin + width + 1, .resolution = width / 1000, .exact = exact};
        const TimelineWindow window = read(t, request);
        EXPECT_EQ(samples_of(window), window.samples);
        expect_rows_are_disjoint(window);
        for (const WindowRow& row : window.rows) EXPECT_LE(row.last - row.first, 2100u) << "level " << row.level;
        EXPECT_EQ(window.estimated, exact == 0);
        if (zoom == 0) {
          EXPECT_EQ(window.samples, t.index.samples());
        }
      }
    }
  }
}

TEST(TimelineWindow, CountsOfColumnsAreExact) {
  const ImportedTrace t = ImportedTrace::synthetic({.executions = 2000});
  // What exact reading finds in each half is what columns say, too.
  const int64_t middle = t.begin + (t.end - t.begin) / 2;
  for (const auto& [begin, end] : {std::pair(t.begin, middle), std::pair(middle, t.end + 1)}) {
    const WindowRequest exact{.begin = begin, .end = end, .resolution = 1000, .exact = INT64_MAX};
    WindowRequest columns = exact;
    columns.exact = 0;
    EXPECT_EQ(read(t, exact).samples, samples_of(read(t, columns)));
  }
}

TEST(TimelineWindow, CountsMarkedOps) {
  const ImportedTrace t = ImportedTrace::synthetic({.executions = 500});
  std::vector<bool> marked(t.table.ops.size());
  marked[4] = marked[7] = true;
  std::vector<bool> found(t.table.ops.size());
  found[5] = true;
  for (const int64_t exact : {int64_t{0}, int64_t{1'000'000}}) {
    const TimelineWindow window = read(t, {.begin = t.begin,
                                           .end = t.end + 1,
                                           .resolution = 100'000,
                                           .exact = exact,
                                           .marked = &marked,
                                           .found = &found});
    int64_t seen = 0, hits = 0, time = 0;
    for (const WindowSlice& s : window.slices) {
      seen += s.marked;
      hits += s.found;
      time += s.marked_sum;
      EXPECT_LE(s.marked, s.count);
      EXPECT_LE(s.marked_sum, s.sum);
      EXPECT_EQ(s.marked_sum == s.sum, s.marked == s.count);
    }
    EXPECT_EQ(hits, t.table.ops[5].count);
    const auto sum = static_cast<double>(t.table.ops[4].sum + t.table.ops[7].sum);
    EXPECT_NEAR(static_cast<double>(time), sum, exact == 0 ? sum * 0.01 : 0);
    // An estimated slice of several ops knows each op's part.
    EXPECT_EQ(seen, t.table.ops[4].count + t.table.ops[7].count);
  }
}

TEST(TimelineWindow, ACutSampleIsStillThere) {
  const ImportedTrace t = ImportedTrace::artifact("partial_delegation");
  const TimelineWindow all = read(t, {.begin = t.begin, .end = t.end + 1});
  for (size_t i = 0; i < all.slices.size(); i += 7) {
    const WindowSlice& wanted = all.slices[i];
    if (wanted.end - wanted.start < 3) continue;
    const int64_t middle = wanted.start + (wanted.end - wanted.start) / 2;
    const TimelineWindow one = read(t, {.begin = middle, .end = middle + 1});
    EXPECT_TRUE(std::any_of(one.slices.begin(), one.slices.end(), [&](const WindowSlice& s) {
      return s.op == wanted.op && s.sample == wanted.sample && s.start == wanted.start && s.end == wanted.end;
    })) << t.table.ops[static_cast<size_t>(wanted.op)].name.str();
  }
}

TEST(TimelineWindow, LaysAForeignClockOverItsCall) {
  ExportStore x;
  fill_usual(&x);
  const ImportedTrace t(std::move(x.store));
  ASSERT_EQ(t.index.tracks().size(), 2u);
  const TimelineWindow window = read(t, {.begin = 0, .end = 100'000});
  std::map<int32_t, std::vector<WindowSlice>> by_track;
  for (const WindowRow& row : window.rows) {
    for (size_t i = row.first; i < row.last; ++i) by_track[row.track].push_back(window.slices[i]);
  }
  ASSERT_EQ(by_track[1].size(), 2u);
  EXPECT_EQ(by_track[1][0].start, 14'000) << "with the delegate call";
  EXPECT_EQ(by_track[1][0].end, 21'500);
  EXPECT_EQ(by_track[1][0].sum, 999) << "in cycles";
  EXPECT_EQ(samples_of(window), t.index.samples());
  EXPECT_EQ(read(t, {.begin = 0, .end = 100'000, .exact = 3}).samples, t.index.samples());
}

TEST(TimelineWindow, EmptyAndReversedWindowsHaveNoSlices) {
  const ImportedTrace t = ImportedTrace::artifact("add_mul");
  EXPECT_TRUE(read(t, {.begin = t.end, .end = t.begin}).slices.empty());
  EXPECT_TRUE(read(t, {.begin = t.end + 10, .end = t.end + 20}).slices.empty());
}

TEST(TimelineWindow, SaysWhenSamplesAreMissing) {
  ImportedTrace t = ImportedTrace::artifact("add_mul");
  t.load(0);
  ASSERT_TRUE(t.store.exec("DELETE FROM raw_sample WHERE (id & 4294967295) = 0").ok());
  TimelineWindow window;
  const Status s = read_window(t.store, t.index, {.begin = t.begin, .end = t.end + 1}, &window);
  EXPECT_EQ(s.code(), Error::InvalidExternalData);
  EXPECT_NE(s.message().find("samples"), std::string::npos);
}

}  // namespace
}  // namespace et::inspector
