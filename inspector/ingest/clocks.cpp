#include "inspector/ingest/clocks.h"

namespace et::inspector {
namespace {

void apply_clock(Clocks& clocks, Op& op, ImportContext& context) {
  const etdump::DelegateClock* clock = clocks.given.find(op.backend);
  if (clock == nullptr && op.backend.empty() && clocks.given.all().size() == 1) {
    clock = &clocks.given.all().front();
    context.diagnostics.add("delegate-clock-assumed",
                            context.inputs.dump + ": " + op.name + " is taken for an event of " + clock->backend);
  }
  if (clock == nullptr) return;
  clocks.used.insert(clock->backend);
  op.clock_given = true;
  op.clock_numerator = clock->numerator;
  op.clock_denominator = clock->denominator;
  if (clock->foreign()) op.clock = clocks.texts[clock->backend];
  if (!clock->convertible()) op.unit = "cycles";
}

}  // namespace

Status parse_clocks(const IngestInputs& inputs, Clocks* out) {
  for (const std::string& text : inputs.delegate_clocks) {
    std::string message;
    if (out->given.add(text, &message) != Error::Ok)
      return {Error::InvalidArgument, "--delegate-clock " + text + ": " + message};
    out->texts[out->given.all().back().backend] = text.substr(text.find('=') + 1);
  }
  return {};
}

void apply_clocks(Clocks& clocks, const Block& block, Trace& trace, ImportContext& context) {
  if (clocks.given.empty()) return;
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::DelegateOp) apply_clock(clocks, op, context);
  }
}

void report_unused_clocks(const Clocks& clocks, ImportContext& context) {
  for (const etdump::DelegateClock& clock : clocks.given.all()) {
    if (!clocks.used.contains(clock.backend))
      context.diagnostics.add("delegate-clock-unused", context.inputs.dump + ": no events of " + clock.backend);
  }
}

}  // namespace et::inspector
