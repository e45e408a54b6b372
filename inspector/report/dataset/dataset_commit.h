// A data set grows by commits. Files are written aside, in _staging; a commit lists them and the traces that are in
// them, in a file of _commits that appears at once, and then they are moved. What stops in between is completed by the
// next one: a trace is in the data set with all its files or not at all, and never twice.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/status.h"

namespace et::inspector {

/// One writer at a time: others wait. Gone with the object, or with the process.
class DatasetLock {
 public:
  DatasetLock() = default;
  ~DatasetLock();
  DatasetLock(const DatasetLock&) = delete;
  DatasetLock& operator=(const DatasetLock&) = delete;
  /// Makes the data set's folders where they are missing. Errors: AccessFailed.
  Status take(const std::string& folder);

 private:
  int file_ = -1;
};

/// A folder for files of a commit to come, in the data set. Errors: AccessFailed.
Status make_staging(const std::string& folder, std::string* out);

/// Completes commits that were cut off, and says what the data set has. Under the lock.
/// Errors: AccessFailed, InvalidExternalData for a commit that is none.
Status open_dataset(const std::string& folder, std::set<std::string>* hashes);

/// Adds what lies in the staging folders, all or nothing. Under the lock. Errors: AccessFailed.
Status commit_dataset(const std::string& folder, const std::vector<std::string>& staging,
                      const std::set<std::string>& hashes);

}  // namespace et::inspector
