-- capture_pause_v1: has workers claim nothing, or go on.
--
-- KEYS  1 {P}:ready
-- ARGV  1 '1' to pause, '0' to go on
-- Reply 1 when that changed anything, else 0

local function pause(keys, args)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if args[1] ~= '0' and args[1] ~= '1' then return invalid('ARGV[1]', 'not 0 or 1') end
  if args[1] == '0' then return redis.call('DEL', q.paused) end
  return redis.call('SETNX', q.paused, '1')
end

-- allow-oom: a server that is full is when operators want to pause.
redis.register_function { function_name = 'capture_pause_v1', callback = pause, flags = { 'allow-oom' } }
