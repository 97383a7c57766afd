#ifndef CPQ_H
#define CPQ_H

// The part of libpq, PostgreSQL's client library, that this package uses. The declarations are those of libpq-fe.h
// (PostgreSQL's documentation, "libpq - C Library"), which every libpq.so.5 from PostgreSQL 14 on has. The library is not linked:
// a program that never opens a ledger in PostgreSQL runs without it.

// Each function has a symbol of its own: calls by the library itself, or by other code that is linked with it, must not come here.
#pragma GCC visibility push(hidden)
#define CPQ_SYMBOL(name) __asm__("CPQ_" #name)

/// Loads libpq, once per process. Every other function of this header needs it.
///
/// @return a null pointer if libpq is loaded; otherwise the reason why it cannot be loaded, which stays valid.
const char *CPQ_load(void);

typedef unsigned int Oid;
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

typedef enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 } ConnStatusType;

typedef enum { PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2, PGRES_PIPELINE_SYNC = 10 } ExecStatusType;

typedef enum { PQERRORS_TERSE = 0, PQERRORS_DEFAULT = 1, PQERRORS_VERBOSE = 2, PQERRORS_SQLSTATE = 3 } PGVerbosity;

// Fields of PQresultErrorField.
#define PG_DIAG_SEVERITY_NONLOCALIZED 'V'
#define PG_DIAG_SQLSTATE 'C'
#define PG_DIAG_MESSAGE_PRIMARY 'M'

typedef void (*PQnoticeReceiver)(void *arg, const PGresult *res);

typedef struct _PQconninfoOption {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;

PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg) CPQ_SYMBOL(PQconninfoParse);
void PQconninfoFree(PQconninfoOption *connOptions) CPQ_SYMBOL(PQconninfoFree);
void PQfreemem(void *ptr) CPQ_SYMBOL(PQfreemem);

PGconn *PQconnectdb(const char *conninfo) CPQ_SYMBOL(PQconnectdb);
PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand_dbname) CPQ_SYMBOL(PQconnectdbParams);
void PQreset(PGconn *conn) CPQ_SYMBOL(PQreset);
void PQfinish(PGconn *conn) CPQ_SYMBOL(PQfinish);
ConnStatusType PQstatus(const PGconn *conn) CPQ_SYMBOL(PQstatus);
char *PQerrorMessage(const PGconn *conn) CPQ_SYMBOL(PQerrorMessage);
PGVerbosity PQsetErrorVerbosity(PGconn *conn, PGVerbosity verbosity) CPQ_SYMBOL(PQsetErrorVerbosity);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver proc, void *arg) CPQ_SYMBOL(PQsetNoticeReceiver);

PGcancel *PQgetCancel(PGconn *conn) CPQ_SYMBOL(PQgetCancel);
void PQfreeCancel(PGcancel *cancel) CPQ_SYMBOL(PQfreeCancel);
int PQcancel(PGcancel *cancel, char *errbuf, int errbufsize) CPQ_SYMBOL(PQcancel);

PGresult *PQexec(PGconn *conn, const char *query) CPQ_SYMBOL(PQexec);
PGresult *PQprepare(PGconn *conn, const char *stmtName, const char *query, int nParams, const Oid *paramTypes) CPQ_SYMBOL(PQprepare);
PGresult *PQexecPrepared(PGconn *conn, const char *stmtName, int nParams, const char *const *paramValues,
                         const int *paramLengths, const int *paramFormats, int resultFormat) CPQ_SYMBOL(PQexecPrepared);
int PQsendQuery(PGconn *conn, const char *query) CPQ_SYMBOL(PQsendQuery);
int PQsendQueryParams(PGconn *conn, const char *command, int nParams, const Oid *paramTypes,
                      const char *const *paramValues, const int *paramLengths, const int *paramFormats,
                      int resultFormat) CPQ_SYMBOL(PQsendQueryParams);
int PQsendQueryPrepared(PGconn *conn, const char *stmtName, int nParams, const char *const *paramValues,
                        const int *paramLengths, const int *paramFormats, int resultFormat) CPQ_SYMBOL(PQsendQueryPrepared);
int PQenterPipelineMode(PGconn *conn) CPQ_SYMBOL(PQenterPipelineMode);
int PQexitPipelineMode(PGconn *conn) CPQ_SYMBOL(PQexitPipelineMode);
int PQpipelineSync(PGconn *conn) CPQ_SYMBOL(PQpipelineSync);

PGresult *PQgetResult(PGconn *conn) CPQ_SYMBOL(PQgetResult);
ExecStatusType PQresultStatus(const PGresult *res) CPQ_SYMBOL(PQresultStatus);
char *PQresultErrorField(const PGresult *res, int fieldcode) CPQ_SYMBOL(PQresultErrorField);
int PQntuples(const PGresult *res) CPQ_SYMBOL(PQntuples);
int PQnfields(const PGresult *res) CPQ_SYMBOL(PQnfields);
char *PQfname(const PGresult *res, int field_num) CPQ_SYMBOL(PQfname);
Oid PQftype(const PGresult *res, int field_num) CPQ_SYMBOL(PQftype);
char *PQcmdStatus(PGresult *res) CPQ_SYMBOL(PQcmdStatus);
char *PQcmdTuples(PGresult *res) CPQ_SYMBOL(PQcmdTuples);
char *PQgetvalue(const PGresult *res, int tup_num, int field_num) CPQ_SYMBOL(PQgetvalue);
int PQgetlength(const PGresult *res, int tup_num, int field_num) CPQ_SYMBOL(PQgetlength);
int PQgetisnull(const PGresult *res, int tup_num, int field_num) CPQ_SYMBOL(PQgetisnull);
void PQclear(PGresult *res) CPQ_SYMBOL(PQclear);

#pragma GCC visibility pop

#endif
