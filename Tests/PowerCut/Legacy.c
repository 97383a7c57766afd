#include "Watch.h"

#if defined(__linux__)

void powercut_put_number(FILE *legacy, int64_t number) {
  if (fwrite(&number, sizeof number, 1, legacy) != 1) abort();
}

int64_t powercut_take_number(FILE *legacy) {
  int64_t number;
  if (fread(&number, sizeof number, 1, legacy) != 1) abort();
  return number;
}

void powercut_put_bytes(FILE *legacy, const void *bytes, size_t length) {
  powercut_put_number(legacy, bytes == NULL ? -1 : (int64_t)length);
  if (bytes != NULL && length > 0 && fwrite(bytes, length, 1, legacy) != 1) abort();
}

void *powercut_take_bytes(FILE *legacy, size_t *length) {
  int64_t count = powercut_take_number(legacy);
  if (length != NULL) *length = count < 0 ? 0 : (size_t)count;
  if (count < 0) return NULL;
  void *bytes = malloc((size_t)count + 1);
  if (bytes == NULL || (count > 0 && fread(bytes, (size_t)count, 1, legacy) != 1)) abort();
  return bytes;
}

// Written to a temporary name first, so that the file is complete or missing: the program may exit meanwhile.
void powercut_leave_legacy(void) {
  char path[PATH_MAX], unfinished[PATH_MAX];
  if (snprintf(path, sizeof path, "%s.left", powercut_trace_path()) >= (int)sizeof path) abort();
  if (snprintf(unfinished, sizeof unfinished, "%s.unfinished", path) >= (int)sizeof unfinished) abort();
  FILE *legacy = fopen(unfinished, "w");
  if (legacy == NULL) abort();
  powercut_files_leave(legacy);
  powercut_put_bytes(legacy, NULL, 0);
  powercut_names_leave(legacy);
  powercut_put_bytes(legacy, NULL, 0);
  if (fclose(legacy) != 0 || REAL(rename)(unfinished, path) != 0) abort();
}

void powercut_take_legacy(const char *path) {
  FILE *legacy = path == NULL ? NULL : fopen(path, "r");
  if (legacy == NULL) return;
  while (powercut_file_inherit(legacy)) {
  }
  while (powercut_name_inherit(legacy)) {
  }
  fclose(legacy);
}

#endif
