CREATE TABLE units (id TEXT PRIMARY KEY, name TEXT, alias TEXT, person TEXT);
WITH RECURSIVE b(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM b WHERE n < 12),
  f(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM f WHERE n < 25),
  r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4)
INSERT INTO units (id, name, alias)
  SELECT b.n || '-' || printf('%02d%02d', f.n, r.n), b.n || '栋' || printf('%02d%02d', f.n, r.n), b.n || '号楼' || printf('%02d%02d', f.n, r.n) FROM b, f, r;
UPDATE units SET person = 'chenmo' WHERE id = '3-1202';
UPDATE units SET person = 'surui' WHERE id = '5-0301';
UPDATE units SET person = 'luodayong' WHERE id = '1-0804';
UPDATE units SET person = 'xuguifang' WHERE id = '7-1501';
UPDATE units SET person = 'zhouhan' WHERE id = '3-0602';
CREATE TABLE fees (unit TEXT PRIMARY KEY, owed REAL, since TEXT);
INSERT INTO fees VALUES ('3-1202', 1260, '2026-07-01'), ('5-0301', 0, NULL), ('1-0804', 0, NULL), ('7-1501', 0, NULL), ('3-0602', 420, '2026-10-01');
CREATE TABLE parking (spot TEXT PRIMARY KEY, unit TEXT, plate TEXT);
INSERT INTO parking VALUES ('B1-017', '3-1202', '浙A6R218'), ('B1-052', '5-0301', '浙AD71930'), ('B2-008', '7-1501', '浙A33K07');
CREATE TABLE staff (person TEXT PRIMARY KEY, name TEXT);
INSERT INTO staff VALUES ('helan','贺岚'),('fengzhi','冯志'),('tanxue','谭雪'),('xiaobi','小毕'),('laoge','老葛');
CREATE TABLE repairs (number TEXT PRIMARY KEY, fault TEXT, kind TEXT, unit TEXT, place TEXT, urgent INTEGER, visit_on TEXT, state TEXT, worker TEXT, reported_by TEXT, reported_on TEXT, key TEXT UNIQUE);
INSERT INTO repairs VALUES ('WX-0414','门禁刷卡没反应','door',NULL,'2栋大堂',0,NULL,'已完工','吕师傅','xiaobi','2026-11-20',NULL),
 ('WX-0415','卫生间地漏反水','water','3-1202','卫生间',1,'2026-11-28','维修中','吕师傅','chenmo','2026-11-26',NULL);
CREATE TABLE permits (number TEXT PRIMARY KEY, unit TEXT, work TEXT, start_on TEXT, end_on TEXT, contractor TEXT, approved_by TEXT, key TEXT UNIQUE);
INSERT INTO permits VALUES ('ZX-030','1-0804','厨卫翻新','2026-08-01','2026-10-15','宏达装饰','helan',NULL), ('ZX-031','9-0303','全屋装修','2026-11-01','2027-01-20','安居装饰','helan',NULL);
CREATE TABLE deposits (unit TEXT, amount REAL, paid_on TEXT, refunded_on TEXT, refunded_by TEXT, key TEXT UNIQUE);
INSERT INTO deposits VALUES ('1-0804',2000,'2026-07-28',NULL,NULL,NULL), ('9-0303',5000,'2026-10-29',NULL,NULL,NULL);
CREATE TABLE meters (unit TEXT, meter TEXT, reading INTEGER, read_on TEXT, corrected_by TEXT, key TEXT UNIQUE, PRIMARY KEY (unit, meter));
INSERT INTO meters (unit, meter, reading, read_on) VALUES ('3-1202','water',338,'2026-11-25'),('3-1202','power',7710,'2026-11-25'),
 ('3-0602','water',201,'2026-11-25'),('3-0602','power',5421,'2026-11-25'),('5-0301','water',512,'2026-11-25'),('5-0301','power',9034,'2026-11-25');
CREATE TABLE items (id TEXT PRIMARY KEY, name TEXT, alias TEXT);
INSERT INTO items VALUES ('WP-01','平板手推车','手推车'),('WP-05','折叠小拖车','小拖车'),('WP-07','人字梯','梯子'),('WP-11','冲击钻','电钻');
CREATE TABLE loans (item TEXT, unit TEXT, borrower TEXT, lent_on TEXT, due_on TEXT, returned_on TEXT, lent_by TEXT, key TEXT UNIQUE);
CREATE UNIQUE INDEX one_each ON loans (item) WHERE returned_on IS NULL;
INSERT INTO loans VALUES ('WP-11','7-1501','xuguifang','2026-11-28','2026-12-02',NULL,'xiaobi',NULL);
CREATE TABLE visitors (unit TEXT, plate TEXT, visit_on TEXT, leave_at TEXT, registered_by TEXT, key TEXT UNIQUE);
INSERT INTO visitors VALUES ('5-0301','浙B22P65','2026-12-01',NULL,'surui',NULL);
CREATE TABLE complaints (number TEXT PRIMARY KEY, kind TEXT, details TEXT, unit TEXT, place TEXT, happened_on TEXT, state TEXT, handler TEXT, raised_by TEXT, raised_on TEXT, key TEXT UNIQUE);
INSERT INTO complaints VALUES ('TS-018','noise','周末早上七点装修','9-0303',NULL,'2026-11-21','已劝阻','小毕','surui','2026-11-21',NULL);
CREATE TABLE notices (kind TEXT, happens_on TEXT, from_time TEXT, to_time TEXT, buildings TEXT, details TEXT, posted_by TEXT, approved_by TEXT, key TEXT UNIQUE);
CREATE TABLE roster (day TEXT, shift TEXT, name TEXT);
INSERT INTO roster VALUES ('2026-11-30','白班','小毕'),('2026-11-30','夜班','老葛'),('2026-12-01','白班','小毕'),('2026-12-01','夜班','老葛'),('2026-12-02','白班','老葛'),('2026-12-02','夜班','小毕');
