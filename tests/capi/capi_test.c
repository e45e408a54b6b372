/* The C interface, used from C99: runs a program, reads the result, records a trace, and is told why things fail.
 * Arguments: add_mul.pte, folder to write into. */
#include <stdio.h>
#include <string.h>

#include "capi/et_runtime.h"

static int failures = 0;

#define CHECK(condition)                                                                        \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      fprintf(stderr, "line %d: %s (last error: %s)\n", __LINE__, #condition, et_last_error()); \
      ++failures;                                                                               \
    }                                                                                           \
  } while (0)

static void run(const char* path, const char* folder) {
  char dump[1024];
  et_tracer* tracer = NULL;
  et_program* program = NULL;
  et_open_options options;
  et_tensor *a = NULL, *b = NULL;
  et_value_info info;
  et_value value;
  et_tensor_view view;
  size_t inputs = 0, outputs = 0, i;
  const int32_t sizes[2] = {2, 3};
  float first[6] = {1, 2, 3, 4, 5, 6};
  float second[6] = {10, 20, 30, 40, 50, 60};
  FILE* file;
  long length = 0;

  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.load_mode = ET_LOAD_MMAP;
  CHECK(et_tracer_create(0, &tracer) == ET_OK);
  options.tracer = tracer;
  CHECK(et_program_open(path, &options, &program) == ET_OK);
  CHECK(et_program_method_count(program) == 1);
  CHECK(strcmp(et_program_method_name(program, 0), "forward") == 0);
  CHECK(et_program_method_name(program, 1) == NULL);
  CHECK(et_method_count_values(program, "forward", &inputs, &outputs) == ET_OK && inputs == 2 && outputs == 1);
  CHECK(et_method_input_info(program, "forward", 1, &info) == ET_OK);
  CHECK(info.kind == ET_VALUE_TENSOR && info.dtype == ET_FLOAT32 && info.rank == 2 && info.sizes[1] == 3);
  CHECK(info.bytes == 24 && !info.dynamic);
  CHECK(et_method_output_info(program, "forward", 1, &info) == ET_ERROR_INVALID_ARGUMENT);

  CHECK(et_tensor_create(ET_FLOAT32, sizes, 2, first, sizeof(first), &a) == ET_OK);
  CHECK(et_tensor_wrap(ET_FLOAT32, sizes, 2, second, sizeof(second), &b) == ET_OK);
  CHECK(et_tensor_get(a, &view) == ET_OK && view.bytes == 24 && view.strides[0] == 3);
  CHECK(et_program_execute(program, "forward") == ET_ERROR_INVALID_ARGUMENT); /* inputs are missing */
  CHECK(strstr(et_last_error(), "input 0") != NULL);
  CHECK(et_program_set_tensor(program, "forward", 0, a) == ET_OK);
  CHECK(et_program_set_tensor(program, "forward", 1, b) == ET_OK);
  et_tensor_free(a);
  et_tensor_free(b);
  CHECK(et_program_execute(program, "forward") == ET_OK);
  CHECK(et_program_get_output(program, "forward", 0, &value) == ET_OK);
  CHECK(value.kind == ET_VALUE_TENSOR && value.tensor.dtype == ET_FLOAT32 && value.tensor.rank == 2);
  for (i = 0; i < 6; ++i) CHECK(((const float*)value.tensor.data)[i] == (first[i] + second[i]) * first[i]);

  CHECK(et_tracer_block_count(tracer) >= 2);
  snprintf(dump, sizeof(dump), "%s/capi.etdp", folder);
  CHECK(et_tracer_write(tracer, dump) == ET_OK);
  file = fopen(dump, "rb");
  CHECK(file != NULL);
  if (file != NULL) {
    char head[12] = {0};
    length = (long)fread(head, 1, sizeof(head), file);
    CHECK(length == 12 && memcmp(head + 8, "ED00", 4) == 0);
    fclose(file);
  }
  et_tracer_free(tracer);
  CHECK(et_program_execute(program, "forward") == ET_OK); /* the program still has its tracer */
  CHECK(et_program_unload_method(program, "forward") == ET_OK);
  CHECK(et_program_unload_method(program, "forward") == ET_ERROR_NOT_FOUND);
  et_program_close(program);
}

/* Whether `part` is in the file. */
static int holds(const char* path, const void* part, size_t size) {
  static char text[1 << 16];
  FILE* file = fopen(path, "rb");
  size_t length, i;
  if (file == NULL) return 0;
  length = fread(text, 1, sizeof(text), file);
  fclose(file);
  for (i = 0; i + size <= length; ++i) {
    if (memcmp(text + i, part, size) == 0) return 1;
  }
  return 0;
}

