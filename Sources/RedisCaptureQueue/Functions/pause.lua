-- capture_pause_v1: workers claim nothing until the key `paused` is deleted.
--
-- KEYS  1 {P}:ready
-- ARGV  1 the moment of the pause as the audit has it, in microseconds since 1970, which the key keeps
-- Reply 1 when that changed anything, else 0

local function pause(keys, args)
  local q, since = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not since or #since > 19 or not string.find(since, '^%d+$') then return invalid('ARGV[1]', 'not a moment') end
  return redis.call('SETNX', q.paused, since)
end

-- allow-oom: operators may want to pause just when the server is full.
redis.register_function { function_name = 'capture_pause_v1', callback = pause, flags = { 'allow-oom' } }
