/* The native methods of Program.java over the C interface. */
#include <jni.h>
#include <stdlib.h>

#include "capi/et_runtime.h"

typedef struct Session {
  et_program* program;
  et_tracer* tracer; /* null: not traced */
} Session;

static void fail(JNIEnv* env, const char* text) {
  jclass type = (*env)->FindClass(env, "java/lang/IllegalStateException");
  if (type != NULL) (*env)->ThrowNew(env, type, text);
}

static void close_session(Session* session) {
  et_program_close(session->program);
  et_tracer_free(session->tracer);
  free(session);
}

JNIEXPORT jlong JNICALL Java_etinspect_Program_open(JNIEnv* env, jclass type, jstring path, jboolean traced) {
  Session* session = calloc(1, sizeof *session);
  const char* name = (*env)->GetStringUTFChars(env, path, NULL);
  et_open_options options = {sizeof options, ET_LOAD_MMAP, NULL, 0, 0, NULL};
  et_status status = ET_ERROR_MEMORY_ALLOCATION_FAILED;
  (void)type;
  if (session != NULL && name != NULL) {
    status = traced ? et_tracer_create(0, &session->tracer) : ET_OK;
    options.tracer = session->tracer;
    if (status == ET_OK) status = et_program_open(name, &options, &session->program);
    if (status == ET_OK) status = et_program_load_method(session->program, "forward");
  }
  if (name != NULL) (*env)->ReleaseStringUTFChars(env, path, name);
  if (status == ET_OK) return (jlong)(intptr_t)session;
  fail(env, et_last_error());
  if (session != NULL) close_session(session);
  return 0;
}

JNIEXPORT jfloatArray JNICALL Java_etinspect_Program_forward(JNIEnv* env, jclass type, jlong handle, jfloatArray input,
                                                             jintArray sizes) {
  et_program* program = ((Session*)(intptr_t)handle)->program;
  jfloat* data = (*env)->GetFloatArrayElements(env, input, NULL);
  jint* shape = (*env)->GetIntArrayElements(env, sizes, NULL);
  jfloatArray result = NULL;
  et_tensor* tensor = NULL;
  et_value value;
  et_status status = ET_ERROR_MEMORY_ALLOCATION_FAILED;
  (void)type;
  if (data != NULL && shape != NULL) {
    status = et_tensor_create(ET_FLOAT32, (const int32_t*)shape, (size_t)(*env)->GetArrayLength(env, sizes), data,
                              (size_t)(*env)->GetArrayLength(env, input) * sizeof(float), &tensor);
    if (status == ET_OK) status = et_program_set_tensor(program, "forward", 0, tensor);
    if (status == ET_OK) status = et_program_execute(program, "forward");
    if (status == ET_OK) status = et_program_get_output(program, "forward", 0, &value);
  }
  if (status != ET_OK) {
    fail(env, et_last_error());
  } else if (value.kind != ET_VALUE_TENSOR || value.tensor.dtype != ET_FLOAT32) {
    fail(env, "expected a float32 tensor as the first output");
  } else {
    const jsize count = (jsize)(value.tensor.bytes / sizeof(float));
    result = (*env)->NewFloatArray(env, count);
    if (result != NULL) (*env)->SetFloatArrayRegion(env, result, 0, count, value.tensor.data);
  }
  et_tensor_free(tensor);
  if (shape != NULL) (*env)->ReleaseIntArrayElements(env, sizes, shape, JNI_ABORT);
  if (data != NULL) (*env)->ReleaseFloatArrayElements(env, input, data, JNI_ABORT);
  return result;
}

JNIEXPORT void JNICALL Java_etinspect_Program_writeTrace(JNIEnv* env, jclass type, jlong handle, jstring path) {
  const Session* session = (const Session*)(intptr_t)handle;
  const char* name = (*env)->GetStringUTFChars(env, path, NULL);
  (void)type;
  if (name == NULL) return;
  if (session->tracer == NULL) {
    fail(env, "the program was opened without a trace");
  } else if (et_tracer_write(session->tracer, name) != ET_OK) {
    fail(env, et_last_error());
  }
  (*env)->ReleaseStringUTFChars(env, path, name);
}

JNIEXPORT void JNICALL Java_etinspect_Program_close(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  close_session((Session*)(intptr_t)handle);
}
