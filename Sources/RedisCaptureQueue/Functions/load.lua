-- capture_load_v1: how full the queue is, in O(1).
--
-- KEYS  1 {P}:ready
-- Reply {captures, bytes, dead letters, ready lanes, delayed lanes, leased lanes, captures at most, bytes at most,
--       paused, age in milliseconds of the oldest capture at the head of a lane (-1: none), dead letters' bytes}

local function longest_wait(q, now)
  local oldest = tonumber(redis.call('ZRANGE', q.heads, 0, 0, 'WITHSCORES')[2])
  return oldest and math.max(0, now - oldest) or -1
end

local function load(keys)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local stats = redis.call('HMGET', q.stats, 'queued', 'bytes', 'dead_bytes')
  local limits = redis.call('HMGET', q.limits, 'captures_max', 'bytes_max')
  local pending = redis.pcall('XPENDING', q.ready, GROUP)
  local leased = not pending.err and pending[1] or 0
  return {
    tonumber(stats[1]) or 0, tonumber(stats[2]) or 0, redis.call('ZCARD', q.dead),
    redis.call('XLEN', q.ready) - leased, redis.call('ZCARD', q.delayed), leased,
    tonumber(limits[1]) or CAPTURES_MAX_DEFAULT, tonumber(limits[2]) or BYTES_MAX_DEFAULT,
    redis.call('EXISTS', q.paused), longest_wait(q, now_ms()), tonumber(stats[3]) or 0,
  }
end

redis.register_function { function_name = 'capture_load_v1', callback = load, flags = { 'no-writes' } }
