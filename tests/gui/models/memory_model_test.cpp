// The memory panel's data: rectangles, hits, views, who is alive, where a tensor leads.
#include "gui/models/memory_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "inspector/text/format.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::MemoryPlan;
using inspector::PlanArena;

struct MemoryModelTest : testing::Test {
  void open(const std::string& name, bool with_program = true) {
    std::vector<std::string> files = {artifact(name) + "/etdump.etdp", artifact(name) + "/etrecord.bin"};
    if (with_program) files.push_back(artifact(name) + "/program.pte");
    document.set_neighbours(with_program);
    document.open_files(files);
    jobs.finish();
    ASSERT_NE(document.data(), nullptr) << document.error().message();
    model.refresh(document);
    jobs.finish();
    ASSERT_EQ(model.error(), "");
  }
  Jobs jobs;
  Document document{jobs};
  MemoryModel model;
};

TEST_F(MemoryModelTest, RectanglesAreOffsetsAndLifetimes) {
  open("memory_pools");
  ASSERT_TRUE(model.has_plan());
  const PlanArena& arena = *model.arena();
  EXPECT_EQ(arena.memory_id, 2);  // the largest is shown first
  const float width = 1000, height = 500;
  double area = 0;
  for (const MemoryRect& r : model.layout(width, height)) area += (r.x1 - r.x0) * (r.y1 - r.y0);
  double expected = 0;
  for (const auto& t : arena.tensors)
    expected += static_cast<double>(t.bytes) * static_cast<double>(t.last - t.first + 1);
  expected *= (width / static_cast<double>(arena.in_use.size())) * (height / static_cast<double>(arena.bytes));
  EXPECT_NEAR(area, expected, expected * 0.01);
}

TEST_F(MemoryModelTest, MiddleOfEveryRectangleHitsIt) {
  for (const char* name : {"partial_delegation", "lstm", "memory_pools"}) {
    open(name);
    for (size_t a = 0; a < model.plan().arenas.size(); ++a) {
      model.show_arena(static_cast<int>(a));
      for (const MemoryRect r : model.layout(1200, 600)) {
        const float x = (r.x0 + r.x1) / 2, y = (r.y0 + r.y1) / 2;
        const int32_t hit = model.hit(x, y);
        ASSERT_GE(hit, 0);
        // Tensors that share their bytes may lie over it.
        const auto& t = model.arena()->tensors[static_cast<size_t>(hit)];
        const int64_t at = model.instruction_at(x, 1200);
        EXPECT_LE(t.first, at);
        EXPECT_GE(t.last, at);
      }
    }
    EXPECT_EQ(model.hit(-5, -5), -1);
  }
}

TEST_F(MemoryModelTest, AllThatIsAliveAtTheChosenInstructionStandsOut) {
  open("partial_delegation");
  const PlanArena& arena = *model.arena();
  for (const int64_t at : {int64_t{0}, arena.instructions() / 2, arena.instructions() - 1}) {
    model.choose_instruction(at);
    const std::vector<int32_t> alive = arena.alive_at(at);
    // What wrote one of them is selected by the click: the others stay bright.
    for (const std::vector<int32_t>& highlighted : {std::vector<int32_t>{}, std::vector<int32_t>{alive.front()}}) {
      for (int32_t i = 0; i < static_cast<int32_t>(arena.tensors.size()); ++i)
        EXPECT_EQ(model.stands_out(i, highlighted), std::find(alive.begin(), alive.end(), i) != alive.end()) << i;
    }
  }
  model.search("no tensor is called so");
  EXPECT_FALSE(model.stands_out(arena.alive_at(model.instruction()).front(), {}));
}

TEST_F(MemoryModelTest, DelegatesHaveTheWeightsThatTheyAskForByName) {
  for (const char* name : {"lstm_xnnpack", "partial_delegation", "external_weights_xnnpack"}) {
    open(name);
    ASSERT_EQ(model.named_weights().size(), model.plan().delegates.size());
    int64_t known = 0, named = 0;
    for (const auto& weights : model.named_weights()) known += weights.value_or(0);
    for (const auto& s : model.plan().segments) named += s.content.starts_with("named data") ? s.bytes : 0;
    EXPECT_GE(known, named) << name;
    EXPECT_EQ(known > 0, std::string(name) != "external_weights_xnnpack") << "what is in another file is not known";
  }
}

