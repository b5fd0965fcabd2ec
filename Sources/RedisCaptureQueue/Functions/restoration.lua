-- capture_restoration_v1: whether a partition still has all open captures of the intake ledger; begins and ends
-- restoring.
--
-- KEYS  1 {P}:ready  2 {P}:installation:<id>, optional: the caller's
-- ARGV  1 'look'; 'begin', which starts a restoration unless one is under way; or 'finish', which ends it
--       2 a mark: with 'begin' a new one, unique for ever; with 'finish' that of the restoration; with 'look' empty
--       3 optional: the mark's lifetime in milliseconds
-- Reply {phase, mark}: 'unmarked' (data may have been lost), 'restoring' or 'restored'. A 'finish' whose mark is not in
--       force changes nothing: data were lost again in the meantime, and the restoration must be repeated.
--       error OTHER_INSTALLATION <why>   the queue is not the caller's: nothing was done
--
-- A mark is kept in two places that must be equal: a key, which is gone after a flush, and a variable of this library,
-- which is gone after a restart or a failover (replicas get the effects of functions and do not run them). After
-- several failovers there may be both, of different restorations: then the marks differ, as none is used twice. Loading
-- the library again clears the variables too: that only costs one check of the ledger.
--
-- The mark of a restored partition also ends when no gateway with a ledger has asked for it, or enqueued, for its
-- lifetime. They may have had another server meanwhile, after a failover that this one was not told of and has both
-- halves after: what they have enqueued there is missing here. A partition that is being restored takes nothing from
-- them.
--
-- All databases of a server share the variable, and their keys have the same names. So there is a mark for each
-- installation, and the key says which one is its own.
--
-- The key is `<phase>:<mark>:<since>:<installation>`; the phase is `restoring` or `restored`. `since` is when it was
-- made, in milliseconds since 1970: the counts of this partition are no older. It is empty if captures were counted
-- before there was a key, as at another level of `queue.durability`. `installation` is empty if none was known then.

-- By `ready` stream, then by installation: the mark, its lifetime, and when it was last asked for.
local marks = {}

-- The lifetime of a mark of which no gateway has told one. They ask every second.
local MARK_LIFETIME_MS = 10000

-- The phase of a partition, the mark in force, and what is kept of it.
local function restoration_of(q)
  local value = redis.call('GET', q.restored) or ''
  local phase, mark, installation = string.match(value, '^(%l+):([^:]+):?%d*:?(.*)$')
  local kept = mark and marks[q.ready] and marks[q.ready][installation]
  if not kept or kept.mark ~= mark then return 'unmarked', '' end
  -- A clock that was set back tells as little as one that has gone on.
  if phase == 'restored' and math.abs(now_ms() - kept.asked_at) > kept.lifetime then
    marks[q.ready][installation] = nil
    return 'unmarked', ''
  end
  return phase, mark, kept
end

-- The same for a gateway with a ledger: from here on the mark has its lifetime again, or another one.
local function ask_restoration(q, lifetime)
  local phase, mark, kept = restoration_of(q)
  if phase == 'restored' then kept.asked_at, kept.lifetime = now_ms(), lifetime or kept.lifetime end
  return phase, mark
end

local function set_restoration(q, phase, mark, lifetime)
  local earlier = redis.call('GET', q.restored)
  local since = earlier and string.match(earlier, '^%l+:[^:]+:(%d+)') or ''
  if not earlier and redis.call('EXISTS', q.stats) == 0 then since = text(now_ms()) end
  local installation = installation_of(q)
  -- An older key of this database must not find its mark again. While no installation is known, as after a flush, any
  -- mark may be this database's from before its loss; otherwise its own, and one that was made without an installation.
  -- To lose its mark costs another installation one check of its ledger.
  if installation == '' or not marks[q.ready] then marks[q.ready] = {} end
  marks[q.ready][''] = nil
  marks[q.ready][installation] = { mark = mark, lifetime = lifetime or MARK_LIFETIME_MS, asked_at = now_ms() }
  redis.call('SET', q.restored, phase .. ':' .. mark .. ':' .. since .. ':' .. installation)
end

local function restoration(keys, args)
  local q, action, given, lifetime = queue_of(keys[1]), args[1], args[2], whole(args[3])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local other = refuse_other(q, keys, 2)
  if other then return other end
  local phase, mark = ask_restoration(q, lifetime)
  if action == 'look' then return { phase, mark } end
  if not given or not is_uuid(given) then return invalid('ARGV[2]', 'not a mark') end
  if action == 'begin' then
    if phase == 'unmarked' then set_restoration(q, 'restoring', given, lifetime) end
  elseif action == 'finish' then
    if mark == given then set_restoration(q, 'restored', given, lifetime) end
  else
    return invalid('ARGV[1]', 'not an action')
  end
  phase, mark = restoration_of(q)
  return { phase, mark }
end

-- allow-oom: if nothing is missing, restoration must end even when memory is full.
redis.register_function { function_name = 'capture_restoration_v1', callback = restoration, flags = { 'allow-oom' } }
