-- capture_redrive_v1: puts a dead letter back at the end of its device's lane.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply 1, or 0 when there is no dead letter of this id.
--
-- It is marked as redriven, so that a counter that later captures have overtaken is not mistaken for a replay, and as a
-- suspect, so that it is worked alone.

local function redrive(keys, args)
  local q, capture = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not redis.call('ZSCORE', q.dead, capture) then return 0 end
  local job = q.job(capture)
  local device = redis.call('HGET', job, 'device')
  if not device then return redis.error_reply('CONFLICT the job of the dead letter is gone') end
  local bytes, now = bytes_of(q, capture), now_ms()
  redis.call('ZREM', q.dead, capture)
  redis.call('HSET', job, 'state', 'queued', 'attempts', '0', 'redriven', '1', 'suspect', '1',
    'put_back_at', text(now))
  redis.call('HDEL', job, 'reason', 'fault', 'settled_at', 'claimed_at', 'deliveries')
  local place = redis.call('RPUSH', q.lane(device), capture)
  if place == 1 then
    add_token(q, device)
    note_head(q, device, now)
  end
  count(q, 'queued', 1)
  count(q, 'bytes', bytes)
  add_lane_bytes(q, device, place, bytes)
  count(q, 'dead_bytes', -bytes)
  count(q, 'redriven', 1)
  note(q, capture, device, 'queued')
  return tell(q, 1)
end

-- allow-oom: the bytes are here already, and working them off is what frees them.
redis.register_function { function_name = 'capture_redrive_v1', callback = redrive, flags = { 'allow-oom' } }
