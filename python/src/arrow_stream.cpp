// The Arrow C data interface: a table as a stream of one batch. The arrays point into the table and keep it alive.
#include <array>
#include <cerrno>
#include <vector>

#include "python/src/table_object.h"

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

namespace et::python {
namespace {

constexpr int64_t kNullable = 2;

const char* format_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::Integer:
      return "l";
    case ColumnKind::Real:
      return "g";
    case ColumnKind::Text:
      return "U";
    case ColumnKind::Blob:
      return "Z";
    case ColumnKind::Null:
      break;
  }
  return "n";
}

/// Children of a structure that were not moved out are released with it.
template <class T>
struct Owned {
  std::shared_ptr<const TableData> data;
  std::vector<T> children;
  std::vector<T*> pointers;
  std::array<const void*, 3> buffers = {};
  std::string name;
};

template <class T>
void release(T* item) {
  auto* owned = static_cast<Owned<T>*>(item->private_data);
  for (T* child : owned->pointers) {
    if (child->release != nullptr) child->release(child);
  }
  delete owned;
  item->release = nullptr;
}

template <class T>
Owned<T>* own(T* item, const std::shared_ptr<const TableData>& data) {
  auto* owned = new Owned<T>();
  owned->data = data;
  *item = {};
  item->private_data = owned;
  item->release = release<T>;
  return owned;
}

template <class T>
void add_children(T* item, Owned<T>* owned, size_t count) {
  owned->children.resize(count);
  for (T& child : owned->children) owned->pointers.push_back(&child);
  item->n_children = static_cast<int64_t>(count);
  item->children = owned->pointers.data();
}

void fill_schema(const std::shared_ptr<const TableData>& data, ArrowSchema* out) {
  auto* owned = own(out, data);
  out->format = "+s";
  out->name = "";
  add_children(out, owned, data->columns.size());
  for (size_t i = 0; i < data->columns.size(); ++i) {
    ArrowSchema* child = owned->pointers[i];
    auto* names = own(child, data);
    names->name = data->columns[i].name();
    child->format = format_of(data->columns[i].kind());
    child->name = names->name.c_str();
    child->flags = kNullable;
  }
}

void fill_column(const std::shared_ptr<const TableData>& data, const Column& column, ArrowArray* out) {
  auto* owned = own(out, data);
  out->length = static_cast<int64_t>(column.size());
  out->null_count = static_cast<int64_t>(column.nulls());
  owned->buffers[0] = column.nulls() > 0 ? column.valid().data() : nullptr;
  switch (column.kind()) {
    case ColumnKind::Null:
      return;
    case ColumnKind::Integer:
      owned->buffers[1] = column.integers().data();
      out->n_buffers = 2;
      break;
    case ColumnKind::Real:
      owned->buffers[1] = column.reals().data();
      out->n_buffers = 2;
      break;
    case ColumnKind::Text:
    case ColumnKind::Blob:
      owned->buffers[1] = column.offsets().data();
      owned->buffers[2] = column.bytes().data();
      out->n_buffers = 3;
      break;
  }
  out->buffers = owned->buffers.data();
}

void fill_batch(const std::shared_ptr<const TableData>& data, ArrowArray* out) {
  auto* owned = own(out, data);
  out->length = static_cast<int64_t>(data->rows);
  out->n_buffers = 1;  // no row is null
  out->buffers = owned->buffers.data();
  add_children(out, owned, data->columns.size());
  for (size_t i = 0; i < data->columns.size(); ++i) fill_column(data, data->columns[i], owned->pointers[i]);
}

struct StreamState {
  std::shared_ptr<const TableData> data;
  bool done = false;
};

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamState*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

nb::capsule arrow_stream(std::shared_ptr<const TableData> data) {
  auto* stream = new ArrowArrayStream{.get_schema =
                                          [](ArrowArrayStream* s, ArrowSchema* out) {
                                            fill_schema(static_cast<StreamState*>(s->private_data)->data, out);
                                            return 0;
                                          },
                                      .get_next =
                                          [](ArrowArrayStream* s, ArrowArray* out) {
                                            auto* state = static_cast<StreamState*>(s->private_data);
                                            if (state->done) {
                                              *out = {};
                                            } else {
                                              fill_batch(state->data, out);
                                            }
                                            state->done = true;
                                            return 0;
                                          },
                                      .get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; },
                                      .release = release_stream,
                                      .private_data = new StreamState{std::move(data)}};
  return nb::capsule(stream, "arrow_array_stream", [](void* p) noexcept {
    auto* s = static_cast<ArrowArrayStream*>(p);
    if (s->release != nullptr) s->release(s);
    delete s;
  });
}

}  // namespace et::python
