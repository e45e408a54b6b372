// The panel Numerics without its window: what is compared, its figures beside the command's, and what it says when
// there is nothing to compare.
#include "gui/models/numerics_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/npy.h"
#include "inspector/analysis/ops/value_layout.h"
#include "inspector/report/gap_report.h"
#include "tests/golden/command.h"
#include "tests/gui/support/opened_trace.h"
#include "tests/support/run_inputs.h"

namespace et::gui::test {
namespace {

using State = NumericsModel::State;
using Against = NumericsRequest::Against;

struct NumericsModelTest : testing::Test {
  void SetUp() override {
    // et-check is no neighbour of the tests.
    const char* path = std::getenv("PATH");
    ::setenv("PATH", (std::string(ET_BIN_FOLDER) + ":" + (path == nullptr ? "" : path)).c_str(), 1);
  }
  void open(const std::vector<std::string>& files) {
    document.set_neighbours(false);
    document.open_files(files);
    jobs.finish();
    ASSERT_TRUE(document.error().ok()) << document.error().message();
    refresh();
  }
  void open_case(const std::string& name, const std::vector<std::string>& with = {"etrecord.bin", "program.pte"}) {
    std::vector<std::string> files = {artifact(name) + "/debug.etdp", artifact(name) + "/debug.bin"};
    for (const std::string& file : with) files.push_back(artifact(name) + "/" + file);
    open(files);
  }
  void refresh() {
    model.refresh(document);
    jobs.finish();
  }
  void measure() {
    model.measure(document);
    jobs.finish();
  }
  void against(const std::vector<std::string>& files) {
    model.request.against = Against::Files;
    model.request.files = files;
  }
  static std::string recorded(const std::string& name) {
    return std::string(ET_FIXTURES) + "/numeric_gap/" + name + ".npz";
  }
  std::string command(const std::string& arguments) {
    const golden::CommandResult r = golden::run_command(std::string(ET_BIN_FOLDER) + "/et-inspect gap " + arguments,
                                                        folder.path(), {"LC_ALL=C.UTF-8"}, 60);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return r.out;
  }

