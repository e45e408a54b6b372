// Profiles for pprof, read back as its readers do.
#include <zlib.h>

#include <map>
#include <sstream>

#include "inspector/analysis/ops/stack_profile.h"
#include "inspector/report/exporters.h"
#include "tests/inspector/export/export_store.h"
#include "tests/inspector/export/proto_reader.h"

namespace et::inspector {
namespace {

std::string gunzipped(const std::string& data) {
  z_stream z = {};
  EXPECT_EQ(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  z.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    char piece[1000];
    z.next_out = reinterpret_cast<Bytef*>(piece);
    z.avail_out = sizeof piece;
    result = inflate(&z, Z_NO_FLUSH);
    out.append(piece, sizeof piece - z.avail_out);
  }
  EXPECT_EQ(result, Z_STREAM_END);
  inflateEnd(&z);
  return out;
}

std::string export_profile(const char* format, const Store& store, const std::string& stacks) {
  std::ostringstream out;
  const Status s = find_exporter(format)->write(store, 1, {.stacks = stacks}, out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out.str();
}

/// The usual trace; the line of its node has a stack of one frame.
void fill_with_frame(ExportStore* x) {
  fill_usual(x);
  x->run(
      "INSERT INTO raw_frame(node, depth, file, line, function, code) SELECT id, 0, file, line, function, code FROM "
      "raw_node");
}

/// Stacks as "outer;inner" with their values; lines and labels in brackets.
std::map<std::string, std::vector<uint64_t>> read_profile(const std::string& file) {
  ProtoMessage p;
  EXPECT_TRUE(p.parse(gunzipped(file)));
  std::vector<std::string> texts;
  for (auto [at, end] = p.texts.equal_range(6); at != end; ++at) texts.push_back(at->second);
  EXPECT_FALSE(texts.empty());
  EXPECT_EQ(texts.front(), "");
  std::map<uint64_t, std::string> functions, locations;
  for (const ProtoMessage& f : p.messages(5)) {
    const std::string& file_name = texts.at(f.number(4));
    functions[f.number(1)] = texts.at(f.number(2)) + (file_name.empty() ? "" : "@" + file_name);
  }
  EXPECT_EQ(p.messages(3).size(), 1u);
  for (const ProtoMessage& l : p.messages(4)) {
    EXPECT_EQ(l.number(2), p.messages(3).front().number(1));
    for (const ProtoMessage& line : l.messages(4)) {
      const uint64_t number = line.number(2);
      locations[l.number(1)] = functions.at(line.number(1)) + (number > 0 ? ":" + std::to_string(number) : "");
    }
  }
  std::map<std::string, std::vector<uint64_t>> out;
  for (const ProtoMessage& s : p.messages(2)) {
    std::string stack;
    for (auto [at, end] = s.numbers.equal_range(1); at != end; ++at) {
      stack = locations.at(at->second) + (stack.empty() ? "" : ";") + stack;
    }
    for (const ProtoMessage& label : s.messages(3)) {
      stack += " [" + texts.at(label.number(1)) + "=" + texts.at(label.number(2)) + "]";
    }
    for (auto [at, end] = s.numbers.equal_range(2); at != end; ++at) out[stack].push_back(at->second);
  }
  std::vector<std::string> types;
  for (const ProtoMessage& t : p.messages(1)) types.push_back(texts.at(t.number(1)) + "/" + texts.at(t.number(2)));
  EXPECT_EQ(types, (std::vector<std::string>{"samples/count", "time/nanoseconds", "warm_median/nanoseconds"}));
  EXPECT_EQ(texts.at(p.number(14)), "warm_median");
  EXPECT_EQ(p.number(10), 2u * 12345);
  return out;
}

TEST(PprofExport, LinesStandAboveTheOperatorsThatTheyAskedFor) {
  ExportStore x;
  fill_with_frame(&x);
  const auto stacks = read_profile(export_profile("pprof", x.store, ""));
  const auto found = stacks.find("forward;model.forward@/src/model.py:3;aten.add.Tensor");
  ASSERT_NE(found, stacks.end()) << stacks.begin()->first;
  EXPECT_EQ(found->second[1], 2u * 1000) << "what the call takes beyond its kernel; the kernel is not linked here";
  uint64_t sum = 0;
  for (const auto& [stack, values] : stacks) {
    ASSERT_EQ(values.size(), 3u) << stack;
    sum += values[1];
  }
  EXPECT_EQ(sum, 2u * 12345);
}

TEST(PprofExport, OpsStandInTheCallsThatEncloseThemAndFit) {
  ExportStore x;
  fill_usual(&x);
  const auto stacks = read_profile(export_profile("pprof", x.store, "ops"));
  uint64_t sum = 0;
  for (const auto& [stack, values] : stacks) {
    EXPECT_LT(values[1], uint64_t{1} << 40) << stack << ": negative";
    EXPECT_EQ(stack.find("NPU"), std::string::npos) << "cycles are no nanoseconds";
    sum += values[1];
  }
  EXPECT_EQ(sum, 2u * 12345);
}

// A call of 10 µs whose inner events, rounded up by their clock, claim 12.
TEST(StackProfile, InnerEventsThatAreLongerThanTheirCallAreShrunk) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t call = x.op(b, {.name = "DELEGATE_CALL", .kind = "delegate_call", .backend = "B"});
  const int64_t one = x.op(b, {.name = "one", .kind = "delegate_op", .parent = call, .backend = "B"});
  const int64_t two = x.op(b, {.name = "two", .kind = "delegate_op", .parent = call, .backend = "B"});
  const int64_t run = x.execution(b);
  x.sample(call, run, 0, 10000);
  x.sample(one, run, 0, 8000);
  x.sample(two, run, 8000, 4000);
  x.finish();
  StackProfile profile;
  ASSERT_TRUE(stack_profile(x.store, 1, StackKind::Ops, {}, &profile).ok());
  std::map<std::string, int64_t> times;
  int64_t sum = 0;
  for (const ProfileStack& s : profile.stacks) {
    times[profile.frames[static_cast<size_t>(s.frames.back())].name] += s.total;
    sum += s.total;
  }
  EXPECT_EQ(sum, 10000);
  EXPECT_EQ(times["one"], 6667);
  EXPECT_EQ(times["two"], 3333);
}

TEST(FoldedExport, WithPythonsStacksSumsToTheExecutions) {
  ExportStore x;
  fill_with_frame(&x);
  std::istringstream lines(export_profile("folded", x.store, "python"));
  int64_t sum = 0;
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    sum += std::stoll(line.substr(line.rfind(' ') + 1));
    found = found || line.starts_with("forward;forward (model.py:3);aten.add.Tensor ");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(sum, 2 * 12345);
}

}  // namespace
}  // namespace et::inspector
