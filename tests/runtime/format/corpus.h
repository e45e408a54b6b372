// The real programs that tests read: the cases carried in the repository and, when it is there, the big corpus
// (ET_SHARED_ARTIFACTS, or shared/artifacts beside the checkout).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace et::format::testing {

inline std::vector<std::filesystem::path> corpus_roots() {
  namespace fs = std::filesystem;
  const char* env = std::getenv("ET_SHARED_ARTIFACTS");
  const fs::path shared = env != nullptr ? fs::path(env) : fs::path(ET_SOURCE_DIR) / ".." / "shared" / "artifacts";
  std::vector<fs::path> roots;
  for (const fs::path& root : {fs::path(ET_FIXTURES) / "artifacts", shared}) {
    if (fs::is_directory(root)) roots.push_back(root);
  }
  return roots;
}

/// A case's folder, the repository's copy first; empty when neither has `file`.
inline std::filesystem::path find_case(const std::string& name, const std::string& file = "program.pte") {
  for (const auto& root : corpus_roots()) {
    if (std::filesystem::is_regular_file(root / name / file)) return root / name;
  }
  return {};
}

/// Every file of that name or extension in the cases, in order.
inline std::vector<std::filesystem::path> corpus_files(const std::string& name, const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& root : corpus_roots()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      if (entry.path().filename() == name || entry.path().extension() == extension) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace et::format::testing
