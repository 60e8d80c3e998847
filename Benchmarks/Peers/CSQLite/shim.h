/* The system's SQLite, for comparison. */
#ifndef BULLA_CSQLITE_SHIM_H
#define BULLA_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
