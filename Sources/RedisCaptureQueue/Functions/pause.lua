-- capture_pause_v1: workers claim nothing until the key `paused` is deleted.
--
-- KEYS  1 {P}:ready
-- ARGV  none
-- Reply 1 when that changed anything, else 0

local function pause(keys)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  return redis.call('SETNX', q.paused, '1')
end

-- allow-oom: operators may want to pause just when the server is full.
redis.register_function { function_name = 'capture_pause_v1', callback = pause, flags = { 'allow-oom' } }