  TemporaryFolder folder;
  Jobs jobs;
  Document document{jobs};
  NumericsModel model;
};

TEST_F(NumericsModelTest, InputsThatNobodyKeepsAreFoundBesideTheRun) {
  const std::string model_folder = artifact("many_outputs");
  ASSERT_TRUE(et::test::write_record_without_inputs(model_folder + "/etrecord.bin", folder / "etrecord.bin"));
  const golden::CommandResult run =
      golden::run_command(std::string(ET_BIN_FOLDER) + "/et-run " + model_folder +
                              "/program.pte -q --zeros --etdump run.etdp --debug-buffer run.bin",
                          folder.path(), {"LC_ALL=C.UTF-8"}, 60);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  et::test::write_zeros(folder / "in0.npy", "3, 6", 18);
  document.set_neighbours(true);
  document.open_files({folder / "run.etdp", folder / "run.bin", folder / "etrecord.bin"});
  jobs.finish();
  ASSERT_TRUE(document.error().ok()) << document.error().message();
  refresh();
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_EQ(model.verdict(), NumericsVerdict::Clean);
  EXPECT_EQ(model.found_text(), "The graph was fed in0.npy, found beside the run, as far as is known.");
  EXPECT_EQ(model.fed().files, std::vector<std::string>{folder / "in0.npy"});
  EXPECT_FALSE(model.request.inputs.any()) << "nobody chose them";
  // What somebody chooses comes first; and nothing is looked for where that was said.
  model.request.inputs.ones = true;
  measure();
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_EQ(model.found_text(), "");
  EXPECT_TRUE(model.fed().ones);
  model.request.inputs = {};
  document.set_neighbours(false);
  measure();
  EXPECT_EQ(model.state(), State::Failed);
}

TEST_F(NumericsModelTest, TheGraphIsTheReferenceUnlessAnotherIsNamed) {
  open_case("lstm_xnnpack");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_NE(model.summary().find("the graph of"), std::string::npos) << model.summary();
  EXPECT_EQ(model.csv(), command(artifact("lstm_xnnpack") + "/debug.etdp -q --format csv"));
  EXPECT_EQ(model.first_text(), "");
}

TEST_F(NumericsModelTest, FiguresAreTheCommands) {
  for (const char* name : {"quantised_portable", "partial_delegation", "many_outputs"}) {
    SCOPED_TRACE(name);
    against({recorded(name)});
    open_case(name);
    ASSERT_EQ(model.state(), State::Ready) << model.explanation();
    EXPECT_EQ(model.csv(), command(artifact(name) + "/debug.etdp -q --format csv --against " + recorded(name)));
    ASSERT_FALSE(model.gap().rows.empty());
    for (size_t i = 0; i < model.gap().rows.size(); ++i) {
      EXPECT_FALSE(model.title(i).empty());
      EXPECT_EQ(model.cell(i, NumericsColumn::Snr) == "exact", model.row(i).figures.exact());
    }
  }
}

TEST_F(NumericsModelTest, InputsThatWereNotTheRunsAreToldAndOthersHelp) {
  model.request.inputs.zeros = true;
  open_case("add_mul");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  ASSERT_EQ(model.gap().first, 0U);
  EXPECT_EQ(model.row(0).role, inspector::GapRole::Unknown);
  EXPECT_FALSE(model.row(0).own.has_value());
  EXPECT_EQ(
      model.role_text(),
      "No op is known to add error, 0 only pass it on, of 2 it is not known (inputs not recorded: own error unknown)");
  EXPECT_EQ(model.verdict(), NumericsVerdict::OtherInputs);
  EXPECT_EQ(model.verdict_text(), "Other inputs, probably: no op can be blamed for what differs");
  EXPECT_EQ(model.cell(0, NumericsColumn::Role), "other inputs?");
  ASSERT_EQ(model.warnings().size(), 1U);
  EXPECT_NE(model.warnings()[0].find("own inputs are probably not the reference's"), std::string::npos);
  model.request.inputs = {};
  measure();
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_FALSE(model.gap().first.has_value());
  EXPECT_TRUE(model.warnings().empty());
}

TEST(NumericsVerdicts, RoundingThatNoOpAddsToIsNoFault) {
  inspector::Gap gap;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::Clean);
  std::vector<inspector::LoggedValue> values(2);
  values[0].dtype = "int8";
  values[1].dtype = "float32";
  for (size_t i = 0; i < 2; ++i) {
    inspector::GapRow row;
    row.value = i;
    row.diverges = true;
    row.role = inspector::GapRole::PassesOn;
    row.figures.elements = row.figures.finite = 4;
    row.figures.max_abs = i == 0 ? 2 : 0.5;
    row.figures.largest = 100;
    gap.rows.push_back(row);
  }
  gap.first = 0;
  gap.has_own = true;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::NoFault);
  EXPECT_EQ(off_by_text(gap, values),
            "within 2 quantisation steps of int8, 0.5% of the largest value in other tensors");
  gap.rows[1].diverges = false;
  EXPECT_EQ(off_by_text(gap, values), "within 2 quantisation steps of int8");
  gap.rows[1] = gap.rows[0];
  gap.rows[1].role = inspector::GapRole::Unknown;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::Undecided);
  gap.rows[1].role = inspector::GapRole::Adds;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::Faulty);
  gap.rows[1].role = inspector::GapRole::PassesOn;
  gap.has_own = false;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::Faulty) << "against another run nobody asks who adds";
  gap.quantised = true;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::Quantised) << "the price of that, perhaps";
  gap.inputs = inspector::GapInputs::Other;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::OtherInputs) << "that explains more";
  gap.quantised = false;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::OtherInputs);
  gap.rows[1].role = inspector::GapRole::Adds;
  EXPECT_EQ(verdict_of(gap), NumericsVerdict::Faulty) << "wrong for what it was fed, whatever that is";
}

TEST_F(NumericsModelTest, ThePlotLosesNoTensor) {
  against({recorded("quantised_portable")});
  open_case("quantised_portable");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  for (size_t m = 0; m < kNumericsMetrics; ++m) {
    model.metric = static_cast<NumericsMetric>(m);
    SCOPED_TRACE(metric_name(model.metric));
    const std::vector<NumericsPoint>& points = model.points();
    ASSERT_EQ(points.size(), model.gap().rows.size());
    size_t numbers = 0;
    for (const NumericsPoint& p : points) {
      EXPECT_EQ(p.kind == NumericsPoint::Kind::Exact && is_logarithmic(model.metric) && p.value > 0, false);
      if (p.kind != NumericsPoint::Kind::Number) continue;
      ++numbers;
      EXPECT_TRUE(std::isfinite(p.value));
      EXPECT_GE(p.value, model.least());
      EXPECT_LE(p.value, model.most());
    }
    EXPECT_GT(numbers, 0U);
    EXPECT_LT(model.least(), model.most());
  }
}

