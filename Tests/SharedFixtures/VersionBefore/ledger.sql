SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.audit_entry (
    date bigint NOT NULL,
    id text NOT NULL,
    operator text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL
);
CREATE TABLE public.bearer_token (
    hash text NOT NULL,
    customer text NOT NULL,
    app text NOT NULL,
    device text,
    issued bigint NOT NULL,
    revoked bigint
);
CREATE TABLE public.catalog (
    app text NOT NULL,
    revision bigint NOT NULL
);
CREATE TABLE public.claim (
    app text NOT NULL,
    environment text NOT NULL,
    id text NOT NULL,
    customer text NOT NULL,
    product text NOT NULL,
    type text NOT NULL,
    quantity bigint NOT NULL,
    ownership text NOT NULL,
    purchased bigint NOT NULL,
    claimed bigint NOT NULL,
    access_until bigint,
    access_days bigint,
    unit text,
    given bigint DEFAULT 0 NOT NULL,
    taken bigint DEFAULT 0 NOT NULL,
    shortfall bigint DEFAULT 0 NOT NULL,
    blocks bigint DEFAULT 0 NOT NULL,
    by_device bigint DEFAULT 0 NOT NULL,
    proof text,
    CONSTRAINT claim_check CHECK (((taken >= 0) AND (taken <= given))),
    CONSTRAINT claim_check1 CHECK (((shortfall >= 0) AND (shortfall <= given))),
    CONSTRAINT claim_quantity_check CHECK ((quantity >= 1))
);
CREATE TABLE public.claim_period (
    app text NOT NULL,
    environment text NOT NULL,
    id text NOT NULL,
    claim text NOT NULL,
    product text NOT NULL,
    purchased bigint NOT NULL,
    access_until bigint NOT NULL,
    stated bigint NOT NULL
);
CREATE TABLE public.claim_transfer (
    app text NOT NULL,
    environment text NOT NULL,
    id text NOT NULL,
    date bigint NOT NULL,
    from_customer text NOT NULL,
    to_customer text NOT NULL
);
CREATE TABLE public.content_file (
    app text NOT NULL,
    product text NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    sha256 text NOT NULL,
    media_type text NOT NULL,
    published bigint NOT NULL
);
CREATE TABLE public.credit_account (
    customer text NOT NULL,
    app text NOT NULL,
    unit text NOT NULL,
    balance bigint NOT NULL,
    movements bigint NOT NULL,
    blocked bigint
);
CREATE TABLE public.credit_movement (
    customer text NOT NULL,
    app text NOT NULL,
    unit text NOT NULL,
    sequence bigint NOT NULL,
    amount bigint NOT NULL,
    balance bigint NOT NULL,
    counter_account text NOT NULL,
    cause text NOT NULL,
    cause_key text NOT NULL,
    date bigint NOT NULL,
    CONSTRAINT credit_movement_amount_check CHECK ((amount <> 0))
);
CREATE TABLE public.customer (
    id text NOT NULL,
    subject text,
    created bigint NOT NULL,
    erased bigint,
    joined_to text
);
CREATE TABLE public.statement (
    app text NOT NULL,
    environment text NOT NULL,
    id text NOT NULL,
    revoked bigint NOT NULL,
    date bigint,
    reason bigint,
    percentage bigint NOT NULL,
    stated bigint NOT NULL,
    learnt bigint NOT NULL,
    CONSTRAINT statement_percentage_check CHECK (((percentage >= 0) AND (percentage <= 100000)))
);
CREATE VIEW public.customer_claim AS
 SELECT c.customer,
    c.app,
    c.environment,
    c.id,
    c.product,
    c.type,
    c.quantity,
    to_timestamp((((c.purchased)::numeric / 1000.0))::double precision) AS purchased,
    to_timestamp((((c.claimed)::numeric / 1000.0))::double precision) AS claimed,
    to_timestamp((((c.access_until)::numeric / 1000.0))::double precision) AS access_until,
    c.unit,
    c.given,
    c.taken,
    c.shortfall,
        CASE
            WHEN (c.type <> 'Auto-Renewable Subscription'::text) THEN COALESCE(r.revoked, (0)::bigint)
            WHEN (EXISTS ( SELECT 1
               FROM (public.claim_period p
                 JOIN public.statement s ON (((s.app = p.app) AND (s.environment = p.environment) AND (s.id = p.id) AND (s.revoked = 0))))
              WHERE ((p.app = c.app) AND (p.environment = c.environment) AND (p.claim = c.id)))) THEN (0)::bigint
            ELSE (1)::bigint
        END AS revoked
   FROM (public.claim c
     LEFT JOIN public.statement r ON (((r.app = c.app) AND (r.environment = c.environment) AND (r.id = c.id))));
CREATE TABLE public.entitlement (
    customer text NOT NULL,
    app text NOT NULL,
    product text NOT NULL,
    source text NOT NULL,
    origin text NOT NULL,
    begun bigint NOT NULL,
    access_until bigint,
    ended bigint,
    end_reason text
);
CREATE VIEW public.customer_entitlement AS
 SELECT entitlement.customer,
    entitlement.app,
    entitlement.product,
    entitlement.source,
    entitlement.origin,
    to_timestamp((((entitlement.begun)::numeric / 1000.0))::double precision) AS begun,
    to_timestamp((((entitlement.access_until)::numeric / 1000.0))::double precision) AS access_until,
    to_timestamp((((entitlement.ended)::numeric / 1000.0))::double precision) AS ended,
    entitlement.end_reason
   FROM public.entitlement;
CREATE TABLE public.delivery (
    id text NOT NULL,
    customer text NOT NULL,
    app text NOT NULL,
    product text NOT NULL,
    source text NOT NULL,
    begun bigint NOT NULL,
    ended bigint
);
CREATE VIEW public.ledger_balance AS
 SELECT ('customer:'::text || credit_account.customer) AS account,
    credit_account.app,
    credit_account.unit,
    credit_account.balance
   FROM public.credit_account
UNION ALL
 SELECT credit_movement.counter_account AS account,
    credit_movement.app,
    credit_movement.unit,
    (sum((- credit_movement.amount)))::bigint AS balance
   FROM public.credit_movement
  GROUP BY credit_movement.counter_account, credit_movement.app, credit_movement.unit;
CREATE VIEW public.ledger_check AS
 SELECT a.customer,
    a.app,
    a.unit,
    a.balance,
    a.movements,
    COALESCE(m.total, (0)::bigint) AS total,
    COALESCE(m.count, (0)::bigint) AS count
   FROM (public.credit_account a
     LEFT JOIN ( SELECT credit_movement.customer,
            credit_movement.app,
            credit_movement.unit,
            (sum(credit_movement.amount))::bigint AS total,
            count(*) AS count
           FROM public.credit_movement
          GROUP BY credit_movement.customer, credit_movement.app, credit_movement.unit) m ON (((m.customer = a.customer) AND (m.app = a.app) AND (m.unit = a.unit))))
  WHERE ((a.balance <> COALESCE(m.total, (0)::bigint)) OR (a.movements <> COALESCE(m.count, (0)::bigint)));
CREATE VIEW public.ledger_entry AS
 SELECT ('customer:'::text || credit_movement.customer) AS account,
    credit_movement.app,
    credit_movement.unit,
    credit_movement.amount,
    credit_movement.cause,
    credit_movement.cause_key,
    to_timestamp((((credit_movement.date)::numeric / 1000.0))::double precision) AS date
   FROM public.credit_movement
UNION ALL
 SELECT credit_movement.counter_account AS account,
    credit_movement.app,
    credit_movement.unit,
    (- credit_movement.amount) AS amount,
    credit_movement.cause,
    credit_movement.cause_key,
    to_timestamp((((credit_movement.date)::numeric / 1000.0))::double precision) AS date
   FROM public.credit_movement;
