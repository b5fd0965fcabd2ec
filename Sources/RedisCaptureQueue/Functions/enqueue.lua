-- capture_enqueue_v1: accepts a capture. THE PUBLIC CONTRACT for gateways in other languages.
--
-- KEYS  1 {P}:ready  2 {P}:lane:<device>  3 {P}:job:<capture>  4 {P}:accepted:<bundle_digest>  5 {P}:stats
--       6 {P}:photo:<capture>  7 {P}:depth:<capture>            P = cq:<partition>; ids and digests in lower case
--       Bytes are stored beforehand with NX and an expiry; NX leaves the bytes of an accepted capture, which have no
--       expiry, as they are.
-- ARGV  name, value, name, value … in any order:
--   device, capture   UUIDs                          bundle_digest, photo_sha256, depth_sha256   64 hex digits
--   binding           concat-v1 or framed-v2
--   assertion         CBOR; one that came in base64 is decoded beforehand
--   metadata          the bytes as they were uploaded (JSON)
--   photo_bytes, depth_bytes   sizes, at least 1; may be left out when `photo` and `depth` are given
--   photo, depth      optional: the bytes themselves, which are then stored here; not empty
--   received_at       optional: milliseconds since 1970; a value after now or earlier than ten minutes ago, by the
--                     server's clock, is replaced by that bound; default: now
--   traceparent       optional: W3C trace context
--   bundle_store      optional: where the bytes are; default `redis`, that is KEYS 6 and 7
--   captures_max, bytes_max, accepted_ttl_ms   optional: limits; default those of the hash {P}:limits, in which our
--                     gateways also set the sizes of the largest photo and depth map
--   ledger            optional: `1` from gateways that keep an intake ledger: refused until the partition is restored
-- Reply {'accepted', capture}        accepted for good; also when the same call was made before. If the capture is a
--                                    dead letter because its bytes were missing, it is put back: they are there again
--       {'duplicate', capture}       the same bundle was accepted before, under the id in the reply; such a dead letter
--                                    is put back here as well
--       {'full', captures, bytes}    a limit is reached: the queue's, or that of a device's lane. Later: same id, same
--                                    bytes
--       error MISSING_BUNDLE <which> stored bytes expired or never came: store them again, call again with the same id
--       error CONFLICT <why>         the id is another bundle's: a fault of the gateway, which takes a new id
--       error INVALID <argument>: <why>   if the argument is binding, assertion, metadata, photo, depth, photo_bytes or
--                                    depth_bytes, the upload's fault (400 or 413); any other (a device of another
--                                    partition) and `… bytes are stored` (not the declared size) are the gateway's
--       error RESTORING <why>        only with `ledger`
--       error DAMAGED <key> <why>    somebody has written over a key of the queue: raise an alarm, answer 503, retry
--                                    with the same id and the same bytes
--       OOM, NOREPLICAS, LOADING, READONLY, MISCONF, MASTERDOWN, BUSY, TRYAGAIN, CLUSTERDOWN, ERR Function not found,
--       and no answer at all are transient: answer 503, and retry with the same id and the same bytes. Without an
--       answer the outcome is unknown.
--
-- Unless it answers `accepted`, or puts a capture back, nothing was kept. Bytes stored beforehand are removed if it
-- answers `full`, or `duplicate` under another id, or refuses them as too many; after any other error, and with
-- `ledger`, they stay until they expire.
--
-- A capture id belongs to one bundle for ever: draw a new one (UUIDv7 or v4) for each upload, never derive it from what
-- a client sends. CONFLICT is returned only as long as the queue knows the id; later on the capture is accepted and
-- becomes a dead letter (INTERNAL), while its status shows the first capture's.
--
-- photo_sha256 and depth_sha256 are over the stored bytes. They are not checked here: a mismatch becomes BUNDLE_CORRUPT
-- after all attempts. The bytes' expiry is 900 s at least, and longer than an upload takes. When SET with NX answers
-- nil, the first attempt's bytes are there, and stay.

-- Longer than an upload takes, and than the difference between clocks.
local RECEIVED_AGE_MAX_MS = 600000

-- The keys must match the ids: a gateway that mixes them up would fill another device's lane.
local function check_keys(q, keys, s)
  local expected = {
    q.ready, q.lane(s.device), q.job(s.capture), q.accepted(s.bundle_digest), q.stats,
    q.photo(s.capture), q.depth(s.capture),
  }
  for index, key in ipairs(expected) do
    if keys[index] ~= key then return invalid('KEYS[' .. index .. ']', 'should be ' .. key) end
  end
  return nil
end

-- CRC-16 (XMODEM) of a text, as Redis Cluster computes slots.
local function crc16(value)
  local crc = 0
  for at = 1, #value do
    crc = bit.bxor(crc, bit.lshift(string.byte(value, at), 8))
    for _ = 1, 8 do
      local shifted = bit.lshift(crc, 1)
      if bit.band(crc, 0x8000) ~= 0 then shifted = bit.bxor(shifted, 0x1021) end
      crc = bit.band(shifted, 0xffff)
    end
  end
  return crc
