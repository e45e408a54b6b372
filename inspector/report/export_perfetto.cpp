// Perfetto's native format: a stream of TracePackets (perfetto/trace/trace.proto) with one track a lane and a begin and
// an end event a sample. Names and annotations are interned: a text stands in the file once.
#include "inspector/report/export_proto.h"
#include "inspector/report/export_text.h"
#include "inspector/report/exporters.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace et::inspector {
namespace {

// Field numbers of Perfetto's messages.
namespace trace {
constexpr int kPacket = 1;
}
namespace packet {
constexpr int kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
              kTrackDescriptor = 60, kFirstPacketOnSequence = 87;
constexpr uint64_t kIncrementalStateCleared = 1, kNeedsIncrementalState = 2;
}  // namespace packet
namespace track {
constexpr int kUuid = 1, kProcess = 3, kThread = 4, kParentUuid = 5;
constexpr int kPid = 1, kTid = 2, kThreadName = 5, kProcessName = 6;
}  // namespace track
namespace event {
constexpr int kCategoryIids = 3, kAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11, kSourceLocationIid = 34;
constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2;
}  // namespace event
namespace interned {
constexpr int kCategories = 1, kNames = 2, kAnnotationNames = 3, kSourceLocations = 4, kStrings = 29;
constexpr int kIid = 1, kText = 2;
constexpr int kFile = 2, kFunction = 3, kLine = 4;
}  // namespace interned
namespace annotation {
constexpr int kNameIid = 1, kInt = 4, kStringIid = 17;
}

// Any number but 0 does: there is one writer.
constexpr uint64_t kSequence = 1;

/// Numbers of texts; new ones are added to the interned data of the next packet.
class Interner {
 public:
  Interner(int field, ProtoWriter* data) : field_(field), data_(data) {}
  uint64_t operator()(const std::string& text) {
    const auto [at, fresh] = ids_.emplace(text, ids_.size() + 1);
    if (fresh) {
      ProtoWriter m;
      m.varint(interned::kIid, at->second);
      m.bytes(interned::kText, text);
      data_->message(field_, m);
    }
    return at->second;
  }

 private:
  int field_;
  ProtoWriter* data_;
  std::unordered_map<std::string, uint64_t> ids_;
};

class PerfettoWriter {
 public:
  PerfettoWriter(const Timeline& timeline, const ExportOptions& options, ExportSink& sink)
      : t_(timeline), options_(options), sink_(sink), op_events_(timeline.ops().size()) {}

  void descriptors() {
    for (size_t i = 0; i < t_.tracks().size(); ++i) {
      const TimelineTrack& k = t_.tracks()[i];
      ProtoWriter process, d;
      process.varint(track::kPid, static_cast<uint64_t>(pid(static_cast<int32_t>(i))));
      std::string name = trace_title(t_);
      if (i == 0 && t_.unit() != "ns") name += " (" + t_.unit() + ", drawn as ns)";
      if (i != 0)
        name = (k.backend.empty() ? "delegate" : k.backend) + " on its own clock (" + k.clock + ", drawn as ns)";
      process.bytes(track::kProcessName, name);
      d.varint(track::kUuid, process_uuid(static_cast<int32_t>(i)));
      d.message(track::kProcess, process);
      descriptor(d);
    }
  }

  Status run(const TimelineRun& run, std::span<const Slice> slices) {
    for_begin_end(
        slices, [&](const Slice& s) { begin(run, s); }, [&](const Slice& s) { end(s); });
    sink_.flush_if_large();
    return sink_.status();
  }

 private:
  struct OpEvent {
    bool ready = false;
    ProtoWriter begin;  // the fields that all begin events of the op share
  };

  // uuids: processes are 1, 2, …; lanes are above 2^32.
  int32_t pid(int32_t track) const { return static_cast<int32_t>(t_.trace_id() % (1 << 20)) + (track << 20); }
  uint64_t process_uuid(int32_t track) const { return static_cast<uint64_t>(track) + 1; }
  uint64_t lane_uuid(const Slice& s) const { return (process_uuid(op(s).track) << 32) + static_cast<uint64_t>(s.lane); }
  const TimelineOp& op(const Slice& s) const { return t_.ops()[static_cast<size_t>(s.op)]; }

  void write_packet(ProtoWriter* p) {
    p->varint(packet::kSequenceId, kSequence);
    if (!new_texts_.empty()) {
      p->message(packet::kInternedData, new_texts_);
      new_texts_.clear();
    }
    uint64_t flags = packet::kNeedsIncrementalState;
    if (first_) {
      flags |= packet::kIncrementalStateCleared;
      p->varint(packet::kFirstPacketOnSequence, 1);
      first_ = false;
    }
    p->varint(packet::kSequenceFlags, flags);
    ProtoWriter whole;
    whole.message(trace::kPacket, *p);
    sink_.buffer += whole.text();
    sink_.flush_if_large();
  }

  void descriptor(const ProtoWriter& d) {
    ProtoWriter p;
    p.message(packet::kTrackDescriptor, d);
    write_packet(&p);
  }

