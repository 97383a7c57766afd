#ifndef COMMAND_SIGNALS_H
#define COMMAND_SIGNALS_H

#include <sys/types.h>

/// Catches a signal from now on, unless the caller has this process ignore it, as nohup does.
void openstorekit_catch_signal(int number);

/// Says that the command is about to be started: from now on the terminal may reach it, too.
void openstorekit_command_starts(void);

/// Passes what was caught before, and what is caught from now on, on to that process.
void openstorekit_command_runs(pid_t process);

/// Passes nothing on any more.
void openstorekit_command_has_ended(void);

#endif