end

-- Workers look for a device's captures and bytes in its own partition: in another one they could never be settled.
-- `partitions` is their number, as gateways and workers noted it in each of them. The first partition's value counts,
-- as a partition left over from a time when there were more still has the old number. If the first cannot be read, as
-- on a cluster, this partition's own value counts.
local function check_partition(q, device, partitions)
  if q.number ~= 0 then
    local first = redis.pcall('HGET', q.first_limits, 'partitions')
    if type(first) == 'string' then partitions = first end
  end
  local count = type(partitions) == 'string' and tonumber(partitions)
  if not count or not q.number then return nil end
  local number = crc16(device) % count
  if q.number == number then return nil end
  return invalid('device', 'belongs to partition ' .. text(number) .. ' of ' .. text(count))
end

-- Workers fetch no photo and no depth map larger than the settings allow: such a capture could only become a dead
-- letter.
local function check_sizes(s, limits)
  for name, most in pairs(limits) do
    if tonumber(s[name]) > (tonumber(most) or PART_BYTES_MAX.medium) then
      return invalid(name, 'more than ' .. most .. ' bytes')
    end
  end
  return nil
end

-- Bytes that were stored beforehand must be there and of the declared sizes.
local function check_stored(q, s)
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](s.capture)
    if redis.call('EXISTS', key) == 0 then return redis.error_reply('MISSING_BUNDLE ' .. name) end
    local size = redis.pcall('STRLEN', key)
    if type(size) ~= 'number' then return damaged(key) end
    if size ~= tonumber(s[name .. '_bytes']) then return invalid(name .. '_bytes', size .. ' bytes are stored') end
  end
  return nil
end

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

-- Takes the bytes of a capture that is known already, in case its own were lost. Returns an error if there are no bytes
-- at all, as there is nothing to accept then, or if it is a dead letter that cannot be put back: the next call tries.
local function bring_bytes(q, s, now)
  if s.bundle_store == 'redis' then
    local lost = check_stored(q, s)
    if lost and not s.photo then return lost end
    if lost or not s.photo then keep_bytes(q, s) end
  end
  local job = redis.call('HMGET', q.job(s.capture), 'bundle', 'state', 'reason', 'submission')
  if job[2] ~= 'failed' or job[3] ~= 'BUNDLE_MISSING' then return nil end
  -- Only if these are the same bytes, in the store where its workers look for them.
  local digest, photo, depth, _, store = read_bundle_line(job[1])
  if digest == s.bundle_digest and photo == tonumber(s.photo_bytes) and depth == tonumber(s.depth_bytes)
    and store == s.bundle_store and are_its_media(job[4], s)
  then
    local _, damage = revive(q, s.capture, now)
    if damage then return damage end
  end
  return nil
end

-- If a capture is a dead letter because its bytes were missing, and the same bundle comes under another id, gives it
-- those bytes and puts it back. Gateways with a ledger do that themselves, as the capture has a row there. Returns an
-- error if it cannot be put back because a key is damaged: the next call tries.
local function bring_back(q, s, first, now)
  local is_theirs = s.photo or not is_known(q, s.capture)
  if s.ledger or s.bundle_store ~= 'redis' or not is_theirs then return nil end
  local job = job_fields(q, first, 'bundle', 'state', 'reason', 'submission', 'device')
  if job[2] ~= 'failed' or job[3] ~= 'BUNDLE_MISSING' then return nil end
  local digest, photo, depth, _, store = read_bundle_line(job[1])
  if digest ~= s.bundle_digest or photo ~= tonumber(s.photo_bytes) or depth ~= tonumber(s.depth_bytes)
    or store ~= 'redis' or not are_its_media(job[4], s) or (not s.photo and check_stored(q, s))
  then
    return nil
  end
  local key = damaged_key(q, job[5])
  if key then return damaged(key) end
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](first)
    if s[name] then
      redis.call('SET', key, s[name])
    else
      redis.call('RENAME', q[name](s.capture), key)
      redis.call('PERSIST', key)
    end
  end
  revive(q, first, now)
  return nil
end

-- Limits the caller's `received_at` to the time from `least` to now. It decides whether a capture came before its
-- device was revoked; without a limit a caller could backdate captures for ever.
local function hold_received_at(s, least, now)
  if s.received_at then s.received_at = text(math.max(least, math.min(tonumber(s.received_at), now))) end
end

local function keep_job(q, s, now, accepted_ttl_ms)
  accepted_ttl_ms = text(tonumber(s.accepted_ttl_ms or accepted_ttl_ms) or ACCEPTED_TTL_DEFAULT_MS)
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

