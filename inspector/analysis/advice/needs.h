// What rules cannot look without, and what a trace has of it: that nothing is said of a thing is an answer only where
// it was looked for.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace et::inspector {

struct Advice;
class AdviceContext;
struct AdviceRule;

/// Bits of AdviceRule::needs.
namespace advice_needs {
inline constexpr uint32_t Run = 1;          ///< times of an execution
inline constexpr uint32_t Record = 2;       ///< the graph, of an ETRecord
inline constexpr uint32_t Program = 4;      ///< its plan of memory, its constants
inline constexpr uint32_t Inside = 8;       ///< what delegates hold, of the program; never missing where there are none
inline constexpr uint32_t Calls = 16;       ///< which instruction a node is: of the program, or of a run
inline constexpr uint32_t Bytes = 128;      ///< the program's file itself
inline constexpr uint32_t Values = 32;      ///< logged values
inline constexpr uint32_t Peaks = 64;       ///< of the trace's machine
inline constexpr uint32_t Delegates = 256;  ///< something that runs in a delegate
inline constexpr uint32_t Files = Run | Record | Program | Inside | Calls | Bytes;
}  // namespace advice_needs

/// Of them, what this trace does not have. `calibrated`: the machine's peaks are known.
uint32_t missing_needs(AdviceContext& context, bool calibrated);

/// "the ETRecord", "the run and the machine's peaks (et-run --calibrate)".
std::string needs_text(uint32_t needs);

/// Rules that found nothing and lack the same.
struct UnseenRules {
  std::string needs;  ///< needs_text()
  std::vector<const AdviceRule*> rules;
};
/// In the order of the rules; one that spoke all the same is not among them.
std::vector<UnseenRules> rules_not_looked(uint32_t missing, const std::set<std::string>& spoke);

/// "No rule found anything to improve", where each could look.
std::string nothing_found_text(uint32_t missing);

}  // namespace et::inspector
