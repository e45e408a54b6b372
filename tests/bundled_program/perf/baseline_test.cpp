#include "bundled_program/perf/baseline.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace et::perf {
namespace {

BaselineEntry example() {
  BaselineEntry e;
  e.file = "models/\"quoted\"\\\n.bpte";
  e.program = "00ff";
  e.method = "forward";
  e.test_case = 2;
  e.recorded = "2026-11-22T03:50:00Z";
  e.host = {"ci-7", "Some CPU", 8, "Linux x86_64", "gcc 12 optimized", "0.1.0"};
  e.clock = Clock::Wall;
  e.median_ns = 1234.5;
  e.samples = 600;
  e.batch = 81;
  e.undisturbed = 0.75;
  e.compute_ns = 21000;
  e.rounds = {{1234.5, 60000}, {1240.25, 61000.5}};
  return e;
}

TEST(BaselineFile, ComesBackAsItWas) {
  Baseline written;
  written.put(example());
  BaselineEntry other = example();
  other.method = "backward";
  other.clock = Clock::Cpu;
  written.put(other);
  const std::string path = (std::filesystem::path(testing::TempDir()) / "round_trip.json").string();
  ASSERT_TRUE(write_baseline(path, written).ok());
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  Baseline read;
  const Status status = read_baseline(path, &read);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(baseline_json(read), baseline_json(written));
  const BaselineEntry* found = read.find(example().file, "forward", 2);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->host.cores, 8U);
  EXPECT_EQ(found->clock, Clock::Wall);
  ASSERT_EQ(found->rounds.size(), 2U);
  EXPECT_EQ(found->rounds[1].memory, 61000.5);
  EXPECT_EQ(read.find(example().file, "forward", 3), nullptr);
}

TEST(Baseline, AnEntryIsFoundByTheEndOfItsPath) {
  Baseline recorded;
  for (const char* file : {"models/a.bpte", "models/b.bpte", "other/b.bpte", "/one/two/c.bpte", "d.bpte"}) {
    BaselineEntry entry = example();
    entry.file = file;
    entry.method = "forward";
    entry.test_case = 0;
    recorded.put(std::move(entry));
  }
  const auto found = [&](const char* file) {
    const BaselineEntry* const entry = recorded.find(file, "forward", 0);
    return entry == nullptr ? std::string() : entry->file;
  };
  EXPECT_EQ(found("/work/models/a.bpte"), "models/a.bpte");
  EXPECT_EQ(found("./models/a.bpte"), "models/a.bpte");
  EXPECT_EQ(found("/x/other/b.bpte"), "other/b.bpte");
  EXPECT_EQ(found("b.bpte"), "") << "two are as near";
  EXPECT_EQ(found("/elsewhere/two/c.bpte"), "/one/two/c.bpte");
  EXPECT_EQ(found("/elsewhere/three/c.bpte"), "") << "only the name is the same";
  EXPECT_EQ(found("/any/d.bpte"), "d.bpte");
  EXPECT_EQ(found("/any/e.bpte"), "");
  EXPECT_EQ(recorded.find("models/a.bpte", "forward", 1), nullptr);
}

TEST(BaselineFile, PutReplaces) {
  Baseline baseline;
  baseline.put(example());
  BaselineEntry again = example();
  again.median_ns = 7;
  baseline.put(again);
  ASSERT_EQ(baseline.entries.size(), 1U);
  EXPECT_EQ(baseline.entries[0].median_ns, 7);
}

struct Damage {
  const char* from;
  const char* to;
  const char* says;
};
const Damage kDamages[] = {
    {"et-baseline/1", "et-baseline/9", "base.json: baseline.schema: expected \"et-baseline/1\", got \"et-baseline/9\""},
    {"\"schema\"", "\"scheme\"", "base.json: baseline.schema: expected a string"},
    {"\"entries\"", "\"entrees\"", "base.json: baseline.entries: expected a list"},
    {"\"method\": \"forward\"", "\"method\": 5", "base.json: entries[0].method: expected a string"},
    {"\"case\": 2", "\"case\": -2", "base.json: entries[0].case: expected an integer >= 0"},
    {"\"cores\": 8", "\"cores\": \"8\"", "base.json: entries[0].host.cores: expected an integer >= 0"},
    {"\"host\"", "\"hosts\"", "base.json: entries[0].host: expected an object"},
    {"\"wall\"", "\"sundial\"", "base.json: entries[0].clock: expected \"cpu\" or \"wall\""},
    {"1234.5,", "0,", "base.json: entries[0].median_ns: expected nanoseconds > 0"},
    {"\"undisturbed\": 0.75", "\"undisturbed\": 75", "base.json: entries[0].undisturbed: expected a share from 0 to 1"},
    {"1240.25", "-1", "base.json: entries[0].rounds[1].ns: expected nanoseconds > 0"},
    {"1240.25", "1e300", "base.json: entries[0].rounds[1].ns: expected nanoseconds > 0"},
    {"\"ns\": 1240.25", "\"ms\": 1240.25", "base.json: entries[0].rounds[1].ns: expected a number"},
    {"}]}]}", "}", "base.json"},
};

TEST(BaselineFile, DamageIsNamedWithItsPlace) {
  Baseline written;
  written.put(example());
  const std::string good = baseline_json(written);
  for (const Damage& damage : kDamages) {
    std::string text = good;
    const size_t at = text.find(damage.from);
    ASSERT_NE(at, std::string::npos) << damage.from;
    text.replace(at, std::string(damage.from).size(), damage.to);
    Baseline read;
    const Status status = parse_baseline(text, "base.json", &read);
    EXPECT_EQ(status.code(), Error::InvalidExternalData) << damage.from;
    EXPECT_EQ(status.message().substr(0, std::string(damage.says).size()), damage.says);
  }
}

TEST(BaselineFile, EveryTruncationIsAnError) {
  Baseline written;
  written.put(example());
  const std::string good = baseline_json(written);
  for (size_t size = 0; size + 2 < good.size(); ++size) {
    Baseline read;
    EXPECT_FALSE(parse_baseline(good.substr(0, size), "base.json", &read).ok()) << size;
  }
}

TEST(BaselineFile, TwoEntriesOfOneCaseAreRefused) {
  Baseline written;
  written.entries = {example(), example()};
  Baseline read;
  const Status status = parse_baseline(baseline_json(written), "base.json", &read);
  EXPECT_EQ(status.message(),
            "base.json: entries[1]: expected one entry for each file, method and case, got a second one");
}

TEST(BaselineFile, UnknownMembersArePassedOver) {
  Baseline written;
  written.put(example());
  std::string text = baseline_json(written);
  text.insert(text.find("\"method\""), "\"later\": [1, {\"a\": null}], ");
  Baseline read;
  EXPECT_TRUE(parse_baseline(text, "base.json", &read).ok());
}

TEST(BaselineFile, MissingAndUnwritableFilesAreNamed) {
  Baseline read;
  const Status missing = read_baseline("no/such/base.json", &read);
  EXPECT_EQ(missing.code(), Error::AccessFailed);
  EXPECT_NE(missing.message().find("no/such/base.json"), std::string::npos);
  const Status unwritable = write_baseline("no/such/base.json", read);
  EXPECT_EQ(unwritable.code(), Error::AccessFailed);
  EXPECT_NE(unwritable.message().find("no/such/base.json"), std::string::npos);
}

}  // namespace
}  // namespace et::perf
