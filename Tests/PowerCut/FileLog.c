#include "Watch.h"

#if defined(__linux__)

#include <ftw.h>
#include <time.h>

// A write, or a change of the file's length (then `now` is NULL).
struct change {
  struct file *file;
  off_t offset, size_before, size_after;
  unsigned char *before, *now;
  size_t length_before, length_now;
  struct change *previous, *next;
};

struct file {
  dev_t device;
  ino_t inode;
  // The library's own descriptor, which works even if the program can no longer open the file. It is never closed,
  // because closing it would release the program's POSIX locks.
  int descriptor;
  // The state after the last watched change.
  off_t size;
  struct timespec modified;
  struct change *first, *last;
  struct file *next;
};

static struct file *files;
static struct timespec start;

enum { sector_size = 512 };

__attribute__((constructor)) static void note_start(void) { clock_gettime(CLOCK_REALTIME, &start); }

static struct file *find(const struct stat *status) {
  for (struct file *file = files; file != NULL; file = file->next) {
    if (file->device == status->st_dev && file->inode == status->st_ino) return file;
  }
  return NULL;
}

static void note_state(struct file *file) {
  struct stat status;
  if (fstat(file->descriptor, &status) != 0) abort();
  file->size = status.st_size;
  file->modified = status.st_mtim;
}

static struct file *file_of(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) abort();
  struct file *file = find(&status);
  if (file != NULL) return file;
  file = calloc(1, sizeof *file);
  if (file == NULL) abort();
  file->device = status.st_dev;
  file->inode = status.st_ino;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  file->descriptor = REAL(open)(path, O_RDWR | O_CLOEXEC);
  if (file->descriptor < 0) abort();
  note_state(file);
  file->next = files;
  files = file;
  return file;
}

void powercut_file_known(int descriptor) { note_state(file_of(descriptor)); }

void *powercut_file_will_change(int descriptor, off_t offset, off_t length) {
  struct change *change = calloc(1, sizeof *change);
  if (change == NULL) abort();
  change->file = file_of(descriptor);
  change->offset = offset;
  struct stat status;
  if (fstat(descriptor, &status) != 0) abort();
  change->size_before = status.st_size;
  off_t end = length < 0 || offset + length > status.st_size ? status.st_size : offset + length;
  if (end > offset) {
    change->length_before = (size_t)(end - offset);
    change->before = malloc(change->length_before);
    if (change->before == NULL
        || pread(change->file->descriptor, change->before, change->length_before, offset)
             != (ssize_t)change->length_before)
      abort();
  }
  return change;
}

static void append(struct change *change) {
  struct file *file = change->file;
  change->previous = file->last;
  if (file->last != NULL) file->last->next = change;
  else file->first = change;
  file->last = change;
}

static void release(struct change *change) {
  free(change->before);
  free(change->now);
  free(change);
}

void powercut_file_changed(void *opaque, const void *bytes, ssize_t length) {
  struct change *change = opaque;
  struct file *file = change->file;
  if (length < 0) {
    // The call failed, and changed nothing.
    release(change);
    return;
  }
  note_state(file);
  change->size_after = file->size;
  if (bytes != NULL) {
    change->length_now = (size_t)length;
    change->now = malloc(change->length_now + 1);
    if (change->now == NULL) abort();
    memcpy(change->now, bytes, change->length_now);
    if (change->length_before > change->length_now) change->length_before = change->length_now;
  }
  append(change);
}

static void forget_changes(struct file *file) {
  while (file->first != NULL) {
    struct change *change = file->first;
    file->first = change->next;
    release(change);
  }
  file->last = NULL;
}

void powercut_file_synced(int descriptor) { forget_changes(file_of(descriptor)); }

static void put(struct file *file, const unsigned char *bytes, size_t length, off_t offset) {
  if (length > 0 && REAL(pwrite)(file->descriptor, bytes, length, offset) != (ssize_t)length) abort();
}

static void set_length(struct file *file, off_t length) {
  if (REAL(ftruncate)(file->descriptor, length) != 0) abort();
}

// Writes random sectors of a change: a disk writes whole sectors, in any order.
static void put_some(struct file *file, const struct change *change, unsigned percentage) {
  size_t done = 0;
  while (done < change->length_now) {
    size_t in_sector = sector_size - (size_t)((change->offset + (off_t)done) % sector_size);
    size_t length = change->length_now - done < in_sector ? change->length_now - done : in_sector;
    if (powercut_random() % 100 < percentage) put(file, change->now + done, length, change->offset + (off_t)done);
    done += length;
  }
}

void powercut_files_lose(bool randomly) {
  static const unsigned percentages[] = {10, 50, 90};
  unsigned percentage = randomly ? percentages[powercut_random() % 3] : 0;
  for (struct file *file = files; file != NULL; file = file->next) {
    for (struct change *change = file->last; change != NULL; change = change->previous) {
      put(file, change->before, change->length_before, change->offset);
      set_length(file, change->size_before);
    }
    if (!randomly) continue;
    for (struct change *change = file->first; change != NULL; change = change->next) {
      if (change->now != NULL) put_some(file, change, percentage);
      else if (powercut_random() % 100 < percentage) set_length(file, change->size_after);
    }
  }
}

void powercut_files_save(FILE *saved) {
  for (struct file *file = files; file != NULL; file = file->next) {
    char full_path[PATH_MAX];
    struct stat status;
    // A file without a name cannot be read after the cut.
    if (fstat(file->descriptor, &status) != 0 || status.st_nlink == 0) continue;
    if (!powercut_resolve_descriptor(file->descriptor, full_path) || access(full_path, F_OK) != 0) continue;
    for (struct change *change = file->first; change != NULL; change = change->next) {
      powercut_write_bytes(saved, full_path, strlen(full_path) + 1);
      powercut_write_number(saved, change->offset);
      powercut_write_number(saved, change->size_before);
      powercut_write_number(saved, change->size_after);
      powercut_write_bytes(saved, change->before, change->length_before);
      powercut_write_bytes(saved, change->now, change->length_now);
    }
  }
}

bool powercut_file_load(FILE *saved) {
  char *full_path = powercut_read_bytes(saved, NULL);
  if (full_path == NULL) return false;
  // Not closed, because that would release the program's POSIX locks.
  int descriptor = REAL(open)(full_path, O_RDWR | O_CLOEXEC);
  struct change *change = calloc(1, sizeof *change);
  if (descriptor < 0 || change == NULL) abort();
  change->file = file_of(descriptor);
  change->offset = powercut_read_number(saved);
  change->size_before = powercut_read_number(saved);
  change->size_after = powercut_read_number(saved);
  change->before = powercut_read_bytes(saved, &change->length_before);
  change->now = powercut_read_bytes(saved, &change->length_now);
  append(change);
  free(full_path);
  return true;
}

static bool is_later(struct timespec left, struct timespec right) {
  return left.tv_sec != right.tv_sec ? left.tv_sec > right.tv_sec : left.tv_nsec > right.tv_nsec;
}

static int check(const char *path, const struct stat *status, int kind, struct FTW *unused) {
  (void)unused;
  if (kind != FTW_F || !S_ISREG(status->st_mode)) return 0;
  const struct file *file = find(status);
  bool was_seen = file == NULL ? !is_later(status->st_mtim, start)
                               : file->size == status->st_size && !is_later(status->st_mtim, file->modified);
  if (!was_seen) powercut_trace("unseen %s", powercut_short(path));
  return 0;
}

void powercut_files_check(void) { nftw(powercut_folder(), check, 20, FTW_PHYS); }

#endif
