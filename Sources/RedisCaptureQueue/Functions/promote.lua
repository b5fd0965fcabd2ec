-- capture_promote_v1: makes lanes ready whose delay is over.
--
-- KEYS  1 {P}:ready
-- ARGV  1 lanes at most
-- Reply how many.
--
-- As it is called all the time, it also removes what would hide the oldest capture from capture_load_v1.

-- Removes the oldest entries of `heads`, as far as their lanes are not there.
local function remove_stale_heads(q)
  for _, device in ipairs(redis.call('ZRANGE', q.heads, 0, STALE_HEADS_MAX - 1)) do
    if redis.call('EXISTS', q.lane(device)) == 1 then return end
    forget_lane(q, device)
  end
end

local function promote(keys, args)
  local q, lanes_max = queue_of(keys[1]), tonumber(args[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not lanes_max or lanes_max < 1 then return invalid('ARGV[1]', 'not a number of lanes') end
  local promoted = promote_due(q, lanes_max)
  remove_stale_heads(q)
  return promoted
end

redis.register_function { function_name = 'capture_promote_v1', callback = promote, flags = { 'allow-oom' } }
