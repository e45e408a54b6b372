// Histograms hold every sample; the course over executions is thinned without losing extremes; subsets are regular.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gui/models/samples_model.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

int64_t sum_of(const Histogram& h) { return std::accumulate(h.counts.begin(), h.counts.end(), int64_t{0}); }

TEST(Histogram, HoldsEverySample) {
  std::vector<int64_t> skewed;
  for (int64_t i = 1; i < 5000; ++i) skewed.push_back(100 + i * i % 977 + (i % 100 == 0 ? i * 50 : 0));
  const std::vector<std::vector<int64_t>> cases = {{5}, {0, 0, 0}, {1, 2}, {7, 7, 7, 1000000}, {-3, 0, 4}, skewed};
  for (const std::vector<int64_t>& values : cases) {
    for (const bool logarithmic : {false, true}) {
      const Histogram h = make_histogram(values, logarithmic, 100);
      ASSERT_EQ(h.edges.size(), h.counts.size() + 1);
      EXPECT_LE(h.counts.size(), 101U);
      EXPECT_TRUE(std::is_sorted(h.edges.begin(), h.edges.end()));
      EXPECT_EQ(sum_of(h) + h.beyond, static_cast<int64_t>(values.size()));
      EXPECT_EQ(h.highest, *std::max_element(h.counts.begin(), h.counts.end()));
    }
  }
  EXPECT_TRUE(make_histogram({}, false).counts.empty());
}

TEST(Histogram, BinsHoldWhatLiesBetweenTheirEdges) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 3000; ++i) values.push_back(1000 + i * 37 % 451);
  const Histogram h = make_histogram(values, false);
  ASSERT_GT(h.counts.size(), 5U);
  for (size_t b = 0; b < h.counts.size(); ++b) {
    const auto inside = std::count_if(values.begin(), values.end(), [&](int64_t v) {
      return static_cast<double>(v) >= h.edges[b] && static_cast<double>(v) < h.edges[b + 1];
    });
    EXPECT_EQ(h.counts[b], inside) << b;
  }
}

TEST(Samples, AreThoseOfTheOp) {
  const OpenedTrace trace("partial_delegation");
  for (const inspector::OpEntry& op : trace.data->table.ops) {
    inspector::OpSamples samples;
    const Status status = inspector::load_op_samples(trace.store, op.id, kMaxSamples, &samples);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(samples.step, 1);
    EXPECT_EQ(static_cast<int64_t>(samples.durations.size()), op.count);
    EXPECT_EQ(std::accumulate(samples.durations.begin(), samples.durations.end(), int64_t{0}), op.sum);
  }
}

TEST(Samples, FewerThanTenWarmOnesHaveNoDistribution) {
  const OpenedTrace trace("partial_delegation");
  SamplesView view;
  for (int64_t i = 0; i < kFewestForP99; ++i) {
    EXPECT_TRUE(view.few());
    view.samples.durations.push_back(100 + i);
    view.samples.runs.push_back(-1);
    complete_samples_view(*trace.data, &view);
  }
  EXPECT_FALSE(view.few());
}

TEST(Samples, SubsetIsRegular) {
  const OpenedTrace trace("partial_delegation");
  const inspector::OpEntry& op = *std::max_element(trace.data->table.ops.begin(), trace.data->table.ops.end(),
                                                   [](auto& a, auto& b) { return a.count < b.count; });
  inspector::OpSamples all, some;
  ASSERT_TRUE(inspector::load_op_samples(trace.store, op.id, kMaxSamples, &all).ok());
  ASSERT_GE(all.durations.size(), 3U);
  ASSERT_TRUE(inspector::load_op_samples(trace.store, op.id, 2, &some).ok());
  EXPECT_EQ(some.total, all.total);
  EXPECT_EQ(some.step, (all.total + 1) / 2);
  ASSERT_LE(some.durations.size(), 2U);
  for (size_t i = 0; i < some.durations.size(); ++i) {
    EXPECT_EQ(some.durations[i], all.durations[i * static_cast<size_t>(some.step)]);
    EXPECT_EQ(some.runs[i], all.runs[i * static_cast<size_t>(some.step)]);
  }
  EXPECT_FALSE(inspector::load_op_samples(trace.store, 123456, 2, &some).ok());
  EXPECT_FALSE(inspector::load_op_samples(trace.store, op.id, 0, &some).ok());
}

TEST(Samples, CourseKeepsExtremes) {
  TraceData data;
  inspector::OpSamples samples;
  for (int64_t i = 0; i < 10000; ++i) {
    gui::Run run;
    run.id = i + 1;
    run.execution = static_cast<int32_t>(i);
    data.runs.push_back(run);
    samples.runs.push_back(run.id);
    samples.durations.push_back(i == 5555 ? 9000 : 100 + i % 7);
  }
  const Course thin = make_course(data, samples, 500);
  EXPECT_FALSE(thin.exact);
  EXPECT_LE(thin.position.size(), 500U);
  EXPECT_EQ(*std::max_element(thin.high.begin(), thin.high.end()), 9000);
  EXPECT_EQ(*std::min_element(thin.low.begin(), thin.low.end()), 100);
  EXPECT_TRUE(std::is_sorted(thin.position.begin(), thin.position.end()));
  const Course exact = make_course(data, samples, 10000);
  EXPECT_TRUE(exact.exact);
  EXPECT_EQ(exact.position[5555], 5555);
  EXPECT_EQ(exact.high[5555], 9000);
}

