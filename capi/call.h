// The way every function of the C interface runs: errors that the runtime logs meanwhile become the thread's last
// error, and no exception leaves it.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "base/error.h"
#include "capi/et_status.h"

namespace et::capi {

constexpr et_status status_of(Error e) { return static_cast<et_status>(e); }

/// Collects this thread's error lines while it lives.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  et_status finish(Error error, std::string_view fallback = {});
};

/// f() gives an Error.
template <class F>
et_status call(const F& f) {
  Call c;
  try {
    return c.finish(f());
  } catch (const std::bad_alloc&) {
    return c.finish(Error::MemoryAllocationFailed, "not enough memory");
  } catch (const std::exception& e) {
    return c.finish(Error::Internal, e.what());
  } catch (...) {
    return c.finish(Error::Internal, "unknown exception");
  }
}

}  // namespace et::capi
