-- How a capture is put into the queue, when it is enqueued or restored.

-- Limits the caller's `received_at` to the time from `least` to now. It decides whether a capture came before its
-- device was revoked; without a limit a caller could backdate captures for ever.
local function hold_received_at(s, least, now)
  if s.received_at then s.received_at = text(math.max(least, math.min(tonumber(s.received_at), now))) end
end

local function keep_job(q, s, now, accepted_ttl_ms)
  accepted_ttl_ms = text(whole(s.accepted_ttl_ms or accepted_ttl_ms) or ACCEPTED_TTL_DEFAULT_MS)
  local job = {
    'device', s.device, 'state', 'queued', 'attempts', '0', 'received_at', s.received_at or text(now),
    'bundle', bundle_line(s, accepted_ttl_ms), 'submission', submission_of(s),
  }
  if s.redriven then
    -- A lost dead letter: it counts as waiting from now on, not since it was received.
    for _, word in ipairs({ 'redriven', '1', 'put_back_at', text(now) }) do job[#job + 1] = word end
  end
  redis.call('HSET', q.job(s.capture), unpack(job))
end

-- Notes of a capture that was handed off while its partition was not restored: its bundle may be that of a capture
-- which the ledger has and the queue has lost.
local function note_loss(q, s)
  local is_read, phase = pcall(restoration_of, q)
  if not is_read or phase ~= 'restored' then redis.call('HSET', q.job(s.capture), 'of_loss', '1') end
end

local function is_of_loss(q, capture)
  return job_fields(q, capture, 'of_loss')[1] == '1'
end

-- Keeps the job of a capture as its row in the ledger has it. From then on its bundle leads to it, unless a gateway
-- without a ledger has accepted the same bundle under another id: then the bundle keeps leading to that one.
local function keep_job_of_row(q, s, now)
  -- The row's time may lie long ago.
  hold_received_at(s, 1, now)
  keep_job(q, s, now, redis.call('HGET', q.limits, 'accepted_ttl_ms'))
  local accepted = q.accepted(s.bundle_digest)
  redis.call('SET', accepted, s.capture, 'NX')
  -- The key may have an expiry, as when the capture was settled and comes back from an older record.
  if leads_to(q, s.bundle_digest, s.capture) then redis.call('PERSIST', accepted) end
end

-- Puts a capture, whose bytes and job are kept already, at the end of its device's lane.
local function add_to_lane(q, s, now)
  local place = redis.call('RPUSH', q.lane(s.device), s.capture)
  local bytes = tonumber(s.photo_bytes) + tonumber(s.depth_bytes)
  if place == 1 then
    add_token(q, s.device)
    redis.call('ZADD', q.heads, waits_since(s.received_at, s.redriven and now, now), s.device)
  end
  count(q, 'queued', 1)
  count(q, 'bytes', bytes)
  add_lane_bytes(q, s.device, place, bytes)
  note(q, s.capture, s.device, 'queued')
end
