-- ARGV: offset, conversation of the web chat
-- Deletes what it showed and what is kept of it, and tells whoever looks at it now. Answers 0, and
-- deletes nothing, while something is unfinished there: an open card, an active run, mail that is not
-- handled yet, or a message that is still to be shown.
local c, chat = T .. 'c:' .. ARGV[2], T .. 'chat:' .. ARGV[2]
local unfinished = {
  c .. ':cards', c .. ':runs', T .. 'd:' .. ARGV[2],
  T .. 'l:talk:' .. ARGV[2] .. ':in', T .. 'l:control:' .. ARGV[2] .. ':in',
}
if redis.call('EXISTS', unpack(unfinished)) > 0 then return 0 end
-- Answers are kept beside the messages that show them, under the same ids.
for _, id in ipairs(redis.call('ZRANGE', chat .. ':order', 0, -1)) do
  redis.call('UNLINK', T .. 'reply:' .. id, T .. 'row:' .. id, T .. 'rows:' .. id)
end
redis.call('UNLINK', chat, chat .. ':order', chat .. ':now', c .. ':st')
redis.call('XADD', chat .. ':draft', 'MAXLEN', 1, '*', 'b', '{"op":"deleted"}')
redis.call('EXPIRE', chat .. ':draft', 60)
return 1
