-- The doctor's function that mends one capture.
--
-- capture_mend_capture_v1: checks whether all keys of a capture fit together, and mends what it may.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture  2 the device in whose lane it was met, or empty: its own as far as its job does not tell
--       3 milliseconds for which bytes without a job stay, and the age from which a dead letter without a job goes
--       4 how long a settled capture's status stays, in milliseconds
-- Reply {fault…}: the mended faults

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- Each returns whether it has mended anything.
local MENDERS = {
  -- As when a worker claims it: it becomes a dead letter, so nothing is thrown away.
  LANE_ENTRY_WITHOUT_JOB = function(q, c)
    redis.call('LREM', q.lane(c.device), 0, c.capture)
    bury(q, c.capture, c.device, 'INTERNAL', 'its job is missing', now_ms(), 0)
    return true
  end,
  DEAD_LETTER_WITHOUT_JOB = function(q, c, orphan_ms)
    local at = died_at(c.dead_at)
    return at == tonumber(c.dead_at) and at + orphan_ms <= now_ms() and redis.call('ZREM', q.dead, c.capture) == 1
  end,
  -- When it was given up, as far as its job tells. One without a job becomes old enough to go from now on.
  DEAD_LETTER_WITHOUT_TIME = function(q, c)
    return redis.call('ZADD', q.dead, 'XX', 'CH', text(whole(c.settled_at) or now_ms()), c.capture) == 1
  end,
  BYTES_WITHOUT_JOB = function(q, c, orphan_ms)
    redis.call('PEXPIRE', q.photo(c.capture), orphan_ms)
    redis.call('PEXPIRE', q.depth(c.capture), orphan_ms)
    return true
  end,
  -- The first of the entries in its own lane stays.
  LANE_ENTRY_EXTRA = function(q, c)
    local removed = 0
    if c.strange then
      removed = redis.call('LREM', q.lane(c.strange), 0, c.capture)
      note_head(q, c.strange, now_ms())
    end
    if c.exists and c.times and c.times > 1 then
      removed = removed + redis.call('LREM', q.lane(c.device), 1 - c.times, c.capture)
    end
    return removed > 0
  end,
  SETTLED_IN_LANE = function(q, c) return redis.call('LREM', q.lane(c.device), 0, c.capture) > 0 end,
  SETTLED_AMONG_DEAD = function(q, c) return redis.call('ZREM', q.dead, c.capture) == 1 end,
  SETTLED_WITH_BYTES = function(q, c) return redis.call('UNLINK', q.photo(c.capture), q.depth(c.capture)) > 0 end,
  SETTLED_WITHOUT_END = function(q, c, _, status_ttl)
    return redis.call('PEXPIRE', q.settled(c.capture), status_ttl) == 1
  end,
  DEAD_LETTER_IN_LANE = function(q, c)
    redis.call('ZREM', q.dead, c.capture)
    if c.state == 'failed' then redis.call('HSET', q.job(c.capture), 'state', 'queued', 'redriven', '1') end
    return true
  end,
  -- Put at the end of its lane, out of order and so marked as redriven; if it is listed as dead, it becomes a dead
  -- letter.
  JOB_WITHOUT_LANE = function(q, c)
    if c.dead_at then
      redis.call('HSET', q.job(c.capture), 'state', 'failed')
      return true
    end
    if not c.device then return false end
    redis.call('HSET', q.job(c.capture), 'state', 'queued', 'redriven', '1', 'suspect', '1')
    redis.call('HDEL', q.job(c.capture), 'next_attempt_at')
    if redis.call('RPUSH', q.lane(c.device), c.capture) == 1 then add_token(q, c.device) end
    return true
  end,
  DEAD_LETTER_NOT_LISTED = function(q, c)
    if c.is_in_lane then
      redis.call('HSET', q.job(c.capture), 'state', 'queued', 'redriven', '1')
    else
      redis.call('ZADD', q.dead, text(whole(c.settled_at) or now_ms()), c.capture)
    end
    return true
  end,
  KEPT_WITH_END = function(q, c)
    redis.call('PERSIST', q.job(c.capture))
    redis.call('PERSIST', q.photo(c.capture))
    redis.call('PERSIST', q.depth(c.capture))
    if c.digest and leads_to(q, c.digest, c.capture) then redis.call('PERSIST', q.accepted(c.digest)) end
    return true
  end,
  BUNDLE_NOT_KNOWN = function(q, c)
    redis.call('SET', q.accepted(c.digest), c.capture)
    return true
  end,
}

-- Whether a capture is in the lane of its device; notes whether it is in another one, in which it was met.
local function is_in_lane_besides(met)
  return function(q, c)
    local is_others = is_uuid(met) and is_uuid(c.device) and met ~= c.device and not is_submitted_for(q, c.capture, met)
    if is_others and (times_in_lane(q, met, c.capture) or 0) > 0 then c.strange = met end
    return is_found_in_lane(q, c)
  end
end

local function mend_capture(keys, args)
  local q, capture, orphan_ms, status_ttl = queue_of(keys[1]), args[1], whole(args[3]), whole(args[4])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not capture or not is_uuid(capture) then return invalid('ARGV[1]', 'not a capture') end
  if not orphan_ms or not status_ttl then return invalid('ARGV', 'capture, device and two times') end
  local damage = damage_of(q)
  if damage then return damage end
  local c, mended = look_at(q, capture, args[2], is_in_lane_besides(args[2])), {}
  c.status_ms = status_ttl
  for _, fault in ipairs(faults_of(q, c)) do
    if MENDERS[fault] and MENDERS[fault](q, c, orphan_ms, status_ttl) then mended[#mended + 1] = fault end
  end
  -- Mending may have changed the head of its lane.
  if #mended > 0 and c.device and not c.is_lane_damaged then note_head(q, c.device, now_ms()) end
  return tell(q, mended)
end

redis.register_function {
  function_name = 'capture_mend_capture_v1', callback = mend_capture, flags = { 'allow-oom' } }

end
