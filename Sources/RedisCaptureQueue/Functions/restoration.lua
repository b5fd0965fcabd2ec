-- capture_restoration_v1: whether a partition still has everything that the intake ledger has open, and who restores it.
--
-- KEYS  1 {P}:ready
-- ARGV  1 'look'; 'begin', which starts a restoration unless one is under way; or 'finish', which ends it
--       2 a mark: with 'begin' a new one, unique for ever; with 'finish' that of the restoration
-- Reply {phase, mark}: 'unmarked' (data may have been lost), 'restoring' or 'restored'. A 'finish' whose mark is not the
--       one in force changes nothing: data were lost again in the meantime, and all of it has to be done anew.
--
-- A mark has two halves that must be equal: a key, which is gone after a flush, and a variable of this library, which is
-- gone when the server was restarted or another one took over (replicas get the effects of functions and do not run
-- them). Two different marks after several failovers are told apart by their text. Loading the library again forgets the
-- variables too: that costs one look at the ledger and nothing else.

local marks = {}

-- The phase of a partition and the mark in force.
local function restoration_of(q)
  local phase, mark = string.match(redis.call('GET', q.restored) or '', '^(%l+):(.+)$')
  if mark and marks[q.ready] == mark then return phase, mark end
  return 'unmarked', ''
end

local function set_restoration(q, phase, mark)
  marks[q.ready] = mark
  redis.call('SET', q.restored, phase .. ':' .. mark)
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

-- allow-oom: a full memory must not keep the queue from being restored where nothing is missing.
redis.register_function { function_name = 'capture_restoration_v1', callback = restoration, flags = { 'allow-oom' } }
