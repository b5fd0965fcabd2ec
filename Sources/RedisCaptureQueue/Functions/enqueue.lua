-- capture_enqueue_v1: accepts a capture. THE PUBLIC CONTRACT for gateways in other languages.
--
-- KEYS  1 {P}:ready  2 {P}:lane:<device>  3 {P}:job:<capture>  4 {P}:accepted:<bundle_digest>  5 {P}:stats
--       6 {P}:photo:<capture>  7 {P}:depth:<capture>            P = cq:<partition>, a number without leading zeros;
--                                                               ids and digests in lower case
--       8 {P}:installation:<id>, only from programs that know their installation; no other eighth key is taken
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
--   traceparent       optional: W3C trace context, version 00; anything else is left out
--   captures_max, bytes_max, accepted_ttl_ms   optional: limits; default those of the hash {P}:limits, in which our
--                     gateways also set the sizes of the largest photo and depth map
--   bundle_store, ledger   from our gateways only: `filesystem` for bytes in files of theirs and not in KEYS 6 and 7
--                     (`redis`); `1` if they keep an intake ledger: refused until the partition is restored
-- Reply {'accepted', capture}        accepted for good; also when the same call was made before. If the capture is a
--                                    dead letter because its bytes were missing, it is put back: they are there again,
--                                    in Redis also if they were in files of our gateways.
--                                    If they have changed in storage, and a worker has put it off or given it up for
--                                    that, those of the call (`photo`, `depth`) replace them, and a dead letter is put
--                                    back. Of a capture that is settled nothing is needed
--       {'duplicate', capture}       the same bundle was accepted before, under the id in the reply; it gets its bytes
--                                    here as well, and from those that were stored beforehand, too
--       {'full', captures, bytes}    a limit is reached: that of the partition, whose load this is, or that of a
--                                    device's lane, which the load does not show. Later: same id, same bytes
--       error MISSING_BUNDLE <which> stored bytes expired or never came: store them again, call again with the same id
--       error CONFLICT <why>         the id is another bundle's, or the digest or the size of photo or depth map is
--                                    another than before: a fault of the gateway, which takes a new id
--       error INVALID <argument>: <why>   if the argument is binding, assertion, metadata, photo, depth, photo_bytes or
--                                    depth_bytes, the upload's fault (400 or 413); any other (a device of another
--                                    partition; `arguments`: one is missing or given twice, or some do not fit
--                                    together) and `… bytes are stored` (not the declared size) are the gateway's
--       error RESTORING <why>        only with `ledger`
--       error OTHER_INSTALLATION <why>   only with an eighth key: the queue is not that installation's
--       error DAMAGED <key> <why>    somebody has written over a key of the queue, or over one of its limits: raise an
--                                    alarm, answer 503, retry with the same id and the same bytes
--       error NOPERM <why>           the gateway's fault: its user of Redis lacks a permission that this takes.
--                                    README's section on the hand-off has a user with all of them
--       OOM, NOREPLICAS, LOADING, READONLY, MISCONF, MASTERDOWN, BUSY, TRYAGAIN, CLUSTERDOWN, UNBLOCKED, ERR Function not
--       found, ERR max number of clients reached, and no answer at all are transient: answer 503, and retry with the
--       same id and the same bytes. Without an answer the outcome is unknown. TRYAGAIN is said here as well while a
--       worker has the capture to which the call has brought its bytes: it may give the capture up for what it found
--       before, and then the retry puts it back.
--
-- Unless it answers `accepted`, or gives an earlier capture its bytes, nothing was kept. Bytes stored beforehand are
-- removed if it answers `full`, or `duplicate` under another id, or `accepted` of a capture that is settled, or refuses
-- them as too many; after any other error, and with `ledger`, they stay until they expire.
--
-- A capture id belongs to one bundle for ever: draw a new one (UUIDv7 or v4) for each upload, never derive it from what
-- a client sends. CONFLICT is returned only as long as the queue knows the id; later on the capture is accepted and
-- becomes a dead letter (INTERNAL), while its status shows the first capture's.
--
-- photo_sha256 and depth_sha256 are over the stored bytes. They are not checked here: a mismatch becomes BUNDLE_CORRUPT
-- after all attempts. The bytes' expiry is 900 s at least, and longer than an upload takes. When SET with NX answers
-- nil, the first attempt's bytes are there, and stay. If they are not those of the bundle any more, store the bundle's
-- under a new id and call with that one: the capture gets them from there.

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- Longer than an upload takes, and than the difference between clocks.
local RECEIVED_AGE_MAX_MS = 600000

-- Whether a lane of so many captures has no room for one more of `bytes`: a device that floods fills its own lane, not
-- the queue. An empty lane takes any capture.
local function is_lane_full(q, device, captures, bytes, captures_max, bytes_max)
  if captures == 0 then return false end
  return captures + 1 > captures_max
    or (whole(redis.call('HGET', q.lane_bytes, device)) or 0) + bytes > bytes_max
end

-- The byte limit of one device; by default a tenth of the partition's, as gateways set it.
local function device_bytes_max(limits)
  return limits.device_bytes_max or math.max(1, math.floor((limits.bytes_max or BYTES_MAX_DEFAULT) / 10))
end

local function restoring() return redis.error_reply('RESTORING captures that were accepted before come first') end

