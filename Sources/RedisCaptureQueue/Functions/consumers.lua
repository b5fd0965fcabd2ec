-- capture_join_v1: makes the consumer group if it is not there, and removes consumers that workers left behind.
--
-- KEYS  1 {P}:ready
-- ARGV  1 idle time in milliseconds after which a consumer without tokens is removed
-- Reply how many were removed.
--
-- capture_leave_v1: hands back whatever a consumer that stops still holds, and removes it.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2… optional: `of`, and the captures that it had begun; else whatever it has claimed counts as begun
-- Reply how many lanes it handed back, so that the next worker starts at once and need not wait for the lease.
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

-- Queues again what was claimed of a lane: what was begun as suspects, the rest at no cost.
local function release_unfinished(q, device, begun)
  visit_in_hands(q, device, function(capture)
    local job = q.job(capture)
    local row = job_fields(q, capture, 'state', 'attempts')
    if row[1] ~= 'processing' then return false end
    if begun[capture] then
      redis.call('HSET', job, 'state', 'queued', 'suspect', '1')
    else
      redis.call('HSET', job, 'state', 'queued', 'attempts', text(math.max(0, (tonumber(row[2]) or 0) - 1)))
    end
    note(q, capture, device, 'queued')
    return true
  end)
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
  for _, entry in ipairs(pending) do
    local device = device_of(q, entry[1])
    -- What it had begun it did not finish in its time: to be worked alone.
    if device then
      guard(q, entry[1], device, function()
        if begun then release_unfinished(q, device, begun) else mark_suspects(q, device) end
      end)
    end
    -- Nothing any more where the lane was put off.
    put_back(q, consumer, { entry[1] })
  end
  redis.call('HDEL', q.workers, consumer)
  if #pending < PENDING_MAX then redis.call('XGROUP', 'DELCONSUMER', q.ready, GROUP, consumer) end
  return tell(q, #pending)
end

redis.register_function { function_name = 'capture_join_v1', callback = join, flags = { 'allow-oom' } }
redis.register_function { function_name = 'capture_leave_v1', callback = leave, flags = { 'allow-oom' } }
