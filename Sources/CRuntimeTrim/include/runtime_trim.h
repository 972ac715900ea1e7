#pragma once

/* Takes this module's own code and constants out of the process's memory. Pages that are needed again come from the system's
 * cache of the file. The code of the data thread stays. */
void crt_release_pages(void);
