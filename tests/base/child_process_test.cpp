// Other programs as children: how they end, what they say, and that they can be stopped.
#include "base/child_process.h"

#include <gtest/gtest.h>

#include <chrono>

namespace et {
namespace {

Status run(const std::string& command, ChildEnd* end, const std::function<bool()>& cancelled = {}) {
  return run_child({"/bin/sh", "-c", command}, cancelled, end);
}

TEST(ChildProcess, ItsEndAndItsErrorsAreKnown) {
  ChildEnd end;
  ASSERT_TRUE(run("echo out; echo why >&2; exit 3", &end).ok());
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.errors, "why\n");
  ASSERT_TRUE(run("kill -9 $$", &end).ok());
  EXPECT_EQ(end.signal, 9);
  EXPECT_EQ(end.errors, "");
  ASSERT_TRUE(run_child({"/no/such/program"}, {}, &end).ok());
  EXPECT_EQ(end.exit_code, 127);
}

TEST(ChildProcess, ItReadsNothingAndMayWriteMuch) {
  ChildEnd end;
  ASSERT_TRUE(run("cat; head -c 300000 /dev/zero | tr '\\0' x >&2", &end).ok());
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.errors, std::string(65536, 'x'));
}

TEST(ChildProcess, ItIsStopped) {
  const auto begin = std::chrono::steady_clock::now();
  int asked = 0;
  ChildEnd end;
  const Status status = run("exec sleep 60", &end, [&] { return ++asked > 2; });
  EXPECT_EQ(status.code(), Error::InvalidState);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// Its standard error is closed long before its end.
TEST(ChildProcess, ASilentOneIsStoppedToo) {
  const auto begin = std::chrono::steady_clock::now();
  int asked = 0;
  ChildEnd end;
  const Status status = run("exec 2>&-; exec sleep 60", &end, [&] { return ++asked > 4; });
  EXPECT_EQ(status.code(), Error::InvalidState);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// What it started keeps its standard error open after its end.
TEST(ChildProcess, AGrandchildIsNotWaitedForOnceItIsCancelled) {
  const auto begin = std::chrono::steady_clock::now();
  int asked = 0;
  ChildEnd end;
  const Status status = run("sleep 60 & wait", &end, [&] { return ++asked > 2; });
  EXPECT_EQ(status.code(), Error::InvalidState);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(ChildProcess, AProgramIsLookedForBesideThisOneFirst) {
  EXPECT_EQ(program_beside("no-such-program"), "no-such-program");
  const std::string own = program_beside("base_child_process_test");
  EXPECT_EQ(own.front(), '/') << own;
}

}  // namespace
}  // namespace et
