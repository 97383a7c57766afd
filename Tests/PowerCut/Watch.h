#ifndef POWERCUT_WATCH_H
#define POWERCUT_WATCH_H

#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// The function of libc that this library replaces.
#define REAL(name) ((__typeof__(&name))powercut_real(#name))
void *powercut_real(const char *name);

#define INTERNAL __attribute__((visibility("hidden")))

// MARK: Settings (Settings.c). Between enter and leave, the calling thread holds the library's lock.

/// Whether the library watches. False until it has read its settings from the environment, and if there are none.
INTERNAL extern bool powercut_is_on;
INTERNAL void powercut_enter(void);
INTERNAL void powercut_leave(void);

/// Counts a watched call, and cuts if it is the chosen one.
INTERNAL void powercut_count_call(void);
/// Called before and after a commit point: a call that makes a change durable, or visible as a whole.
INTERNAL void powercut_point_begins(const char *kind, const char *path);
INTERNAL void powercut_point_ends(void);
/// Whether the response that is about to be sent must be lost. Returns true once.
INTERNAL bool powercut_must_drop_response(void);
INTERNAL void powercut_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
INTERNAL const char *powercut_trace_path(void);

// MARK: Random numbers (Settings.c): the same for the same seed.

INTERNAL uint64_t powercut_random(void);

// MARK: Paths (Paths.c)

INTERNAL void powercut_set_folder(const char *folder);
INTERNAL const char *powercut_folder(void);
/// Whether the file is inside the folder. Writes its absolute path to `full_path`, which has PATH_MAX bytes.
INTERNAL bool powercut_resolve_path(int directory, const char *path, char *full_path);
INTERNAL bool powercut_resolve_descriptor(int descriptor, char *full_path);
/// The path relative to the folder.
INTERNAL const char *powercut_short(const char *full_path);

// MARK: Writes that were not synced (FileLog.c)

/// Starts to track a file that was just created.

INTERNAL void powercut_file_known(int descriptor);
/// Called before a change. Copies the `length` bytes at `offset`; with `length` -1, all bytes up to the end of the file.
INTERNAL void *powercut_file_will_change(int descriptor, off_t offset, off_t length);
/// Called after the change: `bytes` were written at that offset. With NULL, the length of the file was changed.
INTERNAL void powercut_file_changed(void *change, const void *bytes, ssize_t length);
INTERNAL void powercut_file_synced(int descriptor);
/// Traces every file that was changed by a call that is not watched.
INTERNAL void powercut_files_check(void);
/// Undoes the changes that were not synced; with `randomly`, a random part of them.
INTERNAL void powercut_files_lose(bool randomly);
/// Writes the changes that were not synced to a file. The next process reads them with `powercut_file_load`.
INTERNAL void powercut_files_save(FILE *saved);
INTERNAL bool powercut_file_load(FILE *saved);

// MARK: Names that were created or removed in folders that were not synced since (NameLog.c)

enum name_change { NAME_MADE, FOLDER_MADE, NAME_REMOVED, FOLDER_REMOVED, NAME_MOVED };
/// Called before a name is removed or replaced. Keeps its file by another link, whose path is returned; NULL if there is no
/// file.
INTERNAL char *powercut_name_keep(const char *full_path);
/// Called after the change. `other` is the previous path of a moved name. Takes ownership of `kept`.
INTERNAL void powercut_name_changed(enum name_change change, const char *full_path, const char *other, char *kept);
INTERNAL void powercut_folder_synced(const char *full_path);
INTERNAL void powercut_names_lose(bool randomly);
INTERNAL void powercut_names_save(FILE *saved);
INTERNAL bool powercut_name_load(FILE *saved);

// MARK: The unsynced changes of a killed process (Unsynced.c). They are still visible, but a power cut can lose them.

INTERNAL void powercut_save_unsynced(void);
INTERNAL void powercut_load_unsynced(const char *path);
INTERNAL void powercut_write_number(FILE *saved, int64_t number);
INTERNAL int64_t powercut_read_number(FILE *saved);
/// Writes bytes. NULL is read back as NULL.
INTERNAL void powercut_write_bytes(FILE *saved, const void *bytes, size_t length);
INTERNAL void *powercut_read_bytes(FILE *saved, size_t *length);

#endif
#endif
