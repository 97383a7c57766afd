#ifndef POWERCUT_H
#define POWERCUT_H

// A library for LD_PRELOAD that counts the commit points of an unmodified program. It ends the program at one of them,
// as SIGKILL or a power cut would. No target links it. It is controlled by environment variables.
// See Documentation/commit-points.md.
//
// POWERCUT_FOLDER                the folder that stands for the disk: changes of files in it are watched
// POWERCUT_TRACE                 the file to which events are appended: outside the folder, on the same file system
// POWERCUT_LOSES                 the unsynced changes that a cut loses: nothing (like SIGKILL), everything,
//                                contents (names stay), or some:SEED (a random part).
//                                With nothing, TRACE.unsynced keeps what a later power cut can still lose.
// POWERCUT_UNSYNCED              the TRACE.unsynced of the process that was killed before, if there was one
// POWERCUT_POINT                 the number of the commit point at which to cut, from 1
// POWERCUT_SIDE                  before or after that commit point; by default after
// POWERCUT_CALL                  the number of the watched call at which to cut, from 1
// POWERCUT_DELAY_NANOSECONDS     the time between that call and the cut
// POWERCUT_DROPS_RESPONSE_AFTER  the number of a commit point. The first data sent after it is lost, with its connection.
//
// SIGUSR2 cuts at once.

/// Whether this platform supports watching: 1 on Linux, otherwise 0.
int powercut_can_watch(void);

#endif
