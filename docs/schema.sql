-- The schema of a migrated database, without its comments: those are in migrations/.
-- Written by a test: npm test -- test/services/database/Migrations.test.ts -u

CREATE TABLE migration (
  migration_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  name text NOT NULL,
  CONSTRAINT migration_pkey PRIMARY KEY (migration_id)
);

CREATE TABLE account (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  email text NOT NULL,
  password_hash text,
  plan text NOT NULL,
  status text NOT NULL,
  role text NOT NULL DEFAULT 'customer'::text,
  subscription_began_on date,
  created_at timestamp with time zone NOT NULL,
  user_handle uuid NOT NULL DEFAULT gen_random_uuid(),
  second_step boolean NOT NULL DEFAULT false,
  closed_at timestamp with time zone,
  forgotten_at timestamp with time zone,
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_check CHECK (plan = 'starter'::text OR subscription_began_on IS NOT NULL),
  CONSTRAINT account_closed CHECK (
CASE
    WHEN closed_at IS NULL THEN forgotten_at IS NULL
    ELSE password_hash IS NULL AND role = 'customer'::text
END),
  CONSTRAINT account_email_check CHECK (char_length(email) >= 3 AND char_length(email) <= 254),
  CONSTRAINT account_password_hash_check CHECK (password_hash ~~ '$argon2id$%'::text),
  CONSTRAINT account_plan_check CHECK (plan = ANY (ARRAY['starter'::text, 'growth'::text, 'pro'::text])),
  CONSTRAINT account_role_check CHECK (role = ANY (ARRAY['customer'::text, 'operator'::text])),
  CONSTRAINT account_status_check CHECK (status = ANY (ARRAY['active'::text, 'paused'::text, 'unpaid'::text, 'canceled'::text]))
);
CREATE INDEX account_to_forget ON account USING btree (closed_at) WHERE closed_at IS NOT NULL AND forgotten_at IS NULL;
CREATE UNIQUE INDEX account_email ON account USING btree (lower(email));

CREATE TABLE api_key (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  last_four text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  ends_at timestamp with time zone,
  revoked_at timestamp with time zone,
  attempt text,
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_hash_key UNIQUE (hash),
  CONSTRAINT api_key_attempt_check CHECK (char_length(attempt) >= 1 AND char_length(attempt) <= 64),
  CONSTRAINT api_key_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT api_key_last_four_check CHECK (char_length(last_four) = 4),
  CONSTRAINT api_key_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 60),
  CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id)
);
CREATE INDEX api_key_account ON api_key USING btree (account_id, created_at);
CREATE INDEX api_key_active ON api_key USING btree (account_id) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX api_key_attempt ON api_key USING btree (account_id, attempt) WHERE attempt IS NOT NULL;

CREATE TABLE account_change (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  actor_id integer,
  what text NOT NULL,
  value_before text,
  value_after text,
  source text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT account_change_pkey PRIMARY KEY (id),
  CONSTRAINT account_change_check CHECK (
CASE
    WHEN what = ANY (ARRAY['password'::text, 'passkeys'::text]) THEN value_before IS NULL AND value_after IS NULL
    ELSE value_before IS NOT NULL AND value_after IS NOT NULL AND value_before <> value_after
END),
  CONSTRAINT account_change_source_check CHECK (source = 'billing'::text),
  CONSTRAINT account_change_value_after_check CHECK (char_length(value_after) >= 1 AND char_length(value_after) <= 30),
  CONSTRAINT account_change_value_before_check CHECK (char_length(value_before) >= 1 AND char_length(value_before) <= 30),
  CONSTRAINT account_change_what_check CHECK (what = ANY (ARRAY['plan'::text, 'status'::text, 'role'::text, 'credits'::text, 'password'::text, 'passkeys'::text])),
  CONSTRAINT account_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id),
  CONSTRAINT account_change_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES account(id)
);
CREATE INDEX account_change_account ON account_change USING btree (account_id, id);

CREATE TABLE saved_search (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  subject text NOT NULL,
  query text NOT NULL,
  name text NOT NULL,
  viewed_at timestamp with time zone NOT NULL,
  mark integer NOT NULL,
  alert text,
  alert_mark integer,
  alert_change bigint,
  alert_due_at timestamp with time zone,
  CONSTRAINT saved_search_pkey PRIMARY KEY (id),
  CONSTRAINT saved_search_alert CHECK ((alert IS NULL) = (alert_due_at IS NULL) AND (alert IS NULL) = (alert_change IS NULL)),
  CONSTRAINT saved_search_alert_change_check CHECK (alert_change >= 0),
  CONSTRAINT saved_search_alert_check CHECK (alert = ANY (ARRAY['daily'::text, 'weekly'::text])),
  CONSTRAINT saved_search_alert_mark_check CHECK (alert_mark >= 0),
  CONSTRAINT saved_search_mark_check CHECK (mark >= 0),
  CONSTRAINT saved_search_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 60),
  CONSTRAINT saved_search_query_check CHECK (char_length(query) <= 8000),
  CONSTRAINT saved_search_subject_check CHECK (subject = ANY (ARRAY['ads'::text, 'products'::text, 'stores'::text])),
  CONSTRAINT saved_search_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX saved_search_account ON saved_search USING btree (account_id, id);

CREATE TABLE recent_search (
  account_id integer NOT NULL,
  searches jsonb NOT NULL,
  CONSTRAINT recent_search_pkey PRIMARY KEY (account_id),
  CONSTRAINT recent_search_searches_check CHECK (jsonb_array_length(searches) >= 1 AND jsonb_array_length(searches) <= 5),
  CONSTRAINT recent_search_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

CREATE TABLE passkey (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT passkey_pkey PRIMARY KEY (id),
  CONSTRAINT passkey_credential_id_key UNIQUE (credential_id),
  CONSTRAINT passkey_credential_id_check CHECK (octet_length(credential_id) >= 1 AND octet_length(credential_id) <= 1023),
  CONSTRAINT passkey_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 60),
  CONSTRAINT passkey_public_key_check CHECK (octet_length(public_key) >= 1 AND octet_length(public_key) <= 2048),
  CONSTRAINT passkey_sign_count_check CHECK (sign_count >= 0 AND sign_count <= '4294967295'::bigint),
  CONSTRAINT passkey_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
) WITH (fillfactor=80);
CREATE INDEX passkey_account ON passkey USING btree (account_id, id);

CREATE TABLE session (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  browser text,
  system text,
  passkey_id integer,
  confirmed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT session_pkey PRIMARY KEY (id),
  CONSTRAINT session_hash_key UNIQUE (hash),
  CONSTRAINT session_browser_check CHECK (char_length(browser) >= 1 AND char_length(browser) <= 30),
  CONSTRAINT session_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT session_system_check CHECK (char_length(system) >= 1 AND char_length(system) <= 30),
  CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT session_passkey_id_fkey FOREIGN KEY (passkey_id) REFERENCES passkey(id) ON DELETE SET NULL
) WITH (fillfactor=80);
CREATE INDEX session_account ON session USING btree (account_id);
CREATE INDEX session_passkey ON session USING btree (passkey_id) WHERE passkey_id IS NOT NULL;

