#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "inspector/analysis/timeline/timeline.h"
#include "inspector/report/exporters.h"
#include "tests/inspector/export/export_store.h"
#include "tests/inspector/export/proto_reader.h"

namespace et::inspector {
namespace {

namespace dom = simdjson::dom;

std::string export_as(const char* format, const Store& store, const ExportOptions& options = {}) {
  const Exporter* e = find_exporter(format);
  if (e == nullptr) {
    ADD_FAILURE() << "no exporter " << format;
    return {};
  }
  std::ostringstream out;
  const Status s = e->write(store, 1, options, out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out.str();
}

class Json {
 public:
  explicit Json(const std::string& text) {
    const auto error = parser_.parse(text).get(root);
    EXPECT_EQ(error, simdjson::SUCCESS) << error << "\n" << text.substr(0, 500);
  }
  dom::element root;

 private:
  dom::parser parser_;
};

std::string str(dom::element e) { return std::string(std::string_view(e)); }

TEST(Exporters, EachHasANameAndRefusesATraceThatIsNotThere) {
  ExportStore x;
  std::set<std::string> names;
  for (const Exporter& e : exporters()) {
    EXPECT_TRUE(names.insert(e.name).second);
    std::ostringstream out;
    EXPECT_EQ(e.write(x.store, 99, {}, out).code(), Error::NotFound) << e.name;
    std::ostringstream broken;
    broken.setstate(std::ios::badbit);
    fill_usual(&x);
    EXPECT_EQ(e.write(x.store, 1, {}, broken).code(), Error::AccessFailed) << e.name;
    x = ExportStore();
  }
}

TEST(Exporters, ATraceWithoutEventsIsExportedAllTheSame) {
  ExportStore x;
  x.finish();
  for (const Exporter& e : exporters()) {
    std::ostringstream out;
    EXPECT_TRUE(e.write(x.store, 1, {}, out).ok()) << e.name;
  }
}

TEST(Exporters, SayTheSameTwice) {
  ExportStore x;
  fill_usual(&x);
  for (const Exporter& e : exporters()) EXPECT_EQ(export_as(e.name, x.store), export_as(e.name, x.store)) << e.name;
}

struct ChromeEvent {
  std::string name;
  double ts, dur;
};

TEST(ChromeExport, HasEverySampleOnceAndNothingOverlapsInPart) {
  ExportStore x;
  fill_usual(&x);
  const Json j(export_as("chrome", x.store));
  std::map<std::pair<int64_t, int64_t>, std::vector<ChromeEvent>> lanes;
  int64_t samples = 0;
  for (dom::element e : dom::array(j.root["traceEvents"])) {
    if (str(e["ph"]) != "X") continue;
    ++samples;
    lanes[{int64_t(e["pid"]), int64_t(e["tid"])}].push_back({str(e["name"]), double(e["ts"]), double(e["dur"])});
  }
  EXPECT_EQ(samples, x.samples);
  for (auto& [lane, events] : lanes) {
    std::vector<double> ends;
    double last = 0;
    for (const ChromeEvent& e : events) {
      EXPECT_GE(e.ts, last) << "in order of time";
      last = e.ts;
      while (!ends.empty() && ends.back() <= e.ts + 1e-9) ends.pop_back();
      if (!ends.empty()) {
        EXPECT_LE(e.ts + e.dur, ends.back() + 1e-6) << e.name;
      }
      ends.push_back(e.ts + e.dur);
    }
  }
}

TEST(ChromeExport, KeepsNanosecondsAndSaysWhereAnOpComesFrom) {
  ExportStore x;
  fill_usual(&x);
  const std::string text = export_as("chrome", x.store);
  EXPECT_NE(text.find("\"ts\":10,\"dur\":12.345"), std::string::npos) << text;
  const Json j(text);
  bool seen = false, clamped = false, foreign = false;
  for (dom::element e : dom::array(j.root["traceEvents"])) {
    dom::element value;
    if (str(e["name"]) == "aten.add.Tensor") {
      seen = true;
      EXPECT_EQ(str(e["args"]["source"]), "/src/model.py:3");
      EXPECT_EQ(str(e["args"]["op_types"].at_pointer("/0")), "aten.add.Tensor");
      EXPECT_EQ(int64_t(e["args"]["instruction"]), 0);
      EXPECT_EQ(str(e["args"]["event"]), "OPERATOR_CALL");
    }
    if (e["args"]["clamped_ns"].get(value) == simdjson::SUCCESS) {
      clamped = true;
      EXPECT_EQ(int64_t(value), 700);
    }
    if (str(e["ph"]) == "M" && str(e["args"]["name"]).find("cycles") != std::string::npos) foreign = true;
    if (str(e["name"]) == "NPU") {
      EXPECT_NE(int64_t(e["pid"]), 1);
    }
  }
  EXPECT_TRUE(seen && clamped && foreign);
}

TEST(ChromeExport, HostileNamesStayText) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t o = x.op(b, {.name = "a\"b\\\n\x01\xff</script>", .op_types = "[\"x\", not json"});
  x.sample(o, x.execution(b), 1, 2);
  x.finish();
  for (const char* format : {"chrome", "speedscope"}) {
    const Json j(export_as(format, x.store));
    EXPECT_TRUE(j.root.is_object()) << format;
  }
}

std::map<std::string, int64_t> folded_by_root(const std::string& text) {
  std::map<std::string, int64_t> sums;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.rfind(' ');
    sums[line.substr(0, std::min(line.find(';'), space))] += std::stoll(line.substr(space + 1));
  }
  return sums;
}

TEST(FoldedExport, SumsToTheTotalOfEachBlock) {
  ExportStore x;
  fill_usual(&x);
  const auto sums = folded_by_root(export_as("folded", x.store));
  EXPECT_EQ(sums.at("forward"), 2 * 12345);
  EXPECT_EQ(sums.at("forward (load)"), 500);
}

TEST(FoldedExport, GoesFromTheMethodOverTheInstructionToTheInnerOp) {
  ExportStore x;
  fill_usual(&x);
  const std::string text = export_as("folded", x.store);
  EXPECT_NE(text.find("forward;Method::execute;[1] XnnpackBackend call;Convolution #1 "), std::string::npos) << text;
  EXPECT_NE(text.find("forward;Method::execute;[0] aten.add.Tensor;add.out 4000\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("NPU"), std::string::npos) << "cycles are no nanoseconds";
}

TEST(FoldedExport, ASemicolonInANameIsNoFrame) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t o = x.op(b, {.name = "a;b\nc"});
  x.sample(o, x.execution(b), 1, 2);
  x.finish();
  EXPECT_EQ(export_as("folded", x.store), "forward;a:b c 2\n");
}

TEST(SpeedscopeExport, OpensAndClosesEveryFrameInOrder) {
  ExportStore x;
  fill_usual(&x);
  const Json j(export_as("speedscope", x.store));
  EXPECT_EQ(str(j.root["$schema"]), "https://www.speedscope.app/file-format-schema.json");
  const size_t frames = dom::array(j.root["shared"]["frames"]).size();
  int64_t opened = 0, sampled = 0;
  for (dom::element p : dom::array(j.root["profiles"])) {
    if (str(p["type"]) == "sampled") {
      EXPECT_EQ(dom::array(p["samples"]).size(), dom::array(p["weights"]).size());
      for (dom::element w : dom::array(p["weights"])) sampled += int64_t(w);
      EXPECT_EQ(int64_t(p["endValue"]), sampled);
      continue;
    }
    std::vector<int64_t> stack;
    int64_t last = int64_t(p["startValue"]);
    for (dom::element e : dom::array(p["events"])) {
      EXPECT_GE(int64_t(e["at"]), last);
      last = int64_t(e["at"]);
      const int64_t frame = int64_t(e["frame"]);
      ASSERT_LT(static_cast<size_t>(frame), frames);
      if (str(e["type"]) == "O") {
        stack.push_back(frame);
        ++opened;
      } else {
        ASSERT_FALSE(stack.empty());
        EXPECT_EQ(stack.back(), frame);
        stack.pop_back();
      }
    }
    EXPECT_TRUE(stack.empty());
    EXPECT_LE(last, int64_t(p["endValue"]));
  }
  EXPECT_EQ(opened, x.samples);
  EXPECT_EQ(sampled, 2 * 12345 + 500);
}

TEST(SpeedscopeExport, SaysWhenItShowsOnlySomeExecutions) {
  ExportStore x;
  fill_usual(&x);
  EXPECT_NE(export_as("speedscope", x.store, {.max_executions = 1}).find("(first 1 of 2)"), std::string::npos);
  EXPECT_EQ(export_as("speedscope", x.store).find("(first"), std::string::npos);
}

// The cold run of a method is a block of its own; its executions are counted on, as in the window and in --basis.
TEST(Exports, NumberTheExecutionsOfAMethodOverItsBlocks) {
  ExportStore x;
  for (int b = 0; b < 2; ++b) {
    const int64_t block = x.block(), op = x.op(block, {.name = "Method::execute", .kind = "framework"});
    for (int i = 0; i <= b; ++i) x.sample(op, x.execution(block), 1000 * b + 100 * i, 50);
  }
  const int64_t load = x.block("load"), init = x.op(load, {.name = "Method::init"});
  x.sample(init, x.execution(load), 9000, 5);
  x.finish();
  const std::string speedscope = export_as("speedscope", x.store);
  for (const char* name : {"\"forward #0 cold\"", "\"forward #1\"", "\"forward #2\"", "\"forward (load) #0\""}) {
    EXPECT_NE(speedscope.find(name), std::string::npos) << name << "\n" << speedscope;
  }
  std::vector<int64_t> numbers;
  const Json chrome(export_as("chrome", x.store));
  for (dom::element e : dom::array(chrome.root["traceEvents"])) {
    if (str(e["ph"]) == "X" && str(e["name"]) == "Method::execute") numbers.push_back(int64_t(e["args"]["execution"]));
  }
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 1, 2}));
  numbers.clear();
  Timeline t;
  ASSERT_TRUE(Timeline::load(x.store, 1, &t).ok());
  const Status walked = t.walk(x.store, 0, [&](const TimelineRun& run, std::span<const Slice>) {
    if (t.blocks()[static_cast<size_t>(run.block)].kind() == "execute") numbers.push_back(run.execution);
    return Status();
  });
  EXPECT_TRUE(walked.ok()) << walked.message();
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 1, 2})) << "what Perfetto's packets have, too";
}

