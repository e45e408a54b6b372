// Maps a file read-only: nothing is copied, and only what is touched takes memory. POSIX.
#pragma once

#include "runtime/loader/data_loader.h"

namespace et {

class MmapDataLoader final : public DataLoader {
 public:
  enum class MlockConfig : uint8_t {
    NoMlock,
    UseMlock,              // keep in memory; NotSupported when the system refuses
    UseMlockIgnoreErrors,  // keep in memory if the system lets us
    UseMadvise,            // read ahead: all of it will be needed, in order
  };

  /// AccessFailed: the file cannot be opened or mapped; NotSupported: it cannot be locked.
  static Result<MmapDataLoader> from(const char* path, MlockConfig config = MlockConfig::NoMlock);
  /// Kept for source compatibility.
  static Result<MmapDataLoader> From(const char* path, MlockConfig config = MlockConfig::UseMlock) {
    return from(path, config);
  }
  static Result<MmapDataLoader> From(const char* path, bool lock) {
    return from(path, lock ? MlockConfig::UseMlock : MlockConfig::NoMlock);
  }
  MmapDataLoader(MmapDataLoader&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  MmapDataLoader& operator=(MmapDataLoader&&) = delete;
  MmapDataLoader(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(const MmapDataLoader&) = delete;
  ~MmapDataLoader() override;

  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo& info) const override;
  Error load_into(size_t offset, size_t size, const SegmentInfo& info, void* buffer) const override;
  /// InvalidState: the loader was moved from.
  Result<size_t> size() const override {
    if (data_ == nullptr) return Error::InvalidState;
    return size_;
  }
  void release(const void* data, size_t size) const override;

 private:
  MmapDataLoader(void* data, size_t size) : data_(data), size_(size) {}
  void* data_;
  size_t size_;
};

}  // namespace et
