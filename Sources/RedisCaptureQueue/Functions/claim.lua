-- capture_claim_v1: takes the captures at the head of lanes.
--
-- KEYS  1 {P}:ready  2 {P}:installation:<id>, optional: the caller's
-- ARGV  1 consumer  2 captures per lane at most  3 lanes at most  4… tokens that were delivered to the consumer already
--       Without tokens it reads up to `lanes at most` new tokens from the stream.
-- Reply {'paused'}, or {'claimed', now, lane…} with lane = {lease, device, deliveries, job…} and
--       job = {capture, CLAIMED_FIELDS…}. A nil in place of a device or capture makes the caller raise an alarm:
--       {token, nil, deliveries}: the token's entry is gone or names no device; the token is removed.
--       {token, nil, deliveries, device, error}: the lane cannot be worked; it is put off. With the error
--       `LANE_ENTRY_OF_OTHER_PARTITION <capture>` the capture at its head is known in another partition alone: given up
--       here, it would be a dead letter beside the capture itself.
--       {nil, text} in place of a job: an entry of the lane was no capture id; it is removed. A lane of such rows alone
--       is not the caller's.
--       Tokens that are not this consumer's and lanes that are empty are left out.
--       error DAMAGED <key> <why>   somebody has written over a key of the partition: nothing was done
--       error OTHER_INSTALLATION <why>   the queue is not the caller's: nothing was done

-- The reader of the reply relies on this order.
local CLAIMED_FIELDS = { 'submission', 'bundle', 'received_at', 'redriven', 'suspect', 'attempts' }
local SUBMISSION, SUSPECT, ATTEMPTS = 1, 5, 6
-- READ_FIELDS has two more fields, which are not in the reply. Lua's own functions are missing while a library is
-- loaded: hence the loop.
local READ_FIELDS, STATE, NEXT_ATTEMPT = {}, #CLAIMED_FIELDS + 1, #CLAIMED_FIELDS + 2
for index = 1, #CLAIMED_FIELDS do READ_FIELDS[index] = CLAIMED_FIELDS[index] end
READ_FIELDS[STATE], READ_FIELDS[NEXT_ATTEMPT] = 'state', 'next_attempt_at'

-- The bytes that one reply may hold beyond the first capture of the first lane. Captures and lanes that exceed it wait
-- for the next round.
local REPLY_BYTES_MAX = 8388608

