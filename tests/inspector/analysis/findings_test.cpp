// What doctor, the window's Overview and the JSON report say of a trace comes from one list of rules; a contributor's
// rule joins it by a file and a row.
#include <gtest/gtest.h>

#include <algorithm>

#include "inspector/analysis/findings/finding.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector {

void find_all_zero(FindingContext& context);  // the example of CONTRIBUTING.md

namespace test {
namespace {

std::vector<Finding> findings_of(const ImportedFixture& fixture, std::span<const FindingRule> rules) {
  std::vector<Finding> found;
  const Status status = find_findings(fixture.store, fixture.table.trace_id, &found, rules);
  EXPECT_TRUE(status.ok()) << status.message();
  return found;
}

const Finding* named(const std::vector<Finding>& findings, const std::string& id) {
  const auto it = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.id == id; });
  return it == findings.end() ? nullptr : &*it;
}

TEST(Findings, AGoodTraceIsSaidToBeGood) {
  const std::vector<Finding> found = findings_of(ImportedFixture("add_mul"), finding_rules());
  for (const char* id : {"dump", "record-pairing", "program-pairing", "linked-time"}) {
    const Finding* finding = named(found, id);
    ASSERT_NE(finding, nullptr) << id;
    EXPECT_EQ(finding->severity, "ok") << finding->text;
    EXPECT_EQ(finding->advice, "") << id;
  }
}

TEST(Findings, WithoutAnETRecordTheAdviceNamesTheExportOption) {
  const std::vector<Finding> found = findings_of(ImportedFixture("add_mul", false, false), finding_rules());
  const Finding* finding = named(found, "no-record");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_NE(finding->advice.find("generate_etrecord=True"), std::string::npos);
}

// The cold and the warm executions are blocks of their own with the same ops.
TEST(Findings, AKernelOfTwoBlocksIsOneKernel) {
  ImportedFixture fixture("partial_delegation", true, true);
  const auto pairing = [&] {
    const std::vector<Finding> found = findings_of(fixture, finding_rules());
    const Finding* const finding = named(found, "record-pairing");
    return finding == nullptr ? "" : finding->text;
  };
  const std::string once = pairing();
  EXPECT_NE(once.find(" kernels and "), std::string::npos) << once;
  // Another block of the same method, with fewer of its ops.
  ASSERT_TRUE(
      fixture.store
          .exec("INSERT INTO raw_block SELECT 99, trace, 99, name, kind, method, method_via, method_confidence, "
                "bundled_input_index, runs, total, cold, warm_mean, warm_p50 FROM raw_block WHERE id = (SELECT "
                "max(block) FROM raw_op WHERE kind = 'kernel')")
          .ok());
  ASSERT_TRUE(
      fixture.store
          .exec("CREATE TEMP TABLE more AS SELECT * FROM raw_op WHERE kind IN ('kernel', 'delegate_call') LIMIT "
                "2; UPDATE more SET id = id + 1000, block = 99; INSERT INTO raw_op SELECT * FROM more")
          .ok());
  EXPECT_EQ(pairing(), once);
}

TEST(Findings, AnETRecordOfAnotherProgramIsAnErrorAndSaidOnce) {
  // lstm was exported, add_mul ran.
  ImportedFixture fixture("add_mul", false, false);
  IngestInputs in;
  in.dump = std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp";
  in.record = std::string(ET_FIXTURES) + "/artifacts/lstm/etrecord.bin";
  IngestResult result;
  ASSERT_TRUE(ingest(fixture.store, in, {}, &result).ok());
  std::vector<Finding> found;
  ASSERT_TRUE(find_findings(fixture.store, result.trace_id, &found).ok());
  const Finding* finding = named(found, "record-pairing");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, "error");
  EXPECT_EQ(named(found, "record-mismatch"), nullptr) << "the diagnostic says the same again";
}

TEST(Findings, TheWorstIsReadFirst) {
  ImportedFixture fixture("add_mul", false, false);
  ASSERT_TRUE(fixture.store
                  .exec("INSERT INTO raw_diagnostic SELECT id, 'lost-events', 'data-loss', 1, 'lost', '' FROM "
                        "raw_trace")
                  .ok());
  std::vector<std::string> severities;
  for (const Finding& f : findings_of(fixture, finding_rules())) severities.push_back(f.severity);
  const std::vector<std::string> order = {"error", "data-loss", "warning", "info", "ok"};
  EXPECT_TRUE(std::is_sorted(severities.begin(), severities.end(), [&](const auto& a, const auto& b) {
    return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
  }));
  EXPECT_EQ(severities.front(), "data-loss");
  EXPECT_EQ(severities.back(), "ok");
}

const Finding* of_reason(const std::vector<Finding>& findings, const std::string& reason) {
  const auto it = std::find_if(findings.begin(), findings.end(),
                               [&](const Finding& f) { return f.time && f.time->reason_id == reason; });
  return it == findings.end() ? nullptr : &*it;
}

