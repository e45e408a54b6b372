// A profile in pprof's format (github.com/google/pprof, proto/profile.proto): the stacks of stack_profile.h with three
// values each.
#include <unordered_map>

#include "base/gzip.h"
#include "inspector/analysis/ops/stack_profile.h"
#include "inspector/report/export_proto.h"
#include "inspector/report/export_text.h"
#include "inspector/report/exporters.h"

namespace et::inspector {
namespace {

// Field numbers of pprof's messages.
namespace profile {
constexpr int kSampleType = 1, kSample = 2, kMapping = 3, kLocation = 4, kFunction = 5, kStringTable = 6,
              kDurationNanos = 10, kComment = 13, kDefaultSampleType = 14;
}
namespace sample {
constexpr int kLocationId = 1, kValue = 2, kLabel = 3;
constexpr int kKey = 1, kText = 2;
}  // namespace sample
namespace mapping {
constexpr int kId = 1, kFile = 5, kHasFunctions = 7, kHasFiles = 8, kHasLines = 9;
}
namespace location {
constexpr int kId = 1, kMapping = 2, kLine = 4;
constexpr int kFunctionId = 1, kNumber = 2;
}  // namespace location
namespace function {
constexpr int kId = 1, kName = 2, kFile = 4;
}

constexpr int kType = 1, kUnit = 2;  // of a ValueType

/// "modeling_bert" of ".../modeling_bert.py".
std::string stem(const std::string& file) {
  const std::string name = file.substr(file.find_last_of("/\\") + 1);
  return name.substr(0, name.rfind(".py"));
}

class PprofWriter {
 public:
  explicit PprofWriter(const StackProfile& from) : from_(from) { text_of(""); }  // the first text has to be empty

  std::string write() {
    value_type("samples", "count");
    const std::string unit = from_.unit == "ns" ? "nanoseconds" : from_.unit;
    value_type("time", unit);
    value_type("warm_median", unit);
    for (const ProfileStack& s : from_.stacks) add(s);
    add_mapping();
    for (size_t i = 0; i < from_.frames.size(); ++i) add_frame(i);
    int64_t total = 0;
    for (const ProfileStack& s : from_.stacks) total += s.total;
    if (from_.unit == "ns") out_.varint(profile::kDurationNanos, static_cast<uint64_t>(total));
    out_.varint(profile::kComment,
                text_of("time: sum of all executions; warm_median: of one execution; " + from_.lines));
    out_.varint(profile::kDefaultSampleType, text_of("warm_median"));
    for (const std::string& text : texts_) out_.bytes(profile::kStringTable, text);
    return out_.text();
  }

 private:
  uint64_t text_of(const std::string& text) {
    const auto [at, fresh] = text_ids_.emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return at->second;
  }

  void value_type(const std::string& type, const std::string& unit) {
    ProtoWriter m;
    m.varint(kType, text_of(type));
    m.varint(kUnit, text_of(unit));
    out_.message(profile::kSampleType, m);
  }

  void add(const ProfileStack& s) {
    ProtoWriter m;
    for (size_t i = s.frames.size(); i-- > 0;) m.varint(sample::kLocationId, static_cast<uint64_t>(s.frames[i]) + 1);
    for (const int64_t v : {s.samples, s.total, s.warm}) m.varint(sample::kValue, static_cast<uint64_t>(v));
    add_label("backend", s.backend, &m);
    add_label("module", s.module, &m);
    out_.message(profile::kSample, m);
  }

  void add_label(const std::string& key, const std::string& text, ProtoWriter* to) {
    if (text.empty()) return;
    ProtoWriter m;
    m.varint(sample::kKey, text_of(key));
    m.varint(sample::kText, text_of(text));
    to->message(sample::kLabel, m);
  }

  // Says that nothing is left to be symbolized.
  void add_mapping() {
    ProtoWriter m;
    m.varint(mapping::kId, 1);
    m.varint(mapping::kFile, text_of(from_.title));
    for (const int has : {mapping::kHasFunctions, mapping::kHasFiles, mapping::kHasLines}) m.varint(has, 1);
    out_.message(profile::kMapping, m);
  }

  // A location a frame; a function is a name in a file.
  void add_frame(size_t i) {
    const ProfileFrame& f = from_.frames[i];
    const auto [at, fresh] = function_ids_.emplace(f.name + "\n" + f.file, function_ids_.size() + 1);
    if (fresh) {
      ProtoWriter m;
      m.varint(function::kId, at->second);
      // Functions are told apart by names; a model has many a "forward".
      m.varint(function::kName, text_of(f.file.empty() ? f.name : stem(f.file) + "." + f.name));
      m.varint(function::kFile, text_of(f.file));
      out_.message(profile::kFunction, m);
    }
    ProtoWriter line;
    line.varint(location::kFunctionId, at->second);
    line.varint(location::kNumber, static_cast<uint64_t>(f.line));
    ProtoWriter m;
    m.varint(location::kId, i + 1);
    m.varint(location::kMapping, 1);
    m.message(location::kLine, line);
    out_.message(profile::kLocation, m);
  }

  const StackProfile& from_;
  ProtoWriter out_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint64_t> text_ids_, function_ids_;
};

}  // namespace

Status export_pprof(const Store& store, int64_t trace_id, const ExportOptions& options, std::ostream& out) {
  StackProfile profile;
  const StackKind kind = options.stacks == "ops" ? StackKind::Ops : StackKind::Python;
  if (Status s = stack_profile(store, trace_id, kind, options.source_maps, &profile); !s.ok()) return s;
  ExportSink sink(out);
  sink.buffer = gzip(PprofWriter(profile).write());
  return sink.finish();
}

}  // namespace et::inspector
