/* C interface of the runtime: open a program, look at its methods, run them, read the results, record a trace.
 *
 *   et_program* program = NULL;
 *   if (et_program_open("model.pte", NULL, &program) != ET_OK) { puts(et_last_error()); return 1; }
 *   et_program_set_tensor(program, "forward", 0, input);
 *   if (et_program_execute(program, "forward") == ET_OK) et_program_get_output(program, "forward", 0, &value);
 *   et_program_close(program);
 *
 * Every function that can fail returns a status, and et_last_error() says why; no exception leaves a call. Null handles
 * are errors, not crashes. A program is for one thread at a time. Methods are loaded when they are first needed. */
#ifndef ET_RUNTIME_H
#define ET_RUNTIME_H

#include "et_status.h"
#include "et_tensor.h"
#include "et_trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_program et_program;

typedef enum et_load_mode {
  ET_LOAD_FILE = 0,
  ET_LOAD_MMAP = 1,
  ET_LOAD_MMAP_LOCK = 2,
  ET_LOAD_MMAP_LOCK_IF_POSSIBLE = 3,
  ET_LOAD_MMAP_READ_AHEAD = 4,
  ET_LOAD_ANY_INT = 0x7fffffff /* never used, as in et_status */
} et_load_mode;

/* Set `size` to sizeof(et_open_options), the rest to 0 for the defaults. Fields may be added behind the last one. */
typedef struct et_open_options {
  size_t size;
  et_load_mode load_mode;
  const char* const* data_files; /* tensor files (.ptd) with external weights */
  size_t data_file_count;
  int share_memory_arenas; /* all methods share their planned memory */
  et_tracer* tracer;       /* records loading and every execution; may be freed before the program */
} et_open_options;

/* `options` may be null. The program is read and verified before the call returns. */
ET_API et_status et_program_open(const char* path, const et_open_options* options, et_program** program);
/* `data` is copied. Of the options load_mode applies to data files only. */
ET_API et_status et_program_open_buffer(const void* data, size_t size, const et_open_options* options,
                                        et_program** program);
/* Null is harmless. */
ET_API void et_program_close(et_program* program);

/* --- Methods: strings belong to the program -------------------------------------------------------------------- */

typedef enum et_value_kind {
  ET_VALUE_NONE = 1,
  ET_VALUE_INT = 2,
  ET_VALUE_BOOL = 3,
  ET_VALUE_DOUBLE = 4,
  ET_VALUE_TENSOR = 5,
  ET_VALUE_STRING = 6,
  ET_VALUE_OTHER = 7 /* lists */
} et_value_kind;

/* What an input or output is. For tensors: upper bounds of the sizes where `dynamic` is 1. */
typedef struct et_value_info {
  et_value_kind kind;
  et_dtype dtype;
  size_t rank;
  const int32_t* sizes;
  size_t bytes;
  int dynamic;
} et_value_info;

ET_API size_t et_program_method_count(const et_program* program);
/* Null: no such index. */
ET_API const char* et_program_method_name(const et_program* program, size_t index);
ET_API et_status et_method_count_values(et_program* program, const char* method, size_t* inputs, size_t* outputs);
ET_API et_status et_method_input_info(et_program* program, const char* method, size_t index, et_value_info* info);
ET_API et_status et_method_output_info(et_program* program, const char* method, size_t index, et_value_info* info);
/* Names of the backends that the method delegates to. Null: no such index or method. */
ET_API const char* et_method_backend(et_program* program, const char* method, size_t index);
ET_API et_status et_program_load_method(et_program* program, const char* method);

typedef enum et_option_kind {
  ET_OPTION_BOOL = 1,
  ET_OPTION_INT = 2,
  ET_OPTION_TEXT = 3,
  ET_OPTION_ANY_INT = 0x7fffffff /* never used, as in et_status */
} et_option_kind;

/* A setting of a backend: {"XnnpackBackend", "workspace_sharing_mode", ET_OPTION_INT, 2, NULL}. */
typedef struct et_backend_option {
  const char* backend;
  const char* key;
  et_option_kind kind;
  int value;        /* ET_OPTION_BOOL: 0 or 1 */
  const char* text; /* ET_OPTION_TEXT */
} et_backend_option;

/* As et_program_load_method, with settings for this load; those that nobody knows are left alone. A method that is
 * loaded already stays as it is. ET_ERROR_INVALID_ARGUMENT: a backend does not take the value. */
ET_API et_status et_program_load_method_with(et_program* program, const char* method, const et_backend_option* options,
                                             size_t count);
/* Frees its memory; what it kept between executions is lost. ET_ERROR_NOT_FOUND: it was not loaded. */
ET_API et_status et_program_unload_method(et_program* program, const char* method);

/* --- Execution --------------------------------------------------------------------------------------------------- */

/* Inputs stay set for the following executions. Numbers must be those that the program was exported for. */
ET_API et_status et_program_set_tensor(et_program* program, const char* method, size_t index, const et_tensor* tensor);
ET_API et_status et_program_set_int(et_program* program, const char* method, size_t index, int64_t value);
ET_API et_status et_program_set_double(et_program* program, const char* method, size_t index, double value);
ET_API et_status et_program_set_bool(et_program* program, const char* method, size_t index, int value);
ET_API et_status et_program_set_none(et_program* program, const char* method, size_t index);
ET_API et_status et_program_execute(et_program* program, const char* method);

typedef struct et_value {
  et_value_kind kind;
  int64_t as_int; /* ET_VALUE_BOOL: 0 or 1 */
  double as_double;
  const char* as_string;
  size_t string_length;
  et_tensor_view tensor;
} et_value;
/* Valid until the method's next execution or unloading. */
ET_API et_status et_program_get_output(et_program* program, const char* method, size_t index, et_value* value);

#ifdef __cplusplus
}
#endif

#endif
