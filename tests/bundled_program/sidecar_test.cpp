// Side-cars: what is written comes back value by value, as does what upstream bundled; appending; lazily read.
#include "bundled_program/cases/sidecar.h"

#include <map>

#include "base/zip_reader.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/write/bundle_writer.h"
#include "bundled_program/write/sidecar_writer.h"
#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

const std::string kProgram = "ET12 the program";
std::span<const uint8_t> program_bytes() {
  return {reinterpret_cast<const uint8_t*>(kProgram.data()), kProgram.size()};
}

/// A program and its side-car in a folder, opened.
struct Pair {
  const Scratch dir;
  CaseFile file;

  Status write(const CaseSource& cases, SidecarOptions options = {}) {
    write_file(dir / "m.pte", kProgram);
    if (Status s = write_sidecar(dir / "m.cases.npz", program_bytes(), cases, options); !s.ok()) return s;
    return CaseFile::open(dir / "m.pte", "", &file);
  }
};

TEST(Sidecar, EveryValueComesBack) {
  for (bool deflate : {false, true}) {
    Pair pair;
    const MemoryCases cases = rich_cases();
    const Status s = pair.write(cases, {deflate});
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(difference(cases, pair.file.cases()), "");
    EXPECT_EQ(pair.file.sidecar(), pair.dir / "m.cases.npz");
    EXPECT_FALSE(pair.file.is_bundle());
    LoadedCase test;
    ASSERT_TRUE(pair.file.cases().load(*pair.file.cases().find("prefill"), 0, &test).ok());
    for (const Value& v : test.inputs) EXPECT_EQ(reinterpret_cast<uintptr_t>(v.tensor.data.data()) % 16, 0u);
  }
}

TEST(Sidecar, HoldsWhatUpstreamBundled) {
  const Scratch dir;
  for (const std::string& path : upstream_bundles()) {
    CaseFile bundle;
    ASSERT_TRUE(CaseFile::open(path, "", &bundle).ok());
    const std::string pte = dir / "m.pte";
    write_file(pte, {reinterpret_cast<const char*>(bundle.program().data()), bundle.program().size()});
    Status s = write_sidecar(sidecar_path(pte), bundle.program(), bundle.cases());
    ASSERT_TRUE(s.ok()) << s.message();
    CaseFile back;
    s = CaseFile::open(pte, "", &back);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(difference(bundle.cases(), back.cases()), "") << path;
    // And to the bundle again, to the byte.
    BundleBytes first, second;
    ASSERT_TRUE(write_bundle(bundle.program(), bundle.cases(), &first).ok());
    ASSERT_TRUE(write_bundle(back.program(), back.cases(), &second).ok());
    EXPECT_TRUE(same_bytes(first.bytes(), second.bytes())) << path;
  }
}

TEST(Sidecar, SameCasesSameBytes) {
  const Scratch dir;
  const MemoryCases cases = rich_cases();
  ASSERT_TRUE(write_sidecar(dir / "a", program_bytes(), cases).ok());
  ASSERT_TRUE(write_sidecar(dir / "b", program_bytes(), cases).ok());
  EXPECT_EQ(read_file(dir / "a"), read_file(dir / "b"));
}

TEST(Sidecar, IsReplacedWhileItIsRead) {
  Pair pair;
  const MemoryCases cases = rich_cases();
  ASSERT_TRUE(pair.write(cases).ok());
  LoadedCase more = rich_case();
  auto fresh = std::make_unique<MemoryCases>();
  fresh->add("prefill", more, "new");
  const auto both = joined_cases(cases_without(pair.file.cases(), {}), std::move(fresh));
  const Status s = write_sidecar(pair.dir / "m.cases.npz", program_bytes(), *both);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(difference(cases, pair.file.cases()), "") << "the old file is still mapped";
  CaseFile again;
  ASSERT_TRUE(CaseFile::open(pair.dir / "m.pte", "", &again).ok());
  EXPECT_EQ(difference(*both, again.cases()), "");
  EXPECT_EQ(again.cases().total(), cases.total() + 1);
}

TEST(Sidecar, StandsBesideABundleToo) {
  const Scratch dir;
  CaseFile upstream;
  ASSERT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &upstream).ok());
  std::filesystem::copy_file(fixture("bundles/add_mul/bundled.bpte"), dir / "m.bpte");
  ASSERT_TRUE(write_sidecar(dir / "m.cases.npz", upstream.program(), upstream.cases()).ok());
  CaseFile both;
  ASSERT_TRUE(CaseFile::open(dir / "m.bpte", "", &both).ok());
  ASSERT_EQ(both.cases().suite_count(), 1u);
  const size_t n = upstream.cases().case_count(0);
  ASSERT_EQ(both.cases().case_count(0), 2 * n);
  EXPECT_EQ(both.cases().place(0, 0), (dir / "m.bpte") + ": forward case 0");
  EXPECT_EQ(both.cases().place(0, n), (dir / "m.cases.npz") + ": forward/0");
  LoadedCase a, b;
  ASSERT_TRUE(both.cases().load(0, 0, &a).ok());
  ASSERT_TRUE(both.cases().load(0, n, &b).ok());
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) EXPECT_TRUE(same_value(a.inputs[i], b.inputs[i]));
  LoadedCase none;
  EXPECT_EQ(both.cases().load(0, 2 * n, &none).code(), Error::InvalidArgument);
  EXPECT_EQ(both.cases().load(7, 0, &none).code(), Error::InvalidArgument);
}

