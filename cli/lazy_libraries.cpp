// Libraries that few commands need, loaded when one of their functions is called first: libzip brings OpenSSL along,
// whose relocations alone take longer than reading a small trace. Linked instead of the libraries
// (EtLazyLibraries.cmake, which defines their names and lists their functions); only for x86-64.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct Function {
  const char* name;
  void** slot;
};

void load(const char* soname, const Function* functions) {
  void* const library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  for (const Function* f = functions; library != nullptr && f->name != nullptr; ++f) {
    *f->slot = dlsym(library, f->name);
    if (*f->slot == nullptr) break;
  }
  const char* const problem = dlerror();
  if (problem == nullptr) return;
  std::fprintf(stderr, "et-inspect: error: %s: install the library that et-inspect was built with\n", problem);
  std::_Exit(2);
}

}  // namespace

// Each function is a jump through a slot, which leads to `et_load_<library>` until that has filled all slots of the
// library. It keeps the registers that arguments are in.
#define ET_LOADER(library)                                                                                     \
  asm(".text\n.type et_load_" #library ",@function\net_load_" #library                                         \
      ":\n"                                                                                                    \
      "pushq %rbp\nmovq %rsp,%rbp\npushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\n"     \
      "pushq %rax\npushq %r11\nsubq $128,%rsp\n"                                                               \
      "movups %xmm0,(%rsp)\nmovups %xmm1,16(%rsp)\nmovups %xmm2,32(%rsp)\nmovups %xmm3,48(%rsp)\n"             \
      "movups %xmm4,64(%rsp)\nmovups %xmm5,80(%rsp)\nmovups %xmm6,96(%rsp)\nmovups %xmm7,112(%rsp)\n"          \
      "call et_fill_" #library                                                                                 \
      "\n"                                                                                                     \
      "movups (%rsp),%xmm0\nmovups 16(%rsp),%xmm1\nmovups 32(%rsp),%xmm2\nmovups 48(%rsp),%xmm3\n"             \
      "movups 64(%rsp),%xmm4\nmovups 80(%rsp),%xmm5\nmovups 96(%rsp),%xmm6\nmovups 112(%rsp),%xmm7\n"          \
      "addq $128,%rsp\npopq %r11\npopq %rax\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n" \
      "popq %rbp\njmp *(%r11)\n.size et_load_" #library ",.-et_load_" #library "\n")
#define ET_FUNCTION(library, function)                                                                      \
  asm(".text\n.globl " #function "\n.hidden " #function "\n.type " #function ",@function\n" #function       \
      ":\n"                                                                                                 \
      "endbr64\nleaq et_slot_" #function "(%rip),%r11\njmp *(%r11)\n.size " #function ",.-" #function       \
      "\n"                                                                                                  \
      ".section .data.et_slots,\"aw\"\n.balign 8\n.globl et_slot_" #function "\n.hidden et_slot_" #function \
      "\n"                                                                                                  \
      "et_slot_" #function ": .quad et_load_" #library "\n.text\n");                                        \
  extern "C" [[gnu::visibility("hidden")]] void* et_slot_##function;
#define ET_ENTRY(library, function) {#function, &et_slot_##function},

#define ET_LIBRARY(library, soname)                                                                                  \
  ET_LOADER(library);                                                                                                \
  ET_FUNCTIONS_##library(ET_FUNCTION) extern "C" [[gnu::used, gnu::visibility("hidden")]] void et_fill_##library() { \
    static const Function functions[] = {ET_FUNCTIONS_##library(ET_ENTRY){nullptr, nullptr}};                        \
    load(soname, functions);                                                                                         \
  }

#include "lazy_libraries.inc"
