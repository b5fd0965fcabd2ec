-- The doctor's functions for captures, bundles and counters: each call examines or mends one of them.
--
-- capture_mend_capture_v1: checks whether all keys of a capture fit together, and mends what it may.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture  2 its device as far as known without its job, or empty
--       3 milliseconds for which bytes without a job stay, and the age from which a dead letter without a job goes
--       4 how long a settled capture's status stays, in milliseconds
-- Reply {fault…}: the mended faults
--
-- capture_examine_capture_v2: the same check without mending, and without a search of the lane, which would cost the
--   lane's length for each capture. It assumes that a waiting capture is in its lane and any other is in none; the
--   caller compares the reply's device with the lanes, which it reads anyway.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply {state (empty without a job), bytes, device in whose lane it should be (empty: in none), fault…}
--
-- capture_examine_lane_captures_v1: checks captures that seem to be in a lane wrongly, or to be missing from it. It
-- goes through the lane once for all of them: ask about a few hundred at a time.
--
-- KEYS  1 {P}:ready
-- ARGV  1 device  2… captures
-- Reply for each capture {state (empty without a job), bytes, fault…}
--
-- capture_examine_bundle_v1: checks whether a known bundle leads to a known capture.
-- capture_mend_bundle_v1: the same, and if not forgets the bundle, at once or later.
--
-- KEYS  1 {P}:ready
-- ARGV  1 bundle digest  to mend: 2 milliseconds after which it is forgotten (0: at once)
-- Reply nothing, or the unknown capture that it leads to
--
-- Keys of another type, as somebody has written them by hand, are no fault of a capture: the doctor looks for them by
-- itself. What a capture would need of such a key is neither checked nor mended.
--
-- capture_recount_v1: sets the level counters to the counted values.
--
-- KEYS  1 {P}:ready
-- ARGV  1 activity  2 queued  3 bytes  4 dead letters' bytes
-- Reply 1; or 0, with nothing set, when captures have come or gone since that activity was read.

-- In a block of their own: a library is one chunk, which has room for 200 locals.
do

local WAITS = { queued = true, processing = true, retrying = true }

-- The reply of a command that reads; nil when the key is of another type.
local function read(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) == 'table' and reply.err then return nil end
  return reply
end

local function is_found_in_lane(q, c)
  local place = read('LPOS', q.lane(c.device), c.capture)
  c.is_lane_damaged = place == nil
  return type(place) == 'number'
end

-- `is_in_lane` tells whether a capture is in the lane of its device.
local function look_at(q, capture, hint, is_in_lane)
  local job = job_fields(q, capture, 'device', 'state', 'reason', 'settled_at', 'bundle')
  local digest, _, _, _, store = read_bundle_line(job[5])
  local exists, settled = redis.call('EXISTS', q.job(capture)) == 1, nil
  if not exists then settled = read('GET', q.settled(capture)) end
  if settled then job[1], job[2] = string.match(settled, '^(%S+) (%S+) ') end
  local device = job[1] or (hint and is_uuid(hint) and hint) or nil
  local dead_at = read('ZSCORE', q.dead, capture)
  local c = {
    capture = capture, device = device, state = job[2], digest = digest, reason = job[3], settled_at = job[4],
    exists = exists, is_settled = settled and true or false,
    -- A job that was buried without its fields names no store, so it needs no bytes.
    keeps_bytes_here = store == 'redis',
    dead_at = dead_at or false, is_list_damaged = dead_at == nil,
    bytes_here = redis.call('EXISTS', q.photo(capture), q.depth(capture)),
  }
  c.is_in_lane = device ~= nil and is_in_lane(q, c)
  return c
end

local function has_end(key) return redis.call('PTTL', key) >= 0 end
local function has_no_end(key) return redis.call('PTTL', key) == -1 end

