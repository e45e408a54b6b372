// Roofline by mouse: rows of one operator open, and choose their ops.
#include "gui/models/roofline_model.h"

#include <imgui_te_utils.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/machine_measurement.h"
#include "inspector/analysis/work/machine.h"
#include "tests/gui/ui/cut_text.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct RooflineUiTest : UiTest {
  RooflineModel& roofline() { return model<RooflineModel>("roofline"); }
};

TEST_F(RooflineUiTest, RowsOfOneOperatorAreOneRowThatOpens) {
  open("mobilenet_v2_035_xnnpack_int8");
  solo("roofline");
  const std::vector<size_t> order = roofline().order_of_groups(RooflineColumn::Win, true);
  size_t group = order.size();
  for (size_t i = 0; i < order.size() && i < 6 && group == order.size(); ++i)
    if (roofline().groups()[order[i]].rows.size() > 1) group = order[i];
  ASSERT_LT(group, roofline().groups().size()) << "convolutions are several";
  const std::string row = "**/group/$$" + std::to_string(group) + "/##row";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Roofline##solo");
    t->ItemClick(row.c_str());
  });
  EXPECT_EQ(document().selection().ops, roofline().selection_of_group(group).ops);
  const size_t inside = roofline().order_in(group, RooflineColumn::Win, true).front();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Roofline##solo");
    t->ItemClick(("**/op/$$" + std::to_string(inside) + "/##row").c_str());
  });
  EXPECT_EQ(document().selection().op, roofline().roofline().rows[inside].op_id);
  for (const CutText& cut : cut_texts())
    ADD_FAILURE() << "text at " << cut.at.x << ", " << cut.at.y << " misses " << cut.missing;
}

/// A program of that name that is found on the PATH, and a cache of this test's own.
struct StandIn {
  StandIn(const std::string& folder, const std::string& script) {
    const std::string program = folder + "/et-run";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    for (const char* const name : {"PATH", "XDG_CACHE_HOME"}) {
      const char* const value = std::getenv(name);
      before.emplace_back(name, value == nullptr ? std::optional<std::string>() : value);
    }
    ::setenv("PATH", (folder + ":" + before[0].second.value_or("")).c_str(), 1);
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~StandIn() {
    for (const auto& [name, value] : before) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
  std::vector<std::pair<const char*, std::optional<std::string>>> before;
};

TEST_F(RooflineUiTest, AClickMeasuresTheMachineAndTheRoofsAreThere) {
  const std::string file = inspector::machine_file(inspector::host_name(), 1);
  const std::string name = file.substr(file.find_last_of('/') + 1);
  const StandIn stand_in(folder.path(), "d=\"$XDG_CACHE_HOME/et-inspect/machines\"\nmkdir -p \"$d\"\ncp '" ET_FIXTURES
                                        "/work/machine.toml' \"$d/" +
                                            name + "\"\n");
  open("partial_delegation");
  solo("roofline");
  ASSERT_FALSE(roofline().machine());
  const auto measure = [&] {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Roofline##solo");
      t->ItemClick("**/Measure this machine");
    });
    settle();
  };
  measure();
  ASSERT_TRUE(roofline().machine()) << "upstream's dump does not say its processor";
  EXPECT_GT(roofline().roofs().size(), 1U);
  const auto summary = roofline().summary();
  EXPECT_TRUE(std::any_of(summary.begin(), summary.end(), [](const std::string& line) {
    return line.find("does not say its processor") != std::string::npos;
  }));
}

TEST_F(RooflineUiTest, AMeasurementThatFailsSaysWhy) {
  const StandIn stand_in(folder.path(), "echo 'et-run: no room for the matrices' >&2\nexit 3\n");
  MachineMeasurement measurement;
  Jobs jobs;
  bool done = false;
  measurement.start(jobs, 1, [&] { done = true; });
  EXPECT_TRUE(measurement.runs());
  jobs.finish();
  EXPECT_FALSE(measurement.runs());
  EXPECT_FALSE(done);
  EXPECT_EQ(measurement.error(), "et-run: no room for the matrices");
}

}  // namespace
}  // namespace et::gui::test
