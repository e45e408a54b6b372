// What no rule says: of the costliest types of operators without a finding, how far they are from their roofs; and of
// the ops that a finding is about, what the roofline would have them win, whose bound is another one.
#pragma once

#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

struct Advice;
class AdviceContext;

/// Ops of one title that take much of an execution, and that no finding is about.
struct Consumer {
  std::string title;         ///< "aten.linear ×18"
  double ns = 0, share = 0;  ///< of an execution
  double roof_ns = 0;        ///< of those whose roof is known: at their roofs
  double known_ns = 0;       ///< of those: their time; 0 where none is known
  bool calibrated = false;   ///< roofs are the machine's peaks; else the best rates of the trace, and it may do more
  bool integer = false;      ///< quantised already
  bool exponential = false;  ///< softmax, sigmoid and others, whose exponentials no roof counts
  int64_t calls = 0;         ///< of delegates, whose time is in no op inside them; 0: it is of ops
  bool cut = false;          ///< of delegates: events of whole microseconds leave a part of each op out
  int64_t op_id = 0;         ///< of the costliest
  std::string method = {};   ///< whose execution it is a share of, where several ran
  std::vector<size_t> rows = {};  ///< of AdviceContext::work(), the costliest first

  /// Something could be won, but nobody says how; false also where its roof is not known.
  bool is_far_from_roof() const;
};

/// The costliest first, at most three; each at least a tenth of an execution.
std::vector<Consumer> silent_consumers(AdviceContext& context, const std::vector<Advice>& advice);

/// Sets Advice::roof_win.
void add_roofline_bounds(AdviceContext& context, std::vector<Advice>* advice);

/// "aten.linear ×18 takes 193 µs (30.1%): at 92% of its roof, so nothing is to be won but by a smaller or a quantised
/// model". `listed`: in a finding of its own, so that no other rule speaks of it.
std::string consumer_text(const Consumer& consumer, const OpTable& shown, bool listed = false);

}  // namespace et::inspector
