// No command destroys an input: every option that writes against every input, however the same file is named.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "cli/arguments.h"
#include "cli/check/commands.h"
#include "cli/run_command.h"
#include "cli/written_files.h"
#include "tests/cli/scratch.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;
using test::Scratch;

struct Place {
  const OptionSpec* spec;
  bool positional;
  std::string shown() const { return positional ? spec->argument : std::string("--") + spec->name; }
};

struct Command {
  const ProgramSpec* program;
  const CommandSpec* spec;
  std::vector<Place> reads, writes;
  std::string name() const { return full_name(*program, *spec); }

  /// `values`: an option or positional with its value; other positionals that are needed name another file.
  Status parse_with(const std::vector<std::pair<Place, std::string>>& values, const std::string& other) const {
    std::vector<std::string> words;
    if (spec->name[0] != 0) words.emplace_back(spec->name);
    for (const auto& [place, value] : values) {
      if (place.positional) continue;
      words.push_back(place.shown());
      words.push_back(value);
    }
    for (const OptionSpec& p : spec->positionals) {
      std::string value = p.required ? other : "";
      for (const auto& [place, given] : values) value = place.spec == &p ? given : value;
      if (!value.empty()) words.push_back(value);
    }
    Arguments args;
    return parse(*program, words, &args);
  }
};

std::vector<Command> all_commands() {
  std::vector<Command> out;
  for (const ProgramSpec* program : {&et_inspect(), &et_run(), &et_check()}) {
    for (const CommandSpec* c : program->commands) {
      Command command{program, c, {}, {}};
      const auto add = [&](const OptionSpec& o, bool positional) {
        if (o.complete != Complete::File) return;
        (o.use == FileUse::Reads ? command.reads : command.writes).push_back({&o, positional});
      };
      for (const OptionSpec& p : c->positionals) add(p, true);
      for (const OptionSpec* o : options_of(*c)) add(*o, false);
      out.push_back(std::move(command));
    }
  }
  return out;
}

TEST(WrittenFiles, TheTableKnowsWhatWrites) {
  std::set<std::string> writes;
  for (const Command& c : all_commands()) {
    for (const Place& w : c.writes) writes.insert(w.shown());
  }
  const std::set<std::string> known = {"--output", "--store", "--etdump",     "--debug-buffer",
                                       "--junit",  "--sarif", "--screenshot", "--record-baseline"};
  EXPECT_EQ(writes, known) << "an option that writes a file is marked as written() or updated(), and listed here";
}

TEST(WrittenFiles, NoOutputIsAnInput) {
  const Scratch dir;
  const std::string input = dir / "input.bin", other = dir / "other.bin";
  test::write_file(input, "precious");
  test::write_file(other, "another file");
  fs::create_symlink(input, dir / "symlink");
  fs::create_symlink("symlink", dir / "symlink2");
  fs::create_hard_link(input, dir / "hardlink");
  fs::create_directory(dir / "sub");
  const int fd = ::open(input.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  const std::vector<std::string> names = {input,
                                          dir.path().string() + "/./input.bin",
                                          dir / "symlink",
                                          dir / "symlink2",
                                          dir / "hardlink",
                                          dir.path().string() + "/sub/../input.bin",
                                          "/proc/self/fd/" + std::to_string(fd)};
  size_t tried = 0;
  for (const Command& c : all_commands()) {
    for (const Place& w : c.writes) {
      for (const Place& r : c.reads) {
        for (const std::string& name : names) {
          for (const auto& [written, read] : {std::pair(name, input), std::pair(input, name)}) {
            const Status s = c.parse_with({{w, written}, {r, read}}, other);
            const std::string what = c.name() + " " + w.shown() + " " + written + " " + r.shown() + " " + read;
            EXPECT_EQ(s.code(), Error::InvalidArgument) << what;
            EXPECT_NE(s.message().find("is also an input (" + r.shown()), std::string::npos) << what << s.message();
            ++tried;
          }
        }
        const Status s = c.parse_with({{w, dir / "new"}, {r, input}}, other);
        EXPECT_EQ(s.message().find("is also an"), std::string::npos) << c.name() << " " << w.shown() << s.message();
      }
    }
  }
  ::close(fd);
  EXPECT_GT(tried, 1000u);
  EXPECT_EQ(test::read_file(input), "precious");
}

TEST(WrittenFiles, NoOutputIsAnother) {
  const Scratch dir;
  const std::string other = dir / "other.bin", fresh = dir / "new";
  test::write_file(other, "another file");
  fs::create_symlink("new", dir / "link");
  fs::create_directory_symlink(dir.path(), dir / "same");
  for (const Command& c : all_commands()) {
    for (const Place& a : c.writes) {
      for (const Place& b : c.writes) {
        if (a.spec == b.spec) continue;
        for (const std::string& name : {fresh, dir / "link", dir / "same/new", dir / "same/link"}) {
          const Status s = c.parse_with({{a, fresh}, {b, name}}, other);
          EXPECT_NE(s.message().find("is also an output"), std::string::npos)
              << c.name() << " " << a.shown() << " " << b.shown() << " " << name << ": " << s.message();
        }
      }
    }
  }
}

TEST(WrittenFiles, SelectorsListsAndFoldersAreLookedInto) {
  const Scratch dir;
  fs::create_directory(dir / "folder#1");
  fs::create_directories(dir / "models/reference");
  const std::string store = dir / "folder#1/runs.db";
  for (const std::string& f : {store, dir / "x.npy", dir / "models/a.bpte", dir / "models/w.ptd",
                               dir / "models/a.cases.npz", dir / "models/policy.toml", dir / "models/index.json",
                               dir / "models/reference/tolerance.json", dir / "models/results.json"}) {
    test::write_file(f, "precious");
  }
  const auto clash = [](const std::string& output, const std::string& input) {
    return !check_written({{"--output", output}}, {{"INPUT", input}}).ok();
  };
  for (const char* selector : {"", "#3", "#before", "@latest", "#a@b"}) EXPECT_TRUE(clash(store, store + selector));
  EXPECT_TRUE(clash(dir / "x.npy", "int:5," + (dir / "x.npy")));
  EXPECT_TRUE(clash(dir / "x.npy", (dir / "x.npy") + ",y.npy"));
  for (const char* f : {"a.bpte", "w.ptd", "a.cases.npz", "policy.toml", "index.json", "reference/tolerance.json"}) {
    EXPECT_TRUE(clash((dir / "models/") + f, dir / "models")) << f;
  }
  fs::create_hard_link(dir / "models/a.bpte", dir / "outside");
  EXPECT_TRUE(clash(dir / "outside", dir / "models"));
  EXPECT_FALSE(clash(dir / "models/results.json", dir / "models")) << "results beside the models are replaced";
  EXPECT_FALSE(clash(dir / "models/new.bpte", dir / "models"));
  EXPECT_FALSE(clash("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace et::cli
