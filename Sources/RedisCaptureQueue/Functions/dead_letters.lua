-- Captures that are given up, and put back.

-- The latest time that a place in the order of dead letters has: 15 digits, which are exact in Lua.
local DIED_AT_MAX = 999999999999999

-- When a dead letter was given up, by its score: a whole number, by which callers name its place. Somebody may have
-- written another score by hand: of a fraction the whole part counts, and of what is out of range its end.
local function died_at(score)
  return math.min(math.max(math.floor(tonumber(score) or 0), 0), DIED_AT_MAX)
end

-- The time of a new dead letter, always later than the last one's, so that a lane's letters are put back in their
-- order. What somebody has written at the end of the range or beyond it is not the last one: nothing is later.
local function dead_at(q, now)
  local last = redis.call(
    'ZRANGE', q.dead, '(' .. text(DIED_AT_MAX), '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')[2]
  return math.max(now, died_at(last) + 1)
end

-- Moves a capture that has left its lane to the dead letters: job and bytes stay until an operator decides.
-- `deliveries` is how often it was delivered. Returns its bytes, which the caller subtracts from its lane's.
local function bury(q, capture, device, reason, fault, now, deliveries)
  local bytes = bytes_of(q, capture)
  if redis.call('TYPE', q.job(capture)).ok ~= 'hash' then redis.call('DEL', q.job(capture)) end
  redis.call('HSET', q.job(capture),
    'device', device, 'state', 'failed', 'reason', reason, 'fault', fault, 'settled_at', text(now),
    'deliveries', text(deliveries))
  redis.call('HDEL', q.job(capture), 'next_attempt_at', 'death', 'takeovers')
  redis.call('ZADD', q.dead, text(dead_at(q, now)), capture)
  count(q, 'queued', -1)
  count(q, 'bytes', -bytes)
  count(q, 'dead_bytes', bytes)
  count(q, 'failed', 1)
  local counts, name = { failed = 1 }, reason_count(reason)
  if name then counts[name] = 1 end
  tally(q, now, counts)
  note(q, capture, device, 'failed')
  return bytes
end

-- Puts a dead letter back at the end of its device's lane. Returns false when there is none, or its job is missing; and
-- false with an error when a key is damaged: it stays a dead letter then.
--
-- It is marked as redriven: later captures may have overtaken its assertion counter, which is no replay then. If
-- workers did not come back from it, it is a suspect and worked alone; other letters do not become suspects, as a
-- worker hands back the captures that it claimed beside a suspect.
--
-- One that died as its bytes had changed keeps its fault, written as that of a capture that is put off, unless its
-- bytes were brought: so whoever brings them before its next try is not taken for somebody whose bytes nobody needs.
local function revive(q, capture, now, are_brought)
  local job = q.job(capture)
  if not is_of_type(job, 'hash') then return false, damaged(job) end
  local row = redis.call('HMGET', job, 'device', 'reason', 'fault')
  local device = row[1]
  if not device then return false end
  local damage = damage_of(q, device)
  if damage then return false, damage end
  if not redis.call('ZSCORE', q.dead, capture) then return false end
  redis.call('ZREM', q.dead, capture)
  local bytes = bytes_of(q, capture)
  redis.call('HSET', job, 'state', 'queued', 'attempts', '0', 'redriven', '1', 'put_back_at', text(now))
  redis.call('HDEL', job, 'reason', 'fault', 'settled_at', 'claimed_at', 'deliveries')
  if row[2] == 'BUNDLE_CORRUPT' and not are_brought then
    redis.call('HSET', job, 'fault', 'BUNDLE_CORRUPT: ' .. (row[3] or ''))
  end
  if row[2] == 'DELIVERIES_EXHAUSTED' then redis.call('HSET', job, 'suspect', '1') end
  -- Bytes that were stored for it, to be kept by a call that may never come, would expire.
  redis.call('PERSIST', q.photo(capture))
  redis.call('PERSIST', q.depth(capture))
  local place = redis.call('RPUSH', q.lane(device), capture)
  if place == 1 then
    add_token(q, device)
    note_head(q, device, now)
  end
  count(q, 'queued', 1)
  count(q, 'bytes', bytes)
  add_lane_bytes(q, device, place, bytes)
  count(q, 'dead_bytes', -bytes)
  count(q, 'redriven', 1)
  note(q, capture, device, 'queued')
  return true
end