TEST(Samples, ModelFollowsTheOp) {
  Jobs jobs;
  Document document(jobs);
  document.open_files({artifact("partial_delegation") + "/etdump.etdp"});
  jobs.finish();
  SamplesModel model;
  model.refresh(document, jobs, 1);
  EXPECT_TRUE(model.reading());
  jobs.finish();
  ASSERT_NE(model.view(), nullptr) << model.status().message();
  EXPECT_EQ(model.op(), 1);
  EXPECT_EQ(model.view()->samples.op_id, document.data()->table.ops[1].id);
  const SamplesView& view = *model.view();
  EXPECT_EQ(sum_of(view.linear) + view.linear.beyond + std::ssize(view.cold), view.samples.total);
  EXPECT_NE(model.caption().find("sample"), std::string::npos);
  model.refresh(document, jobs, -1);
  EXPECT_EQ(model.view(), nullptr);
}

TEST(Histogram, EndsAtThe99thPercentileAndCountsWhatIsBeyond) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 300; ++i) values.push_back(1000 + i * 7 % 53);
  for (const int64_t outlier : {90'000, 12'000'000, 812'000}) values.push_back(outlier);
  const Histogram h = make_histogram(values, false);
  EXPECT_EQ(h.beyond, 3);
  EXPECT_EQ(h.beyond_lowest, 90'000);
  EXPECT_EQ(h.beyond_most, 12'000'000);
  EXPECT_LT(h.edges.back(), 1100);
  EXPECT_GT(h.counts.size(), 5U) << "the bins are of those that are shown";
  // All of them are on a logarithmic axis.
  const Histogram log = make_histogram(values, true);
  EXPECT_EQ(log.beyond, 0);
  EXPECT_EQ(sum_of(log), static_cast<int64_t>(values.size()));
}

TEST(Histogram, WithoutOutliersNothingIsBeyond) {
  std::vector<int64_t> even;
  for (int64_t i = 0; i < 400; ++i) even.push_back(1000 + i);
  EXPECT_EQ(make_histogram(even, false).beyond, 0);
  // A tick more is no outlier, nor are the few samples of a short run.
  EXPECT_EQ(make_histogram({100, 100, 100, 100, 100, 101}, false).beyond, 0);
  EXPECT_EQ(make_histogram({100, 9000}, false).beyond, 0);
  EXPECT_EQ(make_histogram({100, 101, 9000}, false).beyond, 1);
}

TEST(Histogram, OfFewSamplesSeveralMayBeFarOut) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 28; ++i) values.push_back(200 + i % 5);
  values.push_back(3'100);
  values.push_back(4'260);
  const Histogram h = make_histogram(values, false);
  EXPECT_EQ(h.beyond, 2);
  EXPECT_EQ(h.beyond_lowest, 3'100);
  EXPECT_LT(h.edges.back(), 210);
  // Half of them far out are no outliers.
  for (int64_t i = 0; i < 20; ++i) values.push_back(3'500 + i);
  EXPECT_EQ(make_histogram(values, false).beyond, 0);
}

TEST(Histogram, BinsAreAsWideAsTheRuleSays) {
  // Of 0 … 999 the quartiles are 499.5 apart: 2 * 499.5 / 10 is a hundred ticks.
  std::vector<int64_t> even(1000);
  std::iota(even.begin(), even.end(), 0);
  const Histogram h = make_histogram(even, false);
  EXPECT_NEAR(h.edges[1] - h.edges[0], 100, 1);
  // Quartiles in one place: the number of samples decides.
  std::vector<int64_t> piled(100, 500);
  for (int64_t i = 0; i < 20; ++i) piled.push_back(500 + i);
  const Histogram p = make_histogram(piled, false);
  EXPECT_GE(p.counts.size(), 4U);
  EXPECT_LE(p.counts.size(), 21U);
  EXPECT_EQ(sum_of(p), 120);
}

TEST(Samples, HistogramIsOfWarmExecutions) {
  TraceData data;
  SamplesView view;
  for (int64_t i = 0; i < 40; ++i) {
    gui::Run run;
    run.id = i + 1;
    run.execution = static_cast<int32_t>(i);
    run.cold = i == 0;
    data.runs.push_back(run);
    view.samples.runs.push_back(run.id);
    view.samples.durations.push_back(i == 0 ? 70'000 : i == 30 ? 9'000 : 100 + i % 5);
  }
  complete_samples_view(data, &view);
  EXPECT_EQ(sum_of(view.linear) + view.linear.beyond, 39);
  EXPECT_EQ(view.linear.beyond_most, 9'000);
  EXPECT_EQ(view.worst_run, 31) << "the slowest warm one";
  EXPECT_EQ(view.cold, std::vector<int64_t>{70'000});
  EXPECT_TRUE(view.course.cold.front());
  // One execution is shown, cold as it is.
  TraceData one;
  one.runs.push_back(data.runs.front());
  SamplesView single;
  single.samples.runs = {1};
  single.samples.durations = {70'000};
  complete_samples_view(one, &single);
  EXPECT_EQ(sum_of(single.linear), 1);
  EXPECT_EQ(single.worst_run, 1);
}

}  // namespace
}  // namespace et::gui::test
