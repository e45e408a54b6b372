// Counts the instructions that a program executed under QEMU, from QEMU's own log on the standard input:
//   qemu-aarch64-static -d in_asm,exec,nochain -D /dev/stdout PROGRAM | et_qemu_count [--top N]
// QEMU lists the instructions of each translated block once (in_asm) and names the block each time it runs (exec);
// nochain makes it come back for that after every block. Prints "instructions N", and the functions with most of them
// where the program has symbols.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

struct Block {
  uint64_t instructions = 0, runs = 0;
  std::string function;
};

uint64_t hex(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

class Counter {
 public:
  void line(std::string_view text) {
    if (text.starts_with("Trace ")) {
      run(text);
    } else if (text.starts_with("IN:")) {
      translating_ = nullptr;
      in_block_ = true;
    } else if (in_block_ && text.starts_with("0x")) {
      if (translating_ == nullptr) {
        translating_ = &blocks_[hex(text.substr(2))];
        translating_->instructions = 0;
      }
      ++translating_->instructions;
    } else if (text.empty() || text.starts_with("---")) {
      in_block_ = false;
    }
  }
  /// False: nothing was counted, or a block ran that was not listed.
  bool print(size_t top) const {
    uint64_t total = 0;
    std::unordered_map<std::string, uint64_t> by_function;
    for (const auto& [pc, block] : blocks_) {
      total += block.instructions * block.runs;
      by_function[block.function] += block.instructions * block.runs;
      if (block.runs > 0 && block.instructions == 0) {
        std::fprintf(stderr, "qemu_count: the block at 0x%llx ran but is not in the log\n",
                     static_cast<unsigned long long>(pc));
        return false;
      }
    }
    std::printf("instructions %llu\n", static_cast<unsigned long long>(total));
    std::vector<std::pair<uint64_t, std::string>> rows;
    for (const auto& [name, count] : by_function) rows.emplace_back(count, name);
    std::sort(rows.rbegin(), rows.rend());
    if (rows.size() > top) rows.resize(top);
    for (const auto& [count, name] : rows) {
      std::printf("%14llu %s\n", static_cast<unsigned long long>(count), name.empty() ? "?" : name.c_str());
    }
    if (total == 0) std::fprintf(stderr, "qemu_count: expected a log of QEMU's in_asm and exec, got none\n");
    return total != 0;
  }

 private:
  // Trace 0: 0x7f0000000100 [0000000000000000/0000000000400580/00000000/00000000] main
  void run(std::string_view text) {
    const size_t open = text.find('['), slash = text.find('/', open + 1), end = text.find('/', slash + 1);
    if (open == text.npos || slash == text.npos || end == text.npos) return;
    Block& block = blocks_[hex(text.substr(slash + 1, end - slash - 1))];
    if (block.runs++ > 0) return;
    const size_t close = text.find(']', end);
    if (close != text.npos && close + 2 < text.size()) block.function = text.substr(close + 2);
  }

  std::unordered_map<uint64_t, Block> blocks_;
  Block* translating_ = nullptr;
  bool in_block_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  size_t top = 0;
  if (argc == 3 && std::strcmp(argv[1], "--top") == 0) {
    top = std::strtoul(argv[2], nullptr, 10);
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: qemu -d in_asm,exec,nochain -D /dev/stdout PROGRAM | %s [--top N]\n", argv[0]);
    return 2;
  }
  Counter counter;
  std::vector<char> bytes(1 << 20);
  size_t kept = 0;
  while (const size_t got = std::fread(bytes.data() + kept, 1, bytes.size() - kept, stdin)) {
    const std::string_view text(bytes.data(), kept + got);
    size_t at = 0;
    for (size_t end = text.find('\n'); end != text.npos; at = end + 1, end = text.find('\n', at)) {
      counter.line(text.substr(at, end - at));
    }
    kept = text.size() - at;
    if (kept == bytes.size()) kept = 0;  // no log has such lines
    std::memmove(bytes.data(), bytes.data() + at, kept);
  }
  return counter.print(top) ? 0 : 1;
}
