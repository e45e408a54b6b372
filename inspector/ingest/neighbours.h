// What belongs to a run and was not named: the ETRecord, the program and the debug buffer beside its ETDump. They are
// found by what is in them, and taken only where there is no choice; whether they belong to the ETDump turns out while
// they are imported.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/ingest/ingest.h"
#include "inspector/ingest/sort_files.h"

namespace et::inspector {

/// Fills in what `files` lacks, from its folder, else (with `beside`) from the folder of its ETDump, else of its
/// ETRecord or program; `inputs.found` lists what. `notes`: candidates that were not taken, and why; a line each.
void find_neighbours(SortedFiles* files, bool beside, std::vector<std::string>* notes);

/// "etdump.etdp: read with etrecord.bin and model.pte beside it"; "" when nothing was found.
std::string found_text(const IngestInputs& inputs);

/// As ingest(). Files of `inputs->found` that do not belong to the others are left out, taken from `inputs`, and named
/// in `notes`.
Status ingest_found(Store& store, IngestInputs* inputs, const Progress& progress, IngestResult* result,
                    std::vector<std::string>* notes);

}  // namespace et::inspector
