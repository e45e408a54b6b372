// Steps: what the executor records with one tick an instruction is in the ETDump as if each event had been told.
#include <algorithm>
#include <functional>

#include "tests/etdump/gen_support.h"

namespace et::etdump {
namespace {

using test::Dump;
using test::FakeClock;
using test::take;

struct Names {
  std::vector<StepNames> of;
  static StepNames get(const void* names, ChainID chain, uint32_t i) {
    const auto& of = static_cast<const Names*>(names)->of;
    return of[static_cast<size_t>(chain) * 100 + i];
  }
  StepChain chain(uint32_t method, ChainID chain, uint32_t instructions) const {
    return {method, chain, instructions, &get, this};
  }
};

/// Two chains of ten instructions; every fourth has no event of its own.
Names some_names() {
  static std::vector<std::string> texts;
  Names out;
  if (texts.empty()) {
    for (int i = 0; i < 200; ++i) texts.push_back("native_call_op" + std::to_string(i % 13) + ".out");
  }
  for (size_t i = 0; i < 200; ++i) {
    out.of.push_back(i % 4 == 3 ? StepNames{nullptr, "JF_CALL"} : StepNames{texts[i].c_str(), "OPERATOR_CALL"});
  }
  return out;
}

/// Tells an execution as the executor does, or event by event.
class Teller {
 public:
  Teller(ETDumpGen* gen, bool steps) : gen_(gen), steps_(steps) {
    gen->create_event_block("Execute");
    gen->begin_run({"forward", "execute", 0});
    EXPECT_TRUE(gen->wants_steps());
  }
  void begin(const StepChain& chain) {
    chain_ = chain;
    gen_->break_steps();
    next_ = 0;
  }
  void run(uint32_t i, const std::function<void()>& inside = {}) {
    if (i != next_) gen_->break_steps();
    gen_->set_chain_debug_handle(chain_.chain, i);
    if (inside) inside();
    const Timestamp end = now += 10;
    if (steps_) {
      gen_->step(chain_, i, last_, end);
    } else {
      const StepNames n = chain_.names(chain_.context, chain_.chain, i);
      gen_->log_call(n.event, n.call, chain_.chain, i, last_, end);
    }
    last_ = end;
    next_ = i + 1;
  }
  Timestamp now = 1000;

