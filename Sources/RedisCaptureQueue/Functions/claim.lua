-- capture_claim_v2: takes the captures at the head of lanes.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2 captures per lane at most  3 lanes at most  4… tokens that were delivered to the consumer already
--       Without tokens it reads up to that many from the stream itself.
-- Reply {'paused'}, or {'claimed', now, lane…} with lane = {lease, device, deliveries, job…} and
--       job = {capture, CLAIMED_FIELDS…}. The caller raises the alarm for a nil: of a device, where the token's entry is
--       gone or names none, and is removed; or, with {token, nil, deliveries, device, error}, where the lane cannot be
--       worked and is put off; of a capture, as {nil, what it was}, where the lane had no id there, which is removed.
--       Tokens that are not this consumer's and lanes that are empty are left out.

-- The order is known to the reader of the reply.
local CLAIMED_FIELDS = { 'submission', 'bundle', 'received_at', 'redriven', 'suspect', 'attempts', 'state' }
local SUBMISSION, SUSPECT, ATTEMPTS, STATE = 1, 5, 6, 7
-- Read with them, and not told. A library has no functions of Lua's own while it is loaded.
local READ_FIELDS, NEXT_ATTEMPT = {}, #CLAIMED_FIELDS + 1
for index = 1, #CLAIMED_FIELDS do READ_FIELDS[index] = CLAIMED_FIELDS[index] end
READ_FIELDS[NEXT_ATTEMPT] = 'next_attempt_at'

-- What one reply may hold beyond the first capture of the first lane; a lane's other captures wait for the next round,
-- and so do lanes for which nothing is left.
local REPLY_BYTES_MAX = 8388608

-- Marks one capture as claimed, at a time as text, and returns its row.
local function claim_job(q, capture, device, row, now)
  -- Already processing: the reply to this same claim was lost, and the attempt is counted.
  local attempts = (tonumber(row[ATTEMPTS]) or 0) + (row[STATE] == 'processing' and 0 or 1)
  row[ATTEMPTS] = text(attempts)
  if row[SUBMISSION] then
    redis.call('HSET', q.job(capture), 'state', 'processing', 'claimed_at', now, 'attempts', row[ATTEMPTS])
    if row[NEXT_ATTEMPT] then redis.call('HDEL', q.job(capture), 'next_attempt_at') end
    -- The word that a worker has left is of its own end, and not of the next one's.
    if row[SUSPECT] then redis.call('HDEL', q.job(capture), 'death') end
    note(q, capture, device, 'processing')
  end
  return { capture, unpack(row, 1, #CLAIMED_FIELDS) }
end

-- Reads a lane from its head. What is no capture's id is taken from there, as nobody could ever settle it.
-- Returns the captures, and what was taken.
local FOREIGN_LENGTH_MAX = 64
local function read_head(q, device, captures_max, now)
  local captures, foreign = redis.call('LRANGE', q.lane(device), 0, captures_max - 1), {}
  if #captures == 0 or is_uuid(captures[1]) then return captures, foreign end
  local head = captures[1]
  while head and not is_uuid(head) do
    redis.call('LPOP', q.lane(device))
    foreign[#foreign + 1] = { false, string.sub(head, 1, FOREIGN_LENGTH_MAX) }
    head = redis.call('LINDEX', q.lane(device), 0)
  end
  note_head(q, device, now)
  return redis.call('LRANGE', q.lane(device), 0, captures_max - 1), foreign
end

-- Captures that are worked together while they are suspect: SuspectGroup.capturesMax.
local FEW_MAX = 16

-- Claims the head of one lane. A capture that was in the hands of a worker that did not come back is a suspect, and is
-- worked alone (`1`) or with others of its kind only (`few`). Returns the lane, or nil when it is empty.
local function claim_head(q, token, device, deliveries, captures_max, now, budget)
  local captures, foreign = read_head(q, device, captures_max, now)
  local lane = { token .. '#' .. deliveries, device, deliveries }
  if #captures == 0 then
    remove_token(q, token)
    forget_lane(q, device)
    if #foreign == 0 then return nil end
  end
  now = text(now)
  local kind
  for index, capture in ipairs(captures) do
    if index > 1 and not is_uuid(capture) then break end
    local row = job_fields(q, capture, unpack(READ_FIELDS))
    if index == 1 then kind = row[SUSPECT] end
    budget.bytes = budget.bytes - #(row[SUBMISSION] or '')
    if index > 1 and (row[SUSPECT] ~= kind or budget.bytes < 0) then break end
    lane[#lane + 1] = claim_job(q, capture, device, row, now)
    if kind == '1' or kind and index == FEW_MAX then break end
  end
  -- Behind the captures, the first of which says whether the lane is a suspect's.
  for _, row in ipairs(foreign) do lane[#lane + 1] = row end
  return lane
end

-- The same for one of many lanes, none of which keeps a worker from the others.
local function claim_lane(q, token, device, deliveries, captures_max, now, budget)
  local lane, fault = guard(q, token, device, function()
    return claim_head(q, token, device, deliveries, captures_max, now, budget)
  end)
  return fault and { token, false, deliveries, device, fault } or lane
end

-- Reads new entries of the stream. The group may be gone after a flush or a failover: it is made again at 0.
local function read_entries(q, consumer, lanes_max)
  for _ = 1, 2 do
    local reply = redis.pcall('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', lanes_max, 'STREAMS', q.ready, '>')
    if not reply then return {} end
    if not reply.err then return reply[1][2] end
    create_group(q)
  end
  return {}
end

-- Queues again what was claimed of a lane and was no attempt.
local function release_claimed(q, device)
  visit_in_hands(q, device, function(capture)
    local row = job_fields(q, capture, 'state', 'attempts')
    if row[1] ~= 'processing' then return false end
    redis.call('HSET', q.job(capture), 'state', 'queued', 'attempts', text(math.max(0, (tonumber(row[2]) or 0) - 1)))
    note(q, capture, device, 'queued')
    return true
  end)
end

-- Puts tokens that were delivered to this consumer back into the stream, and what it had claimed with them into the
-- queue: it has not begun.
local function put_back(q, consumer, tokens)
  for _, token in ipairs(tokens) do
    if deliveries_of(q, token, consumer) then
      local device, damage = device_of(q, token), nil
      if device then
        damage = select(2, guard(q, token, device, function() release_claimed(q, device) end))
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
  local tokens = {}
  for index = 4, #args do tokens[#tokens + 1] = args[index] end
  if redis.call('EXISTS', q.paused) == 1 then
    put_back(q, consumer, tokens)
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
    -- An entry that was never delivered before says itself whose token it is.
    for _, entry in ipairs(read_entries(q, consumer, lanes_max)) do take(entry[1], device_in(entry), 1) end
    put_back(q, consumer, late)
    return tell(q, reply)
  end
  local deliveries = deliveries_among(q, consumer, #tokens)
  for _, token in ipairs(tokens) do
    local number = deliveries(token)
    if number then take(token, device_of(q, token), number) end
  end
  put_back(q, consumer, late)
  return tell(q, reply)
end

-- allow-oom: a full queue must drain.
redis.register_function { function_name = 'capture_claim_v2', callback = claim, flags = { 'allow-oom' } }
