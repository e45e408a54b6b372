// What feeds the ETRecord's graph, for programs that hold a run against it.
#pragma once

#include "cli/arguments.h"
#include "cli/shared_options.h"
#include "inspector/analysis/gap/graph_values.h"

namespace et::cli {

inline constexpr OptionSpec kAgainstOption =
    repeated(value_option("against", 0, "REFERENCE",
                          "what is right: another trace with logged values (its files in any order, or a trace in a "
                          "store), an .npz archive or a folder of .npy files (default: the graph of the ETRecord)",
                          Complete::File));
inline constexpr OptionSpec kGraphInputs[] = {
    kInputTensorOption, kCasesOption, kCaseOption, kRandomOption, kOnesOption, kZerosOption,
};
inline constexpr OptionGroup kGraphInputOptions = {"Inputs of the ETRecord's graph (default: those that it keeps)",
                                                   kGraphInputs};

inline inspector::GraphInputs graph_inputs_of(const Arguments& args) {
  inspector::GraphInputs out;
  out.files = args.list("input");
  out.ones = args.flag("ones");
  out.zeros = args.flag("zeros");
  out.random = args.text("random");
  out.cases = args.text("cases");
  if (args.given("case")) out.test_case = args.integer("case");
  return out;
}

}  // namespace et::cli
