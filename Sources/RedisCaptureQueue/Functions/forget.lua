-- capture_forget_v1: forgets under which id a bundle was accepted, if the queue does not know that capture any more.
--
-- For gateways that found that the record does not know the capture either: the record was restored from a backup older
-- than the capture's settlement. The bundle then counts as new.
--
-- KEYS  1 {P}:ready
-- ARGV  1 bundle digest  2 the capture that it was accepted as
-- Reply 1; or 0, with nothing changed, when the bundle leads to another capture by now or the capture is known.

-- In a block of its own: a library is one chunk, which has room for 200 locals.
do

local function forget(keys, args)
  local q, digest, capture = queue_of(keys[1]), args[1], args[2]
  if not q then return invalid('KEYS[1]', 'not a ready stream') end
  if not digest or #digest ~= 64 then return invalid('ARGV[1]', 'not a digest') end
  if not capture or not is_uuid(capture) then return invalid('ARGV[2]', 'not a capture') end
  if is_known(q, capture) or redis.call('GET', q.accepted(digest)) ~= capture then return 0 end
  return redis.call('DEL', q.accepted(digest))
end

-- allow-oom: it takes no memory.
redis.register_function { function_name = 'capture_forget_v1', callback = forget, flags = { 'allow-oom' } }

end
