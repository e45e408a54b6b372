// The Arrow C data interface: tables as streams of batches, for what takes Arrow: pyarrow, the Parquet writer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "inspector/store/table_data.h"

// The structures are those of Arrow's specification; their layout is the interface.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace et::inspector {

/// The next batch of a stream, nullptr behind the last one. All have the columns of the first.
using NextBatch = std::function<Status(std::shared_ptr<const TableData>*)>;

/// A stream of one batch, which it keeps alive; the consumer releases it.
void open_arrow_stream(std::shared_ptr<const TableData> data, ArrowArrayStream* out);
/// A stream of many: `first` tells the columns.
void open_arrow_stream(std::shared_ptr<const TableData> first, NextBatch next, ArrowArrayStream* out);

}  // namespace et::inspector