 private:
  ETDumpGen* gen_;
  bool steps_;
  StepChain chain_;
  uint32_t next_ = 0;
  Timestamp last_ = 1000;
};

std::string text(const Event& e) {
  return std::string(e.name) + "/" + std::string(e.delegate_id_str) + " " + std::to_string(e.chain_index) + ":" +
         std::to_string(e.instruction_id) + " " + std::to_string(e.start) + "-" + std::to_string(e.end);
}

std::vector<std::string> texts(const Dump& d) {
  std::vector<std::string> out;
  for (const auto& run : d.events) {
    out.emplace_back("run");
    for (const Event& e : run) out.push_back(text(e));
  }
  for (size_t r = 0; r < d.trailer().run_count(); ++r) {
    const TrailerRun run = d.trailer().run(r);
    for (size_t i = 0; i < run.allocation_count(); ++i) {
      out.push_back("allocated during " + std::to_string(run.allocation(i).event));
    }
  }
  return out;
}

/// The same told in both ways gives the same events.
void expect_same(const std::function<void(ETDumpGen&, bool steps)>& tell) {
  ETDumpGen steps, events;
  tell(steps, true);
  tell(events, false);
  const Dump a(take(steps)), b(take(events));
  EXPECT_EQ(texts(a), texts(b));
  EXPECT_EQ(a.bytes, take(steps));  // asked again
}

TEST(EtdumpGenSteps, AreTheEventsOfEachInstruction) {
  FakeClock clock;
  const Names names = some_names();
  expect_same([&](ETDumpGen& gen, bool steps) {
    for (int execution = 0; execution < 3; ++execution) {
      Teller t(&gen, steps);
      const auto whole = gen.start_profiling("Method::execute");
      for (const ChainID c : {0, 1}) {
        t.begin(names.chain(1, c, 10));
        for (uint32_t i = 0; i < 10; ++i) t.run(i);
      }
      gen.set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
      FakeClock::now = 5000;  // both ways read the clock as often from here
      gen.end_profiling(
          EventTracerEntry{whole.event_id, -1, 0, 100, DelegateDebugIdType::kNone, "Method::execute", -1});
      gen.log_arena({"temp", 10, 5});
      gen.end_run(Error::Ok);
    }
  });
}

TEST(EtdumpGenSteps, KeepTheirPlaceAmongEventsOfDelegatesJumpsAndAllocations) {
  FakeClock clock;
  const Names names = some_names();
  expect_same([&](ETDumpGen& gen, bool steps) {
    Teller t(&gen, steps);
    const AllocatorID temp = gen.track_allocator("temp");
    t.begin(names.chain(1, 0, 10));
    t.run(0);
    t.run(1);
    t.run(2, [&] { gen.log_profiling_delegate("inner", -1, t.now + 1, t.now + 4); });
    t.run(3, [&] {
      gen.log_profiling_delegate("a", -1, t.now + 1, t.now + 2, "meta", 4);
      gen.log_profiling_delegate(nullptr, 7, t.now + 2, t.now + 3);
    });
    t.run(0);  // a loop
    t.run(1, [&] {
      FakeClock::now = t.now + 2;
      gen.track_allocation(temp, 8);
    });
    t.run(1);
    t.run(5);  // a branch
    t.run(9);
    t.begin(names.chain(1, 1, 10));
    t.run(4, [&] { static_cast<void>(gen.log_evalue(EValue(int64_t{3}))); });
    t.run(5);
  });
}

TEST(EtdumpGenSteps, OfSeveralMethodsHaveTheirOwnNames) {
  FakeClock clock;
  const Names one = some_names();
  Names other = some_names();
  std::reverse(other.of.begin(), other.of.end());
  expect_same([&](ETDumpGen& gen, bool steps) {
    for (uint32_t execution = 0; execution < 4; ++execution) {
      Teller t(&gen, steps);
      t.begin((execution % 2 == 0 ? one : other).chain(execution % 2, 0, 10));
      for (uint32_t i = 0; i < 10; ++i) t.run(i);
    }
  });
  // A kernel that runs another method with the same tracer.
  expect_same([&](ETDumpGen& gen, bool steps) {
    Teller t(&gen, steps);
    t.begin(one.chain(1, 0, 10));
    t.run(0);
    t.run(1, [&] {
      Teller inner(&gen, steps);
      inner.begin(other.chain(2, 0, 10));
      inner.run(0);
      inner.run(1);
      gen.break_steps();
    });
    t.run(2);
    t.run(3);
  });
}

TEST(EtdumpGenSteps, OfADumpThatWasTakenAreNotInTheNext) {
  FakeClock clock;
  const Names names = some_names();
  ETDumpGen gen;
  for (int round = 0; round < 3; ++round) {
    Teller t(&gen, true);
    t.begin(names.chain(1, 0, 10));
    for (uint32_t i = 0; i < 5; ++i) t.run(i);
    const Dump d(take(gen));  // in the middle of an execution
    ASSERT_EQ(d.events.size(), 1u);
    EXPECT_EQ(d.events[0].size(), 9u);
    EXPECT_EQ(d.events[0][0].name, "native_call_op0.out");
    t.run(5);  // of no ETDump
    EXPECT_EQ(gen.losses().ignored_calls, 1u);
    if (round == 1) gen.reset();
  }
}

TEST(EtdumpGenSteps, CountInTheLimitAsEventsDo) {
  FakeClock clock;
  const Names names = some_names();
  for (const size_t limit : {size_t{4096}, size_t{20000}, size_t{300000}, size_t{4} << 20}) {
    SCOPED_TRACE(limit);
    ETDumpGen gen;
    gen.set_max_bytes(limit);
    const uint64_t executions = 9000;
    for (uint64_t n = 0; n < executions; ++n) {
      Teller t(&gen, true);
      t.begin(names.chain(1, 0, 10));
      for (uint32_t i = 0; i < 10; ++i) t.run(i);
      if (n == 0) gen.expect_executions(executions - 1);
    }
    const uint64_t lost = gen.losses().events;
    const Dump d(take(gen));
    uint64_t kept = 0;
    for (size_t run = 0; run < d.events.size(); ++run) {
      kept += d.events[run].size();
      EXPECT_EQ(d.trailer().run(run).lost_events, 18 - d.events[run].size()) << run;
      if (run + 1 < d.events.size()) {
        EXPECT_EQ(d.events[run].size(), 18u) << run;
      }
    }
    EXPECT_EQ(kept + lost, 18 * executions);
    EXPECT_LT(kept * 40, limit);
    EXPECT_GT(kept * 100, limit);
  }
}

TEST(EtdumpGenSteps, AreNotWantedWhereEachEventHasMoreToSay) {
  FakeClock clock;
  ETDumpGen gen;
  gen.create_event_block("Execute");
  EXPECT_TRUE(gen.wants_steps());
  const Names names = some_names();
  const StepChain chain = names.chain(1, 0, 10);
  gen.step(chain, 0, 10, 20);
  gen.step(chain, 1, 20, 30);
  gen.set_thread(4);
  EXPECT_FALSE(gen.wants_steps());
  gen.step(chain, 2, 30, 40);  // told so all the same
  gen.set_thread(0);
  gen.step(chain, 3, 40, 50);
  ETDumpGen ring;
  ring.set_full_policy(FullPolicy::Ring);
  ring.create_event_block("Execute");
  EXPECT_FALSE(ring.wants_steps());
  ring.step(chain, 0, 10, 20);
  EXPECT_EQ(Dump(take(ring)).events[0].size(), 2u);
  std::vector<uint8_t> buffer(8192);
  ETDumpGen fixed({buffer.data(), buffer.size()});
  fixed.create_event_block("Execute");
  EXPECT_FALSE(fixed.wants_steps());

  const Dump d(take(gen));
  ASSERT_EQ(d.events[0].size(), 7u);
  EXPECT_EQ(text(d.events[0][4]), "native_call_op2.out/ 0:2 30-40");
  EXPECT_EQ(text(d.events[0][6]), "JF_CALL/ 0:3 40-50");
  const TrailerRun run = d.trailer().run(0);
  ASSERT_EQ(run.event_count(), 2u);
  EXPECT_EQ(run.event(0).event, 4u);
  EXPECT_EQ(run.event(0).thread, 4u);
  EXPECT_EQ(run.event(1).event, 5u);
}

TEST(EtdumpGenSteps, HaveTheOverheadOfTheirShareOfAnExecution) {
  FakeClock clock;  // counts its readings
  const Names names = some_names();
  ETDumpGen gen;
  Teller t(&gen, true);
  t.begin(names.chain(1, 0, 10));
  for (uint32_t i = 0; i < 10; ++i) t.run(i);
  gen.end_profiling(gen.start_profiling("Method::execute"));
  // A reading an instruction, one before the first and one for the whole, which ends with the last: 12 for 19 events.
  EXPECT_NEAR(Dump(take(gen)).trailer().overhead_ns(), 12.0 / 19, 0.01);
}

}  // namespace
}  // namespace et::etdump
