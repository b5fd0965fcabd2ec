-- capture_takeover_v1: takes over one lane whose holder has let its lease run out, with one capture.
--
-- KEYS  1 {P}:ready  2 {P}:installation:<id>, optional: the caller's
-- ARGV  1 consumer  2 lease in milliseconds  3 deliveries at most
-- Reply {'none'}  nothing to take over, or the queue is paused
--       {'claimed', now, lane}         as capture_claim_v1, which also explains a lane without a device
--       {'dead', device, capture}      the capture at the head was delivered too often and is a dead letter now
--       {'dropped'}                    the lane was empty: its token is removed
--       error DAMAGED <key> <why>      somebody has written over a key of the partition: nothing was done
--       error OTHER_INSTALLATION <why>   the queue is not the caller's: nothing was done
--
-- `XPENDING … IDLE` finds the entry and a plain `XCLAIM` takes it and counts a delivery: the count reveals a capture
-- that crashes its workers. XAUTOCLAIM would do both but checks only ten entries a call.

-- Queues the lost worker's captures again as suspects. When a worker is lost, usually no capture is the cause: so at
-- first they are worked with a `few` other suspects, and alone (`1`) if their worker is lost again. They are worked
-- alone at once if `deliveries_max` is not given or below three.
local function mark_suspects(q, device, deliveries_max)
  visit_in_hands(q, device, function(capture)
    local row = job_fields(q, capture, 'state', 'suspect')
    if row[1] ~= 'processing' then return false end
    local is_grave = row[2] or (deliveries_max or 0) < 3
    redis.call('HSET', q.job(capture), 'state', 'queued', 'suspect', is_grave and '1' or 'few')
    note(q, capture, device, 'queued')
    return true
  end)
end

-- Counts one more delivery of the capture at the head; if its job is missing, only the token's count is known.
local function count_delivery(q, device, of_token)
  local capture = redis.call('LINDEX', q.lane(device), 0)
  if not capture or not job_fields(q, capture, 'device')[1] then return of_token end
  increment(q.job(capture), 'takeovers', 1)
  return deliveries_until_now(q, capture, of_token)
end

local function bury_head(q, token, device, deliveries, now)
  local capture = redis.call('LPOP', q.lane(device))
  remove_token(q, token)
  if not capture then return { 'dropped' } end
  -- A worker that ended itself has written the reason to `death`; a killed one could not.
  local death = job_fields(q, capture, 'death')[1] or 'its worker did not come back'
  local fault = death .. '; ' .. deliveries - 1 .. ' deliveries'
  take_lane_bytes(q, device, bury(q, capture, device, 'DELIVERIES_EXHAUSTED', fault, now, deliveries - 1))
  note_head(q, device, now)
  -- Last: if anything above fails, the lane is put off and must not have a token too.
  if redis.call('EXISTS', q.lane(device)) == 1 then add_token(q, device) end
  return { 'dead', device, capture }
end

local function take_over(keys, args)
  local q = queue_of(keys[1])
  local consumer, lease, deliveries_max = args[1], tonumber(args[2]), tonumber(args[3])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not lease or not deliveries_max then return invalid('ARGV', 'consumer, lease and deliveries') end
  local other = refuse_other(q, keys, 2)
  if other then return other end
  if redis.call('EXISTS', q.paused) == 1 then return { 'none' } end
  local pending = redis.pcall('XPENDING', q.ready, GROUP, 'IDLE', lease, '-', '+', 1)
  if pending.err or #pending == 0 then return { 'none' } end
  local damage = damage_of(q)
  if damage then return damage end

  local token, now = pending[1][1], now_ms()
  local device = device_of(q, token)
  if not device then
    remove_token(q, token)
    return { 'claimed', now, { token, false, pending[1][4] } }
  end
  redis.call('XCLAIM', q.ready, GROUP, consumer, 0, token)
  local of_token = pending[1][4] + 1
  local reply, fault = guard(q, token, device, function()
    local deliveries = count_delivery(q, device, of_token)
    mark_suspects(q, device, deliveries_max)
    count(q, 'taken_over', 1)
    if deliveries > deliveries_max then return bury_head(q, token, device, deliveries, now) end
    local head = deliveries == deliveries_max and redis.call('LINDEX', q.lane(device), 0)
    -- Its last delivery: a suspect is worked alone, so that no other capture can be the cause of its failure.
    if head and job_fields(q, head, 'suspect')[1] then redis.call('HSET', q.job(head), 'suspect', '1') end
    local lane = claim_lane(q, token, device, of_token, 1, now, { bytes = REPLY_BYTES_MAX })
    return lane and { 'claimed', now, lane } or { 'dropped' }
  end)
  return tell(q, fault and { 'claimed', now, { token, false, of_token, device, fault } } or reply)
end

redis.register_function { function_name = 'capture_takeover_v1', callback = take_over, flags = { 'allow-oom' } }