  void lane_descriptor(const Slice& s) {
    const int32_t track_number = op(s).track;
    ProtoWriter thread, d;
    thread.varint(track::kPid, static_cast<uint64_t>(pid(track_number)));
    thread.varint(track::kTid, static_cast<uint64_t>(pid(track_number)) * 100 + static_cast<uint64_t>(s.lane) + 1);
    thread.bytes(track::kThreadName, s.lane == 0 ? "ops" : "overlapping " + std::to_string(s.lane));
    d.varint(track::kUuid, lane_uuid(s));
    d.varint(track::kParentUuid, process_uuid(track_number));
    d.message(track::kThread, thread);
    descriptor(d);
  }

  void annotate(ProtoWriter* e, const char* name, const std::string& text) {
    if (text.empty()) return;
    ProtoWriter a;
    a.varint(annotation::kNameIid, annotation_names_(name));
    a.varint(annotation::kStringIid, strings_(text));
    e->message(event::kAnnotations, a);
  }
  void annotate(ProtoWriter* e, const char* name, int64_t value) {
    ProtoWriter a;
    a.varint(annotation::kNameIid, annotation_names_(name));
    a.varint(annotation::kInt, static_cast<uint64_t>(value));
    e->message(event::kAnnotations, a);
  }

  uint64_t source_location(const TimelineOp& o) {
    const NodeFacts& n = *o.source;
    const int64_t line = n.line.value_or(0);
    const std::string file = mapped_path(n.file, options_.source_maps);
    const auto [at, fresh] =
        locations_.emplace(file + "\n" + n.function + "\n" + std::to_string(line), locations_.size() + 1);
    if (fresh) {
      ProtoWriter m;
      m.varint(interned::kIid, at->second);
      m.bytes(interned::kFile, file);
      if (!n.function.empty()) m.bytes(interned::kFunction, n.function);
      m.varint(interned::kLine, static_cast<uint64_t>(std::max<int64_t>(line, 0)));
      new_texts_.message(interned::kSourceLocations, m);
    }
    return at->second;
  }

  const ProtoWriter& shared_fields(int32_t index) {
    OpEvent& known = op_events_[static_cast<size_t>(index)];
    if (known.ready) return known.begin;
    known.ready = true;
    const TimelineOp& o = t_.ops()[static_cast<size_t>(index)];
    const OpBlock& block = *t_.blocks()[static_cast<size_t>(o.block)].entry;
    const OpEntry& op = *o.entry;
    ProtoWriter& e = known.begin;
    e.varint(event::kType, event::kSliceBegin);
    e.varint(event::kCategoryIids, categories_(op.kind));
    e.varint(event::kNameIid, names_(o.title));
    if (o.title != op.name) annotate(&e, "event", op.name);
    annotate(&e, "block", block.name);
    annotate(&e, "method", block.method.value_or(""));
    if (op.instruction_id) annotate(&e, "instruction", *op.instruction_id);
    annotate(&e, "op_types", types_json(op));
    annotate(&e, "source", source_text(o));
    annotate(&e, "module", module_text(o));
    annotate(&e, "backend", op.backend.text());
    annotate(&e, "delegate_debug_id", op.delegate_debug_id.text());
    annotate(&e, "role", op.role.text());
    annotate(&e, "debug_handles", handles_json(op));
    if (o.source != nullptr && !o.source->file.empty()) e.varint(event::kSourceLocationIid, source_location(o));
    return e;
  }

  void begin(const TimelineRun& run, const Slice& s) {
    const uint64_t uuid = lane_uuid(s);
    if (lanes_.emplace(uuid, true).second) lane_descriptor(s);
    ProtoWriter e = shared_fields(s.op);
    e.varint(event::kTrackUuid, uuid);
    annotate(&e, "execution", run.execution);
    if (run.is_cold) annotate(&e, "cold", 1);
    if (s.clamped > 0) annotate(&e, "clamped_ns", s.clamped);
    ProtoWriter p;
    p.varint(packet::kTimestamp, static_cast<uint64_t>(s.start));
    p.message(packet::kTrackEvent, e);
    write_packet(&p);
  }

  void end(const Slice& s) {
    ProtoWriter e, p;
    e.varint(event::kType, event::kSliceEnd);
    e.varint(event::kTrackUuid, lane_uuid(s));
    p.varint(packet::kTimestamp, static_cast<uint64_t>(s.end));
    p.message(packet::kTrackEvent, e);
    write_packet(&p);
  }

  const Timeline& t_;
  const ExportOptions& options_;
  ExportSink& sink_;
  bool first_ = true;
  ProtoWriter new_texts_;
  Interner categories_{interned::kCategories, &new_texts_};
  Interner names_{interned::kNames, &new_texts_};
  Interner annotation_names_{interned::kAnnotationNames, &new_texts_};
  Interner strings_{interned::kStrings, &new_texts_};
  std::unordered_map<std::string, uint64_t> locations_;
  std::unordered_map<uint64_t, bool> lanes_;
  std::vector<OpEvent> op_events_;
};

}  // namespace

Status export_perfetto(const Store& store, int64_t trace_id, const ExportOptions& options, std::ostream& out) {
  Timeline t;
  if (Status s = Timeline::load(store, trace_id, &t); !s.ok()) return s;
  ExportSink sink(out);
  PerfettoWriter writer(t, options, sink);
  writer.descriptors();
  const Status walked =
      t.walk(store, options.max_executions,
             [&](const TimelineRun& run, std::span<const Slice> slices) { return writer.run(run, slices); });
  if (!walked.ok()) return walked;
  return sink.finish();
}

}  // namespace et::inspector
