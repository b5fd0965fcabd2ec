-- capture_mend_stray_entry_v1: takes a capture that another partition knows out of a lane of this one, which knows
-- nothing else of it.
--
-- KEYS  1 {P}:ready  2 {Q}:ready of the partition that knows the capture
-- ARGV  1 the device of the lane  2 capture
-- Reply how many entries were taken out; 0 when the lane has none, this partition has a key of the capture, or the
--       other one is not that of the capture's device
--       error DAMAGED <key> <why>   somebody has written over a key of the partition: nothing was done

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

local function mend_stray_entry(keys, args)
  local q, other = queue_of(keys[1]), queue_of(keys[2])
  local device, capture = args[1], args[2]
  if not q or not other or q.ready == other.ready then return invalid('KEYS', 'not two ready streams') end
  if not device or not is_uuid(device) then return invalid('ARGV[1]', 'not a device') end
  if not capture or not is_uuid(capture) then return invalid('ARGV[2]', 'not a capture') end
  local damage = damage_of(q)
  if damage then return damage end
  if is_kept_here(q, capture) or not is_known_there(other, capture) then return 0 end
  if not is_of_type(q.lane(device), 'list') then return 0 end
  local removed = redis.call('LREM', q.lane(device), 0, capture)
  if removed == 0 then return 0 end
  -- It may have been the head of its lane.
  note_head(q, device, now_ms())
  -- A claim has put the lane off. If it is empty now, the next capture to come brings a token of its own.
  if redis.call('EXISTS', q.lane(device)) == 0 then redis.call('ZREM', q.delayed, device) end
  return removed
end

redis.register_function {
  function_name = 'capture_mend_stray_entry_v1', callback = mend_stray_entry, flags = { 'allow-oom' } }

end
