CREATE TABLE ledger_fact (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE customer (
  id TEXT NOT NULL PRIMARY KEY,
  subject TEXT UNIQUE,
  created BIGINT NOT NULL,
  erased BIGINT,
  joined_to TEXT REFERENCES customer (id)
) WITHOUT ROWID;
CREATE TABLE bearer_token (
  hash TEXT NOT NULL PRIMARY KEY,
  customer TEXT NOT NULL REFERENCES customer (id),
  app TEXT NOT NULL,
  device TEXT,
  issued BIGINT NOT NULL,
  revoked BIGINT
) WITHOUT ROWID;
CREATE INDEX customer_joined_to ON customer (joined_to) WHERE joined_to IS NOT NULL;
CREATE INDEX bearer_token_customer ON bearer_token (customer);
CREATE TABLE claim (
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  id TEXT NOT NULL,
  customer TEXT NOT NULL REFERENCES customer (id),
  product TEXT NOT NULL,
  type TEXT NOT NULL,
  quantity BIGINT NOT NULL CHECK (quantity >= 1),
  ownership TEXT NOT NULL,
  purchased BIGINT NOT NULL,
  claimed BIGINT NOT NULL,
  access_until BIGINT,
  access_days BIGINT,
  unit TEXT,
  given BIGINT NOT NULL DEFAULT 0,
  taken BIGINT NOT NULL DEFAULT 0 CHECK (taken BETWEEN 0 AND given),
  shortfall BIGINT NOT NULL DEFAULT 0 CHECK (shortfall BETWEEN 0 AND given),
  blocks BIGINT NOT NULL DEFAULT 0,
  by_device BIGINT NOT NULL DEFAULT 0,
  proof TEXT,
  PRIMARY KEY (app, environment, id)
) WITHOUT ROWID;
CREATE INDEX claim_customer ON claim (customer, app, claimed);
CREATE INDEX claim_proof ON claim (proof) WHERE proof IS NOT NULL;
CREATE TABLE claim_period (
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  id TEXT NOT NULL,
  claim TEXT NOT NULL,
  product TEXT NOT NULL,
  purchased BIGINT NOT NULL,
  access_until BIGINT NOT NULL,
  stated BIGINT NOT NULL,
  PRIMARY KEY (app, environment, id)
) WITHOUT ROWID;
CREATE INDEX claim_period_claim ON claim_period (app, environment, claim);
CREATE TABLE claim_transfer (
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  id TEXT NOT NULL,
  date BIGINT NOT NULL,
  from_customer TEXT NOT NULL,
  to_customer TEXT NOT NULL,
  PRIMARY KEY (app, environment, id, date, to_customer)
) WITHOUT ROWID;
CREATE TABLE statement (
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  id TEXT NOT NULL,
  revoked BIGINT NOT NULL,
  date BIGINT,
  reason BIGINT,
  percentage BIGINT NOT NULL CHECK (percentage BETWEEN 0 AND 100000),
  stated BIGINT NOT NULL,
  learnt BIGINT NOT NULL,
  PRIMARY KEY (app, environment, id)
) WITHOUT ROWID;
CREATE TABLE entitlement (
  customer TEXT NOT NULL REFERENCES customer (id),
  app TEXT NOT NULL,
  product TEXT NOT NULL,
  source TEXT NOT NULL,
  origin TEXT NOT NULL,
  begun BIGINT NOT NULL,
  access_until BIGINT,
  ended BIGINT,
  end_reason TEXT,
  PRIMARY KEY (customer, app, product, source)
) WITHOUT ROWID;
CREATE TABLE delivery (
  id TEXT NOT NULL PRIMARY KEY,
  customer TEXT NOT NULL REFERENCES customer (id),
  app TEXT NOT NULL,
  product TEXT NOT NULL,
  source TEXT NOT NULL,
  begun BIGINT NOT NULL,
  ended BIGINT
) WITHOUT ROWID;
CREATE INDEX delivery_customer ON delivery (customer, app, source);
CREATE TABLE credit_account (
  customer TEXT NOT NULL REFERENCES customer (id),
  app TEXT NOT NULL,
  unit TEXT NOT NULL,
  balance BIGINT NOT NULL,
  movements BIGINT NOT NULL,
  blocked BIGINT,
  PRIMARY KEY (customer, app, unit)
) WITHOUT ROWID;
CREATE TABLE credit_movement (
  customer TEXT NOT NULL,
  app TEXT NOT NULL,
  unit TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  amount BIGINT NOT NULL CHECK (amount <> 0),
  balance BIGINT NOT NULL,
  counter_account TEXT NOT NULL,
  cause TEXT NOT NULL,
  cause_key TEXT NOT NULL,
  date BIGINT NOT NULL,
  PRIMARY KEY (customer, app, unit, sequence),
  FOREIGN KEY (customer, app, unit) REFERENCES credit_account (customer, app, unit)
) WITHOUT ROWID;
CREATE UNIQUE INDEX credit_movement_cause ON credit_movement (customer, app, unit, cause, cause_key);
CREATE TABLE stored_proof (
  customer TEXT NOT NULL REFERENCES customer (id),
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  digest TEXT NOT NULL,
  kind TEXT NOT NULL,
  data BLOB NOT NULL,
  stated BIGINT NOT NULL,
  due BIGINT NOT NULL,
  PRIMARY KEY (customer, app, environment, digest)
) WITHOUT ROWID;
CREATE INDEX stored_proof_due ON stored_proof (app, due);
CREATE TABLE product (
  app TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  unit TEXT,
  credits BIGINT NOT NULL DEFAULT 0,
  access_days BIGINT,
  localisations TEXT NOT NULL,
  listed BIGINT NOT NULL,
  content_version BIGINT NOT NULL DEFAULT 0,
  changed BIGINT NOT NULL,
  PRIMARY KEY (app, id)
) WITHOUT ROWID;
CREATE TABLE catalog (
  app TEXT NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE content_file (
  app TEXT NOT NULL,
  product TEXT NOT NULL,
  version BIGINT NOT NULL,
  name TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  media_type TEXT NOT NULL,
  published BIGINT NOT NULL,
  PRIMARY KEY (app, product, version, name),
  FOREIGN KEY (app, product) REFERENCES product (app, id)
) WITHOUT ROWID;
CREATE INDEX content_file_digest ON content_file (sha256);
CREATE TABLE operator_key (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created BIGINT NOT NULL,
  revoked BIGINT
) WITHOUT ROWID;
CREATE TABLE audit_entry (
  date BIGINT NOT NULL,
  id TEXT NOT NULL,
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (date, id)
) WITHOUT ROWID;
CREATE VIEW ledger_entry AS
SELECT 'customer:' || customer AS account, app, unit, amount, cause, cause_key, strftime('%Y-%m-%dT%H:%M:%fZ', date / 1000.0, 'unixepoch') AS date
FROM credit_movement
UNION ALL
SELECT counter_account AS account, app, unit, -amount AS amount, cause, cause_key, strftime('%Y-%m-%dT%H:%M:%fZ', date / 1000.0, 'unixepoch') AS date
FROM credit_movement;
CREATE VIEW ledger_balance AS
SELECT 'customer:' || customer AS account, app, unit, balance FROM credit_account
UNION ALL
SELECT counter_account AS account, app, unit, CAST(SUM(-amount) AS BIGINT) AS balance
FROM credit_movement GROUP BY counter_account, app, unit;
CREATE VIEW ledger_check AS
SELECT a.customer, a.app, a.unit, a.balance, a.movements,
  COALESCE(m.total, 0) AS total, COALESCE(m.count, 0) AS count
FROM credit_account a
LEFT JOIN (
  SELECT customer, app, unit, CAST(SUM(amount) AS BIGINT) AS total, COUNT(*) AS count
  FROM credit_movement GROUP BY customer, app, unit
) m ON m.customer = a.customer AND m.app = a.app AND m.unit = a.unit
WHERE a.balance <> COALESCE(m.total, 0) OR a.movements <> COALESCE(m.count, 0);
CREATE VIEW customer_entitlement AS
SELECT customer, app, product, source, origin, strftime('%Y-%m-%dT%H:%M:%fZ', begun / 1000.0, 'unixepoch') AS begun,
  strftime('%Y-%m-%dT%H:%M:%fZ', access_until / 1000.0, 'unixepoch') AS access_until, strftime('%Y-%m-%dT%H:%M:%fZ', ended / 1000.0, 'unixepoch') AS ended, end_reason
FROM entitlement;
CREATE VIEW customer_claim AS
SELECT c.customer, c.app, c.environment, c.id, c.product, c.type, c.quantity,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.purchased / 1000.0, 'unixepoch') AS purchased, strftime('%Y-%m-%dT%H:%M:%fZ', c.claimed / 1000.0, 'unixepoch') AS claimed,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.access_until / 1000.0, 'unixepoch') AS access_until, c.unit, c.given, c.taken, c.shortfall,
  CASE WHEN c.type <> 'Auto-Renewable Subscription' THEN COALESCE(r.revoked, 0)
    WHEN EXISTS (
      SELECT 1 FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 0
      WHERE p.app = c.app AND p.environment = c.environment AND p.claim = c.id
    ) THEN 0 ELSE 1 END AS revoked
