#ifndef COMMAND_SIGNALS_H
#define COMMAND_SIGNALS_H

#include <sys/types.h>

/// Catches a signal from now on, unless this process ignores it (as with nohup).
void openstorekit_catch_signal(int number);

/// Announces that the command is about to start. From now on, signals of the terminal may reach it directly.
void openstorekit_command_starts(void);

/// Sends the process the signal that waits, if any, and all signals that are caught from now on.
void openstorekit_command_runs(pid_t process);

/// Stops passing signals on.
void openstorekit_command_has_ended(void);

#endif