TEST(SpeedscopeExport, NamesFilesWhereTheUserHasThem) {
  ExportStore x;
  fill_usual(&x);
  const std::string text = export_as("speedscope", x.store, {.source_maps = {{"/src", "sources"}}});
  EXPECT_NE(text.find("\"file\":\"sources/model.py\",\"line\":3"), std::string::npos);
}

TEST(PerfettoExport, DecodesToNestedSlicesWithNamesAndTimes) {
  ExportStore x;
  fill_usual(&x);
  ProtoMessage trace;
  ASSERT_TRUE(trace.parse(export_as("perfetto", x.store)));
  std::map<uint64_t, std::string> names, strings, annotation_names;
  std::map<uint64_t, std::vector<uint64_t>> open;  // by track: start times
  std::set<uint64_t> tracks;
  std::map<std::string, int64_t> count;
  int64_t clamped = 0;
  bool first = true;
  for (const ProtoMessage& p : trace.messages(1)) {
    EXPECT_EQ(p.number(10), 1u) << "every packet belongs to the sequence that the names belong to";
    EXPECT_EQ(p.number(13), first ? 3u : 2u);
    first = false;
    for (const ProtoMessage& interned : p.messages(12)) {
      for (const ProtoMessage& m : interned.messages(2)) EXPECT_TRUE(names.emplace(m.number(1), m.text(2)).second);
      for (const ProtoMessage& m : interned.messages(3)) annotation_names[m.number(1)] = m.text(2);
      for (const ProtoMessage& m : interned.messages(29)) strings[m.number(1)] = m.text(2);
    }
    for (const ProtoMessage& d : p.messages(60)) tracks.insert(d.number(1));
    for (const ProtoMessage& e : p.messages(11)) {
      EXPECT_TRUE(tracks.contains(e.number(11))) << "a track is described before it is used";
      auto& stack = open[e.number(11)];
      if (e.number(9) == 1) {
        ASSERT_TRUE(names.contains(e.number(10)));
        ++count[names[e.number(10)]];
        stack.push_back(p.number(8));
        for (const ProtoMessage& a : e.messages(4)) {
          ASSERT_TRUE(annotation_names.contains(a.number(1)));
          if (annotation_names[a.number(1)] == "clamped_ns") clamped += static_cast<int64_t>(a.number(4));
          if (a.number(17) != 0) {
            EXPECT_TRUE(strings.contains(a.number(17)));
          }
        }
      } else {
        ASSERT_EQ(e.number(9), 2u);
        ASSERT_FALSE(stack.empty());
        EXPECT_LE(stack.back(), p.number(8));
        stack.pop_back();
      }
    }
  }
  for (const auto& [track, stack] : open) EXPECT_TRUE(stack.empty()) << track;
  int64_t all = 0;
  for (const auto& [name, n] : count) all += n;
  EXPECT_EQ(all, x.samples);
  EXPECT_EQ(count["aten.add.Tensor"], 2);
  EXPECT_EQ(count["Clamp #1"], 2);
  EXPECT_EQ(clamped, 700);
}

}  // namespace
}  // namespace et::inspector
