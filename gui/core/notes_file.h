// Notes of a trace that has no store: kept in a small file beside what was opened, and found again with it.
#pragma once

#include <string>
#include <vector>

#include "inspector/store/notes.h"

namespace et::gui {

/// The file for notes on an ETDump (or on the ETRecord or program that was opened alone): beside it, "FILE.notes", or,
/// where that folder may not be written, in the settings folder. The one that is there already wins. "" for none.
std::string notes_file_of(const std::string& opened, const std::string& settings_folder);

/// `bytes`: size of the file that the notes are on: another run, written to the same path, has notes of its own.
/// A missing file has none. Errors: AccessFailed, InvalidExternalData (not such a file, naming the line).
Status read_notes_file(const std::string& path, int64_t bytes, std::vector<inspector::Note>* out);
/// Replaces the notes of that size, keeps those of others; the file goes when none are left. Errors: AccessFailed.
Status write_notes_file(const std::string& path, int64_t bytes, const std::vector<inspector::Note>& notes);

}  // namespace et::gui