FROM claim c
LEFT JOIN statement r ON r.app = c.app AND r.environment = c.environment AND r.id = c.id;
ALTER TABLE claim_transfer ADD COLUMN by_device BIGINT NOT NULL DEFAULT 0;
CREATE VIEW ledger_copy AS SELECT '' AS identity;
CREATE TABLE claim_transfer_4 (
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  id TEXT NOT NULL,
  date BIGINT NOT NULL,
  to_customer TEXT NOT NULL,
  from_customer TEXT NOT NULL,
  by_device BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (app, environment, id, date, to_customer)
) WITHOUT ROWID;
INSERT INTO claim_transfer_4 (app, environment, id, date, to_customer, from_customer, by_device)
SELECT app, environment, id, date, to_customer, from_customer, by_device FROM claim_transfer;
DROP TABLE claim_transfer;
ALTER TABLE claim_transfer_4 RENAME TO claim_transfer;
CREATE TABLE subscription_renewal (
  app TEXT NOT NULL,
  environment TEXT NOT NULL,
  claim TEXT NOT NULL,
  period TEXT NOT NULL,
  product TEXT NOT NULL,
  auto_renew BIGINT NOT NULL,
  billing_retry BIGINT NOT NULL,
  grace_until BIGINT,
  expiration_intent BIGINT,
  stated BIGINT NOT NULL,
  PRIMARY KEY (app, environment, claim)
) WITHOUT ROWID;
CREATE VIEW customer_renewal AS
SELECT c.customer, c.app, c.environment, c.id AS claim, c.product, r.product AS next_product, r.auto_renew,
  r.billing_retry, strftime('%Y-%m-%dT%H:%M:%fZ', c.access_until / 1000.0, 'unixepoch') AS expires, strftime('%Y-%m-%dT%H:%M:%fZ', r.grace_until / 1000.0, 'unixepoch') AS grace_until,
  r.expiration_intent, strftime('%Y-%m-%dT%H:%M:%fZ', r.stated / 1000.0, 'unixepoch') AS stated
