-- ARGV: offset, run. Answers its body, how it ended and when, the message in which it answers, the
-- newest entries of its log, and its cards; nothing where it is not kept.
local key = T .. 'run:' .. ARGV[2]
local run = redis.call('HMGET', key, 'body', 'ended', 'reply')
if not run[1] then return {} end
local cards = {}
for _, token in ipairs(cards_of(ARGV[2])) do
  table.insert(cards, redis.call('HMGET', T .. 'card:' .. token, 'body', 'status', 'version'))
end
local message = message_of(run[3] or '')
local at = redis.call('ZSCORE', T .. 'ended', ARGV[2]) or '0'
return {run[1], run[2] or '', at, message, redis.call('LRANGE', T .. 'log:' .. ARGV[2], -2, -1), cards}
