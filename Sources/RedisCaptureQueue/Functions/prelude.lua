-- What all functions share. The library is this file, followed by what the transitions share, by subject, and by one
-- file per transition.
--
-- Rules for every transition: it checks its precondition before its first write, so that it is atomic; it uses the
-- server's clock; and it keeps the invariant: a lane that is not empty has exactly one token, in the `ready` stream
-- (undelivered or pending) or in the `delayed` sorted set, and an empty lane has none.
--
-- Whoever can write to Redis may have put anything into any key. Redis has no rollback: a command that refuses such a
-- value after the first write would leave a transition half done. So keys are read by `pcall`, or their type is looked
-- at first, and a number out of a key goes to a command that may refuse it (an expiry, a score) only as `whole` or
-- `text` has made it.
--
-- The `redis` object is used and not `server`, which Redis 7.0 does not have.

-- Raise it with every change: a library is replaced only by one whose version is not lower.
local LIBRARY_VERSION = 49

-- The consumer group that has the tokens, and the one that tells each new token to one of the workers that wait.
local GROUP, WAITING_GROUP = 'workers', 'waiting'

-- The most bytes of each part of a bundle; a medium is a photo or a depth map.
local PART_BYTES_MAX = { assertion = 16384, metadata = 65536, medium = 268435456 }

-- The most arguments of one call that fit on Lua's stack; even, for pairs.
local ARGUMENTS_MAX = 1000

-- Milliseconds since 1970 by the server's clock.
local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Whole numbers as text; Lua's own conversion switches to an exponent beyond 14 digits.
local function text(number)
  return string.format('%d', number)
end

-- The number that a text of at most 15 digits is, which is exact in Lua and which every command takes; nil for any
-- other text, for a larger number than `most`, and for none.
local function whole(value, most)
  local number = value and #value <= 15 and string.find(value, '^%d+$') and tonumber(value)
  return number and number <= (most or number) and number or nil
end

local function is_uuid(value)
  if #value ~= 36 then return false end
  -- Where the four hyphens are: that costs less than to ask for each.
  local first, second, third, fourth =
    string.match(value, '^[0-9a-f]+()%-[0-9a-f]+()%-[0-9a-f]+()%-[0-9a-f]+()%-[0-9a-f]+$')
  return first == 9 and second == 14 and third == 19 and fourth == 24
end

-- The keys of a partition, all derived from the name of its `ready` stream: `{<queue>:<number>}:ready`. Keys of lanes
-- and captures share the tag, so that on a cluster they are in the slot of the declared key. Nil for any other name,
-- and for a number that is written otherwise, such as 00: nobody would ever look into that partition.
local function queue_of(ready)
  local prefix, digits = string.match(ready or '', '^({[^{}]+:(%d+)}:)ready$')
  local number = whole(digits)
  if not number or text(number) ~= digits then return nil end
  return {
    ready = ready,
    number = number,
    delayed = prefix .. 'delayed',
    heads = prefix .. 'heads',
    lane_bytes = prefix .. 'lane_bytes',
    dead = prefix .. 'dead',
    stats = prefix .. 'stats',
    limits = prefix .. 'limits',
    first_limits = string.gsub(prefix, '%d+}:$', '0}:') .. 'limits',
    paused = prefix .. 'paused',
    restored = prefix .. 'restored',
    events = prefix .. 'events',
    workers = prefix .. 'workers',
    changes = {},
    tally = function(span, number) return prefix .. 'tally:' .. span .. ':' .. text(number) end,
    lane = function(device) return prefix .. 'lane:' .. device end,
    job = function(capture) return prefix .. 'job:' .. capture end,
    photo = function(capture) return prefix .. 'photo:' .. capture end,
    depth = function(capture) return prefix .. 'depth:' .. capture end,
    settled = function(capture) return prefix .. 'settled:' .. capture end,
    accepted = function(digest) return prefix .. 'accepted:' .. digest end,
    installation_key = function(id) return prefix .. 'installation:' .. id end,
  }
end

local function invalid(field, why)
  return redis.error_reply('INVALID ' .. field .. ': ' .. why)
end
