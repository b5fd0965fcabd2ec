-- capture_version_v1: which library is loaded, for programs that have loaded theirs.
--
-- KEYS  none
-- ARGV  none
-- Reply its version

redis.register_function {
  function_name = 'capture_version_v1', callback = function() return LIBRARY_VERSION end, flags = { 'no-writes' } }
