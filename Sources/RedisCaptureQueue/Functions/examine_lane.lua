-- The doctor's functions for lanes and tokens: each call examines or mends one lane or a handful of tokens.
--
-- capture_examine_lane_v1: checks whether a lane has exactly one token, and an empty lane none. A delay counts as one.
-- capture_mend_lane_v1: the same, and mends it.
--
-- KEYS  1 {P}:ready
-- ARGV  1 device  2 since  3… all tokens of the device that were seen, up to the token `since`
-- Reply the faults: LANE_WITHOUT_TOKEN, LANE_WITH_TOKENS, TOKEN_WITHOUT_LANE, TOKEN_OUT_OF_REACH; none when all is
--       well, or {'behind'}: too many tokens came after `since`; read on and ask again.
--
-- The doctor reads the stream in pages while tokens come and go, so its view is only a suspicion. A token keeps its id
-- from when it is added to when it is removed. As the doctor has seen all tokens up to `since`, only the later ones are
-- read here, in one atomic step.
--
-- capture_examine_tokens_v1: which tokens stand for no lane: the entry is gone but still pending, or names no device.
-- capture_mend_tokens_v1: the same, and removes them.
--
-- KEYS  1 {P}:ready
-- ARGV  1… tokens
-- Reply those tokens.

-- In a block of their own: a library is one chunk, which has room for 200 locals.
do

local function is_after(token, other)
  local ms, seq = string.match(token, '^(%d+)%-(%d+)$')
  local other_ms, other_seq = string.match(other, '^(%d+)%-(%d+)$')
  if ms ~= other_ms then return tonumber(ms) > tonumber(other_ms) end
  return tonumber(seq) > tonumber(other_seq)
end

-- The last token that the group has delivered, or nil without a group: a new group would deliver all tokens.
local function last_delivered(q)
  local groups = redis.pcall('XINFO', 'GROUPS', q.ready)
  if groups.err then return nil end
  for _, row in ipairs(groups) do
    local group = {}
    for index = 1, #row, 2 do group[row[index]] = row[index + 1] end
    if group.name == GROUP then return group['last-delivered-id'] end
  end
  return nil
end

local function is_pending(q, token)
  local pending = redis.pcall('XPENDING', q.ready, GROUP, token, token, 1)
  return not pending.err and #pending > 0
end

-- Whether a worker can get a token: it is pending, or not delivered yet. If it was delivered and is not pending (its
-- consumer was deleted), it is stuck for ever.
local function is_within_reach(q, token, last)
  return not last or is_after(token, last) or is_pending(q, token)
end

-- The most tokens after `since` that one call reads.
local ADDED_MAX = 1000

-- The device's tokens in the stream, or nil when more tokens have come since than one call reads.
local function tokens_of(q, device, since, seen)
  local tokens, known = {}, {}
  for _, token in ipairs(seen) do
    known[token] = true
    if device_of(q, token) == device then tokens[#tokens + 1] = token end
  end
  local added = redis.call('XRANGE', q.ready, '(' .. since, '+', 'COUNT', ADDED_MAX + 1)
  if #added > ADDED_MAX then return nil end
  for _, entry in ipairs(added) do
    if not known[entry[1]] and device_of(q, entry[1]) == device then tokens[#tokens + 1] = entry[1] end
  end
  return tokens
end

-- A lane's faults, its tokens that a worker can get, whether it is put off, and whether it is empty.
local function examine_lane_of(q, device, tokens)
  local faults, good, last = {}, {}, last_delivered(q)
  for _, token in ipairs(tokens) do
    if is_within_reach(q, token, last) then good[#good + 1] = token else faults[1] = 'TOKEN_OUT_OF_REACH' end
  end
  local is_delayed = redis.call('ZSCORE', q.delayed, device) ~= false
  local held = #good + (is_delayed and 1 or 0)
  local is_empty = redis.call('EXISTS', q.lane(device)) == 0
  if is_empty and held > 0 then faults[#faults + 1] = 'TOKEN_WITHOUT_LANE' end
  if not is_empty and held == 0 then faults[#faults + 1] = 'LANE_WITHOUT_TOKEN' end
  if not is_empty and held > 1 then faults[#faults + 1] = 'LANE_WITH_TOKENS' end
  return faults, good, is_delayed, is_empty
end

-- Leaves one token: preferably a pending one, else one that waits, else the delay.
local function mend_lane_of(q, device, tokens, good, is_delayed, is_empty)
  local kept = nil
  if not is_empty then
    kept = good[1]
    for _, token in ipairs(good) do
      if is_pending(q, token) then kept = token break end
    end
  end
  for _, token in ipairs(tokens) do
    if token ~= kept then remove_token(q, token) end
  end
  if is_delayed and (kept or is_empty) then redis.call('ZREM', q.delayed, device) end
  -- Not by `add_token`, which handles a lost stream: the doctor goes through all lanes itself.
  if not is_empty and not kept and not is_delayed then
    local token = redis.pcall('XADD', q.ready, '*', 'device', device)
    if type(token) == 'table' then put_off_damaged(q, device) end
  end
end

local function look_at_lane(mends)
  return function(keys, args)
    local q, device, since, seen = queue_of(keys[1]), args[1], args[2], {}
    if not q then return invalid('KEYS[1]', 'not a ready stream') end
    if not device or not is_uuid(device) then return invalid('ARGV[1]', 'not a device') end
    if not since or not string.match(since, '^%d+%-%d+$') then return invalid('ARGV[2]', 'not a token') end
    for index = 3, #args do seen[#seen + 1] = args[index] end
    local tokens = tokens_of(q, device, since, seen)
    if not tokens then return { 'behind' } end
    local faults, good, is_delayed, is_empty = examine_lane_of(q, device, tokens)
    if mends and #faults > 0 then mend_lane_of(q, device, tokens, good, is_delayed, is_empty) end
    return faults
  end
end

local function look_at_tokens(mends)
  return function(keys, args)
    local q, faulty = queue_of(keys[1]), {}
    if not q then return invalid('KEYS[1]', 'not a ready stream') end
    for _, token in ipairs(args) do
      local is_there = #redis.call('XRANGE', q.ready, token, token) > 0
      local device = is_there and device_of(q, token)
      if (is_there or is_pending(q, token)) and not (device and is_uuid(device)) then
        faulty[#faulty + 1] = token
      end
    end
    if mends then
      for _, token in ipairs(faulty) do remove_token(q, token) end
    end
    return faulty
  end
end

redis.register_function {
  function_name = 'capture_examine_lane_v1', callback = look_at_lane(false), flags = { 'no-writes' } }
redis.register_function {
  function_name = 'capture_mend_lane_v1', callback = look_at_lane(true), flags = { 'allow-oom' } }
redis.register_function {
  function_name = 'capture_examine_tokens_v1', callback = look_at_tokens(false), flags = { 'no-writes' } }
redis.register_function {
  function_name = 'capture_mend_tokens_v1', callback = look_at_tokens(true), flags = { 'allow-oom' } }

end
