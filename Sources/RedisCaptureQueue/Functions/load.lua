-- capture_load_v1: how full the queue is, in O(1).
--
-- KEYS  1 {P}:ready
-- Reply {captures, bytes, dead letters, ready lanes, delayed lanes, leased lanes, captures at most, bytes at most,
--       paused, age in milliseconds of the oldest capture at the head of a lane (-1: none)}
--       error DAMAGED <key> <why>   somebody has written over a key that it reads

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

local function longest_wait(q, now)
  local oldest = tonumber(redis.call('ZRANGE', q.heads, 0, 0, 'WITHSCORES')[2])
  return oldest and math.max(0, now - oldest) or -1
end

-- The first key of another type among those that the load is read from; nil when all are well.
local function damaged_in_load(q)
  if not is_of_type(q.ready, 'stream') then return q.ready end
  for _, key in ipairs({ q.stats, q.limits }) do
    if not is_of_type(key, 'hash') then return key end
  end
  for _, key in ipairs({ q.dead, q.delayed, q.heads }) do
    if not is_of_type(key, 'zset') then return key end
  end
  return nil
end

local function load(keys)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local key = damaged_in_load(q)
  if key then return damaged(key) end
  local stats = redis.call('HMGET', q.stats, 'queued', 'bytes')
  local limits = redis.call('HMGET', q.limits, 'captures_max', 'bytes_max')
  local pending = redis.pcall('XPENDING', q.ready, GROUP)
  local leased = not pending.err and pending[1] or 0
  return {
    whole(stats[1]) or 0, whole(stats[2]) or 0, redis.call('ZCARD', q.dead),
    redis.call('XLEN', q.ready) - leased, redis.call('ZCARD', q.delayed), leased,
    whole(limits[1]) or CAPTURES_MAX_DEFAULT, whole(limits[2]) or BYTES_MAX_DEFAULT,
    redis.call('EXISTS', q.paused), longest_wait(q, now_ms()),
  }
end

redis.register_function { function_name = 'capture_load_v1', callback = load, flags = { 'no-writes' } }

end
