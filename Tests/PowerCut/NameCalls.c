#include "Watch.h"

#if defined(__linux__)

#include <stdarg.h>

// The functions that create, move and remove names.

static bool exists(const char *full_path, struct stat *status) { return lstat(full_path, status) == 0; }

// MARK: Opening

typedef int (*open_at)(int, const char *, int, ...);

static int open_watched(
  int directory, const char *path, int flags, mode_t mode, const char *full_path, open_at open_at
) {
  powercut_enter();
  powercut_count_call();
  struct stat status;
  bool existed = exists(full_path, &status);
  void *change = NULL;
  if (existed && (flags & O_TRUNC) && S_ISREG(status.st_mode) && status.st_size > 0) {
    int descriptor = REAL(open)(full_path, O_RDWR | O_CLOEXEC);
    // Not closed, because that would release the program's POSIX locks.
    if (descriptor >= 0) change = powercut_file_will_change(descriptor, 0, -1);
  }
  int result = open_at(directory, path, flags, mode);
  int error = errno;
  if (change != NULL) powercut_file_changed(change, NULL, result < 0 ? -1 : 0);
  if (result >= 0 && !existed) {
    powercut_name_changed(NAME_MADE, full_path, NULL, NULL);
    powercut_file_known(result);
  }
  powercut_leave();
  errno = error;
  return result;
}

static int open_any(int directory, const char *path, int flags, mode_t mode, open_at open_at) {
  char full_path[PATH_MAX];
  bool may_change = (flags & (O_CREAT | O_TRUNC)) != 0 && (flags & O_TMPFILE) != O_TMPFILE;
  if (!may_change || !powercut_is_on || !powercut_resolve_path(directory, path, full_path))
    return open_at(directory, path, flags, mode);
  return open_watched(directory, path, flags, mode, full_path, open_at);
}

#define MODE(flags)                                        \
  mode_t mode = 0;                                         \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    mode = va_arg(arguments, mode_t);                      \
    va_end(arguments);                                     \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_any(AT_FDCWD, path, flags, mode, REAL(openat));
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_any(AT_FDCWD, path, flags, mode, REAL(openat64));
}

int openat(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return open_any(directory, path, flags, mode, REAL(openat));
}

int openat64(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return open_any(directory, path, flags, mode, REAL(openat64));
}

// MARK: Making

static int folder_made(int directory, const char *path, mode_t mode) {
  char full_path[PATH_MAX];
  if (!powercut_is_on || !powercut_resolve_path(directory, path, full_path))
    return REAL(mkdirat)(directory, path, mode);
  powercut_enter();
  powercut_count_call();
  int result = REAL(mkdirat)(directory, path, mode);
  int error = errno;
  if (result == 0) powercut_name_changed(FOLDER_MADE, full_path, NULL, NULL);
  powercut_leave();
  errno = error;
  return result;
}

int mkdir(const char *path, mode_t mode) { return folder_made(AT_FDCWD, path, mode); }
int mkdirat(int directory, const char *path, mode_t mode) { return folder_made(directory, path, mode); }

int linkat(int from, const char *old, int to, const char *new, int flags) {
  char full_path[PATH_MAX];
  if (!powercut_is_on || !powercut_resolve_path(to, new, full_path)) return REAL(linkat)(from, old, to, new, flags);
  powercut_enter();
  powercut_point_begins("link", full_path);
  int result = REAL(linkat)(from, old, to, new, flags);
  int error = errno;
  if (result == 0) powercut_name_changed(NAME_MADE, full_path, NULL, NULL);
  powercut_point_ends();
  powercut_leave();
  errno = error;
  return result;
}

int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int symlinkat(const char *target, int directory, const char *path) {
  char full_path[PATH_MAX];
  if (!powercut_is_on || !powercut_resolve_path(directory, path, full_path))
    return REAL(symlinkat)(target, directory, path);
  powercut_enter();
  powercut_point_begins("symlink", full_path);
  int result = REAL(symlinkat)(target, directory, path);
  int error = errno;
  if (result == 0) powercut_name_changed(NAME_MADE, full_path, NULL, NULL);
  powercut_point_ends();
  powercut_leave();
  errno = error;
  return result;
}

int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

// MARK: Moving

static int name_moved(int from, const char *old, int to, const char *new, unsigned flags) {
  char old_full_path[PATH_MAX], full_path[PATH_MAX];
  if (!powercut_is_on || !powercut_resolve_path(to, new, full_path))
    return REAL(renameat2)(from, old, to, new, flags);
  powercut_enter();
  powercut_point_begins("rename", full_path);
  char *kept = powercut_name_keep(full_path);
  int result = REAL(renameat2)(from, old, to, new, flags);
  int error = errno;
  if (result == 0) {
    // A file from outside the folder cannot be moved back, so the move is undone as a creation.
    bool is_known = powercut_resolve_path(from, old, old_full_path);
    powercut_name_changed(is_known ? NAME_MOVED : NAME_MADE, full_path, is_known ? old_full_path : NULL, kept);
  }
  powercut_point_ends();
  powercut_leave();
  errno = error;
  return result;
}

int rename(const char *old, const char *new) { return name_moved(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return name_moved(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  return name_moved(from, old, to, new, flags);
}

// MARK: Removing

static int name_removed(int directory, const char *path, int flags) {
  char full_path[PATH_MAX];
  struct stat status;
  if (!powercut_is_on || !powercut_resolve_path(directory, path, full_path) || !exists(full_path, &status))
    return REAL(unlinkat)(directory, path, flags);
  powercut_enter();
  powercut_point_begins("unlink", full_path);
  char *kept = !S_ISDIR(status.st_mode) ? powercut_name_keep(full_path) : NULL;
  int result = REAL(unlinkat)(directory, path, flags);
  int error = errno;
  if (result == 0)
    powercut_name_changed(S_ISDIR(status.st_mode) ? FOLDER_REMOVED : NAME_REMOVED, full_path, NULL, kept);
  powercut_point_ends();
  powercut_leave();
  errno = error;
  return result;
}

int unlink(const char *path) { return name_removed(AT_FDCWD, path, 0); }
int unlinkat(int directory, const char *path, int flags) { return name_removed(directory, path, flags); }
int rmdir(const char *path) { return name_removed(AT_FDCWD, path, AT_REMOVEDIR); }

#endif
