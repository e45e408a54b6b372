// What the overview says of the files, the machine and the methods of a trace.
#pragma once

#include <string>
#include <vector>

#include "gui/models/overview_model.h"

namespace et::gui {

std::vector<OverviewFact> file_facts(const TraceData& data);
std::vector<OverviewFact> machine_facts(const inspector::TraceFacts& facts);
std::vector<OverviewMethod> methods_of(const TraceData& data);
/// Methods of the files without an execution; none where one of those that ran may be the missing one.
std::vector<std::string> methods_not_run(const TraceData& data, const std::vector<OverviewMethod>& ran);
std::vector<OverviewExport> exports_of(const TraceData& data);

}  // namespace et::gui
