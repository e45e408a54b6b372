// Checks in the window: which are shown, what is chosen, what is drawn, and that new results arrive.
#include "gui/models/checks_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "inspector/ingest/check_results.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

struct ChecksModelTest : testing::Test {
  void SetUp() override { path = folder / "store.db"; }
  void add(std::initializer_list<int> runs) const {
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    for (const int run : runs) {
      const Status status = inspector::import_check_file(
          store, std::string(ET_FIXTURES) + "/checks/run_" + std::to_string(run) + ".json");
      ASSERT_TRUE(status.ok()) << status.message();
    }
  }
  void open() {
    document.open_files({path});
    refresh();
    ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  }
  void refresh() {
    jobs.finish();
    model.refresh(document);
    jobs.finish();
  }
  TemporaryFolder folder;
  std::string path;
  Jobs jobs;
  Document document{jobs};
  ChecksModel model;
};

TEST_F(ChecksModelTest, AStoreOfChecksAloneIsOpened) {
  add({1, 2, 3, 4, 5, 6});
  open();
  EXPECT_EQ(document.data(), nullptr);
  ASSERT_EQ(model.checks().size(), 3U);
  EXPECT_EQ(model.failing(), 1U);
  // What fails comes first, and is looked at.
  EXPECT_EQ(model.checks()[static_cast<size_t>(model.shown()[0])].key.file, "models/lstm.bpte");
  EXPECT_EQ(model.chosen_index(), model.shown()[0]);
  EXPECT_EQ(model.point_index(), 5);
  ASSERT_EQ(model.detail().outputs.size(), 1U);
  EXPECT_EQ(worst_place(model.detail().outputs[0]), "[0, 0, 3]: ∞ (got ∞, expected 0.3)");
}

TEST(CheckLabels, HaveNoMoreFoldersThanTellThemApart) {
  const auto labels = [](const std::vector<inspector::CheckKey>& keys) {
    std::vector<inspector::CheckSeries> checks;
    for (const inspector::CheckKey& key : keys) checks.emplace_back().key = key;
    return check_labels(checks);
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels({{"/a/b/cond/bundled.bpte", "forward", 0},
                    {"/a/b/cond/bundled.bpte", "forward", 1},
                    {"/a/b/map/bundled.bpte", "forward", 0},
                    {"/other/vit.bpte", "forward", 0}}),
            (Labels{"cond/bundled.bpte · case 0", "cond/bundled.bpte · case 1", "map/bundled.bpte · case 0",
                    "vit.bpte · case 0"}));
  EXPECT_EQ(labels({{"/a/x/m.bpte", "forward", 0}, {"/b/x/m.bpte", "encode", 0}, {"m.bpte", std::nullopt, {}}}),
            (Labels{"a/x/m.bpte · forward · case 0", "b/x/m.bpte · encode · case 0", "m.bpte · (no method)"}));
  EXPECT_EQ(labels({{"/a/x/m.bpte", "forward", 0}}), (Labels{"m.bpte · forward · case 0"}));
  EXPECT_TRUE(labels({}).empty());
}

