/* The system's libpq, which only the trait `PostgreSQL` needs. */
#ifndef BULLA_CPOSTGRESQL_SHIM_H
#define BULLA_CPOSTGRESQL_SHIM_H

/* Debian keeps the header in a folder of its own. */
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

/* The codes of result fields are characters, which Swift does not import as macros. */
static const int bulla_pg_sqlstate = PG_DIAG_SQLSTATE;
static const int bulla_pg_message = PG_DIAG_MESSAGE_PRIMARY;

#endif
