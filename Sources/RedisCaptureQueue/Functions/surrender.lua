-- capture_surrender_v1: gives up all lanes of a consumer, for a worker that has to end at once and knows why.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2 lease in milliseconds  3 what happened  4… the captures that may be the cause
-- Reply how many lanes it held
--       error DAMAGED <key> <why>   somebody has written over a key of the partition: the lanes wait for their leases
--
-- A lane whose head is a suspect stays pending with its count of deliveries, and may be taken over at once: the
-- delivery counts against the suspect, and no worker waits for the lease. Every other lane is ready again without
-- counting an attempt, but after a short delay: otherwise a claim that this consumer has sent already would get its
-- token and die with it.

local SURRENDER_DELAY_MS = 500

-- Queues a lane's claimed captures again. Returns whether the capture at its head is a suspect.
local function release_lane(q, device, suspects, fault)
  local is_head_suspect = false
  visit_in_hands(q, device, function(capture, place)
    local job = q.job(capture)
    local row = job_fields(q, capture, 'state', 'attempts')
    if row[1] ~= 'processing' then return false end
    redis.call('HSET', job, 'state', 'queued')
    if suspects[capture] then
      redis.call('HSET', job, 'suspect', '1', 'death', fault)
      is_head_suspect = is_head_suspect or place == 1
    else
      redis.call('HSET', job, 'attempts', text(math.max(0, (tonumber(row[2]) or 0) - 1)))
    end
    note(q, capture, device, 'queued')
    return true
  end)
  return is_head_suspect
end

local function surrender(keys, args)
  local q, consumer, lease, fault = queue_of(keys[1]), args[1], whole(args[2]), args[3]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not lease or not fault then return invalid('ARGV', 'consumer, lease and fault') end
  local suspects = {}
  for index = 4, #args do suspects[args[index]] = true end
  local pending = redis.pcall('XPENDING', q.ready, GROUP, '-', '+', PENDING_MAX, consumer)
  if pending.err or #pending == 0 then return 0 end
  local damage = damage_of(q)
  if damage then return damage end
  for _, entry in ipairs(pending) do
    local token = entry[1]
    local device = device_of(q, token)
    local is_head_suspect, lane_fault = false, nil
    if device then
      is_head_suspect, lane_fault = guard(q, token, device, function()
        return release_lane(q, device, suspects, fault)
      end)
    end
    if is_head_suspect then
      redis.call('XCLAIM', q.ready, GROUP, consumer, 0, token, 'IDLE', lease, 'JUSTID')
    elseif not lane_fault then
      remove_token(q, token)
      if device and redis.call('EXISTS', q.lane(device)) == 1 then
        redis.call('ZADD', q.delayed, text(now_ms() + SURRENDER_DELAY_MS), device)
      end
    end
  end
  return tell(q, #pending)
end

redis.register_function { function_name = 'capture_surrender_v1', callback = surrender, flags = { 'allow-oom' } }
