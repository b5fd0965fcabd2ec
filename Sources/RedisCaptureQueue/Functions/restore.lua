-- capture_restore_v1: puts back open captures of the intake ledger that the queue does not know.
--
-- KEYS  1 {P}:ready  2 {P}:installation:<id>, optional: the caller's
-- ARGV  1 the mark in force (capture_restoration_v1), then for each capture, in the order of acceptance:
--         n, and n arguments as capture_enqueue_v1 takes them, without `photo` and `depth`; and, optional,
--         `redriven`, which is `1`; `beside`, a capture to which its bundle may lead: it is put back all the same
-- Reply for each capture one of 'restored', 'known' (nothing was changed), 'lost' (put back, but its bytes are gone
--       from this server: working it ends in BUNDLE_MISSING) and 'INVALID <argument>: <why>' (nothing was kept; the
--       argument is `lane` when somebody has written over the key of its lane); or, with nothing changed,
--         'queued as <capture> <received_at>'   its bundle has that capture, which waits or is a dead letter
--         'accepted as <capture>'  its bundle leads to that capture, which is not in the queue: the record knows whether
--                                  it has a result
--         'behind'                 a capture before it was answered 'accepted as': it would get ahead of that one
--       error RESTORING when the mark is not in force: data were lost in the meantime, nothing was done
--       error DAMAGED <key> <why> when somebody has written over a key that all lanes share: nothing was done
--       error OTHER_INSTALLATION <why> when the queue is not the caller's: nothing was done
--
-- Limits do not apply: these captures were accepted within them. One call restores many. Redis has no rollback, so what
-- would stop it half-way is looked at before the first capture is kept: a capture never gets ahead of one of the same
-- device that was accepted earlier.

-- The most arguments of one capture.
local RESTORED_ARGUMENTS_MAX = 64

-- Reads the next capture's arguments. Returns them (or nil and the error) and where the following ones start.
local function read_restored(args, at)
  local size = tonumber(args[at])
  if not size or size < 0 or size > RESTORED_ARGUMENTS_MAX or at + size > #args then return nil, nil, nil end
  local s, fault = read_submission({ unpack(args, at + 1, at + size) })
  return s, fault, at + size + 1
end

-- Whether a job is of what was submitted here, as our gateways compare it: all but the trace. A row of other content
-- would refuse the result; a binding is in no digest, and whoever hands off may declare another bundle's.
local function is_same(job, s)
  local traceless = '^(%S+ %S+ %S+ %S+) %S+ (.*)$'
  local words, rest = string.match(job.submission or '', traceless)
  local own_words, own_rest = string.match(submission_of(s), traceless)
  return is_of_call(job, s) and words == own_words and rest == own_rest
end

-- What is told of a lost capture whose bundle leads to another one; nil if it is put back all the same.
--
-- In a partition that is restored, nothing of the ledger was lost. The queue never had the capture then, and nobody was
-- told its id. In one that is being restored, it may have been accepted first, and the other one after the loss.
local function other_of(q, s, phase)
  local first = redis.pcall('GET', q.accepted(s.bundle_digest))
  if type(first) ~= 'string' or first == s.capture or first == s.beside or not is_uuid(first) then return nil end
  local job = read_brought(q, first)
  if not job.bundle then return phase == 'restored' and 'accepted as ' .. first or nil end
  if not is_same(job, s) or job.state == 'failed' and not is_in_store(job, s) then return nil end
  if phase ~= 'restored' and is_of_loss(q, first) then return nil end
  local received_at = whole(job_fields(q, first, 'received_at')[1]) or now_ms()
  return 'queued as ' .. first .. ' ' .. text(received_at)
end

local function restore_one(q, s, phase)
  if is_known(q, s.capture) then return 'known' end
  if not is_of_type(q.lane(s.device), 'list') then return 'INVALID lane: ' .. q.lane(s.device) .. ' is no list' end
  local other = other_of(q, s, phase)
  if other then return other end
  local is_lost = s.bundle_store == 'redis' and check_stored(q, s) ~= nil
  if not is_lost then keep_bytes(q, s) end
  local now = now_ms()
  keep_job_of_row(q, s, now)
  add_to_lane(q, s, now)
  count(q, 'restored', 1)
  return is_lost and 'lost' or 'restored'
end

local function restore(keys, args)
  local q = queue_of(keys[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local other = refuse_other(q, keys, 2)
  if other then return other end
  local phase, mark = ask_restoration(q)
  if mark == '' or mark ~= args[1] then return redis.error_reply('RESTORING under another mark') end
  -- All are read before the first is kept: a malformed call changes nothing.
  local captures, at = {}, 2
  while at <= #args do
    local s, fault
    s, fault, at = read_restored(args, at)
    if not at then return invalid('ARGV', 'not captures') end
    if s and s.photo then fault = invalid('photo', 'not taken here') end
    captures[#captures + 1] = { submission = s, fault = fault }
  end
  local key = damaged_key(q)
  if key then return damaged(key) end
  if not is_of_type(q.limits, 'hash') then return damaged(q.limits) end
  local fault = forbidden_to_put(q)
  if fault then return fault end
  local outcomes, accepted, is_behind = {}, 0, false
  for index, capture in ipairs(captures) do
    local outcome = is_behind and 'behind' or capture.fault and capture.fault.err
      or restore_one(q, capture.submission, phase)
    is_behind = is_behind or string.find(outcome, '^accepted as ') ~= nil
    if outcome == 'restored' or outcome == 'lost' then accepted = accepted + 1 end
    outcomes[index] = outcome
  end
  -- Their first acceptance was lost with the other counts, and their results are counted here.
  if accepted > 0 then tally(q, now_ms(), { accepted = accepted }) end
  return tell(q, outcomes)
end

redis.register_function('capture_restore_v1', restore)
