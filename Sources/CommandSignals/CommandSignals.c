#include "CommandSignals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

// Passes signals on to the command that this process runs.
//
// Written in C: a signal may interrupt the Swift runtime or malloc while it holds a lock, and Swift code may need the
// same lock. kill and lock-free atomics are safe in a signal handler.

enum { none_yet = 0, starting = -1, ended = -2 };

// The process id of the command, or one of the states above.
static _Atomic(pid_t) command = none_yet;
// A signal that arrived before the command had a process id; 0 for no signal.
static atomic_int waiting = 0;

static int is_from_terminal(const siginfo_t *information) {
#ifdef SI_KERNEL
  return information->si_code == SI_KERNEL;
#else
  return information->si_pid == 0;
#endif
}

static void caught(int number, siginfo_t *information, void *context) {
  (void)context;
  int error = errno;
  pid_t process = atomic_load(&command);
  // The terminal sends its signals to every process of the group, so the command receives them itself.
  if (process == none_yet || (process == starting && !is_from_terminal(information))) {
    atomic_store(&waiting, number);
    // The command may have started meanwhile, and openstorekit_command_runs will not check `waiting` again.
    process = atomic_load(&command);
    if (process > 0 && atomic_exchange(&waiting, 0) != 0) kill(process, number);
  } else if (process > 0 && !is_from_terminal(information)) {
    kill(process, number);
  }
  errno = error;
}

void openstorekit_catch_signal(int number) {
  struct sigaction former, action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  if (sigaction(number, NULL, &former) == 0 && former.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void openstorekit_command_starts(void) { atomic_store(&command, starting); }

void openstorekit_command_runs(pid_t process) {
  atomic_store(&command, process);
  int number = atomic_exchange(&waiting, 0);
  if (number != 0) kill(process, number);
}

void openstorekit_command_has_ended(void) { atomic_store(&command, ended); }
