-- What the doctor's functions for captures share: how the keys of a capture are read, and what is wrong with them.
--
-- Keys of another type, as somebody has written them by hand, are no fault of a capture: the doctor looks for them by
-- itself. What a capture would need of such a key is neither checked nor mended.

-- How often a capture is in a lane; nil when its key is no list.
local function times_in_lane(q, device, capture)
  local places = read('LPOS', q.lane(device), capture, 'COUNT', 0)
  return places and #places
end

local function is_found_in_lane(q, c)
  c.times = times_in_lane(q, c.device, c.capture)
  c.is_lane_damaged = c.times == nil
  return c.times ~= nil and c.times > 0
end

-- `is_in_lane` tells whether a capture is in the lane of its device. It may note in `times` how often, and in `strange`
-- the device of another lane that the capture is in.
local function look_at(q, capture, hint, is_in_lane)
  local job = job_fields(q, capture, 'device', 'state', 'reason', 'settled_at', 'bundle')
  local digest, _, _, _, store = read_bundle_line(job[5])
  local exists, settled = redis.call('EXISTS', q.job(capture)) == 1, nil
  if not exists then settled = read('GET', q.settled(capture)) end
  if settled then job[1], job[2] = string.match(settled, '^(%S+) (%S+) ') end
  local device = job[1] or (hint and is_uuid(hint) and hint) or nil
  local score = read('ZSCORE', q.dead, capture)
  local c = {
    capture = capture, device = device, state = job[2], digest = digest, reason = job[3], settled_at = job[4],
    exists = exists, is_settled = settled and true or false,
    -- A job that was buried without its fields names no store, so it needs no bytes.
    keeps_bytes_here = store == 'redis',
    dead_at = score or false, is_list_damaged = score == nil,
    bytes_here = redis.call('EXISTS', q.photo(capture), q.depth(capture)),
  }
  c.is_in_lane = device ~= nil and is_in_lane(q, c)
  return c
end

local function has_end(key) return redis.call('PTTL', key) >= 0 end
local function has_no_end(key) return redis.call('PTTL', key) == -1 end

-- Times the setting beyond which no status stays, whoever has set its expiry: the settings of a worker may differ.
local STATUS_TIMES_MAX = 10

-- Whether the status of a settled capture has no expiry, or one far beyond the time for which it stays, as far as the
-- caller has told that.
local function stays_too_long(q, c)
  local left = redis.call('PTTL', q.settled(c.capture))
  return left == -1 or c.status_ms ~= nil and left > STATUS_TIMES_MAX * c.status_ms
end

-- Whether a capture is in a lane of another device, or more than once in its own. A capture that should be in no lane
-- has another fault, whose mending takes all its entries out of its own lane.
local function has_extra_entries(c)
  return c.strange ~= nil or c.exists and c.times ~= nil and c.times > 1
end

local faults_of

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- Whether a capture is listed as dead, and only there, by a score that is no time. As numbers, as newer servers tell
-- some whole ones with an exponent.
local function is_dead_without_time(c)
  return c.dead_at and not c.is_in_lane and tonumber(c.dead_at) ~= died_at(c.dead_at)
end

local function faults_without_job(q, c)
  local faults = {}
  if c.is_in_lane then faults[#faults + 1] = 'LANE_ENTRY_WITHOUT_JOB' end
  if c.dead_at then faults[#faults + 1] = 'DEAD_LETTER_WITHOUT_JOB' end
  if is_dead_without_time(c) then faults[#faults + 1] = 'DEAD_LETTER_WITHOUT_TIME' end
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
  if stays_too_long(q, c) then faults[#faults + 1] = 'SETTLED_WITHOUT_END' end
  return faults
end

local function faults_when_kept(q, c)
  local faults = {}
  if c.is_in_lane and c.dead_at then faults[#faults + 1] = 'DEAD_LETTER_IN_LANE' end
  if is_dead_without_time(c) then faults[#faults + 1] = 'DEAD_LETTER_WITHOUT_TIME' end
  if WAITS[c.state] and not c.is_in_lane and not c.is_lane_damaged then faults[#faults + 1] = 'JOB_WITHOUT_LANE' end
  if c.state == 'failed' and not c.dead_at and not c.is_list_damaged then
    faults[#faults + 1] = 'DEAD_LETTER_NOT_LISTED'
  end
  if c.keeps_bytes_here and c.bytes_here < 2 and c.reason ~= 'BUNDLE_MISSING' then
    faults[#faults + 1] = 'JOB_WITHOUT_BYTES'
  end
  local known = c.digest and read('GET', q.accepted(c.digest))
  if has_end(q.job(c.capture)) or has_end(q.photo(c.capture)) or has_end(q.depth(c.capture))
    or (known == c.capture and has_end(q.accepted(c.digest)))
  then
    faults[#faults + 1] = 'KEPT_WITH_END'
  end
  if c.digest and known ~= nil and known ~= c.capture then
    faults[#faults + 1] = known and 'BUNDLE_KNOWN_AS_OTHER' or 'BUNDLE_NOT_KNOWN'
  end
  return faults
end

local function faults_in_itself(q, c)
  if c.is_settled then return faults_when_settled(q, c) end
  if not c.exists then return faults_without_job(q, c) end
  if WAITS[c.state] or c.state == 'failed' then return faults_when_kept(q, c) end
  return { 'JOB_UNREADABLE' }
end

function faults_of(q, c)
  local faults = faults_in_itself(q, c)
  if has_extra_entries(c) then faults[#faults + 1] = 'LANE_ENTRY_EXTRA' end
  return faults
end

end
