// .npy arrays: every dtype there and back, what NumPy itself writes, and damaged headers.
#include "bundled_program/cases/npy.h"

#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

std::span<const uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string file_of(const std::string& header, const std::string& data, char version = 1) {
  std::string out = std::string("\x93NUMPY") + version + '\0';
  for (size_t i = 0, n = header.size(); i < (version == 1 ? 2u : 4u); ++i, n >>= 8) out += static_cast<char>(n & 255);
  return out + header + data;
}

TEST(Npy, EveryDtypeThereAndBack) {
  for (ScalarType type : all_types()) {
    for (const std::vector<int32_t>& sizes : {std::vector<int32_t>{}, {3}, {2, 0, 3}, {2, 3, 4}}) {
      OwnedTensor tensor(type, sizes);
      for (size_t i = 0; i < tensor.value.data.size(); ++i) tensor.data()[i] = static_cast<uint8_t>(i + 1);
      std::string file = npy_header(type, sizes);
      EXPECT_EQ(file.size() % 64, 0u);
      file.append(reinterpret_cast<const char*>(tensor.data()), tensor.value.data.size());
      NpyArray array;
      const std::optional<ScalarType> told = npy_knows(type) ? std::nullopt : std::optional(type);
      const Status s = parse_npy(as_bytes(file), "x.npy", told, &array);
      ASSERT_TRUE(s.ok()) << s.message();
      EXPECT_TRUE(same_value(tensor_value(npy_tensor(array)->value), tensor_value(tensor.value)))
          << scalar_type_name(type);
    }
  }
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  const std::string file =
      file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", std::string("\1\4\2\5\3\6", 6));
  NpyArray array;
  ASSERT_TRUE(parse_npy(as_bytes(file), "x.npy", std::nullopt, &array).ok());
  const auto tensor = npy_tensor(array);
  EXPECT_TRUE(is_row_major(tensor->value.dim_order));
  EXPECT_EQ(std::string(tensor->value.data.begin(), tensor->value.data.end()), std::string("\1\2\3\4\5\6"));
}

TEST(Npy, DamageIsNamed) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  struct Row {
    std::string file;
    const char* expected;
  };
  const Row rows[] = {
      {"PK", "does not begin with"},
      {std::string("\x93NUMPY\1\0\xff\xff{'descr'", 18), "cut in the header"},
      {file_of(good, "1234567"), "7 bytes of data, the shape needs 8"},
      {file_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "12345678"), "dtype '>f4'"},
      {file_of("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "12345678"), "dtype '|O'"},
      {file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "12345678"), "dtype"},
      {file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", ""), "the shape"},
      {file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2", ""), "the shape"},
      {file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647), }", ""),
       "a shape that is too large"},
      {file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", "1234"),
       "the shape"},
      {file_of("", ""), "dtype ''"},
  };
  for (const Row& row : rows) {
    NpyArray array;
    const Status s = parse_npy(as_bytes(row.file), "dir/x.npy", std::nullopt, &array);
    EXPECT_EQ(s.code(), Error::InvalidExternalData);
    EXPECT_TRUE(s.message().starts_with("dir/x.npy: ")) << s.message();
    EXPECT_NE(s.message().find(row.expected), std::string::npos) << s.message() << " / " << row.expected;
  }
  NpyArray array;
  for (char version : {'\1', '\2', '\3'}) {
    EXPECT_TRUE(parse_npy(as_bytes(file_of(good, "12345678more", version)), "x", std::nullopt, &array).ok());
    EXPECT_EQ(array.data.size(), 8u);
  }
}

TEST(Npy, ATypeToldByTheNameMustFit) {
  const std::string two = file_of("{'descr': '|V2', 'fortran_order': False, 'shape': (), }", "12");
  const std::string half = file_of("{'descr': '<f2', 'fortran_order': False, 'shape': (), }", "12");
  NpyArray array;
  ASSERT_TRUE(parse_npy(as_bytes(two), "x", ScalarType::Bits16, &array).ok());
  EXPECT_EQ(array.type, ScalarType::Bits16);
  ASSERT_TRUE(parse_npy(as_bytes(two), "x", std::nullopt, &array).ok());
  EXPECT_EQ(array.type, ScalarType::BFloat16);
  EXPECT_FALSE(parse_npy(as_bytes(two), "x", ScalarType::Float8_e5m2, &array).ok());
  EXPECT_FALSE(parse_npy(as_bytes(half), "x", ScalarType::Bits16, &array).ok());
}

TEST(Npy, FilesAreWrittenRowByRow) {
  const Scratch dir;
  OwnedTensor tensor(ScalarType::Byte, {2, 3});
  for (uint8_t i = 0; i < 6; ++i) tensor.data()[i] = i;
  tensor.dim_order = {1, 0};
  tensor.value.dim_order = tensor.dim_order;
  ASSERT_TRUE(write_npy_file(dir / "x.npy", tensor.value).ok());
  const std::string file = read_file(dir / "x.npy");
  EXPECT_EQ(file.substr(file.size() - 6), std::string("\0\2\4\1\3\5", 6));
  EXPECT_EQ(write_npy_file(dir / "no/x.npy", tensor.value).code(), Error::AccessFailed);
}

}  // namespace
}  // namespace et::bundled