TEST_F(NumericsModelTest, WhatDivergesStandsAboveItsTolerance) {
  size_t compared = 0;
  for (const char* name : {"quantised_portable", "partial_delegation", "many_outputs"}) {
    SCOPED_TRACE(name);
    against({recorded(name)});
    open_case(name);
    ASSERT_EQ(model.state(), State::Ready) << model.explanation();
    for (const NumericsMetric metric : {NumericsMetric::Error, NumericsMetric::MaxAbs, NumericsMetric::Snr}) {
      model.metric = metric;
      for (const NumericsPoint& p : model.points()) {
        const std::optional<double> tolerance = model.tolerance_at(p.row);
        if (metric == NumericsMetric::Snr) {
          EXPECT_FALSE(tolerance.has_value()) << "it does not decide";
        }
        if (!tolerance || p.kind != NumericsPoint::Kind::Number) continue;
        ++compared;
        const std::string text = model.tolerance_text(p.row);
        EXPECT_FALSE(text.empty());
        // The words say where the dash stands: rounding of what it was fed counts where it is more.
        const auto& row = model.row(p.row);
        const bool by_floor = row.floor > row.tolerance * row.figures.largest;
        if (inspector::is_floating_name(model.value(p.row).dtype) && row.figures.largest > 0) {
          EXPECT_EQ(text.find("rounding of its inputs") != std::string::npos, by_floor) << text;
          const double at = metric == NumericsMetric::Error ? *tolerance : *tolerance / row.figures.largest;
          EXPECT_TRUE(text.starts_with(inspector::figure_text(at * 100) + " % of the largest value")) << text;
        }
        EXPECT_EQ(p.value > *tolerance * (1 + 1e-9), model.row(p.row).diverges) << model.title(p.row);
        EXPECT_GE(model.most(), *tolerance) << "the axis reaches it";
      }
    }
  }
  EXPECT_GT(compared, 0U);
}

TEST_F(NumericsModelTest, NanOfTheReferenceIsMarkedWhateverTheMetric) {
  against({recorded("add_mul")});
  open_case("add_mul");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  const inspector::LoggedValue& v = model.value(0);
  ASSERT_EQ(v.dtype, "float32");
  std::string array = npy_header(ScalarType::Float, v.shape);
  for (size_t i = 0; i < model.row(0).figures.elements; ++i) {
    const float nan = NAN;
    array.append(reinterpret_cast<const char*>(&nan), sizeof nan);
  }
  std::filesystem::create_directory(folder / "nan");
  std::ofstream(folder / ("nan/" + v.node + ".npy"), std::ios::binary) << array;
  against({folder / "nan"});
  measure();
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  ASSERT_EQ(model.gap().rows.size(), 1U);
  EXPECT_EQ(model.gap().first, 0U);
  for (size_t m = 0; m < kNumericsMetrics; ++m) {
    model.metric = static_cast<NumericsMetric>(m);
    ASSERT_EQ(model.points().size(), 1U);
    EXPECT_EQ(model.points()[0].kind, NumericsPoint::Kind::Broken) << metric_name(model.metric);
    EXPECT_LT(model.least(), model.most());
  }
  EXPECT_EQ(model.cell(0, NumericsColumn::Special).substr(0, 16), "NaN 0 instead of");
  EXPECT_EQ(model.cell(0, NumericsColumn::Mse), "") << "there is no pair of numbers";
}

TEST_F(NumericsModelTest, RowsSortAndAreSearched) {
  against({recorded("quantised_portable")});
  open_case("quantised_portable");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  const size_t all = model.gap().rows.size();
  std::vector<size_t> rows = model.shown(NumericsColumn::Error, true);
  ASSERT_EQ(rows.size(), all);
  for (size_t i = 1; i < rows.size(); ++i)
    EXPECT_GE(model.row(rows[i - 1]).figures.relative(), model.row(rows[i]).figures.relative());
  rows = model.shown(NumericsColumn::Snr, false);
  EXPECT_FALSE(model.row(rows.front()).figures.exact()) << "the worst first";
  EXPECT_TRUE(model.row(rows.back()).figures.exact());
  model.filter = "RELU float32";
  rows = model.shown(NumericsColumn::Order, false);
  ASSERT_FALSE(rows.empty());
  EXPECT_LT(rows.size(), all);
  for (const size_t i : rows) EXPECT_EQ(model.title(i), "aten.relu");
  model.filter = "no such op";
  EXPECT_TRUE(model.shown(NumericsColumn::Order, false).empty());
}

