// What ETDumpGen records is what the reader reads: names, order, identities, times, blocks, facts; and what makes no
// sense changes nothing.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/etdump/gen_support.h"

namespace et::etdump {
namespace {

using test::Dump;
using test::FakeClock;
using test::take;

TEST(EtdumpGen, NothingRecordedIsNoDump) {
  ETDumpGen gen;
  const ETDumpResult r = gen.get_etdump_data();
  EXPECT_EQ(r.buf, nullptr);
  EXPECT_EQ(r.size, 0u);
  EXPECT_EQ(gen.get_num_blocks(), 0u);
  EXPECT_FALSE(gen.is_static_etdump());
}

TEST(EtdumpGen, AnExecutionHasTheIdentitiesOfUpstream) {
  FakeClock clock;
  auto gen = std::make_unique<ETDumpGen>();
  EventTracer* t = gen.get();
  t->create_event_block("Default");
  {
    const auto load = t->start_profiling("Program::load_method");
    const auto init = t->start_profiling("Method::init");
    t->end_profiling(init);
    t->end_profiling(load);
  }
  t->set_bundled_input_index(3);
  t->create_event_block("Execute");
  const auto whole = t->start_profiling("Method::execute");
  t->set_chain_debug_handle(0, 2);
  const auto call = t->start_profiling("DELEGATE_CALL");
  const auto by_name = t->start_profiling_delegate("conv #1", kUnsetDelegateDebugIntId);
  t->end_profiling_delegate(by_name, nullptr, 0);
  const auto by_id = t->start_profiling_delegate(nullptr, 7);
  t->end_profiling_delegate(by_id, "meta", 4);
  t->log_profiling_delegate(nullptr, 0, 40, 50, "m", 1);
  t->end_profiling(call);
  t->log_profiling("OPERATOR_CALL", 1, 9, 100, 123);
  t->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
  t->end_profiling(whole);
  EXPECT_EQ(static_cast<ETDumpGen*>(t)->get_num_blocks(), 2u);

  const Dump d(take(*gen));
  EXPECT_TRUE(d.reader.size_prefixed());
  EXPECT_EQ(d.reader.version(), 0u);
  EXPECT_EQ(d.names, (std::vector<std::string>{"Default", "Execute"}));
  EXPECT_EQ(d.bundled, (std::vector<int32_t>{-1, 3}));
  ASSERT_EQ(d.events[0].size(), 2u);
  EXPECT_EQ(d.events[0][0].name, "Method::init");
  EXPECT_EQ(d.events[0][1].name, "Program::load_method");
  for (const Event& e : d.events[0]) {
    EXPECT_EQ(e.chain_index, -1);
    EXPECT_EQ(e.instruction_id, 0);
    EXPECT_FALSE(e.has_metadata);
    EXPECT_FALSE(e.is_delegated());
  }
  EXPECT_LT(d.events[0][1].start, d.events[0][0].start);
  EXPECT_LT(d.events[0][0].end, d.events[0][1].end);
  const std::vector<Event>& e = d.events[1];
  ASSERT_EQ(e.size(), 6u);
  EXPECT_FALSE(e[0].has_name);
  EXPECT_EQ(e[0].delegate_id_str, "conv #1");
  EXPECT_EQ(e[0].delegate_id_int, -1);
  EXPECT_EQ(e[0].chain_index, 0);
  EXPECT_EQ(e[0].instruction_id, 2);
  EXPECT_TRUE(e[0].has_metadata);
  EXPECT_TRUE(e[0].metadata.empty());
  EXPECT_FALSE(e[1].has_name);
  EXPECT_FALSE(e[1].has_delegate_id_str);
  EXPECT_EQ(e[1].delegate_id_int, 7);
  EXPECT_EQ(std::string(e[1].metadata.begin(), e[1].metadata.end()), "meta");
  EXPECT_EQ(e[2].delegate_id_int, 0);
  EXPECT_EQ(e[2].start, 40u);
  EXPECT_EQ(e[2].end, 50u);
  EXPECT_EQ(e[3].name, "DELEGATE_CALL");
  EXPECT_EQ(e[3].instruction_id, 2);
  EXPECT_EQ(e[4].name, "OPERATOR_CALL");
  EXPECT_EQ(e[4].chain_index, 1);
  EXPECT_EQ(e[4].instruction_id, 9);
  EXPECT_EQ(e[4].end - e[4].start, 23u);
  EXPECT_EQ(e[5].name, "Method::execute");
  EXPECT_EQ(e[5].chain_index, -1);
  EXPECT_EQ(e[5].instruction_id, 0);
}

TEST(EtdumpGen, NamesMayDieAsSoonAsTheCallReturns) {
  ETDumpGen gen;
  gen.create_event_block("Execute");
  char name[64];
  for (int i = 0; i < 300; ++i) {
    std::snprintf(name, sizeof name, "event %d", i % 150);
    const auto entry = gen.start_profiling(name);
    std::memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    gen.end_profiling(entry);
  }
  const Dump d(take(gen));
  ASSERT_EQ(d.events[0].size(), 300u);
  for (size_t i = 0; i < 300; ++i) EXPECT_EQ(d.events[0][i].name, "event " + std::to_string(i % 150));
}

TEST(EtdumpGen, TheNextBlockMayHaveOtherNamesAtTheSamePlace) {
  FakeClock clock;
  ETDumpGen gen;
  char name[] = "native_call_add.out";
  gen.create_event_block("Execute");
  gen.log_call(name, "OPERATOR_CALL", 0, 0, 1, 2);
  gen.log_call(name, "OPERATOR_CALL", 0, 1, 2, 3);
  std::strcpy(name, "native_call_mul.out");
  gen.create_event_block("Execute");
  gen.log_call(name, "OPERATOR_CALL", 0, 0, 4, 5);
  std::strcpy(name, "native_call_sub.out");
  gen.log_profiling(name, 0, 1, 5, 6);  // which promises nothing
  const Dump d(take(gen));
  const auto called = [&](size_t block) {
    std::vector<std::string> names;
    for (const Event& e : d.events[block]) {
      if (e.name != "OPERATOR_CALL") names.emplace_back(e.name);
    }
    return names;
  };
  EXPECT_EQ(called(0), (std::vector<std::string>{"native_call_add.out", "native_call_add.out"}));
  EXPECT_EQ(called(1), (std::vector<std::string>{"native_call_mul.out", "native_call_sub.out"}));
}

TEST(EtdumpGen, BadAndLongTextsStayReadable) {
  ETDumpGen gen;
  gen.create_event_block(nullptr);
  const std::string over(5000, 'n');
  const std::string shared(400, 's');
  for (const char* s : {"a\xff\xc3z", "", over.c_str(), "\xe2\x82\xac", static_cast<const char*>(nullptr)})
    gen.end_profiling(gen.start_profiling(s));
  for (int i = 0; i < 2000; ++i) gen.end_profiling(gen.start_profiling(shared.c_str()));
  const Dump d(take(gen));
  EXPECT_EQ(d.events[0][0].name, "a??z");
  EXPECT_EQ(d.events[0][1].name, "");
  EXPECT_EQ(d.events[0][2].name, std::string(1023, 'n'));
  EXPECT_EQ(d.events[0][3].name, "\xe2\x82\xac");
  EXPECT_EQ(d.events[0][4].name, "(unnamed)");
  EXPECT_EQ(d.events[0].back().name, shared);
}

TEST(EtdumpGen, TicksBecomeNanoseconds) {
  FakeClock clock;
  FakeClock::ratio = {625, 12};
  FakeClock::utc = 1'700'000'000'000'000'000;
  ETDumpGen gen;
  gen.create_event_block("Execute");
  const uint64_t far = uint64_t{1} << 52;  // ticks · numerator does not fit in 64 bits
  gen.log_profiling("a", 0, 1, far, far + 12);
  gen.log_profiling("wrapped", 0, 1, 0xfffffff4u, 12);
  gen.log_profiling("backwards", 0, 1, far, 5);
  FakeClock::now = 11;
  const Dump d(take(gen));
  const auto& e = d.events[0];
  EXPECT_EQ(e[0].start, far / 12 * 625 + far % 12 * 625 / 12);
  EXPECT_EQ(e[0].end - e[0].start, 625u);
  EXPECT_EQ(e[1].end - e[1].start, 1250u);
  EXPECT_EQ(e[2].end, e[2].start);
  EXPECT_EQ(d.trailer().clock().name, "fake");
  EXPECT_EQ(d.trailer().clock().numerator, 625u);
  EXPECT_EQ(d.trailer().clock().denominator, 12u);
  EXPECT_EQ(d.trailer().clock().utc_at_zero_ns, FakeClock::utc - 625);
}

TEST(EtdumpGen, ADumpCanBeTakenAgainAndTheNextOneIsNew) {
  ETDumpGen gen;
  std::vector<uint8_t> values(4096);
  ASSERT_TRUE(gen.set_debug_buffer({values.data(), values.size()}).ok());
  DataSinkBase* const sink = gen.get_data_sink();
  gen.add_label("build", "release");
  gen.set_full_policy(FullPolicy::Ring);
  const auto run = [&gen](const char* name) {
    gen.create_event_block("Execute");
    gen.end_profiling(gen.start_profiling(name));
    const auto t = test::OwnTensor::of<float>(ScalarType::Float, {2}, {1, 2});
    ASSERT_TRUE(gen.log_evalue(t.value(), LoggedEValueType::kProgramOutput).ok());
  };
  run("first");
  const auto stray = gen.start_profiling("stray");
  const std::vector<uint8_t> once = take(gen);
  // The dump is closed: what comes now belongs nowhere.
  gen.end_profiling(stray);
  gen.end_run(Error::Internal);
  EXPECT_EQ(gen.track_allocator("x"), 0u);
  EXPECT_EQ(gen.log_evalue(EValue(int64_t{1})).error(), Error::InvalidState);
  EXPECT_EQ(gen.losses().ignored_calls, 4u);
  const Dump again(take(gen));
  ASSERT_EQ(again.events.size(), 1u);
  EXPECT_EQ(again.events[0].size(), 2u);
  EXPECT_EQ(again.events[0][0].name, "first");
  EXPECT_EQ(again.events[0][0].start, Dump(once).events[0][0].start);
  EXPECT_EQ(take(gen), take(gen));

  run("second");
  EXPECT_EQ(gen.get_num_blocks(), 1u);
  EXPECT_EQ(gen.get_data_sink(), sink);
  const Dump next(take(gen));
  EXPECT_EQ(next.events[0][0].name, "second");
  EXPECT_EQ(next.label("build"), "release");
  EXPECT_EQ(next.trailer().policy(), "ring");
  EXPECT_EQ(next.label("et.ignored_calls"), "");
  gen.reset();
  EXPECT_EQ(gen.get_etdump_data().buf, nullptr);
  run("third");
  EXPECT_EQ(Dump(take(gen)).events[0][0].name, "third");
}

TEST(EtdumpGen, CallsThatMakeNoSenseAreIgnored) {
  FakeClock clock;
  ETDumpGen gen;
  ETDumpGen other;
  other.create_event_block("Execute");
  gen.end_profiling(gen.start_profiling("before any block"));
  gen.end_profiling_delegate(gen.start_profiling_delegate("x", -1), "m", 1);
  gen.log_profiling("x", 0, 0, 1, 2);
  gen.log_profiling_delegate("x", -1, 1, 2);
  EXPECT_EQ(gen.track_allocator("a"), 0u);
  gen.track_allocation(1, 2);
  gen.log_arena({"a", 1, 2});
  gen.log_event_note({});
  gen.end_run(Error::Ok);
  EXPECT_FALSE(gen.log_evalue(EValue(1.0)).ok());
  EXPECT_FALSE(gen.log_intermediate_output_delegate("n", -1, EValue(1.0)).ok());
  EXPECT_EQ(gen.get_etdump_data().size, 0u);
  const uint64_t before = gen.losses().ignored_calls;
  EXPECT_EQ(before, 11u);
  EXPECT_EQ(FakeClock::logs, 8);  // then it is quiet

  gen.create_event_block("Execute");
  gen.end_profiling({});
  gen.end_profiling(other.start_profiling("foreign"));
  const auto delegate = gen.start_profiling_delegate("d", -1);
  gen.end_profiling(delegate);
  gen.end_profiling_delegate(gen.start_profiling("n"), nullptr, 0);
  gen.end_profiling_delegate(gen.start_profiling_delegate("both", 1), nullptr, 0);
  gen.end_profiling_delegate(gen.start_profiling_delegate(nullptr, -1), nullptr, 0);
  gen.log_profiling_delegate("both", 1, 1, 2);
  gen.track_allocation(1, 5);
  gen.log_event_note({});
  EXPECT_EQ(gen.log_intermediate_output_delegate("both", 1, EValue(1.0)).error(), Error::InvalidArgument);
  gen.end_profiling_delegate(delegate, nullptr, 5);  // no bytes: as if there were none
  EXPECT_EQ(gen.track_allocator("late"), 0u);
  const Dump d(take(gen));
  ASSERT_EQ(d.events[0].size(), 1u);
  EXPECT_EQ(d.events[0][0].delegate_id_str, "d");
  EXPECT_EQ(d.label("et.ignored_calls"), std::to_string(gen.losses().ignored_calls));
}

void expect_both_runs(const Trailer& t) {
  EXPECT_EQ(t.run(0).method, "forward");
  EXPECT_EQ(t.run(0).kind, "load");
  EXPECT_EQ(t.run(0).phase, "prefill");
  const TrailerRun run = t.run(1);
  EXPECT_EQ(run.kind, "execute");
  EXPECT_EQ(run.execution, 5u);
  EXPECT_EQ(run.phase, "decode") << "the phase was another one when it had begun";
  EXPECT_EQ(run.error, static_cast<uint32_t>(Error::OutOfResources));
  ASSERT_EQ(run.event_count(), 2u);
  EXPECT_EQ(run.event(0).event, 1u);
  EXPECT_EQ(run.event(0).bytes_temp, 96u);
  const Int64View sizes = run.event(0).output_sizes;
  EXPECT_EQ((std::vector<int64_t>(sizes.begin(), sizes.end())), (std::vector<int64_t>{2, 2, 3, 0, 0}));
  EXPECT_EQ(run.event(1).event, 2u);
  EXPECT_EQ(run.event(1).thread, 3u);
  ASSERT_EQ(run.allocation_count(), 3u);
  EXPECT_EQ(run.allocation(0).event, -1);
  EXPECT_EQ(run.allocation(0).allocator, "method");
  EXPECT_EQ(run.allocation(0).bytes, 1000u);
  EXPECT_EQ(run.allocation(1).event, 0);
  EXPECT_EQ(run.allocation(1).allocator, "temp");
  EXPECT_EQ(run.allocation(2).event, 1);
  ASSERT_EQ(run.arena_count(), 1u);
  EXPECT_EQ(run.arena(0).name, "planned:1");
  EXPECT_EQ(run.arena(0).high_water, 2048u);
}

TEST(EtdumpGen, APhaseIsThatOfExecutionsThatBeginAfterIt) {
  FakeClock clock;
  ETDumpGen gen;
  uint64_t number = 0;
  const auto execute = [&](const char* method) {
    gen.begin_run({method, "execute", number++});
    gen.create_event_block("Execute");
    gen.end_profiling(gen.start_profiling("Method::execute"));
    gen.end_run(Error::Ok);
  };
  gen.set_phase("prefill");
  execute("prefill");
  gen.set_phase("decode");
  execute("decode");
  execute("decode");
  gen.set_phase("prefill");
  gen.begin_run({"prefill", "execute", number++});
  gen.create_event_block("Execute");
  gen.end_run(Error::InvalidArgument);  // refused before its first event
  gen.set_phase(nullptr);
  execute("forward");
  const Dump d(take(gen));
  std::vector<std::string> phases;
  for (size_t r = 0; r < 5; ++r) phases.emplace_back(d.trailer().run(r).phase);
  EXPECT_EQ(phases, (std::vector<std::string>{"prefill", "decode", "decode", "prefill", ""}));
}

TEST(EtdumpGen, TheTrailerHoldsEverythingThatWasSaid) {
  FakeClock clock;
  ETDumpGen gen;
  const std::vector<uint8_t> sha(32, 0xab);
  gen.set_host(
      {.name = "pi", .cpu = "A76", .os = "Linux", .build = "g++ -O3", .kernels = "own", .cores = 4, .threads_used = 2});
  gen.set_program({.sha256 = sha, .bytes = 77, .path = "m.pte"});
  gen.set_phase("prefill");
  EXPECT_TRUE(gen.add_label("k", "old"));
  EXPECT_TRUE(gen.add_label("k", "new"));
  gen.create_event_block("Default");
  gen.begin_run({"forward", "load", 0});
  gen.end_run(Error::Ok);
  gen.create_event_block("Execute");
  gen.set_phase("decode");
  gen.begin_run({"forward", "execute", 5});
  const AllocatorID temp = gen.track_allocator("temp");
  EXPECT_EQ(temp, 1u);
  EXPECT_EQ(gen.track_allocator("method"), 2u);
  gen.track_allocation(2, 1000);  // before anything began
  gen.set_chain_debug_handle(0, 0);
  const auto outer = gen.start_profiling("OPERATOR_CALL");
  const auto inner = gen.start_profiling("native_call_add.out");
  gen.track_allocation(temp, 64);
  gen.end_profiling(inner);
  gen.track_allocation(temp, 32);
  gen.end_profiling(outer);
  const auto a = test::OwnTensor::of<float>(ScalarType::Float, {2, 3}, std::vector<float>(6));
  const auto b = test::OwnTensor::of<float>(ScalarType::Float, {}, {1});
  EValue outputs[] = {a.value(), EValue(int64_t{4}), b.value()};
  EValue* pointers[] = {&outputs[0], &outputs[1], &outputs[2]};
  gen.log_event_note({.outputs = pointers, .temp_bytes = 96});
  gen.set_thread(3);
  gen.end_profiling(gen.start_profiling("FREE_CALL"));
  gen.set_thread(0);
  gen.log_arena({"planned:1", 4096, 2048});
  gen.set_phase("later");
  gen.end_run(Error::OutOfResources);

  const Dump d(take(gen));
  const Trailer& t = d.trailer();
  EXPECT_EQ(t.version(), 1u);
  EXPECT_TRUE(t.producer().starts_with("et-inspect "));
  EXPECT_EQ(t.host().cpu, "A76");
  EXPECT_EQ(t.host().name, "pi");
  EXPECT_EQ(t.host().os, "Linux");
  EXPECT_EQ(t.host().build, "g++ -O3");
  EXPECT_EQ(t.host().kernels, "own");
  EXPECT_EQ(t.host().cores, 4u);
  EXPECT_EQ(t.host().threads_used, 2u);
  ASSERT_EQ(t.program().sha256.size(), 32u);
  EXPECT_EQ(t.program().sha256[31], 0xab);
  EXPECT_TRUE(t.program().data_sha256.empty());
  EXPECT_EQ(t.program().bytes, 77u);
  EXPECT_EQ(t.program().path, "m.pte");
  EXPECT_EQ(t.policy(), "stop");
  EXPECT_NEAR(t.overhead_ns(), 2.0, 0.1);  // two readings of a clock that counts readings
  ASSERT_EQ(t.label_count(), 1u);
  EXPECT_EQ(t.label(0).value, "new");
  expect_both_runs(t);
  for (const Event& e : d.events[1]) EXPECT_EQ(e.kind, EventKind::Profile);
}

TEST(EtdumpGen, AllocationsGoIntoTheDumpOnRequest) {
  ETDumpGen gen;
  gen.set_allocations_in_dump(true);
  gen.set_trailer(false);
  gen.create_event_block("Execute");
  const AllocatorID id = gen.track_allocator("temp");
  gen.track_allocation(id, 512);
  gen.end_profiling(gen.start_profiling("a"));
  const Dump d(take(gen));
  EXPECT_EQ(d.reader.trailer_state(), TrailerState::Absent);
  ASSERT_EQ(d.events[0].size(), 2u);
  EXPECT_EQ(d.events[0][0].kind, EventKind::Allocation);
  EXPECT_EQ(d.events[0][0].allocator_id, 1);
  EXPECT_EQ(d.events[0][0].allocation_size, 512u);
  Reader reader;
  ASSERT_TRUE(Reader::open(d.bytes, &reader).ok());
  et::etdump::Run run;
  ASSERT_TRUE(reader.run(0, &run));
  ASSERT_EQ(run.allocator_count(), 1u);
  EXPECT_EQ(run.allocator_name(0), "temp");
}

TEST(EtdumpGen, ARunToldBeforeItsBlockBelongsToIt) {
  ETDumpGen gen;
  gen.begin_run({"m", "load", 0});
  gen.create_event_block("Default");
  gen.end_profiling(gen.start_profiling("a"));
  gen.begin_run({"m", "execute", 1});
  gen.create_event_block("Execute");
  gen.create_event_block("Execute");
  gen.begin_run({"n", "execute", 2});
  const Dump d(take(gen));
  EXPECT_EQ(d.trailer().run(0).kind, "load");
  EXPECT_EQ(d.trailer().run(1).method, "m");
  EXPECT_EQ(d.trailer().run(1).execution, 1u);
  EXPECT_EQ(d.trailer().run(2).method, "n");
  EXPECT_EQ(d.trailer().run(2).execution, 2u);
}

}  // namespace
}  // namespace et::etdump
