// Addresses of traces: what they find, and what they say when they do not.
#include "inspector/store/trace_ref.h"

#include <gtest/gtest.h>

#include "inspector/store/file_kind.h"
#include "tests/cli/scratch.h"
#include "tests/cli/small_store.h"

namespace et::inspector {
namespace {

using cli::test::memory_store;
using cli::test::Scratch;
using cli::test::write_file;

TraceRef parsed(const std::string& text) {
  TraceRef ref;
  const Status status = parse_trace_ref(text, &ref);
  EXPECT_TRUE(status.ok()) << status.message();
  return ref;
}

TEST(TraceRef, SplitsAtTheMark) {
  const Scratch dir;
  write_file(dir / "s.db", "x");
  const TraceRef three = parsed(dir / "s.db#3");
  EXPECT_EQ(three.path, dir / "s.db");
  EXPECT_EQ(three.kind, TraceRef::Kind::IdOrName);
  EXPECT_EQ(three.selector, "3");
  EXPECT_EQ(parsed(dir / "s.db@latest").kind, TraceRef::Kind::Latest);
  EXPECT_EQ(parsed(dir / "s.db").kind, TraceRef::Kind::Only);
}

TEST(TraceRef, AFileOfThatNameWins) {
  const Scratch dir;
  write_file(dir / "odd#3", "x");
  write_file(dir / "mail@latest", "x");
  EXPECT_EQ(parsed(dir / "odd#3").kind, TraceRef::Kind::Only);
  EXPECT_EQ(parsed(dir / "odd#3").path, dir / "odd#3");
  EXPECT_EQ(parsed(dir / "mail@latest").kind, TraceRef::Kind::Only);
  const TraceRef inner = parsed(dir / "odd#3#5");
  EXPECT_EQ(inner.path, dir / "odd#3");
  EXPECT_EQ(inner.selector, "5");
}

TEST(TraceRef, NamesMayHoldMarksThemselves) {
  const Scratch dir;
  write_file(dir / "s.db", "x");
  const TraceRef ref = parsed(dir / "s.db#build#7@home");
  EXPECT_EQ(ref.path, dir / "s.db");
  EXPECT_EQ(ref.selector, "build#7@home");
}

TEST(TraceRef, AMissingStoreIsNamedWithoutItsSelector) {
  const Scratch dir;
  EXPECT_EQ(parsed(dir / "none.db#3").path, dir / "none.db");
  EXPECT_EQ(parsed(dir / "none.db@latest").path, dir / "none.db");
  EXPECT_EQ(parsed("user@host/x.etdp").path, "user@host/x.etdp");
}

TEST(TraceRef, MistakesAreExplained) {
  const Scratch dir;
  write_file(dir / "s.db", "x");
  TraceRef ref;
  EXPECT_EQ(parse_trace_ref("", &ref).code(), Error::InvalidArgument);
  EXPECT_NE(parse_trace_ref(dir / "s.db@newest", &ref).message().find("@latest"), std::string::npos);
  EXPECT_NE(parse_trace_ref(dir / "s.db#", &ref).message().find("behind '#'"), std::string::npos);
}

struct Found {
  Status status;
  int64_t id = 0;
};
Found find(const Store& store, const std::string& selector) {
  TraceRef ref;
  ref.path = "s.db";
  ref.text = "s.db" + selector;
  if (selector == "@latest") ref.kind = TraceRef::Kind::Latest;
  if (selector.starts_with('#')) {
    ref.kind = TraceRef::Kind::IdOrName;
    ref.selector = selector.substr(1);
  }
  Found found;
  found.status = resolve_trace(store, ref, &found.id);
  return found;
}

TEST(ResolveTrace, FindsByNumberNameAndAge) {
  const Store store = memory_store({"base", "", "tuned"});
  EXPECT_EQ(find(store, "#2").id, 2);
  EXPECT_EQ(find(store, "#base").id, 1);
  EXPECT_EQ(find(store, "#tuned").id, 3);
  EXPECT_EQ(find(store, "@latest").id, 3);
  EXPECT_EQ(find(memory_store({""}), "").id, 1) << "the only trace needs no selector";
}

TEST(ResolveTrace, ANumberIsAnIdFirst) {
  const Store store = memory_store({"2", "other", "77"});
  EXPECT_EQ(find(store, "#2").id, 2);
  EXPECT_EQ(find(store, "#77").id, 3);
}

TEST(ResolveTrace, WhatIsThereIsListed) {
  const Store store = memory_store({"base", "", "tuned"});
  EXPECT_EQ(list_traces(store), "#1 base, #2, #3 tuned");
  const Found missing = find(store, "#tund");
  EXPECT_EQ(missing.status.code(), Error::NotFound);
  EXPECT_NE(missing.status.message().find("#1 base, #2, #3 tuned"), std::string::npos) << missing.status.message();
  const Found open = find(store, "");
  EXPECT_EQ(open.status.code(), Error::InvalidArgument);
  EXPECT_NE(open.status.message().find("s.db#3"), std::string::npos) << open.status.message();
  EXPECT_NE(find(memory_store({}), "@latest").status.message().find("has no traces"), std::string::npos);
  EXPECT_EQ(find(store, "#99999999999999999999").status.code(), Error::NotFound);
}

TEST(ResolveTrace, ANameThatTwoTracesHaveAsksForANumber) {
  const Found found = find(memory_store({"run", "x", "run"}), "#run");
  EXPECT_EQ(found.status.code(), Error::InvalidArgument);
  EXPECT_NE(found.status.message().find("#1, #3"), std::string::npos) << found.status.message();
}

TEST(ResolveTrace, LongListsAreCut) {
  const Store store = memory_store(std::vector<std::string>(40, ""));
  EXPECT_TRUE(list_traces(store).starts_with("28 more, #29")) << list_traces(store);
}

TEST(FileKind, RealFilesAreKnownByTheirBytes) {
  const std::string dir = std::string(ET_FIXTURES) + "/artifacts/";
  EXPECT_EQ(file_kind(dir + "add_mul/etdump.etdp"), FileKind::ETDump);
  EXPECT_EQ(file_kind(dir + "add_mul/etrecord.bin"), FileKind::ETRecord);
  EXPECT_EQ(file_kind(dir + "control_flow_constants/etrecord.bin"), FileKind::ETRecord)
      << "half-written, still a record";
  EXPECT_EQ(file_kind(dir + "add_mul/program.pte"), FileKind::Program);
  EXPECT_EQ(file_kind(dir + "external_weights_xnnpack/model_weights.ptd"), FileKind::TensorFile);
  EXPECT_EQ(file_kind(dir + "sources/models.py"), FileKind::Text);
  EXPECT_EQ(file_kind(dir + "add_mul"), FileKind::Directory);
  EXPECT_EQ(file_kind(dir + "nothing"), FileKind::Missing);
  const Scratch scratch;
  write_file(scratch / "empty", "");
  EXPECT_EQ(file_kind(scratch / "empty"), FileKind::Empty);
  cli::test::store_file(scratch / "s.db", {"a"});
  EXPECT_EQ(file_kind(scratch / "s.db"), FileKind::Store);
  EXPECT_EQ(file_kind("/dev/null"), FileKind::Special);
  write_file(scratch / "short", "E");
  EXPECT_EQ(file_kind(scratch / "short"), FileKind::Text);
  // Quantised ones, at the beginning of a debug buffer: printable, and no text.
  write_file(scratch / "ones.bin", std::string(4096, '"'));
  EXPECT_EQ(file_kind(scratch / "ones.bin"), FileKind::Unknown);
}

}  // namespace
}  // namespace et::inspector