CREATE TABLE public.ledger_fact (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.ledger_migration (
    name text NOT NULL,
    applied bigint NOT NULL
);
CREATE TABLE public.operator_key (
    id text NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    created bigint NOT NULL,
    revoked bigint
);
CREATE TABLE public.product (
    app text NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    unit text,
    credits bigint DEFAULT 0 NOT NULL,
    access_days bigint,
    localisations text NOT NULL,
    listed bigint NOT NULL,
    content_version bigint DEFAULT 0 NOT NULL,
    changed bigint NOT NULL
);
CREATE TABLE public.stored_proof (
    customer text NOT NULL,
    app text NOT NULL,
    environment text NOT NULL,
    digest text NOT NULL,
    kind text NOT NULL,
    data bytea NOT NULL,
    stated bigint NOT NULL,
    due bigint NOT NULL
);
INSERT INTO public.audit_entry VALUES (1795387867143, '6b19e244-fc77-4e45-8c54-c437f0a61576', 'command line', 'createOperatorKey', '4d4c34d8-9f95-40a2-a657-766434377472', 'for first');
INSERT INTO public.audit_entry VALUES (1795387867286, '849bee11-336a-47eb-aa4c-cdcb941e02ba', 'first', 'publishProduct', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.consume50pages', '{"de":{"description":"Zum Drucken","name":"Fünfzig Seiten"},"en":{"description":"To print","name":"Fifty pages"}}');
INSERT INTO public.audit_entry VALUES (1795387867292, 'c6ef3d4c-d4ad-4ec4-8004-b3f074b9edd9', 'first', 'publishProduct', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.book.smallprint', '{}');
INSERT INTO public.audit_entry VALUES (1795387867302, 'b3e4cd4d-45c0-44e2-b559-9b1440403566', 'first', 'publishContent', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.book.smallprint', 'smallprint.txt d32fe7aa2e6b11462d201356cdb787dcc2af2e5a7648b75c504fcf1008a90cc2');
INSERT INTO public.audit_entry VALUES (1795387867313, '06c28916-c027-469e-88ac-0d85c8178e03', 'first', 'publishContent', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.book.smallprint', 'smallprint.txt f9a6dacf6570b2ead32cdcf4c4a3de8fc6b58f7ce2af3411e955f71e10b8b373');
INSERT INTO public.audit_entry VALUES (1795387867317, '58d38923-eda5-4109-9f0c-f6bb2908faee', 'first', 'publishProduct', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.book.encyclopedia', '{}');
INSERT INTO public.audit_entry VALUES (1795387867329, '04cd1df5-4d30-48ee-b3b4-d786316695f1', 'first', 'publishContent', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.book.encyclopedia', 'encyclopedia.txt 29d16e47af139586b9afa292757e837f826bad926bf5ed3144f9642db3bc5654');
INSERT INTO public.audit_entry VALUES (1795387867334, '40a8e33c-eba2-43ff-bfaf-b9d179dc1b99', 'first', 'publishProduct', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.sepia', '{}');
INSERT INTO public.audit_entry VALUES (1795387867338, '5b825451-15aa-47d9-a4e5-414d751f6b27', 'first', 'publishProduct', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.season', '{}');
INSERT INTO public.audit_entry VALUES (1795387867342, '4f826227-25de-4843-a548-5d3759384a1f', 'first', 'publishProduct', 'com.xamarin.storekit.testing com.xamarin.storekit.testing.club.monthly', '{}');
INSERT INTO public.audit_entry VALUES (1795387867350, '2f444fac-63bf-4c17-b3fb-9ee54416c69a', 'first', 'publishProduct', 'com.example.other com.example.other.coins', '{}');
INSERT INTO public.audit_entry VALUES (1795387868152, '523d28d0-99b9-4123-8858-db3360a415b3', 'first', 'createOperatorKey', '0b80d781-dfe4-413c-a532-2a7b32b3e1dd', 'for olaf');
INSERT INTO public.audit_entry VALUES (1795387868156, '0ffe3361-289c-4e78-9fd0-a6a9a8c4e53c', 'first', 'createOperatorKey', '70fdd67c-3f09-4017-870e-d17f98286fa9', 'for otto');
INSERT INTO public.audit_entry VALUES (1795387868161, '4a043d47-e245-4f2e-b1a6-efc021476736', 'first', 'revokeOperatorKey', '70fdd67c-3f09-4017-870e-d17f98286fa9', '');
INSERT INTO public.audit_entry VALUES (1795387868166, '4f8d5259-7b89-4853-ac3e-fcda34aa6f2d', 'first', 'grant', '34fe6783-152b-41c8-b437-567f0573d5f9', 'credits(pages, 12) in com.xamarin.storekit.testing, key sorry: A jam');
INSERT INTO public.audit_entry VALUES (1795387868172, '22c3b420-9ddb-4a11-be85-6aca2637feee', 'first', 'grant', '34fe6783-152b-41c8-b437-567f0573d5f9', 'product(com.xamarin.storekit.testing.sepia, accessUntil: nil) in com.xamarin.storekit.testing, key gift: A gift');
INSERT INTO public.audit_entry VALUES (1795387868177, 'f67c5b32-9aab-4f57-84d2-ff8a96c1fd9b', 'first', 'grant', '34fe6783-152b-41c8-b437-567f0573d5f9', 'product(com.xamarin.storekit.testing.book.smallprint, accessUntil: Optional(2100-01-01T00:00:00.000Z)) in com.xamarin.storekit.testing, key trial: A trial');
INSERT INTO public.bearer_token VALUES ('c80065ad4c10c4cfc4fda8b92d0d63b5454d710159215746dc4d341aef920dfd', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', '00000000-0000-0000-0000-0000000000F8', 1795387867363, NULL);
INSERT INTO public.bearer_token VALUES ('cc6c2522f7f67742be78bfb98b1241b8c5a6c067a44070f1b7ff79998e784bb2', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', '00000000-0000-0000-0000-0000000000F8', 1795387867650, NULL);
INSERT INTO public.bearer_token VALUES ('dac54ae6af8b3728348f34e83311f924ad0d67c667578c21303717a7bce8da5c', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', '00000000-0000-0000-0000-0000000000F9', 1795387867694, NULL);
INSERT INTO public.bearer_token VALUES ('d5cfd585bada96b2518a50fb4d11ae2a7d280aee1e3b1e2586c4f9641d62f0a4', '680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing', '00000000-0000-0000-0000-0000000000FA', 1795387867763, NULL);
INSERT INTO public.bearer_token VALUES ('c3ab429896948494fd91888520d901ebeac5c52c58847f447fe4c3961461f014', '72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', '00000000-0000-0000-0000-0000000000FB', 1795387867872, NULL);
INSERT INTO public.bearer_token VALUES ('1f90bef3fa46571c12b05e2a7d5bf2e39fdfe660dbbad2bed20726886699e4ad', '04a70719-536f-485e-8af1-bc95110217ce', 'com.xamarin.storekit.testing', '00000000-0000-0000-0000-0000000000FE', 1795387868120, 1795387868125);
INSERT INTO public.bearer_token VALUES ('165e737854b393c66255741666ddffe263b83a3a17a9db9f6ce405490ee698e7', '34fe6783-152b-41c8-b437-567f0573d5f9', 'com.xamarin.storekit.testing', '00000000-0000-0000-0000-0000000000FF', 1795387868146, NULL);
INSERT INTO public.catalog VALUES ('com.xamarin.storekit.testing', 9);
INSERT INTO public.catalog VALUES ('com.example.other', 1);
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000052', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing.book.smallprint', 'Non-Consumable', 1, 'PURCHASED', 1795387867000, 1795387867470, NULL, NULL, NULL, 0, 0, 0, 0, 1, '047373e193bde1bb95a6d3372b147a2464e284d21ef9b7a1e56e506d31d3693d');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000053', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing.club.monthly', 'Auto-Renewable Subscription', 1, 'PURCHASED', 1795387867000, 1795387867470, 1797979867000, NULL, NULL, 0, 0, 0, 0, 1, '047373e193bde1bb95a6d3372b147a2464e284d21ef9b7a1e56e506d31d3693d');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000051', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 1, 'PURCHASED', 1795387867000, 1795387867470, NULL, NULL, 'pages', 50, 0, 0, 0, 1, '8e41e3dea42c7957352929455714a6bbd9217948e17538e35d25eecf0a0c41f7');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000055', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 1, 'PURCHASED', 1795387867000, 1795387867615, NULL, NULL, 'pages', 50, 0, 0, 0, 0, NULL);
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000056', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 2, 'PURCHASED', 1795387867000, 1795387867644, NULL, NULL, 'pages', 100, 0, 0, 0, 0, 'd937391fd8cbecde846f795fafd5ee4d34ebd755acb59bd8b8ff4b5865a2bfe3');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000054', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing.season', 'Non-Renewing Subscription', 1, 'PURCHASED', 1795387867000, 1795387867470, 1797979867000, 30, NULL, 0, 0, 0, 0, 1, '047373e193bde1bb95a6d3372b147a2464e284d21ef9b7a1e56e506d31d3693d');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000057', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 1, 'PURCHASED', 1795387867000, 1795387867715, NULL, NULL, 'pages', 50, 0, 0, 0, 0, NULL);
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000062', 'ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 1, 'PURCHASED', 1795387867000, 1795387868022, NULL, NULL, 'pages', 50, 0, 0, 0, 0, '4562f661e0df871df9b9c9eed577b680e4248c36791181501d5fa47630f629e8');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000058', '680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 1, 'PURCHASED', 1795387867000, 1795387867795, NULL, NULL, 'pages', 50, 50, 0, 0, 1, 'd8134e7dae9bb7cf223fefa755bd553951907d1ef6db2ad3cd9f04261805743a');
INSERT INTO public.claim VALUES ('com.example.other', 'Sandbox', '2467472377000000060', '72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other.coins', 'Consumable', 2, 'PURCHASED', 1795387867000, 1795387867908, NULL, NULL, 'coins', 20, 20, 15, 1, 1, 'c95977b7516e296aca969f9fba3925451ed3c5c8908ca898fc803fdb68efacf6');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000061', 'ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing.sepia', 'Non-Consumable', 1, 'PURCHASED', 1795387867000, 1795387868022, NULL, NULL, NULL, 0, 0, 0, 0, 0, '4562f661e0df871df9b9c9eed577b680e4248c36791181501d5fa47630f629e8');
INSERT INTO public.claim VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000063', 'c2aa33bd-549e-491e-b972-3a77e69f7c84', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 1, 'PURCHASED', 1795387868000, 1795387868093, NULL, NULL, 'pages', 50, 0, 0, 0, 1, NULL);
INSERT INTO public.claim_period VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000053', '2467472377000000053', 'com.xamarin.storekit.testing.club.monthly', 1795387867000, 1797979867000, 1795387867736);
INSERT INTO public.claim_transfer VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000052', 1795387867738, '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9');
INSERT INTO public.claim_transfer VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000053', 1795387867738, '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9');
INSERT INTO public.claim_transfer VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000054', 1795387867738, '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9');
INSERT INTO public.content_file VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', 1, 'smallprint.txt', 19, 'd32fe7aa2e6b11462d201356cdb787dcc2af2e5a7648b75c504fcf1008a90cc2', 'text/plain; charset=utf-8', 1795387867302);
INSERT INTO public.content_file VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', 2, 'smallprint.txt', 1000, 'f9a6dacf6570b2ead32cdcf4c4a3de8fc6b58f7ce2af3411e955f71e10b8b373', 'text/plain; charset=utf-8', 1795387867313);
INSERT INTO public.content_file VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.encyclopedia', 1, 'encyclopedia.txt', 30720, '29d16e47af139586b9afa292757e837f826bad926bf5ed3144f9642db3bc5654', 'text/plain; charset=utf-8', 1795387867329);
INSERT INTO public.credit_account VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'pages', 165, 5, NULL);
INSERT INTO public.credit_account VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'pages', 50, 1, NULL);
INSERT INTO public.credit_account VALUES ('680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing', 'pages', -50, 3, NULL);
INSERT INTO public.credit_account VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', 'coins', 0, 4, 1795387867940);
INSERT INTO public.credit_account VALUES ('ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing', 'pages', 42, 2, NULL);
INSERT INTO public.credit_account VALUES ('c2aa33bd-549e-491e-b972-3a77e69f7c84', 'com.xamarin.storekit.testing', 'pages', 50, 1, NULL);
INSERT INTO public.credit_account VALUES ('34fe6783-152b-41c8-b437-567f0573d5f9', 'com.xamarin.storekit.testing', 'pages', 12, 1, NULL);
INSERT INTO public.credit_movement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'pages', 1, 50, 50, 'sales', 'purchase', 'sandbox/2467472377000000051', 1795387867470);
INSERT INTO public.credit_movement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'pages', 2, -30, 20, 'spending', 'spend', 'print-1', 1795387867528);
INSERT INTO public.credit_movement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'pages', 3, -5, 15, 'spending', 'spend', 'print-2', 1795387867533);
INSERT INTO public.credit_movement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'pages', 4, 50, 65, 'sales', 'purchase', 'sandbox/2467472377000000055', 1795387867615);
INSERT INTO public.credit_movement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'pages', 5, 100, 165, 'sales', 'purchase', 'sandbox/2467472377000000056', 1795387867644);
INSERT INTO public.credit_movement VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'pages', 1, 50, 50, 'sales', 'purchase', 'sandbox/2467472377000000057', 1795387867715);
INSERT INTO public.credit_movement VALUES ('680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing', 'pages', 1, 50, 50, 'sales', 'purchase', 'sandbox/2467472377000000058', 1795387867795);
INSERT INTO public.credit_movement VALUES ('680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing', 'pages', 2, -50, 0, 'spending', 'spend', 'print-all', 1795387867800);
INSERT INTO public.credit_movement VALUES ('680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing', 'pages', 3, -50, -50, 'refunds', 'refund', 'sandbox/2467472377000000058@1795387867813', 1795387867815);
INSERT INTO public.credit_movement VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', 'coins', 1, 20, 20, 'sales', 'purchase', 'sandbox/2467472377000000060', 1795387867908);
INSERT INTO public.credit_movement VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', 'coins', 2, -15, 5, 'spending', 'spend', 'game', 1795387867916);
INSERT INTO public.credit_movement VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', 'coins', 3, -20, -15, 'refunds', 'refund', 'sandbox/2467472377000000060@1795387867937', 1795387867940);
INSERT INTO public.credit_movement VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', 'coins', 4, 15, 0, 'shortfall', 'shortfall', 'sandbox/2467472377000000060@1795387867937', 1795387867940);
INSERT INTO public.credit_movement VALUES ('ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing', 'pages', 1, 50, 50, 'sales', 'purchase', 'sandbox/2467472377000000062', 1795387868022);
INSERT INTO public.credit_movement VALUES ('ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing', 'pages', 2, -8, 42, 'spending', 'spend', 'hers', 1795387868031);
INSERT INTO public.credit_movement VALUES ('c2aa33bd-549e-491e-b972-3a77e69f7c84', 'com.xamarin.storekit.testing', 'pages', 1, 50, 50, 'sales', 'purchase', 'sandbox/2467472377000000063', 1795387868093);
INSERT INTO public.credit_movement VALUES ('34fe6783-152b-41c8-b437-567f0573d5f9', 'com.xamarin.storekit.testing', 'pages', 1, 12, 12, 'grants', 'grant', 'sorry', 1795387868165);
INSERT INTO public.customer VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', NULL, 1795387867363, NULL, NULL);
INSERT INTO public.customer VALUES ('e8e90822-8938-48ae-b1e0-ab7d3d0f2f9b', NULL, 1795387867650, NULL, '26b1500e-ab74-4f59-aaa3-8edde9fcad6d');
INSERT INTO public.customer VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', NULL, 1795387867694, NULL, NULL);
INSERT INTO public.customer VALUES ('680ca505-43c1-42a9-b787-5a2c238a1159', NULL, 1795387867763, NULL, NULL);
INSERT INTO public.customer VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', NULL, 1795387867872, NULL, NULL);
INSERT INTO public.customer VALUES ('ed8fbf03-46e3-4296-9002-e311a91e0f71', 'https://identity.example.com olga', 1795387868014, NULL, NULL);
INSERT INTO public.customer VALUES ('c2aa33bd-549e-491e-b972-3a77e69f7c84', NULL, 1795387868045, 1795387868102, NULL);
INSERT INTO public.customer VALUES ('04a70719-536f-485e-8af1-bc95110217ce', NULL, 1795387868120, NULL, NULL);
INSERT INTO public.customer VALUES ('34fe6783-152b-41c8-b437-567f0573d5f9', NULL, 1795387868146, NULL, NULL);
INSERT INTO public.delivery VALUES ('ceec6a76-69af-4df4-8d1b-4d11c586bcb7', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', '2467472377000000052', 1795387867470, 1795387867560);
INSERT INTO public.delivery VALUES ('cb0f6236-d5c1-4739-a8a2-ad307f8e9f50', '26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', '2467472377000000052', 1795387867587, 1795387867738);
INSERT INTO public.delivery VALUES ('9b43610b-c70d-4382-a4bb-9802f2f5d0ad', '91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', '2467472377000000052', 1795387867738, NULL);
INSERT INTO public.delivery VALUES ('ddbd557e-505d-4883-a424-57a72f17478b', '34fe6783-152b-41c8-b437-567f0573d5f9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', 'grant:trial', 1795387868176, NULL);
INSERT INTO public.entitlement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', '2467472377000000052', 'purchased', 1795387867000, NULL, 1795387867738, 'transferred');
INSERT INTO public.entitlement VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', '2467472377000000052', 'purchased', 1795387867000, NULL, NULL, NULL);
INSERT INTO public.entitlement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.club.monthly', '2467472377000000053', 'purchased', 1795387867000, 1797979867000, 1795387867738, 'transferred');
INSERT INTO public.entitlement VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.club.monthly', '2467472377000000053', 'purchased', 1795387867000, 1797979867000, NULL, NULL);
INSERT INTO public.entitlement VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.season', '2467472377000000054', 'purchased', 1795387867000, 1797979867000, 1795387867738, 'transferred');
INSERT INTO public.entitlement VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.season', '2467472377000000054', 'purchased', 1795387867000, 1797979867000, NULL, NULL);
INSERT INTO public.entitlement VALUES ('ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.sepia', '2467472377000000061', 'purchased', 1795387867000, NULL, NULL, NULL);
INSERT INTO public.entitlement VALUES ('34fe6783-152b-41c8-b437-567f0573d5f9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.sepia', 'grant:gift', 'granted', 1795387868172, NULL, NULL, NULL);
INSERT INTO public.entitlement VALUES ('34fe6783-152b-41c8-b437-567f0573d5f9', 'com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', 'grant:trial', 'granted', 1795387868176, 4102444800000, NULL, NULL);
INSERT INTO public.ledger_fact VALUES ('anchors', '7473B0442284649EF722BA78F0501C0F6B9999B69FC225731F380D2344E442C7 C8AB91109C2BF0B56E8C9269FD35F23045ED03D5EFE1C96771FED5DCF4FE1FCB');
INSERT INTO public.ledger_fact VALUES ('created', '2026-11-22T22:51:07.104Z');
INSERT INTO public.ledger_fact VALUES ('id', '54c01ecf-8052-4d31-88d1-9d514a4799d2');
INSERT INTO public.ledger_migration VALUES ('1 ledger', 1795387867097);
INSERT INTO public.operator_key VALUES ('4d4c34d8-9f95-40a2-a657-766434377472', 'first', 'c05cdcc8d76cb6acf5ae1b397b2160822ca9ea0b14ab34e4bd35997fa2dfbacb', 1795387867143, NULL);
INSERT INTO public.operator_key VALUES ('0b80d781-dfe4-413c-a532-2a7b32b3e1dd', 'olaf', '7cb94bc98cafa7a51afc285aabd2f2ef6824ad47ad2320b9d6c60cd151db3906', 1795387868152, NULL);
INSERT INTO public.operator_key VALUES ('70fdd67c-3f09-4017-870e-d17f98286fa9', 'otto', '06bc5383f3036c4315fe07a798fff88e3fa9c6fc71d0774c488794652f25ec0b', 1795387868156, 1795387868161);
INSERT INTO public.product VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.consume50pages', 'Consumable', 'pages', 50, NULL, '{"de":{"description":"Zum Drucken","name":"Fünfzig Seiten"},"en":{"description":"To print","name":"Fifty pages"}}', 1, 0, 1795387867286);
INSERT INTO public.product VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.smallprint', 'Non-Consumable', NULL, 0, NULL, '{}', 1, 2, 1795387867313);
INSERT INTO public.product VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.book.encyclopedia', 'Non-Consumable', NULL, 0, NULL, '{}', 1, 1, 1795387867329);
INSERT INTO public.product VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.sepia', 'Non-Consumable', NULL, 0, NULL, '{}', 0, 0, 1795387867334);
INSERT INTO public.product VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.season', 'Non-Renewing Subscription', NULL, 0, 30, '{}', 1, 0, 1795387867338);
INSERT INTO public.product VALUES ('com.xamarin.storekit.testing', 'com.xamarin.storekit.testing.club.monthly', 'Auto-Renewable Subscription', NULL, 0, NULL, '{}', 1, 0, 1795387867342);
INSERT INTO public.product VALUES ('com.example.other', 'com.example.other.coins', 'Consumable', 'coins', 10, NULL, '{}', 1, 0, 1795387867350);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000051', 0, NULL, NULL, 0, 1795387867466, 1795387867470);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000055', 0, NULL, NULL, 0, 1795387867596, 1795387867615);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000056', 0, NULL, NULL, 0, 1795387867000, 1795387867644);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000057', 0, NULL, NULL, 0, 1795387867701, 1795387867715);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000052', 0, NULL, NULL, 0, 1795387867736, 1795387867738);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000053', 0, NULL, NULL, 0, 1795387867736, 1795387867738);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000058', 1, 1795387867000, 0, 100000, 1795387867856, 1795387867858);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000059', 1, 1795387867000, 0, 100000, 1795387867856, 1795387867858);
INSERT INTO public.statement VALUES ('com.example.other', 'Sandbox', '2467472377000000060', 1, 1795387867000, 0, 100000, 1795387867937, 1795387867940);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000061', 0, NULL, NULL, 0, 1795387868020, 1795387868022);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000062', 0, NULL, NULL, 0, 1795387868020, 1795387868022);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000063', 0, NULL, NULL, 0, 1795387868091, 1795387868093);
INSERT INTO public.statement VALUES ('com.xamarin.storekit.testing', 'Sandbox', '2467472377000000054', 0, NULL, NULL, 0, 1795387867736, 1795387867738);
INSERT INTO public.stored_proof VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'Sandbox', '8e41e3dea42c7957352929455714a6bbd9217948e17538e35d25eecf0a0c41f7', 'appReceipt', '\x3082132106092a864886f70d010702a08213123082130e020101310f300d060960864801650304020105003082063f06092a864886f70d010701a08206300482062c31820628300b0201010201010403020100300b02010b0201010403020100300b02010f0201010403020100300b0201100201010403020100300d02010302010104050c03312e32300d02011302010104050c03312e303018020104020102041040a3bc596eda5085a841ece5a770f8af301b02010002010104130c1150726f64756374696f6e53616e64626f78301c020105020101041410932763c0c8b30cdf8f80c20e5024498465acb6301e02010802010104161614323032362d31312d32325432323a35313a31305a301e02010c02010104161614323032362d31312d32325432323a35313a31305a301e02011202010104161614323031332d30382d30315430373a30303a30305a3026020102020101041e0c1c636f6d2e78616d6172696e2e73746f72656b69742e74657374696e673082012e0201110201010482012431820120300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020102300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303534301e020206a902010104150c1332343637343732333737303030303030303534301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a302e020206a602010104250c23636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e736561736f6e308201360201110201010482012c31820128300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020101300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303531301e020206a902010104150c1332343637343732333737303030303030303531301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3036020206a6020101042d0c2b636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e636f6e73756d6535307061676573308201370201110201010482012d31820129300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020100300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303532301e020206a902010104150c1332343637343732333737303030303030303532301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3037020206a6020101042e0c2c636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e626f6f6b2e736d616c6c7072696e743082014e0201110201010482014431820140300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020103300c020206ae0201010403020100300c020206b10201010403020100300c020206b702010104030201003012020206af0201010409020701e6a557ee2d54301e020206a702010104150c1332343637343732333737303030303030303533301e020206a902010104150c1332343637343732333737303030303030303533301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a301f020206ac02010104161614323032362d31322d32325432323a35313a30375a3034020206a6020101042b0c29636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e636c75622e6d6f6e74686c79a0820b19308203c7308202afa00302010202106dd0b15a39ca25d3cf3fc2400fc4f23a300d06092a864886f70d01010b05003057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67204341301e170d3236303130313030303030305a170d3237313233313233353935395a3059310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743133303106035504030c2a4f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67203230323630820122300d06092a864886f70d01010105000382010f003082010a0282010100a9cd720869376357d6812a865725fea1f143c49cd260508053bc4ccfa93feca5b99aa05ae43daed767f22f2263dd10a2c883c9e21cb54f3b117b1df9d2e104d503a0765364a126725b22e84c7b3df5e1ae76f7552aea2de7a44fc4fe3d67449629144bff3f81eb1a41f5dec8ff90a3a71299e0ae808b642f5ccc46ef0f27e1f4db2f65320473532761c9b5dd5e7d4d783bd88ac0264616b2d6e6082ef3c72b6ac23b9406be7977f839fbd18aa89672020c35714acb0b4640d83eee110246e39821b6ce10b0b5e65937bdd24700706c54ac309cbd4cbe2eb521d46dba9557ef442441a38e7b682ec644b989a00c576feedc87ed9424df6c4eedbfa98a4d9241bd0203010001a3818c308189300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414f85ef3408ff858e947ee922f347f8922cc72b809301f0603551d230418301680146603a32441bad87b076c1e1131451021ccbaf22330170603551d200410300e300c060a2a864886f763640506013010060a2a864886f76364060b0104020500300d06092a864886f70d01010b05000382010100424db1ea55e0520bf517f3acd2d56d8d5003a5892eb919761f8e3f77cff6e0e19821daeef4e5040346997363e8a9445d9cb5f9cf19437fdc2d4a87bc9068293a1323a891c81df94c4348fbd20d522450d619d1b71fc35c588613edce7477da2dcb878295044b8fcc35eec372f53dec3d22a6c969aa2b8b34bcde4f1eb61bafdc82c4ef2e38ae0106a355470d06ae8b6e7923c090ad9cbb6b2f4d690b67b81a5c5f6e373d9aa96a84264f96ed9c5205281ea17078a580d50a7428f4ff259bd61f3ba5b8b4d63900fcc5b97b5677103378a50f634c1aad5912708c5cd64d102dec015193c0a4ddf3ab3dfd49e3ec7dee30091c265260d9b078d16a36ead4d866d8308203af30820297a003020102021040883f30d394f7dc29b94caf0727020a300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434130820122300d06092a864886f70d01010105000382010f003082010a0282010100c62807d6b5745bdc50417e0b19bbd545e684de63d8f881926a583c4741d8403cf53bab85310f4f3cc87506cc5ea296d2275116288a2e9987f51c270dacca9fca7da6f08728bebb5e41cd3e4c22041ba2db6411ad352fa0c20454404f3162fc2bf0e3f390e231d15ec14494f8a4cf4854e2dbb44ec156ac92200640de278ebe573fa2a80afdf58a57832f05a51831c1a3913b25cb3a997ada55d3904a0d9ef18c15211fc02fc38e2e33b27fe01fa55416c4f333f399450d3b733376d9e8a047a11e67003f556e243eece22b174547ef78cf8a632cd1719739919f6d7d72be06c3a58af6b9da5b4036a353d1ff95732881fd6d1299ad9fd260eae35022d479fc910203010001a378307630120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e041604146603a32441bad87b076c1e1131451021ccbaf223301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa3010060a2a864886f7636406020104020500300d06092a864886f70d01010b050003820101003f2a421a0f4c18b49ddf1830ecd72f1a3ec7192305d3670e2e6bc7459b6ee53a92a0b97b77d9a60b18670ca714f5facc90bf13964822eed90f66e6ac9ba812d1f3ac247d6d8d636af8c0804467ea12481edacd635c48e02192fe67923f2955086fa42fdd6c439432e3cb15babb684713d6154053bc75f5979e5a286b53d226e0bd01732775fca76a4503fd46b175d8ffc005715219fa90d0fad3e6c7dd4b9cafa1caab611fe1882c4d860c3f52ed550223eba66c3c65626ae56552ae1487562ac45e244ef03a5981f765ab3d8965e93077a732b60d0969594e637934c205d6e2a9d25fc367b0ded5d125d3229dc6d5e3429a777337101d3060fefcd7bb5b18df308203973082027fa00302010202107d372d2a7f5e3ff856be0aeccf7e4807300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f7420434130820122300d06092a864886f70d01010105000382010f003082010a0282010100b5903f6b603789507710f21af4fe48e8f4fe9d52e3466a6844390ec07e95d6c20c5e742cc961fe5878021912d0d059c2de87d629785f458d0804d94a58a3fcfb3c63401cfd856184c01b8622c7721b870fca034355347f5c4ca022d65efacb739cff2a2c7028994d6659aaaaa77f5d413e74c69f77c766ca7a8d8118ed1c636bc76ae969de8e5c20c8d8464adbfe088a5bab8798beb93a222596f6bf940e7888b87ed51cf3cab53f4f09a8d463246e325693b2c829e07c04de92c82a42b3b81c8244ad46d30c52bf747ae42df9987468022feaa8bd250ec0ae727075c030c9105e0cdcc89697742c76b6000b09415fc7341ef493c125db9ed49ec4dd5f22ab2f0203010001a3633061300f0603551d130101ff040530030101ff300e0603551d0f0101ff040403020106301d0603551d0e0416041474c983d275e1baf779c2ec1a05630732a552b1fa301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa300d06092a864886f70d01010b05000382010100646e7ad5656312b4fbffc5cf5b75612fd84288b7a7cf0913db52ee148a69b528ed673b4cf3a6f7156a224b3a077aa4e59118ffbeb12d3846497537e4fb03c7bb5c8cea8640f6ff4ef8ea4ad68e7bc9dba464d7a045ef765e44011466e0c566d6f21f73173f64c921b9b74465b9c1ccadd08c590199ea47990c31915bdf750bb90db12a393cd514e6c2562d43d93a8467f4aff88c261fb08109591fca2f7eda0a47c70a2d1cc26411f73550f379939c6af887b9702deb83fe2a733b7956c0c8121d4a315d2162c60786249b2cfc6acc7b4ad3b1e243ba0e104772434e8380d357d8e7253e24b75c07f036b5d8a610e6bbe417ee4505effd197af16138651706753182019630820192020101306b3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434102106dd0b15a39ca25d3cf3fc2400fc4f23a300d06096086480165030402010500300d06092a864886f70d010101050004820100115b94746dd1a9a6512cd4e6afc816f322256e148bcbade0fc46cce72138419be7c26281acf66f4381a652c1372b820c3d7e41f85ba9aeabfd54ce27f7835465e9f974a6dfe33e34415746a7225fdb6f5bc050d91fa3644430bf3df9486211f8b6e0316f2e5ea8efe49b497d23826b0a53eabc58b88df46bcf60a67479df1a953073573e992220542514353bada2d7ad45f3bd8a0b55908c436874b213e08b9cea3d1ca3e8f134866ae3fb90767f3488b6279c386ade227a8f3f6bb7e95d404cd231d15ca063dda1b9470fd8c5b0ba6b0c805a97f12cbb9720333084c615e0df407556049da27c9970435f2de972cd801873bfa26ffbcf3c4870a68952f9d9fa', 1795387867466, 1795474267470);
INSERT INTO public.stored_proof VALUES ('26b1500e-ab74-4f59-aaa3-8edde9fcad6d', 'com.xamarin.storekit.testing', 'Sandbox', 'd937391fd8cbecde846f795fafd5ee4d34ebd755acb59bd8b8ff4b5865a2bfe3', 'legacyReceipt', '\x7b0a09227369676e617475726522203d202241317346364a37516f2b6e706a444e57744a413341745a7a5644326154796863796d4c69583072436f59667a7953532f6d50642f7461796a4378304e7861715073746e32472f494b526d49744e384648433566626f445a6c303036444b467575474a2f57617831316c36555966756a697837414f6f387075727255664e4830486b4c3778555a516f46533173727251534569594e693550787a4e6e59583571507a75315a52756f672b38727749513775586367557357557142305433336b476865364c7033657a5a4b593542517973684e756e48356f515037334d516139446a663933416678553854586e58634f313368473137456743324b736152726e4a686f4f316f2b7263496563372f4f4e70565a4b39595a615461785a346d367430524474517a71434c31686c6d66796261504a6b7739562f2b4158354e374f765873434d586b564d2b65576b6d30472b696e51473179715345414141504c4d494944787a434341712b67417749424167495162644378576a6e4b4a64505050384a41443854794f6a414e42676b71686b69473977304241517346414442584d517377435159445651514745774a56557a45564d424d47413155454367774d5433426c626c4e3062334a6c53326c304d5445774c77594456515144444368506347567555335276636d564c61585167525731316247463062334967556d566a5a576c7764434254615764756157356e49454e424d423458445449324d4445774d5441774d4441774d466f58445449334d54497a4d54497a4e546b314f566f775754454c4d416b474131554542684d4356564d784654415442674e5642416f4d444539775a573554644739795a5574706444457a4d44454741315545417777715433426c626c4e3062334a6c53326c3049455674645778686447397949464a6c593256706348516755326c6e626d6c755a7941794d4449324d494942496a414e42676b71686b6947397730424151454641414f43415138414d49494243674b43415145417163317943476b3359316657675371475679582b6f664644784a7a53594643415537784d7a366b2f374b57356d71426135443275313266794c794a6a335243697949504a34687931547a7352657833353075454531514f67646c4e6b6f535a7957794c6f5448733939654775647664564b756f7435365250785034395a3053574b52524c2f7a2b4236787042396437492f35436a70784b5a344b364169325176584d78473777386e346654624c32557942484e544a32484a74643165665531344f39694b77435a4746724c573567677538386372617349376c41612b655866344f667652697169576367494d4e58464b79777447514e672b3768454352754f594962624f454c4331356c6b3376644a4841484273564b77776e4c314d7669363149645274757056583730516b51614f4f65326775786b53356961414d56322f75334966746c4354666245377476366d4b545a4a4276514944415141426f34474d4d49474a4d41774741315564457745422f7751434d41417744675944565230504151482f42415144416765414d42304741315564446751574242543458764e416a2f6859365566756b69383066346b697a484b344354416642674e5648534d45474441576742526d41364d6b516272596577647348684578525241687a4c7279497a415842674e56485341454544414f4d417747436971475349623359325146426745774541594b4b6f5a496876646a5a41594c41515143425141774451594a4b6f5a496876634e4151454c425141446767454241454a4e736570563446494c3952667a724e4c56625931514136574a4c726b5a64682b4f50336650397544686d4348613776546c42414e476d584e6a364b6c45585a79312b63385a51332f634c557148764a426f4b546f54493669527942333554454e492b39494e5569525131686e5274782f4458466947452b334f644866614c6375486770554553342f4d4e653744637655393744306970736c707169754c4e4c7a655478363247362f63677354764c6a69754151616a5655634e4271364c626e6b6a774a43746e4c74724c30317043326534476c7866626a63396d716c7168435a506c7532635567556f48714677654b5741315170304b50542f4a5a7657487a756c754c54574f51443878626c37566e63514d33696c44324e4d4771315a456e434d584e5a4e4543337341564754774b5464383673392f556e6a374833754d416b634a6c4a673262423430576f32367454595a74673d223b0a092270757263686173652d696e666f22203d202265776f4a496d397961576470626d46734c584231636d4e6f59584e6c4c5752686447556949443067496a49774d6a59744d5445744d6a49674d6a49364e5445364d4463675258526a4c30644e5643493743676b6962334a705a326c75595777746348567959326868633255745a4746305a53317463794967505341694d5463354e544d344e7a67324e7a41774d43493743676b6962334a705a326c75595777746348567959326868633255745a4746305a5331776333516949443067496a49774d6a59744d5445744d6a49674d5451364e5445364d4463675157316c636d6c6a5953394d62334e665157356e5a57786c6379493743676b696348567959326868633255745a4746305a534967505341694d6a41794e6930784d5330794d6941794d6a6f314d546f774e79424664474d7652303155496a734b43534a7764584a6a6147467a5a53316b5958526c4c57317a49694139494349784e7a6b314d7a67334f4459334d444177496a734b43534a7764584a6a6147467a5a53316b5958526c4c58427a64434967505341694d6a41794e6930784d5330794d6941784e446f314d546f774e7942426257567961574e684c30787663313942626d646c6247567a496a734b43534a30636d46756332466a64476c76626931705a434967505341694d6a51324e7a51334d6a4d334e7a41774d4441774d4441314e69493743676b6962334a705a326c755957777464484a68626e4e6859335270623234746157516949443067496a49304e6a63304e7a497a4e7a63774d4441774d4441774e5459694f776f4a496e427962325231593351746157516949443067496d4e766253353459573168636d6c754c6e4e3062334a6c61326c304c6e526c63335270626d637559323975633356745a5455776347466e5a584d694f776f4a496e463159573530615852354969413949434979496a734b43534a70644756744c576c6b4969413949434977496a734b43534a696157516949443067496d4e766253353459573168636d6c754c6e4e3062334a6c61326c304c6e526c63335270626d63694f776f4a496d4a32636e4d6949443067496a45754d69493743676b69645735706358566c4c576c6b5a57353061575a705a58496949443067496a67354d5455794e57526b4e6d4a6b4e6a63334e6a4d354d4445324e546b79597a67774e6a56684f57457a4d44566c4d7a4269597a55694f776f4a496e5675615846315a5331325a57356b623349746157526c626e52705a6d6c6c63694967505341694d4441774d4441774d4441744d4441774d4330774d4441774c5441774d4441744d4441774d4441774d4441774d455934496a734b66513d3d223b0a0922656e7669726f6e6d656e7422203d202253616e64626f78223b0a0922706f6422203d2022313030223b0a09227369676e696e672d73746174757322203d202230223b0a7d', 1795387867000, 1795474267644);
INSERT INTO public.stored_proof VALUES ('91bd6629-3a8f-4e29-8ca6-2aec7a4ffbc9', 'com.xamarin.storekit.testing', 'Sandbox', '047373e193bde1bb95a6d3372b147a2464e284d21ef9b7a1e56e506d31d3693d', 'appReceipt', '\x3082132106092a864886f70d010702a08213123082130e020101310f300d060960864801650304020105003082063f06092a864886f70d010701a08206300482062c31820628300b0201010201010403020100300b02010b0201010403020100300b02010f0201010403020100300b0201100201010403020100300d02010302010104050c03312e32300d02011302010104050c03312e30301802010402010204106641a230f3da49bbded1f7113cacfa31301b02010002010104130c1150726f64756374696f6e53616e64626f78301c020105020101041439300a19e952d75e1b69a91f0c7c2e9f22ad8826301e02010802010104161614323032362d31312d32325432323a35313a31325a301e02010c02010104161614323032362d31312d32325432323a35313a31325a301e02011202010104161614323031332d30382d30315430373a30303a30305a3026020102020101041e0c1c636f6d2e78616d6172696e2e73746f72656b69742e74657374696e673082012e0201110201010482012431820120300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020102300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303534301e020206a902010104150c1332343637343732333737303030303030303534301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a302e020206a602010104250c23636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e736561736f6e308201360201110201010482012c31820128300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020101300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303537301e020206a902010104150c1332343637343732333737303030303030303537301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3036020206a6020101042d0c2b636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e636f6e73756d6535307061676573308201370201110201010482012d31820129300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020100300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303532301e020206a902010104150c1332343637343732333737303030303030303532301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3037020206a6020101042e0c2c636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e626f6f6b2e736d616c6c7072696e743082014e0201110201010482014431820140300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020103300c020206ae0201010403020100300c020206b10201010403020100300c020206b702010104030201003012020206af0201010409020701e6a557ee2d54301e020206a702010104150c1332343637343732333737303030303030303533301e020206a902010104150c1332343637343732333737303030303030303533301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a301f020206ac02010104161614323032362d31322d32325432323a35313a30375a3034020206a6020101042b0c29636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e636c75622e6d6f6e74686c79a0820b19308203c7308202afa00302010202106dd0b15a39ca25d3cf3fc2400fc4f23a300d06092a864886f70d01010b05003057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67204341301e170d3236303130313030303030305a170d3237313233313233353935395a3059310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743133303106035504030c2a4f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67203230323630820122300d06092a864886f70d01010105000382010f003082010a0282010100a9cd720869376357d6812a865725fea1f143c49cd260508053bc4ccfa93feca5b99aa05ae43daed767f22f2263dd10a2c883c9e21cb54f3b117b1df9d2e104d503a0765364a126725b22e84c7b3df5e1ae76f7552aea2de7a44fc4fe3d67449629144bff3f81eb1a41f5dec8ff90a3a71299e0ae808b642f5ccc46ef0f27e1f4db2f65320473532761c9b5dd5e7d4d783bd88ac0264616b2d6e6082ef3c72b6ac23b9406be7977f839fbd18aa89672020c35714acb0b4640d83eee110246e39821b6ce10b0b5e65937bdd24700706c54ac309cbd4cbe2eb521d46dba9557ef442441a38e7b682ec644b989a00c576feedc87ed9424df6c4eedbfa98a4d9241bd0203010001a3818c308189300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414f85ef3408ff858e947ee922f347f8922cc72b809301f0603551d230418301680146603a32441bad87b076c1e1131451021ccbaf22330170603551d200410300e300c060a2a864886f763640506013010060a2a864886f76364060b0104020500300d06092a864886f70d01010b05000382010100424db1ea55e0520bf517f3acd2d56d8d5003a5892eb919761f8e3f77cff6e0e19821daeef4e5040346997363e8a9445d9cb5f9cf19437fdc2d4a87bc9068293a1323a891c81df94c4348fbd20d522450d619d1b71fc35c588613edce7477da2dcb878295044b8fcc35eec372f53dec3d22a6c969aa2b8b34bcde4f1eb61bafdc82c4ef2e38ae0106a355470d06ae8b6e7923c090ad9cbb6b2f4d690b67b81a5c5f6e373d9aa96a84264f96ed9c5205281ea17078a580d50a7428f4ff259bd61f3ba5b8b4d63900fcc5b97b5677103378a50f634c1aad5912708c5cd64d102dec015193c0a4ddf3ab3dfd49e3ec7dee30091c265260d9b078d16a36ead4d866d8308203af30820297a003020102021040883f30d394f7dc29b94caf0727020a300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434130820122300d06092a864886f70d01010105000382010f003082010a0282010100c62807d6b5745bdc50417e0b19bbd545e684de63d8f881926a583c4741d8403cf53bab85310f4f3cc87506cc5ea296d2275116288a2e9987f51c270dacca9fca7da6f08728bebb5e41cd3e4c22041ba2db6411ad352fa0c20454404f3162fc2bf0e3f390e231d15ec14494f8a4cf4854e2dbb44ec156ac92200640de278ebe573fa2a80afdf58a57832f05a51831c1a3913b25cb3a997ada55d3904a0d9ef18c15211fc02fc38e2e33b27fe01fa55416c4f333f399450d3b733376d9e8a047a11e67003f556e243eece22b174547ef78cf8a632cd1719739919f6d7d72be06c3a58af6b9da5b4036a353d1ff95732881fd6d1299ad9fd260eae35022d479fc910203010001a378307630120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e041604146603a32441bad87b076c1e1131451021ccbaf223301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa3010060a2a864886f7636406020104020500300d06092a864886f70d01010b050003820101003f2a421a0f4c18b49ddf1830ecd72f1a3ec7192305d3670e2e6bc7459b6ee53a92a0b97b77d9a60b18670ca714f5facc90bf13964822eed90f66e6ac9ba812d1f3ac247d6d8d636af8c0804467ea12481edacd635c48e02192fe67923f2955086fa42fdd6c439432e3cb15babb684713d6154053bc75f5979e5a286b53d226e0bd01732775fca76a4503fd46b175d8ffc005715219fa90d0fad3e6c7dd4b9cafa1caab611fe1882c4d860c3f52ed550223eba66c3c65626ae56552ae1487562ac45e244ef03a5981f765ab3d8965e93077a732b60d0969594e637934c205d6e2a9d25fc367b0ded5d125d3229dc6d5e3429a777337101d3060fefcd7bb5b18df308203973082027fa00302010202107d372d2a7f5e3ff856be0aeccf7e4807300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f7420434130820122300d06092a864886f70d01010105000382010f003082010a0282010100b5903f6b603789507710f21af4fe48e8f4fe9d52e3466a6844390ec07e95d6c20c5e742cc961fe5878021912d0d059c2de87d629785f458d0804d94a58a3fcfb3c63401cfd856184c01b8622c7721b870fca034355347f5c4ca022d65efacb739cff2a2c7028994d6659aaaaa77f5d413e74c69f77c766ca7a8d8118ed1c636bc76ae969de8e5c20c8d8464adbfe088a5bab8798beb93a222596f6bf940e7888b87ed51cf3cab53f4f09a8d463246e325693b2c829e07c04de92c82a42b3b81c8244ad46d30c52bf747ae42df9987468022feaa8bd250ec0ae727075c030c9105e0cdcc89697742c76b6000b09415fc7341ef493c125db9ed49ec4dd5f22ab2f0203010001a3633061300f0603551d130101ff040530030101ff300e0603551d0f0101ff040403020106301d0603551d0e0416041474c983d275e1baf779c2ec1a05630732a552b1fa301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa300d06092a864886f70d01010b05000382010100646e7ad5656312b4fbffc5cf5b75612fd84288b7a7cf0913db52ee148a69b528ed673b4cf3a6f7156a224b3a077aa4e59118ffbeb12d3846497537e4fb03c7bb5c8cea8640f6ff4ef8ea4ad68e7bc9dba464d7a045ef765e44011466e0c566d6f21f73173f64c921b9b74465b9c1ccadd08c590199ea47990c31915bdf750bb90db12a393cd514e6c2562d43d93a8467f4aff88c261fb08109591fca2f7eda0a47c70a2d1cc26411f73550f379939c6af887b9702deb83fe2a733b7956c0c8121d4a315d2162c60786249b2cfc6acc7b4ad3b1e243ba0e104772434e8380d357d8e7253e24b75c07f036b5d8a610e6bbe417ee4505effd197af16138651706753182019630820192020101306b3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434102106dd0b15a39ca25d3cf3fc2400fc4f23a300d06096086480165030402010500300d06092a864886f70d01010105000482010016aa5938def671926ff4e6260e04f204bffbeb2122b4f945206d7f44298cda25243aeb9ab7428dcfd73d7882de5195f0099c829c8eb4931ba0954b9b19b8d3c3da718c0526299cd3765ad9f7891c6bf46bb182553bb3bcbf6806523281a56a992df63d1a7093a93ea7ffed75b577ab3faa5d80d043806341fb0abb3a0a21363f69d2aea3119cd19f26eeb91c5c5487436d8a6aafefe3832505cf96a986f4e55f0830244f8dea6eb2c8053f017f0660a12222ae986e37e63ffc6b9d8e96c7419e49bba3d7194cf46b98f41ec13613d7bb3c8258b94ed949e75da6588d9a9f6d6ea9c43f0bb314d920ac1234c3ae22b8efbd026ebaa26656ca7b2516b76f40e28c', 1795387867736, 1795474267738);
INSERT INTO public.stored_proof VALUES ('680ca505-43c1-42a9-b787-5a2c238a1159', 'com.xamarin.storekit.testing', 'Sandbox', 'd8134e7dae9bb7cf223fefa755bd553951907d1ef6db2ad3cd9f04261805743a', 'appReceipt', '\x30820f6206092a864886f70d010702a0820f5330820f4f020101310f300d060960864801650304020105003082028006092a864886f70d010701a08202710482026d31820269300b0201010201010403020100300b02010b0201010403020100300b02010f0201010403020100300b0201100201010403020100300d02010302010104050c03312e32300d02011302010104050c03312e30301802010402010204102cd3433a96dc7f12662891907d874301301b02010002010104130c1150726f64756374696f6e53616e64626f78301c0201050201010414233b5d9a80f7da8328ae7bf84e63f73d76b9d35e301e02010802010104161614323032362d31312d32325432323a35313a31325a301e02010c02010104161614323032362d31312d32325432323a35313a31325a301e02011202010104161614323031332d30382d30315430373a30303a30305a3026020102020101041e0c1c636f6d2e78616d6172696e2e73746f72656b69742e74657374696e67308201360201110201010482012c31820128300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020101300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303538301e020206a902010104150c1332343637343732333737303030303030303538301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3036020206a6020101042d0c2b636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e636f6e73756d6535307061676573a0820b19308203c7308202afa00302010202106dd0b15a39ca25d3cf3fc2400fc4f23a300d06092a864886f70d01010b05003057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67204341301e170d3236303130313030303030305a170d3237313233313233353935395a3059310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743133303106035504030c2a4f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67203230323630820122300d06092a864886f70d01010105000382010f003082010a0282010100a9cd720869376357d6812a865725fea1f143c49cd260508053bc4ccfa93feca5b99aa05ae43daed767f22f2263dd10a2c883c9e21cb54f3b117b1df9d2e104d503a0765364a126725b22e84c7b3df5e1ae76f7552aea2de7a44fc4fe3d67449629144bff3f81eb1a41f5dec8ff90a3a71299e0ae808b642f5ccc46ef0f27e1f4db2f65320473532761c9b5dd5e7d4d783bd88ac0264616b2d6e6082ef3c72b6ac23b9406be7977f839fbd18aa89672020c35714acb0b4640d83eee110246e39821b6ce10b0b5e65937bdd24700706c54ac309cbd4cbe2eb521d46dba9557ef442441a38e7b682ec644b989a00c576feedc87ed9424df6c4eedbfa98a4d9241bd0203010001a3818c308189300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414f85ef3408ff858e947ee922f347f8922cc72b809301f0603551d230418301680146603a32441bad87b076c1e1131451021ccbaf22330170603551d200410300e300c060a2a864886f763640506013010060a2a864886f76364060b0104020500300d06092a864886f70d01010b05000382010100424db1ea55e0520bf517f3acd2d56d8d5003a5892eb919761f8e3f77cff6e0e19821daeef4e5040346997363e8a9445d9cb5f9cf19437fdc2d4a87bc9068293a1323a891c81df94c4348fbd20d522450d619d1b71fc35c588613edce7477da2dcb878295044b8fcc35eec372f53dec3d22a6c969aa2b8b34bcde4f1eb61bafdc82c4ef2e38ae0106a355470d06ae8b6e7923c090ad9cbb6b2f4d690b67b81a5c5f6e373d9aa96a84264f96ed9c5205281ea17078a580d50a7428f4ff259bd61f3ba5b8b4d63900fcc5b97b5677103378a50f634c1aad5912708c5cd64d102dec015193c0a4ddf3ab3dfd49e3ec7dee30091c265260d9b078d16a36ead4d866d8308203af30820297a003020102021040883f30d394f7dc29b94caf0727020a300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434130820122300d06092a864886f70d01010105000382010f003082010a0282010100c62807d6b5745bdc50417e0b19bbd545e684de63d8f881926a583c4741d8403cf53bab85310f4f3cc87506cc5ea296d2275116288a2e9987f51c270dacca9fca7da6f08728bebb5e41cd3e4c22041ba2db6411ad352fa0c20454404f3162fc2bf0e3f390e231d15ec14494f8a4cf4854e2dbb44ec156ac92200640de278ebe573fa2a80afdf58a57832f05a51831c1a3913b25cb3a997ada55d3904a0d9ef18c15211fc02fc38e2e33b27fe01fa55416c4f333f399450d3b733376d9e8a047a11e67003f556e243eece22b174547ef78cf8a632cd1719739919f6d7d72be06c3a58af6b9da5b4036a353d1ff95732881fd6d1299ad9fd260eae35022d479fc910203010001a378307630120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e041604146603a32441bad87b076c1e1131451021ccbaf223301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa3010060a2a864886f7636406020104020500300d06092a864886f70d01010b050003820101003f2a421a0f4c18b49ddf1830ecd72f1a3ec7192305d3670e2e6bc7459b6ee53a92a0b97b77d9a60b18670ca714f5facc90bf13964822eed90f66e6ac9ba812d1f3ac247d6d8d636af8c0804467ea12481edacd635c48e02192fe67923f2955086fa42fdd6c439432e3cb15babb684713d6154053bc75f5979e5a286b53d226e0bd01732775fca76a4503fd46b175d8ffc005715219fa90d0fad3e6c7dd4b9cafa1caab611fe1882c4d860c3f52ed550223eba66c3c65626ae56552ae1487562ac45e244ef03a5981f765ab3d8965e93077a732b60d0969594e637934c205d6e2a9d25fc367b0ded5d125d3229dc6d5e3429a777337101d3060fefcd7bb5b18df308203973082027fa00302010202107d372d2a7f5e3ff856be0aeccf7e4807300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f7420434130820122300d06092a864886f70d01010105000382010f003082010a0282010100b5903f6b603789507710f21af4fe48e8f4fe9d52e3466a6844390ec07e95d6c20c5e742cc961fe5878021912d0d059c2de87d629785f458d0804d94a58a3fcfb3c63401cfd856184c01b8622c7721b870fca034355347f5c4ca022d65efacb739cff2a2c7028994d6659aaaaa77f5d413e74c69f77c766ca7a8d8118ed1c636bc76ae969de8e5c20c8d8464adbfe088a5bab8798beb93a222596f6bf940e7888b87ed51cf3cab53f4f09a8d463246e325693b2c829e07c04de92c82a42b3b81c8244ad46d30c52bf747ae42df9987468022feaa8bd250ec0ae727075c030c9105e0cdcc89697742c76b6000b09415fc7341ef493c125db9ed49ec4dd5f22ab2f0203010001a3633061300f0603551d130101ff040530030101ff300e0603551d0f0101ff040403020106301d0603551d0e0416041474c983d275e1baf779c2ec1a05630732a552b1fa301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa300d06092a864886f70d01010b05000382010100646e7ad5656312b4fbffc5cf5b75612fd84288b7a7cf0913db52ee148a69b528ed673b4cf3a6f7156a224b3a077aa4e59118ffbeb12d3846497537e4fb03c7bb5c8cea8640f6ff4ef8ea4ad68e7bc9dba464d7a045ef765e44011466e0c566d6f21f73173f64c921b9b74465b9c1ccadd08c590199ea47990c31915bdf750bb90db12a393cd514e6c2562d43d93a8467f4aff88c261fb08109591fca2f7eda0a47c70a2d1cc26411f73550f379939c6af887b9702deb83fe2a733b7956c0c8121d4a315d2162c60786249b2cfc6acc7b4ad3b1e243ba0e104772434e8380d357d8e7253e24b75c07f036b5d8a610e6bbe417ee4505effd197af16138651706753182019630820192020101306b3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434102106dd0b15a39ca25d3cf3fc2400fc4f23a300d06096086480165030402010500300d06092a864886f70d0101010500048201004ae3cc9f676830a11b04c31534aedf53cd0a4e3b231db1c7302d964892dba4d241dc5975e20e2385389011ade840d90e6a4ae5f19175bbcdf9037ae70eff386c6da62aded777f5d08f2f0bd99368666320277c805aa92aa6972ea932a32b18857e4caa28b2b05fedc973081859c47356986292bdab45df497bb94595a58c5e1fb71c25a532b4ce7fc8f8c0ad997d19f58539e687701fedba1cfacf93b136de5d4c4e77bbe742bdda6e28babb19ec06b61081ccab3ca791645399f3f5791ce5415dcf24f0ed9227698794240f688f8b57dca5527be387da900089fc295b4987ff1c9b757475719205217b5c50ad0a3b5a5409fa8ae7c519d0e4652066454ecd19', 1795387867793, 1795474267795);
INSERT INTO public.stored_proof VALUES ('72c07aa9-c6ce-41f1-a16e-4976b6f12302', 'com.example.other', 'Sandbox', 'c95977b7516e296aca969f9fba3925451ed3c5c8908ca898fc803fdb68efacf6', 'appReceipt', '\x30820f4306092a864886f70d010702a0820f3430820f30020101310f300d060960864801650304020105003082026106092a864886f70d010701a08202520482024e3182024a300b0201010201010403020100300b02010b0201010403020100300b02010f0201010403020100300b0201100201010403020100300d02010302010104050c03312e32300d02011302010104050c03312e30301802010402010204105e59c9cd43a7320205aec0a7ed757aff301b02010002010104130c1150726f64756374696f6e53616e64626f78301b02010202010104130c11636f6d2e6578616d706c652e6f74686572301c0201050201010414f02f5bf6119be20d2da37a4323469f39249bd71e301e02010802010104161614323032362d31312d32325432323a35313a31345a301e02010c02010104161614323032362d31312d32325432323a35313a31345a301e02011202010104161614323031332d30382d30315430373a30303a30305a308201220201110201010482011831820114300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020102300c020206ab0201010403020101300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303630301e020206a902010104150c1332343637343732333737303030303030303630301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3022020206a602010104190c17636f6d2e6578616d706c652e6f746865722e636f696e73a0820b19308203c7308202afa00302010202106dd0b15a39ca25d3cf3fc2400fc4f23a300d06092a864886f70d01010b05003057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67204341301e170d3236303130313030303030305a170d3237313233313233353935395a3059310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743133303106035504030c2a4f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67203230323630820122300d06092a864886f70d01010105000382010f003082010a0282010100a9cd720869376357d6812a865725fea1f143c49cd260508053bc4ccfa93feca5b99aa05ae43daed767f22f2263dd10a2c883c9e21cb54f3b117b1df9d2e104d503a0765364a126725b22e84c7b3df5e1ae76f7552aea2de7a44fc4fe3d67449629144bff3f81eb1a41f5dec8ff90a3a71299e0ae808b642f5ccc46ef0f27e1f4db2f65320473532761c9b5dd5e7d4d783bd88ac0264616b2d6e6082ef3c72b6ac23b9406be7977f839fbd18aa89672020c35714acb0b4640d83eee110246e39821b6ce10b0b5e65937bdd24700706c54ac309cbd4cbe2eb521d46dba9557ef442441a38e7b682ec644b989a00c576feedc87ed9424df6c4eedbfa98a4d9241bd0203010001a3818c308189300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414f85ef3408ff858e947ee922f347f8922cc72b809301f0603551d230418301680146603a32441bad87b076c1e1131451021ccbaf22330170603551d200410300e300c060a2a864886f763640506013010060a2a864886f76364060b0104020500300d06092a864886f70d01010b05000382010100424db1ea55e0520bf517f3acd2d56d8d5003a5892eb919761f8e3f77cff6e0e19821daeef4e5040346997363e8a9445d9cb5f9cf19437fdc2d4a87bc9068293a1323a891c81df94c4348fbd20d522450d619d1b71fc35c588613edce7477da2dcb878295044b8fcc35eec372f53dec3d22a6c969aa2b8b34bcde4f1eb61bafdc82c4ef2e38ae0106a355470d06ae8b6e7923c090ad9cbb6b2f4d690b67b81a5c5f6e373d9aa96a84264f96ed9c5205281ea17078a580d50a7428f4ff259bd61f3ba5b8b4d63900fcc5b97b5677103378a50f634c1aad5912708c5cd64d102dec015193c0a4ddf3ab3dfd49e3ec7dee30091c265260d9b078d16a36ead4d866d8308203af30820297a003020102021040883f30d394f7dc29b94caf0727020a300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434130820122300d06092a864886f70d01010105000382010f003082010a0282010100c62807d6b5745bdc50417e0b19bbd545e684de63d8f881926a583c4741d8403cf53bab85310f4f3cc87506cc5ea296d2275116288a2e9987f51c270dacca9fca7da6f08728bebb5e41cd3e4c22041ba2db6411ad352fa0c20454404f3162fc2bf0e3f390e231d15ec14494f8a4cf4854e2dbb44ec156ac92200640de278ebe573fa2a80afdf58a57832f05a51831c1a3913b25cb3a997ada55d3904a0d9ef18c15211fc02fc38e2e33b27fe01fa55416c4f333f399450d3b733376d9e8a047a11e67003f556e243eece22b174547ef78cf8a632cd1719739919f6d7d72be06c3a58af6b9da5b4036a353d1ff95732881fd6d1299ad9fd260eae35022d479fc910203010001a378307630120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e041604146603a32441bad87b076c1e1131451021ccbaf223301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa3010060a2a864886f7636406020104020500300d06092a864886f70d01010b050003820101003f2a421a0f4c18b49ddf1830ecd72f1a3ec7192305d3670e2e6bc7459b6ee53a92a0b97b77d9a60b18670ca714f5facc90bf13964822eed90f66e6ac9ba812d1f3ac247d6d8d636af8c0804467ea12481edacd635c48e02192fe67923f2955086fa42fdd6c439432e3cb15babb684713d6154053bc75f5979e5a286b53d226e0bd01732775fca76a4503fd46b175d8ffc005715219fa90d0fad3e6c7dd4b9cafa1caab611fe1882c4d860c3f52ed550223eba66c3c65626ae56552ae1487562ac45e244ef03a5981f765ab3d8965e93077a732b60d0969594e637934c205d6e2a9d25fc367b0ded5d125d3229dc6d5e3429a777337101d3060fefcd7bb5b18df308203973082027fa00302010202107d372d2a7f5e3ff856be0aeccf7e4807300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f7420434130820122300d06092a864886f70d01010105000382010f003082010a0282010100b5903f6b603789507710f21af4fe48e8f4fe9d52e3466a6844390ec07e95d6c20c5e742cc961fe5878021912d0d059c2de87d629785f458d0804d94a58a3fcfb3c63401cfd856184c01b8622c7721b870fca034355347f5c4ca022d65efacb739cff2a2c7028994d6659aaaaa77f5d413e74c69f77c766ca7a8d8118ed1c636bc76ae969de8e5c20c8d8464adbfe088a5bab8798beb93a222596f6bf940e7888b87ed51cf3cab53f4f09a8d463246e325693b2c829e07c04de92c82a42b3b81c8244ad46d30c52bf747ae42df9987468022feaa8bd250ec0ae727075c030c9105e0cdcc89697742c76b6000b09415fc7341ef493c125db9ed49ec4dd5f22ab2f0203010001a3633061300f0603551d130101ff040530030101ff300e0603551d0f0101ff040403020106301d0603551d0e0416041474c983d275e1baf779c2ec1a05630732a552b1fa301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa300d06092a864886f70d01010b05000382010100646e7ad5656312b4fbffc5cf5b75612fd84288b7a7cf0913db52ee148a69b528ed673b4cf3a6f7156a224b3a077aa4e59118ffbeb12d3846497537e4fb03c7bb5c8cea8640f6ff4ef8ea4ad68e7bc9dba464d7a045ef765e44011466e0c566d6f21f73173f64c921b9b74465b9c1ccadd08c590199ea47990c31915bdf750bb90db12a393cd514e6c2562d43d93a8467f4aff88c261fb08109591fca2f7eda0a47c70a2d1cc26411f73550f379939c6af887b9702deb83fe2a733b7956c0c8121d4a315d2162c60786249b2cfc6acc7b4ad3b1e243ba0e104772434e8380d357d8e7253e24b75c07f036b5d8a610e6bbe417ee4505effd197af16138651706753182019630820192020101306b3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434102106dd0b15a39ca25d3cf3fc2400fc4f23a300d06096086480165030402010500300d06092a864886f70d0101010500048201003356983a1e990150f696554f2dfa640496514856bd708ac81f30abf98569a2956b4c352e45b1d4320f86287983605433f2d300265c4e3f99ac3e88ede7d0b1e26fa07d304a6c950cc90c47ea7060d48e87fe6355d2e2692a862b620d2e62b3ccd333b1cf147faad74b777edbff0a27aced20b3e5ee99ad32e23726eb489c3ddaaf9cfe808633f31ee3075db481a40f0b9e02c266d40a95b7246789b0ddcf474b8442d66ecf8795625e074d4cbebd3e81633f33e6eeb7055ade0af5e465afa139f69039dc58e27c1aea4715047af3181955d06f8b69347f356c10ac443d3fd450fba57f736793a75c32225cf1655c4f701a7afd37885258b9b55723c34040370b', 1795387867906, 1795474267908);
INSERT INTO public.stored_proof VALUES ('ed8fbf03-46e3-4296-9002-e311a91e0f71', 'com.xamarin.storekit.testing', 'Sandbox', '4562f661e0df871df9b9c9eed577b680e4248c36791181501d5fa47630f629e8', 'appReceipt', '\x3082109306092a864886f70d010702a082108430821080020101310f300d06096086480165030402010500308203b106092a864886f70d010701a08203a20482039e3182039a300b0201010201010403020100300b02010b0201010403020100300b02010f0201010403020100300b0201100201010403020100300d02010302010104050c03312e32300d02011302010104050c03312e3030180201040201020410467f4f1d0028d4a0f012993fdea92654301b02010002010104130c1150726f64756374696f6e53616e64626f78301c0201050201010414dc6ff67aab03a00d886b3a334c8742a71b023d0a301e02010802010104161614323032362d31312d32325432323a35313a31355a301e02010c02010104161614323032362d31312d32325432323a35313a31355a301e02011202010104161614323031332d30382d30315430373a30303a30305a3026020102020101041e0c1c636f6d2e78616d6172696e2e73746f72656b69742e74657374696e673082012d020111020101048201233182011f300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020100300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303631301e020206a902010104150c1332343637343732333737303030303030303631301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a302d020206a602010104240c22636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e7365706961308201360201110201010482012c31820128300b020206ac02010104021600300b020206b002010104021600300c020206a50201010403020101300c020206ab0201010403020101300c020206ae0201010403020100300c020206af0201010403020100300c020206b10201010403020100300c020206b70201010403020100301e020206a702010104150c1332343637343732333737303030303030303632301e020206a902010104150c1332343637343732333737303030303030303632301f020206a802010104161614323032362d31312d32325432323a35313a30375a301f020206aa02010104161614323032362d31312d32325432323a35313a30375a3036020206a6020101042d0c2b636f6d2e78616d6172696e2e73746f72656b69742e74657374696e672e636f6e73756d6535307061676573a0820b19308203c7308202afa00302010202106dd0b15a39ca25d3cf3fc2400fc4f23a300d06092a864886f70d01010b05003057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67204341301e170d3236303130313030303030305a170d3237313233313233353935395a3059310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743133303106035504030c2a4f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e67203230323630820122300d06092a864886f70d01010105000382010f003082010a0282010100a9cd720869376357d6812a865725fea1f143c49cd260508053bc4ccfa93feca5b99aa05ae43daed767f22f2263dd10a2c883c9e21cb54f3b117b1df9d2e104d503a0765364a126725b22e84c7b3df5e1ae76f7552aea2de7a44fc4fe3d67449629144bff3f81eb1a41f5dec8ff90a3a71299e0ae808b642f5ccc46ef0f27e1f4db2f65320473532761c9b5dd5e7d4d783bd88ac0264616b2d6e6082ef3c72b6ac23b9406be7977f839fbd18aa89672020c35714acb0b4640d83eee110246e39821b6ce10b0b5e65937bdd24700706c54ac309cbd4cbe2eb521d46dba9557ef442441a38e7b682ec644b989a00c576feedc87ed9424df6c4eedbfa98a4d9241bd0203010001a3818c308189300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414f85ef3408ff858e947ee922f347f8922cc72b809301f0603551d230418301680146603a32441bad87b076c1e1131451021ccbaf22330170603551d200410300e300c060a2a864886f763640506013010060a2a864886f76364060b0104020500300d06092a864886f70d01010b05000382010100424db1ea55e0520bf517f3acd2d56d8d5003a5892eb919761f8e3f77cff6e0e19821daeef4e5040346997363e8a9445d9cb5f9cf19437fdc2d4a87bc9068293a1323a891c81df94c4348fbd20d522450d619d1b71fc35c588613edce7477da2dcb878295044b8fcc35eec372f53dec3d22a6c969aa2b8b34bcde4f1eb61bafdc82c4ef2e38ae0106a355470d06ae8b6e7923c090ad9cbb6b2f4d690b67b81a5c5f6e373d9aa96a84264f96ed9c5205281ea17078a580d50a7428f4ff259bd61f3ba5b8b4d63900fcc5b97b5677103378a50f634c1aad5912708c5cd64d102dec015193c0a4ddf3ab3dfd49e3ec7dee30091c265260d9b078d16a36ead4d866d8308203af30820297a003020102021040883f30d394f7dc29b94caf0727020a300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434130820122300d06092a864886f70d01010105000382010f003082010a0282010100c62807d6b5745bdc50417e0b19bbd545e684de63d8f881926a583c4741d8403cf53bab85310f4f3cc87506cc5ea296d2275116288a2e9987f51c270dacca9fca7da6f08728bebb5e41cd3e4c22041ba2db6411ad352fa0c20454404f3162fc2bf0e3f390e231d15ec14494f8a4cf4854e2dbb44ec156ac92200640de278ebe573fa2a80afdf58a57832f05a51831c1a3913b25cb3a997ada55d3904a0d9ef18c15211fc02fc38e2e33b27fe01fa55416c4f333f399450d3b733376d9e8a047a11e67003f556e243eece22b174547ef78cf8a632cd1719739919f6d7d72be06c3a58af6b9da5b4036a353d1ff95732881fd6d1299ad9fd260eae35022d479fc910203010001a378307630120603551d130101ff040830060101ff020100300e0603551d0f0101ff040403020106301d0603551d0e041604146603a32441bad87b076c1e1131451021ccbaf223301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa3010060a2a864886f7636406020104020500300d06092a864886f70d01010b050003820101003f2a421a0f4c18b49ddf1830ecd72f1a3ec7192305d3670e2e6bc7459b6ee53a92a0b97b77d9a60b18670ca714f5facc90bf13964822eed90f66e6ac9ba812d1f3ac247d6d8d636af8c0804467ea12481edacd635c48e02192fe67923f2955086fa42fdd6c439432e3cb15babb684713d6154053bc75f5979e5a286b53d226e0bd01732775fca76a4503fd46b175d8ffc005715219fa90d0fad3e6c7dd4b9cafa1caab611fe1882c4d860c3f52ed550223eba66c3c65626ae56552ae1487562ac45e244ef03a5981f765ab3d8965e93077a732b60d0969594e637934c205d6e2a9d25fc367b0ded5d125d3229dc6d5e3429a777337101d3060fefcd7bb5b18df308203973082027fa00302010202107d372d2a7f5e3ff856be0aeccf7e4807300d06092a864886f70d01010b05003054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f742043413020170d3134303130313030303030305a180f32303633313233313233353935395a3054310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b6974312e302c06035504030c254f70656e53746f72654b697420456d756c61746f72205265636569707420526f6f7420434130820122300d06092a864886f70d01010105000382010f003082010a0282010100b5903f6b603789507710f21af4fe48e8f4fe9d52e3466a6844390ec07e95d6c20c5e742cc961fe5878021912d0d059c2de87d629785f458d0804d94a58a3fcfb3c63401cfd856184c01b8622c7721b870fca034355347f5c4ca022d65efacb739cff2a2c7028994d6659aaaaa77f5d413e74c69f77c766ca7a8d8118ed1c636bc76ae969de8e5c20c8d8464adbfe088a5bab8798beb93a222596f6bf940e7888b87ed51cf3cab53f4f09a8d463246e325693b2c829e07c04de92c82a42b3b81c8244ad46d30c52bf747ae42df9987468022feaa8bd250ec0ae727075c030c9105e0cdcc89697742c76b6000b09415fc7341ef493c125db9ed49ec4dd5f22ab2f0203010001a3633061300f0603551d130101ff040530030101ff300e0603551d0f0101ff040403020106301d0603551d0e0416041474c983d275e1baf779c2ec1a05630732a552b1fa301f0603551d2304183016801474c983d275e1baf779c2ec1a05630732a552b1fa300d06092a864886f70d01010b05000382010100646e7ad5656312b4fbffc5cf5b75612fd84288b7a7cf0913db52ee148a69b528ed673b4cf3a6f7156a224b3a077aa4e59118ffbeb12d3846497537e4fb03c7bb5c8cea8640f6ff4ef8ea4ad68e7bc9dba464d7a045ef765e44011466e0c566d6f21f73173f64c921b9b74465b9c1ccadd08c590199ea47990c31915bdf750bb90db12a393cd514e6c2562d43d93a8467f4aff88c261fb08109591fca2f7eda0a47c70a2d1cc26411f73550f379939c6af887b9702deb83fe2a733b7956c0c8121d4a315d2162c60786249b2cfc6acc7b4ad3b1e243ba0e104772434e8380d357d8e7253e24b75c07f036b5d8a610e6bbe417ee4505effd197af16138651706753182019630820192020101306b3057310b300906035504061302555331153013060355040a0c0c4f70656e53746f72654b69743131302f06035504030c284f70656e53746f72654b697420456d756c61746f722052656365697074205369676e696e6720434102106dd0b15a39ca25d3cf3fc2400fc4f23a300d06096086480165030402010500300d06092a864886f70d010101050004820100052e5bb0e219bebf122f457fbbc1a5ca7848668c402180b6fb751837aacb0e0fd7e9caac32bdd50414ad8f6371f25a314fda453c2d5d49dc22eb967743053804c375877d30bb1009f1c2bce4f36259ee8459f75d3117afd819b093d67a7be50462c46af12f1e346c84db8bb43a8b70f6551fb3ebd98eaa2e95600a63b480bb88cca5a7f2b79747431d03638fd08b8af7ecfcf91a284f7d3fe3750cc3333ad36209a36a775c1fdb3fa27dc4be7b240907f6bbde0f5425b184a3991b9e24927a87fdc6d9478c8c9d0feac001ec5f41657297b119757ac56274f2702c261ffd2292d2642dabf8c612cfd91bb797ff54cb1f8aada0698150b8fe81e8452c723b16f2', 1795387868020, 1795474268022);
ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (date, id);
ALTER TABLE ONLY public.bearer_token
    ADD CONSTRAINT bearer_token_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.catalog
    ADD CONSTRAINT catalog_pkey PRIMARY KEY (app);
