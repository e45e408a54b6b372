// The program as a user runs it: what it prints where, exit codes, files that it writes.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include <chrono>

#include "cli/option_table.h"
#include "tests/cli/run.h"
#include "tests/cli/shell.h"
#include "tests/cli/small_store.h"

namespace et::cli {
namespace {

using test::artifact;
using test::inspect;
using test::Scratch;

TEST(Command, HelpAndVersionGoToStandardOutput) {
  const Scratch dir;
  for (const CommandSpec* c : et_inspect().commands) {
    const auto r = inspect(dir, std::string(c->name) + " --help");
    EXPECT_EQ(r.exit_code, 0) << c->name;
    EXPECT_EQ(r.err, "") << c->name;
    EXPECT_NE(r.out.find("Usage:"), std::string::npos) << c->name;
  }
  const auto version = inspect(dir, "--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("et-inspect ")) << version.out;
  EXPECT_NE(version.out.find("SQLite "), std::string::npos);
}

TEST(Command, UsageErrorsEndWithTwoAndPointAtTheHelp) {
  const Scratch dir;
  const auto r = inspect(dir, "sql --fromat json x");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err,
            "et-inspect: error: unknown option '--fromat'; did you mean '--format'?\n"
            "et-inspect: hint: 'et-inspect sql --help' shows arguments, options and examples\n");
  EXPECT_EQ(inspect(dir, "").exit_code, 2);
}

TEST(Command, ReportsARealTrace) {
  const Scratch dir;
  const auto r = inspect(
      dir, artifact("add_mul/etdump.etdp") + " --etrecord " + artifact("add_mul/etrecord.bin") + " --no-neighbours");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_NE(r.out.find("aten.add.Tensor"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find('\033'), std::string::npos) << "no colours in a pipe";
}

TEST(Command, APipeGetsAllColumnsAndAsManyAsItAsksFor) {
  const Scratch dir;
  const std::string folder = artifact("lstm_xnnpack"),
                    words = folder + "/etdump.etdp -q -e " + folder + "/etrecord.bin";
  const auto widest = [](const std::string& text) {
    size_t most = 0, now = 0;
    for (const char c : text) {
      now = c == '\n' ? 0 : now + ((c & 0xc0) == 0x80 ? 0 : 1);
      most = std::max(most, now);
    }
    return most;
  };
  const auto heading = [](const std::string& text) {
    const size_t at = text.find("self   share");
    return text.substr(at, text.find('\n', at) - at);
  };
  const auto all = inspect(dir, words);
  EXPECT_NE(heading(all.out).find("  module"), std::string::npos) << all.out;
  const auto asked = [&](const std::string& columns) {
    return test::shell(dir, "COLUMNS=" + columns + " " + golden::shell_word(ET_INSPECT_COMMAND) + " " + words).out;
  };
  EXPECT_LE(widest(asked("100")), 100u);
  EXPECT_EQ(heading(asked("100")).find("  module"), std::string::npos);
  EXPECT_NE(heading(asked("220")).find("  module"), std::string::npos);
  EXPECT_EQ(asked("many"), all.out) << "no number";
  EXPECT_EQ(asked("''"), all.out);
}

TEST(Command, TheSameInputGivesTheSameBytes) {
  const Scratch dir;
  const std::string words = artifact("partial_delegation/etdump.etdp") + " -e " +
                            artifact("partial_delegation/etrecord.bin") + " -p " +
                            artifact("partial_delegation/program.pte") + " --format json --samples";
  const auto first = inspect(dir, words);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, inspect(dir, words).out);
}

TEST(Command, ColoursOnlyWhenAskedForOrOnATerminal) {
  const Scratch dir;
  const std::string trace = artifact("add_mul/etdump.etdp");
  EXPECT_NE(inspect(dir, trace + " --color always").out.find("\033["), std::string::npos);
  EXPECT_EQ(inspect(dir, trace + " --color never").out.find("\033["), std::string::npos);
  EXPECT_EQ(inspect(dir, trace).out.find("\033["), std::string::npos);
  EXPECT_NE(inspect(dir, "--help --color always").out.find("\033["), std::string::npos);
}

TEST(Command, AStoreKeepsTracesAndIsEnoughLater) {
  const Scratch dir;
  const std::string store = dir / "runs.db";
  const std::string first = artifact("add_mul/etdump.etdp") + " -e " + artifact("add_mul/etrecord.bin");
  const auto direct = inspect(dir, first + " --format csv");
  EXPECT_EQ(inspect(dir, first + " --store " + store + " --name base --format csv").out, direct.out);
  EXPECT_EQ(inspect(dir, artifact("dtypes/etdump.etdp") + " -s " + store).exit_code, 0);

  EXPECT_EQ(inspect(dir, store + "#base --format csv").out, direct.out);
  EXPECT_EQ(inspect(dir, store + "#1 --format csv").out, direct.out);
  EXPECT_NE(inspect(dir, store + "@latest --format csv").out, direct.out);
  const auto open = inspect(dir, store);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_NE(open.err.find("#1 base, #2"), std::string::npos) << open.err;
  const auto missing = inspect(dir, store + "#9");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("it has #1 base, #2"), std::string::npos) << missing.err;
  const auto useless = inspect(dir, store + "#1 -e x");
  EXPECT_EQ(useless.exit_code, 2);
  EXPECT_NE(useless.err.find("--etrecord: cannot be used"), std::string::npos) << useless.err;

