// The prompt of `et-inspect sql`: lines from a terminal, statements that end in ';', and a few commands with a dot.
#pragma once

#include <istream>
#include <ostream>

#include "cli/sql_session.h"

namespace et::cli {

/// Reads until the end of `in` or .quit. Errors of a statement are printed to `errors` and do not end the prompt.
void run_sql_prompt(SqlSession& session, inspector::TableOptions options, std::istream& in, std::ostream& out,
                    std::ostream& errors);

}  // namespace et::cli
