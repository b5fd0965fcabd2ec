-- The doctor's functions for the sorted set `heads`: each call examines or mends a handful of lanes in it.
--
-- capture_examine_heads_v1: which lanes are wrong in `heads`. A lane should be there with the time since which its
-- first capture waits, and an empty one not at all. A lane whose first capture has no job, or whose key is no list, is
-- not checked.
-- capture_mend_heads_v1: the same, and corrects them.
--
-- KEYS  1 {P}:ready
-- ARGV  1… devices
-- Reply those devices.

-- In a block of their own: a library is one chunk, which has room for 200 locals.
do

local function is_head_noted(q, device)
  if not is_of_type(q.lane(device), 'list') then return true end
  local since, has_job = head_since(q, device, 0)
  local noted = redis.call('ZSCORE', q.heads, device)
  if not since then return not noted end
  return not has_job or tonumber(noted or -1) == tonumber(since)
end

local function look_at_heads(mends)
  return function(keys, args)
    local q, wrong, now = queue_of(keys[1]), {}, now_ms()
    if not q then return invalid('KEYS[1]', 'not a ready stream') end
    local damage = mends and damage_of(q)
    if damage then return damage end
    for _, device in ipairs(args) do
      if not is_uuid(device) then return invalid('ARGV', 'not devices') end
      if not is_head_noted(q, device) then wrong[#wrong + 1] = device end
    end
    if mends then
      for _, device in ipairs(wrong) do note_head(q, device, now) end
    end
    return wrong
  end
end

redis.register_function {
  function_name = 'capture_examine_heads_v1', callback = look_at_heads(false), flags = { 'no-writes' } }
redis.register_function {
  function_name = 'capture_mend_heads_v1', callback = look_at_heads(true), flags = { 'allow-oom' } }

end
