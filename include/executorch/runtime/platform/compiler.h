// Attributes and compiler builtins under the names of ExecuTorch.
#pragma once

#include <sys/types.h>

#include <cstddef>

#define ET_NORETURN [[noreturn]]
#define ET_NOINLINE __attribute__((noinline))
#define ET_INLINE __attribute__((always_inline)) inline
#define ET_INLINE_ATTRIBUTE __attribute__((always_inline))
#define ET_RESTRICT __restrict__
#define ET_UNREACHABLE() __builtin_unreachable()
#define ET_DEPRECATED [[deprecated]]
#define ET_EXPERIMENTAL [[deprecated("This interface is experimental and may change.")]]
#define ET_FALLTHROUGH [[fallthrough]]
#define ET_NODISCARD [[nodiscard]]
#define ET_UNUSED [[maybe_unused]]
#if __cplusplus >= 202002L
#define ET_LIKELY(condition) (condition) [[likely]]
#define ET_UNLIKELY(condition) (condition) [[unlikely]]
#else
#define ET_LIKELY(condition) (condition)
#define ET_UNLIKELY(condition) (condition)
#endif
#define ET_WEAK __attribute__((weak))
#define ET_PRINTFLIKE(text, first) __attribute__((format(printf, text, first)))
#define ET_SHORT_FILENAME ::et::log_internal::base_name(__FILE__)
#define ET_LINE __LINE__
#define ET_FUNCTION __func__
#define ET_PRIsize_t "zu"
#define ET_PRIssize_t "zd"
#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 1
#ifdef __EXCEPTIONS
#define ET_HAS_EXCEPTIONS 1
#else
#define ET_HAS_EXCEPTIONS 0
#endif

#define __ET_DEPRECATED ET_DEPRECATED
#define __ET_FALLTHROUGH ET_FALLTHROUGH
#define __ET_FUNCTION ET_FUNCTION
#define __ET_INLINE ET_INLINE
#define __ET_LIKELY ET_LIKELY
#define __ET_LINE ET_LINE
#define __ET_NODISCARD ET_NODISCARD
#define __ET_NOINLINE ET_NOINLINE
#define __ET_NORETURN ET_NORETURN
#define __ET_PRINTFLIKE ET_PRINTFLIKE
#define __ET_SHORT_FILENAME ET_SHORT_FILENAME
#define __ET_UNLIKELY ET_UNLIKELY
#define __ET_UNREACHABLE ET_UNREACHABLE
#define __ET_UNUSED ET_UNUSED
#define __ET_WEAK ET_WEAK
