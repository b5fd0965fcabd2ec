-- Captures of other partitions that somebody has put into a lane: by its own keys a partition cannot tell them from
-- lost ones.

local is_stray, is_kept_here, is_known_there

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- The most partitions of a queue.
local PARTITIONS_MAX = 1024

-- What a look at one partition takes off the bytes that a reply may hold: a call that meets many captures without a job
-- ends after two looks at 1,024 partitions, of some 10 ms each.
local LOOK_BYTES = 8192

-- The number of partitions, as programs keep it beside the first one's limits; 0 while none is there. If the first
-- partition cannot be read, as on a cluster, others cannot be looked at either.
local function partitions_of(q)
  local kept = redis.pcall('HGET', q.first_limits, 'partitions')
  return type(kept) == 'string' and whole(kept, PARTITIONS_MAX) or 0
end

-- The device of a capture, by its job or its status; nil when both are missing.
local function device_by(job, settled)
  local device = redis.pcall('HGET', job, 'device')
  if type(device) == 'string' then return device end
  local status = redis.pcall('GET', settled)
  return type(status) == 'string' and string.match(status, '^%S+') or nil
end

local function is_known_in(number, partitions, job, settled)
  local device = device_by(job, settled)
  return device ~= nil and (partitions == 0 or partition_of(device, partitions) == number)
end

-- Whether a partition has a key of a capture. Bytes may be the only ones left: with a dead letter they stay.
function is_kept_here(q, capture)
  return redis.call('EXISTS', q.job(capture), q.settled(capture), q.photo(capture), q.depth(capture)) > 0
end

-- Whether another partition knows a capture, and is that of its device, as far as the number of partitions is known.
function is_known_there(other, capture)
  return is_known_in(other.number, partitions_of(other), other.job(capture), other.settled(capture))
end

-- Whether a capture without a job is known in the partition of its device, which is another one.
function is_stray(q, capture, budget)
  local partitions = partitions_of(q)
  if not q.number or partitions < 2 or is_kept_here(q, capture) then return false end
  budget.bytes = budget.bytes - partitions * LOOK_BYTES
  local name = string.match(q.ready, '^(.*:)%d+}:ready$')
  for number = 0, partitions - 1 do
    local prefix = name .. text(number) .. '}:'
    if number ~= q.number
      and is_known_in(number, partitions, prefix .. 'job:' .. capture, prefix .. 'settled:' .. capture)
    then
      return true
    end
  end
  return false
end

end
