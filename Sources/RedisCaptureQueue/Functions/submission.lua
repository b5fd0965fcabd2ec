-- Reads what is submitted as a capture: the arguments of capture_enqueue_v1, whose contract has them, by their names.

local function check_uuid(value)
  return is_uuid(value), 'not a UUID of 36 characters in lower case'
end

-- Whether this is a trace and a span of W3C Trace Context, as our gateways read it.
local function is_traceparent(value)
  local trace, span = string.match(value, '^00%-([0-9a-f]+)%-([0-9a-f]+)%-[0-9a-f][0-9a-f]$')
  return trace and #trace == 32 and #span == 16 and string.find(trace, '[^0]') and string.find(span, '[^0]')
end

local function check_digest(value)
  return #value == 64 and string.find(value, '^[0-9a-f]+$'), 'not 64 hexadecimal digits in lower case'
end

-- Also returns the number without leading zeros, which Redis commands do not accept.
local function check_number(least, most)
  return function(value)
    local number = whole(value, most)
    local fits = number and number >= least
    return fits, 'not a whole number from ' .. text(least) .. ' to ' .. text(most), fits and text(number)
  end
end

local function check_length(least, most)
  return function(value)
    return #value >= least and #value <= most, 'not ' .. least .. ' to ' .. most .. ' bytes'
  end
end

local CHECKS = {
  device = check_uuid,
  capture = check_uuid,
  bundle_digest = check_digest,
  photo_sha256 = check_digest,
  depth_sha256 = check_digest,
  -- The client chooses it: were unknown bindings accepted, a client could make dead letters at will.
  binding = function(value)
    return value == 'concat-v1' or value == 'framed-v2', 'not concat-v1 or framed-v2'
  end,
  assertion = check_length(1, PART_BYTES_MAX.assertion),
  metadata = check_length(1, PART_BYTES_MAX.metadata),
  photo_bytes = check_number(1, PART_BYTES_MAX.medium),
  depth_bytes = check_number(1, PART_BYTES_MAX.medium),
  photo = check_length(1, PART_BYTES_MAX.medium),
  depth = check_length(1, PART_BYTES_MAX.medium),
  received_at = check_number(1, 253402300799999),
  -- A client sends it: what is none counts as none, as W3C Trace Context has it. No capture is lost over that.
  traceparent = function(value) return true, nil, is_traceparent(value) and value or '-' end,
  -- Workers look in no other: a capture whose bytes were said to be elsewhere could only become a dead letter.
  bundle_store = function(value)
    return value == 'redis' or value == 'filesystem', 'not redis or filesystem'
  end,
  captures_max = check_number(1, 1000000000),
  bytes_max = check_number(1, 99999999999999),
  accepted_ttl_ms = check_number(1, 31536000000),
  ledger = check_number(1, 1),
  -- Of capture_restore_v1 only.
  redriven = check_number(1, 1),
  beside = check_uuid,
}

local REQUIRED = {
  'device', 'capture', 'bundle_digest', 'binding', 'assertion', 'metadata', 'photo_sha256', 'depth_sha256',
  'photo_bytes', 'depth_bytes',
}

-- Reads the arguments by name. Returns them, or nil and the error, which names an argument only if its value is at
-- fault: callers tell by the name whose fault it is, and no client can leave out an argument or give it twice.
local function read_submission(args)
  if #args % 2 ~= 0 then return nil, invalid('arguments', 'not pairs of name and value') end
  local s = {}
  for index = 1, #args, 2 do
    local name, value = args[index], args[index + 1]
    local check = CHECKS[name]
    -- The caller chooses the name: the error repeats it only if it is harmless.
    if not check then
      return nil, invalid(string.find(name, '^[%w_]+$') and string.sub(name, 1, 32) or '?', 'unknown')
    end
    if s[name] then return nil, invalid('arguments', name .. ' is given twice') end
    local fits, why, plain = check(value)
    if not fits then return nil, invalid(name, why) end
    s[name] = plain or value
  end
  if (s.photo == nil) ~= (s.depth == nil) then
    return nil, invalid('arguments', 'photo and depth come together or not at all')
  end
  s.bundle_store = s.bundle_store or 'redis'
  if s.photo and s.bundle_store ~= 'redis' then return nil, invalid('bundle_store', 'takes no bytes here') end
  for _, name in ipairs({ 'photo', 'depth' }) do
    local size = name .. '_bytes'
    if s[name] then
      if s[size] and tonumber(s[size]) ~= #s[name] then
        return nil, invalid('arguments', size .. ' is not the size of ' .. name)
      end
      s[size] = text(#s[name])
    end
  end
  for _, name in ipairs(REQUIRED) do
    if not s[name] then return nil, invalid('arguments', name .. ' is missing') end
  end
  return s
end