CREATE TABLE known_browser (
  account_id integer NOT NULL,
  hash bytea NOT NULL,
  signed_in_at timestamp with time zone NOT NULL,
  CONSTRAINT known_browser_pkey PRIMARY KEY (account_id, hash),
  CONSTRAINT known_browser_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT known_browser_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX known_browser_hash ON known_browser USING btree (hash);

CREATE TABLE passkey_challenge (
  hash bytea NOT NULL,
  owner bytea NOT NULL,
  purpose text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenge_pkey PRIMARY KEY (hash),
  CONSTRAINT passkey_challenge_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT passkey_challenge_owner_check CHECK (octet_length(owner) = 32),
  CONSTRAINT passkey_challenge_purpose_check CHECK (purpose = ANY (ARRAY['add'::text, 'confirm'::text, 'second_step'::text, 'sign_in'::text]))
);
CREATE INDEX passkey_challenge_expires_at ON passkey_challenge USING btree (expires_at);
CREATE INDEX passkey_challenge_owner ON passkey_challenge USING btree (owner);

CREATE TABLE pending_sign_in (
  owner bytea NOT NULL,
  account_id integer NOT NULL,
  password bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT pending_sign_in_pkey PRIMARY KEY (owner),
  CONSTRAINT pending_sign_in_owner_check CHECK (octet_length(owner) = 32),
  CONSTRAINT pending_sign_in_password_check CHECK (octet_length(password) = 32),
  CONSTRAINT pending_sign_in_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX pending_sign_in_account ON pending_sign_in USING btree (account_id);
CREATE INDEX pending_sign_in_expires_at ON pending_sign_in USING btree (expires_at);

CREATE TABLE recovery_code (
  account_id integer NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT recovery_code_pkey PRIMARY KEY (account_id, hash),
  CONSTRAINT recovery_code_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT recovery_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

CREATE TABLE enrollment_code (
  account_id integer NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT enrollment_code_pkey PRIMARY KEY (account_id),
  CONSTRAINT enrollment_code_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT enrollment_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

CREATE TABLE account_link (
  hash bytea NOT NULL,
  purpose text NOT NULL,
  email text NOT NULL,
  account_id integer,
  password_hash text,
  browser bytea,
  return_to text,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT account_link_pkey PRIMARY KEY (hash),
  CONSTRAINT account_link_browser_check CHECK (octet_length(browser) = 32),
  CONSTRAINT account_link_check CHECK (
CASE purpose
    WHEN 'sign_up'::text THEN account_id IS NULL AND password_hash IS NOT NULL AND browser IS NOT NULL
    ELSE account_id IS NOT NULL AND password_hash IS NULL AND browser IS NULL AND return_to IS NULL
END),
  CONSTRAINT account_link_email_check CHECK (char_length(email) >= 3 AND char_length(email) <= 254),
  CONSTRAINT account_link_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT account_link_password_hash_check CHECK (password_hash ~~ '$argon2id$%'::text),
  CONSTRAINT account_link_purpose_check CHECK (purpose = ANY (ARRAY['sign_up'::text, 'reset'::text, 'email'::text])),
  CONSTRAINT account_link_return_to_check CHECK (char_length(return_to) <= 8192),
  CONSTRAINT account_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX account_link_expires ON account_link USING btree (expires_at);
CREATE UNIQUE INDEX account_link_account ON account_link USING btree (account_id, purpose) WHERE account_id IS NOT NULL;
CREATE UNIQUE INDEX account_link_sign_up ON account_link USING btree (lower(email)) WHERE purpose = 'sign_up'::text;

CREATE TABLE sign_in_change (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  what text NOT NULL,
  name text,
  browser text,
  system text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_change_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_change_browser_check CHECK (char_length(browser) >= 1 AND char_length(browser) <= 30),
  CONSTRAINT sign_in_change_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 60),
  CONSTRAINT sign_in_change_system_check CHECK (char_length(system) >= 1 AND char_length(system) <= 30),
  CONSTRAINT sign_in_change_what_check CHECK (what = ANY (ARRAY['passkey_added'::text, 'passkey_removed'::text, 'second_step_on'::text, 'second_step_off'::text, 'codes_replaced'::text, 'code_used'::text, 'reset'::text, 'password_changed'::text, 'password_set'::text, 'password_reset'::text, 'address_changed'::text])),
  CONSTRAINT sign_in_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_change_account ON sign_in_change USING btree (account_id, id);

CREATE TABLE mail (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  language text NOT NULL,
  link bytea,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  account_id integer,
  content jsonb,
  CONSTRAINT mail_pkey PRIMARY KEY (id),
  CONSTRAINT mail_kind_check CHECK (char_length(kind) >= 1 AND char_length(kind) <= 40),
  CONSTRAINT mail_language_check CHECK (char_length(language) >= 2 AND char_length(language) <= 10),
  CONSTRAINT mail_link_check CHECK (octet_length(link) = 32),
  CONSTRAINT mail_recipient_check CHECK (char_length(recipient) >= 3 AND char_length(recipient) <= 254),
  CONSTRAINT mail_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX mail_account ON mail USING btree (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX mail_due_at ON mail USING btree (due_at);

CREATE TABLE credit_period (
  account_id integer NOT NULL,
  period_start date NOT NULL,
  period_end date NOT NULL,
  allowance integer NOT NULL,
  used integer NOT NULL DEFAULT 0,
  CONSTRAINT credit_period_pkey PRIMARY KEY (account_id, period_start),
  CONSTRAINT credit_period_allowance_check CHECK (allowance >= 0 AND allowance <= 2000000000),
  CONSTRAINT credit_period_check CHECK (period_start < period_end),
  CONSTRAINT credit_period_check1 CHECK (used <= allowance),
  CONSTRAINT credit_period_used_check CHECK (used >= 0),
  CONSTRAINT credit_period_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id)
) WITH (fillfactor=50);

CREATE TABLE credit_entry (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  period_start date NOT NULL,
  kind text NOT NULL,
  reason text NOT NULL,
  amount integer NOT NULL,
  tool text,
  request_id text,
  credential_kind text,
  credential_id integer,
  note text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT credit_entry_pkey PRIMARY KEY (id),
  CONSTRAINT credit_entry_check CHECK (
CASE kind
    WHEN 'grant'::text THEN (reason = ANY (ARRAY['period'::text, 'operator'::text])) AND amount >= 0 AND request_id IS NULL
    WHEN 'charge'::text THEN reason = 'call'::text AND amount < 0 AND request_id IS NOT NULL AND tool IS NOT NULL
    WHEN 'refund'::text THEN reason = 'unanswered'::text AND amount > 0 AND request_id IS NOT NULL
    ELSE reason = 'plan'::text AND request_id IS NULL OR reason = 'unanswered'::text AND amount = 0 AND request_id IS NOT NULL
END),
  CONSTRAINT credit_entry_kind_check CHECK (kind = ANY (ARRAY['grant'::text, 'charge'::text, 'refund'::text, 'adjustment'::text])),
  CONSTRAINT credit_entry_note_check CHECK (char_length(note) >= 1 AND char_length(note) <= 200),
  CONSTRAINT credit_entry_request_id_check CHECK (char_length(request_id) >= 1 AND char_length(request_id) <= 64),
  CONSTRAINT credit_entry_account_id_period_start_fkey FOREIGN KEY (account_id, period_start) REFERENCES credit_period(account_id, period_start)
);
CREATE INDEX credit_entry_period ON credit_entry USING btree (account_id, period_start);
CREATE UNIQUE INDEX credit_entry_opening ON credit_entry USING btree (account_id, period_start) WHERE reason = 'period'::text;
CREATE UNIQUE INDEX credit_entry_refund ON credit_entry USING btree (request_id) WHERE kind = 'refund'::text;
CREATE UNIQUE INDEX credit_entry_request ON credit_entry USING btree (request_id) WHERE kind <> 'refund'::text;

CREATE TABLE credit_day (
  account_id integer NOT NULL,
  period_start date NOT NULL,
  day date NOT NULL,
  tool text NOT NULL,
  credential_kind text NOT NULL,
  credential_id integer NOT NULL,
  credits integer NOT NULL,
  CONSTRAINT credit_day_pkey PRIMARY KEY (account_id, period_start, day, tool, credential_kind, credential_id)
) WITH (fillfactor=50);

CREATE TABLE idempotency_key (
  account_id integer NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  request_id text NOT NULL,
  repeated boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, key),
  CONSTRAINT idempotency_key_fingerprint_check CHECK (char_length(fingerprint) >= 1 AND char_length(fingerprint) <= 128),
  CONSTRAINT idempotency_key_key_check CHECK (char_length(key) >= 1 AND char_length(key) <= 128),
  CONSTRAINT idempotency_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id)
);
CREATE INDEX idempotency_key_created ON idempotency_key USING btree (created_at);

CREATE TABLE source (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  CONSTRAINT source_pkey PRIMARY KEY (id),
  CONSTRAINT source_name_key UNIQUE (name),
  CONSTRAINT source_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 200)
);

CREATE TABLE import (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  source_id integer NOT NULL,
  files jsonb NOT NULL DEFAULT '[]'::jsonb,
  license text,
  as_of date NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamp with time zone,
  counts jsonb,
  keeps_changes boolean NOT NULL DEFAULT false,
  CONSTRAINT import_pkey PRIMARY KEY (id),
  CONSTRAINT import_source_id_fkey FOREIGN KEY (source_id) REFERENCES source(id) ON DELETE CASCADE
);
CREATE INDEX import_source ON import USING btree (source_id, id);

CREATE TABLE niche (
  id integer NOT NULL,
  parent_id integer,
  name text NOT NULL,
  taxonomy_key text,
  CONSTRAINT niche_pkey PRIMARY KEY (id),
  CONSTRAINT niche_taxonomy_key_key UNIQUE (taxonomy_key),
  CONSTRAINT niche_id_check CHECK (id >= 1 AND id <= 32000),
  CONSTRAINT niche_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
  CONSTRAINT niche_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES niche(id)
);
CREATE UNIQUE INDEX niche_name ON niche USING btree (lower(name));

CREATE TABLE category (
  name text NOT NULL,
  niche_id integer NOT NULL,
  CONSTRAINT category_pkey PRIMARY KEY (name),
  CONSTRAINT category_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 300),
  CONSTRAINT category_niche_id_fkey FOREIGN KEY (niche_id) REFERENCES niche(id)
);

CREATE TABLE shop (
  id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  domain text COLLATE "C" NOT NULL,
  domain_extension text NOT NULL,
  name text NOT NULL,
  country text NOT NULL,
  currency text,
  niche_id integer,
  languages text[] NOT NULL DEFAULT '{}'::text[],
  pixels text[] NOT NULL DEFAULT '{}'::text[],
  social_networks text[] NOT NULL DEFAULT '{}'::text[],
  apps text[] NOT NULL DEFAULT '{}'::text[],
  theme text,
  created_on date,
  monthly_revenue double precision,
  monthly_orders integer,
  products_count integer,
  trustpilot_rating double precision,
  trustpilot_reviews integer,
  import_id integer,
  source_ids integer[] NOT NULL DEFAULT '{}'::integer[],
  version integer NOT NULL DEFAULT 0,
  said_on text,
  products_as_of date,
  CONSTRAINT shop_pkey PRIMARY KEY (id),
  CONSTRAINT shop_domain_key UNIQUE (domain),
  CONSTRAINT shop_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  CONSTRAINT shop_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  CONSTRAINT shop_monthly_orders_check CHECK (monthly_orders >= 0),
  CONSTRAINT shop_monthly_revenue_check CHECK (monthly_revenue >= 0::double precision),
  CONSTRAINT shop_products_count_check CHECK (products_count >= 0),
  CONSTRAINT shop_trustpilot_rating_check CHECK (trustpilot_rating >= 0::double precision AND trustpilot_rating <= 5::double precision),
  CONSTRAINT shop_trustpilot_reviews_check CHECK (trustpilot_reviews >= 0),
  CONSTRAINT shop_niche_id_fkey FOREIGN KEY (niche_id) REFERENCES niche(id)
);

CREATE TABLE traffic_month (
  shop_id integer NOT NULL,
  month date NOT NULL,
  visits integer NOT NULL,
  as_of date,
  CONSTRAINT traffic_month_pkey PRIMARY KEY (shop_id, month),
  CONSTRAINT traffic_month_month_check CHECK (EXTRACT(day FROM month) = 1::numeric),
  CONSTRAINT traffic_month_visits_check CHECK (visits >= 0),
  CONSTRAINT traffic_month_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);

CREATE TABLE product (
  id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  shop_id integer NOT NULL,
  key text NOT NULL,
  alias text,
  title text NOT NULL,
  url text,
  image_url text,
  price double precision NOT NULL,
  created_at timestamp with time zone,
  details jsonb,
  import_id integer,
  source_ids integer[] NOT NULL DEFAULT '{}'::integer[],
  first_seen timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 0,
  as_of date,
  CONSTRAINT product_pkey PRIMARY KEY (id),
  CONSTRAINT product_shop_id_key_key UNIQUE (shop_id, key),
  CONSTRAINT product_alias_check CHECK (char_length(alias) >= 1 AND char_length(alias) <= 255),
  CONSTRAINT product_key_check CHECK (char_length(key) >= 1 AND char_length(key) <= 255),
  CONSTRAINT product_price_check CHECK (price >= 0::double precision),
  CONSTRAINT product_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);
CREATE INDEX product_alias ON product USING btree ((shop_id + 0), alias) WHERE alias IS NOT NULL;

CREATE TABLE ad (
  id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  shop_id integer,
  key text NOT NULL,
  ad_archive_id text,
  page_name text NOT NULL,
  is_active boolean NOT NULL,
  media_type text NOT NULL,
  headline text,
  ad_text text,
  cta text,
  landing_url text,
  image_url text,
  ad_library_url text,
  started_on date NOT NULL,
  last_seen_on date NOT NULL,
  is_partnership boolean NOT NULL DEFAULT false,
  page_id text,
  link_domain text,
  seen_on date,
  import_id integer,
  source_ids integer[] NOT NULL DEFAULT '{}'::integer[],
  first_seen timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 0,
  CONSTRAINT ad_pkey PRIMARY KEY (id),
  CONSTRAINT ad_key_key UNIQUE (key),
  CONSTRAINT ad_check CHECK (started_on <= last_seen_on),
  CONSTRAINT ad_key_check CHECK (char_length(key) >= 1 AND char_length(key) <= 200),
  CONSTRAINT ad_media_type_check CHECK (media_type = ANY (ARRAY['video'::text, 'image'::text, 'carousel'::text, 'dco'::text, 'dpa'::text])),
  CONSTRAINT ad_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);
CREATE INDEX ad_link_domain ON ad USING btree (link_domain) WHERE (shop_id + 0) IS NULL AND link_domain IS NOT NULL;
CREATE INDEX ad_page ON ad USING btree (page_id) WHERE (shop_id + 0) IS NULL AND page_id IS NOT NULL;
CREATE INDEX ad_shop ON ad USING btree (shop_id);

CREATE TABLE page_store (
  page_id text NOT NULL,
  shop_id integer NOT NULL,
  CONSTRAINT page_store_pkey PRIMARY KEY (page_id),
  CONSTRAINT page_store_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);
CREATE INDEX page_store_shop ON page_store USING btree (shop_id);

CREATE TABLE import_product (
  product_id integer NOT NULL,
  CONSTRAINT import_product_pkey PRIMARY KEY (product_id)
);

CREATE TABLE catalog (
  single boolean NOT NULL DEFAULT true,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  version integer NOT NULL DEFAULT 0,
  niches_version integer NOT NULL DEFAULT 0,
  oldest_version integer NOT NULL DEFAULT 0,
  moved_version integer NOT NULL DEFAULT 0,
  moved_on date,
  changes_from date,
  CONSTRAINT catalog_pkey PRIMARY KEY (single),
  CONSTRAINT catalog_single_check CHECK (single)
);

CREATE TABLE catalog_version (
  version integer NOT NULL,
  token uuid NOT NULL DEFAULT gen_random_uuid(),
  committed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT catalog_version_pkey PRIMARY KEY (version)
);

CREATE TABLE shop_change (
  shop_id integer NOT NULL,
  version integer NOT NULL,
  items_version integer NOT NULL,
  removed_at timestamp with time zone,
  CONSTRAINT shop_change_pkey PRIMARY KEY (shop_id)
);
CREATE INDEX shop_change_version ON shop_change USING btree (version);

CREATE TABLE tracked_shop (
  account_id integer NOT NULL,
  shop_id integer NOT NULL,
  kind text NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT tracked_shop_pkey PRIMARY KEY (account_id, shop_id),
  CONSTRAINT tracked_shop_kind_check CHECK (kind = ANY (ARRAY['tracked'::text, 'own'::text])),
  CONSTRAINT tracked_shop_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id),
  CONSTRAINT tracked_shop_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);
CREATE INDEX tracked_shop_shop ON tracked_shop USING btree (shop_id);

CREATE TABLE oauth_client (
  id text NOT NULL,
  name text NOT NULL,
  redirect_uris jsonb NOT NULL,
  auth_method text NOT NULL,
  secret_hash bytea,
  created_at timestamp with time zone NOT NULL,
  granted_at timestamp with time zone,
  address_hash bytea,
  site_hash bytea,
  CONSTRAINT oauth_client_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_client_address_hash_check CHECK (octet_length(address_hash) = 32),
  CONSTRAINT oauth_client_auth_method_check CHECK (auth_method = ANY (ARRAY['none'::text, 'client_secret_basic'::text, 'client_secret_post'::text])),
  CONSTRAINT oauth_client_check CHECK ((auth_method = 'none'::text) = (secret_hash IS NULL)),
  CONSTRAINT oauth_client_id_check CHECK (id ~ '^doc_[0-9A-Za-z]{43}$'::text),
  CONSTRAINT oauth_client_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
  CONSTRAINT oauth_client_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  CONSTRAINT oauth_client_site_hash_check CHECK (octet_length(site_hash) = 32)
);
CREATE INDEX oauth_client_granted ON oauth_client USING btree (granted_at) WHERE granted_at IS NOT NULL;
CREATE INDEX oauth_client_unused ON oauth_client USING btree (created_at) WHERE granted_at IS NULL;

CREATE TABLE oauth_grant (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  client_id text NOT NULL,
  registered_id text GENERATED ALWAYS AS (
CASE
    WHEN client_id ~~ 'doc\_%'::text THEN client_id
    ELSE NULL::text
END) STORED,
  client_name text NOT NULL,
  publisher text,
  resource text NOT NULL,
  approved_at timestamp with time zone NOT NULL,
  connected_at timestamp with time zone,
  usable_until timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT oauth_grant_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_grant_check CHECK (usable_until <= ends_at),
  CONSTRAINT oauth_grant_client_id_check CHECK (char_length(client_id) >= 1 AND char_length(client_id) <= 2048),
  CONSTRAINT oauth_grant_client_name_check CHECK (char_length(client_name) >= 1 AND char_length(client_name) <= 100),
  CONSTRAINT oauth_grant_publisher_check CHECK (char_length(publisher) >= 1 AND char_length(publisher) <= 260),
  CONSTRAINT oauth_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id),
  CONSTRAINT oauth_grant_registered_id_fkey FOREIGN KEY (registered_id) REFERENCES oauth_client(id) ON DELETE CASCADE
) WITH (fillfactor=90);
CREATE INDEX oauth_grant_account ON oauth_grant USING btree (account_id);
CREATE INDEX oauth_grant_client ON oauth_grant USING btree (client_id);
CREATE INDEX oauth_grant_registered ON oauth_grant USING btree (registered_id) WHERE registered_id IS NOT NULL;
CREATE INDEX oauth_grant_usable ON oauth_grant USING btree (usable_until);

