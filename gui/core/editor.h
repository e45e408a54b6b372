// Opening a source line in the user's editor.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace et::gui {

/// What of the surroundings decides; as the environment has it.
struct EditorSurroundings {
  std::string visual, editor, terminal;  ///< $VISUAL, $EDITOR, $TERMINAL
  std::string path;                      ///< $PATH, where terminals are looked for
  static EditorSurroundings here();
};

/// The words of the command that opens the line. `choice`: "" takes $VISUAL, else $EDITOR, else the desktop's own
/// program; "vscode" the address vscode://file/…; else a command with {file} and {line}, and a terminal around it when
/// it begins with "terminal ". Errors: NotFound (an editor for terminals and no terminal), InvalidArgument (a command
/// without {file}).
Status editor_command(const std::string& choice, const EditorSurroundings& surroundings, const std::string& file,
                      int64_t line, std::vector<std::string>* out);

/// Starts a command that lives on by itself. Errors: AccessFailed.
Status start_detached(const std::vector<std::string>& words);

}  // namespace et::gui
