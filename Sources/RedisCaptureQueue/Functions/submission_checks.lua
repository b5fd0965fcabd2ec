-- Checks of what is submitted, against the partition and the bytes that are stored.

-- The keys must match the ids: a gateway that mixes them up would fill another device's lane.
local function check_keys(q, keys, s)
  local expected = {
    q.ready, q.lane(s.device), q.job(s.capture), q.accepted(s.bundle_digest), q.stats,
    q.photo(s.capture), q.depth(s.capture),
  }
  for index, key in ipairs(expected) do
    if keys[index] ~= key then return invalid('KEYS[' .. index .. ']', 'should be ' .. key) end
  end
  return nil
end

-- CRC-16 (XMODEM) of a text, as Redis Cluster computes slots.
local crc16
do
  -- What it makes of each byte, once that was needed: `bit` is not there while the library is loaded. Bit by bit, a
  -- device's id took half of the time in which a capture is enqueued.
  local remainders = {}

  local function remainder_of(byte)
    local crc = bit.lshift(byte, 8)
    for _ = 1, 8 do
      local shifted = bit.lshift(crc, 1)
      if bit.band(crc, 0x8000) ~= 0 then shifted = bit.bxor(shifted, 0x1021) end
      crc = bit.band(shifted, 0xffff)
    end
    remainders[byte] = crc
    return crc
  end

  crc16 = function(value)
    local crc = 0
    for at = 1, #value do
      local low = crc % 256
      local byte = bit.bxor((crc - low) / 256, string.byte(value, at))
      crc = bit.bxor(low * 256, remainders[byte] or remainder_of(byte))
    end
    return crc
  end
end

-- The number of a device's partition, of so many.
local function partition_of(device, partitions)
  return partitions > 1 and crc16(device) % partitions or 0
end

-- Workers look for a device's captures and bytes in its own partition: in another one they could never be settled.
-- `partitions` is their number, as gateways and workers noted it in each of them. The first partition's value counts,
-- as a partition left over from a time when there were more still has the old number. If the first cannot be read, as
-- on a cluster, this partition's own value counts.
local function check_partition(q, device, partitions)
  if q.number ~= 0 then
    local first = redis.pcall('HGET', q.first_limits, 'partitions')
    if type(first) == 'string' then
      local fault
      partitions, fault = limit_of(q.first_limits, 'partitions', first)
      if fault then return fault end
    end
  end
  if not partitions or not q.number then return nil end
  local number = partition_of(device, partitions)
  if q.number == number then return nil end
  return invalid('device', 'belongs to partition ' .. text(number) .. ' of ' .. text(partitions))
end

-- Workers fetch no photo and no depth map larger than the settings allow: such a capture could only become a dead
-- letter.
local function check_sizes(s, limits)
  for _, name in ipairs({ 'photo_bytes', 'depth_bytes' }) do
    local most = limits[name .. '_max'] or PART_BYTES_MAX.medium
    if tonumber(s[name]) > most then return invalid(name, 'more than ' .. text(most) .. ' bytes') end
  end
  return nil
end

-- Bytes that were stored beforehand must be there and of the declared sizes.
local function check_stored(q, s)
  for _, name in ipairs({ 'photo', 'depth' }) do
    local key = q[name](s.capture)
    local size, fault = read('STRLEN', key)
    if not size then return fault end
    if size == 0 and redis.call('EXISTS', key) == 0 then return redis.error_reply('MISSING_BUNDLE ' .. name) end
    if size ~= tonumber(s[name .. '_bytes']) then return invalid(name .. '_bytes', size .. ' bytes are stored') end
  end
  return nil
end
