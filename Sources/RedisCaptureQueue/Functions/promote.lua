-- capture_promote_v1: makes lanes ready whose delay is over.
--
-- KEYS  1 {P}:ready
-- ARGV  1 lanes at most
-- Reply how many
--       error DAMAGED <key> <why>   somebody has written over a key that it may write, or has added an entry behind
--                                   which the stream takes no more: nothing was done

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

local ID_MAX = '18446744073709551615-18446744073709551615'

-- Whether the stream takes no more entries: whoever adds a token then puts the lane off, and only here it is told.
local function is_full(q)
  local stream = redis.pcall('XINFO', 'STREAM', q.ready)
  for index = 1, #stream, 2 do
    if stream[index] == 'last-generated-id' then return stream[index + 1] == ID_MAX end
  end
  return false
end

local function promote(keys, args)
  local q, lanes_max = queue_of(keys[1]), tonumber(args[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not lanes_max or lanes_max < 1 then return invalid('ARGV[1]', 'not a number of lanes') end
  local damage = damage_of(q)
  if damage then return damage end
  if is_full(q) then return redis.error_reply('DAMAGED ' .. q.ready .. ' takes no more entries') end
  return promote_due(q, lanes_max)
end

redis.register_function { function_name = 'capture_promote_v1', callback = promote, flags = { 'allow-oom' } }

end
