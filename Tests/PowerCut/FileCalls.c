#include "Watch.h"

#if defined(__linux__)

#include <sys/socket.h>
#include <sys/uio.h>

// The functions that libsqlite3, Foundation and the program call to write files and to send data.

static bool is_watched(int descriptor, char *full_path) {
  struct stat status;
  return powercut_is_on && fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
    && powercut_resolve_descriptor(descriptor, full_path);
}

// MARK: Writing

typedef ssize_t (*write_at)(int, const void *, size_t, off_t);

static ssize_t write_watched(int descriptor, const void *bytes, size_t length, off_t offset, write_at write) {
  powercut_enter();
  powercut_count_call();
  void *change = powercut_file_will_change(descriptor, offset, (off_t)length);
  ssize_t result = write(descriptor, bytes, length, offset);
  int error = errno;
  powercut_file_changed(change, bytes, result);
  powercut_leave();
  errno = error;
  return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  char full_path[PATH_MAX];
  if (!is_watched(descriptor, full_path)) return REAL(pwrite)(descriptor, bytes, length, offset);
  return write_watched(descriptor, bytes, length, offset, REAL(pwrite));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  char full_path[PATH_MAX];
  if (!is_watched(descriptor, full_path)) return REAL(pwrite64)(descriptor, bytes, length, offset);
  return write_watched(descriptor, bytes, length, offset, REAL(pwrite64));
}

static ssize_t write_here(int descriptor, const void *bytes, size_t length, off_t offset) {
  (void)offset;
  return REAL(write)(descriptor, bytes, length);
}

static bool goes_over_network(int descriptor) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  return getsockname(descriptor, (struct sockaddr *)&address, &size) == 0
    && (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

// Counts a call that sends data. Returns true if the data must be lost; the connection is closed then.
static bool is_lost(int descriptor) {
  struct stat status;
  if (!powercut_is_on || fstat(descriptor, &status) != 0) return false;
  if (!S_ISSOCK(status.st_mode) && !S_ISFIFO(status.st_mode)) return false;
  powercut_enter();
  powercut_count_call();
  bool is_lost = goes_over_network(descriptor) && powercut_must_drop_response();
  powercut_leave();
  if (is_lost) {
    shutdown(descriptor, SHUT_RDWR);
    errno = EPIPE;
  }
  return is_lost;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  char full_path[PATH_MAX];
  if (is_watched(descriptor, full_path)) {
    struct stat status;
    bool appends = (fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
    off_t offset = appends && fstat(descriptor, &status) == 0 ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
    return write_watched(descriptor, bytes, length, offset, write_here);
  }
  return is_lost(descriptor) ? -1 : REAL(write)(descriptor, bytes, length);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return is_lost(descriptor) ? -1 : REAL(writev)(descriptor, parts, count);
}

ssize_t send(int descriptor, const void *bytes, size_t length, int flags) {
  return is_lost(descriptor) ? -1 : REAL(send)(descriptor, bytes, length, flags);
}

ssize_t sendto(
  int descriptor, const void *bytes, size_t length, int flags, const struct sockaddr *address, socklen_t size
) {
  return is_lost(descriptor) ? -1 : REAL(sendto)(descriptor, bytes, length, flags, address, size);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  return is_lost(descriptor) ? -1 : REAL(sendmsg)(descriptor, message, flags);
}

typedef int (*set_length)(int, off_t);

static int set_length_watched(int descriptor, off_t length, set_length set_length) {
  powercut_enter();
  powercut_count_call();
  void *change = powercut_file_will_change(descriptor, length, -1);
  int result = set_length(descriptor, length);
  int error = errno;
  powercut_file_changed(change, NULL, result);
  powercut_leave();
  errno = error;
  return result;
}

int ftruncate(int descriptor, off_t length) {
  char full_path[PATH_MAX];
  if (!is_watched(descriptor, full_path)) return REAL(ftruncate)(descriptor, length);
  return set_length_watched(descriptor, length, REAL(ftruncate));
}

int ftruncate64(int descriptor, off64_t length) {
  char full_path[PATH_MAX];
  if (!is_watched(descriptor, full_path)) return REAL(ftruncate64)(descriptor, length);
  return set_length_watched(descriptor, length, REAL(ftruncate64));
}

// MARK: Syncing

// Does not sync the real disk: synced changes count as durable, and a cut undoes the others.
static int sync_watched(int descriptor, const char *kind, const char *full_path) {
  powercut_enter();
  powercut_point_begins(kind, full_path);
  struct stat status;
  if (fstat(descriptor, &status) == 0) {
    if (S_ISDIR(status.st_mode)) powercut_folder_synced(full_path);
    else powercut_file_synced(descriptor);
  }
  powercut_point_ends();
  powercut_leave();
  return 0;
}

int fsync(int descriptor) {
  char full_path[PATH_MAX];
  if (!is_watched(descriptor, full_path)) return REAL(fsync)(descriptor);
  return sync_watched(descriptor, "fsync", full_path);
}

int fdatasync(int descriptor) {
  char full_path[PATH_MAX];
  if (!is_watched(descriptor, full_path)) return REAL(fdatasync)(descriptor);
  return sync_watched(descriptor, "fdatasync", full_path);
}

#endif
