#include "inspector/ingest/folder_files.h"

#include <algorithm>
#include <filesystem>

#include "base/files_read.h"

namespace et::inspector {
namespace {

bool is_of_a_run(FileKind kind) {
  switch (kind) {
    case FileKind::ETDump:
    case FileKind::ETRecord:
    case FileKind::Program:
    case FileKind::BundledProgram:
    case FileKind::TensorFile:
    case FileKind::Store:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string folder_prefix(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool files_of_folder(const std::string& prefix, std::vector<FolderFile>* out) {
  namespace fs = std::filesystem;
  out->clear();
  std::error_code ec;
  std::vector<std::string> names;
  for (fs::directory_iterator it(prefix.empty() ? "." : prefix, ec), end; !ec && it != end; it.increment(ec)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.') || !it->is_regular_file(ec)) continue;
    if (names.size() == kMostFolderFiles) return false;
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    out->push_back({prefix + name, file_kind(prefix + name)});
    // Also one that is not chosen in the end: what was looked at as an input is no place for an output.
    if (is_of_a_run(out->back().kind)) remember_input(out->back().path);
  }
  return true;
}

}  // namespace et::inspector
