-- capture_admit_v1, capture_admit_login_v1: counts a request of a client; at most `limit` are admitted in any window.
--
-- KEYS  1 rate:<client>, a list of the times of the admitted ones
-- ARGV  1 limit (1 to 1000)  2 window in milliseconds
-- Reply 0 when admitted, or else the milliseconds until one will be.

local function admit(keys, args)
  local limit, window = whole(args[1]), whole(args[2])
  if not limit or not window or limit < 1 or limit > 1000 or window < 1 then
    return invalid('ARGV', 'limit and window')
  end
  local now = now_ms()
  local admitted = redis.call('LLEN', keys[1])
  if admitted >= limit then
    local oldest = tonumber(redis.call('LINDEX', keys[1], admitted - limit))
    if oldest > now then
      -- The clock was set back: these times say nothing, and would keep the client out for the length of the step.
      redis.call('DEL', keys[1])
    else
      local wait = oldest + window - now
      if wait > 0 then return wait end
      redis.call('LTRIM', keys[1], admitted - limit + 1, -1)
    end
  end
  redis.call('RPUSH', keys[1], text(now))
  redis.call('PEXPIRE', keys[1], window)
  return 0
end

redis.register_function('capture_admit_v1', admit)
-- For logins with allow-oom: operators must log in to discard the dead letters that fill the server. Other requests
-- have no allow-oom: with ever new client addresses they could fill it further.
redis.register_function { function_name = 'capture_admit_login_v1', callback = admit, flags = { 'allow-oom' } }