-- Whether a lane has no room for one more capture of `bytes`: a device that floods fills its own lane, not the queue.
-- An empty lane takes any capture.
local function is_lane_full(q, device, bytes, captures_max, bytes_max)
  local captures = redis.call('LLEN', q.lane(device))
  if captures == 0 then return false end
  return captures + 1 > captures_max
    or (tonumber(redis.call('HGET', q.lane_bytes, device)) or 0) + bytes > bytes_max
end

-- The default byte limit of one device: a tenth of the partition's, as gateways set it.
local function device_bytes_default(bytes_max)
  return math.max(1, math.floor(tonumber(bytes_max or BYTES_MAX_DEFAULT) / 10))
end

local function enqueue(keys, args)
  local q = #keys == 7 and queue_of(keys[1])
  if not q then return invalid('KEYS', 'not the seven keys of a capture') end
  local s, fault = read_submission(args)
  if not s then return fault end
  fault = check_keys(q, keys, s)
  if fault then return fault end
  if s.redriven then return invalid('redriven', 'not of a new capture') end

  local first = redis.pcall('GET', q.accepted(s.bundle_digest))
  if type(first) == 'table' then return damaged(q.accepted(s.bundle_digest)) end
  if first == s.capture then
    if not is_of_type(q.job(first), 'hash') then return damaged(q.job(first)) end
    if redis.call('HEXISTS', q.job(first), 'bundle') == 1 then
      fault = bring_bytes(q, s, now_ms())
      if fault then return fault end
    end
    -- A write that changes nothing: `WAIT` on the caller's connection covers only writes made there, and a replica that
    -- has this one has the capture too.
    redis.call('SET', q.accepted(s.bundle_digest), first, 'KEEPTTL')
    return tell(q, { 'accepted', first })
  end
  if first then
    fault = bring_back(q, s, first, now_ms())
    if fault then return fault end
    count(q, 'duplicates', 1)
    -- If the id belongs to another live capture, its bytes must stay.
    if not is_known(q, s.capture) then remove_stored(q, s) end
    return tell(q, { 'duplicate', first })
  end
  if is_known(q, s.capture) then
    -- The capture was put back from its ledger row while the bundle led to another capture, forgotten since.
    if bundle_of(q, s.capture) ~= s.bundle_digest then
      return redis.error_reply('CONFLICT the capture id belongs to another bundle')
    end
    fault = bring_bytes(q, s, now_ms())
    if fault then return fault end
    redis.call('SET', q.accepted(s.bundle_digest), s.capture)
    return tell(q, { 'accepted', s.capture })
  end
  if s.ledger and restoration_of(q) ~= 'restored' then
    return redis.error_reply('RESTORING captures that were accepted before come first')
  end

  local limits = redis.pcall('HMGET', q.limits, 'captures_max', 'bytes_max', 'accepted_ttl_ms', 'device_captures_max',
    'device_bytes_max', 'partitions', 'photo_bytes_max', 'depth_bytes_max')
  if limits.err then return damaged(q.limits) end
  fault = check_partition(q, s.device, limits[6])
  if fault then return fault end
  local key = damaged_key(q, s.device)
  if key then return damaged(key) end
  fault = check_sizes(s, { photo_bytes = limits[7], depth_bytes = limits[8] })
  if fault then
    remove_stored(q, s)
    return fault
  end
  local stats = redis.pcall('HMGET', q.stats, 'queued', 'bytes')
  if stats.err then return damaged(q.stats) end
  local captures, bytes = tonumber(stats[1]) or 0, tonumber(stats[2]) or 0
  local size = tonumber(s.photo_bytes) + tonumber(s.depth_bytes)
  if captures + 1 > tonumber(s.captures_max or limits[1] or CAPTURES_MAX_DEFAULT)
    or bytes + size > tonumber(s.bytes_max or limits[2] or BYTES_MAX_DEFAULT)
    or is_lane_full(q, s.device, size, tonumber(limits[4] or DEVICE_CAPTURES_MAX_DEFAULT),
      tonumber(limits[5]) or device_bytes_default(limits[2]))
  then
    remove_stored(q, s)
    count(q, 'refused', 1)
    return { 'full', captures, bytes }
  end
  if s.bundle_store == 'redis' and not s.photo then
    fault = check_stored(q, s)
    if fault then return fault end
  end

  local now = now_ms()
  hold_received_at(s, now - RECEIVED_AGE_MAX_MS, now)
  keep_bytes(q, s)
  keep_job(q, s, now, limits[3])
  -- No expiry while the capture is in the queue; settling sets one.
  redis.call('SET', q.accepted(s.bundle_digest), s.capture)
  add_to_lane(q, s, now)
  count(q, 'accepted', 1)
  tally(q, now, { accepted = 1 })
  return tell(q, { 'accepted', s.capture })
end

redis.register_function('capture_enqueue_v1', enqueue)
