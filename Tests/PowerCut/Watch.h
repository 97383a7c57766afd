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

// MARK: Instructions (Order.c). Between enter and leave, the calling thread holds the library's lock.

/// Whether the library watches. False until it has read its instructions from the environment, and if there are none.
INTERNAL extern bool powercut_is_on;
INTERNAL void powercut_enter(void);
INTERNAL void powercut_leave(void);

/// Counts a watched call, and cuts if it is the chosen one.
INTERNAL void powercut_beat(void);
/// Called before and after a commit point: a call that makes a change durable, or visible as a whole.
INTERNAL void powercut_point_begins(const char *kind, const char *path);
INTERNAL void powercut_point_ends(void);
/// Whether the answer that is about to be sent must be lost. Returns true once.
INTERNAL bool powercut_takes_answer(void);
INTERNAL void powercut_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
INTERNAL const char *powercut_trace_path(void);

// MARK: Random numbers (Order.c): the same for the same seed.

INTERNAL uint64_t powercut_random(void);

// MARK: Places (Places.c)

INTERNAL void powercut_set_folder(const char *folder);
INTERNAL const char *powercut_folder(void);
/// Whether the file is inside the folder. Writes its absolute path to `place`, which has PATH_MAX bytes.
INTERNAL bool powercut_place_of_path(int directory, const char *path, char *place);
INTERNAL bool powercut_place_of_descriptor(int descriptor, char *place);
/// The path relative to the folder.
INTERNAL const char *powercut_short(const char *place);

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
/// Undoes the changes that were not synced; with `chance`, a random part of them.
INTERNAL void powercut_files_lose(bool chance);
/// Writes the changes that were not synced to a file. The next process reads them with `powercut_file_inherit`.
INTERNAL void powercut_files_leave(FILE *legacy);
INTERNAL bool powercut_file_inherit(FILE *legacy);

// MARK: Names that were created or removed in folders that were not synced since (NameLog.c)

enum name_change { NAME_MADE, FOLDER_MADE, NAME_REMOVED, FOLDER_REMOVED, NAME_MOVED };
/// Called before a name is removed or replaced. Keeps its file by another link, whose path is returned; NULL if there is no
/// file.
INTERNAL char *powercut_name_keep(const char *place);
/// Called after the change. `other` is the previous path of a moved name. Takes ownership of `kept`.
INTERNAL void powercut_name_changed(enum name_change change, const char *place, const char *other, char *kept);
INTERNAL void powercut_folder_synced(const char *place);
INTERNAL void powercut_names_lose(bool chance);
INTERNAL void powercut_names_leave(FILE *legacy);
INTERNAL bool powercut_name_inherit(FILE *legacy);

// MARK: The unsynced changes of a killed process (Legacy.c). They are still visible, but a power cut can lose them.

INTERNAL void powercut_leave_legacy(void);
INTERNAL void powercut_take_legacy(const char *path);
INTERNAL void powercut_put_number(FILE *legacy, int64_t number);
INTERNAL int64_t powercut_take_number(FILE *legacy);
/// Writes bytes. NULL is read back as NULL.
INTERNAL void powercut_put_bytes(FILE *legacy, const void *bytes, size_t length);
INTERNAL void *powercut_take_bytes(FILE *legacy, size_t *length);

#endif
#endif
