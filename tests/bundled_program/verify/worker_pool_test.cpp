// Workers: cases that crash, never end or take all memory are failed checks of their own, and nothing else is lost. A
// kernel of the test misbehaves when the first element of its input says so.
#include "bundled_program/verify/worker_pool.h"

#include <unistd.h>

#include <csignal>

#include "bundled_program/verify/isolated.h"
#include "bundled_program/write/bundle_writer.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"
#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

constexpr float kCrash = 666;
constexpr float kHang = 777;
constexpr float kLeave = 888;
constexpr float kSlow = 999;

void misbehaving_add(KernelRuntimeContext& context, Span<EValue*> args) {
  const float first = args[0]->toTensor().const_data_ptr<float>()[0];
  if (first == kCrash) raise(SIGKILL);  // no handler of a sanitizer in between
  if (first == kLeave) _exit(42);
  while (first == kHang) pause();
  if (first == kSlow) usleep(50000);
  (*get_kernel("aten::add.out"))->function(context, args);
}

constexpr Kernel kRows[] = {{"aten::add.out", &misbehaving_add, KernelKind::Native, "v1/6;0,1|6;0,1|6;0,1|6;0,1"}};
const KernelRegistration kRegistration{{kRows, 1}};

/// Cases of add_mul, (x + y) · x, whose first elements are these.
std::string bundle_of(const Scratch& dir, const std::string& name, const std::vector<float>& firsts) {
  CaseFile original;
  EXPECT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &original).ok());
  MemoryCases cases;
  for (const float first : firsts) {
    LoadedCase test;
    const std::vector<float> x = {first, 2, 3, 4, 5, 6};
    test.inputs = {add_floats(&test, {2, 3}, x), add_floats(&test, {2, 3}, {1, 1, 1, 1, 1, 1})};
    std::vector<float> want;
    for (const float v : x) want.push_back((v + 1) * v);
    test.expected = {add_floats(&test, {2, 3}, want)};
    cases.add("forward", test, "forward");
  }
  BundleBytes bytes;
  EXPECT_TRUE(write_bundle(original.program(), cases, &bytes).ok());
  write_file(dir / name, {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()});
  return dir / name;
}

std::vector<std::vector<CaseVerdict>> check(const std::vector<std::string>& files, unsigned jobs,
                                            const VerifyOptions& options = {}) {
  runtime_init();
  capture_errors();
  std::vector<CheckTask> tasks;
  for (const std::string& f : files) tasks.push_back({f, ""});
  std::vector<std::vector<CaseVerdict>> out(files.size());
  PoolOptions pool;
  pool.jobs = jobs;
  pool.load_timeout_s = options.timeout_s.value_or(0);
  const Status s =
      check_files(tasks, options, pool, [&](size_t task, CaseVerdict&& v) { out[task].push_back(std::move(v)); });
  EXPECT_TRUE(s.ok()) << s.message();
  return out;
}

std::string kinds(const std::vector<CaseVerdict>& verdicts) {
  std::string text;
  for (const CaseVerdict& v : verdicts) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(v.test_case) + ":" + (v.passed() ? "ok" : failure_name(v.failure));
  }
  return text;
}

TEST(WorkerPool, OneCrashIsOneFailedCheck) {
  const Scratch dir;
  const std::string bad = bundle_of(dir, "bad.bpte", {1, kCrash, 2, kLeave, 3});
  const std::string good = bundle_of(dir, "good.bpte", {1, 2});
  for (const unsigned jobs : {1u, 2u, 5u}) {
    const auto v = check({good, bad, good}, jobs);
    EXPECT_EQ(kinds(v[0]), "0:ok 1:ok");
    EXPECT_EQ(kinds(v[1]), "0:ok 1:crash 2:ok 3:crash 4:ok") << jobs;
    EXPECT_EQ(kinds(v[2]), "0:ok 1:ok");
    EXPECT_NE(v[1][1].reason.find("signal 9"), std::string::npos) << v[1][1].reason;
    EXPECT_NE(v[1][3].reason.find("exit code 42"), std::string::npos) << v[1][3].reason;
    EXPECT_EQ(v[1][1].method, "forward");
  }
}

TEST(WorkerPool, WhatNeverEndsIsStopped) {
  const Scratch dir;
  const std::string bad = bundle_of(dir, "bad.bpte", {1, kHang, 2});
  VerifyOptions options;
  options.timeout_s = 2;  // a busy machine may need a second to load a program
  const auto v = check({bad, bad}, 2, options);
  EXPECT_EQ(kinds(v[0]), "0:ok 1:timeout 2:ok");
  EXPECT_EQ(kinds(v[1]), "0:ok 1:timeout 2:ok");
  EXPECT_NE(v[0][1].reason.find("stopped after 2 s"), std::string::npos) << v[0][1].reason;
}

TEST(WorkerPool, APolicyMaySetTheTime) {
  const Scratch dir;
  const std::string bad = bundle_of(dir, "bad.bpte", {kHang, 2});
  write_file(dir / "bad.policy.toml", "version = 1\n[method.forward]\ntimeout = '1500ms'\n");
  const std::string good = bundle_of(dir, "good.bpte", {1, kSlow});
  const auto v = check({bad, good}, 1);
  EXPECT_EQ(kinds(v[0]), "0:timeout 1:ok");
  EXPECT_EQ(kinds(v[1]), "0:ok 1:ok");
}

TEST(WorkerPool, ManyFilesKeepTheirOrderAndNoneIsLost) {
  const Scratch dir;
  std::vector<std::string> files;
  for (int i = 0; i < 300; ++i) {
    const bool crashes = i % 97 == 13;
    files.push_back(bundle_of(dir, std::to_string(i) + ".bpte", {static_cast<float>(i % 7), crashes ? kCrash : 1, 2}));
  }
  for (const unsigned jobs : {1u, 3u}) {
    const auto v = check(files, jobs);
    for (size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(kinds(v[i]), i % 97 == 13 ? "0:ok 1:crash 2:ok" : "0:ok 1:ok 2:ok") << i;
      for (const CaseVerdict& c : v[i]) EXPECT_EQ(c.file, files[i]);
    }
  }
}

TEST(WorkerPool, BrokenFilesAmongGoodOnes) {
  const Scratch dir;
  const std::string good = bundle_of(dir, "good.bpte", {1});
  write_file(dir / "junk.bpte", "junk");
  const auto v = check({dir / "junk.bpte", good, dir / "missing.bpte", good}, 2);
  EXPECT_EQ(kinds(v[0]), "-1:corrupt");
  EXPECT_EQ(kinds(v[1]), "0:ok");
  EXPECT_EQ(kinds(v[2]), "-1:io");
  EXPECT_EQ(kinds(v[3]), "0:ok");
}

TEST(Isolated, GivesTheValueOrTheReason) {
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(run_isolated([&] { return large; }, 0).value, large);
  const Isolated crashed = run_isolated(
      []() -> std::string {
        raise(SIGKILL);
        return "";
      },
      0);
  EXPECT_EQ(crashed.end, Isolated::End::Crashed);
  EXPECT_NE(crashed.reason.find("signal 9"), std::string::npos);
  const Isolated late = run_isolated(
      []() -> std::string {
        while (true) pause();
      },
      0.1);
  EXPECT_EQ(late.end, Isolated::End::TimedOut);
  EXPECT_EQ(late.reason, "stopped after 0.1 s");
}

}  // namespace
}  // namespace et::bundled
