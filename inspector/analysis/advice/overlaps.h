// Findings that would save the same time: who adds them up counts it twice.
#pragma once

#include <vector>

namespace et::inspector {

struct Advice;
class AdviceContext;

/// Sets Advice::overlap of findings that are in their order.
void name_overlaps(const AdviceContext& context, std::vector<Advice>* advice);

}  // namespace et::inspector
