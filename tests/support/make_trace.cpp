// et_make_trace: writes synthetic traces for benchmarks and for trying damaged input.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include "tests/support/etdump_builder.h"

namespace {

struct Damage {
  uint64_t cut_to = 0;  // bytes; 0: whole
  unsigned flips = 0;
  unsigned seed = 1;
};

void damage(const std::string& path, const Damage& d) {
  if (d.cut_to != 0) std::filesystem::resize_file(path, d.cut_to);
  if (d.flips == 0) return;
  const uint64_t size = std::filesystem::file_size(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::mt19937_64 random(d.seed);
  for (unsigned i = 0; i < d.flips; ++i) {
    // Behind the identifier: a file without it is not read at all.
    const auto at = static_cast<std::streamoff>(12 + random() % (size - 12));
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ (1 << (random() % 8))));
  }
  if (!file.good()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a synthetic ETDump. Deterministic: the same options give the same bytes.");
  et::test::BigTrace shape;
  Damage wanted;
  std::string path, repeat_of;
  int64_t repeat_run = -1;
  bool plain = false;
  app.add_option("out", path, "file to write")->required();
  app.add_option("--executions", shape.executions, "Execute blocks")->capture_default_str();
  app.add_option("--ops", shape.operators, "operators in an execution (2 events each)")->capture_default_str();
  app.add_option("--delegates", shape.delegates, "delegate calls in an execution")->capture_default_str();
  app.add_option("--delegate-ops", shape.delegate_operators, "events inside a delegate call")->capture_default_str();
  app.add_option("--repeat-of", repeat_of, "repeat a run of this dump --executions times instead");
  app.add_option("--repeat-run", repeat_run, "number of that run; default: the first with Method::execute");
  app.add_flag("--trailer", shape.trailer, "append our trailer");
  app.add_flag("--no-prefix", plain, "without the size prefix");
  app.add_option("--cut", wanted.cut_to, "cut the file to so many bytes");
  app.add_option("--flips", wanted.flips, "flip so many bits at random places behind the identifier");
  app.add_option("--seed", wanted.seed, "where the bits are flipped")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  shape.size_prefixed = !plain;
  uint64_t events = shape.events();
  try {
    if (repeat_of.empty()) {
      et::test::make_big_trace(path, shape);
    } else {
      events = et::test::make_repeated_trace(path, repeat_of, shape.executions, repeat_run);
    }
    damage(path, wanted);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "et_make_trace: %s\n", e.what());
    return 2;
  }
  std::printf("%s: %llu events, %llu bytes\n", path.c_str(), static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(std::filesystem::file_size(path)));
  return 0;
}
