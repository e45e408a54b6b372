#include "cli/config_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/nearest.h"
#include "cli/option_names.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrograms[] = {"et-inspect", "et-run", "et-check", "et-inspect-gui"};

Status wrong_config(const TomlValue& value, std::string text) {
  return {Error::InvalidArgument, value.place + ": " + std::move(text)};
}

/// Options that a file may set: what is asked of the program itself is none.
std::vector<std::string> names_of(const CommandSpec& command) {
  std::vector<std::string> out;
  for (const OptionSpec* o : options_of(command)) {
    const std::string_view name = o->name;
    if (!o->alone && name != "help" && name != "version") out.emplace_back(name);
  }
  return out;
}

std::vector<std::string> names_of(const ProgramSpec& program) {
  std::vector<std::string> out;
  for (const CommandSpec* c : program.commands) {
    const std::vector<std::string> names = names_of(*c);
    out.insert(out.end(), names.begin(), names.end());
  }
  return out;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// An option that some command of the program writes a file with.
bool writes_files(const CommandSpec& command, std::string_view option) {
  for (const OptionSpec* o : options_of(command)) {
    if (option == o->name) return o->use != FileUse::Reads;
  }
  return false;
}

/// A folder's file comes with the folder, from whoever made it: with it, to look at a trace there could replace a file
/// of the user's.
Status check_writes(const TomlValue& value, const ProgramSpec& program) {
  const std::string& option = value.path.back();
  const CommandSpec* const named = value.path.size() == 3 ? find_command(program, value.path[1]) : nullptr;
  for (const CommandSpec* c : program.commands) {
    if ((named != nullptr && c != named) || !writes_files(*c, option)) continue;
    return wrong_config(value, "'" + option + "' writes files, which the file of a folder may not ask for: give --" +
                                   option + ", or set it in your own configuration (~/.config/et-inspect/config.toml)");
  }
  return {};
}

/// How near the table of a value is to the command: 0 its own, 1 its program's, 2 the root, -1 another's.
Status rank_table(const TomlValue& value, const ProgramSpec& program, const CommandSpec& command, int* rank) {
  const std::string& option = value.path.back();
  *rank = -1;
  if (value.path.size() == 1) {
    *rank = contains(names_of(command), option) ? 2 : -1;
    const std::vector<std::string> all(std::begin(kOptionNames), std::end(kOptionNames));
    if (contains(all, option)) return {};
    return wrong_config(value, "no program has an option '" + option + "'" + did_you_mean(option, all));
  }
  const std::string& table = value.path[0];
  if (std::find(std::begin(kPrograms), std::end(kPrograms), table) == std::end(kPrograms)) {
    return wrong_config(value,
                        "unknown table '" + table + "'; expected et-inspect, et-run, et-check or et-inspect-gui");
  }
  if (table != program.name) return {};
  if (value.path.size() == 2) {
    const std::vector<std::string> all = names_of(program);
    if (!contains(all, option)) {
      return wrong_config(value, table + " has no option '" + option + "'" + did_you_mean(option, all));
    }
    *rank = contains(names_of(command), option) ? 1 : -1;
    return {};
  }
  const CommandSpec* named = find_command(program, value.path[1]);
  if (named == nullptr || value.path.size() > 3) {
    return wrong_config(value, table + " has no command '" + value.path[1] + "'");
  }
  const std::vector<std::string> own = names_of(*named);
  if (!contains(own, option)) {
    return wrong_config(value,
                        full_name(program, *named) + " has no option '" + option + "'" + did_you_mean(option, own));
  }
  if (named == &command) *rank = 0;
  return {};
}

}  // namespace

std::vector<std::string> config_files() {
  if (const char* named = std::getenv("ET_INSPECT_CONFIG"); named != nullptr) {
    return *named == 0 ? std::vector<std::string>{} : std::vector<std::string>{named};
  }
  std::vector<std::string> out = {kFolderConfig};
  const char* base = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (base != nullptr && *base == '/') {
    out.push_back(std::string(base) + "/et-inspect/config.toml");
  } else if (home != nullptr && *home != 0) {
    out.push_back(std::string(home) + "/.config/et-inspect/config.toml");
  }
  // An empty one says nothing.
  std::erase_if(out, [](const std::string& path) {
    std::error_code ec;
    return !fs::exists(path, ec) || (fs::is_regular_file(path, ec) && fs::file_size(path, ec) == 0);
  });
  return out;
}

Status configured_options(const std::vector<TomlValue>& file, bool of_folder, const ProgramSpec& program,
                          const CommandSpec& command, std::vector<ConfiguredOption>* out) {
  std::vector<std::pair<int, ConfiguredOption>> found;
  for (const TomlValue& value : file) {
    int rank = -1;
    if (Status s = rank_table(value, program, command, &rank); !s.ok()) return s;
    const bool other_program = value.path.size() > 1 && value.path[0] != program.name;
    if (of_folder && !other_program) {
      if (Status s = check_writes(value, program); !s.ok()) return s;
    }
    if (rank >= 0) found.push_back({rank, {value.path.back(), value.values, value.place}});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [rank, option] : found) out->push_back(std::move(option));
  return {};
}

}  // namespace et::cli