FROM subscription_renewal r
JOIN claim c ON c.app = r.app AND c.environment = r.environment AND c.id = r.claim
JOIN claim_period p ON p.app = r.app AND p.environment = r.environment AND p.id = r.period
  AND p.access_until = c.access_until;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('1 ledger');
INSERT INTO grdb_migrations VALUES ('2 transfers by device');
INSERT INTO grdb_migrations VALUES ('3 copies');
INSERT INTO grdb_migrations VALUES ('4 transfers with the key first');
INSERT INTO grdb_migrations VALUES ('5 renewals');
INSERT INTO ledger_fact (name, value) VALUES ('anchors', 'anchors of the fixture');
INSERT INTO ledger_fact (name, value) VALUES ('created', '2026-11-20 00:00:00.000');
INSERT INTO ledger_fact (name, value) VALUES ('incarnation', '90000000-0000-4000-8000-000000000001');
INSERT INTO ledger_fact (name, value) VALUES ('id', '90000000-0000-4000-8000-000000000002');
INSERT INTO customer (id, subject, created, erased, joined_to) VALUES ('00000000-0000-4000-8000-000000000001', NULL, 1799999990000, NULL, NULL);
INSERT INTO customer (id, subject, created, erased, joined_to) VALUES ('00000000-0000-4000-8000-000000000002', NULL, 1799999991000, NULL, NULL);
INSERT INTO customer (id, subject, created, erased, joined_to) VALUES ('00000000-0000-4000-8000-000000000003', NULL, 1799999992000, NULL, '00000000-0000-4000-8000-000000000001');
INSERT INTO customer (id, subject, created, erased, joined_to) VALUES ('00000000-0000-4000-8000-000000000004', NULL, 1799999993000, 1799999999000, NULL);
INSERT INTO customer (id, subject, created, erased, joined_to) VALUES ('00000000-0000-4000-8000-000000000005', 'https://issuer.example ada', 1799999994000, NULL, NULL);
INSERT INTO bearer_token (hash, customer, app, device, issued, revoked) VALUES ('6b6f8d2f0f7b8f8c9b1a0d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182', '00000000-0000-4000-8000-000000000001', 'com.example.reader', 'vendor:10000000-0000-4000-8000-000000000001', 1799999990000, NULL);
INSERT INTO bearer_token (hash, customer, app, device, issued, revoked) VALUES ('7b6f8d2f0f7b8f8c9b1a0d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182', '00000000-0000-4000-8000-000000000002', 'com.example.reader', NULL, 1799999991000, 1799999995000);
INSERT INTO product (app, id, type, unit, credits, access_days, localisations, listed, content_version, changed) VALUES ('com.example.reader', 'com.example.reader.coins', 'Consumable', 'coins', 5, NULL, '{}', 1, 0, 1799999980000);
INSERT INTO product (app, id, type, unit, credits, access_days, localisations, listed, content_version, changed) VALUES ('com.example.reader', 'com.example.reader.book', 'Non-Consumable', NULL, 0, NULL, '{}', 1, 1, 1799999980000);
INSERT INTO product (app, id, type, unit, credits, access_days, localisations, listed, content_version, changed) VALUES ('com.example.reader', 'com.example.reader.club', 'Auto-Renewable Subscription', NULL, 0, NULL, '{}', 1, 0, 1799999980000);
INSERT INTO product (app, id, type, unit, credits, access_days, localisations, listed, content_version, changed) VALUES ('com.example.reader', 'com.example.reader.pass', 'Non-Renewing Subscription', NULL, 0, 30, '{}', 0, 0, 1799999980000);
INSERT INTO catalog (app, revision) VALUES ('com.example.reader', 5);
INSERT INTO content_file (app, product, version, name, size, sha256, media_type, published) VALUES ('com.example.reader', 'com.example.reader.book', 1, 'book.txt', 4, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'text/plain', 1799999980000);
INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until, access_days, unit, given, taken, shortfall, blocks, by_device, proof) VALUES ('com.example.reader', 'Production', '1', '00000000-0000-4000-8000-000000000001', 'com.example.reader.coins', 'Consumable', 1, 'PURCHASED', 1799999990000, 1799999996000, NULL, NULL, 'coins', 5, 2, 0, 0, 1, 'digest-1');
INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until, access_days, unit, given, taken, shortfall, blocks, by_device, proof) VALUES ('com.example.reader', 'Production', '2', '00000000-0000-4000-8000-000000000001', 'com.example.reader.book', 'Non-Consumable', 1, 'PURCHASED', 1799999990000, 1799999996000, NULL, NULL, NULL, 0, 0, 0, 0, 1, NULL);
INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until, access_days, unit, given, taken, shortfall, blocks, by_device, proof) VALUES ('com.example.reader', 'Production', '3', '00000000-0000-4000-8000-000000000001', 'com.example.reader.club', 'Auto-Renewable Subscription', 1, 'PURCHASED', 1799999990000, 1799999996000, 1802000000000, NULL, NULL, 0, 0, 0, 0, 1, NULL);
INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until, access_days, unit, given, taken, shortfall, blocks, by_device, proof) VALUES ('com.example.reader', 'Production', '11', '00000000-0000-4000-8000-000000000002', 'com.example.reader.pass', 'Non-Renewing Subscription', 1, 'PURCHASED', 1800000000000, 1799999996000, 1802592000000, 30, NULL, 0, 0, 0, 0, 0, NULL);
INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, access_until, access_days, unit, given, taken, shortfall, blocks, by_device, proof) VALUES ('com.example.reader', 'Production', '12', '00000000-0000-4000-8000-000000000001', 'com.example.reader.pass', 'Non-Renewing Subscription', 1, 'PURCHASED', 1800000001000, 1799999996000, 1805184000000, 30, NULL, 0, 0, 0, 0, 1, NULL);
INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated) VALUES ('com.example.reader', 'Production', '3', '3', 'com.example.reader.club', 1799999990000, 1802000000000, 1799999996000);
INSERT INTO claim_transfer (app, environment, id, date, from_customer, to_customer, by_device) VALUES ('com.example.reader', 'Production', '11', 1799999998000, '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 1);
INSERT INTO statement (app, environment, id, revoked, date, reason, percentage, stated, learnt) VALUES ('com.example.reader', 'Production', '1', 1, 1799999997000, 1, 40000, 1799999997000, 1799999997000);
INSERT INTO statement (app, environment, id, revoked, date, reason, percentage, stated, learnt) VALUES ('com.example.reader', 'Production', '2', 0, NULL, NULL, 0, 1799999996000, 1799999996000);
INSERT INTO statement (app, environment, id, revoked, date, reason, percentage, stated, learnt) VALUES ('com.example.reader', 'Production', '3', 0, NULL, NULL, 0, 1799999996000, 1799999996000);
INSERT INTO statement (app, environment, id, revoked, date, reason, percentage, stated, learnt) VALUES ('com.example.reader', 'Production', '11', 0, NULL, NULL, 0, 1799999996000, 1799999996000);
INSERT INTO statement (app, environment, id, revoked, date, reason, percentage, stated, learnt) VALUES ('com.example.reader', 'Production', '12', 0, NULL, NULL, 0, 1799999996000, 1799999996000);
INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, ended, end_reason) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'com.example.reader.book', '2', 'purchased', 1799999990000, NULL, NULL, NULL);
INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, ended, end_reason) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'com.example.reader.club', '3', 'purchased', 1799999990000, 1802000000000, NULL, NULL);
INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, ended, end_reason) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'com.example.reader.pass', '11', 'purchased', 1800000000000, 1802592000000, 1799999998000, 'transferred');
INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, ended, end_reason) VALUES ('00000000-0000-4000-8000-000000000002', 'com.example.reader', 'com.example.reader.pass', '11', 'purchased', 1800000000000, 1802592000000, NULL, NULL);
INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, ended, end_reason) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'com.example.reader.pass', '12', 'purchased', 1800000001000, 1805184000000, NULL, NULL);
INSERT INTO delivery (id, customer, app, product, source, begun, ended) VALUES ('20000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000001', 'com.example.reader', 'com.example.reader.book', '2', 1799999996000, NULL);
INSERT INTO credit_account (customer, app, unit, balance, movements, blocked) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'coins', 2, 3, NULL);
INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'coins', 1, 5, 5, 'sales', 'purchase', 'production/1', 1799999996000);
INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'coins', 2, -1, 4, 'spending', 'spend', 'page 1', 1799999996500);
INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'coins', 3, -2, 2, 'refunds', 'refund', 'production/1@1799999997000', 1799999997000);
INSERT INTO stored_proof (customer, app, environment, digest, kind, data, stated, due) VALUES ('00000000-0000-4000-8000-000000000001', 'com.example.reader', 'Production', 'digest-1', 'appReceipt', x'010203', 1799999996000, 1800086396000);
INSERT INTO subscription_renewal (app, environment, claim, period, product, auto_renew, billing_retry, grace_until, expiration_intent, stated) VALUES ('com.example.reader', 'Production', '3', '3', 'com.example.reader.club', 1, 0, NULL, NULL, 1799999996000);
INSERT INTO operator_key (id, name, hash, created, revoked) VALUES ('30000000-0000-4000-8000-000000000001', 'olga', '8b6f8d2f0f7b8f8c9b1a0d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182', 1799999980000, NULL);
INSERT INTO audit_entry (date, id, operator, action, subject, detail) VALUES (1799999980000, '40000000-0000-4000-8000-000000000001', 'olga', 'publish', 'com.example.reader.book', 'in com.example.reader');
