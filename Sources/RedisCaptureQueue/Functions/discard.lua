-- capture_discard_v1: deletes a dead letter and its bytes for good.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply 1, or 0 when there is no dead letter of this id.

local function discard(keys, args)
  local q, capture = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if redis.call('ZREM', q.dead, capture) == 0 then return 0 end
  local digest, photo, depth = bundle_of(q, capture)
  redis.call('UNLINK', q.photo(capture), q.depth(capture), q.job(capture))
  -- The same bundle may be sent again, unless it is known as another capture.
  local accepted = digest and q.accepted(digest)
  if accepted and redis.call('GET', accepted) == capture then redis.call('DEL', accepted) end
  count(q, 'dead_bytes', -(photo or 0) - (depth or 0))
  count(q, 'discarded', 1)
  return 1
end

redis.register_function { function_name = 'capture_discard_v1', callback = discard, flags = { 'allow-oom' } }