CREATE TABLE oauth_ended_grant (
  id integer NOT NULL,
  account_id integer NOT NULL,
  client_id text NOT NULL,
  client_name text NOT NULL,
  publisher text,
  approved_at timestamp with time zone NOT NULL,
  connected_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  ended_at timestamp with time zone NOT NULL,
  reason text NOT NULL,
  CONSTRAINT oauth_ended_grant_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_ended_grant_reason_check CHECK (reason = ANY (ARRAY['account'::text, 'client'::text, 'code_replayed'::text, 'token_reused'::text, 'expired'::text])),
  CONSTRAINT oauth_ended_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id)
);
CREATE INDEX oauth_ended_grant_account ON oauth_ended_grant USING btree (account_id, ended_at);
CREATE INDEX oauth_ended_grant_client ON oauth_ended_grant USING btree (client_id);
CREATE INDEX oauth_ended_grant_ended ON oauth_ended_grant USING btree (ended_at);

CREATE TABLE oauth_code (
  hash bytea NOT NULL,
  grant_id integer NOT NULL,
  redirect_uri text NOT NULL,
  challenge text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT oauth_code_pkey PRIMARY KEY (hash),
  CONSTRAINT oauth_code_challenge_check CHECK (char_length(challenge) = 43),
  CONSTRAINT oauth_code_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT oauth_code_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grant(id) ON DELETE CASCADE
);
CREATE INDEX oauth_code_expires ON oauth_code USING btree (expires_at);
CREATE INDEX oauth_code_grant ON oauth_code USING btree (grant_id);