  const auto traces = inspect(dir, "traces " + store + " --format csv");
  EXPECT_NE(traces.out.find("\r\n1,base,"), std::string::npos) << traces.out;
  EXPECT_NE(traces.out.find("\r\n2,,"), std::string::npos) << traces.out;
}

TEST(Command, SqlTakesFilesStoresAndStandardInput) {
  const Scratch dir;
  test::store_file(dir / "runs.db", {"a", "b"});
  const std::string count = " 'SELECT count(*) AS n FROM ops' --format csv";
  EXPECT_EQ(inspect(dir, "sql runs.db" + count).out, "n\r\n4\r\n");
  EXPECT_EQ(inspect(dir, "sql runs.db#b 'SELECT count(*) AS n FROM ops WHERE trace_id = :trace' -f csv").out,
            "n\r\n2\r\n");
  EXPECT_EQ(inspect(dir, "sql " + artifact("add_mul/etdump.etdp") + " 'SELECT count(*) AS n FROM traces' -f csv").out,
            "n\r\n1\r\n");
  test::write_file(dir / "query.sql", "SELECT 1 AS one;\nSELECT 2 AS two");
  EXPECT_EQ(inspect(dir, "sql runs.db -f csv < query.sql").out, "one\r\n1\r\n\ntwo\r\n2\r\n");

  const std::string before = test::read_file(dir / "runs.db");
  const auto refused = inspect(dir, "sql runs.db 'DELETE FROM raw_op'");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("only reading is allowed"), std::string::npos) << refused.err;
  EXPECT_EQ(test::read_file(dir / "runs.db"), before);
}

TEST(Command, SqlMistakesShowTheirPlaceAndMakeNoFile) {
  const Scratch dir;
  test::store_file(dir / "runs.db", {"a"});
  const auto r = inspect(dir, "sql runs.db 'SELECT 1; SELECT nope' -o out.csv -f csv");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("(line 1, column 18)"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("\n                   ^\n"), std::string::npos) << r.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "out.csv"));
}

TEST(Command, SchemaDescribesTheViews) {
  const Scratch dir;
  EXPECT_NE(inspect(dir, "schema ops").out.find("sum_ns"), std::string::npos);
  EXPECT_NE(inspect(dir, "schema --format markdown").out.find("## ops"), std::string::npos);
  EXPECT_NE(inspect(dir, "schema --format csv").out.find("ops,sum_ns,INTEGER,inclusive time"), std::string::npos);
  const auto json = inspect(dir, "schema lines --format json");
  EXPECT_NE(json.out.find("\"view\": \"lines\""), std::string::npos) << json.out;
  const auto typo = inspect(dir, "schema opps");
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.err.find("did you mean 'ops'?"), std::string::npos);
}

