-- What a settlement sums up over all its lanes, and then does at once.

-- The effects that one call applies for all its lanes together: the bytes of settled captures, tallies, the keys of
-- jobs, bytes and emptied lanes to delete, the `accepted` keys of settled captures (and in the same order the captures,
-- and how long each key stays), the lanes with captures left (time since which the first waits, and device), the emptied
-- lanes, and the tokens of all lanes, each of which is given back once.
-- Beside them what is the same for many captures: the time, and how long a status stays, as numbers and as text; and
-- how long an `accepted` key stays, by what its job says of it.
local function new_sum(now, status_ttl)
  return {
    bytes = 0, tallies = {}, keys = {}, accepted = {}, captures = {}, stays = {}, heads = {}, emptied = {},
    is_emptied = {}, tokens = {}, is_given_back = {},
    now = now, time = text(now), status_ttl = status_ttl, status_stays = text(status_ttl), stay_of = {},
  }
end

-- How long an `accepted` key stays. As long as the queue knows the id, it knows whose it is: a retry under it would be
-- a conflict otherwise.
local function stay_of(sum, accepted_ttl)
  local name = accepted_ttl or ''
  sum.stay_of[name] = sum.stay_of[name] or text(math.max(whole(name) or 0, sum.status_ttl))
  return sum.stay_of[name]
end

-- Lets the settled captures' bundles be forgotten, each only where its key leads to that capture: another one that
-- waits under the same bundle keeps it. One command reads all keys.
local function expire_accepted(sum)
  for at = 1, #sum.accepted, ARGUMENTS_MAX do
    local last = math.min(at + ARGUMENTS_MAX - 1, #sum.accepted)
    for index, capture in ipairs(redis.call('MGET', unpack(sum.accepted, at, last))) do
      local place = at + index - 1
      if capture == sum.captures[place] then redis.call('PEXPIRE', sum.accepted[place], sum.stays[place]) end
    end
  end
end

local function apply(q, sum)
  local verified, rejected = sum.tallies.verified or 0, sum.tallies.rejected or 0
  count(q, 'verified', verified)
  count(q, 'rejected', rejected)
  count(q, 'queued', -(verified + rejected))
  count(q, 'bytes', -sum.bytes)
  if next(sum.tallies) then tally(q, sum.now, sum.tallies) end
  for at = 1, #sum.keys, ARGUMENTS_MAX do
    redis.call('UNLINK', unpack(sum.keys, at, math.min(at + ARGUMENTS_MAX - 1, #sum.keys)))
  end
  expire_accepted(sum)
  remove_tokens(q, sum.tokens)
  call_with('ZADD', q.heads, sum.heads)
  call_with('ZREM', q.heads, sum.emptied)
  call_with('HDEL', q.lane_bytes, sum.emptied)
end

-- The upper ends, in milliseconds, of the latency steps from acceptance to result; the reader of the tallies has the
-- same list.
local LATENCY_BOUNDS = { 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 300000 }

-- Their names, from that of the step that ends with the first bound to that of what took longer than the last.
local LATENCY_NAMES = {}
for step = 0, #LATENCY_BOUNDS do LATENCY_NAMES[step + 1] = 'latency:' .. step end

local function add_count(counts, name)
  if name then counts[name] = (counts[name] or 0) + 1 end
end

-- A capture whose job does not tell when it was received, as after a change by hand, counts without a latency.
local function count_settled(sum, item, received_at)
  add_count(sum.tallies, item.disposition)
  if item.reason ~= '' then add_count(sum.tallies, reason_count(item.reason)) end
  if not received_at then return end
  local step, latency = 1, sum.now - received_at
  while step <= #LATENCY_BOUNDS and latency > LATENCY_BOUNDS[step] do step = step + 1 end
  add_count(sum.tallies, LATENCY_NAMES[step])
end
