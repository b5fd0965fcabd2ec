-- Entries of a lane that are no capture id, as somebody adds them by hand.

-- How many entries that are no capture id one claim takes out of a lane, and how much of each is told.
local FOREIGN_MAX, FOREIGN_LENGTH_MAX = 100, 64

-- Reads a lane from its head and removes entries that are no capture id, as no worker could settle them. It removes
-- FOREIGN_MAX at most: somebody may have added any number, and Redis ends no function that has written. Returns the
-- captures, the removed entries, and whether there is another one, in which case there are no captures.
local function read_head(q, device, captures_max, now)
  local captures, foreign = redis.call('LRANGE', q.lane(device), 0, captures_max - 1), {}
  if #captures == 0 or is_uuid(captures[1]) then return captures, foreign, false end
  local head = captures[1]
  while head and not is_uuid(head) and #foreign < FOREIGN_MAX do
    redis.call('LPOP', q.lane(device))
    foreign[#foreign + 1] = { false, string.sub(head, 1, FOREIGN_LENGTH_MAX) }
    head = redis.call('LINDEX', q.lane(device), 0)
  end
  note_head(q, device, now)
  if head and not is_uuid(head) then return {}, foreign, true end
  return redis.call('LRANGE', q.lane(device), 0, captures_max - 1), foreign, false
end
