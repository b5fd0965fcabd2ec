-- capture_load_v1: how full the queue is, in O(1).
--
-- KEYS  1 {P}:ready
-- Reply {captures, bytes, dead letters, ready lanes, delayed lanes, leased lanes, captures at most, bytes at most,
--       paused, milliseconds since the oldest token was added (-1: none), dead letters' bytes}

local function load(keys)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local stats = redis.call('HMGET', q.stats, 'queued', 'bytes', 'dead_bytes')
  local limits = redis.call('HMGET', q.limits, 'captures_max', 'bytes_max')
  local pending = redis.pcall('XPENDING', q.ready, GROUP)
  local leased = not pending.err and pending[1] or 0
  local first = redis.call('XRANGE', q.ready, '-', '+', 'COUNT', 1)[1]
  local wait = -1
  if first then wait = math.max(0, now_ms() - tonumber(string.match(first[1], '^%d+'))) end
  return {
    tonumber(stats[1]) or 0, tonumber(stats[2]) or 0, redis.call('ZCARD', q.dead),
    redis.call('XLEN', q.ready) - leased, redis.call('ZCARD', q.delayed), leased,
    tonumber(limits[1]) or CAPTURES_MAX_DEFAULT, tonumber(limits[2]) or BYTES_MAX_DEFAULT,
    redis.call('EXISTS', q.paused), wait, tonumber(stats[3]) or 0,
  }
end

redis.register_function { function_name = 'capture_load_v1', callback = load, flags = { 'no-writes' } }
