// Recorded measurements, "et-baseline/1": a JSON file that a CI keeps and later runs are compared with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bundled_program/perf/clock.h"
#include "bundled_program/perf/host.h"

namespace et::perf {

/// One round of fresh instances, of blocks in which the machine was undisturbed only. Nanoseconds.
struct BaselineRound {
  double ns = 0;      // of one execution: geometric mean of the instances' medians
  double memory = 0;  // of the fixed walk through memory, see Machine
};

struct BaselineEntry {
  // What was measured. A later run finds it by file, method and case; the program may have changed since.
  std::string file;     // as given on the command line
  std::string program;  // SHA-256 of the program, hex
  std::string method;
  size_t test_case = 0;

  std::string recorded;  // UTC, "2026-11-22T03:50:00Z"
  HostPrint host;
  Clock clock = Clock::Cpu;
  double median_ns = 0;    // of one execution, over all rounds
  size_t samples = 0;      // timed batches, all of them
  uint64_t batch = 0;      // executions of one
  double undisturbed = 0;  // share of the blocks in which nobody else seemed to use the core
  double compute_ns = 0;   // the fixed loop of arithmetic, undisturbed, see Machine
  std::vector<BaselineRound> rounds;
};

struct Baseline {
  std::vector<BaselineEntry> entries;

  /// By the path as it was given; else the only one whose path ends in the same names (recorded in another folder, or
  /// by a relative path). Null: there is none.
  const BaselineEntry* find(std::string_view file, std::string_view method, size_t test_case) const;
  /// Replaces the entry of the same file, method and case, or appends.
  void put(BaselineEntry entry);
};

/// Errors: AccessFailed; InvalidExternalData with the file and the place of what is wrong. Members that are not known
/// are passed over; limits: 64 MB, 10,000 entries, 100,000 rounds an entry.
Status read_baseline(const std::string& path, Baseline* out);
/// The same from a text; `name` stands in messages.
Status parse_baseline(std::string_view text, const std::string& name, Baseline* out);
std::string baseline_json(const Baseline& baseline);
/// Through a file beside it that is renamed, so that a crash leaves the old one.
Status write_baseline(const std::string& path, const Baseline& baseline);

}  // namespace et::perf
