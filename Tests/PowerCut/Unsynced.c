#include "Watch.h"

#if defined(__linux__)

void powercut_write_number(FILE *saved, int64_t number) {
  if (fwrite(&number, sizeof number, 1, saved) != 1) abort();
}

int64_t powercut_read_number(FILE *saved) {
  int64_t number;
  if (fread(&number, sizeof number, 1, saved) != 1) abort();
  return number;
}

void powercut_write_bytes(FILE *saved, const void *bytes, size_t length) {
  powercut_write_number(saved, bytes == NULL ? -1 : (int64_t)length);
  if (bytes != NULL && length > 0 && fwrite(bytes, length, 1, saved) != 1) abort();
}

void *powercut_read_bytes(FILE *saved, size_t *length) {
  int64_t count = powercut_read_number(saved);
  if (length != NULL) *length = count < 0 ? 0 : (size_t)count;
  if (count < 0) return NULL;
  void *bytes = malloc((size_t)count + 1);
  if (bytes == NULL || (count > 0 && fread(bytes, (size_t)count, 1, saved) != 1)) abort();
  return bytes;
}

// Written to a temporary name first, so that the file is complete or missing: the program may exit meanwhile.
void powercut_save_unsynced(void) {
  char path[PATH_MAX], unfinished[PATH_MAX];
  if (snprintf(path, sizeof path, "%s.unsynced", powercut_trace_path()) >= (int)sizeof path) abort();
  if (snprintf(unfinished, sizeof unfinished, "%s.unfinished", path) >= (int)sizeof unfinished) abort();
  FILE *saved = fopen(unfinished, "w");
  if (saved == NULL) abort();
  powercut_files_save(saved);
  powercut_write_bytes(saved, NULL, 0);
  powercut_names_save(saved);
  powercut_write_bytes(saved, NULL, 0);
  if (fclose(saved) != 0 || REAL(rename)(unfinished, path) != 0) abort();
}

void powercut_load_unsynced(const char *path) {
  FILE *saved = path == NULL ? NULL : fopen(path, "r");
  if (saved == NULL) return;
  while (powercut_file_load(saved)) {
  }
  while (powercut_name_load(saved)) {
  }
  fclose(saved);
}

#endif
