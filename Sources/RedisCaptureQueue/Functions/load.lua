-- capture_load_v1: how full the queue is, in O(1).
--
-- KEYS  1 {P}:ready
-- Reply {captures, bytes, dead letters, ready lanes, delayed lanes, leased lanes, captures at most, bytes at most,
--       paused, age in milliseconds of the oldest capture at the head of a lane (-1: none), dead letters' bytes}

-- A token is never older than the capture at the head of its lane: it tells of lanes that have no entry in `heads` yet.
-- Entries without a lane are passed over, until capture_promote_v1 has removed them.
local function longest_wait(q, now)
  local oldest = nil
  local first = redis.call('XRANGE', q.ready, '-', '+', 'COUNT', 1)[1]
  if first then oldest = tonumber(string.match(first[1], '^%d+')) end
  local heads = redis.call('ZRANGE', q.heads, 0, STALE_HEADS_MAX - 1, 'WITHSCORES')
  for at = 1, #heads, 2 do
    if redis.call('EXISTS', q.lane(heads[at])) == 1 then
      oldest = math.min(oldest or now, tonumber(heads[at + 1]))
      break
    end
  end
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
