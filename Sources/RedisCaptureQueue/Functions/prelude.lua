-- Code that the transitions share. The library is this file followed by one file per transition.
--
-- Rules for every transition: it checks its precondition before its first write, so that it is atomic; it uses the
-- server's clock; and it keeps the invariant: a lane that is not empty has exactly one token, in the `ready` stream
-- (undelivered or pending) or in the `delayed` sorted set, and an empty lane has none.
--
-- The `redis` object is used and not `server`, which Redis 7.0 does not have.

-- Raise it with every change: a library is replaced only by one whose version is not lower.
local LIBRARY_VERSION = 34

-- The consumer group that has the tokens, and the one that tells each new token to one of the workers that wait.
local GROUP, WAITING_GROUP = 'workers', 'waiting'

-- Limits of a queue whose operator has set none.
local CAPTURES_MAX_DEFAULT = 100000
local DEVICE_CAPTURES_MAX_DEFAULT = 20000
local BYTES_MAX_DEFAULT = 4294967296
local ACCEPTED_TTL_DEFAULT_MS = 86400000

-- Milliseconds since 1970 by the server's clock.
local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Whole numbers as text; Lua's own conversion switches to an exponent beyond 14 digits.
local function text(number)
  return string.format('%d', number)
end

local function is_uuid(value)
  return #value == 36
    and string.find(value, '^[0-9a-f]+%-[0-9a-f]+%-[0-9a-f]+%-[0-9a-f]+%-[0-9a-f]+$') ~= nil
    and string.sub(value, 9, 9) == '-' and string.sub(value, 14, 14) == '-'
    and string.sub(value, 19, 19) == '-' and string.sub(value, 24, 24) == '-'
end

-- The keys of a partition, all derived from the name of its `ready` stream: `{tag}:ready`. Keys of lanes and captures
-- share the tag, so that on a cluster they are in the slot of the declared key.
local function queue_of(ready)
  local prefix = ready and string.match(ready, '^({[^{}]+}:)ready$')
  if not prefix then return nil end
  return {
    ready = ready,
    number = tonumber(string.match(prefix, ':(%d+)}:$')),
    delayed = prefix .. 'delayed',
    heads = prefix .. 'heads',
    lane_bytes = prefix .. 'lane_bytes',
    dead = prefix .. 'dead',
    stats = prefix .. 'stats',
    limits = prefix .. 'limits',
    first_limits = string.gsub(prefix, '%d+}:$', '0}:') .. 'limits',
    paused = prefix .. 'paused',
    restored = prefix .. 'restored',
    events = prefix .. 'events',
    workers = prefix .. 'workers',
    changes = {},
    tally = function(span, number) return prefix .. 'tally:' .. span .. ':' .. text(number) end,
    lane = function(device) return prefix .. 'lane:' .. device end,
    job = function(capture) return prefix .. 'job:' .. capture end,
    photo = function(capture) return prefix .. 'photo:' .. capture end,
    depth = function(capture) return prefix .. 'depth:' .. capture end,
    settled = function(capture) return prefix .. 'settled:' .. capture end,
    accepted = function(digest) return prefix .. 'accepted:' .. digest end,
  }
end

local function invalid(field, why)
  return redis.error_reply('INVALID ' .. field .. ': ' .. why)
end

-- Adds to a whole number of a hash and returns the sum. A damaged number begins anew, and in a key that is no hash
-- nothing is counted, as an error would leave a transition half done. Until `capturectl doctor --fix` has counted again,
-- limits based on that number are not kept.
local function increment(key, name, by)
  local sum = redis.pcall('HINCRBY', key, name, text(by))
  if type(sum) == 'number' then return sum end
  redis.pcall('HSET', key, name, text(by))
  return by
end

local function count(q, name, by)
  if by ~= 0 then increment(q.stats, name, by) end
end