CREATE TABLE oauth_access_token (
  hash bytea NOT NULL,
  grant_id integer NOT NULL,
  account_id integer NOT NULL,
  resource text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT oauth_access_token_pkey PRIMARY KEY (hash),
  CONSTRAINT oauth_access_token_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT oauth_access_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id),
  CONSTRAINT oauth_access_token_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grant(id) ON DELETE CASCADE
);
CREATE INDEX oauth_access_token_expires ON oauth_access_token USING btree (expires_at);
CREATE INDEX oauth_access_token_grant ON oauth_access_token USING btree (grant_id);

CREATE TABLE server_key (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  secret bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT server_key_pkey PRIMARY KEY (id),
  CONSTRAINT server_key_secret_check CHECK (octet_length(secret) = 64)
);

CREATE TABLE oauth_refresh_token (
  hash bytea NOT NULL,
  grant_id integer NOT NULL,
  issued_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  superseded_at timestamp with time zone,
  successor bytea,
  key_id integer,
  CONSTRAINT oauth_refresh_token_pkey PRIMARY KEY (hash),
  CONSTRAINT oauth_refresh_token_check CHECK ((superseded_at IS NULL) = (successor IS NULL) AND (superseded_at IS NULL) = (key_id IS NULL)),
  CONSTRAINT oauth_refresh_token_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT oauth_refresh_token_successor_check CHECK (octet_length(successor) = 32),
  CONSTRAINT oauth_refresh_token_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grant(id) ON DELETE CASCADE,
  CONSTRAINT oauth_refresh_token_key_id_fkey FOREIGN KEY (key_id) REFERENCES server_key(id)
);
CREATE INDEX oauth_refresh_token_expires ON oauth_refresh_token USING btree (expires_at);
CREATE INDEX oauth_refresh_token_grant ON oauth_refresh_token USING btree (grant_id, issued_at);
CREATE INDEX oauth_refresh_token_key ON oauth_refresh_token USING btree (key_id) WHERE key_id IS NOT NULL;

