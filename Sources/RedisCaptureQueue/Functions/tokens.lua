-- Tokens of lanes: added, delivered, removed; and the leases that workers write of them.

-- Adds every lane to `delayed`, due at once unless it was put off already. For a lost stream, when no lane has a token
-- there. One command, however many lanes there are; capture_promote_v1 makes them ready in batches.
local function put_off_all(q)
  redis.call('ZUNIONSTORE', q.delayed, 2, q.heads, q.delayed, 'WEIGHTS', 0, 1, 'AGGREGATE', 'MAX')
end

-- How long a lane that cannot be worked is put off, again and again, until an operator who has read the alarm deletes
-- the key that is damaged and this delay.
local DAMAGED_DELAY_MS = 60000

local function put_off_damaged(q, device)
  redis.call('ZADD', q.delayed, text(now_ms() + DAMAGED_DELAY_MS), device)
end

-- If somebody has added an entry with the highest id that there is, the stream takes no other: the lane's token is then
-- a delay.
local function add_token(q, device)
  local token = redis.pcall('XADD', q.ready, 'NOMKSTREAM', '*', 'device', device)
  if type(token) == 'table' then return put_off_damaged(q, device) end
  if token then return end
  -- The stream is gone, or there was none yet. Restore the other lanes' tokens now: once the stream exists again, their
  -- loss would not be noticed.
  put_off_all(q)
  redis.call('ZREM', q.delayed, device)
  redis.call('XADD', q.ready, '*', 'device', device)
end

-- Always both: an entry that is only acknowledged stays for ever, and one that is only deleted stays pending.
local function remove_token(q, token)
  redis.call('XACK', q.ready, GROUP, token)
  redis.call('XDEL', q.ready, token)
end

-- Removes many at once: the stream looks for its new first entry once then, and not once for each.
local function remove_tokens(q, tokens)
  for at = 1, #tokens, ARGUMENTS_MAX do
    local last = math.min(at + ARGUMENTS_MAX - 1, #tokens)
    redis.call('XACK', q.ready, GROUP, unpack(tokens, at, last))
    redis.call('XDEL', q.ready, unpack(tokens, at, last))
  end
end

-- How often a token was delivered, or nil when this consumer does not hold it.
local function deliveries_of(q, token, consumer)
  local pending = redis.pcall('XPENDING', q.ready, GROUP, token, token, 1, consumer)
  if pending.err or #pending == 0 then return nil end
  return pending[1][4]
end

-- The most tokens of a consumer that one command reads.
local PENDING_MAX = 10000

-- Returns a function from a token to how often it was delivered, or nil when this consumer does not hold it. If three
-- or more tokens are asked about (`asked`), one command reads all that the consumer has.
local function deliveries_among(q, consumer, asked)
  local function ask(token) return deliveries_of(q, token, consumer) end
  if asked < 3 then return ask end
  local pending = redis.pcall('XPENDING', q.ready, GROUP, '-', '+', PENDING_MAX, consumer)
  if pending.err or #pending == PENDING_MAX then return ask end
  local deliveries = {}
  for _, entry in ipairs(pending) do deliveries[entry[1]] = entry[4] end
  return function(token) return deliveries[token] end
end

-- A lease is written `<token>#<deliveries>`: a token that was taken over, even by the same consumer, is another lease.
-- The fence: returns the token when `deliveries` says that the lease is still good, or nil.
local function token_of(lease, deliveries)
  local token, number = string.match(lease, '^(%d+%-%d+)#(%d+)$')
  if token and deliveries(token) == tonumber(number) then return token end
  return nil
end

-- The device that an entry of the stream names.
local function device_in(entry)
  local fields = entry[2]
  for index = 1, #fields, 2 do
    if fields[index] == 'device' then return fields[index + 1] end
  end
  return nil
end

-- The device that a token stands for, or nil when the entry is gone.
local function device_of(q, token)
  local entries = redis.call('XRANGE', q.ready, token, token)
  if #entries == 0 then return nil end
  return device_in(entries[1])
end

-- Returns a function from a token to the device that it stands for, or nil. Tokens that were claimed together lie side by
-- side: of three or more, one command reads what lies between the first and the last, if that is little more than they.
local function devices_among(q, tokens)
  local devices = {}
  if #tokens >= 3 then
    local entries = redis.call('XRANGE', q.ready, tokens[1], tokens[#tokens], 'COUNT', 2 * #tokens)
    for _, entry in ipairs(entries) do devices[entry[1]] = device_in(entry) end
  end
  return function(token) return devices[token] or device_of(q, token) end
end
