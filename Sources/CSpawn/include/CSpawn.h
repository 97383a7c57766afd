#ifndef CSPAWN_H
#define CSPAWN_H

#include <stdbool.h>
#include <sys/types.h>

// What a child process inherits. A descriptor of -1 means that of this process.
struct openstorekit_inheritance {
  int input;
  int output;
  int errors;
  // Whether it stays in this process's group, and so receives what the terminal sends to the group, and inherits the
  // descriptors from 3 upwards that are not closed on execution.
  bool group_and_descriptors;
};

// Starts a program, found through PATH unless it has a slash. It blocks no signal, and SIGPIPE has its default action.
//
// folder: the working folder; NULL for that of this process.
// Returns 0, or the number of the error.
int openstorekit_spawn(
    pid_t *process, const char *program, char *const arguments[], char *const environment[], const char *folder,
    struct openstorekit_inheritance inheritance);

// Makes a pipe that no process inherits. Returns 0, or the number of the error.
int openstorekit_pipe(int *reading, int *writing);

#endif
