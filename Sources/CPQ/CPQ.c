#include "CPQ.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// Every function: its result, its name, its parameters, and the arguments with which it calls the library's function.
#define FUNCTIONS(F)                                                                                                   \
  F(PQconninfoOption *, PQconninfoParse, (const char *text, char **message), (text, message))                          \
  F(void, PQconninfoFree, (PQconninfoOption * options), (options))                                                     \
  F(void, PQfreemem, (void *memory), (memory))                                                                         \
  F(PGconn *, PQconnectdb, (const char *text), (text))                                                                 \
  F(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expands),                   \
    (names, values, expands))                                                                                          \
  F(void, PQreset, (PGconn * connection), (connection))                                                                \
  F(void, PQfinish, (PGconn * connection), (connection))                                                               \
  F(ConnStatusType, PQstatus, (const PGconn *connection), (connection))                                                \
  F(char *, PQerrorMessage, (const PGconn *connection), (connection))                                                  \
  F(PGVerbosity, PQsetErrorVerbosity, (PGconn * connection, PGVerbosity verbosity), (connection, verbosity))           \
  F(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * connection, PQnoticeReceiver receiver, void *argument),           \
    (connection, receiver, argument))                                                                                  \
  F(PGcancel *, PQgetCancel, (PGconn * connection), (connection))                                                      \
  F(void, PQfreeCancel, (PGcancel * request), (request))                                                               \
  F(int, PQcancel, (PGcancel * request, char *message, int size), (request, message, size))                            \
  F(PGresult *, PQexec, (PGconn * connection, const char *query), (connection, query))                                 \
  F(PGresult *, PQprepare, (PGconn * connection, const char *name, const char *query, int count, const Oid *types),    \
    (connection, name, query, count, types))                                                                           \
  F(PGresult *, PQexecPrepared,                                                                                        \
    (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,                  \
     const int *formats, int format),                                                                                  \
    (connection, name, count, values, lengths, formats, format))                                                       \
  F(int, PQsendQuery, (PGconn * connection, const char *query), (connection, query))                                   \
  F(int, PQsendQueryParams,                                                                                            \
    (PGconn * connection, const char *query, int count, const Oid *types, const char *const *values,                   \
     const int *lengths, const int *formats, int format),                                                              \
    (connection, query, count, types, values, lengths, formats, format))                                               \
  F(int, PQsendQueryPrepared,                                                                                          \
    (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,                  \
     const int *formats, int format),                                                                                  \
    (connection, name, count, values, lengths, formats, format))                                                       \
  F(int, PQenterPipelineMode, (PGconn * connection), (connection))                                                     \
  F(int, PQexitPipelineMode, (PGconn * connection), (connection))                                                      \
  F(int, PQpipelineSync, (PGconn * connection), (connection))                                                          \
  F(PGresult *, PQgetResult, (PGconn * connection), (connection))                                                      \
  F(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                                                \
  F(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))                                  \
  F(int, PQntuples, (const PGresult *result), (result))                                                                \
  F(int, PQnfields, (const PGresult *result), (result))                                                                \
  F(char *, PQfname, (const PGresult *result, int column), (result, column))                                           \
  F(Oid, PQftype, (const PGresult *result, int column), (result, column))                                              \
  F(char *, PQcmdStatus, (PGresult * result), (result))                                                                \
  F(char *, PQcmdTuples, (PGresult * result), (result))                                                                \
  F(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))                          \
  F(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))                            \
  F(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))                            \
  F(void, PQclear, (PGresult * result), (result))

#define POINTER(result, name, parameters, arguments) static result(*library_##name) parameters;
#define FUNCTION(result, name, parameters, arguments)                                                                  \
  result name parameters { return library_##name arguments; }
#define FIND(result, name, parameters, arguments)                                                                      \
  if (!(library_##name = (result(*) parameters)dlsym(library, #name))) return fail(file, "it has no " #name);

FUNCTIONS(POINTER)
FUNCTIONS(FUNCTION)

static char failure[512];

static void fail(const char *file, const char *reason) {
  snprintf(failure, sizeof failure, "%s: %s", file, reason ? reason : "not found");
}

#ifdef __APPLE__
// Homebrew links libpq into no folder that is searched.
static const char *const files[] = {"libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
                                    "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const files[] = {"libpq.so.5"};
#endif

static void load(void) {
  void *library = NULL;
  const char *file = NULL;
  for (size_t i = 0; !library && i < sizeof files / sizeof *files; i++) {
    file = files[i];
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) {
    // glibc's message begins with the file's name.
    const char *reason = dlerror();
    snprintf(failure, sizeof failure, "%s", reason ? reason : file);
    return;
  }
  FUNCTIONS(FIND)
}

const char *CPQ_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}
