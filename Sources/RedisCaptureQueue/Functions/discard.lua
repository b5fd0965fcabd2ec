-- capture_discard_v1: deletes a dead letter and its bytes for good.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture  2 when it was given up, in milliseconds since 1970
-- Reply 1, or 0 when there is no dead letter of this id, or it was put back and given up anew
--       error DAMAGED <key> <why>   somebody has written over the list of dead letters: nothing was done
--
-- A job that is missing, or that somebody has written over, keeps nobody from discarding the rest of the dead letter.

local function discard(keys, args)
  local q, capture, told = queue_of(keys[1]), args[1], tonumber(args[2])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not told then return invalid('ARGV[2]', 'not a time') end
  if not is_of_type(q.dead, 'zset') then return damaged(q.dead) end
  local fault = forbidden_to_give_back(q)
  if fault then return fault end
  local score = redis.call('ZSCORE', q.dead, capture)
  if not score or told ~= died_at(score) then return 0 end
  redis.call('ZREM', q.dead, capture)
  local job = job_fields(q, capture, 'device', 'bundle')
  local device, digest, photo, depth = job[1], read_bundle_line(job[2])
  redis.call('UNLINK', q.photo(capture), q.depth(capture), q.job(capture))
  -- The same bundle may be sent again, unless it is known as another capture.
  if digest and leads_to(q, digest, capture) then redis.call('DEL', q.accepted(digest)) end
  count(q, 'dead_bytes', -(photo or 0) - (depth or 0))
  count(q, 'discarded', 1)
  -- If the job is missing, the device is unknown.
  if device then note(q, capture, device, 'discarded') end
  return tell(q, 1)
end

redis.register_function { function_name = 'capture_discard_v1', callback = discard, flags = { 'allow-oom' } }