TEST_F(NumericsModelTest, TheTensorThatIsLookedAtIsTheSelectionsOfAllPanels) {
  against({recorded("quantised_portable")});
  open_case("quantised_portable");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_FALSE(model.gap().first) << "a step of its 8-bit integers, and what is made of them, is none";
  const std::vector<size_t> worst = model.shown(NumericsColumn::Error, true);
  EXPECT_EQ(model.chosen(), worst.front()) << "the largest error, where none diverges";
  EXPECT_NE(model.chosen(), 0U) << "the first tensor is exact";
  EXPECT_GT(model.row(*model.chosen()).figures.relative(), 0);
  const size_t last = model.gap().rows.size() - 1;
  model.choose(document, last, "source");
  jobs.finish();
  EXPECT_EQ(document.take_wanted_panel(), "source");
  EXPECT_EQ(document.selection().op, model.value(last).op_id);
  EXPECT_EQ(document.selection().line, model.value(last).line);
  EXPECT_TRUE(model.is_selected(document, last));
  ASSERT_NE(model.distributions(), nullptr);
  // And the other way round.
  document.select(select_node(*document.data(), model.value(0).node));
  EXPECT_TRUE(model.follow(document));
  EXPECT_EQ(model.chosen(), 0U);
  EXPECT_FALSE(model.follow(document)) << "nothing new";
}

TEST_F(NumericsModelTest, DistributionsCountEachElement) {
  against({recorded("partial_delegation")});
  open_case("partial_delegation");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  for (size_t i = 0; i < model.gap().rows.size(); ++i) {
    model.choose(document, i);
    jobs.finish();
    const inspector::Distributions* d = model.distributions();
    ASSERT_NE(d, nullptr) << model.distribution_problem();
    for (const inspector::Spread* s : {&d->got, &d->want}) {
      uint64_t counted = 0;
      for (const uint64_t n : s->bins) counted += n;
      EXPECT_EQ(counted, s->finite);
      EXPECT_EQ(s->elements, model.row(i).figures.elements);
      EXPECT_GE(s->least, d->low);
      EXPECT_LE(s->most, d->high);
    }
  }
}

TEST_F(NumericsModelTest, AnotherTraceOfTheStoreAndFilesOfAnotherRun) {
  const std::string path = folder / "store.db";
  for (const char* name : {"a", "b"}) ASSERT_TRUE(import_artifact("lstm", path, "debug.etdp", name).ok());
  open({path + "#a"});
  model.request.against = Against::Trace;
  model.request.trace = 2;
  measure();
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_FALSE(model.gap().has_own);
  for (const inspector::GapRow& row : model.gap().rows) EXPECT_TRUE(row.figures.exact());
  against({artifact("lstm") + "/debug.etdp", artifact("lstm") + "/debug.bin"});
  measure();
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_FALSE(model.gap().rows.empty());
  against({path + "#nowhere"});
  measure();
  EXPECT_EQ(model.state(), State::Failed);
  EXPECT_NE(model.explanation().find("nowhere"), std::string::npos) << model.explanation();
}

TEST_F(NumericsModelTest, WithoutTensorsItSaysHowToGetThem) {
  open({artifact("lstm") + "/etdump.etdp", artifact("lstm") + "/etrecord.bin", artifact("lstm") + "/program.pte"});
  EXPECT_EQ(model.state(), State::NoValues);
  ASSERT_EQ(model.commands().size(), 2U);
  EXPECT_EQ(model.commands()[0],
            "et-run " + artifact("lstm") + "/program.pte --etdump run.etdp --debug-buffer run.bin");
  open({artifact("lstm") + "/debug.etdp", artifact("lstm") + "/etrecord.bin"});
  EXPECT_EQ(model.state(), State::NoValues);
  ASSERT_EQ(model.commands().size(), 1U) << "the run is there, its buffer is not";
  EXPECT_NE(model.explanation().find("debug buffer, which is missing"), std::string::npos) << model.explanation();
  open({artifact("lstm") + "/etrecord.bin"});
  EXPECT_EQ(model.state(), State::NoDump);
  document.close();
  refresh();
  EXPECT_EQ(model.state(), State::NoTrace);
  EXPECT_EQ(model.csv(), "");
}

