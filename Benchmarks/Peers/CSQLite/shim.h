/* SQLite as the system has it, for comparison. */
#ifndef BULLA_CSQLITE_SHIM_H
#define BULLA_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
