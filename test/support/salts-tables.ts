/** The tables of Salt's SQL returners as Salt's documentation has an operator make them (salt/returners, 3006.16). */

const eventColumns = (type: string): string =>
  `tag varchar(255) NOT NULL, data ${type} NOT NULL, alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW(), master_id varchar(255) NOT NULL`;
const withSequence = (type: string): string[] => [
  'CREATE SEQUENCE seq_salt_events_id',
  `CREATE TABLE salt_events (id BIGINT NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'), ${eventColumns(type)})`,
  'CREATE INDEX idx_salt_events_tag ON salt_events (tag)',
];

/** Of `mysql`. */
export const MYSQL_TABLES: readonly string[] = [
  'CREATE TABLE jids (jid varchar(255) NOT NULL, `load` mediumtext NOT NULL, UNIQUE KEY jid (jid))',
  'CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, `return` mediumtext NOT NULL, ' +
    'id varchar(255) NOT NULL, success varchar(10) NOT NULL, full_ret mediumtext NOT NULL, ' +
    'alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP, KEY id (id), KEY jid (jid), KEY fun (fun))',
  'CREATE TABLE salt_events (id BIGINT NOT NULL AUTO_INCREMENT, tag varchar(255) NOT NULL, data mediumtext NOT NULL, ' +
    'alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP, master_id varchar(255) NOT NULL, PRIMARY KEY (id), KEY tag (tag))',
].map((sql) => `${sql} ENGINE=InnoDB DEFAULT CHARSET=utf8`);

/** Of `postgres`. */
export const POSTGRES_TABLES: readonly string[] = [
  'CREATE TABLE jids (jid varchar(20) PRIMARY KEY, load text NOT NULL)',
  'CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return text NOT NULL, full_ret text, ' +
    'id varchar(255) NOT NULL, success varchar(10) NOT NULL, alter_time TIMESTAMP WITH TIME ZONE DEFAULT now())',
  ...withSequence('text'),
];

/** Of `pgjsonb`. */
export const PGJSONB_TABLES: readonly string[] = [
  'CREATE TABLE jids (jid varchar(255) NOT NULL PRIMARY KEY, load jsonb NOT NULL)',
  'CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL, ' +
    'id varchar(255) NOT NULL, success varchar(10) NOT NULL, full_ret jsonb NOT NULL, ' +
    'alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW())',
  ...withSequence('jsonb'),
];

/** Of `postgres_local_cache`. */
export const LOCAL_CACHE_TABLES: readonly string[] = [
  'CREATE TABLE jids (jid varchar(20) PRIMARY KEY, started TIMESTAMP WITH TIME ZONE DEFAULT now(), tgt_type text NOT NULL, ' +
    'cmd text NOT NULL, tgt text NOT NULL, kwargs text NOT NULL, ret text NOT NULL, username text NOT NULL, ' +
    'arg text NOT NULL, fun text NOT NULL)',
  'CREATE TABLE salt_returns (added TIMESTAMP WITH TIME ZONE DEFAULT now(), fun text NOT NULL, jid varchar(20) NOT NULL, ' +
    'return text NOT NULL, id text NOT NULL, success boolean)',
  'CREATE TABLE salt_events (id SERIAL, tag text NOT NULL, data text NOT NULL, alter_time TIMESTAMP WITH TIME ZONE ' +
    'DEFAULT now(), master_id text NOT NULL)',
  'CREATE INDEX ON salt_events (data)',
];
