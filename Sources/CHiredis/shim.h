#pragma once
#include <hiredis/read.h>
#include <hiredis/hiredis.h>

// ReplyReader fills in the callbacks of 0.14 and looks at its stack of tasks. Version 1 has others, and takes RESP3's
// values, for which there would be no callback: an array with one in it would wait for its element for ever.
#if HIREDIS_MAJOR != 0
#error "hiredis 0.14 is needed, as in Debian 12: RedisClient is not written for version 1"
#endif
