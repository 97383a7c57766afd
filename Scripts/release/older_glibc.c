// Definitions that are linked into the program of a release, so that it runs with glibc 2.34. Without them, the libraries of
// Debian 12 would refer to newer versions of these functions.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

// The results are the same; the newer versions only skip the check of an error mode that no program sets any more.
__asm__(".symver hypot_of_any_glibc, hypot@GLIBC_2.2.5");
__asm__(".symver hypotf_of_any_glibc, hypotf@GLIBC_2.2.5");
double hypot_of_any_glibc(double x, double y);
float hypotf_of_any_glibc(float x, float y);

#pragma GCC visibility push(hidden)

double hypot(double x, double y) { return hypot_of_any_glibc(x, y); }
float hypotf(float x, float y) { return hypotf_of_any_glibc(x, y); }

// Finds the program or library that contains a machine instruction, and its table for unwinding (dl_find_object(3)). libgcc uses
// it when a C++ exception is thrown.

struct search {
  ElfW(Addr) instruction;
  struct dl_find_object *result;
};

static int look(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  struct search *search = argument;
  ElfW(Addr) start = -1, end = 0, table = 0;
  int contains = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    ElfW(Addr) begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) table = begin;
    if (part->p_type != PT_LOAD) continue;
    if (begin < start) start = begin;
    if (begin + part->p_memsz > end) end = begin + part->p_memsz;
    contains |= search->instruction >= begin && search->instruction < begin + part->p_memsz;
  }
  if (!contains || !table) return 0;
  *search->result =
      (struct dl_find_object){.dlfo_map_start = (void *)start, .dlfo_map_end = (void *)end, .dlfo_eh_frame = (void *)table};
  return 1;
}

int _dl_find_object(void *instruction, struct dl_find_object *result) {
  struct search search = {(ElfW(Addr))instruction, result};
  return dl_iterate_phdr(look, &search) ? 0 : -1;
}
