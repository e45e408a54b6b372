// Do test cases fit a program? Asked before they are written, because a runtime tells only at the end that they do not,
// or not at all: the reference runtime does not notice missing values.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"
#include "runtime/format/program.h"

namespace et::bundled {

/// The inputs of one case: their number, kinds, dtypes and sizes (equal where the method's are static; no more
/// elements than its bound where they are dynamic, by which runtimes resize); a number or bool must be the one that the
/// program was exported for, to which runtimes hold it. Expected outputs may be absent; else their number, kinds,
/// dtypes and sizes likewise. Errors: InvalidArgument, "<place>: input 1: float32[2], the method takes int64[2]".
Status check_case(const format::Method& method, const LoadedCase& test, const std::string& place);

/// Places of the outputs that a case has a value for: all that are not None, which no case can hold.
std::vector<uint32_t> outputs_in_cases(const format::Method& method);

/// All cases, loaded one after another. Also InvalidArgument: the program has no such method.
Status check_cases(const format::Program& program, const CaseSource& cases);

/// `name` itself when the program has it; empty `name`: "forward", or the only method.
/// Errors: InvalidArgument with the names that there are; `path` is for the message.
Status choose_method(const format::Program& program, const std::string& path, const std::string& name,
                     std::string* out);

}  // namespace et::bundled
