// Side-cars that are damaged or made to harm: one message each, and nothing is allocated on their word.
#include <zip.h>

#include "base/mapped_file.h"
#include "bundled_program/cases/npy.h"
#include "bundled_program/cases/sidecar.h"
#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

using Members = std::vector<std::pair<std::string, std::string>>;

const std::string kMeta = R"({"format": "et-cases/1", "program_sha256": ")" + std::string(64, 'a') + R"("})";

std::string meta_with(const std::string& more) { return kMeta.substr(0, kMeta.size() - 1) + ", " + more + "}"; }

std::string array_of(ScalarType type, const std::vector<int32_t>& sizes, const std::string& data) {
  return npy_header(type, sizes) + data;
}
const std::string kArray = array_of(ScalarType::Byte, {2}, "12");

/// A zip with these members, opened as a side-car; `status` says what became of it.
struct Opened {
  const Scratch dir;
  MappedFile file;
  std::unique_ptr<SidecarCases> cases;
  Status status;

  explicit Opened(const Members& members, bool deflate = false) {
    const std::string path = dir / "x.npz";
    int code = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &code);
    for (const auto& [name, data] : members) {
      const zip_int64_t at =
          zip_file_add(zip, name.c_str(), zip_source_buffer(zip, data.data(), data.size(), 0), ZIP_FL_ENC_UTF_8);
      EXPECT_GE(at, 0) << name;
      zip_set_file_compression(zip, static_cast<zip_uint64_t>(at), deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }
    EXPECT_EQ(zip_close(zip), 0);
    EXPECT_TRUE(MappedFile::open(path, &file).ok());
    status = SidecarCases::open(file.bytes(), "x.npz", &cases);
  }
};

TEST(HostileSidecar, TheDirectoryIsChecked) {
  struct Row {
    Members members;
    const char* expected;
  };
  const Row rows[] = {
      {{{"a.npy", kArray}}, "x.npz: member a.npy is not a test case value, expected METHOD/CASE/input_I.npy"},
      {{{"f/0/input_0.npy", kArray}}, "x.npz: no member meta.json: not a side-car"},
      {{{"meta.json", "{"}}, "x.npz: meta.json: "},
      {{{"meta.json", "[]"}}, "x.npz: meta.json: format ''; expected et-cases/1"},
      {{{"meta.json", R"({"format": "et-cases/2"})"}}, "x.npz: meta.json: format 'et-cases/2'; expected et-cases/1"},
      {{{"meta.json", R"({"format": "et-cases/1", "program_sha256": "AA"})"}}, "program_sha256: expected 64 hexa"},
      {{{"meta.json", kMeta}, {"f/0/input_1.npy", kArray}},
       "x.npz: member f/0/input_1.npy comes after a gap; expected value 0 before it"},
      {{{"meta.json", kMeta}, {"f/1/input_0.npy", kArray}},
       "x.npz: case 0 of method f has no members, and meta.json does not count it"},
      {{{"meta.json", kMeta}, {"f/0/input_0.npy", kArray}, {"f/0/input_0.int.npy", kArray}},
       "occurs twice, with two kinds"},
      {{{"meta.json", meta_with(R"("cases": {"f": 0})")}, {"f/0/input_0.npy", kArray}},
       "x.npz: meta.json: cases: f has 0 cases, but there are members of case 0"},
      {{{"meta.json", meta_with(R"("cases": {"f": -1})")}}, "x.npz: meta.json: cases: f: expected a method's name"},
      {{{"meta.json", meta_with(R"("cases": {"a b": 1})")}}, "x.npz: meta.json: cases: a b: expected a method's"},
      {{{"meta.json", meta_with(R"("cases": 3)")}}, "x.npz: meta.json: cases: expected an object"},
      {{{"meta.json", meta_with(R"("dim_order": 3)")}}, "x.npz: meta.json: dim_order: expected an object"},
      {{{"meta.json", meta_with(R"("dim_order": {"f/0/input_0": [0]})")}}, "dim_order: f/0/input_0: expected a list"},
      {{{"meta.json", meta_with(R"("cases": {"a": 999999, "b": 999999})")}}, "x.npz: more than 1000000 test cases"},
      {{{"meta.json", kMeta}, {"../0/input_0.npy", kArray}}, "x.npz: member ../0/input_0.npy leaves the archive"},
  };
  for (const Row& row : rows) {
    const Opened opened(row.members);
    EXPECT_FALSE(opened.status.ok()) << row.expected;
    EXPECT_NE(opened.status.message().find(row.expected), std::string::npos)
        << opened.status.message() << "\n  wanted: " << row.expected;
    EXPECT_TRUE(opened.status.message().starts_with("x.npz: ")) << opened.status.message();
  }
}

TEST(HostileSidecar, ValuesAreChecked) {
  struct Row {
    const char* member;
    std::string bytes;
    const char* meta;
    const char* expected;
  };
  const std::string eight(8, 'x');
  const Row rows[] = {
      {"input_0.npy", "no array", "", "x.npz: f/0/input_0.npy: not a NumPy file that can be used"},
      {"input_0.npy", array_of(ScalarType::Float, {100}, "short"), "", "5 bytes of data, the shape needs 400"},
      {"input_0.int.npy", array_of(ScalarType::Double, {}, eight), "", "float64[], expected int64 without dimensions"},
      {"input_0.int.npy", array_of(ScalarType::Long, {1}, eight), "", "int64[1], expected int64 without dimensions"},
      {"input_0.int.npy", array_of(ScalarType::Long, {0}, ""), "", "int64[0], expected int64 without dimensions"},
      {"input_0.bool.npy", array_of(ScalarType::Byte, {}, "1"), "", "uint8[], expected bool without dimensions"},
      {"input_0.bool.npy", array_of(ScalarType::Bool, {0}, ""), "", "bool[0], expected bool without dimensions"},
      {"input_0.double.npy", array_of(ScalarType::Float, {}, "1234"), "", "float32[], expected float64 without"},
      {"input_0.npy", array_of(ScalarType::Byte, {1, 2}, "12"), R"("dim_order": {"f/0/input_0": [1, 1]})",
       "meta.json: dim_order: the dim order does not name each"},
      {"input_0.npy", array_of(ScalarType::Byte, {1, 2}, "12"), R"("dim_order": {"f/0/input_0": [1]})",
       "meta.json: dim_order: the dim order does not name each"},
      {"input_0.qint8.npy", array_of(ScalarType::Float, {}, "1234"), "", "dtype '<f4', its name says qint8"},
  };
  for (const Row& row : rows) {
    const std::string meta = *row.meta == 0 ? kMeta : meta_with(row.meta);
    const Opened opened({{"meta.json", meta}, {std::string("f/0/") + row.member, row.bytes}});
    ASSERT_TRUE(opened.status.ok()) << opened.status.message();
    LoadedCase test;
    const Status s = opened.cases->load(0, 0, &test);
    EXPECT_FALSE(s.ok()) << row.expected;
    EXPECT_TRUE(s.message().starts_with(std::string("x.npz: f/0/") + row.member)) << s.message();
    EXPECT_NE(s.message().find(row.expected), std::string::npos) << s.message();
    EXPECT_TRUE(test.inputs.empty() && test.owners.empty());
  }
}

TEST(HostileSidecar, ZerosMayBeDeflatedAsFarAsTheyGo) {
  // 16 MiB of zeros in 16 KiB: more than the limit of records, and nothing unusual for a test case.
  const std::string zeros(size_t{16} << 20, '\0');
  const Opened opened({{"meta.json", kMeta}, {"f/0/input_0.npy", array_of(ScalarType::Byte, {16 << 20}, zeros)}}, true);
  ASSERT_TRUE(opened.status.ok()) << opened.status.message();
  LoadedCase test;
  const Status s = opened.cases->load(0, 0, &test);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(test.inputs[0].tensor.data.size(), zeros.size());
}

TEST(HostileSidecar, EveryCutIsRefusedOrSaid) {
  const Opened whole({{"meta.json", kMeta}, {"f/0/input_0.npy", kArray}, {"f/0/expected_0.npy", kArray}}, true);
  ASSERT_TRUE(whole.status.ok());
  const std::vector<uint8_t> bytes(whole.file.bytes().begin(), whole.file.bytes().end());
  for (size_t n = 0; n < bytes.size(); ++n) {
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
    std::unique_ptr<SidecarCases> cases;
    const Status s = SidecarCases::open(cut, "x.npz", &cases);
    EXPECT_FALSE(s.ok()) << n;
  }
}

}  // namespace
}  // namespace et::bundled
