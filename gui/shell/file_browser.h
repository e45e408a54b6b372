// Choosing files to open, or a place to save to: a folder's list in a modal window. Several files can be marked, since
// a trace comes with its ETRecord and program.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace et::gui {

class FileBrowser {
 public:
  using Chosen = std::function<void(const std::vector<std::string>&)>;

  /// `title`: what the files are for. `folder`: where to look where none was looked at before, "" for the working one.
  void open_files(const char* title, const std::string& folder, Chosen chosen);
  /// `name` is proposed.
  void save_file(const char* title, const std::string& folder, const std::string& name, Chosen chosen);
  bool is_open() const { return open_; }
  const std::string& folder() const { return folder_; }
  void draw();

 private:
  struct Item {
    std::string name, kind;
    bool folder = false, marked = false;
    uint64_t bytes = 0;
  };
  void begin(const char* title, const std::string& folder, Chosen chosen);
  void read_folder();
  void go_into(const std::string& folder);
  std::string full_path(std::string path) const;
  /// What was typed as a path: a folder is shown, a file is chosen. True when a file was.
  bool take_path();
  bool draw_path();
  /// `enter` gets the folder that was clicked. True when a file was double-clicked.
  bool draw_files(float footer, std::string* enter);
  bool draw_row(Item& item, std::string* enter);
  /// What the button stands for now: marked files, or the folder; nothing: it is grey.
  std::vector<std::string> chosen_files() const;
  void finish(const std::vector<std::string>& files);

  bool open_ = false, wanted_ = false, saving_ = false, path_focus_ = false, path_awaited_ = false;
  std::string title_, folder_, path_, name_, error_;
  std::vector<Item> items_;
  Chosen chosen_;
};

}  // namespace et::gui
