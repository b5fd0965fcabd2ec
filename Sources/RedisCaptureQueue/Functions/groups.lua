-- Lanes that become ready again: after a delay, and when the stream is gone.

-- Makes lanes ready whose delay is over. Returns how many delays were over.
local function promote_due(q, lanes_max)
  local due = redis.call('ZRANGEBYSCORE', q.delayed, '-inf', text(now_ms()), 'LIMIT', 0, lanes_max)
  for _, device in ipairs(due) do
    redis.call('ZREM', q.delayed, device)
    -- A lane may have been deleted by hand: left in `heads`, it would count as the oldest.
    if redis.call('EXISTS', q.lane(device)) == 1 then add_token(q, device) else forget_lane(q, device) end
  end
  return #due
end

-- The most lanes made ready in the call that makes a lost stream again; the others stay in `delayed`, due at once.
local LOST_TOKENS_MAX = 1000

-- Makes both groups, and leaves one that exists as it is. That of the tokens begins at 0 and never at `$`: tokens that
-- are there already are work. Returns an error, with nothing done, if the stream is gone and a key is damaged that its
-- tokens come back from or go to.
local function create_groups(q)
  local is_gone = redis.call('EXISTS', q.ready) == 0
  if is_gone then
    local damage = damage_of(q)
    if damage then return damage end
    -- Before the stream exists again: afterwards the loss of its tokens would not be noticed.
    put_off_all(q)
  end
  redis.pcall('XGROUP', 'CREATE', q.ready, GROUP, '0', 'MKSTREAM')
  -- At `$`: a worker claims before it waits, and so needs not be told of earlier tokens.
  redis.pcall('XGROUP', 'CREATE', q.ready, WAITING_GROUP, '$')
  if is_gone then promote_due(q, LOST_TOKENS_MAX) end
  return nil
end
