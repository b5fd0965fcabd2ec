-- The limits of a partition, as gateways set them in the hash {P}:limits.

-- The limits that count where nobody has set any.
local CAPTURES_MAX_DEFAULT = 100000
local DEVICE_CAPTURES_MAX_DEFAULT = 20000
local BYTES_MAX_DEFAULT = 4294967296
local ACCEPTED_TTL_DEFAULT_MS = 86400000

-- A limit as a number; nil for one that nobody has set, and nil with an error for what is none, as somebody has written
-- it by hand. The error names the key, as neither the upload nor its gateway is at fault.
local function limit_of(key, name, value)
  if not value then return nil end
  local number = whole(value)
  if number and number >= 1 then return number end
  return nil, redis.error_reply('DAMAGED ' .. key .. ' has no whole number from 1 in ' .. name)
end

-- The id of the installation whose database this is, as programs keep it beside the first partition's limits. Empty
-- while none is there, and if the first partition cannot be read, as on a cluster, which has one database only.
-- It is read once a call.
local function installation_of(q)
  if not q.installation then
    local id = redis.pcall('HGET', q.first_limits, 'installation')
    q.installation = type(id) == 'string' and is_uuid(id) and id or ''
  end
  return q.installation
end

-- The error of a call from a program of another installation, as when `redis.url` has come to lead here. Programs name
-- theirs by one key more than a function needs, `{P}:installation:<id>`, which never exists: libraries from before it
-- pass over that key, and would refuse an argument. `place` is its place among the keys. Nil for a call that has none,
-- and while no id is kept. A key of another name is an error: its caller believes that the id is compared.
local function refuse_other(q, keys, place)
  local key = keys[place]
  if not key then return nil end
  local own = string.sub(key, -36)
  if not is_uuid(own) or key ~= q.installation_key(own) then
    return invalid('KEYS[' .. place .. ']', 'should be ' .. q.installation_key('<id>'))
  end
  local kept = installation_of(q)
  if kept == '' or kept == own then return nil end
  return redis.error_reply('OTHER_INSTALLATION ' .. q.first_limits .. ' has the id ' .. kept)
end

-- Reads the limits that decide about an upload, by their names; of those that nobody has set there is none.
-- `accepted_ttl_ms` is as it is in the hash: it refuses nobody. Returns nil and an error when they cannot be read.
local read_limits
do
  local NAMES = {
    'captures_max', 'bytes_max', 'device_captures_max', 'device_bytes_max', 'photo_bytes_max', 'depth_bytes_max',
    'partitions',
  }

  read_limits = function(q)
    local row, fault = read('HMGET', q.limits, 'accepted_ttl_ms', unpack(NAMES))
    if not row then return nil, fault end
    local limits = { accepted_ttl_ms = row[1] }
    for index, name in ipairs(NAMES) do
      limits[name], fault = limit_of(q.limits, name, row[index + 1])
      if fault then return nil, fault end
    end
    return limits
  end
end
