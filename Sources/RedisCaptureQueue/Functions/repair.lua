-- capture_repair_v1: gives a token to lanes that have none.
--
-- KEYS  1 {P}:ready
-- ARGV  1… devices
-- Reply how many tokens were added.
--
-- No transition leaves such a lane. A stream that was deleted by hand, or lost with part of the data, does: its captures
-- would wait for ever. It reads the whole stream, so it is no part of the ordinary work.

local function repair(keys, args)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local has_token = {}
  for _, entry in ipairs(redis.call('XRANGE', q.ready, '-', '+')) do
    for index = 1, #entry[2], 2 do
      if entry[2][index] == 'device' then has_token[entry[2][index + 1]] = true end
    end
  end
  local added = 0
  for _, device in ipairs(args) do
    if not is_uuid(device) then return invalid('ARGV', 'not devices') end
    if not has_token[device] and not redis.call('ZSCORE', q.delayed, device)
      and redis.call('EXISTS', q.lane(device)) == 1
    then
      add_token(q, device)
      has_token[device] = true
      added = added + 1
    end
  end
  return added
end

redis.register_function { function_name = 'capture_repair_v1', callback = repair, flags = { 'allow-oom' } }
