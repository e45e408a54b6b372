// A machine that exists in numbers only: a clock that executions move on, and noise of every kind on top.
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "bundled_program/perf/workload.h"

namespace et::perf {

class SyntheticMachine {
 public:
  explicit SyntheticMachine(uint64_t seed) : random_(seed) {}

  uint64_t now() const { return static_cast<uint64_t>(ns_); }
  double seconds() const { return ns_ * 1e-9; }
  void pass(double ns) { ns_ += ns; }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double normal() { return std::normal_distribution<double>(0, 1)(random_); }

  /// Factor on an execution that begins now.
  std::function<double(SyntheticMachine&)> noise = [](SyntheticMachine&) { return 1.0; };

 private:
  std::mt19937_64 random_;
  double ns_ = 1e9;
};

struct SyntheticWorkload : Workload {
  SyntheticWorkload(SyntheticMachine* on, double execution_ns, double deviation)
      : machine(on), ns(execution_ns), placement(deviation) {}

  struct Run : Instance {
    Run(SyntheticWorkload* workload, double execution_ns) : of(workload), ns(execution_ns) {}
    Error run() override {
      of->machine->pass(ns * of->machine->noise(*of->machine));
      ++of->executions;
      return of->executions >= of->fails_after ? Error::InvalidState : Error::Ok;
    }
    SyntheticWorkload* of;
    double ns;
  };
  Status make(uint64_t, std::unique_ptr<Instance>* out) override {
    if (refuses) return {Error::NotFound, "model.pte: no such method"};
    *out = std::make_unique<Run>(this, ns * std::exp(placement * machine->normal()));
    return {};
  }
  std::string reason() override { return "model.pte: input 0"; }

  SyntheticMachine* machine;
  double ns;
  double placement;  // standard deviation between instances
  uint64_t executions = 0, fails_after = UINT64_MAX;
  bool refuses = false;
};

}  // namespace et::perf
