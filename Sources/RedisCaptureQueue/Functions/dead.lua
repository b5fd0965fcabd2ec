-- capture_dead_v2: dead letters, oldest first, from a place in their order.
--
-- KEYS  1 {P}:ready
-- ARGV  1 how many at most (1 to 1000)  2 time and 3 capture of the place after which they begin, in the order by time
--       and then by id; both empty: from the first one
-- Reply {letter…} with letter = {capture, time as a whole number, whether both photo and depth map are here,
--       DEAD_FIELDS…, photo's bytes, depth map's bytes, bundle store}
--       error DAMAGED <key> <why>   somebody has written over the list of dead letters
--
-- capture_dead_letter_v2: one dead letter.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply a letter, or nil when there is no dead letter of this id
--       error DAMAGED <key> <why>   somebody has written over the list, or over its job

-- The reader of the reply relies on this order.
local DEAD_FIELDS = {
  'device', 'state', 'attempts', 'reason', 'fault', 'received_at', 'claimed_at', 'settled_at', 'next_attempt_at',
  'queue_us', 'verify_us', 'settle_us', 'redriven', 'deliveries',
}

local DEAD_PAGE_MAX = 1000

local function letter_of(q, capture, score)
  local kept = redis.call('EXISTS', q.photo(capture), q.depth(capture)) == 2
  local letter = { capture, text(died_at(score)), kept and 1 or 0 }
  local row = job_fields(q, capture, unpack(DEAD_FIELDS))
  for index = 1, #DEAD_FIELDS do letter[#letter + 1] = row[index] or false end
  local _, photo, depth, _, store = bundle_of(q, capture)
  letter[#letter + 1] = photo or false
  letter[#letter + 1] = depth or false
  letter[#letter + 1] = store or false
  return letter
end

-- The rank of the first dead letter after a place. The letter at the place may be gone, so letters of the same time are
-- compared by id.
local function rank_after(q, time, capture)
  local from = time > 0 and text(time) or '-inf'
  local to = time < DIED_AT_MAX and '(' .. text(time + 1) or '+inf'
  local earlier, passed = redis.call('ZCOUNT', q.dead, '-inf', '(' .. from), 0
  while true do
    local same = redis.call('ZRANGEBYSCORE', q.dead, from, to, 'LIMIT', passed, DEAD_PAGE_MAX)
    for index, other in ipairs(same) do
      if other > capture then return earlier + passed + index - 1 end
    end
    passed = passed + #same
    if #same < DEAD_PAGE_MAX then return earlier + passed end
  end
end

local function dead(keys, args)
  local q, limit = queue_of(keys[1]), tonumber(args[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not limit or limit < 1 or limit > DEAD_PAGE_MAX then return invalid('ARGV[1]', 'not 1 to 1000') end
  if not is_of_type(q.dead, 'zset') then return damaged(q.dead) end
  local rank = 0
  if args[2] ~= '' then
    if not tonumber(args[2]) then return invalid('ARGV[2]', 'not a time') end
    rank = rank_after(q, died_at(args[2]), args[3])
  end
  local letters = {}
  local found = redis.call('ZRANGE', q.dead, rank, rank + limit - 1, 'WITHSCORES')
  for index = 1, #found, 2 do letters[#letters + 1] = letter_of(q, found[index], found[index + 1]) end
  return letters
end

local function dead_letter(keys, args)
  local q, capture = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not is_of_type(q.dead, 'zset') then return damaged(q.dead) end
  local score = redis.call('ZSCORE', q.dead, capture)
  if not score then return false end
  if not is_of_type(q.job(capture), 'hash') then return damaged(q.job(capture)) end
  return letter_of(q, capture, score)
end

redis.register_function { function_name = 'capture_dead_v2', callback = dead, flags = { 'no-writes' } }
redis.register_function { function_name = 'capture_dead_letter_v2', callback = dead_letter, flags = { 'no-writes' } }