-- Captures accepted and their outcomes, by minute and by hour, for operators. The key has the number of the span since
-- 1970. Events are counted: a capture that is given up, put back and given up again has failed twice.
local TALLY_SPANS = {
  { name = 'minute', length = 60000, kept = 120 },
  { name = 'hour', length = 3600000, kept = 768 },
}

-- Adds counts by name to the running spans: `accepted`, `verified`, `rejected`, `failed`, `reason:<code>`, `latency:<step>`.
local function tally(q, now, counts)
  for _, span in ipairs(TALLY_SPANS) do
    local key = q.tally(span.name, math.floor(now / span.length))
    local is_new = redis.call('EXISTS', key) == 0
    for name, by in pairs(counts) do increment(key, name, by) end
    if is_new then redis.call('PEXPIRE', key, text(span.length * (span.kept + 1))) end
  end
end

-- The name of a reason's count; nil for text that is no code (capital letters), which is not counted by name.
local function reason_count(reason)
  if #reason > 40 or not string.find(reason, '^[A-Z_]+$') then return nil end
  return 'reason:' .. reason
end

-- Notes a change for the watchers: the state that a capture came to, or `discarded`.
-- All three values have a fixed alphabet, so nothing needs escaping.
local function note(q, capture, device, state)
  q.changes[#q.changes + 1] =
    '{"capture":"' .. capture .. '","device":"' .. device .. '","state":"' .. state .. '"}'
end

-- The most changes in one message; the reader of the messages has the same number.
local CHANGES_MAX = 100

-- Publishes the noted changes to the watchers and returns the reply: the last step of a transition.
local function tell(q, reply)
  for at = 1, #q.changes, CHANGES_MAX do
    local last = math.min(at + CHANGES_MAX - 1, #q.changes)
    redis.call('PUBLISH', q.events, '[' .. table.concat(q.changes, ',', at, last) .. ']')
  end
  return reply
end

-- Adds every lane to `delayed`, due at once unless it was put off already. For a lost stream, when no lane has a token
-- there. One command, however many lanes there are; capture_promote_v1 makes them ready in batches.
local function put_off_all(q)
  redis.call('ZUNIONSTORE', q.delayed, 2, q.heads, q.delayed, 'WEIGHTS', 0, 1, 'AGGREGATE', 'MAX')
end

local function add_token(q, device)
  if redis.call('XADD', q.ready, 'NOMKSTREAM', '*', 'device', device) then return end
  -- The stream is gone, or there was none yet. Restore the other lanes' tokens now: once the stream exists again, their
  -- loss would not be noticed.
  put_off_all(q)
  redis.call('ZREM', q.delayed, device)
  redis.call('XADD', q.ready, '*', 'device', device)
end

-- Fields of a job. A job that is no hash, as after a change by hand, counts as missing: an error would end half-way a
-- call that concerns other lanes too.
local function job_fields(q, capture, ...)
  local row = redis.pcall('HMGET', q.job(capture), ...)
  return row.err and {} or row
end

-- Always both: an entry that is only acknowledged stays for ever, and one that is only deleted stays pending.
local function remove_token(q, token)
  redis.call('XACK', q.ready, GROUP, token)
  redis.call('XDEL', q.ready, token)
end

-- How often a token was delivered, or nil when this consumer does not hold it.
local function deliveries_of(q, token, consumer)
  local pending = redis.pcall('XPENDING', q.ready, GROUP, token, token, 1, consumer)
  if pending.err or #pending == 0 then return nil end
  return pending[1][4]
end

-- Returns a function from a token to how often it was delivered, or nil when this consumer does not hold it. For three
-- or more tokens (`count`) one command reads all of them.
local PENDING_MAX = 10000
local function deliveries_among(q, consumer, count)
  local function ask(token) return deliveries_of(q, token, consumer) end
  if count < 3 then return ask end
  local pending = redis.pcall('XPENDING', q.ready, GROUP, '-', '+', PENDING_MAX, consumer)
  if pending.err or #pending == PENDING_MAX then return ask end
  local deliveries = {}
  for _, entry in ipairs(pending) do deliveries[entry[1]] = entry[4] end
  return function(token) return deliveries[token] end
end

-- A lease is written `<token>#<deliveries>`: a token that was taken over, even by the same consumer, is another lease.
-- The fence: returns the token when `deliveries` says that the lease is still good, or nil.
local function token_of(lease, deliveries)
  local token, number = string.match(lease, '^(%d+%-%d+)#(%d+)$')
  if token and deliveries(token) == tonumber(number) then return token end
  return nil
end

-- The device that an entry of the stream names.
local function device_in(entry)
  local fields = entry[2]
  for index = 1, #fields, 2 do
    if fields[index] == 'device' then return fields[index + 1] end
  end
  return nil
end

-- The device that a token stands for, or nil when the entry is gone.
local function device_of(q, token)
  local entries = redis.call('XRANGE', q.ready, token, token)
  if #entries == 0 then return nil end
  return device_in(entries[1])
end

-- The most arguments of one call that fit on Lua's stack; even, for pairs.
local ARGUMENTS_MAX = 1000

-- The most captures of a lane that a worker holds, and how many ids are read at a time, as thousands may wait in the
-- lane.
local IN_HANDS_MAX, IN_HANDS_STEP = 1024, 32

-- Goes through a lane from its head, as long as `visit(capture, place)` returns that a worker holds the capture.
-- Returns how many captures were visited.
local function visit_in_hands(q, device, visit)
  local place = 0
  for at = 0, IN_HANDS_MAX - 1, IN_HANDS_STEP do
    local captures = redis.call('LRANGE', q.lane(device), at, at + IN_HANDS_STEP - 1)
    for _, capture in ipairs(captures) do
      place = place + 1
      if not visit(capture, place) then return place end
    end
    if #captures < IN_HANDS_STEP then break end
  end
  return place
end

-- How long a lane that cannot be worked is put off, again and again, until an operator who has read the alarm deletes
-- its key and this delay.
local DAMAGED_DELAY_MS = 60000

-- Runs `act` for one lane whose token a worker holds. If it fails, as when the lane was changed by hand and is no list,
-- the lane is put off, so that the worker can go on with the others. Returns the result of `act`, or nil and the error.
local function guard(q, token, device, act)
  local is_done, result = pcall(act)
  if is_done then return result end
  remove_token(q, token)
  redis.call('ZADD', q.delayed, text(now_ms() + DAMAGED_DELAY_MS), device)
  return nil, type(result) == 'table' and result.err or tostring(result)
end

-- Calls a command with a key and any number of arguments.
local function call_with(command, key, arguments)
  for at = 1, #arguments, ARGUMENTS_MAX do
    redis.call(command, key, unpack(arguments, at, math.min(at + ARGUMENTS_MAX - 1, #arguments)))
  end
end

-- The sorted set `heads` has every lane with the time since which the capture at its head waits: since it was received,
-- or since an operator put it back. A lane that was removed by hand is added the next time that it is given back.
local function waits_since(received_at, put_back_at, now)
  return text(tonumber(put_back_at) or tonumber(received_at) or now)
end

-- The time since which the head of a lane waits (nil when it is empty, now when its job is missing), and whether there
-- is a job.
local function head_since(q, device, now)
  local capture = redis.call('LINDEX', q.lane(device), 0)
  if not capture then return nil end
  local job = job_fields(q, capture, 'received_at', 'put_back_at')
  return waits_since(job[1], job[2], now), job[1] and true or false
end

-- Forgets what is noted of a lane that is empty.
local function forget_lane(q, device)
  redis.call('ZREM', q.heads, device)
  redis.call('HDEL', q.lane_bytes, device)
end

-- Notes anew what is at the head of a lane.
local function note_head(q, device, now)
  local since = head_since(q, device, now)
  if since then redis.call('ZADD', q.heads, since, device) else forget_lane(q, device) end
end

-- The hash `lane_bytes` has the bytes of the captures in each lane. The first capture of an empty lane sets the count
-- anew, in case a lane deleted by hand has left one.
local function add_lane_bytes(q, device, place, bytes)
  if place > 1 then increment(q.lane_bytes, device, bytes) else redis.call('HSET', q.lane_bytes, device, text(bytes)) end
end

-- A damaged count has begun anew without the earlier captures, so it may fall below zero: it is removed then.
local function take_lane_bytes(q, device, bytes)
  if bytes > 0 and increment(q.lane_bytes, device, -bytes) <= 0 then
    redis.pcall('HDEL', q.lane_bytes, device)
  end
end

-- The values of a capture that never change are in two fields of its job, not in twelve, as each field that is read
-- costs. They are deleted when it is settled. `bundle` has the values that the functions need, separated by spaces:
--   bundle_digest photo_bytes depth_bytes accepted_ttl_ms bundle_store
local DIGEST_LENGTH = 64
local function bundle_line(s, accepted_ttl_ms)
  return table.concat({ s.bundle_digest, s.photo_bytes, s.depth_bytes, accepted_ttl_ms, s.bundle_store }, ' ')
end

-- The words of `bundle` in their order, with numbers converted; nil when there is no bundle.
local function read_bundle_line(bundle)
  if not bundle then return nil end
  local photo, depth, ttl, store = string.match(bundle, '^(%d+) (%d+) (%d+) (.+)$', DIGEST_LENGTH + 2)
  return string.sub(bundle, 1, DIGEST_LENGTH), tonumber(photo), tonumber(depth), tonumber(ttl), store
end

local function bundle_of(q, capture)
  return read_bundle_line(job_fields(q, capture, 'bundle')[1])
end

-- `submission` has the values that only the worker reads: a line of words, then the assertion, whose length is the last
-- word, then the metadata.
--   device binding photo_sha256 depth_sha256 traceparent (or -) assertion_bytes
local function submission_of(s)
  local line = table.concat(
    { s.device, s.binding, s.photo_sha256, s.depth_sha256, s.traceparent or '-', #s.assertion }, ' ')
  return line .. '\n' .. s.assertion .. s.metadata
end

-- The status of a settled capture, which replaces its job for a while: words separated by spaces, `-` for a missing
-- one. It is a string, as that takes one command, and a hash with an expiry takes three.
--   device state reason attempts received_at claimed_at settled_at queue_us verify_us settle_us redriven
local function settled_text(device, item, now, attempts, received_at, claimed_at, redriven)
  return table.concat({
    device, item.disposition, item.reason ~= '' and item.reason or '-', attempts or '-', received_at or '-',
    claimed_at or '-', now, item.queue, item.verify, item.settle, redriven or '-',
  }, ' ')
end

-- Whether anything is known of a capture: its job, or that it was settled not long ago.
local function is_known(q, capture)
  return redis.call('EXISTS', q.job(capture), q.settled(capture)) > 0
end

local function bytes_of(q, capture)
  local _, photo, depth = bundle_of(q, capture)
  return (photo or 0) + (depth or 0)
end

-- How often a capture was delivered to workers that did not come back, this time included. The token's count alone is
-- not enough: whenever the lane is given back in between it gets a new token, which begins anew.
local function deliveries_until_now(q, capture, of_token)
  return math.max(of_token, (tonumber(job_fields(q, capture, 'takeovers')[1]) or 0) + 1)
end

-- The time of a new dead letter, always later than the last one's, so that a lane's letters are put back in their
-- order.
local function dead_at(q, now)
  local last = redis.call('ZREVRANGE', q.dead, 0, 0, 'WITHSCORES')[2]
  return math.max(now, (tonumber(last) or 0) + 1)
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

-- Whether a key is of this type, or is not there. Somebody may have written another type over it by hand.
local function is_of_type(key, kind)
  local found = redis.call('TYPE', key).ok
  return found == kind or found == 'none'
end

-- The first key of another type among those that change when a capture is put into a lane; nil when all are well.
-- Without a device its lane is not looked at. Redis has no rollback: an error at such a key would leave the capture in
-- the lane and without a token.
local function damaged_key(q, device)
  if device and not is_of_type(q.lane(device), 'list') then return q.lane(device) end
  if not is_of_type(q.ready, 'stream') then return q.ready end
  if not is_of_type(q.lane_bytes, 'hash') then return q.lane_bytes end
  for _, key in ipairs({ q.heads, q.delayed }) do
    if not is_of_type(key, 'zset') then return key end
  end
  return nil
end

local function damaged(key) return redis.error_reply('DAMAGED ' .. key .. ' is of another type') end

-- The error that a function returns before its first write, so that it does everything or nothing: a key of the
-- partition that lanes and dead letters are noted in is of another type. Nil when all are well.
local function damage_of(q)
  local key = damaged_key(q) or (not is_of_type(q.dead, 'zset') and q.dead)
  return key and damaged(key) or nil
end

-- Puts a dead letter back at the end of its device's lane. Returns false when there is none, or its job is missing; and
-- false with an error when a key is damaged: it stays a dead letter then.
--
-- It is marked as redriven: later captures may have overtaken its assertion counter, which is no replay then. If
-- workers did not come back from it, it is a suspect and worked alone; other letters do not become suspects, as a
-- worker hands back the captures that it claimed beside a suspect.
local function revive(q, capture, now)
  local job = q.job(capture)
  if not is_of_type(job, 'hash') then return false, damaged(job) end
  local row = redis.call('HMGET', job, 'device', 'reason')
  local device = row[1]
  if not device or not redis.call('ZSCORE', q.dead, capture) then return false end
  local key = damaged_key(q, device)
  if key then return false, damaged(key) end
  redis.call('ZREM', q.dead, capture)
  local bytes = bytes_of(q, capture)
  redis.call('HSET', job, 'state', 'queued', 'attempts', '0', 'redriven', '1', 'put_back_at', text(now))
  redis.call('HDEL', job, 'reason', 'fault', 'settled_at', 'claimed_at', 'deliveries')
  if row[2] == 'DELIVERIES_EXHAUSTED' then redis.call('HSET', job, 'suspect', '1') end
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

-- Makes lanes ready whose delay is over. Returns how many delays were over.
local function promote_due(q, lanes_max)
  local due = redis.call('ZRANGEBYSCORE', q.delayed, '-inf', text(now_ms()), 'LIMIT', 0, lanes_max)
  for _, device in ipairs(due) do
    redis.call('ZREM', q.delayed, device)
    -- A lane may have been deleted by hand: left in `heads`, it would count as the oldest.
    if redis.call('EXISTS', q.lane(device)) == 1 then add_token(q, device) else forget_lane(q, device) end
  end
  return #due
end

-- The most lanes made ready in the call that makes a lost stream again; the others stay in `delayed`, due at once.
local LOST_TOKENS_MAX = 1000

-- Makes both groups, and leaves one that exists as it is. That of the tokens begins at 0 and never at `$`: tokens that
-- are there already are work.
local function create_groups(q)
  local is_gone = redis.call('EXISTS', q.ready) == 0
  if is_gone then
    local damage = damage_of(q)
    if damage then error(damage) end
    -- Before the stream exists again: afterwards the loss of its tokens would not be noticed.
    put_off_all(q)
  end
  redis.pcall('XGROUP', 'CREATE', q.ready, GROUP, '0', 'MKSTREAM')
  -- At `$`: a worker claims before it waits, and so needs not be told of earlier tokens.
  redis.pcall('XGROUP', 'CREATE', q.ready, WAITING_GROUP, '$')
  if is_gone then promote_due(q, LOST_TOKENS_MAX) end
end
