-- capture_session_v1: begins a login.
--
-- KEYS  1 session:<digest>
-- ARGV  1 the login, with the proof that a token began it  2 lifetime in milliseconds
-- Reply 1

local function begin_session(keys, args)
  local lifetime = tonumber(args[2])
  if #keys ~= 1 or not lifetime or lifetime < 1 then return invalid('ARGV', 'value and lifetime') end
  redis.call('SET', keys[1], args[1], 'PX', text(lifetime))
  return 1
end

-- allow-oom: operators must log in to discard the dead letters that fill the server. Logins are limited, and expire.
redis.register_function { function_name = 'capture_session_v1', callback = begin_session, flags = { 'allow-oom' } }
