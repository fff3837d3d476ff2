-- An open card that no list names, as those of an earlier build, is listed as it was read.
-- ARGV: offset, token, version, conversation, who
local card = redis.call('HMGET', T .. 'card:' .. ARGV[2], 'status', 'version', 'who')
if card[1] ~= 'open' or card[2] ~= ARGV[3] or card[3] then return 0 end
if not redis.call('ZSCORE', T .. 'c:' .. ARGV[4] .. ':cards', ARGV[2]) then return 0 end
list_card(ARGV[2], ARGV[5], ARGV[4])
return 1
