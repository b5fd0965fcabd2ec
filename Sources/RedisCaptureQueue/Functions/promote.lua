-- capture_promote_v1: makes lanes ready whose delay is over.
--
-- KEYS  1 {P}:ready
-- ARGV  1 lanes at most
-- Reply how many
--       error DAMAGED <key> <why>   somebody has written over a key that it may write: nothing was done

local function promote(keys, args)
  local q, lanes_max = queue_of(keys[1]), tonumber(args[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not lanes_max or lanes_max < 1 then return invalid('ARGV[1]', 'not a number of lanes') end
  return damage_of(q) or promote_due(q, lanes_max)
end

redis.register_function { function_name = 'capture_promote_v1', callback = promote, flags = { 'allow-oom' } }
