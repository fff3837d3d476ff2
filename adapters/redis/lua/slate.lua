-- KEYS: the text's key. ARGV: the text that has to stand there ('' for none), the new text
-- ('' takes it away), ms for which it is kept
-- Answers 1 when it was written.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1