TEST(Sidecar, OfAnotherProgramIsRefused) {
  Pair pair;
  ASSERT_TRUE(pair.write(rich_cases()).ok());
  write_file(pair.dir / "m.pte", kProgram + "2");
  const Status s = CaseFile::open(pair.dir / "m.pte", "", &pair.file);
  EXPECT_EQ(s.code(), Error::InvalidExternalData);
  EXPECT_TRUE(s.message().starts_with((pair.dir / "m.cases.npz") + ": meta.json: program_sha256: the cases were made "
                                                                   "for another program"))
      << s.message();
}

TEST(Sidecar, DamagedMembersFailWhenTheyAreLoadedAndNotBefore) {
  Pair pair;
  LoadedCase test;
  test.inputs.push_back(add_tensor(&test, ScalarType::Byte, {1000}, 0));
  MemoryCases cases;
  cases.add("forward", test, "0");
  test.inputs[0] = add_tensor(&test, ScalarType::Byte, {1000}, 3);
  cases.add("forward", test, "1");
  ASSERT_TRUE(pair.write(cases).ok());
  std::string bytes = read_file(pair.dir / "m.cases.npz");
  const size_t at = bytes.find(std::string("\3\4\5\6\7", 5), bytes.find("forward/1/input_0.npy"));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  write_file(pair.dir / "m.cases.npz", bytes);
  ASSERT_TRUE(CaseFile::open(pair.dir / "m.pte", "", &pair.file).ok());
  LoadedCase loaded;
  EXPECT_TRUE(pair.file.cases().load(0, 0, &loaded).ok());
  const Status s = pair.file.cases().load(0, 1, &loaded);
  EXPECT_EQ(s.code(), Error::InvalidExternalData);
  EXPECT_EQ(s.message(), (pair.dir / "m.cases.npz") + ": forward/1/input_0.npy is damaged: its CRC does not match");
}

TEST(Sidecar, AFailureWhileWritingLeavesTheOldFile) {
  // Fails the second time a case is loaded: when its bytes are wanted.
  class Fading : public CaseSource {
   public:
    explicit Fading(const CaseSource& base) : base_(base) {}
    size_t suite_count() const override { return base_.suite_count(); }
    std::string_view method(size_t s) const override { return base_.method(s); }
    size_t case_count(size_t s) const override { return base_.case_count(s); }
    std::string place(size_t s, size_t c) const override { return base_.place(s, c); }
    Status load(size_t s, size_t c, LoadedCase* out) const override {
      if (++loads_[{s, c}] > 1) return {Error::InvalidExternalData, "gone: " + place(s, c)};
      return base_.load(s, c, out);
    }

   private:
    const CaseSource& base_;
    mutable std::map<std::pair<size_t, size_t>, int> loads_;
  };
  const Scratch dir;
  write_file(dir / "m.cases.npz", "old");
  const MemoryCases cases = rich_cases();
  const Status s = write_sidecar(dir / "m.cases.npz", program_bytes(), Fading(cases));
  EXPECT_EQ(s.message(), "gone: prefill 0");
  EXPECT_EQ(read_file(dir / "m.cases.npz"), "old");
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) ++files;
  EXPECT_EQ(files, 1u) << "nothing temporary is left";
  EXPECT_EQ(write_sidecar(dir / "no/m.npz", program_bytes(), cases).code(), Error::AccessFailed);
}

TEST(SidecarFormat, NamesThereAndBack) {
  struct Row {
    MemberName name;
    const char* text;
  };
  const Row rows[] = {
      {{"forward", 0, false, 1, ValueKind::Tensor, {}}, "forward/0/input_1.npy"},
      {{"forward", 12, true, 0, ValueKind::Int, {}}, "forward/12/expected_0.int.npy"},
      {{"forward", 1, false, 0, ValueKind::Bool, {}}, "forward/1/input_0.bool.npy"},
      {{"forward", 1, false, 0, ValueKind::Double, {}}, "forward/1/input_0.double.npy"},
      {{"a.b", 1, false, 3, ValueKind::Tensor, ScalarType::Float8_e4m3fn}, "a.b/1/input_3.float8_e4m3fn.npy"},
      {{"../x y", 1, false, 3, ValueKind::Tensor, ScalarType::QInt8}, "%2E.%2Fx%20y/1/input_3.qint8.npy"},
      {{"\xc3\xa9", 1, false, 3, ValueKind::Tensor, {}}, "%C3%A9/1/input_3.npy"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(member_name(row.name), row.text);
    const std::optional<MemberName> back = parse_member_name(row.text);
    ASSERT_TRUE(back) << row.text;
    EXPECT_EQ(back->method, row.name.method);
    EXPECT_EQ(back->test_case, row.name.test_case);
    EXPECT_EQ(back->expected, row.name.expected);
    EXPECT_EQ(back->index, row.name.index);
    EXPECT_EQ(back->kind, row.name.kind);
    EXPECT_EQ(back->type, row.name.type);
  }
  for (const char* text :
       {"forward", "forward/0", "forward/0/input_0", "forward/0/output_0.npy", "forward/00/input_0.npy",
        "forward/0/input_.npy", "forward/0/input_0x.npy", "forward/-1/input_0.npy", "forward/0/input_1000000.npy",
        "forward/0/input_0.float32.npy", "forward/0/input_0.what.npy", "%66orward/0/input_0.npy", "%6/0/input_0.npy",
        "a b/0/input_0.npy", "a/0/1/input_0.npy", "/0/input_0.npy"}) {
    EXPECT_FALSE(parse_member_name(text)) << text;
  }
}

}  // namespace
}  // namespace et::bundled