TEST(Command, ExportWritesEveryFormat) {
  const Scratch dir;
  const std::string trace = artifact("add_mul/etdump.etdp") + " -e " + artifact("add_mul/etrecord.bin");
  const auto formats = inspect(dir, "export x");
  EXPECT_EQ(formats.exit_code, 2) << "there is no default format";
  for (const OptionSpec* o : options_of(*find_command(et_inspect(), "export"))) {
    if (std::string_view(o->name) != "format") continue;
    for (const std::string& format : choices_of(*o)) {
      if (format == "parquet") continue;  // a folder, by a library that need not be there
      const auto r = inspect(dir, "export " + trace + " --format " + format + " -o out." + format);
      EXPECT_EQ(r.exit_code, 0) << format << r.err;
      EXPECT_GT(std::filesystem::file_size(dir / ("out." + format)), 50U) << format;
    }
  }
}

TEST(Command, GraphAndManAndCompletionPrint) {
  const Scratch dir;
  const std::string trace = artifact("add_mul/etdump.etdp") + " -e " + artifact("add_mul/etrecord.bin");
  EXPECT_NE(inspect(dir, "graph " + trace).out.find("aten"), std::string::npos);
  EXPECT_NE(inspect(dir, "graph " + trace + " --format dot").out.find("digraph"), std::string::npos);
  const auto json = inspect(dir, "graph " + trace + " --json");
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_NE(json.out.find("\"name\": \"aten_add_tensor\", \"op\": \"aten.add.Tensor\""), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"reads\": [\"aten_add_tensor\", \"a\"]"), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"outputs\": [\"aten_mul_tensor\"]"), std::string::npos) << json.out;
  const auto version = inspect(dir, "version --format json");
  EXPECT_NE(version.out.find("\"store_version\": "), std::string::npos) << version.out;
  EXPECT_EQ(inspect(dir, "version --json").out, version.out);
  EXPECT_EQ(inspect(dir, "--man").out, inspect(dir, "man").out);
  EXPECT_EQ(inspect(dir, "--completion bash").out, inspect(dir, "completion bash").out);
  EXPECT_TRUE(inspect(dir, "man sql").out.starts_with(".TH \"ET-INSPECT-SQL\" 1"));
  EXPECT_NE(inspect(dir, "completion fish").out.find("complete -c et-inspect"), std::string::npos);
  EXPECT_EQ(inspect(dir, "man --all .").exit_code, 0);
  for (const CommandSpec* c : et_inspect().commands) {
    EXPECT_TRUE(
        std::filesystem::exists(dir / ("et-inspect" + (c->name[0] == 0 ? "" : "-" + std::string(c->name)) + ".1")))
        << c->name;
  }
}

TEST(Command, BashCompletesTheTracesOfAStore) {
  const Scratch dir;
  const std::string dump = artifact("add_mul/etdump.etdp");
  ASSERT_EQ(inspect(dir, dump + " --store runs.db --name before").exit_code, 0);
  ASSERT_EQ(inspect(dir, dump + " --store runs.db --name '$(touch ran)'").exit_code, 0);
  const auto offers = [&](const std::string& word) {
    const std::string script = "PATH=" + std::filesystem::path(ET_INSPECT_COMMAND).parent_path().string() +
                               ":$PATH; source <(et-inspect --completion bash); COMP_WORDS=(et-inspect source '" +
                               word + "'); COMP_CWORD=2; _et_inspect; printf '%s|' \"${COMPREPLY[@]}\"";
    return test::shell(dir, "bash -c " + golden::shell_word(script)).out;
  };
  EXPECT_EQ(offers("runs.db#"), "runs.db#1|runs.db#2|runs.db#before|runs.db#$(touch ran)|");
  EXPECT_EQ(offers("runs.db#b"), "runs.db#before|");
  EXPECT_EQ(offers("none.db#"), "|");
  EXPECT_EQ(offers("ru"), "runs.db|");
  EXPECT_FALSE(std::filesystem::exists(dir / "ran")) << "names are never run";
}

