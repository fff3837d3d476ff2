CREATE TABLE employees (id TEXT PRIMARY KEY, name TEXT, other TEXT, site TEXT);
INSERT INTO employees VALUES
 ('ann','Ann Holm','安娜','Berlin'),('liwei','李伟','Li Wei','Shanghai'),('mei','陈梅','Chen Mei','Shanghai'),
 ('tom','Tom Baker','汤姆','Berlin'),('ivan','Ivan Petrov','伊万','Berlin'),('sara','Sara Lund','萨拉','Berlin'),
 ('pete','Pete Wong','黄彼得','Shanghai'),('rosa','Rosa Diaz','罗莎','Berlin'),('wangfang','王芳','Wang Fang','Shenzhen'),
 ('jonas','Jonas Keller','约纳斯','Berlin');
CREATE TABLE applications (id TEXT PRIMARY KEY, name TEXT, zh TEXT, owner TEXT);
INSERT INTO applications VALUES
 ('jira','Jira','任务系统','ivan'),('crm','Salesforce','客户系统','pete'),('payroll','Payroll','工资系统','rosa'),
 ('gitlab','GitLab','代码库','ivan'),('wiki','Confluence','知识库','ivan');
CREATE TABLE systems (id TEXT PRIMARY KEY, name TEXT, zh TEXT);
INSERT INTO systems VALUES ('jira','Jira','任务系统'),('crm','Salesforce','客户系统'),('payroll','Payroll','工资系统'),
 ('gitlab','GitLab','代码库'),('wiki','Confluence','知识库'),('email','Email','邮箱'),('vpn','VPN','虚拟专网'),
 ('wifi','Wi-Fi','无线网'),('printer','Printer','打印机');
CREATE TABLE accesses (person TEXT, application TEXT, level TEXT, until TEXT, ends_on TEXT, approved_by TEXT, key TEXT UNIQUE, removal_key TEXT UNIQUE);
INSERT INTO accesses (person, application, level, until) VALUES
 ('ann','jira','edit',NULL),('ann','wiki','edit',NULL),('liwei','gitlab','admin','2027-06-30'),
 ('liwei','jira','read',NULL),('mei','payroll','read','2026-12-31'),('tom','crm','edit',NULL),('wangfang','crm','read',NULL);
CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INTEGER);
INSERT INTO stock VALUES ('laptop',4),('monitor',11),('headset',23),('phone',2),('dock',0),('keyboard',15);
CREATE TABLE orders (id INTEGER PRIMARY KEY, person TEXT, item TEXT, pieces INTEGER, reason TEXT, approved_by TEXT, key TEXT UNIQUE);
CREATE TABLE devices (asset TEXT PRIMARY KEY, model TEXT, owner TEXT, bought TEXT, warranty TEXT);
INSERT INTO devices VALUES ('LT-0412','ThinkPad T14','ann','2024-02-01','2027-01-31'),('LT-0388','MacBook Air','liwei','2021-05-10','2024-05-09'),
 ('MN-0105','Dell U2723','mei','2023-09-01','2026-08-31'),('PH-0077','iPhone 14','tom','2023-11-20','2025-11-19'),('HS-0201','Jabra Evolve2','wangfang','2025-03-03','2027-03-02');
CREATE TABLE replacements (id INTEGER PRIMARY KEY, asset TEXT, broken TEXT, asked_by TEXT, approved_by TEXT, key TEXT UNIQUE);
CREATE TABLE software (id TEXT PRIMARY KEY, name TEXT, zh TEXT, total INTEGER);
INSERT INTO software VALUES ('photoshop','Photoshop','图像软件',5),('autocad','AutoCAD','制图软件',2),('visio','Visio','流程图软件',10),('office','Microsoft Office','办公软件',300);
CREATE TABLE licences (person TEXT, software TEXT, until TEXT, approved_by TEXT, key TEXT UNIQUE);
INSERT INTO licences (person, software) VALUES ('ann','photoshop'),('tom','autocad'),('wangfang','autocad'),('mei','visio');
CREATE TABLE resets (person TEXT, reason TEXT, asked_by TEXT, approved_by TEXT, key TEXT UNIQUE);
CREATE TABLE tickets (number TEXT PRIMARY KEY, kind TEXT, subject TEXT, system TEXT, severity TEXT, since TEXT, status TEXT, opened_by TEXT, approved_by TEXT, key TEXT UNIQUE);
INSERT INTO tickets (number, kind, subject, system, severity, since, status, opened_by) VALUES
 ('T-1041','incident','Mails arrive an hour late','email','minor','2026-11-26','open','ann'),
 ('T-1042','question','How to print double-sided',NULL,NULL,'2026-11-20','closed','tom'),
 ('T-1043','incident','VPN drops every ten minutes','vpn','major','2026-11-27','in progress','liwei'),
 ('T-1044','incident','Payroll shows last month','payroll','minor','2026-11-10','closed','mei');
CREATE TABLE on_call (day TEXT PRIMARY KEY, person TEXT, key TEXT UNIQUE);
INSERT INTO on_call (day, person) VALUES ('2026-11-28','tom'),('2026-11-29','tom'),('2026-11-30','mei'),('2026-12-01','mei'),
 ('2026-12-02','tom'),('2026-12-03','tom'),('2026-12-04','mei'),('2026-12-05','tom'),('2026-12-06','liwei'),('2026-12-07','mei'),('2026-12-08','tom'),
 ('2026-12-24','mei'),('2026-12-25','tom');
