// Writes a zip file. Members are read when the file is closed, one after another, so that they need not be in memory
// together; the same members give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace et {

/// Where the bytes of a member come from.
class ZipSource {
 public:
  virtual ~ZipSource() = default;
  virtual uint64_t size() const = 0;
  virtual Status open() = 0;
  /// Fills `to` as far as there is more; returns how many bytes.
  virtual size_t read(std::span<uint8_t> to) = 0;
  virtual void close() = 0;
};

class ZipWriter {
 public:
  ZipWriter();
  ~ZipWriter();  // without close(), the file stays as it was
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Replaces `path` at close(). Errors: AccessFailed.
  Status create(const std::string& path);
  /// `bytes` and `source` must live until close().
  Status add(const std::string& name, std::span<const uint8_t> bytes, bool deflate);
  Status add(const std::string& name, ZipSource* source, bool deflate);
  /// Errors: the first one of a source's open(), AccessFailed.
  Status close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace et
