-- capture_version_v1: the version of the loaded library, for programs that check whether theirs is still loaded.
--
-- KEYS  none
-- ARGV  none
-- Reply its version

redis.register_function {
  function_name = 'capture_version_v1', callback = function() return LIBRARY_VERSION end, flags = { 'no-writes' } }
