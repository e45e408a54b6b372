#include "inspector/ingest/dump/event_level.h"

#include <string_view>

namespace et::inspector {
namespace {

struct NamedLevel {
  std::string_view name;
  EventLevel level;
};
constexpr NamedLevel kLevels[] = {
    {"Method::execute", {NestingLevel::Method, OpKind::Framework}},
    {"Method::init", {NestingLevel::Method, OpKind::Framework}},
    {"Program::load_method", {NestingLevel::Method, OpKind::Framework}},
    {"Method::step", {NestingLevel::Step, OpKind::Framework}},
    {"OPERATOR_CALL", {NestingLevel::Call, OpKind::OperatorCall}},
    {"DELEGATE_CALL", {NestingLevel::Call, OpKind::DelegateCall}},
    {"JF_CALL", {NestingLevel::Call, OpKind::Control}},
    {"MOVE_CALL", {NestingLevel::Call, OpKind::Control}},
    {"FREE_CALL", {NestingLevel::Call, OpKind::Control}},
};

}  // namespace

EventLevel level_of_event(const EventKey& key) {
  if (key.delegated()) return {NestingLevel::Delegate, OpKind::DelegateOp};
  for (const NamedLevel& l : kLevels) {
    if (key.name == l.name) return l.level;
  }
  return {NestingLevel::Inner, OpKind::Kernel};
}

}  // namespace et::inspector