/* Who reads the dump finds its values, while the tracer lives on and after more of them. */
static void values_are_written_with_the_dump(const char* path, const char* folder) {
  char dump[1024], values[1024];
  et_tracer* tracer = NULL;
  et_program* program = NULL;
  et_tensor *a = NULL, *b = NULL;
  et_open_options options;
  const int32_t sizes[2] = {2, 3};
  float first[6] = {1, 2, 3, 4, 5, 6};
  float second[6] = {10, 20, 30, 40, 50, 60};
  float result[6];
  int round, i;

  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  snprintf(dump, sizeof(dump), "%s/capi_values.etdp", folder);
  snprintf(values, sizeof(values), "%s/capi_values.bin", folder);
  CHECK(et_tracer_create(0, &tracer) == ET_OK);
  CHECK(et_tracer_record_values(tracer, ET_TRACE_OUTPUTS, values) == ET_OK);
  options.tracer = tracer;
  CHECK(et_program_open(path, &options, &program) == ET_OK);
  CHECK(et_tensor_wrap(ET_FLOAT32, sizes, 2, first, sizeof(first), &a) == ET_OK);
  CHECK(et_tensor_wrap(ET_FLOAT32, sizes, 2, second, sizeof(second), &b) == ET_OK);
  for (round = 0; round < 3; ++round) {
    for (i = 0; i < 6; ++i) {
      first[i] += 0.25f;
      result[i] = (first[i] + second[i]) * first[i];
    }
    CHECK(et_program_set_tensor(program, "forward", 0, a) == ET_OK);
    CHECK(et_program_set_tensor(program, "forward", 1, b) == ET_OK);
    CHECK(et_program_execute(program, "forward") == ET_OK);
    CHECK(et_tracer_write(tracer, dump) == ET_OK);
    CHECK(holds(values, result, sizeof(result)));
  }
  et_program_close(program);
  et_tracer_free(tracer);
  et_tensor_free(a);
  et_tensor_free(b);
}

/* A program that is delegated to XNNPACK. */
static void load_with_options(const char* path) {
  et_program* program = NULL;
  et_backend_option options[3] = {{"XnnpackBackend", "workspace_sharing_mode", ET_OPTION_INT, 7, NULL},
                                  {"XnnpackBackend", "weight_cache_enabled", ET_OPTION_BOOL, 0, NULL},
                                  {"AnotherBackend", "anything", ET_OPTION_TEXT, 0, "text"}};
  CHECK(et_program_open(path, NULL, &program) == ET_OK);
  CHECK(et_program_load_method_with(program, "forward", NULL, 1) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(et_program_load_method_with(program, "forward", options, 3) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(strstr(et_last_error(), "workspace_sharing_mode") != NULL);
  options[0].value = 0;
  options[2].text = NULL;
  CHECK(et_program_load_method_with(program, "forward", options, 3) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(strstr(et_last_error(), "options[2]") != NULL);
  options[2].kind = (et_option_kind)9;
  CHECK(et_program_load_method_with(program, "forward", options, 3) == ET_ERROR_INVALID_ARGUMENT);
  options[2].kind = ET_OPTION_BOOL;
  CHECK(et_program_load_method_with(program, "forward", options, 3) == ET_OK);
  CHECK(et_program_load_method_with(program, "forward", NULL, 0) == ET_OK);
  CHECK(et_program_load_method_with(NULL, "forward", NULL, 0) == ET_ERROR_INVALID_ARGUMENT);
  et_program_close(program);
}

static void fail(const char* path) {
  et_program* program = NULL;
  et_tensor* tensor = NULL;
  et_value value;
  et_open_options options;
  const int32_t sizes[2] = {2, -3};
  CHECK(et_program_open("/nowhere/x.pte", NULL, &program) == ET_ERROR_ACCESS_FAILED && program == NULL);
  CHECK(strstr(et_last_error(), "/nowhere/x.pte") != NULL);
  CHECK(et_program_open(NULL, NULL, &program) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(et_program_open_buffer("no program at all", 17, NULL, &program) == ET_ERROR_INVALID_PROGRAM);
  CHECK(et_program_execute(NULL, "forward") == ET_ERROR_INVALID_ARGUMENT);
  CHECK(et_tensor_create(ET_FLOAT32, sizes, 2, NULL, 0, &tensor) == ET_ERROR_INVALID_ARGUMENT && tensor == NULL);
  CHECK(et_tensor_create((et_dtype)77, NULL, 0, NULL, 0, &tensor) == ET_ERROR_INVALID_ARGUMENT);
  memset(&options, 0, sizeof(options));
  CHECK(et_program_open(path, &options, &program) == ET_ERROR_INVALID_ARGUMENT); /* size is not set */
  CHECK(et_program_open(path, NULL, &program) == ET_OK);
  CHECK(et_program_set_int(program, "forward", 0, 1) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(et_program_set_tensor(program, "forward", 0, NULL) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(et_program_get_output(program, "forward", 7, &value) == ET_ERROR_INVALID_ARGUMENT);
  CHECK(et_program_load_method(program, "other") == ET_ERROR_INVALID_ARGUMENT);
  CHECK(strstr(et_last_error(), "other") != NULL && strstr(et_last_error(), "forward") != NULL);
  et_program_close(program);
  et_program_close(NULL);
  et_tensor_free(NULL);
  et_tracer_free(NULL);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  CHECK(strcmp(et_status_name(ET_ERROR_OPERATOR_MISSING), "OperatorMissing") == 0);
  CHECK(et_dtype_size(ET_BFLOAT16) == 2 && et_dtype_size((et_dtype)99) == 0);
  CHECK(et_version()[0] != 0 && et_capi_version() == ET_CAPI_VERSION);
  run(argv[1], argv[2]);
  values_are_written_with_the_dump(argv[1], argv[2]);
  fail(argv[1]);
  load_with_options(argv[3]);
  if (failures == 0) puts("all as expected");
  return failures == 0 ? 0 : 1;
}
