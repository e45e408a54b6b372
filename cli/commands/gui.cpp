// `et-inspect gui TRACE`: starts the desktop program, from the folder of this one or from the PATH.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/child_process.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/gui_options.h"

namespace et::cli {
namespace {

constexpr Example kGuiExamples[] = {
    {"gui etdump.etdp", "look at a run, with the ETRecord and the program beside it"},
    {"gui model.pte etrecord.bin", "a model before its first run: graph, delegates, memory plan"},
    {"gui traces.db@latest", "the newest trace of a store, updated when a newer one is added"},
    {"gui traces.db --screenshot graph.png --panel graph", "a picture of one panel, without a display"},
};

int run_gui(const Arguments& args) {
  std::vector<std::string> words = {program_beside("et-inspect-gui")};
  for (const OptionGroup* group : kGuiGroups) {
    for (const OptionSpec& option : group->options) {
      if (!args.given(option.name)) continue;
      const std::string name = std::string("--") + option.name;
      if (option.type == Value::Flag) {
        words.push_back(name);
      } else if (!option.many) {
        words.insert(words.end(), {name, args.text(option.name)});
      } else {
        for (const std::string& value : args.list(option.name)) words.insert(words.end(), {name, value});
      }
    }
  }
  if (args.given("lang")) words.insert(words.end(), {"--lang", args.text("lang")});
  words.emplace_back("--");  // a file may be called as an option is
  for (const std::string& file : args.list("files")) words.push_back(file);
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execvp(raw.front(), raw.data());
  return fail(kExitInput, words.front() + ": cannot start: " + std::strerror(errno) +
                              "; install or build it (make gui; needs GLFW and Dear ImGui)");
}

}  // namespace

extern const CommandSpec kGuiCommand;
const CommandSpec kGuiCommand = {
    .name = "gui",
    .summary = "open a trace in the desktop program",
    .description =
        "Starts et-inspect-gui, the desktop program: timeline, operators, graph, delegation map, source, memory and "
        "SQL\n"
        "with a shared selection. With --screenshot it writes pictures and needs no display.",
    .positionals = kGuiPositionals,
    .groups = kGuiGroups,
    .examples = kGuiExamples,
    .run = run_gui,
};

}  // namespace et::cli
