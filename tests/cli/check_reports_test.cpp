// The forms of et-check's reports: what they say, that hostile texts stay texts, and that they keep to the schemas of
// their formats. ET_UPDATE_GOLDEN=1 writes the expected files anew.
#include <gtest/gtest.h>
#include <simdjson.h>
#include <csignal>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/utf8.h"
#include "bundled_program/verify/verdict.h"
#include "cli/version.h"
#include "tests/cli/check_report_samples.h"
#include "tests/cli/shell.h"
#include "tests/inspector/report/json_schema.h"

namespace et::cli {
namespace {

using test::empty_report;
using test::hostile_report;
using test::large_report;
using test::mixed_report;

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

/// Valid UTF-8 without control characters but line ends.
bool harmless(const std::string& text) {
  return is_storable_text(text) && std::none_of(text.begin(), text.end(), [](char c) {
           const auto u = static_cast<unsigned char>(c);
           return (u < 0x20 && c != '\n') || u == 0x7f;
         });
}

struct Form {
  const char* name;
  const char* ending;
  std::string (*write)(const CheckReport&);
};
const Form kForms[] = {
    {"text", "txt", [](const CheckReport& r) { return text_report(r, {}); }},
    {"verbose", "verbose.txt",
     [](const CheckReport& r) { return text_report(r, {.verbose = true, .by_operator = true}); }},
    {"json", "json", json_report},
    {"junit", "xml", junit_report},
    {"sarif", "sarif", sarif_report},
    {"github", "github.txt", github_report},
    {"summary", "md", github_summary},
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

class CheckReports : public testing::TestWithParam<Form> {};

TEST_P(CheckReports, SaysWhatWasFound) {
  std::string text = GetParam().write(mixed_report());
  for (size_t at = 0; (at = text.find(kVersion, at)) != std::string::npos;) {
    text.replace(at, std::string(kVersion).size(), "VERSION");
  }
  const std::string path = std::string(ET_SOURCE_DIR) + "/tests/cli/expected/check_report." + GetParam().ending;
  if (std::getenv("ET_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    test::write_file(path, text);
  }
  EXPECT_EQ(text, test::read_file(path)) << path;
}

TEST_P(CheckReports, NothingOfAFileIsAControlCharacter) {
  EXPECT_TRUE(harmless(GetParam().write(hostile_report()))) << GetParam().write(hostile_report());
}

TEST_P(CheckReports, NothingCheckedIsAReportToo) {
  const std::string text = GetParam().write(empty_report());
  EXPECT_TRUE(harmless(text));
  EXPECT_EQ(text.empty(), std::string(GetParam().name) == "github");
}

INSTANTIATE_TEST_SUITE_P(Forms, CheckReports, testing::ValuesIn(kForms),
                         [](const auto& form) { return std::string(form.param.name); });

TEST(CheckReportCounts, NoVerdictIsSkippedAndNoiseFailsOnRequest) {
  CheckReport r = mixed_report();
  const size_t passed = r.passed(), failed = r.failed();
  EXPECT_EQ(r.skipped(), 1u) << "what was refused has failed";
  EXPECT_EQ(passed + failed + r.skipped(), r.run.cases.size() + r.performance.size());
  r.fail_on_noise = true;
  EXPECT_EQ(r.passed(), passed);
  EXPECT_EQ(r.failed(), failed + 1);
  EXPECT_EQ(r.skipped(), 0u);
  EXPECT_EQ(count(junit_report(r), "<skipped"), 0u);
  EXPECT_NE(sarif_report(r).find("\"ruleId\": \"too_noisy\""), std::string::npos);
}

TEST(CheckReportText, ClosesWithTheSum) {
  CheckReport r = empty_report();
  r.run.add(test::verdict("a.bpte", 0, bundled::Failure::None));
  EXPECT_EQ(text_report(r, {}), "1 passed, 0 failed\n");
  r.performance.push_back(test::performance(0, perf::PerfResult::TooNoisy, false, "too noisy to tell (±6 %)"));
  EXPECT_EQ(lines(text_report(r, {})).back(), "1 passed, 0 failed, 1 too noisy to tell");
  r.performance.push_back(test::performance(0, perf::PerfResult::Refused, false, "refused"));
  EXPECT_EQ(lines(text_report(r, {})).back(), "1 passed, 1 failed, 1 too noisy to tell");
}

TEST(CheckReportText, EveryFormSaysThatItWasInterrupted) {
  CheckReport r = mixed_report();
  r.interrupted = SIGTERM;
  r.unfinished = {"models/slow.bpte", "models/later.bpte"};
  r.files = 7;
  const std::string said = "interrupted by SIGTERM: 2 of 7 files not checked to the end";
  EXPECT_TRUE(text_report(r, {}).ends_with(", " + said + "\n")) << text_report(r, {});
  EXPECT_EQ(count(junit_report(r), "not checked to the end: " + said), 2u);
  EXPECT_NE(junit_report(r).find("classname=\"models/later.bpte\""), std::string::npos);
  EXPECT_NE(json_report(r).find("\"interrupted\": \"SIGTERM\""), std::string::npos);
  EXPECT_NE(json_report(r).find("models/later.bpte"), std::string::npos);
  EXPECT_NE(sarif_report(r).find("\"executionSuccessful\": false"), std::string::npos);
  EXPECT_NE(sarif_report(r).find("\"exitSignalNumber\": 15"), std::string::npos);
  EXPECT_TRUE(github_report(r).starts_with("::error title=et-check::" + said + "\n"));
  EXPECT_NE(github_summary(r).find(said), std::string::npos);
}

TEST(CheckReportText, ThousandsOfFailuresStayReadable) {
  const CheckReport r = large_report(3000);
  const std::vector<std::string> all = lines(text_report(r, {}));
  EXPECT_LT(all.size(), 300u);
  EXPECT_EQ(all.back(), "0 passed, 3000 failed");
  const std::string text = text_report(r, {});
  EXPECT_NE(text.find("and 1,867 more: values out of tolerance"), std::string::npos) << text;
  EXPECT_NE(text.find("and 933 more: an operator is missing"), std::string::npos);
  const std::string verbose = text_report(r, {.verbose = true});
  EXPECT_NE(verbose.find("suite/op_299.bpte: forward case 9: "), std::string::npos);
  for (const std::string& line : lines(text_report(hostile_report(), {}))) EXPECT_LT(line.size(), 4000u);
}

TEST(CheckReportText, ColourIsOnlyColour) {
  std::string plain;
  bool escape = false;
  for (const char c : text_report(mixed_report(), {.color = true})) {
    if (c == '\033') escape = true;
    if (!escape) plain += c;
    if (c == 'm') escape = false;
  }
  EXPECT_EQ(plain, text_report(mixed_report(), {}));
}

TEST(CheckReportGithub, EachCommandIsOneLineAndTheRestIsCounted) {
  for (const CheckReport& r : {mixed_report(), hostile_report(), large_report(500)}) {
    for (const std::string& line : lines(github_report(r))) {
      EXPECT_TRUE(line.starts_with("::error ") || line.starts_with("::warning ") || line.starts_with("::notice "))
          << line;
      EXPECT_LT(line.size(), 4000u);
    }
  }
  const std::vector<std::string> all = lines(github_report(large_report(500)));
  ASSERT_EQ(all.size(), 51u);
  EXPECT_EQ(all.back(), "::error title=et-check::and 450 more, 450 of them failed");
}

TEST(CheckReportGithub, CommandsDoNotMixWithJson) {
  const test::Scratch dir;
  const std::string call = golden::shell_word(ET_CHECK_COMMAND) + " nothing.bpte --github";
  EXPECT_TRUE(test::shell(dir, call).out.starts_with("::error file=nothing.bpte,"));
  const auto r = test::shell(dir, call + " --json");
  EXPECT_EQ(inspector::test::JsonSchema(ET_SOURCE_DIR "/docs/check-results-1.json").check(r.out), "");
  EXPECT_TRUE(r.err.starts_with("::error file=nothing.bpte,")) << r.err;
}

TEST(CheckReportGithub, PropertiesAndMessagesAreEscaped) {
  CheckReport r = empty_report();
  bundled::CaseVerdict v = test::verdict("a,b:c%.bpte", 0, bundled::Failure::Io);
  v.reason = "50% of it";
  r.run.add(v);
  const std::string text = github_report(r);
  EXPECT_TRUE(text.starts_with("::error file=a%2Cb%3Ac%25.bpte,title=a%2Cb%3Ac%25.bpte%3A forward case 0%3A ")) << text;
  EXPECT_NE(text.find("::50%25 of it\n"), std::string::npos) << text;
}

TEST(CheckReportSarif, TheSourceLineIsThePlaceWhenItIsInTheRepository) {
  const std::string text = sarif_report(mixed_report());
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(text).get(root), simdjson::SUCCESS);
  const auto place = [&](size_t result, const char* member) {
    return simdjson::minify(
        root.at_pointer("/runs/0/results/" + std::to_string(result) + "/locations/0/physicalLocation/" + member));
  };
  EXPECT_EQ(place(0, "artifactLocation/uri"), "\"src/model.py\"");
  EXPECT_EQ(place(0, "region/startLine"), "41");
  EXPECT_EQ(place(1, "artifactLocation/uri"), "\"models/kinds.bpte\"") << "its source is elsewhere";
}

TEST(CheckReportSarif, FingerprintsTellChecksApartAndOutliveFigures) {
  const auto prints = [](const CheckReport& r) {
    std::vector<std::string> out;
    simdjson::dom::parser parser;
    const std::string text = sarif_report(r);
    simdjson::dom::element root;
    if (parser.parse(text).get(root) != simdjson::SUCCESS) return out;
    for (const simdjson::dom::element e : root.at_pointer("/runs/0/results").get_array()) {
      out.emplace_back(e.at_pointer("/partialFingerprints/etCheck~1v1").get_string().value());
    }
    return out;
  };
  CheckReport r = mixed_report();
  const std::vector<std::string> before = prints(r);
  EXPECT_EQ(before.size(), r.failed());
  EXPECT_EQ(std::set<std::string>(before.begin(), before.end()).size(), before.size());
  r.run.cases[1].reason = "other figures";
  r.run.cases[1].outputs[0].figures.max_abs_error = 0.25;
  r.started = "2026-11-23T03:50:00Z";
  // The same file by another way.
  r.run.cases[1].file = (std::filesystem::current_path() / "models/wrong.bpte").string();
  r.explanations.clear();
  EXPECT_EQ(prints(r), before);
}

TEST(CheckReportDocs, OptionsOfTheSnippetsExist) {
  const test::Scratch dir;
  const auto help = test::shell(dir, golden::shell_word(ET_CHECK_COMMAND) + " --help");
  ASSERT_EQ(help.exit_code, 0) << help.err;
  size_t options = 0;
  for (const std::string& line : lines(test::read_file(ET_SOURCE_DIR "/docs/ci.md"))) {
    for (const std::string begin : {"et-check ", "set -- "}) {
      const size_t at = line.rfind(begin);
      if (at == std::string::npos) continue;
      std::istringstream words(line.substr(at + begin.size(), line.find_first_of("`'", at) - at - begin.size()));
      for (std::string word; words >> word;) {
        if (!word.starts_with("--") || word == "--") continue;
        ++options;
        word.erase(std::min(word.find_first_of(";,"), word.size()));
        EXPECT_TRUE(help.out.find(" " + word + " ") != std::string::npos ||
                    help.out.find(" " + word + "\n") != std::string::npos)
            << word << " in: " << line;
      }
    }
  }
  EXPECT_GE(options, 20u);
}

TEST(CheckReportJson, KeepsToItsSchema) {
  inspector::test::JsonSchema schema(ET_SOURCE_DIR "/docs/check-results-1.json");
  for (const CheckReport& r : {empty_report(), mixed_report(), hostile_report(), large_report(30)}) {
    EXPECT_EQ(schema.check(json_report(r)), "");
  }
  EXPECT_EQ(schema.undescribed(), std::vector<std::string>());
  std::string wrong = json_report(mixed_report());
  wrong.replace(wrong.find("\"values\""), 8, "\"unheard\"");
  EXPECT_NE(schema.check(wrong), "");
}

TEST(CheckReportJson, NumbersThatJsonHasNotAreTexts) {
  const std::string text = json_report(mixed_report());
  EXPECT_NE(text.find("\"got\": \"NaN\", \"want\": \"Infinity\""), std::string::npos);
  EXPECT_NE(text.find("\"snr_db\": \"Infinity\""), std::string::npos) << "of an output without an error";
  EXPECT_EQ(count(text, "\n    {\"file\": "),
            mixed_report().run.cases.size() + mixed_report().performance.size() + mixed_report().explanations.size())
      << "one line each";
}

/// Runs the validator on files; a test is skipped when the schemas are not there.
class Schemas : public testing::Test {
 protected:
  void add(const std::string& kind, const std::string& name, const std::string& text) {
    test::write_file(dir_ / name, text);
    add_file(kind, dir_ / name);
  }
  void add_file(const std::string& kind, const std::string& path) { files_ += " " + kind + " " + path; }
  golden::CommandResult validate() {
    const std::string source = ET_SOURCE_DIR;
    return test::shell(dir_, "python3 " + golden::shell_word(source + "/tests/cli/validate_reports.py") + " " +
                                 golden::shell_word(source + "/build/downloads/report-schemas") + files_);
  }
  const test::Scratch dir_;
  std::string files_;
};
constexpr int kNoSchemas = 77;

struct Foreign {
  const char* kind;
  std::string (*write)(const CheckReport&);
  const char* needed;  // without it the format is broken
};
const Foreign kForeign[] = {
    {"junit", junit_report, " tests=\"2\""},
    {"sarif", sarif_report, "\"version\": \"2.1.0\","},
    {"json", json_report, "\"schema\": \"et-check/1\","},
};

TEST_F(Schemas, ReportsKeepToTheSchemasOfTheirFormats) {
  const CheckReport reports[] = {empty_report(), mixed_report(), hostile_report(), large_report(300)};
  for (const Foreign& f : kForeign) {
    for (size_t i = 0; i < std::size(reports); ++i) add(f.kind, f.kind + std::to_string(i), f.write(reports[i]));
  }
  const auto r = validate();
  if (r.exit_code == kNoSchemas) GTEST_SKIP() << r.out;
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

TEST_F(Schemas, ABrokenReportIsNoticed) {
  for (const Foreign& f : kForeign) {
    std::string broken = f.write(mixed_report());
    const size_t at = broken.find(f.needed);
    ASSERT_NE(at, std::string::npos) << f.kind;
    add(f.kind, std::string("broken_") + f.kind, broken.erase(at, std::string(f.needed).size()));
  }
  const auto r = validate();
  if (r.exit_code == kNoSchemas) GTEST_SKIP() << r.out;
  EXPECT_EQ(r.exit_code, 1) << r.err;
  for (const Foreign& f : kForeign) EXPECT_EQ(count(r.out, std::string("broken_") + f.kind + ": "), 1u) << r.out;
}

TEST_F(Schemas, ConfigurationsInTheDocumentationAreValid) {
  add_file("documentation", golden::shell_word(std::string(ET_SOURCE_DIR) + "/docs/ci.md"));
  const auto r = validate();
  if (r.exit_code == kNoSchemas) GTEST_SKIP() << r.out;
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

}  // namespace
}  // namespace et::cli