-- Marks one capture as claimed, at a time as text, and returns its row.
local function claim_job(q, capture, job, device, row, now)
  -- Already processing: the reply to this claim was lost, and its attempt is counted already.
  local attempts = (tonumber(row[ATTEMPTS]) or 0) + (row[STATE] == 'processing' and 0 or 1)
  row[ATTEMPTS] = text(attempts)
  if row[SUBMISSION] then
    redis.call('HSET', job, 'state', 'processing', 'claimed_at', now, 'attempts', row[ATTEMPTS])
    if row[NEXT_ATTEMPT] then redis.call('HDEL', job, 'next_attempt_at') end
    -- `death` explains the end of the last worker, not of the next one.
    if row[SUSPECT] then redis.call('HDEL', job, 'death') end
    note(q, capture, device, 'processing')
  end
  return { capture, unpack(row, 1, #CLAIMED_FIELDS) }
end

-- How many suspects of one lane are worked together at most; `SuspectGroup.capturesMax` of the worker is the same.
local FEW_MAX = 16

-- Claims the head of one lane. A capture whose worker did not come back is a suspect: it is worked alone (`1`) or with
-- other suspects only (`few`). Returns the lane, or nil when it is empty.
local function claim_head(q, token, device, deliveries, captures_max, now, budget)
  local captures, foreign, has_more = read_head(q, device, captures_max, now)
  local lane = { token .. '#' .. deliveries, device, deliveries }
  if #captures == 0 then
    remove_token(q, token)
    -- The next claim goes on with the lane.
    if has_more then add_token(q, device) else forget_lane(q, device) end
    if #foreign == 0 then return nil end
  end
  now = text(now)
  local kind
  for index, capture in ipairs(captures) do
    if index > 1 and not is_uuid(capture) then break end
    local job = q.job(capture)
    local row = fields_of(job, unpack(READ_FIELDS))
    if index == 1 then kind = row[SUSPECT] end
    budget.bytes = budget.bytes - #(row[SUBMISSION] or '')
    if index > 1 and (row[SUSPECT] ~= kind or budget.bytes < 0) then break end
    if not row[SUBMISSION] and is_stray(q, capture, budget) then
      if index > 1 then break end
      if #foreign == 0 then error(redis.error_reply('LANE_ENTRY_OF_OTHER_PARTITION ' .. capture)) end
      -- The entries that were removed before it are told first: the next claim comes to it.
      remove_token(q, token)
      add_token(q, device)
      break
    end
    lane[#lane + 1] = claim_job(q, capture, job, device, row, now)
    if kind == '1' or kind and index == FEW_MAX then break end
  end
  -- After the captures, as the first row must be a capture: it tells whether the lane is suspect.
  for _, row in ipairs(foreign) do lane[#lane + 1] = row end
  return lane
end

-- Claims the head of one of many lanes; a fault in it does not stop the others.
local function claim_lane(q, token, device, deliveries, captures_max, now, budget)
  local lane, fault = guard(q, token, device, function()
    return claim_head(q, token, device, deliveries, captures_max, now, budget)
  end)
  return fault and { token, false, deliveries, device, fault } or lane
end

-- Reads new entries of the stream. The group may be gone after a flush or a failover: it is made again at 0. Any other
-- error is the caller's, as when the key is no stream: an empty reply would hide it.
local function read_entries(q, consumer, lanes_max)
  local function read_new()
    return redis.pcall('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', lanes_max, 'STREAMS', q.ready, '>')
  end
  local reply = read_new()
  if reply and reply.err and string.find(reply.err, '^NOGROUP') then
    create_groups(q)
    reply = read_new()
  end
  if not reply then return {} end
  if reply.err then error(reply) end
  local entries = reply[1][2]
  -- All tokens are delivered now: no waiting worker needs to be told of them.
  if #entries < lanes_max then redis.pcall('XGROUP', 'SETID', q.ready, WAITING_GROUP, '$') end
  return entries
end

-- Queues a lane's claimed captures again: those that were begun as suspects, the others without counting the attempt.
local function release_claimed(q, device, begun)
  visit_in_hands(q, device, function(capture)
    local job = q.job(capture)
    local row = job_fields(q, capture, 'state', 'attempts')
    if row[1] ~= 'processing' then return false end
    if begun[capture] then
      redis.call('HSET', job, 'state', 'queued', 'suspect', '1')
    else
      redis.call('HSET', job, 'state', 'queued', 'attempts', text(math.max(0, (tonumber(row[2]) or 0) - 1)))
    end
    note(q, capture, device, 'queued')
    return true
  end)
end

-- Returns tokens that were delivered to this consumer to the stream and queues their claimed captures again: the
-- consumer has not begun them.
local function return_tokens(q, consumer, tokens)
  for _, token in ipairs(tokens) do
    if deliveries_of(q, token, consumer) then
      local device, damage = device_of(q, token), nil
      if device then
        damage = select(2, guard(q, token, device, function() release_claimed(q, device, {}) end))
      end
      if not damage then
        remove_token(q, token)
        if device and redis.call('EXISTS', q.lane(device)) == 1 then add_token(q, device) end
      end
    end
  end
end

local function claim(keys, args)
  local q = queue_of(keys[1])
  local consumer, captures_max, lanes_max = args[1], tonumber(args[2]), tonumber(args[3])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not captures_max or not lanes_max or captures_max < 1 or lanes_max < 1 then
    return invalid('ARGV', 'consumer, captures per lane and lanes')
  end
  local other = refuse_other(q, keys, 2)
  if other then return other end
  local tokens = {}
  for index = 4, #args do tokens[#tokens + 1] = args[index] end
  local is_paused = redis.call('EXISTS', q.paused) == 1
  -- Whoever repairs a key may have paused the queue for that.
  if is_paused and #tokens == 0 then return { 'paused' } end
  local damage = damage_of(q)
  if damage then return damage end
  if is_paused then
    return_tokens(q, consumer, tokens)
    return tell(q, { 'paused' })
  end
  local now, budget = now_ms(), { bytes = REPLY_BYTES_MAX }
  local reply = { 'claimed', now }
  local late = {}
  local function take(token, device, deliveries)
    if device and budget.bytes < 0 then
      late[#late + 1] = token
    elseif device then
      reply[#reply + 1] = claim_lane(q, token, device, deliveries, captures_max, now, budget)
    else
      remove_token(q, token)
      reply[#reply + 1] = { token, false, deliveries }
    end
  end
  if #tokens == 0 then
    -- A newly delivered entry names its device itself.
    for _, entry in ipairs(read_entries(q, consumer, lanes_max)) do take(entry[1], device_in(entry), 1) end
    return_tokens(q, consumer, late)
    return tell(q, reply)
  end
  local deliveries = deliveries_among(q, consumer, #tokens)
  for _, token in ipairs(tokens) do
    local number = deliveries(token)
    if number then take(token, device_of(q, token), number) end
  end
  return_tokens(q, consumer, late)
  return tell(q, reply)
end

-- allow-oom: a full queue must drain.
redis.register_function { function_name = 'capture_claim_v1', callback = claim, flags = { 'allow-oom' } }
