// A command whose code is in et-check, which lies beside it: see suite_main.cpp. Links nothing but the C library: it is
// started before each command.
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

// The folder of this program and the name of the suite; without /proc what PATH finds.
const char* suite_path() {
  constexpr char kSuite[] = "et-check";
  static char path[PATH_MAX + sizeof kSuite];
  const ssize_t length = ::readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  char* const slash = std::strrchr(path, '/');
  std::memcpy(slash != nullptr ? slash + 1 : path, kSuite, sizeof kSuite);
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  // By a link of another name et-check could not tell which command is meant.
  static char own[] = ET_COMMAND;
  char* none[] = {own, nullptr};
  if (argc > 0) argv[0] = own;
  const char* const suite = suite_path();
  ::execvp(suite, argc > 0 ? argv : none);
  std::fprintf(stderr, ET_COMMAND ": error: expected its program et-check beside it: %s: %s\n", suite,
               std::strerror(errno));
  return 2;
}