TEST(Command, TheRecipeForJqRanksOperators) {
  const Scratch dir;
  if (!test::installed(dir, "jq")) GTEST_SKIP() << "jq is not installed";
  const std::string doc = test::read_file(std::string(ET_FIXTURES) + "/../../docs/reports.md");
  const size_t begin = doc.find("jq -r '");
  ASSERT_NE(begin, std::string::npos);
  const std::string recipe = doc.substr(begin, doc.find('\'', begin + 7) + 1 - begin);
  const auto r = inspect(dir, artifact("partial_delegation/etdump.etdp") + " -e " +
                                  artifact("partial_delegation/etrecord.bin") + " --format json | " + recipe);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.out.find("native_call_"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("Method::"), std::string::npos) << "loading is no operator of an execution\n" << r.out;
}

TEST(Command, SignsAreAsciiInTheCLocale) {
  const Scratch dir;
  const std::string report = artifact("partial_delegation/etdump.etdp");
  const auto ascii_only = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  const auto call = [&](const std::string& env, const std::string& words) {
    return test::shell(dir, env + " " + golden::shell_word(ET_INSPECT_COMMAND) + " " + words).out;
  };
  for (const std::string& words :
       {report, "delegation " + report + " -p " + artifact("partial_delegation/program.pte"), std::string("--help")}) {
    EXPECT_FALSE(call("LC_ALL=C", words).empty()) << words;
    EXPECT_TRUE(ascii_only(call("LC_ALL=C", words))) << words << call("LC_ALL=C", words);
  }
  EXPECT_FALSE(ascii_only(call("LC_ALL=C.UTF-8", report)));
  const std::string named = "sql " + report + " \"SELECT 'π — ö' AS a\"";
  EXPECT_NE(call("LC_ALL=C", named).find("π - ö"), std::string::npos) << "names stay as they are";
  EXPECT_EQ(call("LC_ALL=C", named + " --format json"), call("LC_ALL=C.UTF-8", named + " --format json"));
}

TEST(Command, AnUnknownHandleNamesThoseThereAre) {
  const Scratch dir;
  const auto r = inspect(dir, "where -e " + artifact("add_mul/etrecord.bin") + " --handle 73");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("handles are 1 to "), std::string::npos) << r.err;
}

TEST(Command, AReaderThatGoesAwayIsNoError) {
  const Scratch dir;
  const std::string sql =
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000000) SELECT n FROM c";
  test::store_file(dir / "runs.db", {"a"});
  const auto r = inspect(dir, "sql runs.db '" + sql + "' -f csv 2>errors | head -1; cat errors >&2");
  EXPECT_EQ(r.out, "n\r\n");
  EXPECT_EQ(r.err, "");
}

TEST(Command, AnOutputThatCannotBeWrittenIsAnError) {
  const Scratch dir;
  const auto r = inspect(dir, "schema -o no/such/folder/x");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(r.err.starts_with("et-inspect: error: no/such/folder/x: cannot write: ")) << r.err;
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(inspect(dir, "schema > /dev/full").exit_code, 3);
  }
}

TEST(Command, ASmallTraceTakesNoTime) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take their time";
#endif
  const Scratch dir;
  const std::string words = artifact("add_mul/etdump.etdp") + " -e " + artifact("add_mul/etrecord.bin");
  // Time on the processor, not on the clock: a busy machine must not fail the test.
  auto spent = [] {
    rusage u = {};
    getrusage(RUSAGE_CHILDREN, &u);
    return std::chrono::seconds(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           std::chrono::microseconds(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  };
  inspect(dir, words);
  auto best = std::chrono::microseconds::max();
  for (int i = 0; i < 10; ++i) {
    const auto before = spent();
    inspect(dir, words);
    best = std::min<std::chrono::microseconds>(best, spent() - before);
  }
  RecordProperty("best_us", static_cast<int>(best.count()));
  EXPECT_LT(best, std::chrono::milliseconds(50)) << "best of 10, with the shell around it";
}

}  // namespace
}  // namespace et::cli
