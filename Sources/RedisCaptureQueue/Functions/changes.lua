-- Changes of state, which watchers are told of.

-- Notes a change for the watchers: the state that a capture came to, or `discarded`.
-- All three values have a fixed alphabet, so nothing needs escaping.
local function note(q, capture, device, state)
  q.changes[#q.changes + 1] =
    '{"capture":"' .. capture .. '","device":"' .. device .. '","state":"' .. state .. '"}'
end

-- The most changes in one message; the reader of the messages has the same number.
local CHANGES_MAX = 100

-- Publishes the noted changes to the watchers and returns the reply: the last step of a transition. All databases of a
-- server have the same channels, so the channel's name has the installation.
local function tell(q, reply)
  if #q.changes == 0 then return reply end
  local installation = installation_of(q)
  local channel = installation == '' and q.events or q.events .. ':' .. installation
  for at = 1, #q.changes, CHANGES_MAX do
    local last = math.min(at + CHANGES_MAX - 1, #q.changes)
    redis.call('PUBLISH', channel, '[' .. table.concat(q.changes, ',', at, last) .. ']')
  end
  return reply
end
