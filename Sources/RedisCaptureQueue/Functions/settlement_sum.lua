-- What a settlement sums up over all its lanes, and then does at once.

-- The effects that one call applies for all its lanes together: counters, tallies, the keys of jobs and bytes to
-- delete, the `accepted` keys of settled captures (and in the same order the captures, and how long each key stays),
-- the lanes with captures left (time since which the first waits, and device), and the emptied lanes.
local function new_sum()
  return { counts = {}, tallies = {}, keys = {}, accepted = {}, captures = {}, stays = {}, heads = {}, emptied = {} }
end

local function add(sum, name, by) sum.counts[name] = (sum.counts[name] or 0) + by end

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

local function apply(q, sum, now)
  for name, by in pairs(sum.counts) do count(q, name, by) end
  if next(sum.tallies) then tally(q, now, sum.tallies) end
  for at = 1, #sum.keys, ARGUMENTS_MAX do
    redis.call('UNLINK', unpack(sum.keys, at, math.min(at + ARGUMENTS_MAX - 1, #sum.keys)))
  end
  expire_accepted(sum)
  call_with('ZADD', q.heads, sum.heads)
  call_with('ZREM', q.heads, sum.emptied)
  call_with('HDEL', q.lane_bytes, sum.emptied)
end

-- The upper ends, in milliseconds, of the latency steps from acceptance to result; the reader of the tallies has the
-- same list.
local LATENCY_BOUNDS = { 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 300000 }

local function add_count(counts, name)
  if name then counts[name] = (counts[name] or 0) + 1 end
end

-- A capture whose job does not tell when it was received, as after a change by hand, counts without a latency.
local function count_settled(counts, item, received_at, now)
  add_count(counts, item.disposition)
  if item.reason ~= '' then add_count(counts, reason_count(item.reason)) end
  if not received_at then return end
  local step = 0
  while step < #LATENCY_BOUNDS and now - received_at > LATENCY_BOUNDS[step + 1] do step = step + 1 end
  add_count(counts, 'latency:' .. step)
end
