-- capture_settle_v1: gives lanes back.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2 how long a settled capture's status stays, in milliseconds, then for each lane
--         lease, device, continuation ('ready', 'delayed' or 'handed_back'), delay in milliseconds, fault, n,
--         and n times: capture, disposition ('verified', 'rejected' or 'dead'), reason, fault, queue, verify and settle
--         times in microseconds
-- Reply one of 'settled', 'fenced' (the lease is lost) and 'mismatch' (the captures are not the head of
--       the lane) for each lane; the latter two have changed nothing. The same settlement sent twice is fenced the second
--       time, as its token is gone.

local LANE_ARGUMENTS, ITEM_ARGUMENTS = 6, 7

-- Reads one lane's arguments from `at`. Returns it and where the next one starts.
local function read_lane(args, at)
  local lane = {
    lease = args[at], device = args[at + 1], continuation = args[at + 2], delay = tonumber(args[at + 3]),
    fault = args[at + 4], items = {},
  }
  local items = tonumber(args[at + 5])
  if not items or not lane.delay then return nil end
  at = at + LANE_ARGUMENTS
  for _ = 1, items do
    if not args[at + ITEM_ARGUMENTS - 1] then return nil end
    lane.items[#lane.items + 1] = {
      capture = args[at], disposition = args[at + 1], reason = args[at + 2], fault = args[at + 3],
      queue = args[at + 4], verify = args[at + 5], settle = args[at + 6],
    }
    at = at + ITEM_ARGUMENTS
  end
  return lane, at
end

local function is_head(q, lane)
  if #lane.items == 0 then return true end
  local captures = redis.call('LRANGE', q.lane(lane.device), 0, #lane.items - 1)
  for index, item in ipairs(lane.items) do
    if captures[index] ~= item.capture then return false end
  end
  return true
end

-- PostgreSQL has the result: the bytes go, and a small status stays for a while.
local function settle_item(q, device, item, now, status_ttl)
  local job = q.job(item.capture)
  local bytes = bytes_of(q, item.capture)
  local kept = redis.call('HMGET', job, 'bundle_digest', 'accepted_ttl_ms')
  redis.call('UNLINK', q.photo(item.capture), q.depth(item.capture))
  redis.call('HDEL', job, 'assertion', 'metadata', 'fault', 'suspect', 'death', 'next_attempt_at', 'traceparent')
  redis.call('HSET', job, 'device', device, 'state', item.disposition, 'reason', item.reason, 'settled_at', text(now),
    'queue_us', item.queue, 'verify_us', item.verify, 'settle_us', item.settle)
  redis.call('PEXPIRE', job, status_ttl)
  if kept[1] then redis.call('PEXPIRE', q.accepted(kept[1]), kept[2] or text(ACCEPTED_TTL_DEFAULT_MS)) end
  count(q, 'queued', -1)
  count(q, 'bytes', -bytes)
  count(q, item.disposition, 1)
  publish(q, item.capture, device, item.disposition)
end

-- What was claimed with the lane and is not settled is queued again. Handed back, an attempt was none; put off, it was
-- one for the capture at the head only.
local function release_rest(q, lane, now)
  local put_off = lane.continuation == 'delayed'
  for index, capture in ipairs(redis.call('LRANGE', q.lane(lane.device), 0, IN_HANDS_MAX - 1)) do
    local job = q.job(capture)
    local row = redis.call('HMGET', job, 'state', 'attempts')
    if row[1] ~= 'processing' then break end
    if put_off and index == 1 then
      redis.call('HSET', job, 'state', 'retrying', 'fault', lane.fault, 'next_attempt_at', text(now + lane.delay))
      -- Its worker came back, so it is no suspect any more.
      redis.call('HDEL', job, 'suspect', 'death')
      publish(q, capture, lane.device, 'retrying')
    else
      local uncounted = lane.continuation == 'ready' and 0 or 1
      redis.call('HSET', job, 'state', 'queued', 'attempts', text(math.max(0, tonumber(row[2]) - uncounted)))
      publish(q, capture, lane.device, 'queued')
    end
  end
end

local function settle_lane(q, lane, consumer, now, status_ttl)
  local token = token_of(q, lane.lease, consumer)
  if not token or device_of(q, token) ~= lane.device then return 'fenced' end
  if not is_head(q, lane) then return 'mismatch' end
  for _, item in ipairs(lane.items) do
    redis.call('LPOP', q.lane(lane.device))
    if item.disposition == 'dead' then
      bury(q, item.capture, lane.device, item.reason, item.fault, now, string.match(lane.lease, '#(%d+)$'))
    else
      settle_item(q, lane.device, item, now, status_ttl)
    end
  end
  remove_token(q, token)
  if redis.call('EXISTS', q.lane(lane.device)) == 0 then return 'settled' end
  release_rest(q, lane, now)
  if lane.continuation == 'delayed' then
    redis.call('ZADD', q.delayed, text(now + lane.delay), lane.device)
  else
    add_token(q, lane.device)
  end
  return 'settled'
end

local CONTINUATIONS = { ready = true, delayed = true, handed_back = true }
local DISPOSITIONS = { verified = true, rejected = true, dead = true }

local function settle(keys, args)
  local q = queue_of(keys[1])
  local consumer, status_ttl = args[1], tonumber(args[2])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not status_ttl or status_ttl < 1 then return invalid('ARGV[2]', 'not a time to live') end
  -- All are read before the first is settled: a malformed call changes nothing.
  local lanes, at = {}, 3
  while at <= #args do
    local lane
    lane, at = read_lane(args, at)
    if not lane or not CONTINUATIONS[lane.continuation] then return invalid('ARGV', 'not a settlement') end
    for _, item in ipairs(lane.items) do
      if not DISPOSITIONS[item.disposition] then return invalid('ARGV', 'not a disposition') end
    end
    lanes[#lanes + 1] = lane
  end
  local now, outcomes = now_ms(), {}
  for index, lane in ipairs(lanes) do outcomes[index] = settle_lane(q, lane, consumer, now, status_ttl) end
  return outcomes
end

-- allow-oom: this is what frees memory.
redis.register_function { function_name = 'capture_settle_v1', callback = settle, flags = { 'allow-oom' } }
