-- The bytes of a capture: kept, removed, and brought again for one whose bytes were lost or have changed.

-- A gateway with a ledger removes the bytes itself, after its row: if it is killed before that, the capture is enqueued
-- from the row and needs its bytes.
local function remove_stored(q, s)
  if s.bundle_store == 'redis' and not s.ledger then redis.call('UNLINK', q.photo(s.capture), q.depth(s.capture)) end
end

local function keep_bytes(q, s)
  if s.bundle_store ~= 'redis' then return end
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](s.capture)
    -- Bytes stored beforehand have an expiry, so that the bytes of a broken-off upload vanish.
    if s[name] then redis.call('SET', key, s[name]) else redis.call('PERSIST', key) end
  end
end

-- Whether a job was submitted with these media, by their digests. The declared bundle digest is not trusted: hand-off
-- gateways may have sent two bundles under one digest.
local function are_its_media(submission, s)
  local photo, depth = string.match(submission or '', '^%S+ %S+ (%x+) (%x+) ')
  return photo == s.photo_sha256 and depth == s.depth_sha256
end

-- The states of a capture that is to be worked. One whose bytes a worker has found changed may be in a worker's hands
-- again: before a worker gives it up for that, it reads them once more.
local OPEN = { queued = true, processing = true, retrying = true }

-- Which bytes a capture waits for, as a worker has found: `missing`, `corrupt`, or nil for none.
local function wanted_bytes(state, reason, fault)
  if OPEN[state] and string.find(fault or '', '^BUNDLE_CORRUPT: ') then return 'corrupt' end
  if state ~= 'failed' then return nil end
  return reason == 'BUNDLE_MISSING' and 'missing' or reason == 'BUNDLE_CORRUPT' and 'corrupt' or nil
end

-- Whether a job's bytes are those of a call: the same media, in the store where its workers look for them.
local function has_bytes_of(bundle, submission, s)
  local digest, photo, depth, _, store = read_bundle_line(bundle)
  return digest == s.bundle_digest and photo == tonumber(s.photo_bytes) and depth == tonumber(s.depth_bytes)
    and store == s.bundle_store and are_its_media(submission, s)
end

-- Takes the bytes of a capture that is known already, in case its own were lost or have changed. Bytes that changed are
-- replaced only by those of the call: bytes stored beforehand are the changed ones, as NX has left them. Returns an
-- error if there are no bytes at all, as there is nothing to accept then, or if it is a dead letter that cannot be put
-- back: the next call tries.
local function bring_bytes(q, s, now)
  local job = redis.call('HMGET', q.job(s.capture), 'bundle', 'state', 'reason', 'submission', 'fault')
  local wanted = has_bytes_of(job[1], job[4], s) and wanted_bytes(job[2], job[3], job[5])
  if s.bundle_store == 'redis' then
    local lost = check_stored(q, s)
    if lost and not s.photo then return lost end
    if lost or not s.photo or wanted == 'corrupt' then keep_bytes(q, s) end
  end
  if job[2] == 'failed' and (wanted == 'missing' or wanted == 'corrupt' and s.photo) then
    local _, damage = revive(q, s.capture, now)
    if damage then return damage end
  end
  return nil
end

-- If a capture waits for its bytes, as they were missing or have changed, and the same bundle comes under another id,
-- gives it those bytes, and puts it back if it is a dead letter. Gateways with a ledger do that themselves, as the
-- capture has a row there. Returns an error if it cannot be put back because a key is damaged: the next call tries.
local function bring_back(q, s, first, now)
  local is_theirs = s.photo or not is_known(q, s.capture)
  if s.ledger or s.bundle_store ~= 'redis' or not is_theirs then return nil end
  local job = job_fields(q, first, 'bundle', 'state', 'reason', 'submission', 'fault', 'device')
  if not wanted_bytes(job[2], job[3], job[5]) or not has_bytes_of(job[1], job[4], s)
    or (not s.photo and check_stored(q, s))
  then
    return nil
  end
  local damage = damage_of(q, job[6])
  if damage then return damage end
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](first)
    if s[name] then
      redis.call('SET', key, s[name])
    else
      redis.call('RENAME', q[name](s.capture), key)
      redis.call('PERSIST', key)
    end
  end
  if job[2] == 'failed' then revive(q, first, now) end
  return nil
end
