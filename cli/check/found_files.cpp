#include "cli/check/found_files.h"

#include <filesystem>
#include <set>

#include "bundled_program/cases/case_source.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraceOption = "--etdump-dir";

bool is_model(const std::string& path) { return path.ends_with(".pte") || path.ends_with(".bpte"); }

}  // namespace

std::vector<NamedFile> files_beside(const std::vector<NamedFile>& programs) {
  std::vector<NamedFile> out;
  std::set<fs::path> folders;  // each is looked into once, however many of its files are named
  for (const NamedFile& p : programs) {
    const std::string shown = "read with " + p.path;
    const auto add = [&](const fs::path& path) { out.push_back({shown, path.string()}); };
    if (p.path.ends_with(".etdp")) add(fs::path(p.path).replace_extension(".bin"));  // its debug buffer
    if (!is_model(p.path)) continue;
    add(bundled::sidecar_path(p.path));
    add(fs::path(p.path).replace_extension(".policy.toml"));
    const fs::path named = fs::path(p.path).parent_path();
    const fs::path folder = named.empty() ? fs::path(".") : named;
    if (!folders.insert(folder).second) continue;
    for (const char* name : {"policy.toml", "index.json", "reference/tolerance.json"}) add(folder / name);
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
      if (entry.path().extension() == ".ptd") add(entry.path());
    }
  }
  return out;
}

std::vector<NamedFile> trace_files(const std::vector<bundled::CheckTask>& tasks, const std::string& folder) {
  std::vector<NamedFile> out;
  std::set<std::string> names;
  for (const bundled::CheckTask& task : tasks) {
    if (task.etdump.empty()) continue;
    const fs::path trace = task.etdump;
    out.push_back({kTraceOption, trace.string()});
    out.push_back({kTraceOption, fs::path(trace).replace_extension(".bin").string()});
    names.insert(trace.stem().string());
  }
  // What a lost worker leaves is followed by name.part2.etdp and so on.
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    const fs::path stem = entry.path().stem();
    const std::string ending = entry.path().extension().string();
    const bool is_part = stem.extension().string().starts_with(".part") && names.contains(stem.stem().string());
    if (is_part && (ending == ".etdp" || ending == ".bin")) out.push_back({kTraceOption, entry.path().string()});
  }
  return out;
}

}  // namespace et::cli