CREATE TABLE consent_request (
  hash bytea NOT NULL,
  session_id integer NOT NULL,
  request text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  decision text,
  CONSTRAINT consent_request_pkey PRIMARY KEY (hash),
  CONSTRAINT consent_request_decision_check CHECK (decision = ANY (ARRAY['allow'::text, 'deny'::text])),
  CONSTRAINT consent_request_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT consent_request_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE
);
CREATE INDEX consent_request_expires ON consent_request USING btree (expires_at);
CREATE INDEX consent_request_session ON consent_request USING btree (session_id, created_at);

CREATE TABLE activity (
  account_id integer NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone NOT NULL,
  tool text NOT NULL,
  credential_kind text NOT NULL,
  credential_id integer NOT NULL,
  outcome text NOT NULL,
  credits integer NOT NULL,
  duration_ms integer NOT NULL,
  request_id text NOT NULL,
  CONSTRAINT activity_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT activity_credential_kind_check CHECK (credential_kind = ANY (ARRAY['api_key'::text, 'access_token'::text])),
  CONSTRAINT activity_credits_check CHECK (credits >= 0),
  CONSTRAINT activity_duration_ms_check CHECK (duration_ms >= 0),
  CONSTRAINT activity_outcome_check CHECK (char_length(outcome) >= 1 AND char_length(outcome) <= 64),
  CONSTRAINT activity_request_id_check CHECK (char_length(request_id) >= 1 AND char_length(request_id) <= 64),
  CONSTRAINT activity_tool_check CHECK (char_length(tool) >= 1 AND char_length(tool) <= 64)
);
CREATE INDEX activity_at ON activity USING btree (at);
CREATE INDEX activity_filtered ON activity USING btree (account_id, tool, outcome, credential_kind, credential_id, id);

CREATE TABLE activity_day (
  account_id integer NOT NULL,
  day date NOT NULL,
  tool text NOT NULL,
  outcome text NOT NULL,
  credential_kind text NOT NULL,
  credential_id integer NOT NULL,
  calls integer NOT NULL,
  CONSTRAINT activity_day_pkey PRIMARY KEY (account_id, day, tool, outcome, credential_kind, credential_id),
  CONSTRAINT activity_day_calls_check CHECK (calls > 0)
) WITH (fillfactor=70);
CREATE INDEX activity_day_day ON activity_day USING btree (day);

CREATE TABLE activity_writer (
  id uuid NOT NULL,
  batch bigint NOT NULL,
  written_at timestamp with time zone NOT NULL,
  CONSTRAINT activity_writer_pkey PRIMARY KEY (id)
) WITH (fillfactor=50);

CREATE TABLE billing_customer (
  account_id integer NOT NULL,
  reference uuid NOT NULL DEFAULT gen_random_uuid(),
  customer_id text,
  subscription_id text,
  status text,
  is_running boolean NOT NULL DEFAULT false,
  asked bigint NOT NULL DEFAULT 0,
  written bigint NOT NULL DEFAULT 0,
  checked_at timestamp with time zone NOT NULL,
  CONSTRAINT billing_customer_pkey PRIMARY KEY (account_id),
  CONSTRAINT billing_customer_customer_id_key UNIQUE (customer_id),
  CONSTRAINT billing_customer_customer_id_check CHECK (char_length(customer_id) >= 1 AND char_length(customer_id) <= 255),
  CONSTRAINT billing_customer_status_check CHECK (status = ANY (ARRAY['active'::text, 'paused'::text, 'unpaid'::text, 'canceled'::text])),
  CONSTRAINT billing_customer_subscription_id_check CHECK (char_length(subscription_id) >= 1 AND char_length(subscription_id) <= 255),
  CONSTRAINT billing_customer_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id)
);
CREATE INDEX billing_customer_checked ON billing_customer USING btree (checked_at) WHERE customer_id IS NOT NULL;

CREATE TABLE billing_event (
  id text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  CONSTRAINT billing_event_pkey PRIMARY KEY (id),
  CONSTRAINT billing_event_id_check CHECK (char_length(id) >= 1 AND char_length(id) <= 255)
);
CREATE INDEX billing_event_received ON billing_event USING btree (received_at);

CREATE UNLOGGED TABLE rate_bucket (
  key bytea NOT NULL,
  used double precision NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  empties_at timestamp with time zone NOT NULL,
  CONSTRAINT rate_bucket_pkey PRIMARY KEY (key),
  CONSTRAINT rate_bucket_key_check CHECK (octet_length(key) = 32),
  CONSTRAINT rate_bucket_used_check CHECK (used >= 0::double precision)
) WITH (fillfactor=50);

CREATE TABLE sign_in_attempt (
  key bytea NOT NULL,
  empties_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_attempt_pkey PRIMARY KEY (key),
  CONSTRAINT sign_in_attempt_key_check CHECK (octet_length(key) = 32)
) WITH (fillfactor=80);
CREATE INDEX sign_in_attempt_empties_at ON sign_in_attempt USING btree (empties_at);

CREATE TABLE page_view (
  account_id integer NOT NULL,
  day date NOT NULL,
  views integer NOT NULL,
  CONSTRAINT page_view_pkey PRIMARY KEY (day, account_id),
  CONSTRAINT page_view_views_check CHECK (views > 0),
  CONSTRAINT page_view_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
) WITH (fillfactor=80);

CREATE TABLE server_address (
  is_only boolean NOT NULL DEFAULT true,
  base_url text NOT NULL,
  CONSTRAINT server_address_pkey PRIMARY KEY (is_only),
  CONSTRAINT server_address_is_only_check CHECK (is_only)
);

CREATE TABLE used_link (
  hash bytea NOT NULL,
  purpose text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_link_pkey PRIMARY KEY (hash),
  CONSTRAINT used_link_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT used_link_purpose_check CHECK (purpose = ANY (ARRAY['sign_up'::text, 'reset'::text, 'email'::text]))
);
CREATE INDEX used_link_expires ON used_link USING btree (expires_at);

