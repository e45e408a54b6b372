// Where the real ETDump files are: the small copies in the repository and, when it is there, the big corpus.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace et::test {

/// Folders of cases. The corpus holds all cases of the repository, so one of the two is enough.
inline std::vector<std::filesystem::path> case_folders() {
  namespace fs = std::filesystem;
  std::vector<fs::path> roots;
  if (const char* env = std::getenv("ET_SHARED_ARTIFACTS"); env != nullptr) roots.emplace_back(env);
  roots.push_back(fs::path(ET_SOURCE_DIR) / ".." / "shared" / "artifacts");
  roots.push_back(fs::path(ET_FIXTURES) / "artifacts");
  std::vector<fs::path> cases;
  for (const fs::path& root : roots) {
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::directory_iterator(root)) {
      if (fs::exists(entry.path() / "etdump.etdp") || fs::exists(entry.path() / "debug.etdp"))
        cases.push_back(entry.path());
    }
    if (!cases.empty()) break;
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

/// All .etdp files of the cases.
inline std::vector<std::filesystem::path> dump_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : case_folders()) {
    for (const char* name : {"etdump.etdp", "debug.etdp"}) {
      if (std::filesystem::exists(folder / name)) files.push_back(folder / name);
    }
  }
  return files;
}

inline std::vector<uint8_t> file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace et::test