TEST_F(MemoryModelTest, ZoomKeepsThePlaceAndStaysInside) {
  open("lstm");
  const MemoryView all = model.whole();
  EXPECT_EQ(model.view(), all);
  const double x = all.x0 + 0.25 * (all.x1 - all.x0);
  model.zoom(0.25, 0.5, 0.5, 1);
  EXPECT_NEAR(model.view().x0 + 0.25 * (model.view().x1 - model.view().x0), x, 1e-9);
  EXPECT_NEAR(model.view().x1 - model.view().x0, (all.x1 - all.x0) / 2, 1e-9);
  model.pan(100, 100);
  EXPECT_LE(model.view().x1, all.x1 + 1e-9);
  EXPECT_LE(model.view().y1, all.y1 + 1e-9);
  for (int i = 0; i < 100; ++i) model.zoom(0.5, 0.5, 0.5, 0.5);
  EXPECT_GE(model.view().x1 - model.view().x0, 1.9);
  for (int i = 0; i < 200; ++i) model.zoom(0.1, 0.9, 2, 2);
  EXPECT_NEAR(model.view().x1, all.x1, 1e-9);
  EXPECT_NEAR(model.view().y0, 0, 1e-9);
}

TEST_F(MemoryModelTest, ListsHoldersOfThePeakThenOfTheChosenInstruction) {
  open("lstm");
  EXPECT_TRUE(model.at_peak());
  EXPECT_EQ(model.instruction(), model.arena()->peak_at);
  const auto check = [&] {
    int64_t before = INT64_MAX;
    for (const int32_t i : model.alive()) {
      const auto& t = model.arena()->tensors[static_cast<size_t>(i)];
      EXPECT_LE(t.first, model.instruction());
      EXPECT_GE(t.last, model.instruction());
      EXPECT_LE(t.bytes, before);
      before = t.bytes;
    }
  };
  check();
  const size_t at_peak = model.alive().size();
  model.choose_instruction(0);
  EXPECT_FALSE(model.at_peak());
  check();
  EXPECT_NE(model.alive().size(), at_peak);
  model.choose_instruction({});
  EXPECT_EQ(model.alive().size(), at_peak);
}

TEST_F(MemoryModelTest, PeakFactsAreTrue) {
  for (const char* name : {"lstm", "partial_delegation", "mobilenet_v2_035", "nanogpt_xnnpack_qd4"}) {
    SCOPED_TRACE(name);
    open(name);
    const std::vector<std::string> facts = model.peak_facts();
    ASSERT_FALSE(facts.empty());
    const PlanArena& a = *model.arena();
    EXPECT_NE(facts[0].find(std::to_string(a.alive_at(a.peak_at).size()) + " live tensor"), std::string::npos)
        << facts[0];
    for (const std::string& fact : facts) {
      if (!fact.starts_with("Without the largest")) continue;
      const auto& largest = a.tensors[static_cast<size_t>(a.alive_at(a.peak_at).front())];
      int64_t without = 0;
      for (int64_t i = -1; i <= a.instructions(); ++i)
        without = std::max(without, a.used_at(i) - (largest.first <= i && i <= largest.last ? largest.bytes : 0));
      EXPECT_NE(fact.find(inspector::format_bytes(without) + " ("), std::string::npos) << fact;
    }
  }
}

TEST(MemoryBeside, NamesWhatIsNotInAnArena) {
  inspector::MemoryPlan plan;
  EXPECT_EQ(memory_beside(plan, "forward"), "");
  plan.methods.resize(2);
  plan.methods[0].name = "forward";
  plan.methods[0].constant_bytes = 2048;
  plan.methods[1].name = "encode";
  plan.methods[1].constant_bytes = 1 << 20;
  plan.delegates.resize(3);
  for (auto& d : plan.delegates) d.method = "forward";
  plan.delegates[0].payload_bytes = 1024;
  plan.delegates[1].payload_bytes = 1024;
  plan.delegates[1].weights_bytes = 4096;
  plan.runtime = {{"forward", "planned:1", 10, 10, 1}, {"forward", "method", 0, 3072, 1}, {"encode", "temp", 0, 99, 1}};
  plan.segments.resize(3);
  plan.segments[0] = {0, 0, 500, "constants"};
  plan.segments[1] = {1, 500, 1024, "named data 38723a"};
  plan.segments[2] = {2, 1524, 4096, "named data e7bbea"};
  EXPECT_EQ(memory_beside(plan, "forward"),
            "constants in the program 2.0 KiB · payloads of 3 delegates 2.0 KiB · weights of delegates 4.0 KiB · named "
            "data of the program (weights of delegates) 5.0 KiB · method allocator at run time 3.0 KiB");
}

