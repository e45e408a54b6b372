// Artefacts with a record and a bundle: the repository's, and those of the folder that ET_ARTIFACTS names.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "bundled_program/cases/case_source.h"
#include "bundled_program/reference/reference_run.h"
#include "bundled_program/verify/side_tolerances.h"
#include "etrecord/record.h"

namespace et::reference::test {

struct Artifact {
  std::string name, record, bundle;
};

inline std::vector<Artifact> artifacts() {
  namespace fs = std::filesystem;
  std::vector<Artifact> all;
  const auto add = [&](const fs::path& records, const fs::path& bundles) {
    for (const auto& entry : fs::directory_iterator(bundles)) {
      const std::string name = entry.path().filename().string();
      const Artifact a{name, (records / name / "etrecord.bin").string(), (entry.path() / "bundled.bpte").string()};
      if (fs::exists(a.record) && fs::exists(a.bundle)) all.push_back(a);
    }
  };
  if (const char* folder = std::getenv("ET_ARTIFACTS")) {
    add(folder, folder);
  } else {
    add(fs::path(ET_FIXTURES) / "artifacts", fs::path(ET_FIXTURES) / "bundles");
  }
  std::sort(all.begin(), all.end(), [](const Artifact& a, const Artifact& b) { return a.name < b.name; });
  return all;
}

/// Both files of an artefact.
struct Loaded {
  MappedFile record_file;
  etrecord::Record record;
  bundled::CaseFile cases;

  void open(const Artifact& a) {
    Status s = MappedFile::open(a.record, &record_file);
    ASSERT_TRUE(s.ok()) << s.message();
    s = etrecord::Record::open(record_file.bytes(), a.record, &record);
    ASSERT_TRUE(s.ok()) << s.message();
    s = bundled::CaseFile::open(a.bundle, "", &cases);
    ASSERT_TRUE(s.ok()) << s.message();
  }
};

/// A record that upstream left half-written has no maps, and no method is known by name.
inline bool is_whole(const etrecord::Record& record) { return record.has_debug_handle_map(); }

inline std::string test_name(const testing::TestParamInfo<Artifact>& info) { return info.param.name; }

}  // namespace et::reference::test
