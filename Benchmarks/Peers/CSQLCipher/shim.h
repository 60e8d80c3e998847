/* The system's SQLCipher, for comparison. */
#ifndef BULLA_CSQLCIPHER_SHIM_H
#define BULLA_CSQLCIPHER_SHIM_H

#include <sqlcipher/sqlite3.h>

#endif