ALTER TABLE ONLY public.claim_period
    ADD CONSTRAINT claim_period_pkey PRIMARY KEY (app, environment, id);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (app, environment, id);
ALTER TABLE ONLY public.claim_transfer
    ADD CONSTRAINT claim_transfer_pkey PRIMARY KEY (app, environment, id, date, to_customer);
ALTER TABLE ONLY public.content_file
    ADD CONSTRAINT content_file_pkey PRIMARY KEY (app, product, version, name);
ALTER TABLE ONLY public.credit_account
    ADD CONSTRAINT credit_account_pkey PRIMARY KEY (customer, app, unit);
ALTER TABLE ONLY public.credit_movement
    ADD CONSTRAINT credit_movement_pkey PRIMARY KEY (customer, app, unit, sequence);
ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_subject_key UNIQUE (subject);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.entitlement
    ADD CONSTRAINT entitlement_pkey PRIMARY KEY (customer, app, product, source);
ALTER TABLE ONLY public.ledger_fact
    ADD CONSTRAINT ledger_fact_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.ledger_migration
    ADD CONSTRAINT ledger_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.operator_key
    ADD CONSTRAINT operator_key_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.operator_key
    ADD CONSTRAINT operator_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (app, id);
ALTER TABLE ONLY public.statement
    ADD CONSTRAINT statement_pkey PRIMARY KEY (app, environment, id);
