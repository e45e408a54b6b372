// --output: a file appears whole or not at all.
#include "cli/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/scratch.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Output, AFileAppearsOnlyWhenItIsWhole) {
  const test::Scratch dir;
  Output out;
  ASSERT_TRUE(out.open(dir / "report").ok());
  out.stream() << std::string(1'000'000, 'x');
  EXPECT_FALSE(fs::exists(dir / "report"));
  ASSERT_TRUE(out.finish().ok());
  EXPECT_EQ(fs::file_size(dir / "report"), 1'000'000U);
  EXPECT_EQ(files_in(dir.path()), 1U);
}

TEST(Output, AFailureLeavesTheOldFileAndNoRubbish) {
  const test::Scratch dir;
  test::write_file(dir / "report", "old");
  {
    Output out;
    ASSERT_TRUE(out.open(dir / "report").ok());
    out.stream() << "half";
  }
  EXPECT_EQ(test::read_file(dir / "report"), "old");
  EXPECT_EQ(files_in(dir.path()), 1U);
}

TEST(Output, RightsAndLinksOfAnOldFileStay) {
  const test::Scratch dir;
  test::write_file(dir / "real", "old");
  ::chmod((dir / "real").c_str(), 0640);
  fs::create_symlink("real", dir / "link");
  Output out;
  ASSERT_TRUE(out.open(dir / "link").ok());
  out.stream() << "new";
  ASSERT_TRUE(out.finish().ok());
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(test::read_file(dir / "real"), "new");
  struct stat st = {};
  ASSERT_EQ(::stat((dir / "real").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0640U);
}

TEST(Output, PlacesThatCannotBeWrittenAreNamed) {
  const test::Scratch dir;
  Output folder, missing, full;
  EXPECT_NE(folder.open(dir.path().string()).message().find(dir.path().string()), std::string::npos);
  EXPECT_EQ(missing.open(dir / "no/such/file").code(), Error::AccessFailed);
  if (!fs::exists("/dev/full")) return;
  ASSERT_TRUE(full.open(std::string("/dev/full")).ok());
  full.stream() << "text";
  EXPECT_EQ(full.finish().code(), Error::AccessFailed) << "a full disk must not go unnoticed";
}

}  // namespace
}  // namespace et::cli
