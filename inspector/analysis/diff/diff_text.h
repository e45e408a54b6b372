// A difference in words: the sentences and cells that the report and the window have in common.
#pragma once

#include <string>
#include <vector>

#include "inspector/analysis/diff/trace_diff.h"
#include "inspector/text/format.h"

namespace et::inspector {

/// "+6.3%", "−12.0%"; "" of nothing.
std::string percent_change(double before, double after);
std::string signed_duration(double ticks, const TimeUnit& unit);
std::string signed_bytes(int64_t bytes);
/// A ratio surely on one side of 1, as a sentence has it: "4.0–8.0% slower", "2.7–6.7 times", "40.1–60.2% less".
std::string ratio_range(double low, double high);
/// "4.0–8.0%" of a ratio that lies surely on one side of 1; "−1.8% to +2.1%" of one that may be 1.
std::string percent_range(double low, double high);
/// "slower 4.0–8.0%", "unclear".
std::string verdict_text(const DiffGroup& group);
/// The verdict alone: of a row that changed, but too little to matter for the execution, "negligible".
std::string verdict_word(const DiffGroup& group);
/// "model.py:11 → model.py:31"; what is now where nothing else was.
std::string with_change(const std::string& now, const std::string& was);
/// ", 2.0 times the operations" where that tells a slower kernel from one that has more to do; "" else.
std::string work_change(const std::optional<double>& before, const std::optional<double>& after);
/// "(none) → XnnpackBackend"; one name where both are the same.
std::string delegate_text(const DiffGroup& group);

struct DiffSentence {
  std::string text;
  DiffVerdict verdict = DiffVerdict::Same;
  bool detail = false;   ///< of the sentence before it
  bool warning = false;  ///< of the measurement
};
/// "After is 12.0% slower: 1.39 ms against 1.25 ms (95 % confidence: 9.0–15.0%)": one for each method, and before them
/// one for all where there are several. `same_program`: of TraceChanges; that it is none of the program's is said
/// first.
std::vector<DiffSentence> diff_sentences(const TraceDiff& diff, const TimeUnit& unit, bool same_program = false);
/// Of a method that is judged by the usual times of its ops: on which side the machine was disturbed, and what that
/// says.
std::vector<DiffSentence> usual_sentences(const DiffMethod& method, const TimeUnit& unit);
/// "Both ran the same program: …" where a method is said to have changed; "" else.
std::string of_same_program(const TraceDiff& diff, bool same_program);

/// What the row "(variation)" is, in a sentence.
const char* variation_text();

/// Nearly all ops changed by the same factor: "Nearly all ops take 1.40 times as long: …"; "" else.
std::string all_changed_alike(const TraceDiff& diff);
/// "The trace before has no cold execution: …" of a method of which one side lacks the basis; "" else.
std::string lacking_text(const DiffMethod& method, const Basis& basis);
/// One trace measured nothing though both ran: "All times after are 0: …", or has no execution of the basis; "" else.
std::string without_times(const TraceDiff& diff);
/// Hardly any row is in both, though nodes tell them apart: "These are different programs: 2 of 57 rows …"; "" else.
std::string different_programs(const TraceDiff& diff);
/// Why times of the two say nothing of a change: one of the above; "" else.
std::string not_comparable(const TraceDiff& diff);
/// "Hardly anything is the same in both: …", where what is in both takes less than half of the time; "" else.
std::string little_in_common(const TraceDiff& diff);

}  // namespace et::inspector
