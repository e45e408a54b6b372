// Shared by the conformance tests: the cases that are there, their files, and a store with one of them imported.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "inspector/ingest/ingest.h"

namespace et::inspector::test {

/// Folders of artefacts: those of the repository, and the large corpus where it is.
inline std::vector<std::string> case_folders(const std::string& needed) {
  std::vector<std::string> roots = {std::string(ET_FIXTURES) + "/artifacts"};
  const char* given = std::getenv("ET_SHARED_ARTIFACTS");
  roots.push_back(given != nullptr ? given : std::string(ET_SOURCE_DIR) + "/../shared/artifacts");
  // Of older releases: small ones here, all of them where they are, in a folder per release.
  roots.push_back(std::string(ET_FIXTURES) + "/releases");
  std::error_code no_releases;
  const char* old = std::getenv("ET_SHARED_ARTIFACTS_OLD");
  for (const auto& release : std::filesystem::directory_iterator(
           old != nullptr ? old : std::string(ET_SOURCE_DIR) + "/../shared/artifacts_old", no_releases)) {
    roots.push_back(release.path().string());
  }
  std::vector<std::string> out;
  std::error_code none;
  for (const std::string& root : roots) {
    for (const auto& entry : std::filesystem::directory_iterator(root, none)) {
      if (std::filesystem::exists(entry.path() / needed)) out.push_back(entry.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// "fixture_add_mul", "corpus_nanogpt", "release_1_2_0_conv_xnnpack".
inline std::string case_name(const ::testing::TestParamInfo<std::string>& info) {
  const bool fixture = info.param.starts_with(std::string(ET_FIXTURES));
  const std::filesystem::path path(info.param);
  const std::string folder = path.parent_path().filename().string();
  std::string name = path.filename().string();
  if (folder != "artifacts") name = "release_" + (folder == "releases" ? "" : folder + "_") + name;
  std::replace(name.begin(), name.end(), '.', '_');
  return (fixture ? "fixture_" : "corpus_") + name;
}

struct Imported {
  Store store;
  IngestResult result;
};

/// Imports `dump` of a case with the record and the program that lie beside it.
inline void import_case(const std::string& folder, const std::string& dump, bool buffer, Imported* out,
                        bool program = true) {
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &out->store).ok());
  IngestInputs in;
  auto there = [&](const char* name) {
    return std::filesystem::exists(folder + "/" + name) ? folder + "/" + name : std::string();
  };
  in.dump = folder + "/" + dump;
  in.record = there("etrecord.bin");
  if (program) in.program = there("program.pte");
  if (buffer) in.debug_buffer = there("debug.bin");
  const Status status = ingest(out->store, in, {}, &out->result);
  ASSERT_TRUE(status.ok()) << status.message();
}

/// A reference file; loads in upstream's own spelling of non-finite numbers, which it writes as strings.
class Reference {
 public:
  explicit Reference(const std::string& path) {
    text_ = simdjson::padded_string::load(path).value();
    root_ = parser_.parse(text_).value();
  }
  simdjson::dom::element root() const { return root_; }

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

inline std::string text_or(simdjson::dom::element e, const std::string& fallback) {
  std::string_view s;
  return e.get(s) == simdjson::SUCCESS ? std::string(s) : fallback;
}

}  // namespace et::inspector::test
