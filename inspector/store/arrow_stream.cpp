// Arrays point into the table and keep it alive.
#include "inspector/store/arrow_stream.h"

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace et::inspector {
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

void fill_column(const std::shared_ptr<const TableData>& data, const DataColumn& column, ArrowArray* out) {
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
  std::shared_ptr<const TableData> first;
  NextBatch next;
  bool begun = false;
  std::string error;
};

StreamState& state_of(ArrowArrayStream* stream) { return *static_cast<StreamState*>(stream->private_data); }

int next_batch(ArrowArrayStream* stream, ArrowArray* out) {
  StreamState& state = state_of(stream);
  std::shared_ptr<const TableData> batch;
  if (!state.begun) {
    batch = state.first;
  } else if (state.next) {
    const Status status = state.next(&batch);
    if (!status.ok()) {
      state.error = status.message();
      return EIO;
    }
  }
  state.begun = true;
  if (batch == nullptr) {
    *out = {};
  } else {
    fill_batch(batch, out);
  }
  return 0;
}

}  // namespace

void open_arrow_stream(std::shared_ptr<const TableData> data, ArrowArrayStream* out) {
  open_arrow_stream(std::move(data), nullptr, out);
}

void open_arrow_stream(std::shared_ptr<const TableData> first, NextBatch next, ArrowArrayStream* out) {
  *out = {.get_schema =
              [](ArrowArrayStream* s, ArrowSchema* schema) {
                fill_schema(state_of(s).first, schema);
                return 0;
              },
          .get_next = next_batch,
          .get_last_error = [](ArrowArrayStream* s) -> const char* {
            const StreamState& state = state_of(s);
            return state.error.empty() ? nullptr : state.error.c_str();
          },
          .release =
              [](ArrowArrayStream* s) {
                delete &state_of(s);
                s->release = nullptr;
              },
          .private_data = new StreamState{std::move(first), std::move(next), false, {}}};
}

}  // namespace et::inspector
