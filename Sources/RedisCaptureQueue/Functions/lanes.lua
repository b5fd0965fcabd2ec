-- Lanes: their captures, what is noted of their heads and bytes, and what is done to one that cannot be worked.

-- The most captures of a lane that a worker holds, and how many ids are read at a time after the first, as thousands
-- may wait in the lane, and mostly its worker holds none any more.
local IN_HANDS_MAX, IN_HANDS_STEP = 1024, 32

-- Goes through a lane from its head, as long as `visit(capture, place)` returns that a worker holds the capture.
-- Returns how many captures were visited.
local function visit_in_hands(q, device, visit)
  local place, step = 0, 1
  while place < IN_HANDS_MAX do
    local captures = redis.call('LRANGE', q.lane(device), place, place + step - 1)
    for _, capture in ipairs(captures) do
      place = place + 1
      if not visit(capture, place) then return place end
    end
    if #captures < step then break end
    step = math.min(IN_HANDS_STEP, IN_HANDS_MAX - place)
  end
  return place
end

-- Runs `act` for one lane whose token a worker holds. If it fails, as when the lane was changed by hand and is no list,
-- the lane is put off, so that the worker can go on with the others. Returns the result of `act`, or nil and the error.
local function guard(q, token, device, act)
  local is_done, result = pcall(act)
  if is_done then return result end
  remove_token(q, token)
  put_off_damaged(q, device)
  return nil, type(result) == 'table' and result.err or tostring(result)
end

-- Calls a command with a key and any number of arguments.
local function call_with(command, key, arguments)
  for at = 1, #arguments, ARGUMENTS_MAX do
    redis.call(command, key, unpack(arguments, at, math.min(at + ARGUMENTS_MAX - 1, #arguments)))
  end
end

-- The sorted set `heads` has every lane with the time since which the capture at its head waits: since it was received,
-- or since it was redriven. A lane that was removed by hand is added the next time that it is given back.
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
  if place == 1 then
    redis.call('HSET', q.lane_bytes, device, text(bytes))
  else
    increment(q.lane_bytes, device, bytes)
  end
end

-- A damaged count has begun anew without the earlier captures, so it may fall below zero: it is removed then.
local function take_lane_bytes(q, device, bytes)
  if bytes > 0 and increment(q.lane_bytes, device, -bytes) <= 0 then
    redis.pcall('HDEL', q.lane_bytes, device)
  end
end
