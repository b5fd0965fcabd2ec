-- What is counted: the counters of a partition, and the tallies by time.

-- Adds to a whole number of a hash and returns the sum. A damaged number begins anew, and in a key that is no hash
-- nothing is counted, as an error would leave a transition half done. Until `capturectl doctor --fix` has counted
-- again, limits based on that number are not kept.
local function increment(key, name, by)
  local sum = redis.pcall('HINCRBY', key, name, text(by))
  if type(sum) == 'number' then return sum end
  redis.pcall('HSET', key, name, text(by))
  return by
end

local function count(q, name, by)
  if by ~= 0 then increment(q.stats, name, by) end
end

-- Captures accepted and their outcomes, by minute and by hour, for operators. The key has the number of the span since
-- 1970. Events are counted: a capture that is given up, put back and given up again has failed twice. One that is put
-- back from the ledger counts as accepted then.
local TALLY_SPANS = {
  { name = 'minute', length = 60000, kept = 120 },
  { name = 'hour', length = 3600000, kept = 768 },
}

-- Adds counts by name to the running spans: `accepted`, `verified`, `rejected`, `failed`, `reason:<code>`,
-- `latency:<step>`.
local function tally(q, now, counts)
  for _, span in ipairs(TALLY_SPANS) do
    local key, has_new = q.tally(span.name, math.floor(now / span.length)), false
    for name, by in pairs(counts) do has_new = increment(key, name, by) == by or has_new end
    -- Only a key with a new field can be new itself. It gets its expiry once, as NX leaves one that is there.
    if has_new then redis.call('PEXPIRE', key, text(span.length * (span.kept + 1)), 'NX') end
  end
end

-- The name of a reason's count; nil for text that is no code (capital letters), which is not counted by name.
local function reason_count(reason)
  if #reason > 40 or not string.find(reason, '^[A-Z_]+$') then return nil end
  return 'reason:' .. reason
end
