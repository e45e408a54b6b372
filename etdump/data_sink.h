// Where the bytes of logged values go: the debug buffer of an ETDump. DataSinkBase is the interface; BufferDataSink
// keeps them in memory of the caller (file_data_sink.h: in a file).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "runtime/core/span.h"

namespace et::etdump {

class DataSinkBase {
 public:
  /// Writes the bytes [at, at + count) of a blob to `out`. Called in order, each byte once.
  using Fill = void (*)(void* context, size_t at, uint8_t* out, size_t count);
  /// Pieces asked of a Fill begin at multiples of this.
  static constexpr size_t kPiece = 512;

  virtual ~DataSinkBase() = default;
  /// Stores `length` bytes; returns where they begin. On an error nothing of them may be relied on.
  virtual Result<size_t> write(const void* data, size_t length) = 0;
  /// Stores a blob that is made while it is written. By default it is put together on the platform's heap first.
  virtual Result<size_t> write_made(size_t length, Fill fill, void* context);
  virtual size_t get_used_bytes() const = 0;
};

/// Blobs begin at multiples of `alignment` in memory, counted from address 0; what lies between them is zero.
class BufferDataSink : public DataSinkBase {
 public:
  BufferDataSink() = default;
  BufferDataSink(BufferDataSink&&) = default;
  BufferDataSink& operator=(BufferDataSink&&) = default;
  /// InvalidArgument: a null buffer with a size, or an alignment that is not a power of two.
  static Result<BufferDataSink> create(Span<uint8_t> buffer, size_t alignment = 64);
  static Result<BufferDataSink> create(void* data, size_t size, size_t alignment = 64) {
    return create(Span<uint8_t>(static_cast<uint8_t*>(data), size), alignment);
  }

  /// OutOfResources: it does not fit; the buffer stays as it was.
  Result<size_t> write(const void* data, size_t length) override;
  Result<size_t> write_made(size_t length, Fill fill, void* context) override;
  Result<size_t> get_storage_size() const { return buffer_.size(); }
  size_t get_used_bytes() const override { return used_; }

 private:
  BufferDataSink(Span<uint8_t> buffer, size_t alignment) : buffer_(buffer), alignment_(alignment) {}
  Result<size_t> reserve(size_t length);

  Span<uint8_t> buffer_;
  size_t used_ = 0;
  size_t alignment_ = 64;
};

}  // namespace et::etdump
