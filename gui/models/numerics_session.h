// A comparison of logged tensors that the window holds: made in a job, read by later ones.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/jobs.h"
#include "inspector/analysis/gap/distribution.h"
#include "inspector/analysis/gap/gap_run.h"
#include "inspector/store/store.h"

namespace et::gui {

/// What is compared, as the user chose it.
struct NumericsRequest {
  enum class Against : uint8_t {
    Graph,  ///< that of the ETRecord
    Trace,  ///< another one of the store
    Files,  ///< a store, an ETDump and what belongs to it, or recorded tensors
  };
  Against against = Against::Graph;
  inspector::GraphInputs inputs;
  bool look_beside = true;  ///< for inputs, where neither these nor the ETRecord say what the run was fed
  int64_t trace = 0;
  std::vector<std::string> files;
  std::optional<int64_t> execution;  ///< none: the last one that logged tensors
};

/// What the job is doing now.
class NumericsStage {
 public:
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  /// Since it was asked for.
  std::chrono::seconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
  }

 private:
  mutable std::mutex mutex_;
  std::string text_ = "Reading values";
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class NumericsSession {
 public:
  /// Errors: those of opening what is named and of the comparison; InvalidState (cancelled).
  static Status make(const std::string& store, int64_t trace_id, inspector::LineRule lines,
                     const NumericsRequest& request, const std::shared_ptr<NumericsStage>& stage, const Cancel& cancel,
                     std::shared_ptr<NumericsSession>* out);

  const inspector::GapRun& compared() const { return *run_; }
  /// What was wrong with the files of the reference.
  const std::vector<std::string>& notes() const { return notes_; }
  /// From any thread. Errors: as distributions_of().
  Status distributions(size_t row, size_t bins, inspector::Distributions* out) const;

 private:
  Status against(const NumericsRequest& request, inspector::LineRule lines, NumericsStage* stage, const Cancel& cancel);
  Status open_other(const std::vector<std::string>& files, inspector::LineRule lines, NumericsStage* stage,
                    const Cancel& cancel, int64_t* trace_id);

  inspector::Store store_, other_;
  std::optional<inspector::GapRun> run_;  // reads from the stores: gone before them
  std::vector<std::string> notes_;
  std::atomic<bool> measuring_{true};
  int64_t trace_id_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace et::gui
