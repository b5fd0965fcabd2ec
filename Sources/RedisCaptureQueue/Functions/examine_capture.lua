-- The doctor's functions that look at captures and change nothing.
--
-- capture_examine_capture_v1: checks what capture_mend_capture_v1 checks, but without a search of the lane, which would
--   cost the lane's length for each capture. It assumes that a waiting capture is in its lane and any other is in none;
--   the caller compares the reply's device with the lanes, which it reads anyway.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture  2 optional: how long a settled capture's status stays, in milliseconds
-- Reply {state (empty without a job), bytes, device in whose lane it should be (empty: in none), fault…}
--
-- capture_examine_lane_captures_v1: checks captures that seem to be in a lane wrongly or twice, or to be missing from
-- it. It goes through the whole lane in one call, once for all of them, 15 ms for 20,000 captures: ask about a few
-- hundred at a time. `FUNCTION KILL` ends it in a lane that somebody has made longer than the limits let it be.
--
-- KEYS  1 {P}:ready
-- ARGV  1 device  2… captures
-- Reply for each capture {state (empty without a job), bytes, fault…}

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- Adds a capture's faults to a reply.
local function with_faults(q, c, reply)
  for _, fault in ipairs(faults_of(q, c)) do reply[#reply + 1] = fault end
  return reply
end

local function should_be_in_lane(c)
  return c.exists and WAITS[c.state] == true
end

-- A waiting capture that is listed as dead, or whose device is no id, is faulty in any case: only then the lane is
-- searched.
local function is_taken_for_in_lane(q, c)
  if should_be_in_lane(c) and (c.dead_at or not is_uuid(c.device)) then return is_found_in_lane(q, c) end
  return should_be_in_lane(c)
end

local function examine_capture_apart(keys, args)
  local q, capture = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not capture or not is_uuid(capture) then return invalid('ARGV[1]', 'not a capture') end
  local c = look_at(q, capture, nil, is_taken_for_in_lane)
  c.status_ms = whole(args[2])
  return with_faults(q, c, { c.state or '', bytes_of(q, capture), should_be_in_lane(c) and c.device or '' })
end

-- How often each of the captures is in a lane, if at all; nil when its key is no list.
local function found_in_lane(q, device, captures)
  local wanted, found, at = {}, {}, 0
  for _, capture in ipairs(captures) do wanted[capture] = true end
  while true do
    local entries = read('LRANGE', q.lane(device), at, at + ARGUMENTS_MAX - 1)
    if not entries then return nil end
    for _, entry in ipairs(entries) do
      if wanted[entry] then found[entry] = (found[entry] or 0) + 1 end
    end
    if #entries < ARGUMENTS_MAX then return found end
    at = at + ARGUMENTS_MAX
  end
end

local function examine_lane_captures(keys, args)
  local q, device, captures = queue_of(keys[1]), args[1], {}
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not device or not is_uuid(device) then return invalid('ARGV[1]', 'not a device') end
  for index = 2, #args do
    if not is_uuid(args[index]) then return invalid('ARGV', 'not captures') end
    captures[index - 1] = args[index]
  end
  local found, replies = found_in_lane(q, device, captures), {}
  local function is_in_lane(of, c)
    local times = found and (found[c.capture] or 0)
    -- Its job may name another device than that of this lane.
    if c.device ~= device then
      local is_strange = times and times > 0 and is_uuid(c.device) and not is_submitted_for(of, c.capture, device)
      if is_strange then c.strange = device end
      return is_found_in_lane(of, c)
    end
    c.times, c.is_lane_damaged = times, times == nil
    return times ~= nil and times > 0
  end
  for index, capture in ipairs(captures) do
    local c = look_at(q, capture, device, is_in_lane)
    replies[index] = with_faults(q, c, { c.state or '', bytes_of(q, capture) })
  end
  return replies
end

redis.register_function {
  function_name = 'capture_examine_capture_v1', callback = examine_capture_apart, flags = { 'no-writes' } }
redis.register_function {
  function_name = 'capture_examine_lane_captures_v1', callback = examine_lane_captures, flags = { 'no-writes' } }

end
