-- An open card is shown at one more place, or once more at the same.
-- ARGV: offset, token, row, destination, due in ms, how many rows may show the card again
local token, row = ARGV[2], ARGV[3]
if redis.call('HGET', T .. 'card:' .. token, 'status') ~= 'open' then return 0 end
local shown = rows_of(token)
if redis.call('EXISTS', T .. 'row:' .. row) == 1 then
  fold('card', token)
  return 1
end
local oldest, first, count = nil, nil, 0
for _, other in ipairs(shown) do
  local again = redis.call('HGET', T .. 'row:' .. other, 'again')
  if again then
    count = count + 1
    if not first or tonumber(again) < first then oldest, first = other, tonumber(again) end
  end
end
if count >= tonumber(ARGV[6]) then
  redis.call('SREM', T .. 'rows:' .. token, oldest)
  redis.call('DEL', T .. 'row:' .. oldest)
end
redis.call('HSET', T .. 'row:' .. row, 'again', now)
post({row = row, dest = ARGV[4], kind = 'card', ref = token, body = '', due_ms = tonumber(ARGV[5])})
return 1
