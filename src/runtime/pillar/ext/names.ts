/** The external pillars that there are, by the names that `ext_pillar` takes. */
export const EXT_PILLARS = [
  ...(['cmd_json', 'cmd_yaml', 'cmd_yamlex', 'cobbler', 'consul', 'csv', 'etcd'] as const),
  ...(['extra_minion_data_in_pillar', 'file_tree', 'foreman', 'git', 'gpg', 'hg', 'hiera'] as const),
  ...(['http_json', 'http_yaml', 'mongo', 'mysql', 'nacl', 'nodegroups', 'pillar_ldap'] as const),
  ...(['postgres', 'puppet', 'reclass', 'redis', 's3', 'saltclass', 'sqlite3', 'stack'] as const),
  ...(['svn', 'varstack', 'vault'] as const),
];

/** The name of one. */
export type ExtPillarName = (typeof EXT_PILLARS)[number];
