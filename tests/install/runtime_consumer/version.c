/* Links the C interface. */
#include <stdio.h>

#include "capi/et_runtime.h"

int main(void) {
  et_program* program = NULL;
  const et_status status = et_program_open("/nowhere", NULL, &program);
  printf("%s: %s\n", et_version(), et_status_name(status));
  return status == ET_ERROR_ACCESS_FAILED ? 0 : 1;
}
