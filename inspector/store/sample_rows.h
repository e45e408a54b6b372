// Samples become rows of raw_sample by one statement that reads them from memory: binding each value of each row costs
// more than SQLite's own work.
#pragma once

#include <cstdint>
#include <span>

#include "inspector/store/store.h"

namespace et::inspector {

struct Sample {
  int64_t run = 0;
  int64_t start = 0;
  int64_t duration = 0;
};

/// The store's connection is this thread's while it exists.
class SampleRows {
 public:
  explicit SampleRows(const Store& store);
  ~SampleRows();
  SampleRows(const SampleRows&) = delete;
  SampleRows& operator=(const SampleRows&) = delete;

  /// Rows id, id + 1, ... Fast when they are behind all others. False on an error of the store.
  bool append(int64_t id, std::span<const Sample> samples);

 private:
  bool append_one(int64_t id, const Sample& sample);

  const Store& store_;
  std::span<const Sample> source_;  // what the virtual table shows
  int64_t last_ = 0;                // greatest id of the table
  Statement one_, many_;
};

}  // namespace et::inspector