TEST_F(NumericsModelTest, WithoutARecordAnotherReferenceIsNamed) {
  open_case("lstm", {"program.pte"});
  EXPECT_EQ(model.state(), State::NoReference);
  EXPECT_FALSE(model.has_graph());
  against({});
  measure();
  EXPECT_EQ(model.state(), State::NoReference);
  against({artifact("lstm") + "/debug.etdp", artifact("lstm") + "/debug.bin"});
  measure();
  EXPECT_EQ(model.state(), State::Ready) << model.explanation();
}

TEST_F(NumericsModelTest, ARecordOfAnotherProgramIsNoReference) {
  open({artifact("lstm") + "/debug.etdp", artifact("lstm") + "/debug.bin",
        artifact("partial_delegation") + "/etrecord.bin"});
  EXPECT_EQ(model.state(), State::NoReference);
  EXPECT_NE(model.explanation().find("etrecord.bin"), std::string::npos) << model.explanation();
}

TEST_F(NumericsModelTest, TensorsThatMatchNothingAreListed) {
  against({recorded("partial_delegation")});
  open_case("quantised_portable");
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_EQ(model.gap().rows.size() + model.gap().missing.size(), model.run().values.size());
  EXPECT_NE(model.missing().find("Not compared"), std::string::npos);
}

TEST_F(NumericsModelTest, DamagedReferencesAreErrorsThatNameThem) {
  std::ofstream(folder / "x.npz", std::ios::binary) << "PK\x03\x04 and nothing that follows";
  against({folder / "x.npz"});
  open_case("lstm");
  EXPECT_EQ(model.state(), State::Failed);
  EXPECT_NE(model.explanation().find("x.npz"), std::string::npos) << model.explanation();
  against({folder / "missing.etdp"});
  measure();
  EXPECT_EQ(model.state(), State::Failed);
  EXPECT_NE(model.explanation().find("missing.etdp"), std::string::npos) << model.explanation();
}

TEST_F(NumericsModelTest, ADamagedDebugBufferLeavesWhatCanBeRead) {
  std::ifstream in(artifact("lstm") + "/debug.bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string path = folder / "cut.bin";
  size_t before = 1000;
  for (const size_t kept : {bytes.size(), bytes.size() / 2, size_t{64}}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(kept));
    against({recorded("lstm")});
    inspector::Store store;
    const std::string db = folder / ("store" + std::to_string(kept) + ".db");
    ASSERT_TRUE(inspector::Store::open(db, inspector::Store::Mode::ReadWrite, &store).ok());
    inspector::IngestInputs inputs;
    inputs.dump = artifact("lstm") + "/debug.etdp";
    inputs.record = artifact("lstm") + "/etrecord.bin";
    inputs.debug_buffer = path;
    inspector::IngestResult result;
    const Status status = inspector::ingest(store, inputs, nullptr, &result);
    ASSERT_TRUE(status.ok()) << status.message();
    store = inspector::Store();
    open({db});
    if (model.state() == State::NoValues) {
      EXPECT_LT(kept, bytes.size());
      EXPECT_FALSE(model.explanation().empty());
      before = 0;
      continue;
    }
    ASSERT_EQ(model.state(), State::Ready) << model.explanation();
    const size_t rows = model.gap().rows.size();
    EXPECT_LT(rows, before) << kept;
    before = rows;
  }
  EXPECT_LE(before, 1U) << "64 bytes are a tensor at most";
}

TEST_F(NumericsModelTest, AComparisonIsCancelled) {
  open_case("lstm");
  model.measure(document);
  EXPECT_EQ(model.state(), State::Working);
  model.cancel();
  jobs.finish();
  EXPECT_EQ(model.state(), State::Cancelled);
  measure();
  EXPECT_EQ(model.state(), State::Ready) << model.explanation();
}

TEST_F(NumericsModelTest, TheStoreIsNotLockedByWhatIsLookedAt) {
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("lstm", path, "debug.etdp").ok());
  against({recorded("lstm")});
  open({path});
  ASSERT_EQ(model.state(), State::Ready) << model.explanation();
  EXPECT_TRUE(import_artifact("add_mul", path, "debug.etdp").ok()) << "another program adds a trace";
}

}  // namespace
}  // namespace et::gui::test