TEST(CheckRuns, AreToldApartByAsMuchOfTheirTimeAsThatTakes) {
  inspector::CheckSeries check;
  const auto labels = [&](const std::vector<std::string>& times) {
    check.points.clear();
    std::vector<std::string> out;
    for (const std::string& time : times) check.points.emplace_back().started = time;
    for (size_t i = 0; i < times.size(); ++i) out.push_back(run_label(check, i));
    return out;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(labels({"2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z"}), (Texts{"11-21", "11-22"}));
  EXPECT_EQ(labels({"2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z", "2026-11-22T09:30:01Z"}),
            (Texts{"11-21 08:00", "11-22 08:00", "11-22 09:30"}));
  EXPECT_EQ(labels({"2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z", "2026-11-22T08:00:01Z"}),
            (Texts{"11-21 08:00:00", "11-22 08:00:00", "11-22 08:00:01"}));
  EXPECT_EQ(labels({"2026-11-22T08:00:00Z", "2026-11-22T08:00:07Z"}), (Texts{"08:00:00", "08:00:07"}));
  EXPECT_EQ(labels({"2026-11-22T08:00:00Z", "2026-11-22T09:00:07Z"}), (Texts{"08:00", "09:00"}));
  // What cannot tell two runs apart is not mixed with times that can.
  EXPECT_EQ(labels({"2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z", "2026-11-22T08:00:00Z"}),
            (Texts{"#1", "#2", "#3"}));
  EXPECT_EQ(labels({"2026-11-22T08:00:00Z", "2026-11-22T08:00:00Z", ""}), (Texts{"#1", "#2", "#3"}));
}

TEST(CheckRuns, WithoutAChangeSayWhy) {
  inspector::CheckSeries check;
  inspector::CheckPoint run;
  check.points = {run};
  EXPECT_NE(no_change(check).reason.find("no time"), std::string::npos);
  run.median_ns = 100;
  check.points = {run};
  EXPECT_NE(no_change(check).reason.find("samples"), std::string::npos);
  run.interval.emplace();
  check.points = {run};
  EXPECT_NE(no_change(check).reason.find("only run"), std::string::npos);
  inspector::CheckPoint other = run;
  other.host = "phone";
  check.points = {other, run};
  EXPECT_NE(no_change(check).reason.find("on this host"), std::string::npos);
  check.points = {run, run};
  EXPECT_NE(no_change(check).reason.find("overlap"), std::string::npos);
  EXPECT_EQ(no_change(check).word, "noise");
}

TEST(CheckRuns, AWideIntervalSaysWhatItHides) {
  const inspector::TimeUnit unit{};
  inspector::CheckPoint run;
  EXPECT_EQ(measured_text(run, unit), "");
  run.median_ns = 100;
  run.samples = 1;
  EXPECT_NE(measured_text(run, unit).find("one execution"), std::string::npos);
  run.samples = 19;
  EXPECT_NE(measured_text(run, unit).find("too few"), std::string::npos);
  run.interval.emplace();
  run.interval->low = 95;
  run.interval->high = 105;
  EXPECT_NE(measured_text(run, unit).find("19 executions"), std::string::npos);
  EXPECT_EQ(measured_text(run, unit).find("so wide"), std::string::npos);
  run.interval->high = 300;
  EXPECT_NE(measured_text(run, unit).find("so wide"), std::string::npos);
}

TEST_F(ChecksModelTest, FilterAndFailedOnly) {
  add({1, 2, 3, 4, 5, 6});
  open();
  model.filter = "ADD_MUL case 1";
  EXPECT_EQ(model.shown(), std::vector<int32_t>{1});
  model.filter = "failed: values";
  EXPECT_EQ(model.shown(), std::vector<int32_t>{2});
  model.filter = "nothing";
  EXPECT_TRUE(model.shown().empty());
  EXPECT_EQ(model.csv(), "");
  model.filter.clear();
  EXPECT_EQ(model.shown().size(), 3U);
  model.failed_only = true;
  EXPECT_EQ(model.shown(), std::vector<int32_t>{2});
}

TEST_F(ChecksModelTest, PlotHasGapsWhereThereIsNoTimeAndMarksFailures) {
  add({1, 2, 3, 4, 5, 6});
  open();
  const CheckPlot& lstm = model.plot();
  ASSERT_EQ(lstm.time.size(), 6U);
  EXPECT_TRUE(std::isnan(lstm.time[3])) << "timeout";
  EXPECT_EQ(lstm.failed, (std::vector<double>{3, 5}));
  EXPECT_EQ(lstm.parts, (std::vector<int32_t>{0, 0, 0, 0, 0, 1})) << "another host";
  EXPECT_TRUE(std::isnan(lstm.error[5])) << "infinite";
  for (const size_t i : {0, 1, 2, 4, 5}) {
    EXPECT_LE(lstm.low[i], lstm.time[i]);
    EXPECT_LE(lstm.time[i], lstm.high[i]);
    EXPECT_LE(lstm.high[i], lstm.longest);
  }
  model.choose(document, 0);
  jobs.finish();
  EXPECT_EQ(model.plot().failed, (std::vector<double>{2, 3})) << "slower, wrong values";
  EXPECT_EQ(model.plot().worst, 0.5);
  EXPECT_TRUE(model.plot().has_error);
}

TEST_F(ChecksModelTest, OneColdExecutionIsNoPartOfTheLineOfMedians) {
  add({1, 2, 3});
  {
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    const char* const kOne =
        "UPDATE raw_check_case SET samples = 1 WHERE run = (SELECT id FROM raw_check_run ORDER BY started LIMIT 1)";
    ASSERT_TRUE(store.exec(kOne).ok());
  }
  open();
  EXPECT_EQ(model.plot().single, (std::vector<double>{0}));
  EXPECT_EQ(model.plot().parts, (std::vector<int32_t>{0, 1, 1}));
}

TEST_F(ChecksModelTest, ARunIsHitByItsColumn) {
  add({1, 2, 3});
  open();
  EXPECT_EQ(model.point_at(-0.6), -1);
  EXPECT_EQ(model.point_at(-0.4), 0);
  EXPECT_EQ(model.point_at(1.4), 1);
  EXPECT_EQ(model.point_at(2.4), 2);
  EXPECT_EQ(model.point_at(2.6), -1);
  EXPECT_EQ(model.point_at(std::nan("")), -1);
}

TEST_F(ChecksModelTest, ChoosingARunOpensItsTrace) {
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  ASSERT_TRUE(import_artifact("add_mul", path, "debug.etdp").ok());
  add({1, 2, 4});
  open();
  ASSERT_NE(document.data(), nullptr);
  EXPECT_EQ(document.data()->trace_id(), 2);
  model.choose(document, 0);
  jobs.finish();
  model.choose_point(document, 0);
  refresh();
  EXPECT_EQ(document.data()->trace_id(), 1);
  EXPECT_EQ(model.chosen_index(), 0) << "the choice outlives the change of trace";
  EXPECT_EQ(model.point_index(), 0);
  model.choose_point(document, 1);  // without a trace: what is open stays
  refresh();
  EXPECT_EQ(document.data()->trace_id(), 1);
  EXPECT_EQ(model.point_index(), 1);
  model.choose_point(document, 2);
  refresh();
  EXPECT_EQ(document.data()->trace_id(), 2);
  ASSERT_EQ(model.detail().explanations.size(), 1U);
  EXPECT_EQ(model.detail().explanations[0].op, "aten::mul.out");
}

TEST_F(ChecksModelTest, NewResultsArrive) {
  add({1, 2});
  open();
  EXPECT_EQ(model.chosen()->points.size(), 2U);
  model.choose(document, 1);
  jobs.finish();
  add({3});
  EXPECT_TRUE(document.poll());
  refresh();
  EXPECT_EQ(model.chosen()->points.size(), 3U);
  EXPECT_EQ(model.chosen_index(), 1);
  EXPECT_EQ(model.point_index(), 2) << "the newest stays in view";
}

TEST_F(ChecksModelTest, StoresWithoutChecksSaySo) {
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  open();
  EXPECT_TRUE(model.checks().empty());
  EXPECT_FALSE(model.too_old());
  EXPECT_EQ(model.chosen(), nullptr);
  EXPECT_EQ(model.point(), nullptr);
  EXPECT_EQ(model.csv(), "");
  model.choose_point(document, 0);
  document.close();
  refresh();
  EXPECT_EQ(model.error(), "");
}

TEST_F(ChecksModelTest, CsvIsThatOfTheCommand) {
  add({1, 4});
  open();
  const std::string csv = model.csv();
  EXPECT_TRUE(csv.starts_with("check_run_id,started,host,label,file,method,case_index")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 6);
  EXPECT_NE(csv.find(",NaN,"), std::string::npos);
}

}  // namespace
}  // namespace et::gui::test
