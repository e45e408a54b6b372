// Memory around weights: what packed ones are kept in, and what a mapped program gives back when they are packed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/backends/xnnpack/compute/memory.h"
#include "runtime/loader/mmap_data_loader.h"

namespace et::xnn::testing {
namespace {

struct Block {
  uint8_t* data;
  size_t bytes;
  uint8_t mark;
};

void fill_and_check(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Block> blocks;
  const auto drop = [&](size_t i) {
    for (const size_t at : {size_t{0}, blocks[i].bytes / 2, blocks[i].bytes - 1}) {
      ASSERT_EQ(blocks[i].data[at], blocks[i].mark) << "another block wrote here";
    }
    free_zeroed(blocks[i].data, blocks[i].bytes);
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
  };
  for (int i = 0; i < 60; ++i) {
    // From a few bytes to more than a slab shares.
    const size_t bytes = 1 + random() % (size_t{1} << (6 + random() % 20));
    auto* data = static_cast<uint8_t*>(allocate_zeroed(bytes));
    ASSERT_NE(data, nullptr);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    for (size_t at = 0; at < bytes; at += 1 + bytes / 97) ASSERT_EQ(data[at], 0);
    const auto mark = static_cast<uint8_t>(1 + i);
    std::memset(data, mark, bytes);
    blocks.push_back({data, bytes, mark});
    if (blocks.size() > 6) drop(random() % blocks.size());
  }
  while (!blocks.empty()) drop(blocks.size() - 1);
}

TEST(PackedMemory, IsZeroAlignedAndNobodyElses) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 3; ++i) threads.emplace_back(fill_and_check, i);
  for (std::thread& t : threads) t.join();
}

/// Resident pages of the process that belong to files, in bytes.
size_t mapped_from_files() {
  std::ifstream statm("/proc/self/statm");
  size_t all = 0, resident = 0, shared = 0;
  statm >> all >> resident >> shared;
  return shared * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(MappedProgram, LetsGoOfWhatIsReleasedAndReadsItAgain) {
  const std::string path = ::testing::TempDir() + "/released.bin";
  constexpr size_t kBytes = size_t{16} << 20;
  std::vector<uint8_t> bytes(kBytes);
  for (size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<uint8_t>(i * 131 >> 8);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(kBytes));
  auto loader = MmapDataLoader::from(path.c_str());
  ASSERT_TRUE(loader.ok());
  auto all = loader->load(0, kBytes, {});
  ASSERT_TRUE(all.ok());
  const auto same = [&] { return std::memcmp(all->data(), bytes.data(), kBytes) == 0; };
  const size_t before = mapped_from_files();
  ASSERT_TRUE(same());
  const size_t read = mapped_from_files();
  ASSERT_GT(read, before + kBytes / 2) << "reading maps pages";
  {
    // From the middle of a page to the middle of another one.
    const FreeableBuffer part =
        DataLoader::part(&*loader, static_cast<const uint8_t*>(all->data()) + 100, kBytes - 5000);
  }
  EXPECT_LT(mapped_from_files(), before + kBytes / 8);
  EXPECT_TRUE(same());
  loader->release(bytes.data(), kBytes);  // not of the file
  EXPECT_EQ(bytes[1000], static_cast<uint8_t>(1000 * 131 >> 8));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace et::xnn::testing
