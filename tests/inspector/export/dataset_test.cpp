// Data sets without Arrow: which rows go into which file, commits that are cut off, redaction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/scratch_folder.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/dataset/dataset.h"
#include "inspector/report/dataset/dataset_commit.h"
#include "inspector/report/dataset/dataset_parts.h"
#include "inspector/report/dataset/dataset_views.h"
#include "inspector/report/dataset/parquet_plugin.h"
#include "inspector/report/dataset/redaction.h"

namespace et::inspector {
namespace {

namespace fs = std::filesystem;

void import_case(Store* store, const std::string& name) {
  const fs::path folder = fs::path(ET_FIXTURES) / "artifacts" / name;
  IngestInputs inputs;
  inputs.dump = (folder / "etdump.etdp").string();
  inputs.record = (folder / "etrecord.bin").string();
  inputs.program = (folder / "program.pte").string();
  IngestResult result;
  const Status status = ingest(*store, inputs, nullptr, &result);
  ASSERT_TRUE(status.ok()) << status.message();
}

/// Counts rows and keeps texts instead of writing Parquet; the file is a line with the count.
struct CountingWriter {
  std::map<std::string, int64_t>* rows;
  std::string* texts;
  Status operator()(const DatasetFile& file, ArrowArrayStream* stream) const {
    ArrowSchema schema;
    EXPECT_EQ(stream->get_schema(stream, &schema), 0);
    int64_t count = 0;
    while (true) {
      ArrowArray batch;
      if (stream->get_next(stream, &batch) != 0) return {Error::InvalidExternalData, stream->get_last_error(stream)};
      if (batch.release == nullptr) break;
      EXPECT_EQ(batch.n_children, schema.n_children);
      count += batch.length;
      for (int64_t c = 0; c < batch.n_children; ++c) {
        const ArrowArray& column = *batch.children[c];
        EXPECT_EQ(column.length, batch.length) << schema.children[c]->name;
        if (std::string_view(schema.children[c]->format) != "U") continue;
        const auto* offsets = static_cast<const int64_t*>(column.buffers[1]);
        texts->append(static_cast<const char*>(column.buffers[2]), static_cast<size_t>(offsets[column.length]));
      }
      batch.release(&batch);
    }
    schema.release(&schema);
    for (const auto& [key, value] : file.metadata) {
      if (key == "et_inspect.view") (*rows)[value] += count;
    }
    std::ofstream(file.path) << count << '\n';
    return {};
  }
};

struct DatasetTest : testing::Test {
  void SetUp() override {
    ASSERT_TRUE(scratch.make().ok());
    ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    import_case(&store, "partial_delegation");
    import_case(&store, "add_mul");
  }
  Status stage(const DatasetOptions& options, const std::set<std::string>& known = {}) {
    result = {};
    rows.clear();
    texts.clear();
    Status status = make_staging(scratch.path(), &staging);
    return status.ok() ? stage_dataset(store, {}, options, known, staging, CountingWriter{&rows, &texts}, &result)
                       : status;
  }
  int64_t number(const std::string& sql) {
    Statement st = store.query(sql);
    return st.step() ? st.integer(0) : -1;
  }
  static std::vector<std::string> files(const fs::path& folder) {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().extension() == ".parquet")
        out.push_back(entry.path().lexically_relative(folder).string());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  ScratchFolder scratch;
  Store store;
  std::string staging, texts;
  std::map<std::string, int64_t> rows;
  DatasetResult result;
};

TEST_F(DatasetTest, EveryRowOfTheContractIsInOneFile) {
  DatasetOptions options;
  options.samples = true;
  ASSERT_TRUE(stage(options).ok());
  EXPECT_EQ(result.traces, 2);
  for (const char* view : {"traces", "ops", "costs", "links", "nodes", "lines", "blocks", "executions", "samples"})
    EXPECT_EQ(rows[view], number(std::string("SELECT count(*) FROM ") + view)) << view;
  EXPECT_EQ(rows["sketches"], number("SELECT count(*) FROM fleet_sketches"));
  // What the export made is gone: the store's own views speak again.
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_temp_schema WHERE name LIKE 'fleet%'"), 0);
}

TEST_F(DatasetTest, EveryColumnOfTheContractIsThere) {
  std::vector<ViewDoc> docs;
  ASSERT_TRUE(schema_doc(&docs).ok());
  for (const DatasetView& view : dataset_views()) {
    const DatasetQuery query = dataset_query(view, docs, false);
    const auto doc = std::find_if(docs.begin(), docs.end(), [&](const ViewDoc& d) { return d.name == view.name; });
    if (doc == docs.end()) continue;  // sketches
    for (const ColumnDoc& c : doc->columns) {
      const std::string name = std::string_view(view.name) == "traces" && c.name == "build" ? "runtime_build" : c.name;
      EXPECT_TRUE(
          std::any_of(query.columns.begin(), query.columns.end(), [&](const auto& q) { return q.name == name; }))
          << view.name << '.' << name;
    }
  }
}

TEST_F(DatasetTest, KnownTracesAreLeftOut) {
  ASSERT_TRUE(stage({}).ok());
  const std::set<std::string> all = result.hashes;
  ASSERT_EQ(all.size(), 2U);
  ASSERT_TRUE(stage({}, all).ok());
  EXPECT_EQ(result.traces, 0);
  EXPECT_EQ(result.skipped, 2);
  EXPECT_EQ(result.files, 0);
  ASSERT_TRUE(stage({}, {*all.begin()}).ok());
  EXPECT_EQ(rows["traces"], 1);
}

TEST_F(DatasetTest, SketchesHaveEverySampleAndAreWithinOnePercent) {
  EXPECT_EQ(number("SELECT sum(count) FROM fleet_sketches"), number("SELECT count(*) FROM samples"));
  EXPECT_EQ(number("SELECT count(*) FROM fleet_sketches WHERE bucket >= 0 AND "
                   "abs(value_ns * count - sum_ns) > 0.01 * sum_ns"),
            0);
  EXPECT_EQ(number("SELECT count(*) FROM fleet_sketches WHERE (bucket < 0) <> (sum_ns <= 0)"), 0);
}

TEST_F(DatasetTest, EveryQuestionHasAnAnswerOnAStore) {
  int questions = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(ET_SOURCE_DIR) / "fleet" / "queries")) {
    std::ifstream in(entry.path());
    const std::string sql(std::istreambuf_iterator<char>(in), {});
    EXPECT_TRUE(sql.starts_with("-- ")) << entry.path();
    Statement st;
    const Status status = store.prepare(sql, &st);
    ASSERT_TRUE(status.ok()) << entry.path() << status.message();
    while (st.step()) {
    }
    EXPECT_TRUE(st.finish(entry.path().string()).ok());
    ++questions;
  }
  EXPECT_EQ(questions, 7);
}

