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

  void open_files(Chosen chosen);
  /// `name` is proposed.
  void save_file(const std::string& name, Chosen chosen);
  bool is_open() const { return open_; }
  void draw();

 private:
  struct Item {
    std::string name, kind;
    bool folder = false, marked = false;
    uint64_t bytes = 0;
  };
  void read_folder();
  /// `enter` gets the folder that was clicked. True when a file was double-clicked.
  bool draw_files(float footer, std::string* enter);
  void finish();

  bool open_ = false, wanted_ = false, saving_ = false;
  std::string folder_, name_, error_;
  std::vector<Item> items_;
  Chosen chosen_;
};

}  // namespace et::gui