CREATE TABLE change (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  version integer NOT NULL,
  as_of date NOT NULL,
  source_id integer NOT NULL,
  kind text NOT NULL,
  shop_id integer,
  record_id integer,
  name text,
  key text,
  old double precision,
  new double precision,
  facts jsonb,
  with_store boolean NOT NULL DEFAULT false,
  CONSTRAINT change_kind_check CHECK (kind = ANY (ARRAY['store_appeared'::text, 'store_gone'::text, 'figure_changed'::text, 'theme_added'::text, 'theme_removed'::text, 'app_added'::text, 'app_removed'::text, 'pixel_added'::text, 'pixel_removed'::text, 'visits_added'::text, 'visits_corrected'::text, 'product_appeared'::text, 'product_back'::text, 'product_removed'::text, 'price_up'::text, 'price_down'::text, 'ad_appeared'::text, 'ad_stopped'::text, 'ad_running'::text, 'ad_moved'::text, 'ad_removed'::text]))
) PARTITION BY RANGE (at);
CREATE INDEX change_day ON change USING btree (at) WHERE NOT with_store;
CREATE INDEX change_kind ON change USING btree (kind, id) INCLUDE (shop_id) WHERE NOT with_store;
CREATE INDEX change_left ON change USING btree (old, id) WHERE kind = 'ad_moved'::text AND old IS NOT NULL;
CREATE INDEX change_newest ON change USING btree (id) INCLUDE (shop_id) WHERE NOT with_store;
CREATE INDEX change_removed ON change USING btree (shop_id, key) WHERE key IS NOT NULL;
CREATE INDEX change_shop ON change USING btree (shop_id, id) INCLUDE (at, kind, with_store);

