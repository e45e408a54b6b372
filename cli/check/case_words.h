// Values of a test case as a user writes them: "in0.npy,int:5,float:0.5,bool:true", or an .npz with arrays in order.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"

namespace et::cli {

/// Appends the values that `words` names, separated by commas, to `values`, and what they stand in to `out`'s owners.
/// `type_of(i)`: dtype of the method's i-th value, for arrays of dtypes that NumPy does not know. `option` is for
/// messages. Errors: InvalidArgument (a word that is no value), those of reading the arrays.
Status read_case_words(const std::string& words, const std::string& option,
                       const std::function<std::optional<ScalarType>(size_t)>& type_of, bundled::LoadedCase* out,
                       std::vector<bundled::Value>* values);

}  // namespace et::cli
