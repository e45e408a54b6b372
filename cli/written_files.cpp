#include "cli/written_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <optional>
#include <string_view>
#include <tuple>

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardOutput = "standard output";
// What commands read out of a folder that they are given, besides what was written there by others.
constexpr std::string_view kReadInFolders[] = {".bpte", ".pte", ".npz", ".npy", ".ptd", ".toml"};
constexpr std::string_view kReadInFoldersByName[] = {"index.json", "tolerance.json", "meta.json"};

/// A regular file, or a place where one can be made: its folder and its name there.
struct FilePlaceId {
  dev_t device;
  ino_t inode;
  std::string name;  // empty: the file is there
  bool operator==(const FilePlaceId&) const = default;
};

/// Where a link to nothing leads.
std::string behind_links(std::string path) {
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof(target));
    if (length <= 0) break;
    path = (fs::path(path).parent_path() / std::string(target, static_cast<size_t>(length))).string();
  }
  return path;
}

std::optional<FilePlaceId> place_of(const std::string& path) {
  struct stat st = {};
  if (::stat(path.c_str(), &st) == 0) {
    // Only regular files can be destroyed.
    if (!S_ISREG(st.st_mode)) return std::nullopt;
    return FilePlaceId{st.st_dev, st.st_ino, ""};
  }
  const fs::path end = behind_links(path);
  const fs::path folder = end.has_parent_path() ? end.parent_path() : fs::path(".");
  if (!end.has_filename() || ::stat(folder.c_str(), &st) != 0) return std::nullopt;
  return FilePlaceId{st.st_dev, st.st_ino, end.filename().string()};
}

bool is_read_in_folders(const fs::path& file) {
  const std::string ending = file.extension().string(), name = file.filename().string();
  return std::find(std::begin(kReadInFolders), std::end(kReadInFolders), ending) != std::end(kReadInFolders) ||
         std::find(std::begin(kReadInFoldersByName), std::end(kReadInFoldersByName), name) !=
             std::end(kReadInFoldersByName);
}

/// The files of `store.db#3`, of `x.npy,y.npy`, of a folder, and of plain paths.
std::vector<std::string> paths_in(const std::string& value) {
  std::error_code ec;
  std::vector<std::string> out;
  if (fs::is_directory(value, ec)) {
    fs::recursive_directory_iterator at(value, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && at != end; at.increment(ec)) {
      if (is_read_in_folders(at->path())) out.push_back(at->path().string());
    }
    return out;
  }
  out.push_back(value);
  if (fs::exists(value, ec)) return out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '#' || value[i] == '@') out.push_back(value.substr(0, i));
  }
  for (size_t begin = 0; value.find(',') != std::string::npos && begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    out.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Status clash(const NamedFile& output, const char* what, const std::string& other) {
  const bool to_stdout = output.path.empty();
  return {Error::InvalidArgument,
          (to_stdout ? output.shown : output.shown + ": " + output.path) + " is also an " + what + " (" + other + ")"};
}

bool is_file_option(const OptionSpec& o) { return o.complete == Complete::File && o.argument != nullptr; }

/// Of an option that is not repeated the last value counts.
std::vector<NamedFile> files_of(const Arguments& args, bool written) {
  std::vector<NamedFile> out;
  const auto add = [&](const OptionSpec& o, bool positional) {
    if (!is_file_option(o) || (o.use == FileUse::Reads) == written) return;
    const std::vector<std::string>& values = args.list(o.name);
    for (size_t i = o.many || values.empty() ? 0 : values.size() - 1; i < values.size(); ++i) {
      out.push_back({positional ? o.argument : std::string("--") + o.name, values[i]});
    }
  };
  for (const OptionSpec& p : args.command().positionals) add(p, true);
  for (const OptionSpec* o : options_of(args.command())) add(*o, false);
  return out;
}

}  // namespace

std::vector<NamedFile> written_files(const Arguments& args) {
  std::vector<NamedFile> out = files_of(args, true);
  out.push_back({kStandardOutput, ""});
  return out;
}

std::vector<NamedFile> read_files(const Arguments& args) { return files_of(args, false); }

bool replaces_any(const std::vector<NamedFile>& written) {
  return std::any_of(written.begin(), written.end(), [](const NamedFile& w) {
    const auto place = w.path == "-" ? std::nullopt : place_of(w.path.empty() ? "/dev/stdout" : w.path);
    return place && place->name.empty();
  });
}

Status check_written(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  struct Placed {
    const NamedFile* file;
    FilePlaceId place;
  };
  std::vector<Placed> outputs;
  bool any_there = false;
  for (const NamedFile& w : written) {
    const bool to_stdout = w.path.empty();
    if (w.path == "-") continue;
    const auto place = place_of(to_stdout ? "/dev/stdout" : w.path);
    if (!place || (to_stdout && !place->name.empty())) continue;
    any_there = any_there || place->name.empty();
    for (const Placed& o : outputs) {
      if (!to_stdout && o.place == *place) return clash(w, "output", o.file->shown);
    }
    outputs.push_back({&w, *place});
  }
  if (!any_there) return {};  // what is not there yet is no input
  for (const NamedFile& r : read) {
    for (const std::string& path : paths_in(r.path)) {
      const auto place = place_of(path);
      if (!place || !place->name.empty()) continue;
      for (const Placed& o : outputs) {
        if (o.place == *place) return clash(*o.file, "input", path == r.path ? r.shown : r.shown + ": " + path);
      }
    }
  }
  return {};
}

}  // namespace et::cli
