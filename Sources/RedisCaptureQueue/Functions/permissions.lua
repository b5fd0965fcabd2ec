-- What the user of the caller's connection may do.
--
-- Redis has no rollback: a command that it forbids half-way would leave what came before it, such as a capture in a
-- lane that has no token. So a transition asks for all its commands before its first write. Each command is asked for
-- with one key or channel: the names of a partition's keys and channels begin alike, and a user is given all of them or
-- none.

local forbidden_to_put, forbidden_to_give_back, forbidden_to_hand_off

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- What puts a capture into a lane, be it new, restored or a dead letter: what writes, and what reads after a write.
local function putting(q)
  return {
    { 'TIME' }, { 'RPUSH', q.lane('') }, { 'LINDEX', q.lane('') }, { 'XADD', q.ready }, { 'ZADD', q.heads },
    { 'ZUNIONSTORE', q.delayed, '2', q.heads, q.delayed }, { 'ZREM', q.delayed }, { 'HSET', q.lane_bytes },
    { 'HDEL', q.job('') }, { 'HGET', q.limits }, { 'HINCRBY', q.stats }, { 'SET', q.accepted('') },
    { 'PERSIST', q.photo('') }, { 'UNLINK', q.photo('') }, { 'EXISTS', q.job('') },
    { 'ZSCORE', q.dead, '' }, { 'PEXPIRE', q.tally('minute', 0) }, { 'PUBLISH', q.events .. ':', '' },
  }
end

-- All that a hand-off calls, for README's user. It does not ask beforehand for what it reads with, as asking takes
-- time: it asks once a command was refused. `COPY`, by which a capture gets another call's bytes, is the first write.
local function handing_off(q)
  local commands = putting(q)
  for _, command in ipairs({
    { 'GET', q.accepted('') }, { 'TYPE', q.ready }, { 'HMGET', q.limits }, { 'HEXISTS', q.job('') },
    { 'LLEN', q.lane('') }, { 'STRLEN', q.photo('') }, { 'COPY', q.photo(''), q.depth('') },
  }) do
    commands[#commands + 1] = command
  end
  return commands
end

-- What gives lanes back and settles or buries their captures, or deletes a dead letter: what writes, and what reads
-- after a write. `XPENDING` is the fence: without it a worker could claim lanes and give none back.
local function giving_back(q)
  return {
    { 'TIME' }, { 'XADD', q.ready }, { 'XACK', q.ready }, { 'XDEL', q.ready }, { 'XRANGE', q.ready },
    { 'XCLAIM', q.ready }, { 'XPENDING', q.ready }, { 'ZADD', q.delayed }, { 'ZRANGEBYSCORE', q.delayed },
    { 'ZUNIONSTORE', q.delayed, '2', q.heads, q.delayed }, { 'ZREM', q.heads }, { 'ZRANGE', q.dead },
    { 'EXISTS', q.lane('') }, { 'LINDEX', q.lane('') }, { 'LRANGE', q.lane('') }, { 'LTRIM', q.lane('') },
    { 'LPOP', q.lane('') }, { 'HMGET', q.job('') }, { 'HSET', q.job('') }, { 'HDEL', q.lane_bytes },
    { 'HINCRBY', q.stats }, { 'SET', q.settled('') }, { 'MGET', q.accepted('') }, { 'PEXPIRE', q.accepted('') },
    { 'DEL', q.job('') }, { 'UNLINK', q.photo('') }, { 'PUBLISH', q.events .. ':', '' },
  }
end

-- Returns a function from a partition's keys to the error about the first command that is forbidden, or to nil.
local function forbidden(commands)
  -- By partition: to write down the commands costs more than to ask for them.
  local known = {}
  return function(q)
    if not known[q.ready] then known[q.ready] = commands(q) end
    for _, command in ipairs(known[q.ready]) do
      if not redis.acl_check_cmd(unpack(command)) then
        local names = command[1] == 'PUBLISH' and 'channels as ' .. q.events or 'keys as ' .. q.ready
        return redis.error_reply('NOPERM the user may not call ' .. command[1] .. ' for ' .. names)
      end
    end
    return nil
  end
end

forbidden_to_put, forbidden_to_give_back = forbidden(putting), forbidden(giving_back)
forbidden_to_hand_off = forbidden(handing_off)

end
