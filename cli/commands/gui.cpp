// `et-inspect gui TRACE`: starts the desktop program, which lies beside this one or on the PATH.
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands/commands.h"
#include "cli/console.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {
    {.name = "files",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help =
         "a store (store.db, store.db#3, store.db@latest), or an ETDump, its ETRecord and its program in any order"},
};
constexpr OptionSpec kOptions[] = {
    {.name = "etrecord",
     .short_name = 'e',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "ETRecord of the dump"},
    {.name = "pte",
     .short_name = 'p',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "program of the dump"},
    {.name = "panel", .argument = "NAME", .type = Value::Text, .help = "the panel to begin with"},
    {.name = "theme",
     .argument = "NAME",
     .type = Value::Choice,
     .choices = "dark|light",
     .complete = Complete::Choices,
     .help = "colours"},
};
constexpr OptionGroup kWindowOptions = {"Window", kOptions};
constexpr const OptionGroup* kGroups[] = {&kWindowOptions};
constexpr Example kExamples[] = {
    {"gui etdump.etdp -e etrecord.bin -p model.pte", "look at a run"},
    {"gui model.pte etrecord.bin", "a model that has not run yet: graph, delegates, memory plan"},
    {"gui traces.db@latest", "the newest trace of a store; new ones are followed"},
};

/// The program beside this one; without it the PATH decides.
std::string program_path() {
  constexpr const char* kName = "et-inspect-gui";
  char own[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", own, sizeof own - 1);
  if (length > 0) {
    std::string path(own, static_cast<size_t>(length));
    path = path.substr(0, path.find_last_of('/') + 1) + kName;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return kName;
}

int run(const Arguments& args) {
  std::vector<std::string> words = {program_path()};
  for (const std::string& file : args.list("files")) words.push_back(file);
  for (const OptionSpec& option : kOptions) {
    if (!args.given(option.name)) continue;
    words.push_back(std::string("--") + option.name);
    words.push_back(args.text(option.name));
  }
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execvp(raw.front(), raw.data());
  return fail(kExitInput, "cannot start " + words.front() + ": " + std::strerror(errno) +
                              "; it is built where GLFW and Dear ImGui are found (make gui)");
}

}  // namespace

extern const CommandSpec kGuiCommand;
const CommandSpec kGuiCommand = {
    .name = "gui",
    .summary = "look at a trace in a window",
    .description =
        "Starts et-inspect-gui, the desktop program: timeline, operators, graph, delegation map, source, "
        "memory and SQL around one selection.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