-- The answer about a bundle that was accepted as `first`.
local function answer_accepted(q, s, first)
  if first ~= s.capture then
    -- A row of the bundle may be that of a capture which comes back.
    if s.ledger and is_of_loss(q, first) and restoration_of(q) ~= 'restored' then return restoring() end
    local fault = bring_back(q, s, first, now_ms())
    if fault then return fault end
    -- If the id belongs to another live capture, its bytes must stay.
    if not is_known(q, s.capture) then remove_stored(q, s) end
    count(q, 'duplicates', 1)
    return tell(q, { 'duplicate', first })
  end
  if not is_of_type(q.job(first), 'hash') then return damaged(q.job(first)) end
  if redis.call('HEXISTS', q.job(first), 'bundle') == 1 then
    local fault = bring_bytes(q, s, now_ms())
    if fault then return fault end
  elseif redis.call('EXISTS', q.job(first)) == 0 then
    -- It is settled: what was stored for this call is nobody's.
    remove_stored(q, s)
  end
  -- A write that changes nothing: `WAIT` on the caller's connection covers only writes made there, and a replica that
  -- has this one has the capture too.
  redis.call('SET', q.accepted(s.bundle_digest), first, 'KEEPTTL')
  return tell(q, { 'accepted', first })
end

-- The answer about an id that the queue knows, while the bundle is not known: the id is another bundle's, or the
-- capture was put back from its ledger row while the bundle led to another capture, forgotten since.
local function answer_known(q, s)
  local fault = bring_bytes(q, s, now_ms())
  if fault then return fault end
  redis.call('SET', q.accepted(s.bundle_digest), s.capture)
  return tell(q, { 'accepted', s.capture })
end

-- The reply when a limit is reached, or an error when that cannot be read; nil when there is room. The capture's lane
-- has `in_lane` captures.
local function full(q, s, limits, in_lane)
  local stats, fault = read('HMGET', q.stats, 'queued', 'bytes')
  if not stats then return fault end
  local captures, bytes = whole(stats[1]) or 0, whole(stats[2]) or 0
  local size = tonumber(s.photo_bytes) + tonumber(s.depth_bytes)
  if captures + 1 <= tonumber(s.captures_max or limits.captures_max or CAPTURES_MAX_DEFAULT)
    and bytes + size <= tonumber(s.bytes_max or limits.bytes_max or BYTES_MAX_DEFAULT)
    and not is_lane_full(q, s.device, in_lane, size, limits.device_captures_max or DEVICE_CAPTURES_MAX_DEFAULT,
      device_bytes_max(limits))
  then
    return nil
  end
  remove_stored(q, s)
  count(q, 'refused', 1)
  return { 'full', captures, bytes }
end

-- Why a new capture is not accepted, or nil.
local function refusal_of(q, s, limits)
  local fault = check_partition(q, s.device, limits.partitions)
  if fault then return fault end
  local in_lane
  -- Its length says as well whether it is a list.
  in_lane, fault = read('LLEN', q.lane(s.device))
  if not in_lane then return fault end
  local key = damaged_key(q)
  if key then return damaged(key) end
  fault = check_sizes(s, limits)
  if fault then
    remove_stored(q, s)
    return fault
  end
  fault = full(q, s, limits, in_lane)
  if fault then return fault end
  if s.bundle_store == 'redis' and not s.photo then return check_stored(q, s) end
  return nil
end

local function accept(q, s, limits)
  local fault = forbidden_to_put(q)
  if fault then return fault end
  local now = now_ms()
  hold_received_at(s, now - RECEIVED_AGE_MAX_MS, now)
  keep_bytes(q, s)
  keep_job(q, s, now, limits.accepted_ttl_ms)
  if not s.ledger then note_loss(q, s) end
  -- No expiry while the capture is in the queue; settling sets one.
  redis.call('SET', q.accepted(s.bundle_digest), s.capture)
  add_to_lane(q, s, now)
  count(q, 'accepted', 1)
  tally(q, now, { accepted = 1 })
  return tell(q, { 'accepted', s.capture })
end

local function enqueue(keys, args)
  local q = (#keys == 7 or #keys == 8) and queue_of(keys[1])
  if not q then return invalid('KEYS', 'not the seven keys of a capture, as {cq:0}:ready is the first of one') end
  local other = refuse_other(q, keys, 8)
  if other then return other end
  local s, fault = read_submission(args)
  if not s then return fault end
  fault = check_keys(q, keys, s)
  if fault then return fault end
  for _, name in ipairs({ 'redriven', 'beside' }) do
    if s[name] then return invalid(name, 'not of a new capture') end
  end

  local first
  first, fault = read('GET', q.accepted(s.bundle_digest))
  if fault then return fault end
  if first and not is_uuid(first) then
    return redis.error_reply('DAMAGED ' .. q.accepted(s.bundle_digest) .. ' has no id of a capture')
  end
  if first then return answer_accepted(q, s, first) end
  if is_known(q, s.capture) then return answer_known(q, s) end
  if s.ledger and ask_restoration(q) ~= 'restored' then return restoring() end
  local limits
  limits, fault = read_limits(q)
  if not limits then return fault end
  return refusal_of(q, s, limits) or accept(q, s, limits)
end

-- A command that is forbidden ends the call, before it has written anything. Redis does not always say which one it is.
local function enqueue_or_refuse(keys, args)
  local is_done, reply = pcall(enqueue, keys, args)
  if is_done then return reply end
  -- `pcall` gives the error as text. Raised again, it would lose its code, such as WRONGTYPE.
  if type(reply) == 'string' then reply = redis.error_reply(reply) end
  return forbidden_to_hand_off(queue_of(keys[1])) or reply
end

redis.register_function('capture_enqueue_v1', enqueue_or_refuse)

end
