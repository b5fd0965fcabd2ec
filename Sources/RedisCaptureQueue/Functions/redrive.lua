-- capture_redrive_v1: puts a dead letter back at the end of its device's lane.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply 1, or 0 when there is no dead letter of this id.
--
-- It is marked as redriven, so that a counter that later captures have overtaken is not mistaken for a replay. Where workers
-- did not come back from it, it stays a suspect, or becomes one, and is worked alone; others do not, since whatever a worker
-- has claimed beside a suspect is handed back.

local function redrive(keys, args)
  local q, capture = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not redis.call('ZSCORE', q.dead, capture) then return 0 end
  local job = q.job(capture)
  local row = redis.call('HMGET', job, 'device', 'reason')
  local device = row[1]
  if not device then return redis.error_reply('CONFLICT the job of the dead letter is gone') end
  local bytes, now = bytes_of(q, capture), now_ms()
  redis.call('ZREM', q.dead, capture)
  redis.call('HSET', job, 'state', 'queued', 'attempts', '0', 'redriven', '1', 'put_back_at', text(now))
  redis.call('HDEL', job, 'reason', 'fault', 'settled_at', 'claimed_at', 'deliveries')
  if row[2] == 'DELIVERIES_EXHAUSTED' then redis.call('HSET', job, 'suspect', '1') end
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