TEST_F(MemoryModelTest, TensorsLeadToWhatWritesThemAndBack) {
  open("partial_delegation");
  size_t led = 0;
  for (size_t i = 0; i < model.arena()->tensors.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    const Selection s = model.target(*document.data(), index);
    if (s.empty()) continue;
    ++led;
    document.select(s);
    if (model.arena()->tensors[i].producer < 0) continue;
    const auto& lit = model.highlighted(document);
    EXPECT_TRUE(std::binary_search(lit.begin(), lit.end(), index)) << s.label;
  }
  EXPECT_EQ(led, model.arena()->tensors.size());
  document.select({});
  EXPECT_TRUE(model.highlighted(document).empty());
  EXPECT_TRUE(model.target(*document.data(), 999).empty());
}

TEST_F(MemoryModelTest, WithoutAProgramThereIsNoPlan) {
  open("partial_delegation", false);
  EXPECT_FALSE(model.has_plan());
  EXPECT_TRUE(model.plan().empty());
  EXPECT_TRUE(model.layout(100, 100).empty());
  EXPECT_EQ(model.csv(), "");
  EXPECT_TRUE(model.alive().empty());
}

TEST_F(MemoryModelTest, CsvHasEveryTensor) {
  open("multi_method");
  size_t tensors = 0;
  for (const PlanArena& a : model.plan().arenas) tensors += a.tensors.size();
  const std::string csv = model.csv();
  EXPECT_EQ(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')), tensors + 1);
}

TEST_F(MemoryModelTest, TinyTensorsBecomePixels) {
  open("lstm");
  EXPECT_LT(model.layout(4, 4).size(), model.arena()->tensors.size());
  for (const MemoryRect& r : model.layout(4, 4)) {
    EXPECT_GE(r.x1 - r.x0, 0.99F);
    EXPECT_GE(r.y1 - r.y0, 0.99F);
  }
}

TEST_F(MemoryModelTest, SearchLooksAtTheWholeArena) {
  open("partial_delegation");
  const size_t alive = model.alive().size(), all = model.arena()->tensors.size();
  ASSERT_LT(alive, all);
  model.search("FLOAT");
  EXPECT_TRUE(model.searches());
  EXPECT_EQ(model.alive().size(), all);
  EXPECT_EQ(model.highlighted(document), [&] {
    std::vector<int32_t> sorted = model.alive();
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }());
  model.search("aten_mean_dim");
  ASSERT_EQ(model.alive().size(), 1U);
  const auto& found = model.arena()->tensors[static_cast<size_t>(model.alive().front())];
  EXPECT_EQ(model.instruction_facts(found.producer)->node, "aten_mean_dim");
  model.search("");
  EXPECT_EQ(model.alive().size(), alive);
  EXPECT_TRUE(model.highlighted(document).empty());
}

// What a search finds need not be alive together: shares are of the peak, and the most at once is said.
TEST_F(MemoryModelTest, SharesOfASearchAreOfThePeak) {
  for (const char* name : {"partial_delegation", "lstm"}) {
    SCOPED_TRACE(name);
    open(name);
    EXPECT_EQ(model.listed_bytes(), model.arena()->used_at(model.instruction()));
    EXPECT_EQ(model.found_most().bytes, 0);
    model.choose_instruction(0);
    model.search("FLOAT");
    EXPECT_EQ(model.listed_bytes(), model.arena()->peak);
    const FoundMost most = model.found_most();
    EXPECT_EQ(most.bytes, model.arena()->peak) << "all tensors of the arena are found";
    EXPECT_EQ(most.bytes, model.arena()->used_at(most.at));
    model.search("");
  }
}

TEST_F(MemoryModelTest, TheListIsSortedByAnyColumn) {
  open("partial_delegation");
  model.search("FLOAT");
  const auto& tensors = model.arena()->tensors;
  const auto of = [&](size_t i) { return tensors[static_cast<size_t>(model.alive()[i])]; };
  ASSERT_GT(model.alive().size(), 3U);
  for (size_t i = 1; i < model.alive().size(); ++i) EXPECT_GE(of(i - 1).bytes, of(i).bytes);
  model.sort(TensorColumn::Lifetime, false);
  for (size_t i = 1; i < model.alive().size(); ++i)
    EXPECT_LE(std::pair(of(i - 1).first, of(i - 1).last), std::pair(of(i).first, of(i).last));
  model.sort(TensorColumn::Bytes, false);
  for (size_t i = 1; i < model.alive().size(); ++i) EXPECT_LE(of(i - 1).bytes, of(i).bytes);
  model.sort(TensorColumn::Line, true);
  const auto line = [&](size_t i) {
    const auto* by = model.instruction_facts(of(i).producer);
    return by == nullptr ? std::string() : inspector::written_at(*by, of(i));
  };
  for (size_t i = 1; i < model.alive().size(); ++i) EXPECT_GE(line(i - 1), line(i));
}

TEST_F(MemoryModelTest, ArrowsStepThroughInstructionsAndTheList) {
  open("lstm");
  model.choose_instruction(3);
  model.step_instruction(1);
  EXPECT_EQ(model.instruction(), 4);
  for (int i = 0; i < 10'000; ++i) model.step_instruction(-1);
  EXPECT_EQ(model.instruction(), -1) << "before the first, and no further";
  model.zoom(0, 0.5, 0.1, 1);
  const double end = model.view().x1;
  while (static_cast<double>(model.instruction()) + 1 < end) model.step_instruction(1);
  EXPECT_GE(model.view().x1, static_cast<double>(model.instruction()) + 2) << "what it steps to is seen";
  model.choose_instruction({});
  model.select_tensor(-1);
  EXPECT_EQ(model.next_listed(1), model.alive().front());
  model.select_tensor(model.alive().front());
  EXPECT_EQ(model.next_listed(-1), model.alive().front());
  ASSERT_GT(model.alive().size(), 1U);
  EXPECT_EQ(model.next_listed(1), model.alive()[1]);
}

TEST_F(MemoryModelTest, DelegatesLeadToTheirCalls) {
  open("partial_delegation");
  ASSERT_GT(model.plan().delegates.size(), 1U);
  for (size_t i = 0; i < model.plan().delegates.size(); ++i) {
    const Selection s = model.target_of_delegate(*document.data(), i);
    EXPECT_EQ(s.kind, Selection::Kind::Part) << i;
    const auto* call = model.instruction_facts(s.instruction);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->kind, "DelegateCall");
    EXPECT_EQ(call->delegate, model.plan().delegates[i].ordinal);
  }
}

/// Bytes in use as a plan of tensors (bytes, first, last) has them, laid out one after the other.
PlanArena arena_of(const std::vector<std::array<int64_t, 3>>& tensors, int64_t instructions) {
  PlanArena a;
  a.in_use.assign(static_cast<size_t>(instructions) + 2, 0);
  for (const auto& [bytes, first, last] : tensors) {
    inspector::PlanTensor& t = a.tensors.emplace_back();
    t.offset = a.reach;
    t.bytes = bytes;
    t.first = t.producer = first;
    t.last = last;
    t.shape = "[" + std::to_string(bytes) + "]";
    a.reach += bytes;
    for (int64_t i = first; i <= last; ++i) a.in_use[static_cast<size_t>(i + 1)] += bytes;
  }
  for (size_t i = 0; i < a.in_use.size(); ++i) {
    if (a.in_use[i] > a.peak) a.peak = a.in_use[i], a.peak_at = static_cast<int64_t>(i) - 1;
  }
  a.bytes = a.reach;
  return a;
}

bool says(const std::vector<std::string>& facts, const std::string& text) {
  return std::any_of(facts.begin(), facts.end(), [&](const std::string& f) { return f.find(text) != f.npos; });
}

// Where the largest is alive at all of the high places, the peak falls with it: nothing else has to shrink.
TEST(MemoryPeakFacts, PlacesThatFallWithTheLargestAreNotNamed) {
  MemoryPlan plan;
  plan.methods.resize(1);
  plan.methods[0].instructions.resize(6);
  const auto facts = [&](const std::vector<std::array<int64_t, 3>>& tensors) {
    plan.arenas = {arena_of(tensors, 6)};
    MemoryModel model;
    model.set_plan(plan);
    return model.peak_facts();
  };
  // 0: 500 alive from 0 to 4, others make 700 at 1 and 710 at 3, 500 between.
  const auto falls = facts({{500'000, 0, 4}, {200'000, 1, 1}, {210'000, 3, 3}});
  EXPECT_TRUE(says(falls, "Without the largest")) << falls.back();
  EXPECT_FALSE(says(falls, "Nearly as high"));
  const auto stays = facts({{500'000, 0, 2}, {210'000, 1, 1}, {700'000, 4, 4}});
  EXPECT_TRUE(says(stays, "Nearly as high where the largest is not alive: 684 KiB at instruction 4")) << stays.back();
}

TEST(MemoryPeakFacts, AnElementwiseOperatorOfThePeakMayWorkInPlace) {
  MemoryPlan plan;
  plan.methods.resize(1);
  auto& instructions = plan.methods[0].instructions;
  instructions.resize(4);
  instructions[2].kind = "KernelCall";
  instructions[2].what = "aten::mul.out";
  instructions[2].title = "aten.mul.Tensor";
  plan.arenas = {arena_of({{160'000, 1, 2}, {160'000, 2, 3}, {20'000, 0, 3}}, 4)};
  MemoryModel model;
  model.set_plan(plan);
  EXPECT_TRUE(says(model.peak_facts(), "aten.mul.Tensor reads [160000] for the last time and writes as much"));
  EXPECT_TRUE(says(model.peak_facts(), "the peak would be 176 KiB (47.1% less)"));
  plan.methods[0].instructions[2].title = "aten.bmm";
  model.set_plan(plan);
  EXPECT_FALSE(says(model.peak_facts(), "for the last time")) << "a product cannot";
}

TEST(MemoryBytes, WhatIsComparedHasOneUnit) {
  EXPECT_EQ(bytes_beside(1072 * 1024, 1008 * 1024), "1,072 KiB");
  EXPECT_EQ(bytes_beside(1008 * 1024, 1008 * 1024), "1,008 KiB");
  EXPECT_EQ(bytes_beside(3 << 20, 5 << 20), "3.0 MiB");
  EXPECT_EQ(bytes_beside(900, 5 << 20), "900 B");
  EXPECT_EQ(bytes_beside(900, 500), "900 B");
  EXPECT_EQ(bytes_beside(371'200, 371'200), inspector::format_bytes(371'200)) << "rounded alike";
}

// What has a frame is as bright as what is alive: the caption says that both stand out.
TEST_F(MemoryModelTest, TheSelectedTensorStandsOutAmongOthersThanThoseAlive) {
  open("partial_delegation");
  const std::vector<int32_t> alive = model.alive();
  int32_t other = 0;
  while (std::find(alive.begin(), alive.end(), other) != alive.end()) ++other;
  ASSERT_LT(static_cast<size_t>(other), model.arena()->tensors.size());
  EXPECT_FALSE(model.stands_out(other, {}));
  model.select_tensor(other);
  EXPECT_TRUE(model.stands_out(other, {}));
}

TEST_F(MemoryModelTest, TensorsAreFoundByTheModuleOfTheirNode) {
  open("memory_pools");
  model.search("conv1");
  EXPECT_FALSE(model.alive().empty());
  EXPECT_LT(model.alive().size(), model.arena()->tensors.size());
  for (const int32_t at : model.alive()) {
    const auto& t = model.arena()->tensors[static_cast<size_t>(at)];
    EXPECT_TRUE((t.file.empty() ? model.instruction_facts(t.producer)->module : t.module).starts_with("conv1"));
  }
}

TEST_F(MemoryModelTest, InstructionsBeginWhenTheOnesBeforeAreDone) {
  open("partial_delegation");
  const TraceData& data = *document.data();
  const std::vector<double>& begins = model.begins(data);
  ASSERT_EQ(static_cast<int64_t>(begins.size()), model.arena()->instructions() + 1);
  EXPECT_EQ(begins.front(), 0);
  EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
  double framework = 0, all = 0;
  for (const inspector::OpEntry& op : data.shown.ops) {
    if (data.shown.block_of(op).kind != "execute") continue;
    all += op.cost;
    bool inside = false;
    for (const inspector::OpEntry* at = &op; at != nullptr; at = at->parent ? &data.shown.ops[*at->parent] : nullptr)
      inside = inside || at->instruction_id.has_value();
    framework += inside ? 0 : op.cost;
  }
  EXPECT_NEAR(begins.back(), all - framework, 1e-6 * all);
}

}  // namespace
}  // namespace et::gui::test