TEST_F(DatasetTest, ACommitThatWasCutOffIsCompleted) {
  ASSERT_TRUE(stage({}).ok());
  const auto wanted = files(staging);
  ASSERT_GE(wanted.size(), 10U);
  DatasetLock lock;
  ASSERT_TRUE(lock.take(scratch.path()).ok());
  ASSERT_TRUE(commit_dataset(scratch.path(), {staging}, result.hashes).ok());
  EXPECT_EQ(files(scratch.path()), wanted);
  EXPECT_FALSE(fs::exists(staging));
  // Back to where half of the files were moved.
  const fs::path root = scratch.path();
  fs::path commit;
  for (const auto& entry : fs::directory_iterator(root / "_commits")) {
    if (entry.path().extension() == ".commit") commit = entry.path();
  }
  const std::string name = fs::path(staging).filename().string();
  for (size_t i = 0; i < wanted.size(); i += 2) {
    const fs::path back = root / "_staging" / name / wanted[i];
    fs::create_directories(back.parent_path());
    fs::rename(root / wanted[i], back);
  }
  fs::rename(commit, fs::path(commit).replace_extension(".pending"));
  std::set<std::string> known;
  ASSERT_TRUE(open_dataset(scratch.path(), &known).ok());
  EXPECT_EQ(known, result.hashes);
  for (const std::string& file : wanted) EXPECT_TRUE(fs::exists(root / file)) << file;
}