CREATE TABLE alert (
  account_id integer NOT NULL,
  language text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  taken_until timestamp with time zone,
  CONSTRAINT alert_pkey PRIMARY KEY (account_id),
  CONSTRAINT alert_language_check CHECK (char_length(language) >= 2 AND char_length(language) <= 10),
  CONSTRAINT alert_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX alert_due_at ON alert USING btree (due_at);

CREATE TABLE alert_link (
  hash bytea NOT NULL,
  account_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT alert_link_pkey PRIMARY KEY (hash),
  CONSTRAINT alert_link_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT alert_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX alert_link_account ON alert_link USING btree (account_id, created_at);

CREATE TABLE notice_day (
  account_id integer NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,
  outcome text NOT NULL,
  count integer NOT NULL,
  CONSTRAINT notice_day_pkey PRIMARY KEY (account_id, day, kind, outcome),
  CONSTRAINT notice_day_count_check CHECK (count > 0),
  CONSTRAINT notice_day_kind_check CHECK (kind = ANY (ARRAY['alert'::text, 'webhook'::text])),
  CONSTRAINT notice_day_outcome_check CHECK (char_length(outcome) >= 1 AND char_length(outcome) <= 20),
  CONSTRAINT notice_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX notice_day_day ON notice_day USING btree (day);

CREATE TABLE board (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id integer NOT NULL,
  name text NOT NULL,
  used_at timestamp with time zone NOT NULL,
  CONSTRAINT board_pkey PRIMARY KEY (id),
  CONSTRAINT board_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 60),
  CONSTRAINT board_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX board_account ON board USING btree (account_id, used_at);

CREATE TABLE kept_item (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  board_id integer NOT NULL,
  kind text NOT NULL,
  item_id integer NOT NULL,
  note text NOT NULL DEFAULT ''::text,
  kept_at timestamp with time zone NOT NULL,
  CONSTRAINT kept_item_pkey PRIMARY KEY (id),
  CONSTRAINT kept_item_board_id_kind_item_id_key UNIQUE (board_id, kind, item_id),
  CONSTRAINT kept_item_item_id_check CHECK (item_id > 0),
  CONSTRAINT kept_item_kind_check CHECK (kind = ANY (ARRAY['ad'::text, 'product'::text, 'store'::text])),
  CONSTRAINT kept_item_note_check CHECK (char_length(note) <= 500),
  CONSTRAINT kept_item_board_id_fkey FOREIGN KEY (board_id) REFERENCES board(id) ON DELETE CASCADE
);
CREATE INDEX kept_item_board ON kept_item USING btree (board_id, id);

CREATE TABLE history_start (
  shop_id integer NOT NULL,
  part text NOT NULL,
  version integer NOT NULL,
  as_of date NOT NULL,
  CONSTRAINT history_start_pkey PRIMARY KEY (shop_id, part),
  CONSTRAINT history_start_part_check CHECK (part = ANY (ARRAY['figures'::text, 'products'::text, 'ads'::text])),
  CONSTRAINT history_start_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);

CREATE TABLE webhook (
  account_id integer NOT NULL,
  url text NOT NULL,
  secret bytea NOT NULL,
  language text NOT NULL,
  change bigint NOT NULL,
  message_id text,
  message text,
  message_change bigint,
  due_at timestamp with time zone NOT NULL,
  lease integer NOT NULL DEFAULT 0,
  taken_until timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  last_outcome text,
  last_status integer,
  last_at timestamp with time zone,
  disabled_at timestamp with time zone,
  CONSTRAINT webhook_pkey PRIMARY KEY (account_id),
  CONSTRAINT webhook_attempts_check CHECK (attempts >= 0),
  CONSTRAINT webhook_change_check CHECK (change >= 0),
  CONSTRAINT webhook_check CHECK ((message_id IS NULL) = (message IS NULL) AND (message_id IS NULL) = (message_change IS NULL)),
  CONSTRAINT webhook_check1 CHECK ((failing_since IS NULL) = (attempts = 0)),
  CONSTRAINT webhook_check2 CHECK ((last_outcome IS NULL) = (last_at IS NULL)),
  CONSTRAINT webhook_language_check CHECK (char_length(language) >= 2 AND char_length(language) <= 10),
  CONSTRAINT webhook_last_outcome_check CHECK (last_outcome = ANY (ARRAY['sent'::text, 'refused'::text, 'failed'::text])),
  CONSTRAINT webhook_secret_check CHECK (octet_length(secret) = 32),
  CONSTRAINT webhook_url_check CHECK (char_length(url) >= 1 AND char_length(url) <= 2000),
  CONSTRAINT webhook_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX webhook_due_at ON webhook USING btree (due_at) WHERE disabled_at IS NULL;

CREATE TABLE mover (
  shop_id integer NOT NULL,
  ads_change_7d double precision,
  ads_change_30d double precision,
  ads_change_90d double precision,
  visits_change_7d double precision,
  visits_change_30d double precision,
  visits_change_90d double precision,
  price_change_7d double precision,
  price_change_30d double precision,
  price_change_90d double precision,
  CONSTRAINT mover_pkey PRIMARY KEY (shop_id),
  CONSTRAINT mover_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shop(id) ON DELETE CASCADE
);

CREATE OR REPLACE FUNCTION public.account_change_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      RAISE EXCEPTION 'account_change is append-only: nobody may % it', TG_OP USING ERRCODE = 'restrict_violation';
    END $function$;

CREATE OR REPLACE FUNCTION public.activity_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP = 'DELETE' AND current_setting('discovery.removes_old_activity', true) = 'on' THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION 'activity is append-only: remove_old_activity alone removes what is too old, nothing may % it', TG_OP
        USING ERRCODE = 'restrict_violation';
    END $function$;

CREATE OR REPLACE FUNCTION public.charge_credits(charges jsonb, moment timestamp with time zone)
 RETURNS TABLE(n integer, outcome text, remaining integer, period_end date)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    #variable_conflict use_column
    DECLARE
      today date := (moment AT TIME ZONE 'UTC')::date;
    BEGIN
      PERFORM FROM credit_period p
        WHERE p.account_id IN (SELECT (c ->> 'account_id')::integer FROM jsonb_array_elements(charges) c)
          AND p.period_start <= today AND p.period_end > today
        ORDER BY p.account_id
        FOR UPDATE;

      RETURN QUERY
      WITH charge AS MATERIALIZED (
        SELECT c.*, p.period_start, p.period_end, p.allowance, p.used, e.kind AS written, i.fingerprint AS stored,
          CASE WHEN c.key IS NULL THEN c.n
            ELSE min(c.n) FILTER (WHERE e.kind IS NULL) OVER (PARTITION BY c.account_id, c.key) END AS first_n
        FROM jsonb_to_recordset(charges) AS c (n integer, account_id integer, cost integer, tool text, request_id text,
          credential_kind text, credential_id integer, key text, fingerprint text)
        LEFT JOIN credit_period p
          ON p.account_id = c.account_id AND p.period_start <= today AND p.period_end > today
        LEFT JOIN credit_entry e ON e.request_id = c.request_id AND e.kind <> 'refund'
        LEFT JOIN idempotency_key i
          ON i.account_id = c.account_id AND i.key = c.key AND i.created_at > moment - interval '24 hours'
      ), judged AS MATERIALIZED (
        SELECT *, CASE
            WHEN written = 'charge' THEN 'charged'
            WHEN written IS NOT NULL THEN 'barred'
            WHEN allowance IS NULL THEN 'no_period'
            WHEN stored = fingerprint THEN 'repeat'
            WHEN stored IS NOT NULL THEN 'conflict'
            WHEN n > first_n THEN 'follows'
            ELSE 'new'
          END AS verdict
        FROM charge
      ), decided AS MATERIALIZED (
        SELECT *, verdict = 'new'
          AND used + sum(cost) FILTER (WHERE verdict = 'new') OVER (PARTITION BY account_id ORDER BY n) <= allowance AS taken
        FROM judged
      ), answered AS MATERIALIZED (
        SELECT d.*, CASE d.verdict
            WHEN 'new' THEN CASE WHEN d.taken THEN 'charged' ELSE 'insufficient' END
            WHEN 'follows' THEN CASE
              WHEN NOT f.taken THEN 'insufficient'
              WHEN f.fingerprint = d.fingerprint THEN 'repeat'
              ELSE 'conflict' END
            ELSE d.verdict
          END AS outcome
        FROM decided d LEFT JOIN decided f ON f.n = d.first_n
      ), entered AS (
        INSERT INTO credit_entry (account_id, period_start, kind, reason, amount, tool, request_id, credential_kind,
          credential_id, created_at)
        SELECT account_id, period_start, 'charge', 'call', -cost, tool, request_id, credential_kind, credential_id, moment
        FROM answered WHERE taken ORDER BY n
      ), balanced AS (
        UPDATE credit_period p SET used = p.used + t.cost
        FROM (SELECT account_id, period_start, sum(cost) AS cost FROM answered WHERE taken GROUP BY 1, 2) t
        WHERE p.account_id = t.account_id AND p.period_start = t.period_start
      ), remembered AS (
        INSERT INTO idempotency_key AS i (account_id, key, fingerprint, request_id, repeated, created_at)
        SELECT account_id, key, fingerprint, request_id,
          EXISTS (SELECT FROM answered f WHERE f.first_n = a.n AND f.n <> a.n AND f.outcome = 'repeat'), moment
        FROM answered a WHERE taken AND key IS NOT NULL
        ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
          request_id = excluded.request_id, repeated = excluded.repeated, created_at = excluded.created_at
      ), repeated AS (
        UPDATE idempotency_key i SET repeated = true
        FROM answered a
        WHERE a.verdict = 'repeat' AND i.account_id = a.account_id AND i.key = a.key AND NOT i.repeated
      )
      SELECT n, outcome,
        (allowance - used - coalesce(sum(cost) FILTER (WHERE taken) OVER (PARTITION BY account_id ORDER BY n), 0))::integer,
        period_end
      FROM answered;
    END $function$;

CREATE OR REPLACE FUNCTION public.count_credits_of_day()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    BEGIN
      INSERT INTO credit_day AS d (account_id, period_start, day, tool, credential_kind, credential_id, credits)
      SELECT e.account_id, e.period_start,
        (CASE WHEN e.kind = 'refund'
          THEN (SELECT c.created_at FROM credit_entry c WHERE c.request_id = e.request_id AND c.kind = 'charge')
          ELSE e.created_at END AT TIME ZONE 'UTC')::date,
        coalesce(e.tool, ''), coalesce(e.credential_kind, ''), coalesce(e.credential_id, 0), -sum(e.amount)
      FROM entered e WHERE e.kind IN ('charge', 'refund') GROUP BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (account_id, period_start, day, tool, credential_kind, credential_id)
        DO UPDATE SET credits = d.credits + excluded.credits;
      RETURN NULL;
    END $function$;

CREATE OR REPLACE FUNCTION public.count_rates(uses jsonb, moment timestamp with time zone)
 RETURNS TABLE(n integer, granted integer, used double precision)
 LANGUAGE plpgsql
AS $function$
    DECLARE
      item record;
      bucket rate_bucket;
      is_known boolean;
      right_now timestamptz;
      empties timestamptz;
    BEGIN
      FOR item IN
        SELECT u.n, sha256(convert_to(u.key, 'UTF8')) AS key, u.used, u.wanted, u.burst, u.burst / u.window_ms * 1000 AS leak
        FROM jsonb_to_recordset(uses)
          AS u (n integer, key text, used integer, wanted integer, burst double precision, window_ms double precision)
        ORDER BY 2
      LOOP
        n := item.n;
        LOOP
          SELECT * INTO bucket FROM rate_bucket b WHERE b.key = item.key FOR UPDATE;
          is_known := FOUND;
          right_now := coalesce(moment, clock_timestamp());
          used := item.used;
          IF is_known THEN
            used := used + greatest(0,
              bucket.used - greatest(0, extract(epoch FROM right_now - bucket.counted_at)::double precision) * item.leak);
          END IF;
          used := greatest(0, used);
          granted := greatest(0, least(item.wanted, floor(item.burst - used + 1e-6)));
          used := used + granted;
          EXIT WHEN is_known AND item.used = 0 AND granted = 0 AND right_now >= bucket.counted_at;
          empties := right_now + make_interval(secs => used / item.leak);
          IF is_known THEN
            UPDATE rate_bucket b SET used = count_rates.used, counted_at = right_now, empties_at = empties
            WHERE b.key = item.key;
            EXIT;
          END IF;
          INSERT INTO rate_bucket (key, used, counted_at, empties_at)
          VALUES (item.key, count_rates.used, right_now, empties) ON CONFLICT DO NOTHING;
          EXIT WHEN FOUND;
        END LOOP;
        RETURN NEXT;
      END LOOP;
    END $function$;

CREATE OR REPLACE FUNCTION public.credit_entry_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      RAISE EXCEPTION 'credit_entry is append-only: write a refund or an adjustment instead of % it', TG_OP
        USING ERRCODE = 'restrict_violation';
    END $function$;

CREATE OR REPLACE FUNCTION public.drop_change_partitions(until timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
    DECLARE
      partition name;
      dropped integer := 0;
    BEGIN
      FOR partition IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'change'::regclass
          AND (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= until
      LOOP
        EXECUTE format('DROP TABLE %I', partition);
        dropped := dropped + 1;
      END LOOP;
      IF dropped > 0 THEN
        UPDATE catalog SET changes_from = greatest(changes_from, (until AT TIME ZONE 'UTC')::date);
      END IF;
      RETURN dropped;
    END $function$;

CREATE OR REPLACE FUNCTION public.make_change_partitions()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    DECLARE
      month timestamp;
      partition text;
    BEGIN
      FOR n IN 0..1 LOOP
        month := date_trunc('month', statement_timestamp() AT TIME ZONE 'UTC') + make_interval(months => n);
        partition := 'change_' || to_char(month, 'YYYY_MM');
        IF to_regclass(partition) IS NULL THEN
          EXECUTE format(
            'CREATE TABLE %I PARTITION OF change FOR VALUES FROM (%L) TO (%L)',
            partition, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC'
          );
        END IF;
      END LOOP;
    END $function$;

CREATE OR REPLACE FUNCTION public.record_activity(writer uuid, number bigint, entries jsonb, moment timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock(7236202);

      INSERT INTO activity_writer AS w (id, batch, written_at) VALUES (writer, number, moment)
      ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, written_at = excluded.written_at
        WHERE w.batch < excluded.batch;
      IF NOT FOUND THEN
        RETURN false;
      END IF;

      WITH entered AS (
        INSERT INTO activity (account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms, request_id)
        SELECT e.account_id, e.at, e.tool, e.credential_kind, e.credential_id, e.outcome, e.credits, e.duration_ms, e.request_id
        FROM ROWS FROM (jsonb_to_recordset(entries) AS (account_id integer, at timestamptz, tool text,
          credential_kind text, credential_id integer, outcome text, credits integer, duration_ms integer,
          request_id text)) WITH ORDINALITY AS e
        ORDER BY e.ordinality
        RETURNING account_id, at, tool, outcome, credential_kind, credential_id
      )
      INSERT INTO activity_day AS d (account_id, day, tool, outcome, credential_kind, credential_id, calls)
      SELECT account_id, (at AT TIME ZONE 'UTC')::date, tool, outcome, credential_kind, credential_id, count(*)
      FROM entered GROUP BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (account_id, day, tool, outcome, credential_kind, credential_id)
        DO UPDATE SET calls = d.calls + excluded.calls;
      RETURN true;
    END $function$;

CREATE OR REPLACE FUNCTION public.refund_unanswered(requests jsonb, moment timestamp with time zone)
 RETURNS TABLE(request_id text, refunded boolean)
 LANGUAGE plpgsql
AS $function$
    #variable_conflict use_column
    DECLARE
      today date := (moment AT TIME ZONE 'UTC')::date;
    BEGIN
      PERFORM FROM credit_period p
        WHERE p.account_id IN (SELECT (r ->> 'account_id')::integer FROM jsonb_array_elements(requests) r)
          AND ((p.period_start <= today AND p.period_end > today) OR EXISTS (
            SELECT FROM jsonb_array_elements(requests) r JOIN credit_entry e ON e.request_id = r ->> 'request_id'
            WHERE e.kind = 'charge' AND e.account_id = p.account_id AND e.period_start = p.period_start))
        ORDER BY p.account_id, p.period_start
        FOR UPDATE;

      RETURN QUERY
      WITH request AS MATERIALIZED (
        SELECT r.*, e.kind AS written, e.period_start, e.amount, e.tool, e.credential_kind, e.credential_id,
          EXISTS (SELECT FROM credit_entry b WHERE b.request_id = r.request_id AND b.kind = 'refund')
          OR EXISTS (SELECT FROM idempotency_key i WHERE i.account_id = r.account_id AND i.key = r.key
            AND i.request_id = r.request_id AND i.repeated) AS settled
        FROM jsonb_to_recordset(requests) AS r (account_id integer, request_id text, key text)
        LEFT JOIN credit_entry e ON e.request_id = r.request_id AND e.kind <> 'refund' AND e.account_id = r.account_id
      ), refund AS (
        INSERT INTO credit_entry (account_id, period_start, kind, reason, amount, tool, request_id, credential_kind,
          credential_id, created_at)
        SELECT account_id, period_start, 'refund', 'unanswered', -amount, tool, request_id, credential_kind,
          credential_id, moment
        FROM request WHERE written = 'charge' AND NOT settled
        RETURNING account_id, period_start, amount, request_id
      ), balanced AS (
        UPDATE credit_period p SET used = p.used - f.amount
        FROM (SELECT account_id, period_start, sum(amount) AS amount FROM refund GROUP BY 1, 2) f
        WHERE p.account_id = f.account_id AND p.period_start = f.period_start
      ), forgotten AS (
        DELETE FROM idempotency_key i USING refund f
        WHERE i.account_id = f.account_id AND i.request_id = f.request_id
      ), bar AS (
        INSERT INTO credit_entry (account_id, period_start, kind, reason, amount, request_id, created_at)
        SELECT r.account_id, p.period_start, 'adjustment', 'unanswered', 0, r.request_id, moment
        FROM request r CROSS JOIN LATERAL (
          SELECT period_start FROM credit_period p WHERE p.account_id = r.account_id ORDER BY period_start DESC LIMIT 1
        ) p
        WHERE r.written IS NULL
        ON CONFLICT DO NOTHING
        RETURNING request_id
      )
      SELECT request_id, true FROM refund
      UNION ALL SELECT request_id, false FROM bar
      UNION ALL SELECT request_id, false FROM request WHERE settled OR written <> 'charge';
    END $function$;

CREATE OR REPLACE FUNCTION public.remove_activity_of(closed integer, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
    DECLARE
      lines integer;
      days integer;
    BEGIN
      IF NOT EXISTS (SELECT FROM account WHERE id = closed AND closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'account % is not closed', closed USING ERRCODE = 'restrict_violation';
      END IF;
      PERFORM set_config('discovery.removes_old_activity', 'on', true);
      DELETE FROM activity WHERE account_id = closed AND id IN (
        SELECT id FROM activity WHERE account_id = closed ORDER BY id LIMIT most);
      GET DIAGNOSTICS lines = ROW_COUNT;
      PERFORM set_config('discovery.removes_old_activity', '', true);
      DELETE FROM activity_day WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM activity_day WHERE account_id = closed LIMIT most));
      GET DIAGNOSTICS days = ROW_COUNT;
      RETURN lines + days;
    END $function$;

CREATE OR REPLACE FUNCTION public.remove_old_activity(horizon timestamp with time zone, first_day date, moment timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
    DECLARE
      removed integer;
    BEGIN
      PERFORM set_config('discovery.removes_old_activity', 'on', true);
      DELETE FROM activity a USING (
        SELECT account_id, id FROM activity WHERE at <= horizon ORDER BY at LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE a.account_id = old.account_id AND a.id = old.id;
      GET DIAGNOSTICS removed = ROW_COUNT;
      PERFORM set_config('discovery.removes_old_activity', '', true);

      DELETE FROM activity_day d USING (
        SELECT ctid FROM activity_day WHERE day < first_day ORDER BY day LIMIT most
        FOR UPDATE SKIP LOCKED
      ) old
      WHERE d.ctid = old.ctid;
      DELETE FROM activity_writer WHERE written_at <= moment - interval '1 day';
      RETURN removed;
    END $function$;
CREATE TRIGGER account_change_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON account_change FOR EACH STATEMENT EXECUTE FUNCTION account_change_is_append_only();
CREATE TRIGGER activity_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON activity FOR EACH STATEMENT EXECUTE FUNCTION activity_is_append_only();
CREATE TRIGGER credit_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON credit_entry FOR EACH STATEMENT EXECUTE FUNCTION credit_entry_is_append_only();
CREATE TRIGGER credit_entry_counted AFTER INSERT ON credit_entry REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION count_credits_of_day();
