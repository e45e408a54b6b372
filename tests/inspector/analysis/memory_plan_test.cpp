// The memory plan against the programs themselves: curves by brute force, arenas, roles, and what runs leave.
#include "inspector/analysis/memory/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "inspector/analysis/graph/graph_model.h"
#include "inspector/ingest/ingest.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector {
namespace {

struct Planned {
  explicit Planned(const std::string& artifact, bool with_program = true) {
    const std::string folder = std::string(ET_FIXTURES) + "/artifacts/" + artifact;
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestInputs in;
    in.dump = folder + "/etdump.etdp";
    if (std::filesystem::exists(folder + "/etrecord.bin")) in.record = folder + "/etrecord.bin";
    if (with_program) in.program = folder + "/program.pte";
    IngestResult result;
    const Status status = ingest(store, in, nullptr, &result);
    EXPECT_TRUE(status.ok()) << status.message();
    load();
  }
  void load() {
    const Status status = load_memory_plan(store, 1, &plan);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  const PlanArena& arena(const std::string& method, int64_t id) const {
    for (const PlanArena& a : plan.arenas) {
      if (a.method == method && a.memory_id == id) return a;
    }
    ADD_FAILURE() << "no arena " << id << " of " << method;
    return plan.arenas.front();
  }
  Store store;
  MemoryPlan plan;
};

/// Bytes in use as one would count them by hand.
int64_t brute_force(const PlanArena& arena, int64_t at) {
  std::set<int64_t> bytes;
  for (const PlanTensor& t : arena.tensors) {
    for (int64_t b = t.offset; at >= t.first && at <= t.last && b < t.offset + t.bytes; ++b) bytes.insert(b);
  }
  return static_cast<int64_t>(bytes.size());
}

TEST(MemoryPlan, CurveIsWhatLifetimesSay) {
  for (const char* name : {"memory_pools", "lstm", "mutable_buffer", "multi_method", "control_flow_map"}) {
    const Planned p(name);
    ASSERT_FALSE(p.plan.arenas.empty()) << name;
    for (const PlanArena& arena : p.plan.arenas) {
      int64_t peak = 0;
      for (int64_t at = -1; at <= arena.instructions(); ++at) {
        const int64_t expected = brute_force(arena, at);
        ASSERT_EQ(arena.used_at(at), expected) << name << ", instruction " << at;
        peak = std::max(peak, expected);
      }
      EXPECT_EQ(arena.peak, peak);
      EXPECT_EQ(arena.used_at(arena.peak_at), peak);
      EXPECT_LE(arena.reach, arena.bytes);
      EXPECT_LE(arena.peak, arena.reach);
    }
  }
}

TEST(MemoryPlan, HoldersOfThePeakAddUpToIt) {
  const Planned p("memory_pools");
  const PlanArena& arena = p.arena("forward", 2);
  EXPECT_EQ(arena.bytes, 24576);
  EXPECT_EQ(arena.peak, 3 * 8192);
  EXPECT_DOUBLE_EQ(arena.lost(), 0);
  int64_t sum = 0;
  for (const int32_t i : arena.alive_at(arena.peak_at)) sum += arena.tensors[static_cast<size_t>(i)].bytes;
  EXPECT_EQ(sum, arena.peak);
  EXPECT_TRUE(arena.alive_at(arena.instructions() + 5).empty());
}

TEST(MemoryPlan, InputsOutputsAndStateOutliveTheirInstructions) {
  const Planned p("mutable_buffer");
  const PlanArena& arena = p.arena("forward", 1);
  size_t state = 0, inputs = 0, outputs = 0;
  for (const PlanTensor& t : arena.tensors) {
    state += t.role == PlanTensor::Role::State ? 1 : 0;
    inputs += t.role == PlanTensor::Role::Input ? 1 : 0;
    outputs += t.role == PlanTensor::Role::Output ? 1 : 0;
    const bool from_before = t.role == PlanTensor::Role::State || t.role == PlanTensor::Role::Input;
    const bool to_the_end = t.role == PlanTensor::Role::State || t.role == PlanTensor::Role::Output;
    EXPECT_EQ(t.first == -1, from_before) << t.value;
    EXPECT_EQ(t.last == arena.instructions(), to_the_end) << t.value;
    EXPECT_EQ(t.initialised, t.role == PlanTensor::Role::State);
    EXPECT_EQ(t.producer, from_before ? -1 : t.first);
  }
  EXPECT_EQ(state, 2U);
  EXPECT_EQ(inputs, 1U);
  EXPECT_GE(outputs, 1U);
}

TEST(MemoryPlan, StateWithoutANameIsToldByWhoReadsIt) {
  Planned p("mutable_buffer");
  ASSERT_TRUE(p.store
                  .exec("UPDATE raw_planned_tensor SET name = NULL, location = 'planned' WHERE location = "
                        "'planned_initialised'")
                  .ok());
  p.load();
  int state = 0;
  for (const PlanTensor& t : p.arena("forward", 1).tensors) state += t.role == PlanTensor::Role::State ? 1 : 0;
  EXPECT_EQ(state, 2);
}

TEST(MemoryPlan, ViewsBelongToWhatTheyShow) {
  const Planned p("lstm");
  const auto& tensors = p.arena("forward", 1).tensors;
  const auto find = [&](int64_t value) {
    return *std::find_if(tensors.begin(), tensors.end(), [&](const PlanTensor& t) { return t.value == value; });
  };
  // The product of instruction 8 under the shape [3, 1, 64], which no instruction makes.
  EXPECT_EQ(find(42).view_of, 39);
  EXPECT_EQ(find(42).producer, 8);
  EXPECT_EQ(find(42).first, 9);
  for (const PlanTensor& t : tensors) EXPECT_NE(t.role, PlanTensor::Role::State) << t.value;
}

TEST(MemoryPlan, NamedStateIsStateInEveryMethod) {
  const Planned p("multi_method_shared_state");
  for (const char* method : {"add", "read"}) {
    const PlanArena& arena = p.arena(method, 2);
    ASSERT_EQ(arena.tensors.size(), 1U);
    EXPECT_EQ(arena.tensors[0].role, PlanTensor::Role::State);
    EXPECT_EQ(arena.tensors[0].name, "counter.total");
  }
}

TEST(MemoryPlan, InstructionsLeadToOpsNodesAndLines) {
  const Planned p("partial_delegation");
  ASSERT_EQ(p.plan.methods.size(), 1U);
  size_t kernels = 0;
  for (const PlanInstruction& i : p.plan.methods[0].instructions) {
    EXPECT_FALSE(i.what.empty());
    EXPECT_TRUE(i.op_id.has_value()) << i.what;
    if (i.kind != "KernelCall") continue;
    ++kernels;
    EXPECT_FALSE(i.node.empty()) << i.what;
    EXPECT_GT(i.line, 0) << i.what;
  }
  EXPECT_GT(kernels, 0U);
  EXPECT_EQ(p.plan.delegates.size(), 3U);
  EXPECT_FALSE(p.plan.segments.empty());
}

TEST(MemoryPlan, ConstantsAreCountedApart) {
  const Planned p("memory_pools");
  EXPECT_EQ(p.plan.methods[0].constants, 6);
  EXPECT_EQ(p.plan.methods[0].constant_bytes, 3412);
  ASSERT_EQ(p.plan.segments.size(), 1U);
  EXPECT_EQ(p.plan.segments[0].bytes, 3412);
}

TEST(MemoryPlan, JumpsAreToldOf) {
  EXPECT_TRUE(Planned("control_flow_map").plan.methods[0].jumps);
  EXPECT_FALSE(Planned("memory_pools").plan.methods[0].jumps);
}

TEST(MemoryPlan, WithoutAProgramItIsEmpty) {
  const Planned p("partial_delegation", false);
  EXPECT_TRUE(p.plan.empty());
  EXPECT_TRUE(p.plan.arenas.empty());
}

TEST(MemoryPlan, MarksOfTheRunTimeReachTheirArena) {
  Planned p("memory_pools");
  ASSERT_TRUE(p.store
                  .exec("INSERT INTO raw_runtime_arena SELECT 1, run_id, 'planned:2', 30000, 20000 + run_id FROM "
                        "executions e JOIN blocks b USING (block_id) WHERE b.kind = 'execute';"
                        "INSERT INTO raw_allocation SELECT 1, run_id, NULL, 'temp', 100, NULL FROM executions")
                  .ok());
  p.load();
  EXPECT_EQ(p.arena("forward", 2).capacity, 30000);
  EXPECT_GT(p.arena("forward", 2).high_water.value_or(0), 20000);
  EXPECT_FALSE(p.arena("forward", 1).high_water.has_value());
  ASSERT_EQ(p.plan.allocators.size(), 1U);
  EXPECT_EQ(p.plan.allocators[0].bytes, p.plan.allocators[0].count * 100);
}

TEST(MemoryPlan, DamagedLifetimesAndPlacesAreBounded) {
  Planned p("memory_pools");
  ASSERT_TRUE(p.store
                  .exec("UPDATE raw_planned_tensor SET first_instruction = 9223372036854775807, last_instruction = -5, "
                        "offset = 9223372036854775000, bytes = 9223372036854775807 WHERE value = 7;"
                        "UPDATE raw_planned_tensor SET bytes = -1, offset = -9 WHERE value = 22")
                  .ok());
  p.load();
  for (const PlanArena& arena : p.plan.arenas) {
    for (const PlanTensor& t : arena.tensors) {
      EXPECT_GE(t.first, -1);
      EXPECT_LE(t.first, t.last);
      EXPECT_LE(t.last, arena.instructions());
      EXPECT_GE(t.bytes, 0);
      EXPECT_LE(t.offset, INT64_MAX - t.bytes);
    }
  }
}

TEST(MemoryTotal, IsOfTheMethodAndSaysWhatIsUnknown) {
  MemoryPlan plan;
  plan.methods.resize(2);
  plan.methods[0].name = "forward";
  plan.methods[0].constant_bytes = 2000;
  plan.methods[0].external_bytes = 500;
  plan.methods[0].unplanned_bytes = 16;
  plan.methods[1].name = "encode";
  plan.methods[1].constant_bytes = INT64_MAX;
  plan.methods[1].unplanned_bytes = INT64_MAX;
  plan.arenas.resize(3);
  plan.arenas[0].method = plan.arenas[1].method = "forward";
  plan.arenas[2].method = "encode";
  plan.arenas[0].bytes = 300;
  plan.arenas[1].bytes = 40;
  plan.delegates.resize(2);
  for (PlanDelegate& d : plan.delegates) {
    d.method = "forward";
    d.backend = "XnnpackBackend";
    d.payload_bytes = 600;
  }
  plan.segments.push_back({.bytes = 700, .content = "named data 38723a"});
  plan.segments.push_back({.bytes = 99, .content = "constants"});
  plan.runtime = {{"forward", "planned:1", 10, 10, 1}, {"forward", "temp", 0, 60, 1}, {"encode", "temp", 0, 9, 1}};
  const MemoryTotal total = memory_total(plan, "forward");
  EXPECT_EQ(total.planned, 340);
  EXPECT_EQ(total.constants, 2500);
  EXPECT_EQ(total.delegates, 1900);
  EXPECT_EQ(total.caller, 16);
  EXPECT_EQ(total.runtime, 60);
  EXPECT_EQ(total.sum(), 4816);
  EXPECT_EQ(total.load_peak(), 4816 + 600 + 700) << "the larger of two payloads, and named data, which either may hold";
  const std::string text = memory_total_text(total);
  EXPECT_TRUE(text.starts_with("in all 4.7 KiB: planned 340 B, constants 2.4 KiB")) << text;
  EXPECT_NE(text.find("; while it loads at most 6.0 KiB, since a delegate"), std::string::npos) << text;
  EXPECT_NE(text.find("workspace of XnnpackBackend, which is in no file: unknown"), std::string::npos) << text;
  // Without a delegate nothing is; numbers that do not fit stop at the largest.
  EXPECT_EQ(memory_total(plan, "encode").sum(), INT64_MAX);
  EXPECT_EQ(memory_total_text(memory_total(plan, "encode")).find("unknown"), std::string::npos);
}

TEST(MemoryPlan, WhatADelegateWritesStandsAtTheNodeThatMakesIt) {
  size_t placed = 0, elsewhere = 0;
  for (const char* name : {"partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack"}) {
    const test::ImportedFixture in(name);
    MemoryPlan plan;
    ASSERT_TRUE(load_memory_plan(in.store, 1, &plan).ok());
    for (const PlanArena& arena : plan.arenas) {
      for (const PlanTensor& t : arena.tensors) {
        if (t.file.empty()) continue;
        ASSERT_GE(t.producer, 0);
        const PlanInstruction& by = plan.methods[arena.method_index].instructions[static_cast<size_t>(t.producer)];
        EXPECT_EQ(by.kind, "DelegateCall") << "kernels stand at their instruction";
        EXPECT_EQ(writer_place(by, t), std::pair(t.file, t.line));
        ++placed;
        elsewhere += !t.node.empty() && t.node != by.node ? 1 : 0;
        if (t.node.empty() || t.view_of >= 0) continue;
        Statement st = in.store.query("SELECT shape, dtype, line FROM nodes WHERE graph = 'edge' AND name = ?1");
        st.bind_all(t.node);
        ASSERT_TRUE(st.step()) << t.node;
        EXPECT_EQ(st.str(0), t.shape);
        EXPECT_EQ(st.str(1), t.dtype);
        EXPECT_EQ(st.integer(2), t.line);
      }
    }
  }
  EXPECT_GT(placed, 0U);
  EXPECT_GT(elsewhere, 0U) << "a call stands at its first node";
}

// Where nodes share a debug handle it is inferred which of them are inside: what a call writes says whether that fits.
TEST(MemoryPlan, WhatACallOfInferredNodesWritesStandsAtALineOfItsShape) {
  size_t placed = 0;
  for (const char* name : {"lstm_xnnpack", "partial_delegation"}) {
    SCOPED_TRACE(name);
    const test::ImportedFixture in(name);
    MemoryPlan plan;
    ASSERT_TRUE(load_memory_plan(in.store, 1, &plan).ok());
    OpTable no_times;
    no_times.trace_id = 1;
    GraphModel graph;
    ASSERT_TRUE(load_graph(in.store, no_times, "forward", "edge", &graph).ok());
    for (const GraphPart& part : graph.parts) {
      const PlanInstruction& call = plan.methods[0].instructions[static_cast<size_t>(part.instruction)];
      EXPECT_FALSE(call.lines.empty());
      for (const PlanArena& arena : plan.arenas) {
        for (const PlanTensor& t : arena.tensors) {
          if (!part.guessed || t.producer != part.instruction || t.view_of >= 0) continue;
          if (t.file.empty()) {
            EXPECT_EQ(written_at(call, t), call.lines) << "all of the call's lines, not that of its first node";
            continue;
          }
          ++placed;
          const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& n) {
            return n.shape == t.shape && n.dtype == t.dtype && n.line == t.line && n.file == t.file;
          });
          EXPECT_TRUE(any) << t.shape << " at line " << t.line;
        }
      }
    }
  }
  EXPECT_GT(placed, 0U);
}

TEST(MemoryPlan, OfACallWhoseNodeIsNotKnownAllLinesAreNamed) {
  PlanInstruction call;
  call.kind = "DelegateCall";
  call.file = "timm/attention.py";
  call.line = 120;
  PlanTensor t;
  EXPECT_EQ(written_at(call, t), "attention.py:120");
  call.lines = "attention.py:120–124";
  EXPECT_EQ(written_at(call, t), "attention.py:120–124");
  t.file = "timm/attention.py";
  t.line = 124;
  EXPECT_EQ(written_at(call, t), "attention.py:124");
}

}  // namespace
}  // namespace et::inspector
