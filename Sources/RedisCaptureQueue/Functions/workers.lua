-- capture_present_v1: a worker's sign of life.
--
-- KEYS  1 {P}:ready of the first partition
-- ARGV  1 consumer  2 version of its software  3 when it started, in milliseconds since 1970
-- Reply 1 when it is the worker's first, else 0. A first sign also removes workers that have been silent for long.
--
-- capture_workers_v1: the queue's workers.
--
-- KEYS  1 {P}:ready
-- ARGV  none
-- Reply {worker…, {consumer, leased lanes}…} with worker = {consumer, version, started, milliseconds of silence}: the
--       first partition lists all workers, the others none; then comes each consumer of the partition with leased lanes
--       error DAMAGED <key> <why>   somebody has written over the list of workers

local WORKER_FORGOTTEN_MS = 600000

local function worker_row(name, value, now)
  local version, started, seen = string.match(value, '^(%S+) (%d+) (%d+)$')
  if not version then return nil end
  return { name, version, tonumber(started), math.max(0, now - tonumber(seen)) }
end

local function each_worker(q, now, visit)
  local fields = redis.call('HGETALL', q.workers)
  for index = 1, #fields, 2 do visit(fields[index], worker_row(fields[index], fields[index + 1], now)) end
end

local function present(keys, args)
  local q = queue_of(keys[1])
  local consumer, version, started = args[1], args[2], args[3]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not started or not string.find(version, '^%S+$') or not string.find(started, '^%d+$') then
    return invalid('ARGV', 'consumer, version and start')
  end
  local now = now_ms()
  local is_first = redis.call('HSET', q.workers, consumer, version .. ' ' .. started .. ' ' .. text(now))
  if is_first == 1 then
    each_worker(q, now, function(name, row)
      if not row or row[4] > WORKER_FORGOTTEN_MS then redis.call('HDEL', q.workers, name) end
    end)
  end
  return is_first
end

local function workers(keys)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not is_of_type(q.workers, 'hash') then return damaged(q.workers) end
  local reply = {}
  each_worker(q, now_ms(), function(_, row)
    if row and row[4] <= WORKER_FORGOTTEN_MS then reply[#reply + 1] = row end
  end)
  for _, consumer in ipairs(consumers_of(q)) do
    if consumer.pending > 0 then reply[#reply + 1] = { consumer.name, consumer.pending } end
  end
  return reply
end

redis.register_function { function_name = 'capture_present_v1', callback = present, flags = { 'allow-oom' } }
redis.register_function { function_name = 'capture_workers_v1', callback = workers, flags = { 'no-writes' } }
