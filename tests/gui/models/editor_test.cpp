// The command that opens a line, for each kind of editor.
#include "gui/core/editor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using Words = std::vector<std::string>;

Words command(const std::string& choice, const EditorSurroundings& s, const std::string& file = "/src/my model.py") {
  Words words;
  const Status status = editor_command(choice, s, file, 12, &words);
  EXPECT_TRUE(status.ok()) << status.message();
  return words;
}

TEST(Editor, VisualWinsOverEditor) {
  EXPECT_EQ(command("", {"gedit", "vim", "", ""}), (Words{"gedit", "+12", "/src/my model.py"}));
  EXPECT_EQ(command("", {"", "code --wait", "", ""}), (Words{"code", "--wait", "-g", "/src/my model.py:12"}));
  EXPECT_EQ(command("", {"", "subl", "", ""}), (Words{"subl", "/src/my model.py:12"}));
  EXPECT_EQ(command("", {"", "pycharm", "", ""}), (Words{"pycharm", "--line", "12", "/src/my model.py"}));
  EXPECT_EQ(command("", {"", "", "", ""}), (Words{"xdg-open", "/src/my model.py"}));
}

TEST(Editor, EditorsOfTheTerminalGetOne) {
  EXPECT_EQ(command("", {"", "/usr/bin/vim", "xterm", ""}),
            (Words{"xterm", "-e", "/usr/bin/vim", "+12", "/src/my model.py"}));
  EXPECT_EQ(command("", {"", "nano", "gnome-terminal", ""}),
            (Words{"gnome-terminal", "--", "nano", "+12", "/src/my model.py"}));
  Words words;
  const Status none = editor_command("", {"", "vim", "", ""}, "a.py", 1, &words);
  EXPECT_EQ(none.code(), Error::NotFound);
  EXPECT_NE(none.message().find("$TERMINAL"), std::string::npos);
}

TEST(Editor, AddressOfVsCodeIsEscaped) {
  EXPECT_EQ(command("vscode", {}), (Words{"xdg-open", "vscode://file/src/my%20model.py:12"}));
  EXPECT_EQ(command("vscode", {}, "/a/#1?.py"), (Words{"xdg-open", "vscode://file/a/%231%3F.py:12"}));
}

TEST(Editor, OwnCommandsGetFileAndLine) {
  EXPECT_EQ(command("emacsclient -n +{line} {file}", {}), (Words{"emacsclient", "-n", "+12", "/src/my model.py"}));
  EXPECT_EQ(command("terminal vi +{line} {file}", {"", "", "foot", ""}),
            (Words{"foot", "vi", "+12", "/src/my model.py"}));
  Words words;
  EXPECT_EQ(editor_command("vi", {}, "a.py", 1, &words).code(), Error::InvalidArgument);
  EXPECT_EQ(editor_command("terminal", {}, "a.py", 1, &words).code(), Error::InvalidArgument);
}

TEST(Editor, StartsAndSaysWhatDoesNotStart) {
  const TemporaryFolder folder;
  const std::string mark = folder / "mark";
  const Status started = start_detached({"touch", mark});
  EXPECT_TRUE(started.ok()) << started.message();
  for (int i = 0; i < 200 && !std::filesystem::exists(mark); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(std::filesystem::exists(mark));
  const Status missing = start_detached({"/no/such/editor", "a.py"});
  EXPECT_EQ(missing.code(), Error::AccessFailed);
  EXPECT_NE(missing.message().find("/no/such/editor"), std::string::npos);
}

}  // namespace
}  // namespace et::gui::test
