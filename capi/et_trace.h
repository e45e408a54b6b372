/* Tracing in the C interface: a tracer is given to et_program_open() and written to a file when the runs are over. */
#ifndef ET_TRACE_H
#define ET_TRACE_H

#include "et_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_tracer et_tracer;

typedef enum et_trace_values {
  ET_TRACE_NO_VALUES = 0,
  ET_TRACE_OUTPUTS = 1,
  ET_TRACE_INTERMEDIATES = 2 /* and the outputs */
} et_trace_values;

/* `max_bytes` of records, 0 for the default. */
ET_API et_status et_tracer_create(size_t max_bytes, et_tracer** tracer);
/* Null is harmless. A program that was opened with the tracer keeps using it. */
ET_API void et_tracer_free(et_tracer* tracer);
/* Values go to the file `debug_path`, which is replaced now. */
ET_API et_status et_tracer_record_values(et_tracer* tracer, et_trace_values which, const char* debug_path);
/* Event blocks recorded so far: one for each loading and each execution. */
ET_API size_t et_tracer_block_count(const et_tracer* tracer);
/* Writes an ETDump of all runs so far; the runs after that begin a new one. ET_ERROR_INVALID_STATE: nothing was
 * recorded. */
ET_API et_status et_tracer_write(et_tracer* tracer, const char* path);

#ifdef __cplusplus
}
#endif

#endif
