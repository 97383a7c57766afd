#include "Watch.h"

#if defined(__linux__)

#include <ftw.h>

struct name {
  enum name_change change;
  char *full_path, *other, *kept;
  struct name *previous, *next;
};

static struct name *first, *last;
static unsigned kept_names;

char *powercut_name_keep(const char *full_path) {
  char kept[PATH_MAX];
  if (snprintf(kept, sizeof kept, "%s.kept-%u", powercut_trace_path(), ++kept_names) >= (int)sizeof kept) abort();
  return REAL(link)(full_path, kept) == 0 ? strdup(kept) : NULL;
}

void powercut_name_changed(enum name_change change, const char *full_path, const char *other, char *kept) {
  struct name *name = calloc(1, sizeof *name);
  if (name == NULL) abort();
  name->change = change;
  name->full_path = strdup(full_path);
  name->other = other == NULL ? NULL : strdup(other);
  name->kept = kept;
  name->previous = last;
  if (last != NULL) last->next = name;
  else first = name;
  last = name;
}

static bool is_in(const char *full_path, const char *folder) {
  const char *slash = strrchr(full_path, '/');
  return (size_t)(slash - full_path) == strlen(folder) && strncmp(full_path, folder, strlen(folder)) == 0;
}

void powercut_folder_synced(const char *full_path) {
  for (struct name *name = first, *next; name != NULL; name = next) {
    next = name->next;
    // A move between two folders becomes durable with the target folder.
    if (!is_in(name->full_path, full_path)) continue;
    if (name->previous != NULL) name->previous->next = name->next;
    else first = name->next;
    if (name->next != NULL) name->next->previous = name->previous;
    else last = name->previous;
    if (name->kept != NULL) REAL(unlink)(name->kept);
    free(name->full_path);
    free(name->other);
    free(name->kept);
    free(name);
  }
}

void powercut_names_save(FILE *saved) {
  for (struct name *name = first; name != NULL; name = name->next) {
    powercut_write_bytes(saved, name->full_path, strlen(name->full_path) + 1);
    powercut_write_number(saved, name->change);
    powercut_write_bytes(saved, name->other, name->other == NULL ? 0 : strlen(name->other) + 1);
    powercut_write_bytes(saved, name->kept, name->kept == NULL ? 0 : strlen(name->kept) + 1);
  }
}

bool powercut_name_load(FILE *saved) {
  char *full_path = powercut_read_bytes(saved, NULL);
  if (full_path == NULL) return false;
  enum name_change change = (enum name_change)powercut_read_number(saved);
  char *other = powercut_read_bytes(saved, NULL);
  powercut_name_changed(change, full_path, other, powercut_read_bytes(saved, NULL));
  free(full_path);
  free(other);
  return true;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *unused) {
  (void)status, (void)unused;
  if (kind == FTW_DP) REAL(rmdir)(path);
  else REAL(unlink)(path);
  return 0;
}

static void restore_file(const struct name *name) {
  if (name->kept != NULL && REAL(link)(name->kept, name->full_path) != 0) abort();
}

// A name may be gone already, because its folder was removed. The errors of these calls are ignored.
static void undo(const struct name *name) {
  switch (name->change) {
  case NAME_MADE: REAL(unlink)(name->full_path); break;
  case FOLDER_MADE: nftw(name->full_path, remove_one, 20, FTW_PHYS | FTW_DEPTH); break;
  case NAME_REMOVED: restore_file(name); break;
  case FOLDER_REMOVED: REAL(mkdir)(name->full_path, 0700); break;
  case NAME_MOVED:
    REAL(rename)(name->full_path, name->other);
    restore_file(name);
    break;
  }
}

void powercut_names_lose(bool randomly) {
  unsigned count = 0;
  for (struct name *name = first; name != NULL; name = name->next) count++;
  // File systems keep such changes in a journal, so only a number of the last ones can be lost.
  unsigned lost = randomly ? (unsigned)(powercut_random() % (count + 1)) : count;
  for (struct name *name = last; name != NULL && lost > 0; name = name->previous, lost--) undo(name);
}

#endif
