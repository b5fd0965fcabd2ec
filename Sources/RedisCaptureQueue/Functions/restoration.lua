-- capture_restoration_v1: whether a partition still has all open captures of the intake ledger; begins and ends
-- restoring.
--
-- KEYS  1 {P}:ready
-- ARGV  1 'look'; 'begin', which starts a restoration unless one is under way; or 'finish', which ends it
--       2 a mark: with 'begin' a new one, unique for ever; with 'finish' that of the restoration
-- Reply {phase, mark}: 'unmarked' (data may have been lost), 'restoring' or 'restored'. A 'finish' whose mark is not in
--       force changes nothing: data were lost again in the meantime, and the restoration must be repeated.
--
-- A mark is kept in two places that must be equal: a key, which is gone after a flush, and a variable of this library,
-- which is gone after a restart or a failover (replicas get the effects of functions and do not run them). After
-- several failovers there may be both, of different restorations: then the marks differ, as none is used twice. Loading
-- the library again clears the variables too: that only costs one check of the ledger.
--
-- The key is `restoring:<mark>:<since>` or `restored:<mark>:<since>`. `since` is when it was made, in milliseconds
-- since 1970: the counts of this partition are no older. It is empty if captures were counted before there was a key,
-- as at another level of `queue.durability`.

local marks = {}

-- The phase of a partition and the mark in force.
local function restoration_of(q)
  local phase, mark = string.match(redis.call('GET', q.restored) or '', '^(%l+):([^:]+)')
  if mark and marks[q.ready] == mark then return phase, mark end
  return 'unmarked', ''
end

local function set_restoration(q, phase, mark)
  local earlier = redis.call('GET', q.restored)
  local since = earlier and string.match(earlier, ':(%d+)$') or ''
  if not earlier and redis.call('EXISTS', q.stats) == 0 then since = text(now_ms()) end
  marks[q.ready] = mark
  redis.call('SET', q.restored, phase .. ':' .. mark .. ':' .. since)
end

local function restoration(keys, args)
  local q, action, given = queue_of(keys[1]), args[1], args[2]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local phase, mark = restoration_of(q)
  if action == 'look' then return { phase, mark } end
  if not given or not is_uuid(given) then return invalid('ARGV[2]', 'not a mark') end
  if action == 'begin' then
    if phase == 'unmarked' then set_restoration(q, 'restoring', given) end
  elseif action == 'finish' then
    if mark == given then set_restoration(q, 'restored', given) end
  else
    return invalid('ARGV[1]', 'not an action')
  end
  phase, mark = restoration_of(q)
  return { phase, mark }
end

-- allow-oom: if nothing is missing, restoration must end even when memory is full.
redis.register_function { function_name = 'capture_restoration_v1', callback = restoration, flags = { 'allow-oom' } }
