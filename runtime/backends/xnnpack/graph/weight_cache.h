// Packed weights of the process by their constants: methods and programs that use the same weights in the same way
// share one copy. An entry lives as long as somebody uses it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace et::xnn {

class WeightCache {
 public:
  /// The cache of the process.
  static WeightCache& shared();

  /// What `make` returns, or what it returned for an equal key (of the same type T) and is still in use. Not found, and
  /// not kept, with an empty key. Null: `make` returned null.
  template <class T, class Make>
  std::shared_ptr<const T> get(const std::string& key, const Make& make) {
    if (key.empty()) return make();
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<const void>& place = entries_[key];
    if (std::shared_ptr<const void> there = place.lock()) {
      ++hits_;
      return std::static_pointer_cast<const T>(there);
    }
    std::shared_ptr<const T> made = make();
    place = made;
    drop_unused();
    return made;
  }
  uint64_t hits() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return hits_;
  }

 private:
  void drop_unused();

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const void>> entries_;
  size_t sweep_at_ = 256;
  uint64_t hits_ = 0;
};

}  // namespace et::xnn
