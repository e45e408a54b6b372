// Samples of a long trace while it is read: in a file without a name, so that memory stays bounded and the store's rows
// are written once, in their order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/sample_rows.h"

namespace et::inspector {

class SampleSpill {
 public:
  /// The file is made in `folder` when it is first needed.
  explicit SampleSpill(std::string folder) : folder_(std::move(folder)) {}
  ~SampleSpill();
  SampleSpill(const SampleSpill&) = delete;
  SampleSpill& operator=(const SampleSpill&) = delete;

  /// Number of samples added so far: where the next ones will be found.
  uint64_t size() const { return size_; }
  /// Errors: AccessFailed, "<folder>: ...".
  Status add(std::span<const Sample> samples);
  /// All of what was added is in the file. Before the first read().
  Status end_block();
  /// `out.size()` samples from the `at`th on. Several threads may read.
  Status read(uint64_t at, std::span<Sample> out) const;

 private:
  Status failed(const char* what) const;

  std::string folder_;
  int file_ = -1;
  uint64_t size_ = 0;
  std::vector<Sample> block_;  // not written yet
};

}  // namespace et::inspector
