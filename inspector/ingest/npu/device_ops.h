// What a trace of the device measured, as ops inside the delegate's call: on a clock of their own, since nothing ties
// its cycles to the times of the ETDump. Inference and execution of the same number are taken for each other.
#pragma once

namespace et::inspector {

struct Import;
struct RunSamples;

/// Adds the ops of DelegateFacts::slices with their samples. After the last run, before statistics.
void add_device_ops(Import& in, RunSamples& out);

}  // namespace et::inspector
