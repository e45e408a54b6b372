// Shared by the tests with bad input: scratch folders, files, what a store holds, and importing with all the checks
// that must hold whatever the files say.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "inspector/ingest/ingest.h"

namespace et::inspector::test {

using Bytes = std::vector<uint8_t>;

inline std::string fixture(const std::string& name, const std::string& file) {
  return std::string(ET_FIXTURES) + "/artifacts/" + name + "/" + file;
}

inline Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
inline void write_file(const std::string& path, std::string_view text) {
  write_file(path, Bytes(text.begin(), text.end()));
}

/// An empty folder that goes away with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "et-hostile-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// What SQLite itself says of the file.
inline std::string integrity(const Store& store) {
  Statement st = store.query("PRAGMA integrity_check");
  return st.step() ? st.str(0) : store.error_text();
}

/// Every table with its number of rows, as one text to compare.
inline std::string contents(const Store& store) {
  std::string out;
  std::vector<std::string> tables;
  for (Statement st =
           store.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'raw%' ORDER BY name");
       st.step();) {
    tables.push_back(st.str(0));
  }
  for (const std::string& t : tables) {
    Statement st = store.query("SELECT count(*) FROM " + t);
    if (st.step() && st.integer(0) > 0) out += t + "=" + st.str(0) + " ";
  }
  return out;
}

/// First text of the store that is not UTF-8, with its place; "" when all is.
inline std::string bad_text(const Store& store) {
  std::vector<std::string> tables;
  for (Statement st = store.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'raw%'");
       st.step();) {
    tables.push_back(st.str(0));
  }
  for (const std::string& t : tables) {
    Statement st = store.query("SELECT * FROM " + t);
    while (st.step()) {
      for (int c = 0; c < st.columns(); ++c) {
        if (st.type(c) == SQLITE_TEXT && !is_storable_text(st.text(c))) return t + "." + std::string(st.column_name(c));
      }
    }
  }
  return "";
}

/// Problem ids of a trace, space-separated.
inline std::string problems(const Store& store, int64_t trace) {
  std::string out;
  Statement st = store.query("SELECT id FROM diagnostics WHERE trace_id = ?1 ORDER BY id");
  st.bind_all(trace);
  while (st.step()) out += st.str(0) + " ";
  return out;
}

/// Largest resident size of this process so far, in MiB.
inline long peak_mib() {
  struct rusage use = {};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss / 1024;
}

/// Imports and checks what must hold for every input: a failed import names one of its files and leaves the store as it
/// was; a successful one passes SQLite's check and holds UTF-8 only.
inline Status import_checked(Store& store, const IngestInputs& in, IngestResult* result, bool deep = true) {
  const std::string before = contents(store);
  const Status status = ingest(store, in, {}, result);
  if (!status.ok()) {
    EXPECT_EQ(contents(store), before) << status.message();
    bool named = false;
    for (const std::string& file : {in.dump, in.record, in.program, in.debug_buffer}) {
      named |= !file.empty() && status.message().find(file) != std::string::npos;
    }
    EXPECT_TRUE(named) << status.message();
    EXPECT_NE(status.message().find(": "), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find("constraint"), std::string::npos) << "SQLite had to stop it: " << status.message();
  } else if (deep) {
    EXPECT_EQ(bad_text(store), "");
  }
  EXPECT_NE(sqlite3_get_autocommit(store.db()), 0) << "a transaction stayed open";
  return status;
}

}  // namespace et::inspector::test
