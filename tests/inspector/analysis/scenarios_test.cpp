// What-if: bounds that hold for models that were really delegated, and that add up.
#include "inspector/analysis/work/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/inspector/analysis/imported.h"

namespace et::inspector {
namespace {

struct Asked {
  explicit Asked(const std::string& name, const std::string& filter = "", bool machine = false) : in(name) {
    MachinePeaks peaks;
    Filter wanted;
    EXPECT_TRUE(read_machine(std::string(ET_FIXTURES) + "/work/machine.toml", &peaks).ok());
    EXPECT_TRUE(Filter::parse(filter, &wanted).ok());
    Status s = load_shown_ops(in.store, 1, {}, &shown);
    if (s.ok()) s = scenarios(in.store, shown, wanted, machine ? &peaks : nullptr, {}, &all);
    EXPECT_TRUE(s.ok()) << s.message();
  }
  const Scenario* of(const std::string& id) const {
    const auto at = std::find_if(all.list.begin(), all.list.end(), [&](const Scenario& s) { return s.id == id; });
    return at == all.list.end() ? nullptr : &*at;
  }
  test::ImportedFixture in;
  OpTable shown;
  Scenarios all;
};

// The same model in portable kernels and in XNNPACK.
TEST(Scenarios, WhatWasDelegatedTakesNoLessThanTheBound) {
  for (const auto& [portable, delegated] :
       {std::pair{"lstm", "lstm_xnnpack"}, std::pair{"external_weights", "external_weights_xnnpack"}}) {
    const Asked before(portable), after(delegated);
    const Scenario* const s = before.of("delegated");
    ASSERT_NE(s, nullptr) << portable;
    EXPECT_LE(before.all.after(*s), after.all.total_ns) << portable;
    EXPECT_GT(s->saved_ns, 0.5 * before.all.usual_ns) << "nearly all of it is kernels";
  }
}

TEST(Scenarios, AddUpToTheRowsThatTheyAreAbout) {
  for (const char* name :
       {"partial_delegation", "mobilenet_v2_035_xnnpack_int8", "control_flow_cond", "multi_method"}) {
    const Asked a(name, "", true);
    EXPECT_GT(a.all.usual_ns, 0);
    for (const Scenario& s : a.all.list) {
      EXPECT_GE(s.saved_ns, 0) << s.id;
      EXPECT_LE(s.saved_ns, s.touched_ns + 1e-6) << s.id;
      EXPECT_LE(s.touched_ns, a.all.usual_ns + 1e-6) << s.id;
      EXPECT_FALSE(s.text.empty() || s.assumes.empty());
    }
    const Scenario *const runtime = a.of("no-runtime"), *const roof = a.of("at-roof"), *const all = a.of("all-at-roof");
    ASSERT_TRUE(runtime != nullptr && roof != nullptr && all != nullptr) << name;
    EXPECT_NEAR(runtime->touched_ns + roof->touched_ns, a.all.usual_ns, 1e-6) << "each row is an op's or the runtime's";
    EXPECT_GE(all->saved_ns, roof->saved_ns);
    EXPECT_GE(all->saved_ns, runtime->saved_ns);
  }
}

TEST(Scenarios, WithoutAMachineThereAreNoRoofs) {
  const Asked a("mobilenet_v2_035_xnnpack_int8");
  EXPECT_EQ(a.of("at-roof"), nullptr);
  EXPECT_EQ(a.of("delegated-at-roof"), nullptr);
  const Scenario* const copies = a.of("no-copies");
  ASSERT_NE(copies, nullptr) << "it has transposes";
  double transposes = 0;
  for (const OpEntry& op : a.shown.ops) transposes += op.name.str().starts_with("Transpose") ? op.cost : 0;
  EXPECT_GE(copies->saved_ns, transposes - 1e-6);
  EXPECT_GT(transposes, 0);
}

TEST(Scenarios, AFilterLeavesTheOtherOpsAsTheyAre) {
  const Asked all("partial_delegation"), some("partial_delegation", "type:mean"),
      none("partial_delegation", "type:nothing");
  ASSERT_NE(some.of("delegated"), nullptr);
  EXPECT_EQ(some.of("delegated")->rows, 1);
  EXPECT_LT(some.of("delegated")->saved_ns, all.of("delegated")->saved_ns);
  EXPECT_EQ(some.all.usual_ns, all.all.usual_ns);
  EXPECT_TRUE(none.all.list.empty());
}

}  // namespace
}  // namespace et::inspector
