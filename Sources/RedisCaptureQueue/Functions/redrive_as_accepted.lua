-- capture_redrive_as_accepted_v1: puts a dead letter back as it was accepted, which its row in the ledger tells,
-- whatever has become of its job.
--
-- KEYS  1 {P}:ready
-- ARGV  arguments as capture_enqueue_v1 takes them, without `photo` and `depth`
-- Reply 1, or 0 when there is no dead letter of this id
--       error DAMAGED <key> <why>   somebody has written over a key that it needs: the dead letter stays as it is
--       error INVALID <argument>: <why>

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- Writes a dead letter's job anew. Its reason and its fault stay: they tell what its next worker has to beware of.
local function rewrite_job(q, s, now)
  local job = q.job(s.capture)
  if not is_of_type(job, 'hash') then redis.call('UNLINK', job) end
  local digest, photo, depth = bundle_of(q, s.capture)
  -- A digest that is not the capture's leads to it no longer.
  if digest and digest ~= s.bundle_digest and leads_to(q, digest, s.capture) then
    redis.call('UNLINK', q.accepted(digest))
  end
  count(q, 'dead_bytes', tonumber(s.photo_bytes) + tonumber(s.depth_bytes) - (photo or 0) - (depth or 0))
  keep_job_of_row(q, s, now)
end

local function redrive_as_accepted(keys, args)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local s, fault = read_submission(args)
  if not s then return fault end
  if s.photo then return invalid('photo', 'not taken here') end
  local damage = damage_of(q, s.device) or not is_of_type(q.limits, 'hash') and damaged(q.limits)
  if damage then return damage end
  if not redis.call('ZSCORE', q.dead, s.capture) then return 0 end
  local now = now_ms()
  rewrite_job(q, s, now)
  revive(q, s.capture, now)
  return tell(q, 1)
end

-- allow-oom: as for capture_redrive_v1.
redis.register_function {
  function_name = 'capture_redrive_as_accepted_v1', callback = redrive_as_accepted, flags = { 'allow-oom' } }

end