TEST_F(DatasetTest, ADamagedCommitIsToldWithItsLine) {
  DatasetLock lock;
  ASSERT_TRUE(lock.take(scratch.path()).ok());
  for (const char* text : {"nonsense\n", "et-inspect commit 1\ntrace\tab\nfile\t../../etc/passwd\tx\n",
                           "et-inspect commit 1\ntrace\tab\nfile\tone\n"}) {
    std::ofstream(fs::path(scratch.path()) / "_commits" / "x.commit") << text;
    std::set<std::string> known;
    const Status status = open_dataset(scratch.path(), &known);
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_NE(status.message().find("x.commit: line "), std::string::npos) << status.message();
  }
}

TEST_F(DatasetTest, RedactedTextsAreGoneAndEqualOnesStayEqual) {
  ASSERT_TRUE(
      store.exec("UPDATE raw_trace SET host = 'laptop-of-ada'; INSERT INTO raw_label VALUES(1, 'who', 'ada')").ok());
  Statement st = store.query("SELECT code FROM nodes WHERE length(code) > 8 LIMIT 1");
  ASSERT_TRUE(st.step());
  const std::string code = st.str(0);
  st.reset();
  ASSERT_TRUE(stage({}).ok());
  for (const std::string& secret :
       {std::string("laptop-of-ada"), code, std::string("\"ada\""), std::string(ET_FIXTURES)})
    EXPECT_NE(texts.find(secret), std::string::npos) << secret;
  DatasetOptions options;
  options.key = "0123456789abcdef";
  ASSERT_TRUE(stage(options).ok());
  for (const std::string& secret :
       {std::string("laptop-of-ada"), code, std::string("\"ada\""), std::string(ET_FIXTURES)})
    EXPECT_EQ(texts.find(secret), std::string::npos) << secret;
  EXPECT_NE(texts.find(keyed_hash(options.key, code)), std::string::npos);
}

TEST(Redaction, IsHmacSha256) {
  // RFC 4231, test cases 2 and 6: a short key, and one longer than a block.
  EXPECT_EQ(keyed_hash("Jefe", "what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c7");
  EXPECT_EQ(keyed_hash(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f");
}

TEST(Redaction, AKeyIsLongEnough) {
  ScratchFolder scratch;
  ASSERT_TRUE(scratch.make().ok());
  const std::string path = scratch.path() + "/key";
  std::ofstream(path) << "short\n";
  std::string key;
  const Status status = read_redaction_key(path, &key);
  EXPECT_NE(status.message().find("expected a key of at least 16 bytes, got 5"), std::string::npos) << status.message();
  EXPECT_FALSE(read_redaction_key(scratch.path() + "/none", &key).ok());
}

TEST(PartitionText, DecodesToWhatItWas) {
  EXPECT_EQ(partition_text("Pixel 8"), "Pixel%208");
  EXPECT_EQ(partition_text("a/b=c%"), "a%2Fb%3Dc%25");
  EXPECT_EQ(partition_text("1.4-rc_2"), "1.4-rc_2");
}

TEST(ParquetPlugin, WithoutItTheMessageSaysWhatToInstall) {
  ::setenv("ET_INSPECT_PARQUET", "/nowhere/et_parquet.so", 1);
  DatasetWriter writer;
  const Status status = load_parquet_writer("/nowhere", &writer);
  ::unsetenv("ET_INSPECT_PARQUET");
  EXPECT_EQ(status.code(), Error::NotFound);
  EXPECT_NE(status.message().find("pip install pyarrow=="), std::string::npos) << status.message();
}

}  // namespace
}  // namespace et::inspector
