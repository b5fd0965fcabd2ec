-- The doctor's functions for bundles.
--
-- capture_examine_bundle_v1: checks whether a known bundle leads to a known capture.
-- capture_mend_bundle_v1: the same, and if not forgets the bundle, at once or later.
--
-- KEYS  1 {P}:ready
-- ARGV  1 bundle digest  to mend: 2 milliseconds after which it is forgotten (0: at once)
-- Reply nothing, or the unknown capture that it leads to

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

local function known_bundle_of(keys, args)
  local q = queue_of(keys[1])
  if not q then return nil, invalid('KEYS[1]', 'not a ready stream') end
  local key = q.accepted(args[1])
  local capture = read('GET', key)
  -- A key with an expiry belongs to a settled capture, which may be forgotten sooner than its bundle.
  if not capture or is_known(q, capture) or not has_no_end(key) then return nil, false end
  return key, capture
end

local function examine_bundle(keys, args)
  local _, capture = known_bundle_of(keys, args)
  return capture
end

local function mend_bundle(keys, args)
  local key, capture = known_bundle_of(keys, args)
  if not key then return capture end
  if args[2] == '0' then redis.call('DEL', key) else redis.call('PEXPIRE', key, args[2]) end
  return capture
end

redis.register_function {
  function_name = 'capture_examine_bundle_v1', callback = examine_bundle, flags = { 'no-writes' } }
redis.register_function { function_name = 'capture_mend_bundle_v1', callback = mend_bundle, flags = { 'allow-oom' } }

end
