-- capture_redrive_v1: puts a dead letter back at the end of its device's lane.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply 1, or 0 when there is no dead letter of this id
--       error DAMAGED <key> <why>   somebody has written over a key that it needs: the dead letter stays
--       error CONFLICT <why>        its job is gone

local function redrive(keys, args)
  local q, capture = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not is_of_type(q.dead, 'zset') then return damaged(q.dead) end
  if not redis.call('ZSCORE', q.dead, capture) then return 0 end
  local is_back, damage = revive(q, capture, now_ms())
  if not is_back then return damage or redis.error_reply('CONFLICT the job of the dead letter is gone') end
  return tell(q, 1)
end

-- allow-oom: the bytes are stored already, and only working the capture frees them.
redis.register_function { function_name = 'capture_redrive_v1', callback = redrive, flags = { 'allow-oom' } }
