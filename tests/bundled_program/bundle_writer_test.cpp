// Bundles that are written: the same bytes as upstream's for the same content, and every value comes back.
#include "bundled_program/write/bundle_writer.h"

#include <limits>

#include "base/mapped_file.h"
#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

/// The file as it would be mapped.
struct Opened {
  OwnedTensor file;
  Bundle bundle;

  explicit Opened(const BundleBytes& bytes) : file(ScalarType::Byte, {static_cast<int32_t>(bytes.bytes().size())}) {
    std::copy(bytes.bytes().begin(), bytes.bytes().end(), file.data());
    const FileError error = Bundle::open(file.value.data, &bundle);
    EXPECT_TRUE(error.ok()) << error.field << ": " << error.expected;
  }
};

BundleBytes written(const CaseSource& cases, std::span<const uint8_t> program = {}) {
  static const std::vector<uint8_t> some(100, 7);
  BundleBytes bytes;
  const Status s = write_bundle(program.empty() ? some : program, cases, &bytes);
  EXPECT_TRUE(s.ok()) << s.message();
  return bytes;
}

TEST(BundleWriter, WritesWhatUpstreamWritesByteForByte) {
  const std::vector<std::string> files = upstream_bundles();
  ASSERT_GT(files.size(), 450u);
  for (const std::string& path : files) {
    CaseFile file;
    const Status s = CaseFile::open(path, "", &file);
    ASSERT_TRUE(s.ok()) << s.message();
    const BundleBytes bytes = written(file.cases(), file.program());
    MappedFile original;
    ASSERT_TRUE(MappedFile::open(path, &original).ok());
    EXPECT_TRUE(same_bytes(bytes.bytes(), original.bytes())) << path;
  }
}

TEST(BundleWriter, EveryValueComesBack) {
  const MemoryCases cases = rich_cases();
  const Opened opened(written(cases));
  const Bundle& bundle = opened.bundle;
  EXPECT_EQ(bundle.version(), 2u);
  const auto back = bundle_cases(bundle, "written");
  EXPECT_EQ(difference(cases, *back), "");
  ASSERT_EQ(back->suite_count(), 4u);
  EXPECT_EQ(back->method(0), ".we/ird %name");
  EXPECT_EQ(back->method(1), "empty");
  EXPECT_EQ(back->method(2), "forward");
  EXPECT_EQ(back->method(3), "prefill");
}

TEST(BundleWriter, AlignsProgramAndTensorsForEveryLength) {
  for (size_t program_size : {1u, 31u, 32u, 33u, 936u}) {
    for (int32_t n : {0, 1, 7, 16, 17}) {
      const std::vector<uint8_t> program(program_size, 9);
      MemoryCases cases;
      LoadedCase test;
      test.inputs.push_back(add_tensor(&test, ScalarType::Byte, {n}));
      cases.add("forward", test, "a");
      const Opened opened(written(cases, program));
      const Bundle& bundle = opened.bundle;
      EXPECT_TRUE(same_bytes(bundle.program(), program));
      const uint8_t* base = opened.file.value.data.data();
      EXPECT_EQ((bundle.program().data() - base) % 32, 0) << program_size << " " << n;
      EXPECT_EQ((bundle.suite(0).test_case(0).input(0).tensor.data.data() - base) % 16, 0) << program_size << " " << n;
    }
  }
}

TEST(BundleWriter, DoublesKeepTheirBits) {
  LoadedCase test;
  for (double v : {-0.0, 0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                   std::numeric_limits<double>::denorm_min()}) {
    test.inputs.push_back(double_value(v));
  }
  MemoryCases cases;
  cases.add("forward", test, "a");
  const Opened opened(written(cases));
  const Bundle& bundle = opened.bundle;
  EXPECT_EQ(difference(cases, *bundle_cases(bundle, "written")), "");
}

TEST(BundleWriter, RefusesWhatNoReaderTakes) {
  struct Row {
    const char* expected;
    void (*spoil)(LoadedCase*);
  };
  const Row rows[] = {
      {"here: input 0 has no value", [](LoadedCase* c) { c->inputs[0] = Value(); }},
      {"here: input 0: 24 bytes of data, float32[2, 4] has 32",
       [](LoadedCase* c) {
         static const int32_t sizes[] = {2, 4};
         c->inputs[0].tensor.sizes = sizes;
       }},
      {"here: input 0: the shape is negative or too large",
       [](LoadedCase* c) {
         static const int32_t sizes[] = {-2, 3};
         c->inputs[0].tensor.sizes = sizes;
       }},
      {"here: input 0: the dim order does not name each of the 2 dimensions once",
       [](LoadedCase* c) {
         static const uint8_t order[] = {0, 0};
         c->inputs[0].tensor.dim_order = order;
       }},
      {"here: expected output 0: dtype 77 is not a scalar type",
       [](LoadedCase* c) { c->expected[0].tensor.scalar_type = static_cast<ScalarType>(77); }},
  };
  for (const Row& row : rows) {
    LoadedCase test;
    test.inputs.push_back(add_tensor(&test, ScalarType::Float, {2, 3}));
    test.expected.push_back(add_tensor(&test, ScalarType::Float, {2, 3}));
    row.spoil(&test);
    MemoryCases cases;
    cases.add("forward", test, "here");
    BundleBytes bytes;
    const std::vector<uint8_t> program(10);
    const Status s = write_bundle(program, cases, &bytes);
    EXPECT_EQ(s.message(), row.expected);
    EXPECT_TRUE(bytes.bytes().empty());
  }
}

TEST(BundleWriter, RefusesAProgramThatIsEmptyOrTooLarge) {
  BundleBytes bytes;
  EXPECT_EQ(write_bundle({}, MemoryCases(), &bytes).code(), Error::InvalidArgument);
  const uint8_t byte = 0;  // never read: the size is refused first
  const Status s = write_bundle({&byte, size_t{1} << 31}, MemoryCases(), &bytes);
  EXPECT_EQ(s.code(), Error::OutOfResources);
  EXPECT_NE(s.message().find("side-car"), std::string::npos);
}

TEST(BundleWriter, RefusesCasesThatReachTwoGigabytes) {
  // The same tensor again and again: the sum is refused before anything of that size is made.
  class Endless : public CaseSource {
   public:
    size_t suite_count() const override { return 1; }
    std::string_view method(size_t) const override { return "forward"; }
    size_t case_count(size_t) const override { return 1u << 20; }
    std::string place(size_t, size_t index) const override { return "case " + std::to_string(index); }
    Status load(size_t, size_t, LoadedCase* out) const override {
      *out = {};
      for (int i = 0; i < 1000; ++i) out->inputs.push_back(tensor_value(tensor_.value));
      return {};
    }

   private:
    OwnedTensor tensor_{ScalarType::Byte, {1 << 20, 4}};
  };
  BundleBytes bytes;
  const std::vector<uint8_t> program(10);
  const Status s = write_bundle(program, Endless(), &bytes);
  EXPECT_EQ(s.code(), Error::OutOfResources);
  EXPECT_NE(s.message().find("case 0: the bundled program would reach 2 GiB"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace et::bundled
