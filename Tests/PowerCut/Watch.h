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

// The function of libc that this library stands before.
#define REAL(name) ((__typeof__(&name))powercut_real(#name))
void *powercut_real(const char *name);

#define INTERNAL __attribute__((visibility("hidden")))

// MARK: Orders (Order.c). Between enter and leave the calling thread is the only one in here.

/// Whether there is an order; false before the library has read it.
INTERNAL extern bool powercut_is_on;
INTERNAL void powercut_enter(void);
INTERNAL void powercut_leave(void);

/// One watched call more.
INTERNAL void powercut_beat(void);
/// Around what makes a change durable or visible as a whole.
INTERNAL void powercut_point_begins(const char *kind, const char *path);
INTERNAL void powercut_point_ends(void);
/// Whether the answer that is about to be sent is to be lost.
INTERNAL bool powercut_takes_answer(void);
INTERNAL void powercut_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
INTERNAL const char *powercut_trace_path(void);

// MARK: Chance (Order.c): the same for the same seed.

INTERNAL uint64_t powercut_random(void);

// MARK: Places (Places.c)

INTERNAL void powercut_set_folder(const char *folder);
INTERNAL const char *powercut_folder(void);
/// Whether it is inside the folder, and where exactly. `place` has PATH_MAX bytes.
INTERNAL bool powercut_place_of_path(int directory, const char *path, char *place);
INTERNAL bool powercut_place_of_descriptor(int descriptor, char *place);
/// The part of a place after the folder.
INTERNAL const char *powercut_short(const char *place);

// MARK: What was written and not synced (FileLog.c)

INTERNAL void powercut_file_known(int descriptor);
/// Before a change: takes a copy of what the `length` bytes at `offset` are. `length` -1: to the end of the file.
INTERNAL void *powercut_file_will_change(int descriptor, off_t offset, off_t length);
/// After it: `bytes` were written at that offset (NULL: the file was given a new length).
INTERNAL void powercut_file_changed(void *change, const void *bytes, ssize_t length);
INTERNAL void powercut_file_synced(int descriptor);
/// Writes a line for every file that was changed by a way that is not watched.
INTERNAL void powercut_files_check(void);
/// Takes back what was not synced; with `chance`, only some of it.
INTERNAL void powercut_files_lose(bool chance);
/// Leaves what was not synced to the process that comes next, and takes it over there.
INTERNAL void powercut_files_leave(FILE *legacy);
INTERNAL bool powercut_file_inherit(FILE *legacy);

// MARK: Names made and removed in folders that were not synced since (NameLog.c)

enum name_change { NAME_MADE, FOLDER_MADE, NAME_REMOVED, FOLDER_REMOVED, NAME_MOVED };
/// Before a name is removed or replaced: keeps the file that bears it. NULL if there is none.
INTERNAL char *powercut_name_keep(const char *place);
/// After it. `other` is where the name was moved from; `kept` is taken over.
INTERNAL void powercut_name_changed(enum name_change change, const char *place, const char *other, char *kept);
INTERNAL void powercut_folder_synced(const char *place);
INTERNAL void powercut_names_lose(bool chance);
INTERNAL void powercut_names_leave(FILE *legacy);
INTERNAL bool powercut_name_inherit(FILE *legacy);

// MARK: The legacy of a killed process (Legacy.c): what it wrote is still there, but was not synced.

INTERNAL void powercut_leave_legacy(void);
INTERNAL void powercut_take_legacy(const char *path);
INTERNAL void powercut_put_number(FILE *legacy, int64_t number);
INTERNAL int64_t powercut_take_number(FILE *legacy);
/// `bytes` NULL is taken as NULL again.
INTERNAL void powercut_put_bytes(FILE *legacy, const void *bytes, size_t length);
INTERNAL void *powercut_take_bytes(FILE *legacy, size_t *length);

#endif
#endif
