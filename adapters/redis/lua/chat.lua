-- KEYS: what a conversation showed, in order (stream); its messages by number; each as it is now.
-- ARGV: an entry to add ('' for none), how many entries and messages are kept, for how many seconds;
--       the number before which messages are wanted, how many of them
-- Folds entries that were not folded yet, also those of a build that did not: a message keeps the
-- number it came with, and is kept as its last entry has it. Answers how far it folded, and from the
-- newest wanted message on, number and entry in turn.
local stream, order, now = KEYS[1], KEYS[2], KEYS[3]
if ARGV[1] ~= '' then
  redis.call('XADD', stream, 'MAXLEN', '~', ARGV[2], '*', 'b', ARGV[1])
end
local at = redis.call('HGET', now, '@at') or '0'
local new = redis.call('XRANGE', stream, '(' .. at, '+')
for _, entry in ipairs(new) do
  local text = entry[2][2]
  local body = cjson.decode(text)
  local id = nil
  if body.op == 'said' then id = 'said:' .. body.person .. ':' .. body.id end
  if body.op == 'post' or body.op == 'edit' then id = body.id end
  if id then
    if redis.call('HSET', now, id, text) == 1 then
      redis.call('ZADD', order, redis.call('HINCRBY', now, '@newest', 1), id)
    end
  end
  at = entry[1]
end
if #new > 0 then redis.call('HSET', now, '@at', at) end
local over = redis.call('ZCARD', order) - ARGV[3]
local gone = over > 0 and redis.call('ZPOPMIN', order, over) or {}
for i = 1, #gone, 2 do redis.call('HDEL', now, gone[i]) end
if ARGV[1] ~= '' then
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[4]) end
end
local answer = {at}
if ARGV[6] == '0' then return answer end
local found = redis.call('ZREVRANGEBYSCORE', order, '(' .. ARGV[5], '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[6])
for i = 1, #found, 2 do
  table.insert(answer, found[i + 1])
  table.insert(answer, redis.call('HGET', now, found[i]))
end
return answer
