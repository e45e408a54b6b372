// Policies: what they allow for which output, and where a mistake in them is.
#include "bundled_program/verify/policy.h"

#include <gtest/gtest.h>

#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

constexpr const char* kPolicy = R"(version = 1
[default]
rtol = 1e-4
atol = 1e-6
max_slowdown = "5%"
timeout = "1 min"
[dtype.float16]
rtol = 1e-2
[method.forward]
max_memory = "2 KiB"
max_slowdown = 0.03
[method.forward.output.1]
atol = 0.5
max_outside = "10%"
min_snr_db = 30
min_cosine = 0.99
max_abs_error = 2
[method.forward.case.2.output.1]
rtol = 0.25
)";

std::shared_ptr<const Policy> parsed(std::string_view text) {
  std::shared_ptr<const Policy> out;
  const Status s = Policy::parse(text, "folder/policy.toml", &out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out;
}

OutputLimit limit(const Policy& policy, const char* method, size_t test, uint32_t output, ScalarType type) {
  OutputLimit out;
  out.tolerance = {7, 7};
  out.from = "dtype";
  policy.apply(method, test, output, type, &out);
  return out;
}

TEST(Policy, TheMostParticularRuleCounts) {
  const auto policy = parsed(kPolicy);
  OutputLimit l = limit(*policy, "other", 0, 0, ScalarType::Float);
  EXPECT_EQ(l.tolerance.rtol, 1e-4);
  EXPECT_EQ(l.tolerance.atol, 1e-6);
  EXPECT_EQ(l.from, "policy.toml: default");
  l = limit(*policy, "other", 0, 0, ScalarType::Half);
  EXPECT_EQ(l.tolerance.rtol, 1e-2);
  EXPECT_EQ(l.from, "policy.toml: dtype.float16");
  l = limit(*policy, "forward", 0, 1, ScalarType::Float);
  EXPECT_EQ(l.tolerance.rtol, 1e-4) << "what a table does not say comes from the one before it";
  EXPECT_EQ(l.tolerance.atol, 0.5);
  EXPECT_EQ(l.max_outside, 0.1);
  EXPECT_EQ(l.min_snr_db, 30);
  EXPECT_EQ(l.min_cosine, 0.99);
  EXPECT_EQ(l.max_abs_error, 2);
  l = limit(*policy, "forward", 2, 1, ScalarType::Float);
  EXPECT_EQ(l.tolerance.rtol, 0.25);
  EXPECT_EQ(l.tolerance.atol, 0.5);
  EXPECT_EQ(l.from, "policy.toml: method.forward.case.2.output.1");
}

TEST(Policy, LimitsOfMethods) {
  const auto policy = parsed(kPolicy);
  EXPECT_EQ(policy->method("forward").max_memory, 2048u);
  EXPECT_EQ(policy->method("forward").max_slowdown, 0.03);
  EXPECT_EQ(policy->method("forward").timeout_s, 60);
  EXPECT_EQ(policy->method("other").max_slowdown, 0.05);
  EXPECT_FALSE(policy->method("other").max_memory);
}

TEST(Policy, MistakesAreNamedWithTheirPlace) {
  struct Row {
    const char* text;
    const char* says;
  };
  constexpr Row kRows[] = {
      {"", "folder/policy.toml: expected version = 1"},
      {"version = 2", "folder/policy.toml:1:11: version: expected 1"},
      {"version = 1\n[default]\nrtolerance = 1", "folder/policy.toml:3:14: default.rtolerance: unknown key"},
      {"version = 1\n[default]\nrtol = -1", ":3:8: default.rtol: expected a number >= 0"},
      {"version = 1\n[default]\nrtol = \"1\"", ":3:8: default.rtol: expected a number >= 0"},
      {"version = 1\n[default]\nmin_cosine = 3", "expected a number from -1 to 1"},
      {"version = 1\n[default]\ntimeout = \"soon\"", "default.timeout: expected a time"},
      {"version = 1\n[default]\nmax_memory = \"much\"", "default.max_memory: expected a size"},
      {"version = 1\n[default]\nmax_slowdown = \"-5%\"", "default.max_slowdown: expected a share"},
      {"version = 1\n[dtype.float99]\nrtol = 1", "dtype.float99: unknown dtype"},
      {"version = 1\n[method.m.output.x]\nrtol = 1", "method.m.output.x: expected the number of an output"},
      {"version = 1\n[method.m.case.0.outputs.0]\nrtol = 1", "method.m.case.0.outputs: unknown key"},
      {"version = 1\n[dtype.float32]\ntimeout = 1", "dtype.float32.timeout: unknown key"},
      {"version = 1\n[methods]\n", "methods: unknown key"},
      {"version = 1\nmethod = 3", "method: expected a table"},
      {"version = ", "folder/policy.toml:1:"},
      {"version = 1\nversion = 1", "folder/policy.toml:2:"},
  };
  for (const Row& row : kRows) {
    std::shared_ptr<const Policy> out;
    const Status s = Policy::parse(row.text, "folder/policy.toml", &out);
    EXPECT_EQ(s.code(), Error::InvalidArgument) << row.text;
    EXPECT_NE(s.message().find(row.says), std::string::npos) << row.text << "\n" << s.message();
    EXPECT_EQ(out, nullptr);
  }
}

TEST(Policy, StandsBesideTheModel) {
  const test::Scratch dir;
  EXPECT_EQ(Policy::path_beside(dir / "model.bpte"), "");
  test::write_file(dir / "policy.toml", "version = 1");
  EXPECT_EQ(Policy::path_beside(dir / "model.bpte"), dir / "policy.toml");
  test::write_file(dir / "model.policy.toml", "version = 1");
  EXPECT_EQ(Policy::path_beside(dir / "model.bpte"), dir / "model.policy.toml");
  EXPECT_EQ(Policy::path_beside(dir / "other.bpte"), dir / "policy.toml");
}

}  // namespace
}  // namespace et::bundled
