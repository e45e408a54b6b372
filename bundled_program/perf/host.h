// Where a measurement was taken: times of one host say nothing about another.
#pragma once

#include <string>

namespace et::perf {

struct HostPrint {
  std::string name;     // of the machine; not compared: containers get a new one each time
  std::string cpu;      // model
  unsigned cores = 0;   // that the process may use
  std::string os;       // system and processor, "Linux x86_64"; without the version, which updates change
  std::string build;    // compiler, optimisation, processor features of the program that measured
  std::string version;  // of it; not compared: a new version is what one may want to check
};

/// Of this process.
HostPrint host_print();

/// What makes times of both incomparable, for a person: "processor X, here Y; …". Empty: nothing.
std::string differences(const HostPrint& recorded, const HostPrint& here);

}  // namespace et::perf
