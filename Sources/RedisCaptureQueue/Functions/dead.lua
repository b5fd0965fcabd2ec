-- capture_dead_v1: dead letters, oldest first, from a place in their order.
--
-- KEYS  1 {P}:ready
-- ARGV  1 how many at most (1 to 1000)  2 time and 3 member of the place after which they begin, in the order by time
--       and then by member, which is the capture's id; both empty: from the first one
-- Reply {letter…} with letter = {capture, time as a whole number, whether both photo and depth map are here,
--       DEAD_FIELDS…, photo's bytes, depth map's bytes, bundle store}
--       Members that are no ids, as somebody has written them by hand, are passed over. After LOOKED_MAX of the list a
--       call ends before it has found as many letters as it was asked for. Its last row is {member, time} then: the
--       place after which the next call goes on.
--       error DAMAGED <key> <why>   somebody has written over the list of dead letters
--
-- capture_dead_letter_v1: one dead letter.
--
-- KEYS  1 {P}:ready
-- ARGV  1 capture
-- Reply a letter, or nil when there is no dead letter of this id
--       error DAMAGED <key> <why>   somebody has written over the list, or over its job

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

-- The reader of the reply relies on this order.
local DEAD_FIELDS = {
  'device', 'state', 'attempts', 'reason', 'fault', 'received_at', 'claimed_at', 'settled_at', 'next_attempt_at',
  'redriven', 'deliveries',
}

local DEAD_PAGE_MAX = 1000

-- How many members one call looks at, about: Redis answers nobody else meanwhile.
local LOOKED_MAX = 10 * DEAD_PAGE_MAX

-- How much of a field is told: one byte more than is shown, by which the reader knows that there was more.
local TOLD_BYTES_MAX = 4097

local function told(value) return value and string.sub(value, 1, TOLD_BYTES_MAX) or false end

local function letter_of(q, capture, score)
  local kept = redis.call('EXISTS', q.photo(capture), q.depth(capture)) == 2
  local letter = { capture, text(died_at(score)), kept and 1 or 0 }
  local row = job_fields(q, capture, unpack(DEAD_FIELDS))
  for index = 1, #DEAD_FIELDS do letter[#letter + 1] = told(row[index]) end
  local _, photo, depth, _, store = bundle_of(q, capture)
  letter[#letter + 1] = photo or false
  letter[#letter + 1] = depth or false
  letter[#letter + 1] = told(store)
  return letter
end

-- The rank of the first member after a place. If the one at the place is gone, members of the same time are compared,
-- by halves: somebody may have written any number of the same time.
local function rank_after(q, time, member)
  local score = redis.call('ZSCORE', q.dead, member)
  if score and died_at(score) == time then return redis.call('ZRANK', q.dead, member) + 1 end
  local from = time > 0 and text(time) or '-inf'
  local to = time < DIED_AT_MAX and '(' .. text(time + 1) or '+inf'
  local low = time > 0 and redis.call('ZCOUNT', q.dead, '-inf', '(' .. from) or 0
  local high = low + redis.call('ZCOUNT', q.dead, from, to)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if redis.call('ZRANGE', q.dead, middle, middle)[1] > member then high = middle else low = middle + 1 end
  end
  return low
end

-- Up to `limit` letters from a rank on.
local function letters_from(q, rank, limit)
  local letters, looked, size = {}, 0, limit
  while true do
    local found = redis.call('ZRANGE', q.dead, rank + looked, rank + looked + size - 1, 'WITHSCORES')
    for index = 1, #found, 2 do
      if is_uuid(found[index]) then
        letters[#letters + 1] = letter_of(q, found[index], found[index + 1])
        if #letters == limit then return letters end
      end
    end
    if #found < 2 * size then return letters end
    looked = looked + size
    if looked >= LOOKED_MAX then
      letters[#letters + 1] = { found[#found - 1], text(died_at(found[#found])) }
      return letters
    end
    size = DEAD_PAGE_MAX
  end
end

local function dead(keys, args)
  local q, limit = queue_of(keys[1]), tonumber(args[1])
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not limit or limit < 1 or limit > DEAD_PAGE_MAX then return invalid('ARGV[1]', 'not 1 to 1000') end
  if not is_of_type(q.dead, 'zset') then return damaged(q.dead) end
  if args[2] == '' then return letters_from(q, 0, limit) end
  if not tonumber(args[2]) then return invalid('ARGV[2]', 'not a time') end
  return letters_from(q, rank_after(q, died_at(args[2]), args[3]), limit)
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

redis.register_function { function_name = 'capture_dead_v1', callback = dead, flags = { 'no-writes' } }
redis.register_function { function_name = 'capture_dead_letter_v1', callback = dead_letter, flags = { 'no-writes' } }

end
