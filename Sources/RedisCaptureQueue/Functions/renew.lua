-- capture_renew_v1: extends leases.
--
-- KEYS  1 {P}:ready
-- ARGV  1 consumer  2… leases
-- Reply the leases that are lost.
--
-- The check comes first: `XCLAIM` by itself would take a token back from the worker that took it over. JUSTID resets
-- the idle time without counting a delivery.

local function renew(keys, args)
  local q, consumer = queue_of(keys[1]), args[1]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  local lost, deliveries = {}, deliveries_among(q, consumer, #args - 1)
  for index = 2, #args do
    local token = token_of(args[index], deliveries)
    if token then
      redis.call('XCLAIM', q.ready, GROUP, consumer, 0, token, 'JUSTID')
    else
      lost[#lost + 1] = args[index]
    end
  end
  return lost
end

redis.register_function { function_name = 'capture_renew_v1', callback = renew, flags = { 'allow-oom' } }
