// What each quantisation of a model costs: the graph of its ETRecord with that one alone, against the graph without
// any. et-check, which has the kernels, works the outputs out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/gap/figures.h"
#include "inspector/analysis/gap/graph_values.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct QuantisedLayer {
  std::string node;      ///< that quantises, or that dequantises weights
  bool weights = false;  ///< a constant, whose error is estimated by noise of half a step
  std::string layer;     ///< the node whose result is quantised, or that reads the weights; "" for an input
  std::string op;        ///< its operator
  std::string reader;    ///< the node that computes with what is quantised
  std::string file, code, module;
  int64_t line = 0;
  /// Further layers whose result is quantised to the same numbers at once (a clamp behind a convolution): left out
  /// alone they change the outputs as this one does, to the bit. Nodes that quantise.
  std::vector<std::string> repeated;
  GapFigures figures;  ///< of the method's outputs, all together
};

struct Sensitivity {
  std::string record, method;
  std::vector<QuantisedLayer> layers;  ///< in the order of the graph
  GapFigures whole;                    ///< with all quantisations but those of constants, which stay as they are
  size_t outputs = 0;                  ///< tensors of numbers that the method gives

  /// Of the activations alone, Σ noise: were errors independent, it would be that of the whole.
  double activation_noise() const;
  /// By the noise that they bring, the most first.
  std::vector<size_t> ranked() const;
};

/// `store` has the ETRecord as trace `trace_id`, for lines and modules. `method` "": forward, or the only one. Errors:
/// those of run_check(): NotFound (nothing is quantised, no graph), InvalidArgument (inputs that do not fit).
Status measure_sensitivity(const Store& store, int64_t trace_id, const std::string& record, const std::string& method,
                           const GraphInputs& inputs, const std::function<bool()>& cancelled, Sensitivity* out);

}  // namespace et::inspector
