/* What all of the C interface shares: error codes, element types, the way functions are exported. C99 and C++. */
#ifndef ET_STATUS_H
#define ET_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ET_API __attribute__((visibility("default")))
#else
#define ET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers are ExecuTorch's. */
typedef enum et_status {
  ET_OK = 0x00,
  ET_ERROR_INTERNAL = 0x01,
  ET_ERROR_INVALID_STATE = 0x02,
  ET_ERROR_END_OF_METHOD = 0x03,
  ET_ERROR_ALREADY_LOADED = 0x04,
  ET_ERROR_NOT_SUPPORTED = 0x10,
  ET_ERROR_NOT_IMPLEMENTED = 0x11,
  ET_ERROR_INVALID_ARGUMENT = 0x12,
  ET_ERROR_INVALID_TYPE = 0x13,
  ET_ERROR_OPERATOR_MISSING = 0x14,
  ET_ERROR_REGISTRATION_EXCEEDING_MAX_KERNELS = 0x15,
  ET_ERROR_REGISTRATION_ALREADY_REGISTERED = 0x16,
  ET_ERROR_NOT_FOUND = 0x20,
  ET_ERROR_MEMORY_ALLOCATION_FAILED = 0x21,
  ET_ERROR_ACCESS_FAILED = 0x22,
  ET_ERROR_INVALID_PROGRAM = 0x23,
  ET_ERROR_INVALID_EXTERNAL_DATA = 0x24,
  ET_ERROR_OUT_OF_RESOURCES = 0x25,
  ET_ERROR_DELEGATE_INVALID_COMPATIBILITY = 0x30,
  ET_ERROR_DELEGATE_MEMORY_ALLOCATION_FAILED = 0x31,
  ET_ERROR_DELEGATE_INVALID_HANDLE = 0x32,
  ET_STATUS_ANY_INT = 0x7fffffff /* never used: lets the type hold any number that a caller may give */
} et_status;

/* Numbers are torch's. */
typedef enum et_dtype {
  ET_UINT8 = 0,
  ET_INT8 = 1,
  ET_INT16 = 2,
  ET_INT32 = 3,
  ET_INT64 = 4,
  ET_FLOAT16 = 5,
  ET_FLOAT32 = 6,
  ET_FLOAT64 = 7,
  ET_COMPLEX32 = 8,
  ET_COMPLEX64 = 9,
  ET_COMPLEX128 = 10,
  ET_BOOL = 11,
  ET_QINT8 = 12,
  ET_QUINT8 = 13,
  ET_QINT32 = 14,
  ET_BFLOAT16 = 15,
  ET_FLOAT8_E5M2 = 23,
  ET_FLOAT8_E4M3FN = 24,
  ET_FLOAT8_E5M2FNUZ = 25,
  ET_FLOAT8_E4M3FNUZ = 26,
  ET_UINT16 = 27,
  ET_UINT32 = 28,
  ET_UINT64 = 29,
  ET_DTYPE_ANY_INT = 0x7fffffff /* never used: lets the type hold any number that a caller may give */
} et_dtype;

/* "InvalidArgument"; never null. */
ET_API const char* et_status_name(et_status status);
/* "float32"; "unknown" for an unknown dtype. */
ET_API const char* et_dtype_name(et_dtype dtype);
/* Bytes of an element, 0 for an unknown dtype. */
ET_API size_t et_dtype_size(et_dtype dtype);

/* What the last call of this thread that failed said, lines separated by "; ". Never null; valid until the thread's
 * next call that fails. */
ET_API const char* et_last_error(void);

/* "0.1.0", and the number of the interface, which grows when functions are added and is never reused. */
ET_API const char* et_version(void);
#define ET_CAPI_VERSION 1
ET_API int et_capi_version(void);

#ifdef __cplusplus
}
#endif

#endif
