// A table as a stream of one batch, in a capsule of the Arrow PyCapsule interface.
#include "inspector/store/arrow_stream.h"

#include "python/src/table_object.h"

namespace et::python {

nb::capsule arrow_stream(std::shared_ptr<const TableData> data) {
  auto* stream = new ArrowArrayStream;
  inspector::open_arrow_stream(std::move(data), stream);
  return nb::capsule(stream, "arrow_array_stream", [](void* p) noexcept {
    auto* s = static_cast<ArrowArrayStream*>(p);
    if (s->release != nullptr) s->release(s);
    delete s;
  });
}

}  // namespace et::python
