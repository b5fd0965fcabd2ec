-- capture_recount_v1: sets the level counters to the counted values.
--
-- KEYS  1 {P}:ready
-- ARGV  1 activity  2 queued  3 bytes  4 dead letters' bytes
-- Reply 1; or 0, with nothing set, when captures have come or gone since that activity was read.

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

local ACTIVITY = { 'accepted', 'restored', 'verified', 'rejected', 'failed', 'redriven', 'discarded' }

local function recount(keys, args)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if #args ~= 4 then return invalid('ARGV', 'activity and three levels') end
  local activity = 0
  for _, value in ipairs(redis.call('HMGET', q.stats, unpack(ACTIVITY))) do
    activity = activity + (tonumber(value) or 0)
  end
  if activity ~= tonumber(args[1]) then return 0 end
  redis.call('HSET', q.stats, 'queued', args[2], 'bytes', args[3], 'dead_bytes', args[4])
  return 1
end

redis.register_function { function_name = 'capture_recount_v1', callback = recount, flags = { 'allow-oom' } }

end
