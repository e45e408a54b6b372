// The worked example of docs/exports.md, as it stands there.
#include "inspector/report/export_text.h"

namespace et::inspector {

Status export_names(const Store& store, int64_t trace_id, const ExportOptions&, std::ostream& out) {
  Timeline timeline;
  if (Status s = Timeline::load(store, trace_id, &timeline); !s.ok()) return s;
  ExportSink sink(out);
  for (const TimelineOp& op : timeline.ops()) {
    sink.buffer += frame_label(op) + "\n";
    sink.flush_if_large();
  }
  return sink.finish();
}

}  // namespace et::inspector
