#ifndef POWERCUT_H
#define POWERCUT_H

// A library for LD_PRELOAD that counts the commit points of an unchanged program, and ends it at one of them as SIGKILL
// or a power cut would. Nothing links it; it is ordered through the environment. See Documentation/commit-points.md.
//
// POWERCUT_FOLDER              the machine's disk: what is done to files in this folder is watched
// POWERCUT_TRACE               the file to which is appended what was seen; outside of the folder, on the same file system
// POWERCUT_LOSES               what a cut takes along: nothing (a mere SIGKILL), everything (that was not synced),
//                              contents (but names stay), or some:SEED
//                              After nothing, TRACE.left says what a later power cut can still take.
// POWERCUT_INHERITS            the TRACE.left of the process killed before, if there was one
// POWERCUT_POINT               cut at the commit point of this number, from 1
// POWERCUT_SIDE                before or after it
// POWERCUT_BEAT                cut at the watched call of this number, from 1
// POWERCUT_DELAY_NANOSECONDS   that long after it
// POWERCUT_DROPS_ANSWER_AFTER  the first thing sent after the commit point of this number is lost with its connection
//
// SIGUSR2 cuts at once.

/// What watches this process; 0 where nothing can be watched.
int powercut_can_watch(void);

#endif
