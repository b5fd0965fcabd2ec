-- capture_settle_v1: gives lanes back.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2 how long a settled capture's status stays, in milliseconds, then for each lane
--         lease, device, continuation ('ready', 'delayed', 'postponed' (delayed without counting an attempt) or
--         'handed_back'), delay in milliseconds, fault, n,
--         and n times: capture, disposition ('verified', 'rejected' or 'dead'), reason, fault
-- Reply for each lane one of 'settled', 'fenced' (the lease is lost) and 'mismatch' (the captures are not the head of
--       the lane); the latter two have changed nothing. The same settlement sent twice is fenced the second time, as
--       its token is gone.
--       error DAMAGED <key> <why>   somebody has written over a key of the partition: nothing was done

-- Whether a continuation puts the lane off.
local PUTS_OFF = { ready = false, delayed = true, postponed = true, handed_back = false }

-- How many arguments a lane has before those of its captures, and how many each capture has.
local LANE_ARGUMENTS, ITEM_ARGUMENTS = 6, 4

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
    }
    at = at + ITEM_ARGUMENTS
  end
  return lane, at
end

-- Whether the captures are the head of their lane, and whether there are more behind them. A lane that this call has
-- emptied is deleted only at its end.
local function is_head(q, lane, sum)
  local captures = sum.is_emptied[lane.device] and {} or redis.pcall('LRANGE', q.lane(lane.device), 0, #lane.items)
  -- The lane is no list: the other lanes are still given back.
  if captures.err then return false end
  for index, item in ipairs(lane.items) do
    if captures[index] ~= item.capture then return false end
  end
  return true, captures[#lane.items + 1] ~= nil
end

-- PostgreSQL has the result: job and bytes are deleted, and a small status stays for a while. Returns how many bytes.
local function settle_item(q, device, item, sum)
  local job = q.job(item.capture)
  local row = fields_of(job, 'bundle', 'attempts', 'received_at', 'claimed_at', 'redriven')
  local digest, photo, depth, accepted_ttl = read_bundle_line(row[1])
  sum.keys[#sum.keys + 1] = q.photo(item.capture)
  sum.keys[#sum.keys + 1] = q.depth(item.capture)
  sum.keys[#sum.keys + 1] = job
  local status = settled_text(device, item, sum.time, row[2], row[3], row[4], row[5])
  redis.call('SET', q.settled(item.capture), status, 'PX', sum.status_stays)
  if digest then
    local place = #sum.accepted + 1
    sum.accepted[place], sum.captures[place] = q.accepted(digest), item.capture
    sum.stays[place] = stay_of(sum, accepted_ttl)
  end
  count_settled(sum, item, whole(row[3]))
  note(q, item.capture, device, item.disposition)
  return (photo or 0) + (depth or 0)
end

-- Queues the claimed captures that are not settled again. When the lane is handed back or postponed, no attempt counts;
-- when it is delayed, only the head's. A suspect stays one until it has its result: that a worker came back does not
-- show how far it got with the capture, and a capture that could not even be fetched has not been tried.
local function release_rest(q, lane, now, sum)
  local put_off = PUTS_OFF[lane.continuation]
  visit_in_hands(q, lane.device, function(capture, place)
    local job = q.job(capture)
    local row = job_fields(q, capture, 'state', 'attempts', 'received_at', 'put_back_at')
    if place == 1 then
      sum.heads[#sum.heads + 1] = waits_since(row[3], row[4], now)
      sum.heads[#sum.heads + 1] = lane.device
    end
    if row[1] ~= 'processing' then return false end
    local delays = put_off and place == 1
    local is_attempt = lane.continuation == 'ready' or delays and lane.continuation == 'delayed'
    local attempts = text(math.max(0, (tonumber(row[2]) or 0) - (is_attempt and 0 or 1)))
    if delays then
      redis.call('HSET', job, 'state', 'retrying', 'attempts', attempts, 'fault', lane.fault, 'next_attempt_at',
        text(now + lane.delay))
    else
      redis.call('HSET', job, 'state', 'queued', 'attempts', attempts)
    end
    note(q, capture, lane.device, delays and 'retrying' or 'queued')
    return true
  end)
end

-- Settles or buries the captures that have left a lane. Returns how many bytes they have.
local function settle_items(q, lane, now, sum)
  local settled, dead, of_token = 0, 0, tonumber(string.match(lane.lease, '#(%d+)$'))
  for _, item in ipairs(lane.items) do
    if item.disposition == 'dead' then
      local deliveries = deliveries_until_now(q, item.capture, of_token)
      dead = dead + bury(q, item.capture, lane.device, item.reason, item.fault, now, deliveries)
    else
      settled = settled + settle_item(q, lane.device, item, sum)
    end
  end
  sum.bytes = sum.bytes + settled
  return settled + dead
end

local function settle_lane(q, lane, device_of_token, now, sum)
  local token = lane.token
  if not token or sum.is_given_back[token] or device_of_token(token) ~= lane.device then return 'fenced' end
  local is_fitting, is_left = is_head(q, lane, sum)
  if not is_fitting then return 'mismatch' end
  if is_left and #lane.items > 0 then redis.call('LTRIM', q.lane(lane.device), #lane.items, -1) end
  local bytes = settle_items(q, lane, now, sum)
  if is_left then
    release_rest(q, lane, now, sum)
    take_lane_bytes(q, lane.device, bytes)
  end
  sum.is_given_back[token] = true
  sum.tokens[#sum.tokens + 1] = token
  if not is_left then
    if #lane.items > 0 then sum.keys[#sum.keys + 1] = q.lane(lane.device) end
    sum.is_emptied[lane.device] = true
    sum.emptied[#sum.emptied + 1] = lane.device
    return 'settled'
  end
  if PUTS_OFF[lane.continuation] then
    redis.call('ZADD', q.delayed, text(now + lane.delay), lane.device)
  else
    add_token(q, lane.device)
  end
  return 'settled'
end

local DISPOSITIONS = { verified = true, rejected = true, dead = true }

local function settle(keys, args)
  local q = queue_of(keys[1])
  local consumer, status_ttl = args[1], whole(args[2])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not status_ttl or status_ttl < 1 then return invalid('ARGV[2]', 'not a time to live') end
  -- All are read before the first is settled: a malformed call changes nothing.
  local lanes, at = {}, 3
  while at <= #args do
    local lane
    lane, at = read_lane(args, at)
    if not lane or PUTS_OFF[lane.continuation] == nil then return invalid('ARGV', 'not a settlement') end
    for _, item in ipairs(lane.items) do
      if not DISPOSITIONS[item.disposition] then return invalid('ARGV', 'not a disposition') end
    end
    lanes[#lanes + 1] = lane
  end
  local damage = damage_of(q)
  if damage then return damage end
  local now, outcomes = now_ms(), {}
  local sum = new_sum(now, status_ttl)
  local deliveries, tokens = deliveries_among(q, consumer, #lanes), {}
  for _, lane in ipairs(lanes) do
    lane.token = token_of(lane.lease, deliveries)
    tokens[#tokens + 1] = lane.token
  end
  local device_of_token = devices_among(q, tokens)
  for index, lane in ipairs(lanes) do outcomes[index] = settle_lane(q, lane, device_of_token, now, sum) end
  apply(q, sum)
  return tell(q, outcomes)
end

-- allow-oom: this is what frees memory.
redis.register_function { function_name = 'capture_settle_v1', callback = settle, flags = { 'allow-oom' } }
