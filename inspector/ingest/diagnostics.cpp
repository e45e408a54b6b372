#include "inspector/ingest/diagnostics.h"

#include <algorithm>

namespace et::inspector {
namespace {

using enum Severity;
constexpr DiagnosticKind kKinds[] = {
    {"alignment-ambiguous", Info,
     "Events of a delegate can be matched with its payload in more than one way; the links have a lower confidence."},
    {"allocation-events", Info,
     "The ETDump has allocation events; upstream's Inspector cannot load such an ETDump. They are in the view "
     "allocations."},
    {"debug-buffer-missing", Info,
     "The ETDump has logged tensors, but no debug buffer was given: their shapes are shown, not their values. Pass it "
     "with --debug-buffer."},
    {"debug-buffer-unused", Info, "A debug buffer was given, but the ETDump has no logged tensors."},
    {"debug-value-unreadable", DataLoss,
     "A logged tensor lies outside the debug buffer, or its type or sizes are invalid: the ETDump is damaged or the "
     "buffer belongs to another ETDump."},
    {"debug-values-not-kept", Info,
     "The logged tensors together are larger than what the store keeps; the rest have statistics but no data."},
    {"debug-values-not-read", DataLoss,
     "The ETDump refers to the same bytes of the debug buffer many times, which no writer does: it is damaged. Values "
     "past eight times the size of the buffer were not read."},
    {"delegate-clock-assumed", Info,
     "The backend of some delegate events is unknown; the only --delegate-clock was applied to them. Pass --etrecord "
     "or --pte to name the backend."},
    {"delegate-clock-foreign", Info,
     "Events of a delegate lie outside their DELEGATE_CALL, so they do not count on the trace's clock. They are shown "
     "on a separate track and excluded from totals. Say what they count with --delegate-clock "
     "Backend=cycles@1.2GHz."},
    {"delegate-clock-unused", Info, "A --delegate-clock names a backend that has no events in this trace."},
    {"delegate-payload-unreadable", Info,
     "The payload of a delegate could not be read; its events keep their names, but are not linked to payload nodes."},
    {"dump-damaged", DataLoss,
     "Parts of the ETDump cannot be read; everything intact was imported. Upstream's writer damages an ETDump that "
     "logs "
     "tensors of types it does not support (float16, bfloat16)."},
    {"dump-in-log", Info,
     "The file is the log of a serial console with an ETDump in base64, which was read out of it."},
    {"dump-truncated", DataLoss,
     "The ETDump is shorter than its header says: the copy was cut short, or the writer stopped. Everything intact was "
     "imported."},
    {"dump-version", Info, "The ETDump's version number is not 0: a newer writer, or a damaged file."},
    {"empty-dump", Info,
     "The ETDump has no events. The runtime was built without event tracing (EXECUTORCH_ENABLE_EVENT_TRACER), or "
     "nothing "
     "was executed."},
    {"execution-incomplete", Info,
     "An execution has no Method::execute event: it failed, or its end was cut off. Its events are counted in a "
     "separate "
     "block."},
    {"log-incomplete", DataLoss,
     "A serial log ends within the ETDump, or other output broke its base64 off. What stands before was read. Log to a "
     "file without line limits, and let nothing else print while the ETDump is written."},
    {"lost-events", DataLoss,
     "The runtime's event buffer was full and some events were dropped. Give it a larger buffer, or record fewer "
     "executions."},
    {"method-unknown", Info,
     "A block does not say which method it ran, and ETRecord and program allow several. ETDumps of our own runtime "
     "name "
     "the method."},
    {"no-dump", Info,
     "Only an ETRecord or a program was imported: the model's structure is known, times are not. Run it with event "
     "tracing enabled and pass the ETDump to see what it costs."},
    {"no-load-block", Info,
     "The ETDump has no load block: the runtime's events were fetched before. Which execution was the cold one is "
     "unknown."},
    {"payload-unmatched", Info,
     "Events of a delegate have no counterpart in its payload: a newer backend, or a program that is not the one that "
     "ran."},
    {"program-mismatch", Error,
     "The program is not the one that ran: instructions and events differ. It is not used to link "
     "the trace."},
    {"program-not-used", Info,
     "A program stood beside the ETDump, but is not the one that ran. Name the right one with --pte."},
    {"record-damaged", Error,
     "A part of the ETRecord is damaged: what the message names could not be read. The rest was used."},
    {"record-incomplete", Info,
     "A part of the ETRecord is missing or cannot be read: it comes from an older or a failed export. The rest was "
     "used."},
    {"record-mismatch", Error,
     "The ETRecord does not belong to the program that ran: its operators and the trace's events differ. Nothing was "
     "linked. Pass the ETRecord that the export of this program generated."},
    {"record-newer", Info,
     "The ETRecord has parts that no release known here writes: a newer one wrote it. What is known was read."},
    {"record-not-used", Info,
     "An ETRecord stood beside the ETDump, but is not of the program that ran. Name the right one with --etrecord."},
    {"resolution-limited", Info,
     "A delegate's clock ticks in whole microseconds: shorter operators show as 0 or 1 µs, and their sum is below the "
     "call's time."},
    {"run-damaged", DataLoss, "A whole run of the ETDump could not be read."},
    {"time-invalid", DataLoss,
     "An event ends before it starts and is not a 32-bit wrap; it was counted with duration 0."},
    {"time-out-of-range", DataLoss, "A time does not fit into 63 bits of nanoseconds; it was clamped."},
    {"time-wrapped", Info,
     "A 32-bit clock wrapped during an event; the duration was corrected (upstream's is one tick short)."},
    {"trailer-damaged", Info, "The bytes after the ETDump are not a valid trailer; it was read without one."},
    {"values-differ", Info,
     "Logged tensors differ between runs of the same block. Upstream's Inspector refuses such an ETDump; here every "
     "run keeps its own."},
};

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::DataLoss:
      return "data-loss";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::span<const DiagnosticKind> diagnostic_kinds() { return kKinds; }

void Diagnostics::add(const std::string& code, const std::string& message, uint64_t count) {
  if (count == 0) return;
  auto [it, fresh] = found_.try_emplace(code);
  if (fresh) {
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return code == k.code; });
    const bool known = kind != std::end(kKinds);
    it->second = {known ? kind->severity : Severity::Error, 0, message, known ? kind->help : ""};
  }
  it->second.count += count;
}

bool Diagnostics::has(Severity severity) const {
  return std::any_of(found_.begin(), found_.end(), [&](const auto& f) { return f.second.severity == severity; });
}

std::string Diagnostics::message(const std::string& code) const {
  const auto it = found_.find(code);
  return it == found_.end() ? std::string() : it->second.message;
}

void Diagnostics::write(Store& store, int64_t trace) const {
  Statement st = store.query("INSERT INTO raw_diagnostic VALUES(?1,?2,?3,?4,?5,?6)");
  for (const auto& [code, found] : found_) {
    st.run(trace, code, severity_name(found.severity), found.count, found.message, found.help);
  }
}

}  // namespace et::inspector
