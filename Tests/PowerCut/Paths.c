#include "Watch.h"

#if defined(__linux__)

static char folder[PATH_MAX];
static size_t folder_length;

void powercut_set_folder(const char *path) {
  if (realpath(path, folder) == NULL) abort();
  folder_length = strlen(folder);
}

const char *powercut_folder(void) { return folder; }

static bool is_inside(const char *full_path) {
  return strncmp(full_path, folder, folder_length) == 0
    && (full_path[folder_length] == '/' || full_path[folder_length] == 0);
}

const char *powercut_short(const char *full_path) {
  return is_inside(full_path) && full_path[folder_length] == '/' ? full_path + folder_length + 1 : full_path;
}

bool powercut_resolve_descriptor(int descriptor, char *full_path) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, full_path, PATH_MAX - 1);
  if (length < 0) return false;
  full_path[length] = 0;
  return is_inside(full_path);
}

bool powercut_resolve_path(int directory, const char *path, char *full_path) {
  // The containing folder must exist. The name itself need not exist, and is not followed if it is a link.
  char whole[PATH_MAX], base[PATH_MAX];
  if (path == NULL || path[0] == 0) return false;
  if (path[0] == '/') {
    if (snprintf(whole, sizeof whole, "%s", path) >= (int)sizeof whole) return false;
  } else {
    if (directory == AT_FDCWD) {
      if (getcwd(base, sizeof base) == NULL) return false;
    } else {
      char link[40];
      snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
      ssize_t length = readlink(link, base, sizeof base - 1);
      if (length < 0) return false;
      base[length] = 0;
    }
    if (snprintf(whole, sizeof whole, "%s/%s", base, path) >= (int)sizeof whole) return false;
  }
  size_t length = strlen(whole);
  while (length > 1 && whole[length - 1] == '/') whole[--length] = 0;
  char *slash = strrchr(whole, '/');
  const char *name = slash + 1;
  char parent[PATH_MAX];
  *slash = 0;
  if (realpath(slash == whole ? "/" : whole, parent) == NULL) return false;
  if (snprintf(full_path, PATH_MAX, "%s/%s", parent, name) >= PATH_MAX) return false;
  return is_inside(full_path);
}

#endif