ALTER TABLE ONLY public.stored_proof
    ADD CONSTRAINT stored_proof_pkey PRIMARY KEY (customer, app, environment, digest);
CREATE INDEX bearer_token_customer ON public.bearer_token USING btree (customer);
CREATE INDEX claim_customer ON public.claim USING btree (customer, app, claimed);
CREATE INDEX claim_period_claim ON public.claim_period USING btree (app, environment, claim);
CREATE INDEX claim_proof ON public.claim USING btree (proof) WHERE (proof IS NOT NULL);
CREATE INDEX content_file_digest ON public.content_file USING btree (sha256);
CREATE UNIQUE INDEX credit_movement_cause ON public.credit_movement USING btree (customer, app, unit, cause, cause_key);
CREATE INDEX customer_joined_to ON public.customer USING btree (joined_to) WHERE (joined_to IS NOT NULL);
CREATE INDEX delivery_customer ON public.delivery USING btree (customer, app, source);
CREATE INDEX stored_proof_due ON public.stored_proof USING btree (app, due);
ALTER TABLE ONLY public.bearer_token
    ADD CONSTRAINT bearer_token_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id);
ALTER TABLE ONLY public.content_file
    ADD CONSTRAINT content_file_app_product_fkey FOREIGN KEY (app, product) REFERENCES public.product(app, id);
ALTER TABLE ONLY public.credit_account
    ADD CONSTRAINT credit_account_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id);
ALTER TABLE ONLY public.credit_movement
    ADD CONSTRAINT credit_movement_customer_app_unit_fkey FOREIGN KEY (customer, app, unit) REFERENCES public.credit_account(customer, app, unit);
ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_joined_to_fkey FOREIGN KEY (joined_to) REFERENCES public.customer(id);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id);
ALTER TABLE ONLY public.entitlement
    ADD CONSTRAINT entitlement_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id);
ALTER TABLE ONLY public.stored_proof
    ADD CONSTRAINT stored_proof_customer_fkey FOREIGN KEY (customer) REFERENCES public.customer(id);
