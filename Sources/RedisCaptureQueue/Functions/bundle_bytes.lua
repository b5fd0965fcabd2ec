-- The bytes of a capture: kept, removed, and brought again for one whose bytes were lost or have changed.

-- A gateway with a ledger removes the bytes itself, after its row: if it is killed before that, the capture is enqueued
-- from the row and needs its bytes.
local function remove_stored(q, s)
  if s.bundle_store == 'redis' and not s.ledger then redis.call('UNLINK', q.photo(s.capture), q.depth(s.capture)) end
end

-- Returns whether there was anything to keep: bytes that came with the call, or that were not kept yet.
local function keep_bytes(q, s)
  if s.bundle_store ~= 'redis' then return false end
  local is_new = false
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](s.capture)
    if s[name] then
      redis.call('SET', key, s[name])
      is_new = true
    elseif redis.call('PERSIST', key) == 1 then
      -- Bytes stored beforehand have an expiry, so that the bytes of a broken-off upload vanish.
      is_new = true
    end
  end
  return is_new
end

-- What is asked of a job to which bytes are brought.
local BROUGHT_FIELDS = { 'bundle', 'submission', 'state', 'reason', 'fault', 'claimed_at', 'brought_in', 'device' }

local function read_brought(q, capture)
  local row = job_fields(q, capture, unpack(BROUGHT_FIELDS))
  local job = { capture = capture }
  for index = 1, #BROUGHT_FIELDS do job[BROUGHT_FIELDS[index]] = row[index] end
  return job
end

-- Whether a job is of the bundle of a call. Its media count, by their digests and sizes: the declared bundle digest is
-- not trusted, as hand-off gateways may have sent two bundles under one digest.
local function is_of_call(job, s)
  local digest, photo_bytes, depth_bytes = read_bundle_line(job.bundle)
  local photo, depth = string.match(job.submission or '', '^%S+ %S+ (%x+) (%x+) ')
  return digest == s.bundle_digest and photo == s.photo_sha256 and depth == s.depth_sha256
    and photo_bytes == tonumber(s.photo_bytes) and depth_bytes == tonumber(s.depth_bytes)
end

-- Whether a job's workers look for its bytes in the store of a call.
local function is_in_store(job, s)
  return select(5, read_bundle_line(job.bundle)) == s.bundle_store
end

-- Which bytes a capture waits for, as a worker has found: `missing`, `corrupt`, or nil for none. A capture whose
-- bytes were found changed may be in a worker's hands again.
local function wanted_bytes(job)
  if WAITS[job.state] and string.find(job.fault or '', '^BUNDLE_CORRUPT: ') then return 'corrupt' end
  if job.state ~= 'failed' then return nil end
  return job.reason == 'BUNDLE_MISSING' and 'missing' or job.reason == 'BUNDLE_CORRUPT' and 'corrupt' or nil
end

local function in_hands()
  return redis.error_reply('TRYAGAIN a worker has the capture, and may have looked for its bytes before they came')
end

-- The error that a call gets as long as a worker has the capture whose bytes were brought: the worker may have looked
-- for them before, and may still give the capture up for what it found. The next call then puts it back. `brought_in`
-- is the time of the claim in which they were brought, so that a later claim, which finds them, needs to remove
-- nothing.
local function late_bytes(q, job, are_new)
  if job.state ~= 'processing' then return nil end
  local claim = job.claimed_at or ''
  if are_new then redis.call('HSET', q.job(job.capture), 'brought_in', claim) end
  if not are_new and job.brought_in ~= claim then return nil end
  return in_hands()
end

-- Gives a capture the bytes of a call under another id.
local function hand_over(q, s, capture)
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](capture)
    if s[name] then
      redis.call('SET', key, s[name])
    else
      -- No move: if a worker has the capture, the same call is made again and brings them again.
      redis.call('COPY', q[name](s.capture), key, 'REPLACE')
      redis.call('PERSIST', key)
    end
  end
end

-- Brings bytes to a capture whose workers look for them in files. No call reaches those: from now on they look here.
-- Only a worker can have found that they are gone or have changed. One that has the capture still looks in the files:
-- the next call brings them then. Gateways with a ledger mend the files themselves.
local function bring_from_files(q, s, job, now)
  if s.ledger or s.bundle_store ~= 'redis' or not wanted_bytes(job) then return nil end
  if job.state == 'processing' then return in_hands() end
  local fault = not s.photo and check_stored(q, s) or damage_of(q, job.device)
  if fault then return fault end
  if job.capture == s.capture then keep_bytes(q, s) else hand_over(q, s, job.capture) end
  local accepted_ttl_ms = select(4, read_bundle_line(job.bundle))
  redis.call('HSET', q.job(job.capture), 'bundle', bundle_line(s, accepted_ttl_ms))
  if job.state == 'failed' then revive(q, job.capture, now, true) end
  return nil
end

-- Takes the bytes of a capture that is known already, in case its own were lost or have changed. Bytes that changed are
-- replaced only by those of the call: bytes stored beforehand are the changed ones, as NX has left them. Returns an
-- error if the call is of another bundle; if there are no bytes at all, as there is nothing to accept then; if it is a
-- dead letter that cannot be put back; or if a worker has the capture. In the last two cases the next call tries.
local function bring_bytes(q, s, now)
  local job, are_new = read_brought(q, s.capture), false
  if not is_of_call(job, s) then return redis.error_reply('CONFLICT the capture id belongs to another bundle') end
  if not is_in_store(job, s) then return bring_from_files(q, s, job, now) end
  local wanted = wanted_bytes(job)
  local replaces = wanted == 'corrupt' and s.photo ~= nil
  if s.bundle_store == 'redis' then
    local lost = check_stored(q, s)
    if lost and not s.photo then return lost end
    if lost or replaces or not s.photo then
      local fault = forbidden_to_put(q)
      if fault then return fault end
      are_new = keep_bytes(q, s)
    end
  end
  if job.state == 'failed' and (wanted == 'missing' or replaces) then
    local _, damage = revive(q, s.capture, now, true)
    if damage then return damage end
  end
  return late_bytes(q, job, are_new)
end

-- Whether bytes of a capture that is to be worked are gone, which no worker has found yet.
local function are_gone(q, job)
  return WAITS[job.state] and redis.call('EXISTS', q.photo(job.capture), q.depth(job.capture)) < 2
end

-- If a capture waits for its bytes, as they are missing or have changed, and the same bundle comes under another id,
-- gives it those bytes, and puts it back if it is a dead letter. Gateways with a ledger do that themselves, as the
-- capture has a row there. Returns an error if it cannot be put back because a key is damaged, or if a worker has it:
-- the next call tries.
local function bring_back(q, s, first, now)
  local is_theirs = s.photo or not is_known(q, s.capture)
  if s.ledger or s.bundle_store ~= 'redis' or not is_theirs then return nil end
  local job = read_brought(q, first)
  if not is_of_call(job, s) then return nil end
  if not is_in_store(job, s) then return bring_from_files(q, s, job, now) end
  local is_waiting = wanted_bytes(job) or are_gone(q, job)
  if not is_waiting or (not s.photo and check_stored(q, s)) then return late_bytes(q, job, false) end
  local damage = damage_of(q, job.device)
  if damage then return damage end
  hand_over(q, s, first)
  if job.state == 'failed' then revive(q, first, now, true) end
  return late_bytes(q, job, true)
end