TEST(Findings, UnlinkedTimeIsGroupedByReasonAndAddsUpToTheRest) {
  for (const char* name : {"add_mul", "partial_delegation", "lstm_xnnpack", "lstm", "demo_delegate_mapping"}) {
    for (const bool program : {true, false}) {
      SCOPED_TRACE(name);
      const ImportedFixture fixture(name, true, program);
      const std::vector<Finding> found = findings_of(fixture, finding_rules());
      double unlinked = 0;
      for (const Finding& f : found) {
        if (!f.time) continue;
        unlinked += f.time->share;
        EXPECT_FALSE(f.advice.empty()) << f.text;
        const bool around =
            f.text.find("(framework)") != std::string::npos || f.text.find(" call") != std::string::npos;
        EXPECT_EQ(f.time->ops == 0, around) << f.text << ": calls and the runtime's own time are no ops";
        EXPECT_NE(f.text.find(f.time->example), std::string::npos) << f.text;
      }
      const Finding* linked = named(found, "linked-time");
      ASSERT_NE(linked, nullptr);
      OpTable shown;
      ASSERT_TRUE(load_shown_ops(fixture.store, fixture.table.trace_id, {}, &shown).ok());
      double variation = 0, total = 0;
      for (const OpBlock& b : shown.blocks) {
        if (b.kind == "execute") total += b.cost, variation += b.variation;
      }
      EXPECT_NEAR(std::stod(linked->text), 100 * (1 - unlinked - variation / total), 0.051)
          << "all shares are of one whole: " << linked->text;
    }
  }
}

TEST(Findings, ABuildForDebuggingIsSaidFirst) {
  EXPECT_EQ(slow_build_warning(""), "");
  EXPECT_EQ(slow_build_warning("gcc 12.2.0 optimized with assertions"), "");
  EXPECT_NE(slow_build_warning("gcc 12.2.0 not optimized with assertions").find("without optimization"),
            std::string::npos);
  EXPECT_NE(slow_build_warning("clang 17 optimized asan").find("sanitizer"), std::string::npos);
}

TEST(Findings, SharesAreOfTheBasis) {
  const ImportedFixture fixture("nanogpt_xnnpack_qd8");
  for (const char* name : {"warm", "total", "cold", "p99", "#1"}) {
    SCOPED_TRACE(name);
    OpTableOptions options;
    ASSERT_TRUE(parse_basis(name, &options.basis).ok());
    OpTable shown;
    ASSERT_TRUE(load_shown_ops(fixture.store, fixture.table.trace_id, options, &shown).ok());
    std::vector<Finding> found;
    std::vector<ExecutionNote> notes;
    ASSERT_TRUE(find_findings(fixture.store, shown, &found, &notes).ok());
    double unlinked = 0;
    for (const Finding& f : found) {
      if (!f.time) continue;
      unlinked += f.time->share;
      EXPECT_EQ(f.time->basis, options.basis);
      EXPECT_NE(f.text.find("of " + options.basis.whole()), std::string::npos) << f.text;
    }
    EXPECT_NEAR(unlinked, share_without_line(shown), 1e-6);
    EXPECT_GT(unlinked, 0);
    std::vector<ExecutionNote> again;
    ASSERT_TRUE(load_execution_notes(fixture.store, fixture.table.trace_id, &again).ok());
    EXPECT_EQ(notes.size(), again.size()) << "those that the findings were made of";
  }
}

TEST(Findings, WithoutAnETRecordThatIsTheReason) {
  const std::vector<Finding> found = findings_of(ImportedFixture("add_mul", false, false), finding_rules());
  const Finding* finding = of_reason(found, "no_record");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->advice.find("generate_etrecord=True"), std::string::npos);
}

TEST(Findings, OverheadIsNotSaidToBeMissingALink) {
  const std::vector<Finding> found = findings_of(ImportedFixture("partial_delegation"), finding_rules());
  ASSERT_NE(of_reason(found, "delegate_overhead"), nullptr);
  EXPECT_EQ(of_reason(found, "delegate_overhead")->severity, "info");
  EXPECT_EQ(of_reason(found, "needs_program"), nullptr);
}

// Of the many operators of a type the type alone names none.
TEST(Findings, WhatAnExecutionTookMoreInHasItsModuleOrLine) {
  const std::vector<Finding> layers = findings_of(ImportedFixture("external_weights"), finding_rules());
  ASSERT_NE(named(layers, "cold-start"), nullptr);
  EXPECT_NE(named(layers, "cold-start")->text.find("more in aten.addmm (instruction 1, a)"), std::string::npos)
      << named(layers, "cold-start")->text;
  const std::vector<Finding> root = findings_of(ImportedFixture("partial_delegation"), finding_rules());
  ASSERT_NE(named(root, "cold-start"), nullptr);
  EXPECT_NE(named(root, "cold-start")->text.find("more in aten.upsample_nearest2d.vec (models.py:93)"),
            std::string::npos)
      << named(root, "cold-start")->text;
  const std::vector<Finding> bare = findings_of(ImportedFixture("external_weights", false, false), finding_rules());
  ASSERT_NE(named(bare, "cold-start"), nullptr);
  EXPECT_NE(named(bare, "cold-start")->text.find("(instruction 1), "), std::string::npos)
      << named(bare, "cold-start")->text;
}

TEST(Findings, ATraceThatTheStoreLacksIsAnError) {
  const ImportedFixture fixture("add_mul");
  std::vector<Finding> found;
  const Status status = find_findings(fixture.store, 4711, &found);
  EXPECT_EQ(status.code(), Error::NotFound);
  EXPECT_NE(status.message().find("4711"), std::string::npos) << status.message();
}

TEST(Findings, TheExampleOfContributingIsARule) {
  constexpr FindingRule kRules[] = {{"all_zero", &find_all_zero}};
  ImportedFixture fixture("add_mul");
  EXPECT_TRUE(findings_of(fixture, kRules).empty());
  ASSERT_TRUE(fixture.store.exec("UPDATE raw_op SET sum = 0").ok());
  const std::vector<Finding> found = findings_of(fixture, kRules);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "all-zero");
}

}  // namespace
}  // namespace test
}  // namespace et::inspector
