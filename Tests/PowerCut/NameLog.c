#include "Watch.h"

#if defined(__linux__)

#include <ftw.h>

struct name {
  enum name_change change;
  char *place, *other, *kept;
  struct name *previous, *next;
};

static struct name *first, *last;
static unsigned kept_names;

char *powercut_name_keep(const char *place) {
  char kept[PATH_MAX];
  if (snprintf(kept, sizeof kept, "%s.kept-%u", powercut_trace_path(), ++kept_names) >= (int)sizeof kept) abort();
  return REAL(link)(place, kept) == 0 ? strdup(kept) : NULL;
}

void powercut_name_changed(enum name_change change, const char *place, const char *other, char *kept) {
  struct name *name = calloc(1, sizeof *name);
  if (name == NULL) abort();
  name->change = change;
  name->place = strdup(place);
  name->other = other == NULL ? NULL : strdup(other);
  name->kept = kept;
  name->previous = last;
  if (last != NULL) last->next = name;
  else first = name;
  last = name;
}

static bool is_in(const char *place, const char *folder) {
  const char *slash = strrchr(place, '/');
  return (size_t)(slash - place) == strlen(folder) && strncmp(place, folder, strlen(folder)) == 0;
}

void powercut_folder_synced(const char *place) {
  for (struct name *name = first, *next; name != NULL; name = next) {
    next = name->next;
    // A move between two folders becomes durable with the target folder.
    if (!is_in(name->place, place)) continue;
    if (name->previous != NULL) name->previous->next = name->next;
    else first = name->next;
    if (name->next != NULL) name->next->previous = name->previous;
    else last = name->previous;
    if (name->kept != NULL) REAL(unlink)(name->kept);
    free(name->place);
    free(name->other);
    free(name->kept);
    free(name);
  }
}

void powercut_names_leave(FILE *legacy) {
  for (struct name *name = first; name != NULL; name = name->next) {
    powercut_put_bytes(legacy, name->place, strlen(name->place) + 1);
    powercut_put_number(legacy, name->change);
    powercut_put_bytes(legacy, name->other, name->other == NULL ? 0 : strlen(name->other) + 1);
    powercut_put_bytes(legacy, name->kept, name->kept == NULL ? 0 : strlen(name->kept) + 1);
  }
}

bool powercut_name_inherit(FILE *legacy) {
  char *place = powercut_take_bytes(legacy, NULL);
  if (place == NULL) return false;
  enum name_change change = (enum name_change)powercut_take_number(legacy);
  char *other = powercut_take_bytes(legacy, NULL);
  powercut_name_changed(change, place, other, powercut_take_bytes(legacy, NULL));
  free(place);
  free(other);
  return true;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *unused) {
  (void)status, (void)unused;
  if (kind == FTW_DP) REAL(rmdir)(path);
  else REAL(unlink)(path);
  return 0;
}

static void put_back(const struct name *name) {
  if (name->kept != NULL && REAL(link)(name->kept, name->place) != 0) abort();
}

// A name may be gone already, because its folder was removed. The errors of these calls are ignored.
static void undo(const struct name *name) {
  switch (name->change) {
  case NAME_MADE: REAL(unlink)(name->place); break;
  case FOLDER_MADE: nftw(name->place, remove_one, 20, FTW_PHYS | FTW_DEPTH); break;
  case NAME_REMOVED: put_back(name); break;
  case FOLDER_REMOVED: REAL(mkdir)(name->place, 0700); break;
  case NAME_MOVED:
    REAL(rename)(name->place, name->other);
    put_back(name);
    break;
  }
}

void powercut_names_lose(bool chance) {
  unsigned count = 0;
  for (struct name *name = first; name != NULL; name = name->next) count++;
  // File systems keep such changes in a journal, so only a number of the last ones can be lost.
  unsigned lost = chance ? (unsigned)(powercut_random() % (count + 1)) : count;
  for (struct name *name = last; name != NULL && lost > 0; name = name->previous, lost--) undo(name);
}

#endif
