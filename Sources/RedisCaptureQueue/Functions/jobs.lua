-- What the keys of a capture hold, and how it is read and written.

-- The states of a capture that is to be worked, and so is in its device's lane.
local WAITS = { queued = true, processing = true, retrying = true }

-- Fields of a job, by its key. A job that is no hash, as after a change by hand, counts as missing: an error would end
-- half-way a call that concerns other lanes too.
local function fields_of(job, ...)
  return read('HMGET', job, ...) or {}
end

local function job_fields(q, capture, ...)
  return fields_of(q.job(capture), ...)
end

-- The values of a capture that never change are in two fields of its job, not in twelve, as each field that is read
-- costs. They are deleted when it is settled. `bundle` has the values that the functions need, separated by spaces:
--   bundle_digest photo_bytes depth_bytes accepted_ttl_ms bundle_store
local function bundle_line(s, accepted_ttl_ms)
  return table.concat({ s.bundle_digest, s.photo_bytes, s.depth_bytes, accepted_ttl_ms, s.bundle_store }, ' ')
end

local DIGEST_LENGTH = 64

-- The words of `bundle` in their order, with the sizes as numbers; nil when there is no bundle, and in place of a size
-- that cannot be one of the functions' own.
local function read_bundle_line(bundle)
  if not bundle then return nil end
  local photo, depth, ttl, store = string.match(bundle, '^(%S+) (%S+) (%S+) (.+)$', DIGEST_LENGTH + 2)
  local most = PART_BYTES_MAX.medium
  return string.sub(bundle, 1, DIGEST_LENGTH), whole(photo, most), whole(depth, most), ttl, store
end

local function bundle_of(q, capture)
  return read_bundle_line(job_fields(q, capture, 'bundle')[1])
end

-- `submission` has the values that only the worker reads: a line of words, then the assertion, whose length is the last
-- word, then the metadata.
--   device binding photo_sha256 depth_sha256 traceparent (or -) assertion_bytes
local function submission_of(s)
  local line = table.concat(
    { s.device, s.binding, s.photo_sha256, s.depth_sha256, s.traceparent or '-', #s.assertion }, ' ')
  return line .. '\n' .. s.assertion .. s.metadata
end

-- Whether a capture was submitted for a device. Its job may name another: a worker that comes to it in a lane that it
-- does not belong in gives it up, and the job then names the device of that lane.
local function is_submitted_for(q, capture, device)
  return string.sub(job_fields(q, capture, 'submission')[1] or '', 1, #device) == device
end

-- The status of a settled capture, which replaces its job for a while: words separated by spaces, `-` for a missing
-- one. It is a string, as that takes one command, and a hash with an expiry takes three.
--   device state reason attempts received_at claimed_at settled_at redriven
local function settled_text(device, item, now, attempts, received_at, claimed_at, redriven)
  local reason = item.reason ~= '' and item.reason or '-'
  return device .. ' ' .. item.disposition .. ' ' .. reason .. ' ' .. (attempts or '-') .. ' '
    .. (received_at or '-') .. ' ' .. (claimed_at or '-') .. ' ' .. now .. ' ' .. (redriven or '-')
end

-- Whether a bundle is known as this capture: a gateway without a ledger may have accepted it under another id, whose
-- key it is then.
local function leads_to(q, digest, capture)
  return redis.pcall('GET', q.accepted(digest)) == capture
end

-- Whether anything is known of a capture: its job, or that it was settled not long ago.
local function is_known(q, capture)
  return redis.call('EXISTS', q.job(capture), q.settled(capture)) > 0
end

local function bytes_of(q, capture)
  local _, photo, depth = bundle_of(q, capture)
  return (photo or 0) + (depth or 0)
end

-- How often a capture was delivered to workers that did not come back, this time included. The token's count alone is
-- not enough: whenever the lane is given back in between it gets a new token, which begins anew.
local function deliveries_until_now(q, capture, of_token)
  return math.max(of_token, (tonumber(job_fields(q, capture, 'takeovers')[1]) or 0) + 1)
end
