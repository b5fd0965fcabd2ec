-- capture_join_v1: makes the consumer group if it is not there, and removes consumers that workers left behind.
--
-- KEYS  1 {P}:ready
-- ARGV  1 idle time in milliseconds after which a consumer without tokens is removed
-- Reply how many were removed.
--
-- capture_leave_v1: removes a consumer that stops.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer
-- Reply how many tokens it still holds; it is removed only when there are none.
--
-- `XGROUP DELCONSUMER` forgets what the consumer has pending, and with it the lanes: hence only at none.

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
  create_group(q)
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
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  for _, consumer in ipairs(consumers_of(q)) do
    if consumer.name == args[1] then
      if consumer.pending > 0 then return consumer.pending end
      redis.call('XGROUP', 'DELCONSUMER', q.ready, GROUP, consumer.name)
    end
  end
  return 0
end

redis.register_function { function_name = 'capture_join_v1', callback = join, flags = { 'allow-oom' } }
redis.register_function { function_name = 'capture_leave_v1', callback = leave, flags = { 'allow-oom' } }
