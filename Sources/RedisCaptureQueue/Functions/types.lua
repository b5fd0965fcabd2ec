-- Keys of another type than the queue's, as somebody has written them by hand.

-- Whether a key is of this type, or is not there.
local function is_of_type(key, kind)
  local found = redis.call('TYPE', key).ok
  return found == kind or found == 'none'
end

-- The first key of another type among those that change when a capture is put into a lane; nil when all are well.
-- Without a device its lane is not looked at. Redis has no rollback: an error at such a key would leave the capture in
-- the lane and without a token.
local function damaged_key(q, device)
  if device and not is_of_type(q.lane(device), 'list') then return q.lane(device) end
  if not is_of_type(q.ready, 'stream') then return q.ready end
  if not is_of_type(q.lane_bytes, 'hash') then return q.lane_bytes end
  for _, key in ipairs({ q.heads, q.delayed }) do
    if not is_of_type(key, 'zset') then return key end
  end
  return nil
end

local function damaged(key) return redis.error_reply('DAMAGED ' .. key .. ' is of another type') end

-- The reply of a command that reads; nil and an error when the key is of another type. Any other error ends the call,
-- as it says nothing of the key: the user of the caller's connection may not call the command.
local function read(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if string.find(reply.err, '^WRONGTYPE ') then return nil, damaged(key) end
  error(reply, 0)
end

-- The error that a function returns before its first write, so that it does everything or nothing: a key of the
-- partition that lanes and dead letters are noted in is of another type, or a command is forbidden. With a device, into
-- whose lane a capture is put, that lane is looked at, too. Nil when all is well.
local function damage_of(q, device)
  local key = damaged_key(q, device) or (not is_of_type(q.dead, 'zset') and q.dead)
  if key then return damaged(key) end
  return device and forbidden_to_put(q) or not device and forbidden_to_give_back(q) or nil
end