local function faults_without_job(q, c)
  local faults = {}
  if c.is_in_lane then faults[#faults + 1] = 'LANE_ENTRY_WITHOUT_JOB' end
  if c.dead_at then faults[#faults + 1] = 'DEAD_LETTER_WITHOUT_JOB' end
  -- Bytes with an expiry belong to an upload that is under way or broke off.
  if #faults == 0 and (has_no_end(q.photo(c.capture)) or has_no_end(q.depth(c.capture))) then
    faults[1] = 'BYTES_WITHOUT_JOB'
  end
  return faults
end

local function faults_when_settled(q, c)
  local faults = {}
  if c.is_in_lane then faults[#faults + 1] = 'SETTLED_IN_LANE' end
  if c.dead_at then faults[#faults + 1] = 'SETTLED_AMONG_DEAD' end
  -- Bytes with an expiry belong to a repeated call.
  if has_no_end(q.photo(c.capture)) or has_no_end(q.depth(c.capture)) then
    faults[#faults + 1] = 'SETTLED_WITH_BYTES'
  end
  if has_no_end(q.settled(c.capture)) then faults[#faults + 1] = 'SETTLED_WITHOUT_END' end
  return faults
end

local function faults_when_kept(q, c)
  local faults = {}
  if c.is_in_lane and c.dead_at then faults[#faults + 1] = 'DEAD_LETTER_IN_LANE' end
  if WAITS[c.state] and not c.is_in_lane and not c.is_lane_damaged then faults[#faults + 1] = 'JOB_WITHOUT_LANE' end
  if c.state == 'failed' and not c.dead_at and not c.is_list_damaged then
    faults[#faults + 1] = 'DEAD_LETTER_NOT_LISTED'
  end
  if c.keeps_bytes_here and c.bytes_here < 2 and c.reason ~= 'BUNDLE_MISSING' then
    faults[#faults + 1] = 'JOB_WITHOUT_BYTES'
  end
  if has_end(q.job(c.capture)) or has_end(q.photo(c.capture)) or has_end(q.depth(c.capture))
    or (c.digest and has_end(q.accepted(c.digest)))
  then
    faults[#faults + 1] = 'KEPT_WITH_END'
  end
  local known = c.digest and read('GET', q.accepted(c.digest))
  if c.digest and known ~= nil and known ~= c.capture then
    faults[#faults + 1] = known and 'BUNDLE_KNOWN_AS_OTHER' or 'BUNDLE_NOT_KNOWN'
  end
  return faults
end

local function faults_of(q, c)
  if c.is_settled then return faults_when_settled(q, c) end
  if not c.exists then return faults_without_job(q, c) end
  if WAITS[c.state] or c.state == 'failed' then return faults_when_kept(q, c) end
  return { 'JOB_UNREADABLE' }
end

-- Each returns whether it has mended anything.
local MENDERS = {
  -- As when a worker claims it: it becomes a dead letter, so nothing is thrown away.
  LANE_ENTRY_WITHOUT_JOB = function(q, c)
    redis.call('LREM', q.lane(c.device), 0, c.capture)
    bury(q, c.capture, c.device, 'INTERNAL', 'its job is missing', now_ms(), '0')
    return true
  end,
  DEAD_LETTER_WITHOUT_JOB = function(q, c, orphan_ms)
    return tonumber(c.dead_at) + orphan_ms <= now_ms() and redis.call('ZREM', q.dead, c.capture) == 1
  end,
  BYTES_WITHOUT_JOB = function(q, c, orphan_ms)
    redis.call('PEXPIRE', q.photo(c.capture), orphan_ms)
    redis.call('PEXPIRE', q.depth(c.capture), orphan_ms)
    return true
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
      redis.call('ZADD', q.dead, tonumber(c.settled_at) and c.settled_at or text(now_ms()), c.capture)
    end
    return true
  end,
  KEPT_WITH_END = function(q, c)
    redis.call('PERSIST', q.job(c.capture))
    redis.call('PERSIST', q.photo(c.capture))
    redis.call('PERSIST', q.depth(c.capture))
    if c.digest then redis.call('PERSIST', q.accepted(c.digest)) end
    return true
  end,
  BUNDLE_NOT_KNOWN = function(q, c)
    redis.call('SET', q.accepted(c.digest), c.capture)
    return true
  end,
}

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
  return with_faults(q, c, { c.state or '', bytes_of(q, capture), should_be_in_lane(c) and c.device or '' })
end

-- The set of the captures that are in a lane; nil when its key is no list.
local function found_in_lane(q, device, captures)
  local wanted, found, left, at = {}, {}, 0, 0
  for _, capture in ipairs(captures) do
    if not wanted[capture] then left = left + 1 end
    wanted[capture] = true
  end
  while left > 0 do
    local entries = read('LRANGE', q.lane(device), at, at + ARGUMENTS_MAX - 1)
    if not entries then return nil end
    for _, entry in ipairs(entries) do
      if wanted[entry] and not found[entry] then
        found[entry] = true
        left = left - 1
      end
    end
    if #entries < ARGUMENTS_MAX then break end
    at = at + ARGUMENTS_MAX
  end
  return found
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
    -- Its job may name another device than that of this lane.
    if c.device ~= device then return is_found_in_lane(of, c) end
    c.is_lane_damaged = found == nil
    return found ~= nil and found[c.capture] == true
  end
  for index, capture in ipairs(captures) do
    local c = look_at(q, capture, device, is_in_lane)
    replies[index] = with_faults(q, c, { c.state or '', bytes_of(q, capture) })
  end
  return replies
end

local function mend_capture(keys, args)
  local q, capture, orphan_ms, status_ttl = queue_of(keys[1]), args[1], tonumber(args[3]), tonumber(args[4])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not capture or not is_uuid(capture) then return invalid('ARGV[1]', 'not a capture') end
  if not orphan_ms or not status_ttl then return invalid('ARGV', 'capture, device and two times') end
  local damage = damage_of(q)
  if damage then return damage end
  local c, mended = look_at(q, capture, args[2], is_found_in_lane), {}
  for _, fault in ipairs(faults_of(q, c)) do
    if MENDERS[fault] and MENDERS[fault](q, c, orphan_ms, status_ttl) then mended[#mended + 1] = fault end
  end
  -- Mending may have changed the head of its lane.
  if #mended > 0 and c.device and not c.is_lane_damaged then note_head(q, c.device, now_ms()) end
  return tell(q, mended)
end

local function known_bundle_of(keys, args)
  local q = queue_of(keys[1])
  if not q then return nil, invalid('KEYS[1]', 'not a ready stream') end
  local key = q.accepted(args[1])
  local capture = read('GET', key)
  -- A key with an expiry belongs to a settled capture, which may be forgotten sooner than its bundle.
  if not capture or is_known(q, capture) or not has_no_end(key) then return nil, false end
  return key, capture
end

local function examine_bundle(keys, args)
  local _, capture = known_bundle_of(keys, args)
  return capture
end

local function mend_bundle(keys, args)
  local key, capture = known_bundle_of(keys, args)
  if not key then return capture end
  if args[2] == '0' then redis.call('DEL', key) else redis.call('PEXPIRE', key, args[2]) end
  return capture
end

local ACTIVITY = { 'accepted', 'restored', 'verified', 'rejected', 'failed', 'redriven', 'discarded' }

local function recount(keys, args)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if #args ~= 4 then return invalid('ARGV', 'activity and three levels') end
  local activity = 0
  for _, value in ipairs(redis.call('HMGET', q.stats, unpack(ACTIVITY))) do
    activity = activity + (tonumber(value) or 0)
  end
  if activity ~= tonumber(args[1]) then return 0 end
  redis.call('HSET', q.stats, 'queued', args[2], 'bytes', args[3], 'dead_bytes', args[4])
  return 1
end

redis.register_function {
  function_name = 'capture_examine_capture_v2', callback = examine_capture_apart, flags = { 'no-writes' } }
redis.register_function {
  function_name = 'capture_examine_lane_captures_v1', callback = examine_lane_captures, flags = { 'no-writes' } }
redis.register_function {
  function_name = 'capture_mend_capture_v1', callback = mend_capture, flags = { 'allow-oom' } }
redis.register_function {
  function_name = 'capture_examine_bundle_v1', callback = examine_bundle, flags = { 'no-writes' } }
redis.register_function { function_name = 'capture_mend_bundle_v1', callback = mend_bundle, flags = { 'allow-oom' } }
redis.register_function { function_name = 'capture_recount_v1', callback = recount, flags = { 'allow-oom' } }

end
