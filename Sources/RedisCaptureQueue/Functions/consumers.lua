-- capture_join_v1: makes the consumer groups if they are not there, and removes consumers that workers left behind.
--
-- KEYS  1 {P}:ready
-- ARGV  1 idle time in milliseconds after which a consumer without tokens is removed
-- Reply how many were removed
--       error DAMAGED <key> <why>   the stream is gone, and somebody has written over a key of the partition: nothing
--                                   was done
--
-- capture_leave_v1: hands back all lanes of a consumer that stops, and removes the consumer.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2… optional: `of`, and the captures that it had begun; without it all claimed captures count as
--       begun
-- Reply how many lanes it handed back. The next worker starts at once and need not wait for the lease
--       error DAMAGED <key> <why>   somebody has written over a key of the partition: the lanes wait for their leases
--
-- `XGROUP DELCONSUMER` drops the consumer's pending tokens, and so loses their lanes: it is used only when none is
-- left.

local function consumers_of(q)
  local consumers = {}
  local reply = redis.pcall('XINFO', 'CONSUMERS', q.ready, GROUP)
  if reply.err then return consumers end
  for _, row in ipairs(reply) do
    local consumer = {}
    for index = 1, #row, 2 do consumer[row[index]] = row[index + 1] end
    consumers[#consumers + 1] = consumer
  end
  return consumers
end

local function join(keys, args)
  local q, idle = queue_of(keys[1]), tonumber(args[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not idle then return invalid('ARGV[1]', 'not an idle time') end
  local damage = create_groups(q)
  if damage then return damage end
  local removed = 0
  for _, consumer in ipairs(consumers_of(q)) do
    if consumer.pending == 0 and consumer.idle >= idle then
      redis.call('XGROUP', 'DELCONSUMER', q.ready, GROUP, consumer.name)
      removed = removed + 1
    end
  end
  return removed
end

local function leave(keys, args)
  local q, consumer = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not consumer then return invalid('ARGV[1]', 'not a consumer') end
  local begun = args[2] == 'of' and {} or nil
  for index = 3, #args do
    if begun then begun[args[index]] = true end
  end
  local pending = redis.pcall('XPENDING', q.ready, GROUP, '-', '+', PENDING_MAX, consumer)
  if pending.err then return 0 end
  local damage = #pending > 0 and damage_of(q)
  if damage then return damage end
  for _, entry in ipairs(pending) do
    local device = device_of(q, entry[1])
    -- Captures that it had begun and not finished in time are to be worked alone.
    if device then
      guard(q, entry[1], device, function()
        if begun then release_claimed(q, device, begun) else mark_suspects(q, device) end
      end)
    end
    -- Does nothing if `guard` has put the lane off: the token is gone then.
    return_tokens(q, consumer, { entry[1] })
  end
  -- Somebody may have written over it. The lanes are back: whoever waits for them is to be told.
  redis.pcall('HDEL', q.workers, consumer)
  if #pending < PENDING_MAX then redis.call('XGROUP', 'DELCONSUMER', q.ready, GROUP, consumer) end
  return tell(q, #pending)
end

redis.register_function { function_name = 'capture_join_v1', callback = join, flags = { 'allow-oom' } }
redis.register_function { function_name = 'capture_leave_v1', callback = leave, flags = { 'allow-oom' } }
