// closefrom, chdir and pipe2 are extensions of glibc, which Swift's module of it does not have.
#define _GNU_SOURCE

#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <unistd.h>

static int add_actions(
    posix_spawn_file_actions_t *actions, const char *folder, struct openstorekit_inheritance inheritance) {
  int streams[] = {inheritance.input, inheritance.output, inheritance.errors};
  int error = 0;
  for (int number = 0; error == 0 && number < 3; number++) {
    if (streams[number] >= 0) error = posix_spawn_file_actions_adddup2(actions, streams[number], number);
  }
  if (error == 0 && folder != NULL) error = posix_spawn_file_actions_addchdir_np(actions, folder);
  if (error == 0 && !inheritance.group_and_descriptors) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  return error;
}

static int set_attributes(posix_spawnattr_t *attributes, struct openstorekit_inheritance inheritance) {
  sigset_t blocked, defaults;
  sigemptyset(&blocked);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  int error = posix_spawnattr_setsigmask(attributes, &blocked);
  if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &defaults);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!inheritance.group_and_descriptors) flags |= POSIX_SPAWN_SETPGROUP;
  if (error == 0) error = posix_spawnattr_setflags(attributes, (short)flags);
  return error;
}

int openstorekit_spawn(
    pid_t *process, const char *program, char *const arguments[], char *const environment[], const char *folder,
    struct openstorekit_inheritance inheritance) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    error = add_actions(&actions, folder, inheritance);
    if (error == 0) error = set_attributes(&attributes, inheritance);
    if (error == 0) error = posix_spawnp(process, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int openstorekit_pipe(int *reading, int *writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  *reading = ends[0];
  *writing = ends[1];
  return 0;
}
