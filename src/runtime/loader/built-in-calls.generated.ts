/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { Takes } from './takes.ts';
/** The built-in functions and what each takes; a union where several files have the name. */
export interface BuiltInCalls {
  'acl.version': Takes<[]>;
  'acl.getfacl': Takes<[], never, never, 'places' | 'names'>;
  'acl.wipefacls': Takes<[], never, never, 'places' | 'names'>;
  'acl.modfacl': Takes<['acl_type', 'acl_name', 'perms'], 'acl_type', never, 'places' | 'names'>;
  'acl.delfacl': Takes<['acl_type', 'acl_name'], 'acl_type', never, 'places' | 'names'>;
  'acme.cert': Takes<
    [
      'name',
      'aliases',
      'email',
      'webroot',
      'test_cert',
      'renew',
      'keysize',
      'server',
      'owner',
      'group',
      'mode',
      'certname',
      'preferred_challenges',
      'tls_sni_01_port',
      'tls_sni_01_address',
      'http_01_port',
      'http_01_address',
      'dns_plugin',
      'dns_plugin_credentials',
      'dns_plugin_propagate_seconds',
    ],
    'name'
  >;
  'acme.certs': Takes<[]>;
  'acme.info': Takes<['name'], 'name'>;
  'acme.expires': Takes<['name'], 'name'>;
  'acme.has': Takes<['name'], 'name'>;
  'acme.renew_by': Takes<['name', 'window'], 'name'>;
  'acme.needs_renewal': Takes<['name', 'window'], 'name'>;
  'aliases.list_aliases': Takes<[]>;
  'aliases.get_target': Takes<['alias'], 'alias'>;
  'aliases.has_target': Takes<['alias', 'target'], 'alias' | 'target'>;
  'aliases.set_target': Takes<['alias', 'target'], 'alias' | 'target'>;
  'aliases.rm_alias': Takes<['alias'], 'alias'>;
  'alternatives.display': Takes<['name'], 'name'>;
  'alternatives.show_link': Takes<['name'], 'name'>;
  'alternatives.show_current': Takes<['name'], 'name'>;
  'alternatives.check_exists': Takes<['name', 'path'], 'name' | 'path'>;
  'alternatives.check_installed': Takes<['name', 'path'], 'name' | 'path'>;
  'alternatives.install': Takes<['name', 'link', 'path', 'priority'], 'name' | 'link' | 'path' | 'priority'>;
  'alternatives.remove': Takes<['name', 'path'], 'name' | 'path'>;
  'alternatives.auto': Takes<['name'], 'name'>;
  'alternatives.set': Takes<['name', 'path'], 'name' | 'path'>;
  'apache.version': Takes<[]>;
  'apache.fullversion': Takes<[]>;
  'apache.modules': Takes<[]>;
  'apache.servermods': Takes<[]>;
  'apache.directives': Takes<[]>;
  'apache.vhosts': Takes<[]>;
  'apache.signal': Takes<['signal']>;
  'apache.useradd': Takes<['pwfile', 'user', 'password', 'opts'], 'pwfile' | 'user' | 'password'>;
  'apache.userdel': Takes<['pwfile', 'user'], 'pwfile' | 'user'>;
  'apache.server_status': Takes<['profile']>;
  'apache.config': Takes<['name', 'config', 'edit'], 'name' | 'config'>;
  'apache.check_site_enabled': Takes<['site'], 'site'>;
  'apache.a2ensite': Takes<['site'], 'site'>;
  'apache.a2dissite': Takes<['site'], 'site'>;
  'apache.check_mod_enabled': Takes<['mod'], 'mod'>;
  'apache.a2enmod': Takes<['mod'], 'mod'>;
  'apache.a2dismod': Takes<['mod'], 'mod'>;
  'apache.check_conf_enabled': Takes<['conf'], 'conf'>;
  'apache.a2enconf': Takes<['conf'], 'conf'>;
  'apache.a2disconf': Takes<['conf'], 'conf'>;
  'archive.list': Takes<
    [
      'name',
      'archive_format',
      'options',
      'strip_components',
      'clean',
      'verbose',
      'saltenv',
      'source_hash',
      'use_etag',
    ],
    'name'
  >;
  'archive.tar': Takes<
    ['options', 'tarfile', 'sources', 'dest', 'cwd', 'template', 'runas'],
    'options' | 'tarfile'
  >;
  'archive.gzip': Takes<['sourcefile', 'template', 'runas', 'options'], 'sourcefile'>;
  'archive.gunzip': Takes<['gzipfile', 'template', 'runas', 'options'], 'gzipfile'>;
  'archive.cmd_zip': Takes<['zip_file', 'sources', 'template', 'cwd', 'runas'], 'zip_file' | 'sources'>;
  'archive.zip': Takes<['zip_file', 'sources', 'template', 'cwd', 'runas', 'zip64'], 'zip_file' | 'sources'>;
  'archive.cmd_unzip': Takes<
    ['zip_file', 'dest', 'excludes', 'options', 'template', 'runas', 'trim_output', 'password'],
    'zip_file' | 'dest'
  >;
  'archive.unzip': Takes<
    [
      'zip_file',
      'dest',
      'excludes',
      'options',
      'template',
      'runas',
      'trim_output',
      'password',
      'extract_perms',
    ],
    'zip_file' | 'dest'
  >;
  'archive.is_encrypted': Takes<['name', 'clean', 'saltenv', 'source_hash', 'use_etag'], 'name'>;
  'archive.rar': Takes<['rarfile', 'sources', 'template', 'cwd', 'runas'], 'rarfile' | 'sources'>;
  'archive.unrar': Takes<
    ['rarfile', 'dest', 'excludes', 'template', 'runas', 'trim_output'],
    'rarfile' | 'dest'
  >;
  'at.atq': Takes<['tag']>;
  'at.atrm': Takes<[], never, never, 'places'>;
  'at.at': Takes<[], never, never, 'places' | 'names'>;
  'at.atc': Takes<['jobid'], 'jobid'>;
  'at.jobcheck': Takes<[], never, never, 'names'>;
  'augeas.execute': Takes<['context', 'lens', 'commands', 'load_path']>;
  'augeas.get': Takes<['path', 'value', 'load_path'], 'path'>;
  'augeas.setvalue': Takes<[], never, 'prefix' | 'load_path', 'places'>;
  'augeas.match': Takes<['path', 'value', 'load_path'], 'path'>;
  'augeas.remove': Takes<['path', 'load_path'], 'path'>;
  'augeas.ls': Takes<['path', 'load_path'], 'path'>;
  'augeas.tree': Takes<['path', 'load_path'], 'path'>;
  'beacons.list': Takes<['return_yaml', 'include_pillar', 'include_opts'], never, never, 'names'>;
  'beacons.list_available': Takes<['return_yaml'], never, never, 'names'>;
  'beacons.add': Takes<['name', 'beacon_data'], 'name' | 'beacon_data', never, 'names'>;
  'beacons.modify': Takes<['name', 'beacon_data'], 'name' | 'beacon_data', never, 'names'>;
  'beacons.delete': Takes<['name'], 'name', never, 'names'>;
  'beacons.save': Takes<[], never, never, 'names'>;
  'beacons.enable': Takes<[], never, never, 'names'>;
  'beacons.disable': Takes<[], never, never, 'names'>;
  'beacons.enable_beacon': Takes<['name'], 'name', never, 'names'>;
  'beacons.disable_beacon': Takes<['name'], 'name', never, 'names'>;
  'beacons.reset': Takes<[], never, never, 'names'>;
  'brine.version': Takes<[]>;
  'brine.upgrade': Takes<['version', 'test', 'allow_downgrade']>;
  'brine.upgrade_status': Takes<[]>;
  'brine.go_back': Takes<['version', 'test']>;
  'buildout.upgrade_bootstrap': Takes<
    ['directory', 'onlyif', 'unless', 'runas', 'env', 'offline', 'buildout_ver']
  >;
  'buildout.bootstrap': Takes<
    [
      'directory',
      'config',
      'python',
      'onlyif',
      'unless',
      'runas',
      'env',
      'distribute',
      'buildout_ver',
      'test_release',
      'offline',
      'new_st',
      'use_vt',
      'loglevel',
    ]
  >;
  'buildout.run_buildout': Takes<
    [
      'directory',
      'config',
      'parts',
      'onlyif',
      'unless',
      'offline',
      'newest',
      'runas',
      'env',
      'verbose',
      'debug',
      'use_vt',
      'loglevel',
    ]
  >;
  'buildout.buildout': Takes<
    [
      'directory',
      'config',
      'parts',
      'runas',
      'env',
      'buildout_ver',
      'test_release',
      'distribute',
      'new_st',
      'offline',
      'newest',
      'python',
      'debug',
      'verbose',
      'onlyif',
      'unless',
      'use_vt',
      'loglevel',
    ]
  >;
  'cmd.run': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'redirect_stderr',
      'bg',
      'password',
      'encoded_cmd',
      'raise_err',
      'prepend_path',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.shell': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'bg',
      'password',
      'prepend_path',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.run_stdout': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'password',
      'prepend_path',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.run_stderr': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'password',
      'prepend_path',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.run_all': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'redirect_stderr',
      'password',
      'encoded_cmd',
      'prepend_path',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.retcode': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'clean_env',
      'template',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'password',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.run_bg': Takes<
    [
      'cmd',
      'cwd',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'clean_env',
      'template',
      'umask',
      'timeout',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'password',
      'prepend_path',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.run_chroot': Takes<
    [
      'root',
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'binds',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'bg',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'root' | 'cmd',
    never,
    'names'
  >;
  'cmd.script': Takes<
    [
      'source',
      'args',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'template',
      'umask',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'saltenv',
      'use_vt',
      'bg',
      'password',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'source',
    never,
    'names'
  >;
  'cmd.script_retcode': Takes<
    [
      'source',
      'args',
      'cwd',
      'stdin',
      'runas',
      'group',
      'shell',
      'python_shell',
      'env',
      'template',
      'umask',
      'timeout',
      'reset_system_locale',
      'saltenv',
      'output_encoding',
      'output_loglevel',
      'log_callback',
      'use_vt',
      'password',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'source',
    never,
    'names'
  >;
  'cmd.exec_code': Takes<['lang', 'code', 'cwd', 'args'], 'lang' | 'code', never, 'names'>;
  'cmd.exec_code_all': Takes<['lang', 'code', 'cwd', 'args'], 'lang' | 'code', never, 'names'>;
  'cmd.which': Takes<['cmd'], 'cmd'>;
  'cmd.which_bin': Takes<['cmds'], 'cmds'>;
  'cmd.has_exec': Takes<['cmd'], 'cmd'>;
  'cmd.shells': Takes<[]>;
  'cmd.shell_info': Takes<['shell', 'list_modules'], 'shell'>;
  'cmd.tty': Takes<['device', 'echo'], 'device'>;
  'cmd.powershell': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'hide_output',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'password',
      'depth',
      'encode_cmd',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'cmd.powershell_all': Takes<
    [
      'cmd',
      'cwd',
      'stdin',
      'runas',
      'shell',
      'env',
      'clean_env',
      'template',
      'rstrip',
      'umask',
      'output_encoding',
      'output_loglevel',
      'quiet',
      'timeout',
      'reset_system_locale',
      'ignore_retcode',
      'saltenv',
      'use_vt',
      'password',
      'depth',
      'encode_cmd',
      'force_list',
      'success_retcodes',
      'success_stdout',
      'success_stderr',
    ],
    'cmd',
    never,
    'names'
  >;
  'composer.did_composer_install': Takes<['dir'], 'dir'>;
  'composer.install': Takes<
    [
      'directory',
      'composer',
      'php',
      'runas',
      'prefer_source',
      'prefer_dist',
      'no_scripts',
      'no_plugins',
      'optimize',
      'no_dev',
      'quiet',
      'composer_home',
      'env',
    ],
    'directory'
  >;
  'composer.update': Takes<
    [
      'directory',
      'composer',
      'php',
      'runas',
      'prefer_source',
      'prefer_dist',
      'no_scripts',
      'no_plugins',
      'optimize',
      'no_dev',
      'quiet',
      'composer_home',
      'env',
    ],
    'directory'
  >;
  'composer.selfupdate': Takes<['composer', 'php', 'runas', 'quiet', 'composer_home']>;
  'config.get': Takes<
    ['key', 'default', 'delimiter', 'merge', 'omit_opts', 'omit_pillar', 'omit_master', 'omit_grains'],
    'key'
  >;
  'config.option': Takes<
    ['value', 'default', 'omit_opts', 'omit_grains', 'omit_pillar', 'omit_master', 'omit_all', 'wildcard'],
    'value'
  >;
  'config.merge': Takes<['value', 'default', 'omit_opts', 'omit_master', 'omit_pillar'], 'value'>;
  'config.items': Takes<[]>;
  'config.backup_mode': Takes<['backup']>;
  'config.manage_mode': Takes<['mode'], 'mode'>;
  'config.valid_fileproto': Takes<['uri'], 'uri'>;
  'config.dot_vals': Takes<['value'], 'value'>;
  'config.gather_bootstrap_script': Takes<['bootstrap']>;
  'consul.list': Takes<['consul_url', 'token', 'key'], never, never, 'names'>;
  'consul.get': Takes<['consul_url', 'key', 'token', 'recurse', 'decode', 'raw']>;
  'consul.put': Takes<['consul_url', 'token', 'key', 'value'], never, never, 'names'>;
  'consul.delete': Takes<['consul_url', 'token', 'key'], never, never, 'names'>;
  'consul.agent_checks': Takes<['consul_url', 'token']>;
  'consul.agent_services': Takes<['consul_url', 'token']>;
  'consul.agent_self': Takes<['consul_url', 'token']>;
  'consul.agent_members': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.agent_maintenance': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.agent_join': Takes<['consul_url', 'token', 'address'], never, never, 'names'>;
  'consul.agent_leave': Takes<['consul_url', 'token', 'node']>;
  'consul.agent_check_register': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.agent_check_deregister': Takes<['consul_url', 'token', 'checkid']>;
  'consul.agent_check_pass': Takes<['consul_url', 'token', 'checkid'], never, never, 'names'>;
  'consul.agent_check_warn': Takes<['consul_url', 'token', 'checkid'], never, never, 'names'>;
  'consul.agent_check_fail': Takes<['consul_url', 'token', 'checkid'], never, never, 'names'>;
  'consul.agent_service_register': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.agent_service_deregister': Takes<['consul_url', 'token', 'serviceid']>;
  'consul.agent_service_maintenance': Takes<['consul_url', 'token', 'serviceid'], never, never, 'names'>;
  'consul.session_create': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.session_list': Takes<['consul_url', 'token', 'return_list'], never, never, 'names'>;
  'consul.session_destroy': Takes<['consul_url', 'token', 'session'], never, never, 'names'>;
  'consul.session_info': Takes<['consul_url', 'token', 'session'], never, never, 'names'>;
  'consul.event_fire': Takes<['consul_url', 'token', 'name'], never, never, 'names'>;
  'consul.event_list': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.catalog_register': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.catalog_deregister': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.catalog_datacenters': Takes<['consul_url', 'token']>;
  'consul.catalog_nodes': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.catalog_services': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.catalog_service': Takes<['consul_url', 'token', 'service'], never, never, 'names'>;
  'consul.catalog_node': Takes<['consul_url', 'token', 'node'], never, never, 'names'>;
  'consul.health_node': Takes<['consul_url', 'token', 'node'], never, never, 'names'>;
  'consul.health_checks': Takes<['consul_url', 'token', 'service'], never, never, 'names'>;
  'consul.health_service': Takes<['consul_url', 'token', 'service'], never, never, 'names'>;
  'consul.health_state': Takes<['consul_url', 'token', 'state'], never, never, 'names'>;
  'consul.status_leader': Takes<['consul_url', 'token']>;
  'consul.status_peers': Takes<['consul_url', 'token'], 'consul_url'>;
  'consul.acl_create': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.acl_update': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.acl_delete': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.acl_info': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.acl_clone': Takes<['consul_url', 'token'], never, never, 'names'>;
  'consul.acl_list': Takes<['consul_url', 'token'], never, never, 'names'>;
  'cp.get_file': Takes<
    ['path', 'dest', 'saltenv', 'makedirs', 'template', 'gzip'],
    'path' | 'dest',
    never,
    'names'
  >;
  'cp.get_template': Takes<
    ['path', 'dest', 'template', 'saltenv', 'makedirs'],
    'path' | 'dest',
    never,
    'names'
  >;
  'cp.get_dir': Takes<['path', 'dest', 'saltenv', 'template', 'gzip'], 'path' | 'dest', never, 'names'>;
  'cp.get_url': Takes<['path', 'dest', 'saltenv', 'makedirs', 'source_hash'], 'path'>;
  'cp.get_file_str': Takes<['path', 'saltenv'], 'path'>;
  'cp.cache_file': Takes<['path', 'saltenv', 'source_hash', 'verify_ssl', 'use_etag'], 'path'>;
  'cp.cache_files': Takes<['paths', 'saltenv'], 'paths'>;
  'cp.cache_dir': Takes<['path', 'saltenv', 'include_empty', 'include_pat', 'exclude_pat'], 'path'>;
  'cp.cache_master': Takes<['saltenv']>;
  'cp.cache_local_file': Takes<['path'], 'path'>;
  'cp.cache_dest': Takes<['url', 'saltenv'], 'url'>;
  'cp.is_cached': Takes<['path', 'saltenv'], 'path'>;
  'cp.hash_file': Takes<['path', 'saltenv'], 'path'>;
  'cp.stat_file': Takes<['path', 'saltenv', 'octal'], 'path'>;
  'cp.list_master': Takes<['saltenv', 'prefix']>;
  'cp.list_master_dirs': Takes<['saltenv', 'prefix']>;
  'cp.list_master_symlinks': Takes<['saltenv', 'prefix']>;
  'cp.list_states': Takes<['saltenv']>;
  'cp.list_minion': Takes<['saltenv']>;
  'cp.envs': Takes<[]>;
  'cp.push': Takes<['path', 'keep_symlinks', 'upload_path', 'remove_source'], 'path'>;
  'cp.push_dir': Takes<['path', 'glob', 'upload_path'], 'path'>;
  'cp.recv': Takes<['files', 'dest'], 'files' | 'dest'>;
  'cp.recv_chunked': Takes<['dest', 'chunk', 'append', 'compressed', 'mode'], 'dest' | 'chunk'>;
  'cron.raw_cron': Takes<['user'], 'user'>;
  'cron.list_tab': Takes<['user'], 'user'>;
  'cron.ls': Takes<['user'], 'user'>;
  'cron.get_entry': Takes<['user', 'identifier', 'cmd'], 'user'>;
  'cron.set_job': Takes<
    ['user', 'minute', 'hour', 'daymonth', 'month', 'dayweek', 'cmd', 'commented', 'comment', 'identifier'],
    'user' | 'minute' | 'hour' | 'daymonth' | 'month' | 'dayweek' | 'cmd'
  >;
  'cron.set_special': Takes<
    ['user', 'special', 'cmd', 'commented', 'comment', 'identifier'],
    'user' | 'special' | 'cmd'
  >;
  'cron.rm_job': Takes<
    ['user', 'cmd', 'minute', 'hour', 'daymonth', 'month', 'dayweek', 'identifier'],
    'user' | 'cmd'
  >;
  'cron.rm': Takes<
    ['user', 'cmd', 'minute', 'hour', 'daymonth', 'month', 'dayweek', 'identifier'],
    'user' | 'cmd'
  >;
  'cron.rm_special': Takes<['user', 'cmd', 'special', 'identifier'], 'user' | 'cmd'>;
  'cron.set_env': Takes<['user', 'name', 'value'], 'user' | 'name'>;
  'cron.rm_env': Takes<['user', 'name'], 'user' | 'name'>;
  'cron.write_cron_file': Takes<['user', 'path'], 'user' | 'path'>;
  'cron.write_cron_file_verbose': Takes<['user', 'path'], 'user' | 'path'>;
  'data.clear': Takes<[]>;
  'data.load': Takes<[]>;
  'data.dump': Takes<['new_data'], 'new_data'>;
  'data.update': Takes<['key', 'value'], 'key' | 'value'>;
  'data.cas': Takes<['key', 'value', 'old_value'], 'key' | 'value' | 'old_value'>;
  'data.pop': Takes<['key', 'default'], 'key'>;
  'data.get': Takes<['key', 'default'], 'key'>;
  'data.keys': Takes<[]>;
  'data.values': Takes<[]>;
  'data.items': Takes<[]>;
  'data.has_key': Takes<['key'], 'key'>;
  'debconf.get_selections': Takes<['fetchempty']>;
  'debconf.show': Takes<['name'], 'name'>;
  'debconf.set': Takes<
    ['package', 'question', 'type', 'value'],
    'package' | 'question' | 'type' | 'value',
    never,
    'places'
  >;
  'debconf.set_template': Takes<
    ['path', 'template', 'context', 'defaults', 'saltenv'],
    'path' | 'template' | 'context' | 'defaults',
    never,
    'names'
  >;
  'debconf.set_file': Takes<['path', 'saltenv'], 'path', never, 'names'>;
  'defaults.get': Takes<['key', 'default'], 'key'>;
  'defaults.merge': Takes<['dest', 'src', 'merge_lists', 'in_place', 'convert_none'], 'dest' | 'src'>;
  'defaults.deepcopy': Takes<['source'], 'source'>;
  'defaults.update': Takes<
    ['dest', 'defaults', 'merge_lists', 'in_place', 'convert_none'],
    'dest' | 'defaults'
  >;
  'dig.check_ip': Takes<['addr'], 'addr'>;
  'dig.A': Takes<['host', 'nameserver'], 'host'>;
  'dig.AAAA': Takes<['host', 'nameserver'], 'host'>;
  'dig.PTR': Takes<['host', 'nameserver'], 'host'>;
  'dig.CNAME': Takes<['host', 'nameserver'], 'host'>;
  'dig.NS': Takes<['domain', 'resolve', 'nameserver'], 'domain'>;
  'dig.SPF': Takes<['domain', 'record', 'nameserver'], 'domain'>;
  'dig.MX': Takes<['domain', 'resolve', 'nameserver'], 'domain'>;
  'dig.TXT': Takes<['host', 'nameserver'], 'host'>;
  'dig.a': Takes<['host', 'nameserver'], 'host'>;
  'dig.aaaa': Takes<['host', 'nameserver'], 'host'>;
  'dig.ptr': Takes<['host', 'nameserver'], 'host'>;
  'dig.cname': Takes<['host', 'nameserver'], 'host'>;
  'dig.ns': Takes<['domain', 'resolve', 'nameserver'], 'domain'>;
  'dig.spf': Takes<['domain', 'record', 'nameserver'], 'domain'>;
  'dig.mx': Takes<['domain', 'resolve', 'nameserver'], 'domain'>;
  'disk.usage': Takes<['args']>;
  'disk.inodeusage': Takes<['args']>;
  'disk.percent': Takes<['args']>;
  'disk.fstype': Takes<['device'], 'device'>;
  'disk.get_fstype_from_path': Takes<['path'], 'path'>;
  'disk.blkid': Takes<['device', 'token']>;
  'disk.tune': Takes<['device'], 'device', never, 'names'>;
  'disk.wipe': Takes<['device'], 'device'>;
  'disk.dump': Takes<['device', 'args'], 'device'>;
  'disk.format': Takes<['device', 'fs_type', 'inode_size', 'lazy_itable_init', 'fat', 'force'], 'device'>;
  'disk.resize2fs': Takes<['device'], 'device'>;
  'disk.hdparms': Takes<['disks', 'args'], 'disks'>;
  'disk.hpa': Takes<['disks', 'size'], 'disks'>;
  'disk.smart_attributes': Takes<['dev', 'attributes', 'values'], 'dev'>;
  'disk.iostat': Takes<['interval', 'count', 'disks']>;
  'dnsutil.parse_hosts': Takes<['hostsfile', 'hosts']>;
  'dnsutil.hosts_append': Takes<['hostsfile', 'ip_addr', 'entries']>;
  'dnsutil.hosts_remove': Takes<['hostsfile', 'entries']>;
  'dnsutil.parse_zone': Takes<['zonefile', 'zone']>;
  'dnsutil.check_ip': Takes<['ip_addr'], 'ip_addr'>;
  'dnsutil.A': Takes<['host', 'nameserver'], 'host'>;
  'dnsutil.AAAA': Takes<['host', 'nameserver'], 'host'>;
  'dnsutil.NS': Takes<['domain', 'resolve', 'nameserver'], 'domain'>;
  'dnsutil.SPF': Takes<['domain', 'record', 'nameserver'], 'domain'>;
  'dnsutil.MX': Takes<['domain', 'resolve', 'nameserver'], 'domain'>;
  'dnsutil.serial': Takes<['zone', 'update']>;
  'docker.version': Takes<[]>;
  'docker.info': Takes<[]>;
  'docker.inspect': Takes<['name'], 'name'>;
  'docker.inspect_container': Takes<['name'], 'name'>;
  'docker.inspect_volume': Takes<['name'], 'name'>;
  'docker.exists': Takes<['name'], 'name'>;
  'docker.state': Takes<['name'], 'name'>;
  'docker.ps': Takes<['filters'], never, never, 'names'>;
  'docker.list_containers': Takes<['all'], never, never, 'names'>;
  'docker.volumes': Takes<['filters']>;
  'docker.create': Takes<
    ['image', 'name', 'start', 'skip_translate', 'ignore_collisions', 'validate_ip_addrs', 'client_timeout'],
    'image',
    never,
    'names'
  >;
  'docker.run_container': Takes<
    [
      'image',
      'name',
      'skip_translate',
      'ignore_collisions',
      'validate_ip_addrs',
      'client_timeout',
      'bg',
      'replace',
      'force',
      'networks',
    ],
    'image',
    never,
    'names'
  >;
  'docker.start': Takes<['name'], 'name'>;
  'docker.stop': Takes<['name', 'timeout', 'unpause'], 'name'>;
  'docker.restart': Takes<['name', 'timeout'], 'name'>;
  'docker.kill': Takes<['name'], 'name'>;
  'docker.signal': Takes<['name', 'signal'], 'name' | 'signal'>;
  'docker.pause': Takes<['name'], 'name'>;
  'docker.unpause': Takes<['name'], 'name'>;
  'docker.wait': Takes<['name', 'ignore_already_stopped', 'fail_on_exit_status'], 'name'>;
  'docker.rename': Takes<['name', 'new_name'], 'name' | 'new_name'>;
  'docker.rm': Takes<['name', 'force', 'volumes', 'stop', 'timeout'], 'name'>;
  'docker.logs': Takes<['name'], 'name', never, 'names'>;
  'docker.port': Takes<['name', 'private_port'], 'name'>;
  'docker.compare_containers': Takes<['first', 'second', 'ignore'], 'first' | 'second'>;
  'docker.compare_container_networks': Takes<['first', 'second'], 'first' | 'second'>;
  'docker.inspect_image': Takes<['name'], 'name'>;
  'docker.images': Takes<['verbose'], never, never, 'names'>;
  'docker.list_tags': Takes<[]>;
  'docker.resolve_image_id': Takes<['name'], 'name'>;
  'docker.resolve_tag': Takes<['name', 'all'], 'name'>;
  'docker.depends': Takes<['name'], 'name'>;
  'docker.pull': Takes<['image', 'insecure_registry', 'api_response', 'client_timeout'], 'image'>;
  'docker.push': Takes<['image', 'insecure_registry', 'api_response', 'client_timeout'], 'image'>;
  'docker.rmi': Takes<[], never, 'force' | 'prune', 'places'>;
  'docker.tag': Takes<['name', 'repository', 'tag', 'force'], 'name' | 'repository'>;
  'docker.build': Takes<
    ['path', 'repository', 'tag', 'cache', 'rm', 'api_response', 'fileobj', 'dockerfile', 'buildargs']
  >;
  'docker.load': Takes<['path', 'repository', 'tag'], 'path'>;
  'docker.networks': Takes<['names', 'ids']>;
  'docker.inspect_network': Takes<['network_id'], 'network_id'>;
  'docker.create_network': Takes<
    ['name', 'skip_translate', 'ignore_collisions', 'validate_ip_addrs', 'client_timeout'],
    'name',
    never,
    'names'
  >;
  'docker.remove_network': Takes<['network_id'], 'network_id'>;
  'docker.connected': Takes<['name', 'verbose'], 'name'>;
  'docker.connect_container_to_network': Takes<
    ['container', 'net_id'],
    'container' | 'net_id',
    never,
    'names'
  >;
  'docker.disconnect_container_from_network': Takes<['container', 'network_id'], 'container' | 'network_id'>;
  'docker.disconnect_all_containers_from_network': Takes<['network_id'], 'network_id'>;
  'docker.compare_networks': Takes<['first', 'second', 'ignore'], 'first' | 'second'>;
  'docker.create_volume': Takes<['name', 'driver', 'driver_opts'], 'name'>;
  'docker.remove_volume': Takes<['name'], 'name'>;
  'docker.login': Takes<[], never, never, 'places'>;
  'docker.logout': Takes<[], never, never, 'places'>;
  'docker.run': Takes<
    [
      'name',
      'cmd',
      'exec_driver',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'ignore_retcode',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'docker.run_all': Takes<
    [
      'name',
      'cmd',
      'exec_driver',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'ignore_retcode',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'docker.run_stdout': Takes<
    [
      'name',
      'cmd',
      'exec_driver',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'ignore_retcode',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'docker.run_stderr': Takes<
    [
      'name',
      'cmd',
      'exec_driver',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'ignore_retcode',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'docker.retcode': Takes<
    [
      'name',
      'cmd',
      'exec_driver',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'ignore_retcode',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'drbd.overview': Takes<[]>;
  'drbd.status': Takes<['name']>;
  'elasticsearch.ping': Takes<['allow_failure', 'hosts', 'profile']>;
  'elasticsearch.info': Takes<['hosts', 'profile']>;
  'elasticsearch.node_info': Takes<['nodes', 'flat_settings', 'hosts', 'profile']>;
  'elasticsearch.cluster_health': Takes<['index', 'level', 'local', 'hosts', 'profile']>;
  'elasticsearch.cluster_stats': Takes<['nodes', 'hosts', 'profile']>;
  'elasticsearch.cluster_get_settings': Takes<['flat_settings', 'include_defaults', 'hosts', 'profile']>;
  'elasticsearch.cluster_put_settings': Takes<['body', 'flat_settings', 'hosts', 'profile']>;
  'elasticsearch.alias_create': Takes<
    ['indices', 'alias', 'hosts', 'body', 'profile', 'source'],
    'indices' | 'alias'
  >;
  'elasticsearch.alias_delete': Takes<
    ['indices', 'aliases', 'hosts', 'body', 'profile', 'source'],
    'indices' | 'aliases'
  >;
  'elasticsearch.alias_exists': Takes<['aliases', 'indices', 'hosts', 'profile'], 'aliases'>;
  'elasticsearch.alias_get': Takes<['indices', 'aliases', 'hosts', 'profile']>;
  'elasticsearch.index_template_create': Takes<['name', 'body', 'hosts', 'profile', 'source'], 'name'>;
  'elasticsearch.index_template_delete': Takes<['name', 'hosts', 'profile'], 'name'>;
  'elasticsearch.index_template_exists': Takes<['name', 'hosts', 'profile'], 'name'>;
  'elasticsearch.index_template_get': Takes<['name', 'hosts', 'profile'], 'name'>;
  'elasticsearch.document_create': Takes<
    ['index', 'doc_type', 'body', 'id', 'hosts', 'profile', 'source'],
    'index' | 'doc_type'
  >;
  'elasticsearch.document_delete': Takes<
    ['index', 'doc_type', 'id', 'hosts', 'profile'],
    'index' | 'doc_type' | 'id'
  >;
  'elasticsearch.document_exists': Takes<['index', 'id', 'doc_type', 'hosts', 'profile'], 'index' | 'id'>;
  'elasticsearch.document_get': Takes<['index', 'id', 'doc_type', 'hosts', 'profile'], 'index' | 'id'>;
  'elasticsearch.index_create': Takes<['index', 'body', 'hosts', 'profile', 'source'], 'index'>;
  'elasticsearch.index_delete': Takes<['index', 'hosts', 'profile'], 'index'>;
  'elasticsearch.index_exists': Takes<['index', 'hosts', 'profile'], 'index'>;
  'elasticsearch.index_get': Takes<['index', 'hosts', 'profile'], 'index'>;
  'elasticsearch.index_open': Takes<
    ['index', 'allow_no_indices', 'expand_wildcards', 'ignore_unavailable', 'hosts', 'profile'],
    'index'
  >;
  'elasticsearch.index_close': Takes<
    ['index', 'allow_no_indices', 'expand_wildcards', 'ignore_unavailable', 'hosts', 'profile'],
    'index'
  >;
  'elasticsearch.index_get_settings': Takes<['hosts', 'profile'], never, never, 'names'>;
  'elasticsearch.index_put_settings': Takes<['body', 'hosts', 'profile', 'source'], never, never, 'names'>;
  'elasticsearch.mapping_create': Takes<
    ['index', 'doc_type', 'body', 'hosts', 'profile', 'source'],
    'index' | 'doc_type'
  >;
  'elasticsearch.mapping_delete': Takes<['index', 'doc_type', 'hosts', 'profile'], 'index' | 'doc_type'>;
  'elasticsearch.mapping_get': Takes<['index', 'doc_type', 'hosts', 'profile'], 'index' | 'doc_type'>;
  'elasticsearch.flush_synced': Takes<['hosts', 'profile'], never, never, 'names'>;
  'elasticsearch.pipeline_get': Takes<['id', 'hosts', 'profile'], 'id'>;
  'elasticsearch.pipeline_delete': Takes<['id', 'hosts', 'profile'], 'id'>;
  'elasticsearch.pipeline_create': Takes<['id', 'body', 'hosts', 'profile'], 'id' | 'body'>;
  'elasticsearch.pipeline_simulate': Takes<['id', 'body', 'verbose', 'hosts', 'profile'], 'id' | 'body'>;
  'elasticsearch.search_template_get': Takes<['id', 'hosts', 'profile'], 'id'>;
  'elasticsearch.search_template_create': Takes<['id', 'body', 'hosts', 'profile'], 'id' | 'body'>;
  'elasticsearch.search_template_delete': Takes<['id', 'hosts', 'profile'], 'id'>;
  'elasticsearch.repository_get': Takes<['name', 'local', 'hosts', 'profile'], 'name'>;
  'elasticsearch.repository_create': Takes<['name', 'body', 'hosts', 'profile'], 'name' | 'body'>;
  'elasticsearch.repository_delete': Takes<['name', 'hosts', 'profile'], 'name'>;
  'elasticsearch.repository_verify': Takes<['name', 'hosts', 'profile'], 'name'>;
  'elasticsearch.snapshot_status': Takes<
    ['repository', 'snapshot', 'ignore_unavailable', 'hosts', 'profile']
  >;
  'elasticsearch.snapshot_get': Takes<
    ['repository', 'snapshot', 'ignore_unavailable', 'hosts', 'profile'],
    'repository' | 'snapshot'
  >;
  'elasticsearch.snapshot_create': Takes<
    ['repository', 'snapshot', 'body', 'hosts', 'profile'],
    'repository' | 'snapshot'
  >;
  'elasticsearch.snapshot_restore': Takes<
    ['repository', 'snapshot', 'body', 'hosts', 'profile'],
    'repository' | 'snapshot'
  >;
  'elasticsearch.snapshot_delete': Takes<
    ['repository', 'snapshot', 'hosts', 'profile'],
    'repository' | 'snapshot'
  >;
  'environ.get': Takes<['key', 'default'], 'key'>;
  'environ.has_value': Takes<['key', 'value'], 'key'>;
  'environ.item': Takes<['keys', 'default'], 'keys'>;
  'environ.items': Takes<[]>;
  'environ.setval': Takes<['key', 'val', 'false_unsets', 'permanent'], 'key' | 'val'>;
  'environ.setenv': Takes<['environ', 'false_unsets', 'clear_all', 'update_minion', 'permanent'], 'environ'>;
  'etcd.get': Takes<['key', 'recurse', 'profile'], 'key', never, 'names'>;
  'etcd.set': Takes<['key', 'value', 'profile', 'ttl', 'directory'], 'key' | 'value', never, 'names'>;
  'etcd.update': Takes<['fields', 'path', 'profile'], 'fields', never, 'names'>;
  'etcd.watch': Takes<['key', 'recurse', 'profile', 'timeout', 'index'], 'key', never, 'names'>;
  'etcd.ls': Takes<['path', 'profile'], never, never, 'names'>;
  'etcd.rm': Takes<['key', 'recurse', 'profile'], 'key', never, 'names'>;
  'etcd.tree': Takes<['path', 'profile'], never, never, 'names'>;
  'event.fire': Takes<['data', 'tag'], 'data' | 'tag'>;
  'event.fire_master': Takes<['data', 'tag', 'preload'], 'data' | 'tag'>;
  'event.send': Takes<
    ['tag', 'data', 'preload', 'with_env', 'with_grains', 'with_pillar', 'with_env_opts'],
    'tag',
    never,
    'names'
  >;
  'extfs.mkfs': Takes<['device', 'fs_type'], 'device' | 'fs_type', never, 'names'>;
  'extfs.tune': Takes<['device'], 'device', never, 'names'>;
  'extfs.attributes': Takes<['device', 'args'], 'device'>;
  'extfs.blocks': Takes<['device', 'args'], 'device'>;
  'extfs.dump': Takes<['device', 'args'], 'device'>;
  'file.stats': Takes<['path', 'hash_type', 'follow_symlinks'], 'path'>;
  'file.lstat': Takes<['path'], 'path'>;
  'file.get_mode': Takes<['path', 'follow_symlinks'], 'path'>;
  'file.get_user': Takes<['path', 'follow_symlinks'], 'path'>;
  'file.get_group': Takes<['path', 'follow_symlinks'], 'path'>;
  'file.get_uid': Takes<['path', 'follow_symlinks'], 'path'>;
  'file.get_gid': Takes<['path', 'follow_symlinks'], 'path'>;
  'file.set_mode': Takes<['path', 'mode'], 'path' | 'mode'>;
  'file.access': Takes<['path', 'mode'], 'path' | 'mode'>;
  'file.directory_exists': Takes<['path'], 'path'>;
  'file.file_exists': Takes<['path'], 'path'>;
  'file.is_link': Takes<['path'], 'path'>;
  'file.is_hardlink': Takes<['path'], 'path'>;
  'file.is_chrdev': Takes<['name'], 'name'>;
  'file.is_blkdev': Takes<['name'], 'name'>;
  'file.is_fifo': Takes<['name'], 'name'>;
  'file.get_devmm': Takes<['name'], 'name'>;
  'file.statvfs': Takes<['path'], 'path'>;
  'file.diskusage': Takes<['path'], 'path'>;
  'file.readdir': Takes<['path'], 'path'>;
  'file.gid_to_group': Takes<['gid'], 'gid'>;
  'file.group_to_gid': Takes<['group'], 'group'>;
  'file.uid_to_user': Takes<['uid'], 'uid'>;
  'file.user_to_uid': Takes<['user'], 'user'>;
  'file.chown': Takes<['path', 'user', 'group'], 'path' | 'user' | 'group'>;
  'file.lchown': Takes<['path', 'user', 'group'], 'path' | 'user' | 'group'>;
  'file.chgrp': Takes<['path', 'group'], 'path' | 'group'>;
  'file.lsattr': Takes<['path'], 'path'>;
  'file.chattr': Takes<[], never, never, 'places' | 'names'>;
  'file.get_hash': Takes<['path', 'form', 'chunk_size'], 'path'>;
  'file.get_sum': Takes<['path', 'form'], 'path'>;
  'file.check_hash': Takes<['path', 'file_hash'], 'path' | 'file_hash'>;
  'file.get_source_sum': Takes<
    ['file_name', 'source', 'source_hash', 'source_hash_name', 'saltenv', 'verify_ssl']
  >;
  'file.extract_hash': Takes<['hash_fn', 'hash_type', 'file_name', 'source', 'source_hash_name'], 'hash_fn'>;
  'file.find': Takes<['path'], 'path', never, 'places' | 'names'>;
  'file.append': Takes<['path'], 'path', never, 'places' | 'names'>;
  'file.prepend': Takes<['path'], 'path', never, 'places' | 'names'>;
  'file.write': Takes<['path'], 'path', never, 'places' | 'names'>;
  'file.touch': Takes<['name', 'atime', 'mtime'], 'name'>;
  'file.read': Takes<['path', 'binary'], 'path'>;
  'file.seek_read': Takes<['path', 'size', 'offset'], 'path' | 'size' | 'offset'>;
  'file.seek_write': Takes<['path', 'data', 'offset'], 'path' | 'data' | 'offset'>;
  'file.truncate': Takes<['path', 'length'], 'path' | 'length'>;
  'file.contains': Takes<['path', 'text'], 'path' | 'text'>;
  'file.contains_regex': Takes<['path', 'regex', 'lchar'], 'path' | 'regex'>;
  'file.contains_glob': Takes<['path', 'glob_expr'], 'path' | 'glob_expr'>;
  'file.grep': Takes<['path', 'pattern'], 'path' | 'pattern', never, 'places'>;
  'file.patch': Takes<['originalfile', 'patchfile', 'options', 'dry_run'], 'originalfile' | 'patchfile'>;
  'file.replace': Takes<
    [
      'path',
      'pattern',
      'repl',
      'count',
      'flags',
      'bufsize',
      'append_if_not_found',
      'prepend_if_not_found',
      'not_found_content',
      'backup',
      'dry_run',
      'search_only',
      'show_changes',
      'ignore_if_missing',
      'preserve_inode',
      'backslash_literal',
    ],
    'path' | 'pattern' | 'repl'
  >;
  'file.search': Takes<
    ['path', 'pattern', 'flags', 'bufsize', 'ignore_if_missing', 'multiline'],
    'path' | 'pattern'
  >;
  'file.blockreplace': Takes<
    [
      'path',
      'marker_start',
      'marker_end',
      'content',
      'append_if_not_found',
      'prepend_if_not_found',
      'backup',
      'dry_run',
      'show_changes',
      'append_newline',
      'insert_before_match',
      'insert_after_match',
    ],
    'path'
  >;
  'file.line': Takes<
    [
      'path',
      'content',
      'match',
      'mode',
      'location',
      'before',
      'after',
      'show_changes',
      'backup',
      'quiet',
      'indent',
    ],
    'path'
  >;
  'file.comment_line': Takes<['path', 'regex', 'char', 'cmnt', 'backup'], 'path' | 'regex'>;
  'file.comment': Takes<['path', 'regex', 'char', 'backup'], 'path' | 'regex'>;
  'file.uncomment': Takes<['path', 'regex', 'char', 'backup'], 'path' | 'regex'>;
  'file.sed': Takes<
    ['path', 'before', 'after', 'limit', 'backup', 'options', 'flags', 'escape_all', 'negate_match'],
    'path' | 'before' | 'after'
  >;
  'file.sed_contains': Takes<['path', 'text', 'limit', 'flags'], 'path' | 'text'>;
  'file.psed': Takes<
    ['path', 'before', 'after', 'limit', 'backup', 'flags', 'escape_all', 'multi'],
    'path' | 'before' | 'after'
  >;
  'file.link': Takes<['src', 'path'], 'src' | 'path'>;
  'file.symlink': Takes<['src', 'path', 'force', 'atomic'], 'src' | 'path'>;
  'file.readlink': Takes<['path', 'canonicalize'], 'path'>;
  'file.rename': Takes<['src', 'dst'], 'src' | 'dst'>;
  'file.move': Takes<['src', 'dst', 'disallow_copy_and_unlink'], 'src' | 'dst'>;
  'file.copy': Takes<['src', 'dst', 'recurse', 'remove_existing'], 'src' | 'dst'>;
  'file.remove': Takes<['path'], 'path', never, 'names'>;
  'file.rmdir': Takes<['path', 'recurse', 'verbose', 'older_than'], 'path'>;
  'file.path_exists_glob': Takes<['path'], 'path'>;
  'file.basename': Takes<['path'], 'path'>;
  'file.dirname': Takes<['path'], 'path'>;
  'file.join': Takes<[], never, never, 'places'>;
  'file.normpath': Takes<['path'], 'path'>;
  'file.pardir': Takes<[]>;
  'file.check_perms': Takes<
    [
      'name',
      'ret',
      'user',
      'group',
      'mode',
      'attrs',
      'follow_symlinks',
      'seuser',
      'serole',
      'setype',
      'serange',
    ],
    'name' | 'ret' | 'user' | 'group' | 'mode'
  >;
  'file.mkdir': Takes<['dir_path', 'user', 'group', 'mode'], 'dir_path'>;
  'file.makedirs': Takes<['path', 'user', 'group', 'mode'], 'path'>;
  'file.makedirs_perms': Takes<['name', 'user', 'group', 'mode'], 'name'>;
  'file.mknod': Takes<['name', 'ntype', 'major', 'minor', 'user', 'group', 'mode'], 'name' | 'ntype'>;
  'file.mknod_chrdev': Takes<['name', 'major', 'minor', 'user', 'group', 'mode'], 'name' | 'major' | 'minor'>;
  'file.mknod_blkdev': Takes<['name', 'major', 'minor', 'user', 'group', 'mode'], 'name' | 'major' | 'minor'>;
  'file.mknod_fifo': Takes<['name', 'user', 'group', 'mode'], 'name'>;
  'file.list_backups': Takes<['path', 'limit'], 'path'>;
  'file.list_backup': Takes<['path', 'limit'], 'path'>;
  'file.list_backups_dir': Takes<['path', 'limit'], 'path'>;
  'file.restore_backup': Takes<['path', 'backup_id'], 'path' | 'backup_id'>;
  'file.delete_backup': Takes<['path', 'backup_id'], 'path' | 'backup_id'>;
  'file.remove_backup': Takes<['path', 'backup_id'], 'path' | 'backup_id'>;
  'file.restorecon': Takes<['path', 'recursive'], 'path'>;
  'file.get_selinux_context': Takes<['path'], 'path'>;
  'file.set_selinux_context': Takes<['path', 'user', 'role', 'type', 'range', 'persist'], 'path'>;
  'file.source_list': Takes<['source', 'source_hash', 'saltenv'], 'source' | 'source_hash' | 'saltenv'>;
  'file.apply_template_on_contents': Takes<
    ['contents', 'template', 'context', 'defaults', 'saltenv'],
    'contents' | 'template' | 'context' | 'defaults' | 'saltenv'
  >;
  'file.get_managed': Takes<
    [
      'name',
      'template',
      'source',
      'source_hash',
      'source_hash_name',
      'user',
      'group',
      'mode',
      'attrs',
      'saltenv',
      'context',
      'defaults',
      'skip_verify',
      'verify_ssl',
      'use_etag',
    ],
    | 'name'
    | 'template'
    | 'source'
    | 'source_hash'
    | 'source_hash_name'
    | 'user'
    | 'group'
    | 'mode'
    | 'attrs'
    | 'saltenv'
    | 'context'
    | 'defaults',
    never,
    'names'
  >;
  'file.get_diff': Takes<
    [
      'file1',
      'file2',
      'saltenv',
      'show_filenames',
      'show_changes',
      'template',
      'source_hash_file1',
      'source_hash_file2',
    ],
    'file1' | 'file2'
  >;
  'file.check_managed': Takes<
    [
      'name',
      'source',
      'source_hash',
      'source_hash_name',
      'user',
      'group',
      'mode',
      'attrs',
      'template',
      'context',
      'defaults',
      'saltenv',
      'contents',
      'skip_verify',
      'seuser',
      'serole',
      'setype',
      'serange',
      'follow_symlinks',
    ],
    | 'name'
    | 'source'
    | 'source_hash'
    | 'source_hash_name'
    | 'user'
    | 'group'
    | 'mode'
    | 'attrs'
    | 'template'
    | 'context'
    | 'defaults'
    | 'saltenv',
    never,
    'names'
  >;
  'file.check_managed_changes': Takes<
    [
      'name',
      'source',
      'source_hash',
      'source_hash_name',
      'user',
      'group',
      'mode',
      'attrs',
      'template',
      'context',
      'defaults',
      'saltenv',
      'contents',
      'skip_verify',
      'keep_mode',
      'seuser',
      'serole',
      'setype',
      'serange',
      'verify_ssl',
      'follow_symlinks',
    ],
    | 'name'
    | 'source'
    | 'source_hash'
    | 'source_hash_name'
    | 'user'
    | 'group'
    | 'mode'
    | 'attrs'
    | 'template'
    | 'context'
    | 'defaults'
    | 'saltenv',
    never,
    'names'
  >;
  'file.check_file_meta': Takes<
    [
      'name',
      'sfn',
      'source',
      'source_sum',
      'user',
      'group',
      'mode',
      'attrs',
      'saltenv',
      'contents',
      'seuser',
      'serole',
      'setype',
      'serange',
      'verify_ssl',
      'follow_symlinks',
    ],
    'name' | 'sfn' | 'source' | 'source_sum' | 'user' | 'group' | 'mode' | 'attrs' | 'saltenv'
  >;
  'file.manage_file': Takes<
    [
      'name',
      'sfn',
      'ret',
      'source',
      'source_sum',
      'user',
      'group',
      'mode',
      'attrs',
      'saltenv',
      'backup',
      'makedirs',
      'template',
      'show_changes',
      'contents',
      'dir_mode',
      'follow_symlinks',
      'skip_verify',
      'keep_mode',
      'encoding',
      'encoding_errors',
      'seuser',
      'serole',
      'setype',
      'serange',
      'verify_ssl',
      'use_etag',
    ],
    | 'name'
    | 'sfn'
    | 'ret'
    | 'source'
    | 'source_sum'
    | 'user'
    | 'group'
    | 'mode'
    | 'attrs'
    | 'saltenv'
    | 'backup',
    never,
    'names'
  >;
  'file.open_files': Takes<['by_pid']>;
  'firewalld.version': Takes<[]>;
  'firewalld.reload_rules': Takes<[]>;
  'firewalld.make_permanent': Takes<[]>;
  'firewalld.default_zone': Takes<[]>;
  'firewalld.set_default_zone': Takes<['zone'], 'zone'>;
  'firewalld.get_zones': Takes<['permanent']>;
  'firewalld.get_services': Takes<['permanent']>;
  'firewalld.get_icmp_types': Takes<['permanent']>;
  'firewalld.list_zones': Takes<['permanent']>;
  'firewalld.list_all': Takes<['zone', 'permanent']>;
  'firewalld.new_zone': Takes<['zone', 'restart'], 'zone'>;
  'firewalld.delete_zone': Takes<['zone', 'restart'], 'zone'>;
  'firewalld.new_service': Takes<['name', 'restart'], 'name'>;
  'firewalld.delete_service': Takes<['name', 'restart'], 'name'>;
  'firewalld.get_service_ports': Takes<['service'], 'service'>;
  'firewalld.add_service_port': Takes<['service', 'port'], 'service' | 'port'>;
  'firewalld.remove_service_port': Takes<['service', 'port'], 'service' | 'port'>;
  'firewalld.get_service_protocols': Takes<['service'], 'service'>;
  'firewalld.add_service_protocol': Takes<['service', 'protocol'], 'service' | 'protocol'>;
  'firewalld.remove_service_protocol': Takes<['service', 'protocol'], 'service' | 'protocol'>;
  'firewalld.list_ports': Takes<['zone', 'permanent'], 'zone'>;
  'firewalld.add_port': Takes<['zone', 'port', 'permanent', 'force_masquerade'], 'zone' | 'port'>;
  'firewalld.remove_port': Takes<['zone', 'port', 'permanent'], 'zone' | 'port'>;
  'firewalld.list_port_fwd': Takes<['zone', 'permanent'], 'zone'>;
  'firewalld.add_port_fwd': Takes<
    ['zone', 'src', 'dest', 'proto', 'dstaddr', 'permanent', 'force_masquerade'],
    'zone' | 'src' | 'dest'
  >;
  'firewalld.remove_port_fwd': Takes<
    ['zone', 'src', 'dest', 'proto', 'dstaddr', 'permanent'],
    'zone' | 'src' | 'dest'
  >;
  'firewalld.list_services': Takes<['zone', 'permanent']>;
  'firewalld.add_service': Takes<['service', 'zone', 'permanent'], 'service'>;
  'firewalld.remove_service': Takes<['service', 'zone', 'permanent'], 'service'>;
  'firewalld.get_masquerade': Takes<['zone', 'permanent']>;
  'firewalld.add_masquerade': Takes<['zone', 'permanent']>;
  'firewalld.remove_masquerade': Takes<['zone', 'permanent']>;
  'firewalld.list_icmp_block': Takes<['zone', 'permanent'], 'zone'>;
  'firewalld.block_icmp': Takes<['zone', 'icmp', 'permanent'], 'zone' | 'icmp'>;
  'firewalld.allow_icmp': Takes<['zone', 'icmp', 'permanent'], 'zone' | 'icmp'>;
  'firewalld.get_interfaces': Takes<['zone', 'permanent'], 'zone'>;
  'firewalld.add_interface': Takes<['zone', 'interface', 'permanent'], 'zone' | 'interface'>;
  'firewalld.remove_interface': Takes<['zone', 'interface', 'permanent'], 'zone' | 'interface'>;
  'firewalld.get_sources': Takes<['zone', 'permanent'], 'zone'>;
  'firewalld.add_source': Takes<['zone', 'source', 'permanent'], 'zone' | 'source'>;
  'firewalld.remove_source': Takes<['zone', 'source', 'permanent'], 'zone' | 'source'>;
  'firewalld.get_rich_rules': Takes<['zone', 'permanent'], 'zone'>;
  'firewalld.add_rich_rule': Takes<['zone', 'rule', 'permanent'], 'zone' | 'rule'>;
  'firewalld.remove_rich_rule': Takes<['zone', 'rule', 'permanent'], 'zone' | 'rule'>;
  'gem.install': Takes<
    ['gems', 'ruby', 'gem_bin', 'runas', 'version', 'rdoc', 'ri', 'pre_releases', 'proxy', 'source'],
    'gems'
  >;
  'gem.uninstall': Takes<['gems', 'ruby', 'runas', 'gem_bin'], 'gems'>;
  'gem.update': Takes<['gems', 'ruby', 'runas', 'gem_bin'], 'gems'>;
  'gem.update_system': Takes<['version', 'ruby', 'runas', 'gem_bin']>;
  'gem.version': Takes<['ruby', 'runas', 'gem_bin']>;
  'gem.list': Takes<['prefix', 'ruby', 'runas', 'gem_bin']>;
  'gem.list_upgrades': Takes<['ruby', 'runas', 'gem_bin']>;
  'gem.sources_add': Takes<['source_uri', 'ruby', 'runas', 'gem_bin'], 'source_uri'>;
  'gem.sources_remove': Takes<['source_uri', 'ruby', 'runas', 'gem_bin'], 'source_uri'>;
  'gem.sources_list': Takes<['ruby', 'runas', 'gem_bin']>;
  'git.add': Takes<
    ['cwd', 'filename', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd' | 'filename'
  >;
  'git.archive': Takes<
    ['cwd', 'output', 'rev', 'prefix', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd' | 'output',
    never,
    'names'
  >;
  'git.commit': Takes<
    [
      'cwd',
      'message',
      'opts',
      'git_opts',
      'user',
      'password',
      'filename',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd' | 'message'
  >;
  'git.diff': Takes<
    [
      'cwd',
      'item1',
      'item2',
      'opts',
      'git_opts',
      'user',
      'password',
      'no_index',
      'cached',
      'paths',
      'output_encoding',
    ],
    'cwd'
  >;
  'git.discard_local_changes': Takes<
    ['cwd', 'path', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.init': Takes<
    [
      'cwd',
      'bare',
      'template',
      'separate_git_dir',
      'shared',
      'opts',
      'git_opts',
      'user',
      'password',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd'
  >;
  'git.rm': Takes<
    ['cwd', 'filename', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd' | 'filename'
  >;
  'git.stash': Takes<
    ['cwd', 'action', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.status': Takes<['cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'], 'cwd'>;
  'git.submodule': Takes<
    [
      'cwd',
      'command',
      'opts',
      'git_opts',
      'user',
      'password',
      'identity',
      'ignore_retcode',
      'saltenv',
      'output_encoding',
    ],
    'cwd' | 'command',
    never,
    'names'
  >;
  'git.version': Takes<['versioninfo']>;
  'git.config_get': Takes<
    ['key', 'cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'key',
    never,
    'names'
  >;
  'git.config_get_regexp': Takes<
    ['key', 'value_regex', 'cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'key',
    never,
    'names'
  >;
  'git.config_get_regex': Takes<
    ['key', 'value_regex', 'cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'key',
    never,
    'names'
  >;
  'git.config_set': Takes<
    ['key', 'value', 'multivar', 'cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'key',
    never,
    'names'
  >;
  'git.config_unset': Takes<
    ['key', 'value_regex', 'cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'key',
    never,
    'names'
  >;
  'git.branch': Takes<
    ['cwd', 'name', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.checkout': Takes<
    ['cwd', 'rev', 'force', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.current_branch': Takes<['cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'], 'cwd'>;
  'git.list_branches': Takes<
    ['cwd', 'remote', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.list_tags': Takes<['cwd', 'user', 'password', 'ignore_retcode', 'output_encoding'], 'cwd'>;
  'git.tag': Takes<
    [
      'cwd',
      'name',
      'ref',
      'message',
      'opts',
      'git_opts',
      'user',
      'password',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd' | 'name'
  >;
  'git.symbolic_ref': Takes<
    ['cwd', 'ref', 'value', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd' | 'ref'
  >;
  'git.describe': Takes<['cwd', 'rev', 'user', 'password', 'ignore_retcode', 'output_encoding'], 'cwd'>;
  'git.revision': Takes<
    ['cwd', 'rev', 'short', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.rev_parse': Takes<
    ['cwd', 'rev', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.merge': Takes<
    ['cwd', 'rev', 'opts', 'git_opts', 'user', 'password', 'identity', 'ignore_retcode', 'output_encoding'],
    'cwd',
    never,
    'names'
  >;
  'git.merge_base': Takes<
    [
      'cwd',
      'refs',
      'octopus',
      'is_ancestor',
      'independent',
      'fork_point',
      'opts',
      'git_opts',
      'user',
      'password',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd',
    never,
    'names'
  >;
  'git.merge_tree': Takes<
    ['cwd', 'ref1', 'ref2', 'base', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd' | 'ref1' | 'ref2'
  >;
  'git.rebase': Takes<
    ['cwd', 'rev', 'opts', 'git_opts', 'user', 'password', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.reset': Takes<
    ['cwd', 'opts', 'git_opts', 'user', 'password', 'identity', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.clone': Takes<
    [
      'cwd',
      'url',
      'name',
      'opts',
      'git_opts',
      'user',
      'password',
      'identity',
      'https_user',
      'https_pass',
      'ignore_retcode',
      'saltenv',
      'output_encoding',
    ],
    'cwd'
  >;
  'git.fetch': Takes<
    [
      'cwd',
      'remote',
      'force',
      'refspecs',
      'opts',
      'git_opts',
      'user',
      'password',
      'identity',
      'ignore_retcode',
      'saltenv',
      'output_encoding',
    ],
    'cwd'
  >;
  'git.pull': Takes<
    [
      'cwd',
      'opts',
      'git_opts',
      'user',
      'password',
      'identity',
      'ignore_retcode',
      'saltenv',
      'output_encoding',
    ],
    'cwd'
  >;
  'git.push': Takes<
    [
      'cwd',
      'remote',
      'ref',
      'opts',
      'git_opts',
      'user',
      'password',
      'identity',
      'ignore_retcode',
      'saltenv',
      'output_encoding',
    ],
    'cwd',
    never,
    'names'
  >;
  'git.ls_remote': Takes<
    [
      'cwd',
      'remote',
      'ref',
      'opts',
      'git_opts',
      'user',
      'password',
      'identity',
      'https_user',
      'https_pass',
      'ignore_retcode',
      'output_encoding',
      'saltenv',
    ]
  >;
  'git.remote_refs': Takes<
    [
      'url',
      'heads',
      'tags',
      'user',
      'password',
      'identity',
      'https_user',
      'https_pass',
      'ignore_retcode',
      'output_encoding',
      'saltenv',
    ],
    'url',
    never,
    'names'
  >;
  'git.remotes': Takes<
    ['cwd', 'user', 'password', 'redact_auth', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.remote_get': Takes<
    ['cwd', 'remote', 'user', 'password', 'redact_auth', 'ignore_retcode', 'output_encoding'],
    'cwd'
  >;
  'git.remote_set': Takes<
    [
      'cwd',
      'url',
      'remote',
      'user',
      'password',
      'https_user',
      'https_pass',
      'push_url',
      'push_https_user',
      'push_https_pass',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd' | 'url'
  >;
  'git.is_worktree': Takes<['cwd', 'user', 'password', 'output_encoding'], 'cwd'>;
  'git.list_worktrees': Takes<['cwd', 'stale', 'user', 'password', 'output_encoding'], 'cwd', never, 'names'>;
  'git.worktree_add': Takes<
    [
      'cwd',
      'worktree_path',
      'ref',
      'reset_branch',
      'force',
      'detach',
      'opts',
      'git_opts',
      'user',
      'password',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd' | 'worktree_path',
    never,
    'names'
  >;
  'git.worktree_prune': Takes<
    [
      'cwd',
      'dry_run',
      'verbose',
      'expire',
      'opts',
      'git_opts',
      'user',
      'password',
      'ignore_retcode',
      'output_encoding',
    ],
    'cwd'
  >;
  'git.worktree_rm': Takes<['cwd', 'user', 'output_encoding'], 'cwd'>;
  'glusterfs.peer_status': Takes<[]>;
  'glusterfs.peer': Takes<['name'], 'name'>;
  'glusterfs.create_volume': Takes<
    ['name', 'bricks', 'stripe', 'replica', 'device_vg', 'transport', 'start', 'force', 'arbiter'],
    'name' | 'bricks'
  >;
  'glusterfs.list_volumes': Takes<[]>;
  'glusterfs.status': Takes<['name'], 'name'>;
  'glusterfs.info': Takes<['name']>;
  'glusterfs.start_volume': Takes<['name', 'force'], 'name'>;
  'glusterfs.stop_volume': Takes<['name', 'force'], 'name'>;
  'glusterfs.delete_volume': Takes<['target', 'stop'], 'target'>;
  'glusterfs.add_volume_bricks': Takes<['name', 'bricks'], 'name' | 'bricks'>;
  'glusterfs.enable_quota_volume': Takes<['name'], 'name'>;
  'glusterfs.disable_quota_volume': Takes<['name'], 'name'>;
  'glusterfs.set_quota_volume': Takes<['name', 'path', 'size', 'enable_quota'], 'name' | 'path' | 'size'>;
  'glusterfs.unset_quota_volume': Takes<['name', 'path'], 'name' | 'path'>;
  'glusterfs.list_quota_volume': Takes<['name'], 'name'>;
  'glusterfs.get_op_version': Takes<['name'], 'name'>;
  'glusterfs.get_max_op_version': Takes<[]>;
  'glusterfs.set_op_version': Takes<['version'], 'version'>;
  'glusterfs.get_version': Takes<[]>;
  'gpg.search_keys': Takes<['text', 'keyserver', 'user'], 'text'>;
  'gpg.list_keys': Takes<['user', 'gnupghome']>;
  'gpg.list_secret_keys': Takes<['user', 'gnupghome']>;
  'gpg.create_key': Takes<
    [
      'key_type',
      'key_length',
      'name_real',
      'name_comment',
      'name_email',
      'subkey_type',
      'subkey_length',
      'expire_date',
      'use_passphrase',
      'user',
      'gnupghome',
    ]
  >;
  'gpg.delete_key': Takes<['keyid', 'fingerprint', 'delete_secret', 'user', 'gnupghome', 'use_passphrase']>;
  'gpg.get_key': Takes<['keyid', 'fingerprint', 'user', 'gnupghome']>;
  'gpg.get_secret_key': Takes<['keyid', 'fingerprint', 'user', 'gnupghome']>;
  'gpg.import_key': Takes<['text', 'filename', 'user', 'gnupghome']>;
  'gpg.export_key': Takes<['keyids', 'secret', 'user', 'gnupghome', 'use_passphrase', 'output', 'bare']>;
  'gpg.receive_keys': Takes<['keyserver', 'keys', 'user', 'gnupghome']>;
  'gpg.trust_key': Takes<['keyid', 'fingerprint', 'trust_level', 'user']>;
  'gpg.sign': Takes<['user', 'keyid', 'text', 'filename', 'output', 'use_passphrase', 'gnupghome']>;
  'gpg.verify': Takes<['text', 'user', 'filename', 'gnupghome', 'signature', 'trustmodel']>;
  'gpg.encrypt': Takes<
    [
      'user',
      'recipients',
      'text',
      'filename',
      'output',
      'sign',
      'use_passphrase',
      'always_trust',
      'gnupghome',
      'bare',
    ]
  >;
  'gpg.decrypt': Takes<['user', 'text', 'filename', 'output', 'use_passphrase', 'gnupghome', 'bare']>;
  'grafana4.get_users': Takes<['profile']>;
  'grafana4.get_user': Takes<['login', 'profile'], 'login'>;
  'grafana4.get_user_data': Takes<['userid', 'profile'], 'userid'>;
  'grafana4.create_user': Takes<['profile'], never, never, 'names'>;
  'grafana4.update_user': Takes<['userid', 'profile'], 'userid', never, 'names'>;
  'grafana4.update_user_password': Takes<['userid', 'profile'], 'userid', never, 'names'>;
  'grafana4.update_user_permissions': Takes<['userid', 'profile'], 'userid', never, 'names'>;
  'grafana4.delete_user': Takes<['userid', 'profile'], 'userid'>;
  'grafana4.get_user_orgs': Takes<['userid', 'profile'], 'userid'>;
  'grafana4.delete_user_org': Takes<['userid', 'orgid', 'profile'], 'userid' | 'orgid'>;
  'grafana4.get_orgs': Takes<['profile']>;
  'grafana4.get_org': Takes<['name', 'profile'], 'name'>;
  'grafana4.switch_org': Takes<['orgname', 'profile'], 'orgname'>;
  'grafana4.get_org_users': Takes<['orgname', 'profile']>;
  'grafana4.create_org_user': Takes<['orgname', 'profile'], never, never, 'names'>;
  'grafana4.update_org_user': Takes<['userid', 'orgname', 'profile'], 'userid', never, 'names'>;
  'grafana4.delete_org_user': Takes<['userid', 'orgname', 'profile'], 'userid'>;
  'grafana4.get_org_address': Takes<['orgname', 'profile']>;
  'grafana4.update_org_address': Takes<['orgname', 'profile'], never, never, 'names'>;
  'grafana4.get_org_prefs': Takes<['orgname', 'profile']>;
  'grafana4.update_org_prefs': Takes<['orgname', 'profile'], never, never, 'names'>;
  'grafana4.create_org': Takes<['profile'], never, never, 'names'>;
  'grafana4.update_org': Takes<['orgid', 'profile'], 'orgid', never, 'names'>;
  'grafana4.delete_org': Takes<['orgid', 'profile'], 'orgid'>;
  'grafana4.get_datasources': Takes<['orgname', 'profile']>;
  'grafana4.get_datasource': Takes<['name', 'orgname', 'profile'], 'name'>;
  'grafana4.create_datasource': Takes<['orgname', 'profile'], never, never, 'names'>;
  'grafana4.update_datasource': Takes<['datasourceid', 'orgname', 'profile'], 'datasourceid', never, 'names'>;
  'grafana4.delete_datasource': Takes<['datasourceid', 'orgname', 'profile'], 'datasourceid'>;
  'grafana4.get_dashboard': Takes<['slug', 'orgname', 'profile'], 'slug'>;
  'grafana4.delete_dashboard': Takes<['slug', 'orgname', 'profile'], 'slug'>;
  'grafana4.create_update_dashboard': Takes<['orgname', 'profile'], never, never, 'names'>;
  'grains.get': Takes<['key', 'default', 'delimiter', 'ordered'], 'key'>;
  'grains.fetch': Takes<['key', 'default', 'delimiter', 'ordered'], 'key'>;
  'grains.has_value': Takes<['key'], 'key'>;
  'grains.items': Takes<['sanitize']>;
  'grains.item': Takes<[], never, never, 'places' | 'names'>;
  'grains.ls': Takes<[]>;
  'grains.equals': Takes<['key', 'value'], 'key' | 'value'>;
  'grains.setvals': Takes<['grains', 'destructive', 'refresh_pillar'], 'grains'>;
  'grains.setval': Takes<['key', 'val', 'destructive', 'refresh_pillar'], 'key' | 'val'>;
  'grains.append': Takes<['key', 'val', 'convert', 'delimiter'], 'key' | 'val'>;
  'grains.remove': Takes<['key', 'val', 'delimiter'], 'key' | 'val'>;
  'grains.set': Takes<['key', 'val', 'force', 'destructive', 'delimiter'], 'key'>;
  'grains.delval': Takes<['key', 'destructive', 'force'], 'key'>;
  'grains.delkey': Takes<['key', 'force'], 'key'>;
  'grains.filter_by': Takes<['lookup_dict', 'grain', 'merge', 'default', 'base'], 'lookup_dict'>;
  'group.info': Takes<['name', 'root'], 'name'>;
  'group.getent': Takes<['refresh', 'root']>;
  'group.add': Takes<['name', 'gid', 'system', 'root', 'non_unique'], 'name'>;
  'group.delete': Takes<['name', 'root'], 'name'>;
  'group.chgid': Takes<['name', 'gid', 'root', 'non_unique'], 'name' | 'gid'>;
  'group.adduser': Takes<['name', 'username', 'root'], 'name' | 'username'>;
  'group.deluser': Takes<['name', 'username', 'root'], 'name' | 'username'>;
  'group.members': Takes<['name', 'members_list', 'root'], 'name' | 'members_list'>;
  'hashutil.digest': Takes<['instr', 'checksum'], 'instr'>;
  'hashutil.digest_file': Takes<['infile', 'checksum'], 'infile'>;
  'hashutil.md5_digest': Takes<['instr'], 'instr'>;
  'hashutil.sha256_digest': Takes<['instr'], 'instr'>;
  'hashutil.sha512_digest': Takes<['instr'], 'instr'>;
  'hashutil.base64_b64encode': Takes<['instr'], 'instr'>;
  'hashutil.base64_b64decode': Takes<['instr'], 'instr'>;
  'hashutil.base64_encodestring': Takes<['instr'], 'instr'>;
  'hashutil.base64_decodestring': Takes<['instr'], 'instr'>;
  'hashutil.base64_encodefile': Takes<['fname'], 'fname'>;
  'hashutil.base64_decodefile': Takes<['instr', 'outfile'], 'instr' | 'outfile'>;
  'hashutil.hmac_signature': Takes<
    ['string', 'shared_secret', 'challenge_hmac'],
    'string' | 'shared_secret' | 'challenge_hmac'
  >;
  'hashutil.hmac_compute': Takes<['string', 'shared_secret'], 'string' | 'shared_secret'>;
  'hashutil.github_signature': Takes<
    ['string', 'shared_secret', 'challenge_hmac'],
    'string' | 'shared_secret' | 'challenge_hmac'
  >;
  'helm.create': Takes<['name', 'flags', 'kvflags'], 'name'>;
  'helm.dependency_build': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.dependency_list': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.dependency_update': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.lint': Takes<['path', 'values', 'namespace', 'set', 'flags', 'kvflags'], 'path'>;
  'helm.package': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.pull': Takes<['pkg', 'flags', 'kvflags'], 'pkg'>;
  'helm.search_hub': Takes<['keyword', 'flags', 'kvflags'], 'keyword'>;
  'helm.search_repo': Takes<['keyword', 'flags', 'kvflags'], 'keyword'>;
  'helm.show_all': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.show_chart': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.show_readme': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.show_values': Takes<['chart', 'flags', 'kvflags'], 'chart'>;
  'helm.template': Takes<
    ['name', 'chart', 'values', 'output_dir', 'set', 'flags', 'kvflags'],
    'name' | 'chart'
  >;
  'helm.verify': Takes<['path', 'flags', 'kvflags'], 'path'>;
  'helm.get_all': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.get_hooks': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.get_manifest': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.get_notes': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.get_values': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.history': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.install': Takes<
    ['release', 'chart', 'values', 'version', 'namespace', 'set', 'flags', 'kvflags'],
    'release' | 'chart'
  >;
  'helm.list': Takes<['namespace', 'flags', 'kvflags']>;
  'helm.rollback': Takes<['release', 'revision', 'namespace', 'flags', 'kvflags'], 'release' | 'revision'>;
  'helm.status': Takes<['release', 'namespace', 'flags', 'kvflags'], 'release'>;
  'helm.test': Takes<['release', 'flags', 'kvflags'], 'release'>;
  'helm.uninstall': Takes<['release', 'namespace', 'flags', 'kvflags'], 'release'>;
  'helm.upgrade': Takes<
    ['release', 'chart', 'values', 'version', 'namespace', 'set', 'flags', 'kvflags'],
    'release' | 'chart'
  >;
  'helm.repo_add': Takes<['name', 'url', 'namespace', 'flags', 'kvflags'], 'name' | 'url'>;
  'helm.repo_index': Takes<['directory', 'namespace', 'flags', 'kvflags'], 'directory'>;
  'helm.repo_list': Takes<['namespace', 'flags', 'kvflags']>;
  'helm.repo_remove': Takes<['name', 'namespace', 'flags', 'kvflags'], 'name'>;
  'helm.repo_update': Takes<['namespace', 'flags', 'kvflags']>;
  'helm.repo_manage': Takes<['present', 'absent', 'prune', 'namespace', 'flags', 'kvflags']>;
  'helm.completion': Takes<['shell', 'flags', 'kvflags'], 'shell'>;
  'helm.env': Takes<['flags', 'kvflags']>;
  'helm.help': Takes<['command', 'flags', 'kvflags'], 'command'>;
  'helm.plugin_install': Takes<['path', 'flags', 'kvflags'], 'path'>;
  'helm.plugin_list': Takes<['flags', 'kvflags']>;
  'helm.plugin_uninstall': Takes<['plugin', 'flags', 'kvflags'], 'plugin'>;
  'helm.plugin_update': Takes<['plugin', 'flags', 'kvflags'], 'plugin'>;
  'helm.version': Takes<['flags', 'kvflags']>;
  'hg.revision': Takes<['cwd', 'rev', 'short', 'user'], 'cwd'>;
  'hg.describe': Takes<['cwd', 'rev', 'user'], 'cwd'>;
  'hg.archive': Takes<['cwd', 'output', 'rev', 'fmt', 'prefix', 'user'], 'cwd' | 'output'>;
  'hg.pull': Takes<['cwd', 'opts', 'user', 'identity', 'repository'], 'cwd'>;
  'hg.update': Takes<['cwd', 'rev', 'force', 'user'], 'cwd' | 'rev'>;
  'hg.clone': Takes<['cwd', 'repository', 'opts', 'user', 'identity'], 'cwd' | 'repository'>;
  'hg.status': Takes<['cwd', 'opts', 'user'], 'cwd'>;
  'hosts.list_hosts': Takes<[]>;
  'hosts.get_ip': Takes<['host'], 'host'>;
  'hosts.get_alias': Takes<['ip'], 'ip'>;
  'hosts.has_pair': Takes<['ip', 'alias'], 'ip' | 'alias'>;
  'hosts.set_host': Takes<['ip', 'alias', 'comment'], 'ip' | 'alias'>;
  'hosts.rm_host': Takes<['ip', 'alias'], 'ip' | 'alias'>;
  'hosts.add_host': Takes<['ip', 'alias'], 'ip' | 'alias'>;
  'hosts.set_comment': Takes<['ip', 'comment'], 'ip' | 'comment'>;
  'http.query': Takes<['url'], 'url', never, 'names'>;
  'http.wait_for_successful_query': Takes<['url', 'wait_for'], 'url', never, 'names'>;
  'http.update_ca_bundle': Takes<['target', 'source', 'merge_files']>;
  'icinga2.generate_ticket': Takes<['domain'], 'domain'>;
  'icinga2.generate_cert': Takes<['domain'], 'domain'>;
  'icinga2.save_cert': Takes<['domain', 'master'], 'domain' | 'master'>;
  'icinga2.request_cert': Takes<
    ['domain', 'master', 'ticket', 'port'],
    'domain' | 'master' | 'ticket' | 'port'
  >;
  'icinga2.node_setup': Takes<['domain', 'master', 'ticket'], 'domain' | 'master' | 'ticket'>;
  'incron.write_incron_file': Takes<['user', 'path'], 'user' | 'path'>;
  'incron.write_incron_file_verbose': Takes<['user', 'path'], 'user' | 'path'>;
  'incron.raw_system_incron': Takes<[]>;
  'incron.raw_incron': Takes<['user'], 'user'>;
  'incron.list_tab': Takes<['user'], 'user'>;
  'incron.ls': Takes<['user'], 'user'>;
  'incron.set_job': Takes<['user', 'path', 'mask', 'cmd'], 'user' | 'path' | 'mask' | 'cmd'>;
  'incron.rm_job': Takes<['user', 'path', 'mask', 'cmd'], 'user' | 'path' | 'mask' | 'cmd'>;
  'incron.rm': Takes<['user', 'path', 'mask', 'cmd'], 'user' | 'path' | 'mask' | 'cmd'>;
  'influxdb.list_dbs': Takes<[], never, never, 'names'>;
  'influxdb.db_exists': Takes<['name'], 'name', never, 'names'>;
  'influxdb.create_db': Takes<['name'], 'name', never, 'names'>;
  'influxdb.drop_db': Takes<['name'], 'name', never, 'names'>;
  'influxdb.list_users': Takes<[], never, never, 'names'>;
  'influxdb.user_exists': Takes<['name'], 'name', never, 'names'>;
  'influxdb.user_info': Takes<['name'], 'name', never, 'names'>;
  'influxdb.create_user': Takes<['name', 'passwd', 'admin'], 'name' | 'passwd', never, 'names'>;
  'influxdb.set_user_password': Takes<['name', 'passwd'], 'name' | 'passwd', never, 'names'>;
  'influxdb.grant_admin_privileges': Takes<['name'], 'name', never, 'names'>;
  'influxdb.revoke_admin_privileges': Takes<['name'], 'name', never, 'names'>;
  'influxdb.remove_user': Takes<['name'], 'name', never, 'names'>;
  'influxdb.get_retention_policy': Takes<['database', 'name'], 'database' | 'name', never, 'names'>;
  'influxdb.retention_policy_exists': Takes<['database', 'name'], 'database' | 'name', never, 'names'>;
  'influxdb.drop_retention_policy': Takes<['database', 'name'], 'database' | 'name', never, 'names'>;
  'influxdb.create_retention_policy': Takes<
    ['database', 'name', 'duration', 'replication', 'default'],
    'database' | 'name' | 'duration' | 'replication',
    never,
    'names'
  >;
  'influxdb.alter_retention_policy': Takes<
    ['database', 'name', 'duration', 'replication', 'default'],
    'database' | 'name' | 'duration' | 'replication',
    never,
    'names'
  >;
  'influxdb.list_privileges': Takes<['name'], 'name', never, 'names'>;
  'influxdb.grant_privilege': Takes<
    ['database', 'privilege', 'username'],
    'database' | 'privilege' | 'username',
    never,
    'names'
  >;
  'influxdb.revoke_privilege': Takes<
    ['database', 'privilege', 'username'],
    'database' | 'privilege' | 'username',
    never,
    'names'
  >;
  'influxdb.continuous_query_exists': Takes<['database', 'name'], 'database' | 'name', never, 'names'>;
  'influxdb.get_continuous_query': Takes<['database', 'name'], 'database' | 'name', never, 'names'>;
  'influxdb.create_continuous_query': Takes<
    ['database', 'name', 'query', 'resample_time', 'coverage_period'],
    'database' | 'name' | 'query',
    never,
    'names'
  >;
  'influxdb.drop_continuous_query': Takes<['database', 'name'], 'database' | 'name', never, 'names'>;
  'influxdb.query': Takes<['database', 'query'], 'database' | 'query', never, 'names'>;
  'ini.set_option': Takes<['file_name', 'sections', 'separator', 'encoding', 'no_spaces'], 'file_name'>;
  'ini.remove_option': Takes<
    ['file_name', 'section', 'option', 'separator', 'encoding'],
    'file_name' | 'section' | 'option'
  >;
  'ini.remove_section': Takes<['file_name', 'section', 'separator', 'encoding'], 'file_name' | 'section'>;
  'ini.get_option': Takes<
    ['file_name', 'section', 'option', 'separator', 'encoding'],
    'file_name' | 'section' | 'option'
  >;
  'ini.get_section': Takes<['file_name', 'section', 'separator', 'encoding'], 'file_name' | 'section'>;
  'ini.get_ini': Takes<['file_name', 'separator', 'encoding'], 'file_name'>;
  'ip.build_bond': Takes<['iface'], 'iface', never, 'names'>;
  'ip.build_interface': Takes<
    ['iface', 'iface_type', 'enabled'],
    'iface' | 'iface_type' | 'enabled',
    never,
    'names'
  >;
  'ip.build_network_settings': Takes<[], never, never, 'names'>;
  'ip.build_routes': Takes<['iface'], 'iface', never, 'names'>;
  'ip.apply_network_settings': Takes<[], never, never, 'names'>;
  'ip.down': Takes<['iface', 'iface_type'], 'iface' | 'iface_type'>;
  'ip.up': Takes<['iface', 'iface_type'], 'iface' | 'iface_type'>;
  'ip.get_bond': Takes<['iface'], 'iface'>;
  'ip.get_interface': Takes<['iface'], 'iface'>;
  'ip.get_network_settings': Takes<[]>;
  'ip.get_routes': Takes<['iface'], 'iface'>;
  'ipset.version': Takes<[]>;
  'ipset.new_set': Takes<['name', 'set_type', 'family', 'comment'], never, never, 'names'>;
  'ipset.delete_set': Takes<['name', 'family']>;
  'ipset.rename_set': Takes<['name', 'new_set', 'family']>;
  'ipset.list_sets': Takes<['family']>;
  'ipset.check_set': Takes<['name', 'family']>;
  'ipset.flush': Takes<['name', 'family']>;
  'ipset.add': Takes<['name', 'entry', 'family'], never, never, 'names'>;
  'ipset.delete': Takes<['name', 'entry', 'family'], never, never, 'names'>;
  'ipset.check': Takes<['name', 'entry', 'family']>;
  'ipset.test': Takes<['name', 'entry', 'family'], never, never, 'names'>;
  'iptables.version': Takes<['family']>;
  'iptables.build_rule': Takes<
    ['table', 'chain', 'command', 'position', 'full', 'family'],
    never,
    never,
    'names'
  >;
  'iptables.get_rules': Takes<['family']>;
  'iptables.get_saved_rules': Takes<['conf_file', 'family']>;
  'iptables.get_policy': Takes<['table', 'chain', 'family']>;
  'iptables.get_saved_policy': Takes<['table', 'chain', 'conf_file', 'family']>;
  'iptables.check': Takes<['table', 'chain', 'rule', 'family']>;
  'iptables.check_chain': Takes<['table', 'chain', 'family']>;
  'iptables.set_policy': Takes<['table', 'chain', 'policy', 'family']>;
  'iptables.save': Takes<['filename', 'family']>;
  'iptables.new_chain': Takes<['table', 'chain', 'family']>;
  'iptables.delete_chain': Takes<['table', 'chain', 'family']>;
  'iptables.append': Takes<['table', 'chain', 'rule', 'family']>;
  'iptables.insert': Takes<['table', 'chain', 'position', 'rule', 'family']>;
  'iptables.delete': Takes<['table', 'chain', 'position', 'rule', 'family'], 'table'>;
  'iptables.flush': Takes<['table', 'chain', 'family']>;
  'jinja.load_map': Takes<['path', 'value'], 'path' | 'value'>;
  'jinja.import_yaml': Takes<['path'], 'path'>;
  'jinja.import_json': Takes<['path'], 'path'>;
  'key.finger': Takes<['hash_type']>;
  'key.finger_master': Takes<['hash_type']>;
  'keyboard.get_sys': Takes<[]>;
  'keyboard.set_sys': Takes<['layout'], 'layout'>;
  'keyboard.get_x': Takes<[]>;
  'keyboard.set_x': Takes<['layout'], 'layout'>;
  'kmod.available': Takes<[]>;
  'kmod.check_available': Takes<['mod'], 'mod'>;
  'kmod.lsmod': Takes<[]>;
  'kmod.mod_list': Takes<['only_persist']>;
  'kmod.load': Takes<['mod', 'persist'], 'mod'>;
  'kmod.is_loaded': Takes<['mod'], 'mod'>;
  'kmod.remove': Takes<['mod', 'persist', 'comment'], 'mod'>;
  'ldap.search': Takes<['filter', 'dn', 'scope', 'attrs'], 'filter', never, 'names'>;
  'ldap3.connect': Takes<['connect_spec']>;
  'ldap3.search': Takes<
    ['connect_spec', 'base', 'scope', 'filterstr', 'attrlist', 'attrsonly'],
    'connect_spec' | 'base'
  >;
  'ldap3.add': Takes<['connect_spec', 'dn', 'attributes'], 'connect_spec' | 'dn' | 'attributes'>;
  'ldap3.delete': Takes<['connect_spec', 'dn'], 'connect_spec' | 'dn'>;
  'ldap3.modify': Takes<['connect_spec', 'dn', 'directives'], 'connect_spec' | 'dn' | 'directives'>;
  'ldap3.change': Takes<
    ['connect_spec', 'dn', 'before', 'after'],
    'connect_spec' | 'dn' | 'before' | 'after'
  >;
  'locale.list_avail': Takes<[]>;
  'locale.get_locale': Takes<[]>;
  'locale.set_locale': Takes<['locale'], 'locale'>;
  'locale.avail': Takes<['locale'], 'locale'>;
  'locale.gen_locale': Takes<['locale'], 'locale', never, 'names'>;
  'locate.version': Takes<[]>;
  'locate.stats': Takes<[]>;
  'locate.updatedb': Takes<[]>;
  'locate.locate': Takes<['pattern', 'database', 'limit'], 'pattern', never, 'names'>;
  'log.debug': Takes<['message'], 'message'>;
  'log.info': Takes<['message'], 'message'>;
  'log.warning': Takes<['message'], 'message'>;
  'log.error': Takes<['message'], 'message'>;
  'log.critical': Takes<['message'], 'message'>;
  'log.exception': Takes<['message'], 'message'>;
  'logrotate.show_conf': Takes<['conf_file']>;
  'logrotate.get': Takes<['key', 'value', 'conf_file'], 'key'>;
  'logrotate.set': Takes<['key', 'value', 'setting', 'conf_file'], 'key' | 'value'>;
  'lowpkg.list_pkgs': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.info': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.file_list': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.file_dict': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.bin_pkg_info': Takes<['path', 'saltenv'], 'path'>;
  'lowpkg.unpurge': Takes<[], never, never, 'places'>;
  'lowpkg.checksum': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.diff': Takes<['package_path', 'path'], 'package_path' | 'path'>;
  'lowpkg.owner': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.verify': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.modified': Takes<[], never, never, 'places' | 'names'>;
  'lowpkg.version_cmp': Takes<['ver1', 'ver2', 'ignore_epoch'], 'ver1' | 'ver2'>;
  'lvm.version': Takes<[]>;
  'lvm.fullversion': Takes<[]>;
  'lvm.pvdisplay': Takes<['pvname', 'real', 'quiet']>;
  'lvm.vgdisplay': Takes<['vgname', 'quiet']>;
  'lvm.lvdisplay': Takes<['lvname', 'quiet']>;
  'lvm.pvcreate': Takes<['devices', 'override', 'force'], 'devices', never, 'names'>;
  'lvm.pvremove': Takes<['devices', 'override', 'force'], 'devices'>;
  'lvm.pvresize': Takes<['devices', 'override', 'force'], 'devices'>;
  'lvm.vgcreate': Takes<['vgname', 'devices', 'force'], 'vgname' | 'devices', never, 'names'>;
  'lvm.vgextend': Takes<['vgname', 'devices', 'force'], 'vgname' | 'devices'>;
  'lvm.vgremove': Takes<['vgname', 'force'], 'vgname'>;
  'lvm.lvcreate': Takes<
    ['lvname', 'vgname', 'size', 'extents', 'snapshot', 'pv', 'thinvolume', 'thinpool', 'force'],
    'lvname' | 'vgname',
    never,
    'names'
  >;
  'lvm.lvremove': Takes<['lvname', 'vgname', 'force'], 'lvname' | 'vgname'>;
  'lvm.lvresize': Takes<['size', 'lvpath', 'extents', 'force', 'resizefs']>;
  'lvm.lvextend': Takes<['size', 'lvpath', 'extents', 'force', 'resizefs']>;
  'lxc.version': Takes<[]>;
  'lxc.search_lxc_bridges': Takes<[]>;
  'lxc.search_lxc_bridge': Takes<[]>;
  'lxc.get_root_path': Takes<['path'], 'path'>;
  'lxc.get_container_profile': Takes<['name'], never, never, 'names'>;
  'lxc.get_network_profile': Takes<['name'], never, never, 'names'>;
  'lxc.ls': Takes<['active', 'cache', 'path']>;
  'lxc.list': Takes<['extra', 'limit', 'path']>;
  'lxc.exists': Takes<['name', 'path'], 'name'>;
  'lxc.state': Takes<['name', 'path'], 'name'>;
  'lxc.info': Takes<['name', 'path'], 'name'>;
  'lxc.get_pid': Takes<['name', 'path'], 'name'>;
  'lxc.templates': Takes<[]>;
  'lxc.images': Takes<['dist']>;
  'lxc.attachable': Takes<['name', 'path'], 'name'>;
  'lxc.get_parameter': Takes<['name', 'parameter', 'path'], 'name' | 'parameter'>;
  'lxc.set_parameter': Takes<['name', 'parameter', 'value', 'path'], 'name' | 'parameter' | 'value'>;
  'lxc.start': Takes<['name'], 'name', never, 'names'>;
  'lxc.stop': Takes<['name', 'kill', 'path', 'use_vt'], 'name'>;
  'lxc.restart': Takes<['name', 'path', 'lxc_config', 'force'], 'name'>;
  'lxc.freeze': Takes<['name'], 'name', never, 'names'>;
  'lxc.unfreeze': Takes<['name', 'path', 'use_vt'], 'name'>;
  'lxc.reboot': Takes<['name', 'path'], 'name'>;
  'lxc.destroy': Takes<['name', 'stop', 'path'], 'name'>;
  'lxc.remove': Takes<['name', 'stop', 'path'], 'name'>;
  'lxc.create': Takes<['name', 'config', 'profile', 'network_profile', 'nic_opts'], 'name', never, 'names'>;
  'lxc.clone': Takes<
    ['name', 'orig', 'profile', 'network_profile', 'nic_opts'],
    'name' | 'orig',
    never,
    'names'
  >;
  'lxc.apply_network_profile': Takes<
    ['name', 'network_profile', 'nic_opts', 'path'],
    'name' | 'network_profile'
  >;
  'lxc.read_conf': Takes<['conf_file', 'out_format'], 'conf_file'>;
  'lxc.write_conf': Takes<['conf_file', 'conf'], 'conf_file' | 'conf'>;
  'lxc.run': Takes<
    [
      'name',
      'cmd',
      'no_start',
      'preserve_state',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'path',
      'ignore_retcode',
      'chroot_fallback',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'lxc.run_stdout': Takes<
    [
      'name',
      'cmd',
      'no_start',
      'preserve_state',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'path',
      'ignore_retcode',
      'chroot_fallback',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'lxc.run_stderr': Takes<
    [
      'name',
      'cmd',
      'no_start',
      'preserve_state',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'path',
      'ignore_retcode',
      'chroot_fallback',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'lxc.retcode': Takes<
    [
      'name',
      'cmd',
      'no_start',
      'preserve_state',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'path',
      'ignore_retcode',
      'chroot_fallback',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'lxc.run_all': Takes<
    [
      'name',
      'cmd',
      'no_start',
      'preserve_state',
      'stdin',
      'python_shell',
      'output_loglevel',
      'use_vt',
      'path',
      'ignore_retcode',
      'chroot_fallback',
      'keep_env',
    ],
    'name' | 'cmd'
  >;
  'match.compound': Takes<['tgt', 'minion_id'], 'tgt'>;
  'match.glob': Takes<['tgt', 'minion_id'], 'tgt'>;
  'match.pcre': Takes<['tgt', 'minion_id'], 'tgt'>;
  'match.list': Takes<['tgt', 'minion_id'], 'tgt'>;
  'match.grain': Takes<['tgt', 'delimiter'], 'tgt'>;
  'match.grain_pcre': Takes<['tgt', 'delimiter'], 'tgt'>;
  'match.pillar': Takes<['tgt', 'delimiter'], 'tgt'>;
  'match.pillar_pcre': Takes<['tgt', 'delimiter'], 'tgt'>;
  'match.ipcidr': Takes<['tgt'], 'tgt'>;
  'match.data': Takes<['tgt'], 'tgt'>;
  'match.filter_by': Takes<['lookup', 'tgt_type', 'minion_id', 'merge', 'merge_lists', 'default'], 'lookup'>;
  'match.search_by': Takes<['lookup', 'tgt_type', 'minion_id'], 'lookup'>;
  'match.ifelse': Takes<[], never, 'tgt_type' | 'minion_id' | 'merge' | 'merge_lists', 'places'>;
  'mine.update': Takes<['clear', 'mine_functions']>;
  'mine.send': Takes<['name'], 'name', never, 'places' | 'names'>;
  'mine.get': Takes<['tgt', 'fun', 'tgt_type', 'exclude_minion'], 'tgt' | 'fun'>;
  'mine.delete': Takes<['fun'], 'fun'>;
  'mine.flush': Takes<[]>;
  'mine.get_docker': Takes<['interfaces', 'cidrs', 'with_container_id']>;
  'mine.valid': Takes<[]>;
  'minion.list': Takes<[]>;
  'minion.kill': Takes<['timeout']>;
  'minion.restart': Takes<['systemd', 'win_service', 'schedule_retry', 'retry_delay']>;
  'mongodb.db_list': Takes<['user', 'password', 'host', 'port', 'authdb']>;
  'mongodb.db_exists': Takes<['name', 'user', 'password', 'host', 'port', 'authdb'], 'name'>;
  'mongodb.db_remove': Takes<['name', 'user', 'password', 'host', 'port', 'authdb'], 'name'>;
  'mongodb.version': Takes<['user', 'password', 'host', 'port', 'database', 'authdb']>;
  'mongodb.user_find': Takes<['name', 'user', 'password', 'host', 'port', 'database', 'authdb'], 'name'>;
  'mongodb.user_list': Takes<['user', 'password', 'host', 'port', 'database', 'authdb']>;
  'mongodb.user_exists': Takes<['name', 'user', 'password', 'host', 'port', 'database', 'authdb'], 'name'>;
  'mongodb.user_create': Takes<
    ['name', 'passwd', 'user', 'password', 'host', 'port', 'database', 'authdb', 'roles'],
    'name' | 'passwd'
  >;
  'mongodb.user_remove': Takes<['name', 'user', 'password', 'host', 'port', 'database', 'authdb'], 'name'>;
  'mongodb.user_roles_exists': Takes<
    ['name', 'roles', 'database', 'user', 'password', 'host', 'port', 'authdb'],
    'name' | 'roles' | 'database'
  >;
  'mongodb.user_grant_roles': Takes<
    ['name', 'roles', 'database', 'user', 'password', 'host', 'port', 'authdb'],
    'name' | 'roles' | 'database'
  >;
  'mongodb.user_revoke_roles': Takes<
    ['name', 'roles', 'database', 'user', 'password', 'host', 'port', 'authdb'],
    'name' | 'roles' | 'database'
  >;
  'mongodb.collection_create': Takes<
    ['collection', 'user', 'password', 'host', 'port', 'database', 'authdb'],
    'collection'
  >;
  'mongodb.collection_drop': Takes<
    ['collection', 'user', 'password', 'host', 'port', 'database', 'authdb'],
    'collection'
  >;
  'mongodb.collections_list': Takes<['user', 'password', 'host', 'port', 'database', 'authdb']>;
  'mongodb.insert': Takes<
    ['objects', 'collection', 'user', 'password', 'host', 'port', 'database', 'authdb'],
    'objects' | 'collection'
  >;
  'mongodb.update_one': Takes<
    ['objects', 'collection', 'user', 'password', 'host', 'port', 'database', 'authdb'],
    'objects' | 'collection'
  >;
  'mongodb.find': Takes<
    ['collection', 'query', 'user', 'password', 'host', 'port', 'database', 'authdb'],
    'collection'
  >;
  'mongodb.remove': Takes<
    ['collection', 'query', 'user', 'password', 'host', 'port', 'database', 'w', 'authdb'],
    'collection'
  >;
  'mount.active': Takes<['extended']>;
  'mount.is_mounted': Takes<['name'], 'name'>;
  'mount.mount': Takes<['name', 'device', 'mkmnt', 'fstype', 'opts', 'user', 'util'], 'name'>;
  'mount.remount': Takes<['name', 'device', 'mkmnt', 'fstype', 'opts', 'user'], 'name' | 'device'>;
  'mount.umount': Takes<['name', 'device', 'user', 'util'], 'name'>;
  'mount.is_fuse_exec': Takes<['cmd'], 'cmd'>;
  'mount.get_mount_from_path': Takes<['path'], 'path'>;
  'mount.get_device_from_path': Takes<['path'], 'path'>;
  'mount.fstab': Takes<['config']>;
  'mount.rm_fstab': Takes<['name', 'device', 'config'], 'name' | 'device'>;
  'mount.set_fstab': Takes<
    ['name', 'device', 'fstype', 'opts', 'dump', 'pass_num', 'config', 'test', 'match_on', 'not_change'],
    'name' | 'device' | 'fstype',
    never,
    'names'
  >;
  'mount.vfstab': Takes<['config']>;
  'mount.rm_vfstab': Takes<['name', 'device', 'config'], 'name' | 'device'>;
  'mount.set_vfstab': Takes<
    [
      'name',
      'device',
      'fstype',
      'opts',
      'device_fsck',
      'pass_fsck',
      'mount_at_boot',
      'config',
      'test',
      'match_on',
      'not_change',
    ],
    'name' | 'device' | 'fstype',
    never,
    'names'
  >;
  'mount.automaster': Takes<['config']>;
  'mount.rm_automaster': Takes<['name', 'device', 'config'], 'name' | 'device'>;
  'mount.set_automaster': Takes<
    ['name', 'device', 'fstype', 'opts', 'config', 'test', 'not_change'],
    'name' | 'device' | 'fstype',
    never,
    'names'
  >;
  'mount.filesystems': Takes<['config']>;
  'mount.rm_filesystems': Takes<['name', 'device', 'config'], 'name' | 'device'>;
  'mount.set_filesystems': Takes<
    ['name', 'device', 'vfstype', 'opts', 'mount', 'config', 'test', 'match_on', 'not_change'],
    'name' | 'device' | 'vfstype',
    never,
    'names'
  >;
  'mount.swaps': Takes<[]>;
  'mount.swapon': Takes<['name', 'priority'], 'name'>;
  'mount.swapoff': Takes<['name'], 'name'>;
  'mount.read_mount_cache': Takes<['name'], 'name'>;
  'mount.write_mount_cache': Takes<
    ['real_name', 'device', 'mkmnt', 'fstype', 'mount_opts'],
    'real_name' | 'device' | 'mkmnt' | 'fstype' | 'mount_opts',
    'shown'
  >;
  'mount.delete_mount_cache': Takes<['real_name'], 'real_name'>;
  'mysql.query': Takes<['database', 'query'], 'database' | 'query', never, 'names'>;
  'mysql.file_query': Takes<['database', 'file_name'], 'database' | 'file_name', never, 'names'>;
  'mysql.status': Takes<[], never, never, 'names'>;
  'mysql.version': Takes<[], never, never, 'names'>;
  'mysql.slave_lag': Takes<[], never, never, 'names'>;
  'mysql.free_slave': Takes<[], never, never, 'names'>;
  'mysql.processlist': Takes<[], never, never, 'names'>;
  'mysql.get_master_status': Takes<[], never, never, 'names'>;
  'mysql.get_slave_status': Takes<[], never, never, 'names'>;
  'mysql.showvariables': Takes<[], never, never, 'names'>;
  'mysql.showglobal': Takes<[], never, never, 'names'>;
  'mysql.plugins_list': Takes<[], never, never, 'names'>;
  'mysql.plugin_add': Takes<['name', 'soname'], 'name', never, 'names'>;
  'mysql.plugin_remove': Takes<['name'], 'name', never, 'names'>;
  'mysql.plugin_status': Takes<['name'], 'name', never, 'names'>;
  'mysql.db_list': Takes<[], never, never, 'names'>;
  'mysql.db_get': Takes<['name'], 'name', never, 'names'>;
  'mysql.db_tables': Takes<['name'], 'name', never, 'names'>;
  'mysql.db_exists': Takes<['name'], 'name', never, 'names'>;
  'mysql.db_create': Takes<['name', 'character_set', 'collate'], 'name', never, 'names'>;
  'mysql.alter_db': Takes<['name', 'character_set', 'collate'], 'name', never, 'names'>;
  'mysql.db_remove': Takes<['name'], 'name', never, 'names'>;
  'mysql.db_check': Takes<['name', 'table'], 'name', never, 'names'>;
  'mysql.db_repair': Takes<['name', 'table'], 'name', never, 'names'>;
  'mysql.db_optimize': Takes<['name', 'table'], 'name', never, 'names'>;
  'mysql.user_list': Takes<[], never, never, 'names'>;
  'mysql.user_exists': Takes<
    ['user', 'host', 'password', 'password_hash', 'passwordless', 'unix_socket', 'password_column'],
    'user',
    never,
    'names'
  >;
  'mysql.user_info': Takes<['user', 'host'], 'user', never, 'names'>;
  'mysql.user_create': Takes<
    [
      'user',
      'host',
      'password',
      'password_hash',
      'allow_passwordless',
      'unix_socket',
      'password_column',
      'auth_plugin',
    ],
    'user',
    never,
    'names'
  >;
  'mysql.user_chpass': Takes<
    ['user', 'host', 'password', 'password_hash', 'allow_passwordless', 'unix_socket', 'password_column'],
    'user',
    never,
    'names'
  >;
  'mysql.user_remove': Takes<['user', 'host'], 'user', never, 'names'>;
  'mysql.verify_login': Takes<['user', 'password'], 'user', never, 'names'>;
  'mysql.user_grants': Takes<['user', 'host'], 'user', never, 'names'>;
  'mysql.grant_exists': Takes<
    ['grant', 'database', 'user', 'host', 'grant_option', 'escape'],
    'grant' | 'database' | 'user',
    never,
    'names'
  >;
  'mysql.grant_add': Takes<
    ['grant', 'database', 'user', 'host', 'grant_option', 'escape', 'ssl_option'],
    'grant' | 'database' | 'user',
    never,
    'names'
  >;
  'mysql.grant_revoke': Takes<
    ['grant', 'database', 'user', 'host', 'grant_option', 'escape'],
    'grant' | 'database' | 'user',
    never,
    'names'
  >;
  'mysql.tokenize_grant': Takes<['grant'], 'grant'>;
  'mysql.quote_identifier': Takes<['identifier', 'for_grants'], 'identifier'>;
  'nacl.keygen': Takes<['sk_file', 'pk_file'], never, never, 'names'>;
  'nacl.enc': Takes<['data'], 'data', never, 'names'>;
  'nacl.dec': Takes<['data'], 'data', never, 'names'>;
  'nacl.enc_file': Takes<['name', 'out'], 'name', never, 'names'>;
  'nacl.dec_file': Takes<['name', 'out'], 'name', never, 'names'>;
  'nacl.sealedbox_encrypt': Takes<['data'], 'data', never, 'names'>;
  'nacl.sealedbox_decrypt': Takes<['data'], 'data', never, 'names'>;
  'nacl.secretbox_encrypt': Takes<['data'], 'data', never, 'names'>;
  'nacl.secretbox_decrypt': Takes<['data'], 'data', never, 'names'>;
  'network.interfaces': Takes<[]>;
  'network.interface': Takes<['iface'], 'iface'>;
  'network.interface_ip': Takes<['iface'], 'iface'>;
  'network.hw_addr': Takes<['iface'], 'iface'>;
  'network.hwaddr': Takes<['iface'], 'iface'>;
  'network.ip_addrs': Takes<['interface', 'include_loopback', 'cidr', 'type']>;
  'network.ipaddrs': Takes<['interface', 'include_loopback', 'cidr', 'type']>;
  'network.ip_addrs6': Takes<['interface', 'include_loopback', 'cidr']>;
  'network.ipaddrs6': Takes<['interface', 'include_loopback', 'cidr']>;
  'network.subnets': Takes<['interfaces']>;
  'network.subnets6': Takes<[]>;
  'network.ip_networks': Takes<['interface', 'include_loopback', 'verbose']>;
  'network.ip_networks6': Takes<['interface', 'include_loopback', 'verbose']>;
  'network.ifacestartswith': Takes<['cidr'], 'cidr'>;
  'network.in_subnet': Takes<['cidr'], 'cidr'>;
  'network.get_hostname': Takes<[]>;
  'network.get_fqdn': Takes<[]>;
  'network.fqdns': Takes<[]>;
  'network.mod_hostname': Takes<['hostname'], 'hostname'>;
  'network.get_bufsize': Takes<['iface'], 'iface'>;
  'network.mod_bufsize': Takes<['iface'], 'iface', never, 'places' | 'names'>;
  'network.calc_net': Takes<['ip_addr', 'netmask'], 'ip_addr'>;
  'network.convert_cidr': Takes<['cidr'], 'cidr'>;
  'network.ip_in_subnet': Takes<['ip_addr', 'cidr'], 'ip_addr' | 'cidr'>;
  'network.is_private': Takes<['ip_addr'], 'ip_addr'>;
  'network.is_loopback': Takes<['ip_addr'], 'ip_addr'>;
  'network.reverse_ip': Takes<['ip_addr'], 'ip_addr'>;
  'network.iphexval': Takes<['ip'], 'ip'>;
  'network.connect': Takes<['host', 'port'], 'host', never, 'names'>;
  'network.ping': Takes<['host', 'timeout', 'return_boolean'], 'host'>;
  'network.dig': Takes<['host'], 'host'>;
  'network.traceroute': Takes<['host'], 'host'>;
  'network.wol': Takes<['mac', 'bcast', 'destport'], 'mac'>;
  'network.netstat': Takes<[]>;
  'network.active_tcp': Takes<[]>;
  'network.arp': Takes<[]>;
  'network.routes': Takes<['family']>;
  'network.default_route': Takes<['family']>;
  'network.get_route': Takes<['ip'], 'ip'>;
  'nfs3.list_exports': Takes<['exports']>;
  'nfs3.del_export': Takes<['exports', 'path']>;
  'nfs3.add_export': Takes<['exports', 'path', 'hosts', 'options']>;
  'nfs3.reload_exports': Takes<[]>;
  'nftables.version': Takes<[]>;
  'nftables.build_rule': Takes<
    ['table', 'chain', 'command', 'position', 'full', 'family'],
    never,
    never,
    'names'
  >;
  'nftables.get_saved_rules': Takes<['conf_file']>;
  'nftables.list_tables': Takes<['family']>;
  'nftables.get_rules': Takes<['family']>;
  'nftables.get_rules_json': Takes<['family']>;
  'nftables.get_rule_handle': Takes<['table', 'chain', 'rule', 'family']>;
  'nftables.check': Takes<['table', 'chain', 'rule', 'family']>;
  'nftables.check_chain': Takes<['table', 'chain', 'family']>;
  'nftables.check_table': Takes<['table', 'family']>;
  'nftables.get_policy': Takes<['table', 'chain', 'family']>;
  'nftables.save': Takes<['filename', 'family']>;
  'nftables.new_table': Takes<['table', 'family'], 'table'>;
  'nftables.delete_table': Takes<['table', 'family'], 'table'>;
  'nftables.new_chain': Takes<['table', 'chain', 'table_type', 'hook', 'priority', 'family']>;
  'nftables.delete_chain': Takes<['table', 'chain', 'family']>;
  'nftables.append': Takes<['table', 'chain', 'rule', 'family']>;
  'nftables.insert': Takes<['table', 'chain', 'position', 'rule', 'family']>;
  'nftables.delete': Takes<['table', 'chain', 'position', 'rule', 'family'], 'table'>;
  'nftables.flush': Takes<['table', 'chain', 'family']>;
  'nftables.set_policy': Takes<['table', 'chain', 'policy', 'family']>;
  'npm.install': Takes<['pkg', 'pkgs', 'dir', 'runas', 'registry', 'env', 'dry_run', 'silent']>;
  'npm.uninstall': Takes<['pkg', 'dir', 'runas', 'env'], 'pkg'>;
  'npm.list': Takes<['pkg', 'dir', 'runas', 'env', 'depth']>;
  'npm.cache_clean': Takes<['path', 'runas', 'env', 'force']>;
  'npm.cache_list': Takes<['path', 'runas', 'env']>;
  'npm.cache_path': Takes<['runas', 'env']>;
  'openstack_config.set': Takes<
    ['filename', 'section', 'parameter', 'value'],
    'filename' | 'section' | 'parameter' | 'value'
  >;
  'openstack_config.get': Takes<['filename', 'section', 'parameter'], 'filename' | 'section' | 'parameter'>;
  'openstack_config.delete': Takes<
    ['filename', 'section', 'parameter'],
    'filename' | 'section' | 'parameter'
  >;
  'openvswitch.bridge_list': Takes<[]>;
  'openvswitch.bridge_exists': Takes<['br'], 'br'>;
  'openvswitch.bridge_create': Takes<['br', 'may_exist', 'parent', 'vlan'], 'br'>;
  'openvswitch.bridge_delete': Takes<['br', 'if_exists'], 'br'>;
  'openvswitch.bridge_to_parent': Takes<['br'], 'br'>;
  'openvswitch.bridge_to_vlan': Takes<['br'], 'br'>;
  'openvswitch.port_add': Takes<['br', 'port', 'may_exist', 'internal'], 'br' | 'port'>;
  'openvswitch.port_remove': Takes<['br', 'port', 'if_exists'], 'br' | 'port'>;
  'openvswitch.port_list': Takes<['br'], 'br'>;
  'openvswitch.port_get_tag': Takes<['port'], 'port'>;
  'openvswitch.interface_get_options': Takes<['port'], 'port'>;
  'openvswitch.interface_get_type': Takes<['port'], 'port'>;
  'openvswitch.port_create_vlan': Takes<['br', 'port', 'id', 'internal'], 'br' | 'port' | 'id'>;
  'openvswitch.port_create_gre': Takes<['br', 'port', 'id', 'remote'], 'br' | 'port' | 'id' | 'remote'>;
  'openvswitch.port_create_vxlan': Takes<
    ['br', 'port', 'id', 'remote', 'dst_port'],
    'br' | 'port' | 'id' | 'remote'
  >;
  'openvswitch.db_get': Takes<['table', 'record', 'column', 'if_exists'], 'table' | 'record' | 'column'>;
  'openvswitch.db_set': Takes<
    ['table', 'record', 'column', 'value', 'if_exists'],
    'table' | 'record' | 'column' | 'value'
  >;
  'out.out_format': Takes<['data', 'out', 'opts'], 'data', never, 'names'>;
  'out.string_format': Takes<['data', 'out', 'opts'], 'data', never, 'names'>;
  'out.html_format': Takes<['data', 'out', 'opts'], 'data', never, 'names'>;
  'partition.probe': Takes<[], never, never, 'places'>;
  'partition.list': Takes<['device', 'unit'], 'device'>;
  'partition.align_check': Takes<['device', 'part_type', 'partition'], 'device' | 'part_type' | 'partition'>;
  'partition.get_id': Takes<['device', 'minor'], 'device' | 'minor'>;
  'partition.system_types': Takes<[]>;
  'partition.exists': Takes<['device']>;
  'partition.get_block_device': Takes<[]>;
  'partition.check': Takes<['device', 'minor'], 'device' | 'minor'>;
  'partition.cp': Takes<['device', 'from_minor', 'to_minor'], 'device' | 'from_minor' | 'to_minor'>;
  'partition.set_id': Takes<['device', 'minor', 'system_id'], 'device' | 'minor' | 'system_id'>;
  'partition.mkfs': Takes<['device', 'fs_type'], 'device' | 'fs_type'>;
  'partition.mklabel': Takes<['device', 'label_type'], 'device' | 'label_type'>;
  'partition.mkpart': Takes<['device', 'part_type', 'fs_type', 'start', 'end'], 'device' | 'part_type'>;
  'partition.mkpartfs': Takes<['device', 'part_type', 'fs_type', 'start', 'end'], 'device' | 'part_type'>;
  'partition.name': Takes<['device', 'partition', 'name'], 'device' | 'partition' | 'name'>;
  'partition.rescue': Takes<['device', 'start', 'end'], 'device' | 'start' | 'end'>;
  'partition.resize': Takes<['device', 'minor', 'start', 'end'], 'device' | 'minor' | 'start' | 'end'>;
  'partition.rm': Takes<['device', 'minor'], 'device' | 'minor'>;
  'partition.set': Takes<['device', 'minor', 'flag', 'state'], 'device' | 'minor' | 'flag' | 'state'>;
  'partition.toggle': Takes<['device', 'partition', 'flag'], 'device' | 'partition' | 'flag'>;
  'partition.disk_set': Takes<['device', 'flag', 'state'], 'device' | 'flag' | 'state'>;
  'partition.disk_toggle': Takes<['device', 'flag'], 'device' | 'flag'>;
  'pdbedit.generate_nt_hash': Takes<['password'], 'password'>;
  'pdbedit.list': Takes<['verbose', 'hashes']>;
  'pdbedit.get': Takes<['login', 'hashes'], 'login'>;
  'pdbedit.delete': Takes<['login'], 'login'>;
  'pdbedit.create': Takes<['login', 'password', 'password_hashed', 'machine_account'], 'login' | 'password'>;
  'pdbedit.modify': Takes<
    [
      'login',
      'password',
      'password_hashed',
      'domain',
      'profile',
      'script',
      'drive',
      'homedir',
      'fullname',
      'account_desc',
      'account_control',
      'machine_sid',
      'user_sid',
      'reset_login_hours',
      'reset_bad_password_count',
    ],
    'login'
  >;
  'pecl.install': Takes<['pecls', 'defaults', 'force', 'preferred_state'], 'pecls'>;
  'pecl.uninstall': Takes<['pecls'], 'pecls'>;
  'pecl.update': Takes<['pecls'], 'pecls'>;
  'pecl.list': Takes<['channel']>;
  'pillar.get': Takes<
    ['key', 'default', 'merge', 'merge_nested_lists', 'delimiter', 'pillarenv', 'saltenv'],
    'key'
  >;
  'pillar.fetch': Takes<
    ['key', 'default', 'merge', 'merge_nested_lists', 'delimiter', 'pillarenv', 'saltenv'],
    'key'
  >;
  'pillar.items': Takes<[], never, never, 'places' | 'names'>;
  'pillar.data': Takes<[], never, never, 'places' | 'names'>;
  'pillar.item': Takes<[], never, never, 'places' | 'names'>;
  'pillar.raw': Takes<['key']>;
  'pillar.ls': Takes<[], never, never, 'places'>;
  'pillar.keys': Takes<['key', 'delimiter'], 'key'>;
  'pillar.obfuscate': Takes<[], never, never, 'places' | 'names'>;
  'pillar.ext': Takes<['external', 'pillar'], 'external'>;
  'pillar.file_exists': Takes<['path', 'saltenv'], 'path'>;
  'pillar.filter_by': Takes<['lookup_dict', 'pillar', 'merge', 'default', 'base'], 'lookup_dict' | 'pillar'>;
  'pip.install': Takes<
    [
      'pkgs',
      'requirements',
      'bin_env',
      'use_wheel',
      'no_use_wheel',
      'log',
      'proxy',
      'timeout',
      'editable',
      'find_links',
      'index_url',
      'extra_index_url',
      'no_index',
      'mirrors',
      'build',
      'target',
      'download',
      'download_cache',
      'source',
      'upgrade',
      'force_reinstall',
      'ignore_installed',
      'exists_action',
      'no_deps',
      'no_install',
      'no_download',
      'global_options',
      'install_options',
      'user',
      'cwd',
      'pre_releases',
      'cert',
      'allow_all_external',
      'allow_external',
      'allow_unverified',
      'process_dependency_links',
      'saltenv',
      'env_vars',
      'use_vt',
      'trusted_host',
      'no_cache_dir',
      'extra_args',
      'cache_dir',
      'no_binary',
      'disable_version_check',
    ],
    never,
    never,
    'names'
  >;
  'pip.uninstall': Takes<
    ['pkgs', 'requirements', 'bin_env', 'log', 'proxy', 'timeout', 'user', 'cwd', 'saltenv', 'use_vt']
  >;
  'pip.upgrade': Takes<['bin_env', 'user', 'cwd', 'use_vt']>;
  'pip.freeze': Takes<['bin_env', 'user', 'cwd', 'use_vt', 'env_vars'], never, never, 'names'>;
  'pip.list_freeze_parse': Takes<['prefix', 'bin_env', 'user', 'cwd', 'env_vars'], never, never, 'names'>;
  'pip.list': Takes<['prefix', 'bin_env', 'user', 'cwd', 'env_vars'], never, never, 'names'>;
  'pip.version': Takes<['bin_env', 'cwd', 'user']>;
  'pip.list_upgrades': Takes<['bin_env', 'user', 'cwd']>;
  'pip.is_installed': Takes<['pkgname', 'bin_env', 'user', 'cwd'], 'pkgname'>;
  'pip.upgrade_available': Takes<['pkg', 'bin_env', 'user', 'cwd'], 'pkg'>;
  'pip.list_all_versions': Takes<
    [
      'pkg',
      'bin_env',
      'include_alpha',
      'include_beta',
      'include_rc',
      'user',
      'cwd',
      'index_url',
      'extra_index_url',
    ],
    'pkg'
  >;
  'pkg.version': Takes<[], never, never, 'places' | 'names'>;
  'pkg.list_pkgs':
    | Takes<['versions_as_list', 'removed', 'purge_desired'], never, never, 'names'>
    | Takes<['versions_as_list'], never, never, 'names'>
    | Takes<['versions_as_list', 'root', 'includes'], never, never, 'names'>;
  'pkg.latest_version': Takes<[], never, never, 'places' | 'names'>;
  'pkg.available_version': Takes<[], never, never, 'places' | 'names'>;
  'pkg.upgrade_available': Takes<['name'], 'name', never, 'names'>;
  'pkg.list_upgrades':
    | Takes<['refresh', 'dist_upgrade'], never, never, 'names'>
    | Takes<['refresh'], never, never, 'names'>
    | Takes<['refresh', 'root'], never, never, 'names'>;
  'pkg.list_repo_pkgs': Takes<[], never, never, 'places' | 'names'>;
  'pkg.info_installed': Takes<[], never, never, 'places' | 'names'>;
  'pkg.show': Takes<[], never, never, 'places' | 'names'>;
  'pkg.version_cmp':
    | Takes<['pkg1', 'pkg2', 'ignore_epoch'], 'pkg1' | 'pkg2', never, 'names'>
    | Takes<['ver1', 'ver2', 'ignore_epoch'], 'ver1' | 'ver2', never, 'names'>;
  'pkg.owner': Takes<[], never, never, 'places' | 'names'>;
  'pkg.file_list': Takes<[], never, never, 'places' | 'names'>;
  'pkg.file_dict': Takes<[], never, never, 'places' | 'names'>;
  'pkg.list_downloaded': Takes<['root'], never, never, 'names'> | Takes<[], never, never, 'names'>;
  'pkg.services_need_restart': Takes<[], never, never, 'names'> | Takes<['root'], never, never, 'names'>;
  'pkg.normalize_name': Takes<['name'], 'name'>;
  'pkg.parse_arch': Takes<['name'], 'name'>;
  'pkg.list_repos':
    | Takes<[], never, never, 'names'>
    | Takes<['basedir'], never, never, 'names'>
    | Takes<['root'], never, never, 'names'>;
  'pkg.get_repo':
    | Takes<['repo'], 'repo', never, 'names'>
    | Takes<['repo', 'basedir'], 'repo', never, 'names'>
    | Takes<['repo', 'root'], 'repo', never, 'names'>;
  'pkg.refresh_db':
    | Takes<['cache_valid_time', 'failhard'], never, never, 'names'>
    | Takes<[], never, never, 'names'>
    | Takes<['root'], never, never, 'names'>
    | Takes<['force', 'root']>;
  'pkg.install':
    | Takes<
        [
          'name',
          'refresh',
          'fromrepo',
          'skip_verify',
          'debconf',
          'pkgs',
          'sources',
          'reinstall',
          'downloadonly',
          'ignore_epoch',
        ],
        never,
        never,
        'names'
      >
    | Takes<
        [
          'name',
          'refresh',
          'skip_verify',
          'pkgs',
          'sources',
          'downloadonly',
          'reinstall',
          'normalize',
          'update_holds',
          'saltenv',
          'ignore_epoch',
        ],
        never,
        never,
        'names'
      >
    | Takes<['name', 'refresh', 'sysupgrade', 'pkgs', 'sources'], never, never, 'names'>
    | Takes<
        [
          'name',
          'refresh',
          'fromrepo',
          'pkgs',
          'sources',
          'downloadonly',
          'skip_verify',
          'version',
          'ignore_repo_failure',
          'no_recommends',
          'root',
        ],
        never,
        never,
        'names'
      >
    | Takes<['name', 'refresh', 'pkgs', 'sources'], never, never, 'names'>;
  'pkg.remove':
    | Takes<['name', 'pkgs'], never, never, 'names'>
    | Takes<['name', 'pkgs', 'root'], never, never, 'names'>
    | Takes<['name', 'pkgs', 'purge'], never, never, 'names'>;
  'pkg.purge':
    Takes<['name', 'pkgs'], never, never, 'names'> | Takes<['name', 'pkgs', 'root'], never, never, 'names'>;
  'pkg.upgrade':
    | Takes<['refresh', 'dist_upgrade'], never, never, 'names'>
    | Takes<
        ['name', 'pkgs', 'refresh', 'skip_verify', 'normalize', 'minimal', 'obsoletes', 'diff_attr'],
        never,
        never,
        'names'
      >
    | Takes<['refresh', 'root'], never, never, 'names'>
    | Takes<
        [
          'name',
          'pkgs',
          'refresh',
          'dryrun',
          'dist_upgrade',
          'fromrepo',
          'novendorchange',
          'skip_verify',
          'no_recommends',
          'root',
          'diff_attr',
        ],
        never,
        never,
        'names'
      >
    | Takes<['name', 'pkgs', 'refresh'], never, never, 'names'>;
  'pkg.autoremove': Takes<['list_only', 'purge']>;
  'pkg.hold':
    | Takes<['name', 'pkgs', 'sources'], never, never, 'names'>
    | Takes<['name', 'pkgs', 'root'], never, never, 'names'>;
  'pkg.unhold':
    | Takes<['name', 'pkgs', 'sources'], never, never, 'names'>
    | Takes<['name', 'pkgs', 'root'], never, never, 'names'>;
  'pkg.get_selections': Takes<['pattern', 'state']>;
  'pkg.set_selections': Takes<['path', 'selection', 'clear', 'saltenv']>;
  'pkg.mod_repo':
    | Takes<['repo', 'saltenv', 'aptkey'], 'repo', never, 'names'>
    | Takes<['repo', 'basedir'], 'repo', never, 'names'>
    | Takes<['repo'], 'repo', never, 'names'>;
  'pkg.del_repo':
    | Takes<['repo'], 'repo', never, 'names'>
    | Takes<['repo', 'basedir'], 'repo', never, 'names'>
    | Takes<['repo', 'root'], 'repo'>;
  'pkg.get_repo_keys': Takes<['aptkey', 'keydir']>;
  'pkg.add_repo_key': Takes<['path', 'text', 'keyserver', 'keyid', 'saltenv', 'aptkey', 'keydir', 'keyfile']>;
  'pkg.del_repo_key': Takes<['name', 'aptkey', 'keydir'], never, never, 'names'>;
  'pkg.list_updates':
    Takes<['refresh'], never, never, 'names'> | Takes<['refresh', 'root'], never, never, 'names'>;
  'pkg.clean_metadata': Takes<[], never, never, 'names'>;
  'pkg.update': Takes<
    ['name', 'pkgs', 'refresh', 'skip_verify', 'normalize', 'minimal', 'obsoletes', 'diff_attr'],
    never,
    never,
    'names'
  >;
  'pkg.list_holds': Takes<['pattern', 'full']> | Takes<['pattern', 'full', 'root'], never, never, 'names'>;
  'pkg.get_locked_packages': Takes<['pattern', 'full']>;
  'pkg.download': Takes<[], never, never, 'places' | 'names'>;
  'pkg.diff': Takes<[], never, never, 'places' | 'names'>;
  'pkg.list_patches':
    Takes<['refresh'], never, never, 'names'> | Takes<['refresh', 'root'], never, never, 'names'>;
  'pkg.list_installed_patches': Takes<[], never, never, 'names'> | Takes<['root'], never, never, 'names'>;
  'pkg.verify': Takes<[], never, never, 'places' | 'names'>;
  'pkg.modified': Takes<[], never, never, 'places' | 'names'>;
  'pkg.group_list': Takes<[]>;
  'pkg.group_info':
    Takes<['name', 'expand', 'ignore_groups'], 'name', never, 'names'> | Takes<['name'], 'name'>;
  'pkg.group_diff': Takes<['name'], 'name', never, 'names'> | Takes<['name'], 'name'>;
  'pkg.group_install': Takes<['name', 'skip', 'include'], 'name', never, 'names'>;
  'pkg.groupinstall': Takes<['name', 'skip', 'include'], 'name', never, 'names'>;
  'pkg.list_locks': Takes<['root']>;
  'pkg.clean_locks': Takes<['root']>;
  'pkg.info_available': Takes<[], never, never, 'places' | 'names'>;
  'pkg.search': Takes<['criteria', 'refresh'], 'criteria', never, 'names'>;
  'pkg.list_patterns': Takes<['refresh', 'root']>;
  'pkg.list_installed_patterns': Takes<['root']>;
  'pkg.list_products': Takes<['all', 'refresh', 'root']>;
  'pkg.list_provides': Takes<['root'], never, never, 'names'>;
  'pkg.resolve_capabilities': Takes<['pkgs', 'refresh', 'root'], 'pkgs', never, 'names'>;
  'pkg_resource.pack_sources': Takes<['sources', 'normalize'], 'sources'>;
  'pkg_resource.parse_targets': Takes<
    ['name', 'pkgs', 'sources', 'saltenv', 'normalize'],
    never,
    never,
    'names'
  >;
  'pkg_resource.version': Takes<[], never, never, 'places' | 'names'>;
  'pkg_resource.add_pkg': Takes<['pkgs', 'name', 'pkgver'], 'pkgs' | 'name' | 'pkgver'>;
  'pkg_resource.sort_pkglist': Takes<['pkgs'], 'pkgs'>;
  'pkg_resource.stringify': Takes<['pkgs'], 'pkgs'>;
  'pkg_resource.version_clean': Takes<['verstr'], 'verstr'>;
  'pkg_resource.version_compare': Takes<['ver1', 'oper', 'ver2', 'ignore_epoch'], 'ver1' | 'oper' | 'ver2'>;
  'pkg_resource.check_extra_requirements': Takes<['pkgname', 'pkgver'], 'pkgname' | 'pkgver'>;
  'pkg_resource.format_pkg_list': Takes<
    ['packages', 'versions_as_list', 'attr'],
    'packages' | 'versions_as_list' | 'attr'
  >;
  'pkg_resource.format_version': Takes<['epoch', 'version', 'release'], 'epoch' | 'version' | 'release'>;
  'postfix.show_master': Takes<['path']>;
  'postfix.set_master': Takes<
    [
      'service',
      'conn_type',
      'private',
      'unpriv',
      'chroot',
      'wakeup',
      'maxproc',
      'command',
      'write_conf',
      'path',
    ],
    'service' | 'conn_type'
  >;
  'postfix.show_main': Takes<['path']>;
  'postfix.set_main': Takes<['key', 'value', 'path'], 'key' | 'value'>;
  'postfix.show_queue': Takes<[]>;
  'postfix.delete': Takes<['queue_id'], 'queue_id'>;
  'postfix.hold': Takes<['queue_id'], 'queue_id'>;
  'postfix.unhold': Takes<['queue_id'], 'queue_id'>;
  'postfix.requeue': Takes<['queue_id'], 'queue_id'>;
  'postgres.psql_query': Takes<
    ['query', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas', 'write'],
    'query'
  >;
  'postgres.version': Takes<['user', 'host', 'port', 'maintenance_db', 'password', 'runas']>;
  'postgres.db_list': Takes<['user', 'host', 'port', 'maintenance_db', 'password', 'runas']>;
  'postgres.db_exists': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.db_create': Takes<
    [
      'name',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'tablespace',
      'encoding',
      'lc_collate',
      'lc_ctype',
      'owner',
      'template',
      'runas',
    ],
    'name'
  >;
  'postgres.db_alter': Takes<
    [
      'name',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'tablespace',
      'owner',
      'owner_recurse',
      'runas',
    ],
    'name'
  >;
  'postgres.db_remove': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.tablespace_list': Takes<['user', 'host', 'port', 'maintenance_db', 'password', 'runas']>;
  'postgres.tablespace_exists': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.tablespace_create': Takes<
    ['name', 'location', 'options', 'owner', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name' | 'location'
  >;
  'postgres.tablespace_alter': Takes<
    [
      'name',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'new_name',
      'new_owner',
      'set_option',
      'reset_option',
      'runas',
    ],
    'name'
  >;
  'postgres.tablespace_remove': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.user_list': Takes<
    ['user', 'host', 'port', 'maintenance_db', 'password', 'runas', 'return_password']
  >;
  'postgres.role_get': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas', 'return_password'],
    'name'
  >;
  'postgres.user_exists': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.user_create': Takes<
    [
      'username',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'createdb',
      'createroles',
      'inherit',
      'login',
      'connlimit',
      'encrypted',
      'superuser',
      'replication',
      'rolepassword',
      'valid_until',
      'groups',
      'runas',
    ],
    'username'
  >;
  'postgres.user_update': Takes<
    [
      'username',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'createdb',
      'createroles',
      'encrypted',
      'superuser',
      'inherit',
      'login',
      'connlimit',
      'replication',
      'rolepassword',
      'valid_until',
      'groups',
      'runas',
    ],
    'username'
  >;
  'postgres.user_remove': Takes<
    ['username', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'username'
  >;
  'postgres.group_create': Takes<
    [
      'groupname',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'createdb',
      'createroles',
      'encrypted',
      'login',
      'inherit',
      'superuser',
      'replication',
      'rolepassword',
      'groups',
      'runas',
    ],
    'groupname'
  >;
  'postgres.group_update': Takes<
    [
      'groupname',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'createdb',
      'createroles',
      'encrypted',
      'inherit',
      'login',
      'superuser',
      'replication',
      'rolepassword',
      'groups',
      'runas',
    ],
    'groupname'
  >;
  'postgres.group_remove': Takes<
    ['groupname', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'groupname'
  >;
  'postgres.available_extensions': Takes<['user', 'host', 'port', 'maintenance_db', 'password', 'runas']>;
  'postgres.installed_extensions': Takes<['user', 'host', 'port', 'maintenance_db', 'password', 'runas']>;
  'postgres.get_available_extension': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.get_installed_extension': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.is_available_extension': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.is_installed_extension': Takes<
    ['name', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.create_metadata': Takes<
    ['name', 'ext_version', 'schema', 'user', 'host', 'port', 'maintenance_db', 'password', 'runas'],
    'name'
  >;
  'postgres.drop_extension': Takes<
    [
      'name',
      'if_exists',
      'restrict',
      'cascade',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'runas',
    ],
    'name'
  >;
  'postgres.create_extension': Takes<
    [
      'name',
      'if_not_exists',
      'schema',
      'ext_version',
      'from_version',
      'user',
      'host',
      'port',
      'maintenance_db',
      'password',
      'runas',
    ],
    'name'
  >;
  'postgres.owner_to': Takes<
    ['dbname', 'ownername', 'user', 'host', 'port', 'password', 'runas'],
    'dbname' | 'ownername'
  >;
  'postgres.schema_create': Takes<
    ['dbname', 'name', 'owner', 'user', 'db_user', 'db_password', 'db_host', 'db_port'],
    'dbname' | 'name'
  >;
  'postgres.schema_remove': Takes<
    ['dbname', 'name', 'user', 'db_user', 'db_password', 'db_host', 'db_port'],
    'dbname' | 'name'
  >;
  'postgres.schema_exists': Takes<
    ['dbname', 'name', 'user', 'db_user', 'db_password', 'db_host', 'db_port'],
    'dbname' | 'name'
  >;
  'postgres.schema_get': Takes<
    ['dbname', 'name', 'user', 'db_user', 'db_password', 'db_host', 'db_port'],
    'dbname' | 'name'
  >;
  'postgres.schema_list': Takes<['dbname', 'user', 'db_user', 'db_password', 'db_host', 'db_port'], 'dbname'>;
  'postgres.language_list': Takes<
    ['maintenance_db', 'user', 'host', 'port', 'password', 'runas'],
    'maintenance_db'
  >;
  'postgres.language_exists': Takes<
    ['name', 'maintenance_db', 'user', 'host', 'port', 'password', 'runas'],
    'name' | 'maintenance_db'
  >;
  'postgres.language_create': Takes<
    ['name', 'maintenance_db', 'user', 'host', 'port', 'password', 'runas'],
    'name' | 'maintenance_db'
  >;
  'postgres.language_remove': Takes<
    ['name', 'maintenance_db', 'user', 'host', 'port', 'password', 'runas'],
    'name' | 'maintenance_db'
  >;
  'postgres.privileges_list': Takes<
    ['name', 'object_type', 'prepend', 'maintenance_db', 'user', 'host', 'port', 'password', 'runas'],
    'name' | 'object_type'
  >;
  'postgres.has_privileges': Takes<
    [
      'name',
      'object_name',
      'object_type',
      'privileges',
      'grant_option',
      'prepend',
      'maintenance_db',
      'user',
      'host',
      'port',
      'password',
      'runas',
    ],
    'name' | 'object_name' | 'object_type'
  >;
  'postgres.privileges_grant': Takes<
    [
      'name',
      'object_name',
      'object_type',
      'privileges',
      'grant_option',
      'prepend',
      'maintenance_db',
      'user',
      'host',
      'port',
      'password',
      'runas',
    ],
    'name' | 'object_name' | 'object_type'
  >;
  'postgres.privileges_revoke': Takes<
    [
      'name',
      'object_name',
      'object_type',
      'privileges',
      'prepend',
      'maintenance_db',
      'user',
      'host',
      'port',
      'password',
      'runas',
    ],
    'name' | 'object_name' | 'object_type'
  >;
  'postgres.datadir_init': Takes<
    ['name', 'auth', 'user', 'password', 'encoding', 'locale', 'waldir', 'checksums', 'runas'],
    'name'
  >;
  'postgres.datadir_exists': Takes<['name'], 'name'>;
  'postgres.cluster_create': Takes<
    [
      'version',
      'name',
      'port',
      'locale',
      'encoding',
      'datadir',
      'allow_group_access',
      'data_checksums',
      'wal_segsize',
    ],
    'version'
  >;
  'postgres.cluster_list': Takes<['verbose']>;
  'postgres.cluster_exists': Takes<['version', 'name'], 'version'>;
  'postgres.cluster_remove': Takes<['version', 'name', 'stop'], 'version'>;
  'ps.top': Takes<['num_processes', 'interval']>;
  'ps.get_pid_list': Takes<[]>;
  'ps.proc_info': Takes<['pid', 'attrs'], 'pid'>;
  'ps.kill_pid': Takes<['pid', 'signal'], 'pid'>;
  'ps.pkill': Takes<['pattern', 'user', 'signal', 'full'], 'pattern'>;
  'ps.pgrep': Takes<['pattern', 'user', 'full', 'pattern_is_regex'], 'pattern'>;
  'ps.status': Takes<['status'], 'status'>;
  'ps.cpu_percent': Takes<['interval', 'per_cpu']>;
  'ps.cpu_times': Takes<['per_cpu']>;
  'ps.virtual_memory': Takes<[]>;
  'ps.swap_memory': Takes<[]>;
  'ps.total_physical_memory': Takes<[]>;
  'ps.num_cpus': Takes<[]>;
  'ps.boot_time': Takes<['time_format']>;
  'ps.disk_partitions': Takes<['all']>;
  'ps.disk_usage': Takes<['path'], 'path'>;
  'ps.disk_partition_usage': Takes<['all']>;
  'ps.network_io_counters': Takes<['interface']>;
  'ps.disk_io_counters': Takes<['device']>;
  'ps.lsof': Takes<['name'], 'name'>;
  'ps.netstat': Takes<['name'], 'name'>;
  'ps.ss': Takes<['name'], 'name'>;
  'ps.psaux': Takes<['name'], 'name'>;
  'publish.publish': Takes<
    ['tgt', 'fun', 'arg', 'tgt_type', 'returner', 'timeout', 'via_master'],
    'tgt' | 'fun'
  >;
  'publish.full_data': Takes<['tgt', 'fun', 'arg', 'tgt_type', 'returner', 'timeout'], 'tgt' | 'fun'>;
  'publish.runner': Takes<['fun', 'arg', 'timeout'], 'fun'>;
  'pyenv.install': Takes<['runas', 'path']>;
  'pyenv.update': Takes<['runas', 'path']>;
  'pyenv.is_installed': Takes<['runas']>;
  'pyenv.rehash': Takes<['runas']>;
  'pyenv.install_python': Takes<['python', 'runas'], 'python'>;
  'pyenv.uninstall_python': Takes<['python', 'runas'], 'python'>;
  'pyenv.versions': Takes<['runas']>;
  'pyenv.default': Takes<['python', 'runas']>;
  'pyenv.list': Takes<['runas']>;
  'pyenv.do': Takes<['cmdline', 'runas']>;
  'pyenv.do_with_python': Takes<['python', 'cmdline', 'runas'], 'python' | 'cmdline'>;
  'qemu_img.make_image': Takes<['location', 'size', 'fmt'], 'location' | 'size' | 'fmt'>;
  'qemu_img.convert': Takes<['orig', 'dest', 'fmt'], 'orig' | 'dest' | 'fmt'>;
  'quota.report': Takes<['mount'], 'mount'>;
  'quota.set': Takes<['device'], 'device', never, 'names'>;
  'quota.warn': Takes<[]>;
  'quota.stats': Takes<[]>;
  'quota.on': Takes<['device'], 'device'>;
  'quota.off': Takes<['device'], 'device'>;
  'quota.get_mode': Takes<['device'], 'device'>;
  'rabbitmq.list_users': Takes<['runas']>;
  'rabbitmq.list_vhosts': Takes<['runas']>;
  'rabbitmq.list_upstreams': Takes<['runas']>;
  'rabbitmq.user_exists': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.vhost_exists': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.upstream_exists': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.add_user': Takes<['name', 'password', 'runas'], 'name'>;
  'rabbitmq.delete_user': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.change_password': Takes<['name', 'password', 'runas'], 'name' | 'password'>;
  'rabbitmq.clear_password': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.check_password': Takes<['name', 'password', 'runas'], 'name' | 'password'>;
  'rabbitmq.add_vhost': Takes<['vhost', 'runas'], 'vhost'>;
  'rabbitmq.delete_vhost': Takes<['vhost', 'runas'], 'vhost'>;
  'rabbitmq.set_permissions': Takes<['vhost', 'user', 'conf', 'write', 'read', 'runas'], 'vhost' | 'user'>;
  'rabbitmq.list_permissions': Takes<['vhost', 'runas'], 'vhost'>;
  'rabbitmq.list_user_permissions': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.set_user_tags': Takes<['name', 'tags', 'runas'], 'name' | 'tags'>;
  'rabbitmq.status': Takes<['runas']>;
  'rabbitmq.cluster_status': Takes<['runas']>;
  'rabbitmq.join_cluster': Takes<['host', 'user', 'ram_node', 'runas'], 'host'>;
  'rabbitmq.stop_app': Takes<['runas']>;
  'rabbitmq.start_app': Takes<['runas']>;
  'rabbitmq.reset': Takes<['runas']>;
  'rabbitmq.force_reset': Takes<['runas']>;
  'rabbitmq.list_queues': Takes<['runas'], never, never, 'places'>;
  'rabbitmq.list_queues_vhost': Takes<['vhost', 'runas'], 'vhost', never, 'places'>;
  'rabbitmq.list_policies': Takes<['vhost', 'runas']>;
  'rabbitmq.set_policy': Takes<
    ['vhost', 'name', 'pattern', 'definition', 'priority', 'runas', 'apply_to'],
    'vhost' | 'name' | 'pattern' | 'definition'
  >;
  'rabbitmq.delete_policy': Takes<['vhost', 'name', 'runas'], 'vhost' | 'name'>;
  'rabbitmq.policy_exists': Takes<['vhost', 'name', 'runas'], 'vhost' | 'name'>;
  'rabbitmq.list_available_plugins': Takes<['runas']>;
  'rabbitmq.list_enabled_plugins': Takes<['runas']>;
  'rabbitmq.plugin_is_enabled': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.enable_plugin': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.disable_plugin': Takes<['name', 'runas'], 'name'>;
  'rabbitmq.set_upstream': Takes<
    [
      'name',
      'uri',
      'prefetch_count',
      'reconnect_delay',
      'ack_mode',
      'trust_user_id',
      'exchange',
      'max_hops',
      'expires',
      'message_ttl',
      'ha_policy',
      'queue',
      'runas',
    ],
    'name' | 'uri'
  >;
  'rabbitmq.delete_upstream': Takes<['name', 'runas'], 'name'>;
  'raid.list': Takes<[]>;
  'raid.detail': Takes<['device']>;
  'raid.destroy': Takes<['device'], 'device'>;
  'raid.stop': Takes<[]>;
  'raid.create': Takes<
    ['name', 'level', 'devices', 'metadata', 'test_mode'],
    'name' | 'level' | 'devices',
    never,
    'names'
  >;
  'raid.save_config': Takes<[]>;
  'raid.assemble': Takes<['name', 'devices', 'test_mode'], 'name' | 'devices', never, 'names'>;
  'raid.examine': Takes<['device', 'quiet'], 'device'>;
  'raid.add': Takes<['name', 'device'], 'name' | 'device'>;
  'random.hash': Takes<['value', 'algorithm'], 'value'>;
  'random.str_encode': Takes<['value', 'encoder'], 'value'>;
  'random.get_str': Takes<
    ['length', 'chars', 'lowercase', 'uppercase', 'digits', 'punctuation', 'whitespace', 'printable']
  >;
  'random.shadow_hash': Takes<['crypt_salt', 'password', 'algorithm']>;
  'random.rand_int': Takes<['start', 'end', 'seed']>;
  'random.seed': Takes<['range', 'hash']>;
  'random.sample': Takes<['value', 'size', 'seed'], 'value' | 'size'>;
  'random.shuffle': Takes<['value', 'seed'], 'value'>;
  'rbenv.install': Takes<['runas', 'path']>;
  'rbenv.update': Takes<['runas', 'path']>;
  'rbenv.is_installed': Takes<['runas']>;
  'rbenv.rehash': Takes<['runas']>;
  'rbenv.install_ruby': Takes<['ruby', 'runas'], 'ruby'>;
  'rbenv.uninstall_ruby': Takes<['ruby', 'runas'], 'ruby'>;
  'rbenv.versions': Takes<['runas']>;
  'rbenv.default': Takes<['ruby', 'runas']>;
  'rbenv.list': Takes<['runas']>;
  'rbenv.do': Takes<['cmdline', 'runas', 'env'], 'cmdline'>;
  'rbenv.do_with_ruby': Takes<['ruby', 'cmdline', 'runas'], 'ruby' | 'cmdline'>;
  'redis.bgrewriteaof': Takes<['host', 'port', 'db', 'password']>;
  'redis.bgsave': Takes<['host', 'port', 'db', 'password']>;
  'redis.config_get': Takes<['pattern', 'host', 'port', 'db', 'password']>;
  'redis.config_set': Takes<['name', 'value', 'host', 'port', 'db', 'password'], 'name' | 'value'>;
  'redis.dbsize': Takes<['host', 'port', 'db', 'password']>;
  'redis.delete': Takes<[], never, never, 'places' | 'names'>;
  'redis.exists': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.expire': Takes<['key', 'seconds', 'host', 'port', 'db', 'password'], 'key' | 'seconds'>;
  'redis.expireat': Takes<['key', 'timestamp', 'host', 'port', 'db', 'password'], 'key' | 'timestamp'>;
  'redis.flushall': Takes<['host', 'port', 'db', 'password']>;
  'redis.flushdb': Takes<['host', 'port', 'db', 'password']>;
  'redis.get_key': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.hdel': Takes<['key'], 'key', never, 'places' | 'names'>;
  'redis.hexists': Takes<['key', 'field', 'host', 'port', 'db', 'password'], 'key' | 'field'>;
  'redis.hget': Takes<['key', 'field', 'host', 'port', 'db', 'password'], 'key' | 'field'>;
  'redis.hgetall': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.hincrby': Takes<['key', 'field', 'increment', 'host', 'port', 'db', 'password'], 'key' | 'field'>;
  'redis.hincrbyfloat': Takes<
    ['key', 'field', 'increment', 'host', 'port', 'db', 'password'],
    'key' | 'field'
  >;
  'redis.hlen': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.hmget': Takes<['key'], 'key', never, 'places' | 'names'>;
  'redis.hmset': Takes<['key'], 'key', never, 'names'>;
  'redis.hset': Takes<['key', 'field', 'value', 'host', 'port', 'db', 'password'], 'key' | 'field' | 'value'>;
  'redis.hsetnx': Takes<
    ['key', 'field', 'value', 'host', 'port', 'db', 'password'],
    'key' | 'field' | 'value'
  >;
  'redis.hvals': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.hscan': Takes<['key', 'cursor', 'match', 'count', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.info': Takes<['host', 'port', 'db', 'password']>;
  'redis.keys': Takes<['pattern', 'host', 'port', 'db', 'password']>;
  'redis.key_type': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.lastsave': Takes<['host', 'port', 'db', 'password']>;
  'redis.llen': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.lrange': Takes<['key', 'start', 'stop', 'host', 'port', 'db', 'password'], 'key' | 'start' | 'stop'>;
  'redis.ping': Takes<['host', 'port', 'db', 'password']>;
  'redis.save': Takes<['host', 'port', 'db', 'password']>;
  'redis.set_key': Takes<['key', 'value', 'host', 'port', 'db', 'password'], 'key' | 'value'>;
  'redis.shutdown': Takes<['host', 'port', 'db', 'password']>;
  'redis.slaveof': Takes<['master_host', 'master_port', 'host', 'port', 'db', 'password']>;
  'redis.smembers': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.time': Takes<['host', 'port', 'db', 'password']>;
  'redis.zcard': Takes<['key', 'host', 'port', 'db', 'password'], 'key'>;
  'redis.zrange': Takes<['key', 'start', 'stop', 'host', 'port', 'db', 'password'], 'key' | 'start' | 'stop'>;
  'redis.sentinel_get_master_ip': Takes<['master', 'host', 'port', 'password'], 'master'>;
  'redis.get_master_ip': Takes<['host', 'port', 'password']>;
  'ret.get_jid': Takes<['returner', 'jid'], 'returner' | 'jid'>;
  'ret.get_fun': Takes<['returner', 'fun'], 'returner' | 'fun'>;
  'ret.get_jids': Takes<['returner'], 'returner'>;
  'ret.get_minions': Takes<['returner'], 'returner'>;
  'rsync.rsync': Takes<
    [
      'src',
      'dst',
      'delete',
      'force',
      'update',
      'passwordfile',
      'exclude',
      'excludefrom',
      'dryrun',
      'rsh',
      'additional_opts',
      'saltenv',
    ],
    'src' | 'dst'
  >;
  'rsync.version': Takes<[]>;
  'rsync.config': Takes<['conf_path']>;
  'rvm.is_installed': Takes<['runas']>;
  'rvm.install': Takes<['runas']>;
  'rvm.install_ruby': Takes<['ruby', 'runas', 'opts', 'env'], 'ruby'>;
  'rvm.reinstall_ruby': Takes<['ruby', 'runas', 'env'], 'ruby'>;
  'rvm.list': Takes<['runas']>;
  'rvm.set_default': Takes<['ruby', 'runas'], 'ruby'>;
  'rvm.get': Takes<['version', 'runas']>;
  'rvm.wrapper': Takes<
    ['ruby_string', 'wrapper_prefix', 'runas'],
    'ruby_string' | 'wrapper_prefix',
    never,
    'places'
  >;
  'rvm.rubygems': Takes<['ruby', 'version', 'runas'], 'ruby' | 'version'>;
  'rvm.do': Takes<['ruby', 'command', 'runas', 'cwd', 'env'], 'ruby' | 'command'>;
  'rvm.gemset_create': Takes<['ruby', 'gemset', 'runas'], 'ruby' | 'gemset'>;
  'rvm.gemset_delete': Takes<['ruby', 'gemset', 'runas'], 'ruby' | 'gemset'>;
  'rvm.gemset_empty': Takes<['ruby', 'gemset', 'runas'], 'ruby' | 'gemset'>;
  'rvm.gemset_list': Takes<['ruby', 'runas']>;
  'rvm.gemset_copy': Takes<['source', 'destination', 'runas'], 'source' | 'destination'>;
  'rvm.gemset_list_all': Takes<['runas']>;
  'salt_version.get_release_number': Takes<['name'], 'name'>;
  'salt_version.equal': Takes<['name'], 'name'>;
  'salt_version.greater_than': Takes<['name'], 'name'>;
  'salt_version.less_than': Takes<['name'], 'name'>;
  'saltcheck.run_test': Takes<[], never, never, 'names'>;
  'saltcheck.state_apply': Takes<['state_name'], 'state_name', never, 'names'>;
  'saltcheck.run_state_tests': Takes<['state', 'saltenv', 'check_all', 'only_fails', 'junit'], 'state'>;
  'saltcheck.run_state_tests_ssh': Takes<['state', 'saltenv', 'check_all', 'only_fails', 'junit'], 'state'>;
  'saltcheck.run_highstate_tests': Takes<['saltenv', 'only_fails', 'junit']>;
  'saltcheck.report_highstate_tests': Takes<['saltenv']>;
  'saltutil.running': Takes<[]>;
  'saltutil.is_running': Takes<['fun'], 'fun'>;
  'saltutil.find_job': Takes<['jid'], 'jid'>;
  'saltutil.find_cached_job': Takes<['jid'], 'jid'>;
  'saltutil.signal_job': Takes<['jid', 'sig'], 'jid' | 'sig'>;
  'saltutil.term_job': Takes<['jid'], 'jid'>;
  'saltutil.kill_job': Takes<['jid'], 'jid'>;
  'saltutil.term_all_jobs': Takes<[]>;
  'saltutil.kill_all_jobs': Takes<[]>;
  'saltutil.refresh_pillar': Takes<['wait', 'timeout', 'clean_cache']>;
  'saltutil.pillar_refresh': Takes<['wait', 'timeout', 'clean_cache']>;
  'saltutil.refresh_modules': Takes<[], never, never, 'names'>;
  'saltutil.refresh_grains': Takes<[], never, never, 'names'>;
  'saltutil.refresh_beacons': Takes<[]>;
  'saltutil.refresh_matchers': Takes<[]>;
  'saltutil.sync_clouds': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_beacons': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_modules': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_states': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_sdb': Takes<['saltenv', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_grains': Takes<
    ['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist', 'clean_pillar_cache']
  >;
  'saltutil.sync_renderers': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_returners': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_output': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_utils': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_log_handlers': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_executors': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_proxymodules': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_engines': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_thorium': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_serializers': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_matchers': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_pillar': Takes<
    ['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist', 'clean_pillar_cache']
  >;
  'saltutil.sync_outputters': Takes<['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist']>;
  'saltutil.sync_all': Takes<
    ['saltenv', 'refresh', 'extmod_whitelist', 'extmod_blacklist', 'clean_pillar_cache']
  >;
  'saltutil.list_extmods': Takes<[]>;
  'saltutil.clear_cache': Takes<[]>;
  'saltutil.clear_job_cache': Takes<['hours']>;
  'saltutil.regen_keys': Takes<[]>;
  'saltutil.revoke_auth': Takes<['preserve_minion_cache']>;
  'saltutil.cmd': Takes<
    ['tgt', 'fun', 'arg', 'timeout', 'tgt_type', 'ret', 'kwarg', 'ssh'],
    'tgt' | 'fun',
    never,
    'names'
  >;
  'saltutil.cmd_iter': Takes<
    ['tgt', 'fun', 'arg', 'timeout', 'tgt_type', 'ret', 'kwarg', 'ssh'],
    'tgt' | 'fun',
    never,
    'names'
  >;
  'saltutil.runner': Takes<['name', 'arg', 'kwarg', 'full_return', 'saltenv', 'jid'], 'name', never, 'names'>;
  'saltutil.wheel': Takes<['name'], 'name', never, 'places' | 'names'>;
  'saltutil.mmodule': Takes<['saltenv', 'fun'], 'saltenv' | 'fun', never, 'places' | 'names'>;
  'saltutil.update': Takes<['version']>;
  'schedule.list': Takes<['show_all', 'show_disabled', 'where', 'return_yaml', 'offline']>;
  'schedule.is_enabled': Takes<['name']>;
  'schedule.purge': Takes<[], never, never, 'names'>;
  'schedule.delete': Takes<['name'], 'name', never, 'names'>;
  'schedule.build_schedule_item': Takes<['name'], 'name', never, 'names'>;
  'schedule.add': Takes<['name'], 'name', never, 'names'>;
  'schedule.modify': Takes<['name'], 'name', never, 'names'>;
  'schedule.run_job': Takes<['name', 'force'], 'name'>;
  'schedule.enable_job': Takes<['name'], 'name', never, 'names'>;
  'schedule.disable_job': Takes<['name'], 'name', never, 'names'>;
  'schedule.save': Takes<[], never, never, 'names'>;
  'schedule.enable': Takes<[], never, never, 'names'>;
  'schedule.disable': Takes<[], never, never, 'names'>;
  'schedule.reload': Takes<[]>;
  'schedule.move': Takes<['name', 'target'], 'name' | 'target', never, 'names'>;
  'schedule.copy': Takes<['name', 'target'], 'name' | 'target', never, 'names'>;
  'schedule.postpone_job': Takes<
    ['name', 'current_time', 'new_time'],
    'name' | 'current_time' | 'new_time',
    never,
    'names'
  >;
  'schedule.skip_job': Takes<['name', 'current_time'], 'name' | 'current_time', never, 'names'>;
  'schedule.show_next_fire_time': Takes<['name'], 'name', never, 'names'>;
  'schedule.job_status': Takes<['name', 'time_fmt'], 'name'>;
  'sdb.get': Takes<['uri', 'strict'], 'uri'>;
  'sdb.set': Takes<['uri', 'value'], 'uri' | 'value'>;
  'sdb.delete': Takes<['uri'], 'uri'>;
  'sdb.get_or_set_hash': Takes<['uri', 'length', 'chars'], 'uri'>;
  'selinux.selinux_fs_path': Takes<[]>;
  'selinux.getenforce': Takes<[]>;
  'selinux.getconfig': Takes<[]>;
  'selinux.setenforce': Takes<['mode'], 'mode'>;
  'selinux.list_sebool': Takes<[]>;
  'selinux.getsebool': Takes<['boolean'], 'boolean'>;
  'selinux.setsebool': Takes<['boolean', 'value', 'persist'], 'boolean' | 'value'>;
  'selinux.setsebools': Takes<['pairs', 'persist'], 'pairs'>;
  'selinux.port_get_policy': Takes<['name', 'sel_type', 'protocol', 'port'], 'name'>;
  'selinux.port_add_policy': Takes<['name', 'sel_type', 'protocol', 'port', 'sel_range'], 'name'>;
  'selinux.port_delete_policy': Takes<['name', 'protocol', 'port'], 'name'>;
  'selinux.list_semod': Takes<[]>;
  'selinux.getsemod': Takes<['module'], 'module'>;
  'selinux.setsemod': Takes<['module', 'state'], 'module' | 'state'>;
  'selinux.install_semod': Takes<['module_path'], 'module_path'>;
  'selinux.remove_semod': Takes<['module'], 'module'>;
  'selinux.filetype_id_to_string': Takes<['filetype']>;
  'selinux.fcontext_get_policy': Takes<['name', 'filetype', 'sel_type', 'sel_user', 'sel_level'], 'name'>;
  'selinux.fcontext_add_policy': Takes<['name', 'filetype', 'sel_type', 'sel_user', 'sel_level'], 'name'>;
  'selinux.fcontext_delete_policy': Takes<['name', 'filetype', 'sel_type', 'sel_user', 'sel_level'], 'name'>;
  'selinux.fcontext_policy_is_applied': Takes<['name', 'recursive'], 'name'>;
  'selinux.fcontext_apply_policy': Takes<['name', 'recursive'], 'name'>;
  'service.start': Takes<['name'], 'name'> | Takes<['name', 'no_block', 'unmask', 'unmask_runtime'], 'name'>;
  'service.restart':
    Takes<['name'], 'name'> | Takes<['name', 'no_block', 'unmask', 'unmask_runtime'], 'name'>;
  'service.reload': Takes<['name'], 'name'> | Takes<['name', 'no_block', 'unmask', 'unmask_runtime'], 'name'>;
  'service.force_reload':
    Takes<['name'], 'name'> | Takes<['name', 'no_block', 'unmask', 'unmask_runtime'], 'name'>;
  'service.stop': Takes<['name'], 'name'> | Takes<['name', 'no_block'], 'name'>;
  'service.status': Takes<['name', 'sig'], 'name'>;
  'service.available': Takes<['name'], 'name'>;
  'service.missing': Takes<['name'], 'name'>;
  'service.enable':
    | Takes<['name'], 'name', never, 'names'>
    | Takes<['name', 'no_block', 'unmask', 'unmask_runtime', 'root'], 'name', never, 'names'>;
  'service.disable':
    Takes<['name'], 'name', never, 'names'> | Takes<['name', 'no_block', 'root'], 'name', never, 'names'>;
  'service.enabled':
    Takes<['name'], 'name', never, 'names'> | Takes<['name', 'root'], 'name', never, 'names'>;
  'service.disabled': Takes<['name'], 'name'> | Takes<['name', 'root'], 'name'>;
  'service.mask': Takes<['name', 'runtime', 'root'], 'name'>;
  'service.unmask': Takes<['name', 'runtime', 'root'], 'name'>;
  'service.masked': Takes<['name', 'runtime', 'root'], 'name'>;
  'service.get_all': Takes<[]> | Takes<['root']>;
  'service.get_running': Takes<[]>;
  'service.get_enabled': Takes<[]> | Takes<['root']>;
  'service.get_disabled': Takes<[]> | Takes<['root']>;
  'service.get_static': Takes<['root']>;
  'service.show': Takes<['name', 'root'], 'name'>;
  'service.execs': Takes<['root']>;
  'service.systemctl_reload': Takes<[]>;
  'service.firstboot': Takes<
    ['locale', 'locale_message', 'keymap', 'timezone', 'hostname', 'machine_id', 'root']
  >;
  'service.offline': Takes<[]>;
  'shadow.default_hash': Takes<[]>;
  'shadow.info': Takes<['name', 'root'], 'name'>;
  'shadow.list_users': Takes<['root']>;
  'shadow.gen_password': Takes<['password', 'crypt_salt', 'algorithm'], 'password'>;
  'shadow.set_password': Takes<['name', 'password', 'use_usermod', 'root'], 'name' | 'password'>;
  'shadow.del_password': Takes<['name', 'root'], 'name'>;
  'shadow.lock_password': Takes<['name', 'root'], 'name'>;
  'shadow.unlock_password': Takes<['name', 'root'], 'name'>;
  'shadow.set_inactdays': Takes<['name', 'inactdays', 'root'], 'name' | 'inactdays'>;
  'shadow.set_maxdays': Takes<['name', 'maxdays', 'root'], 'name' | 'maxdays'>;
  'shadow.set_mindays': Takes<['name', 'mindays', 'root'], 'name' | 'mindays'>;
  'shadow.set_warndays': Takes<['name', 'warndays', 'root'], 'name' | 'warndays'>;
  'shadow.set_date': Takes<['name', 'date', 'root'], 'name' | 'date'>;
  'shadow.set_expire': Takes<['name', 'expire', 'root'], 'name' | 'expire'>;
  'slack.list_rooms': Takes<['api_key']>;
  'slack.list_users': Takes<['api_key']>;
  'slack.find_room': Takes<['name', 'api_key'], 'name'>;
  'slack.find_user': Takes<['name', 'api_key'], 'name'>;
  'slack.post_message': Takes<
    ['channel', 'message', 'from_name', 'api_key', 'icon', 'attachments', 'blocks'],
    'channel' | 'message' | 'from_name'
  >;
  'slack.call_hook': Takes<
    ['message', 'attachment', 'color', 'short', 'identifier', 'channel', 'username', 'icon_emoji'],
    'message'
  >;
  'slsutil.update': Takes<['dest', 'upd', 'recursive_update', 'merge_lists'], 'dest' | 'upd'>;
  'slsutil.merge': Takes<['obj_a', 'obj_b', 'strategy', 'renderer', 'merge_lists'], 'obj_a' | 'obj_b'>;
  'slsutil.merge_all': Takes<['lst', 'strategy', 'renderer', 'merge_lists'], 'lst'>;
  'slsutil.renderer': Takes<['path', 'string', 'default_renderer'], never, never, 'names'>;
  'slsutil.serialize': Takes<['serializer', 'obj'], 'serializer' | 'obj', never, 'names'>;
  'slsutil.deserialize': Takes<
    ['serializer', 'stream_or_string'],
    'serializer' | 'stream_or_string',
    never,
    'names'
  >;
  'slsutil.banner': Takes<
    ['width', 'commentchar', 'borderchar', 'blockstart', 'blockend', 'title', 'text', 'newline']
  >;
  'slsutil.boolstr': Takes<['value', 'true', 'false'], 'value'>;
  'slsutil.file_exists': Takes<['path', 'saltenv'], 'path'>;
  'slsutil.dir_exists': Takes<['path', 'saltenv'], 'path'>;
  'slsutil.path_exists': Takes<['path', 'saltenv'], 'path'>;
  'slsutil.findup': Takes<['startpath', 'filenames', 'saltenv'], 'startpath' | 'filenames'>;
  'smbios.get': Takes<['string', 'clean'], 'string'>;
  'smbios.records': Takes<['rec_type', 'fields', 'clean']>;
  'smtp.send_msg': Takes<
    [
      'recipient',
      'message',
      'subject',
      'sender',
      'server',
      'use_ssl',
      'username',
      'password',
      'profile',
      'attachments',
    ],
    'recipient' | 'message'
  >;
  'snapper.list_configs': Takes<[]>;
  'snapper.get_config': Takes<['name']>;
  'snapper.set_config': Takes<['name'], never, never, 'names'>;
  'snapper.create_config': Takes<['name', 'subvolume', 'fstype', 'template', 'extra_opts']>;
  'snapper.list_snapshots': Takes<['config']>;
  'snapper.get_snapshot': Takes<['number', 'config']>;
  'snapper.create_snapshot': Takes<
    ['config', 'snapshot_type', 'pre_number', 'description', 'cleanup_algorithm', 'userdata'],
    never,
    never,
    'names'
  >;
  'snapper.create_baseline': Takes<['tag', 'config']>;
  'snapper.delete_snapshot': Takes<['snapshots_ids', 'config']>;
  'snapper.modify_snapshot': Takes<['snapshot_id', 'description', 'userdata', 'cleanup', 'config']>;
  'snapper.status_to_string': Takes<['dbus_status'], 'dbus_status'>;
  'snapper.status': Takes<['config', 'num_pre', 'num_post']>;
  'snapper.changed_files': Takes<['config', 'num_pre', 'num_post']>;
  'snapper.diff': Takes<['config', 'filename', 'num_pre', 'num_post']>;
  'snapper.undo': Takes<['config', 'files', 'num_pre', 'num_post']>;
  'snapper.run': Takes<['function'], 'function', never, 'places' | 'names'>;
  'snapper.undo_jid': Takes<['jid', 'config'], 'jid'>;
  'snapper.diff_jid': Takes<['jid', 'config'], 'jid'>;
  'sqlite3.version': Takes<[]>;
  'sqlite3.sqlite_version': Takes<[]>;
  'sqlite3.modify': Takes<['db', 'sql']>;
  'sqlite3.fetch': Takes<['db', 'sql']>;
  'sqlite3.tables': Takes<['db']>;
  'sqlite3.indices': Takes<['db']>;
  'sqlite3.indexes': Takes<['db']>;
  'ssh.auth_keys': Takes<['user', 'config', 'fingerprint_hash_type']>;
  'ssh.check_key': Takes<
    ['user', 'key', 'enc', 'comment', 'options', 'config', 'cache_keys', 'fingerprint_hash_type'],
    'user' | 'key' | 'enc' | 'comment' | 'options'
  >;
  'ssh.check_key_file': Takes<
    ['user', 'source', 'config', 'saltenv', 'fingerprint_hash_type'],
    'user' | 'source'
  >;
  'ssh.set_auth_key': Takes<
    ['user', 'key', 'enc', 'comment', 'options', 'config', 'cache_keys', 'fingerprint_hash_type'],
    'user' | 'key'
  >;
  'ssh.set_auth_key_from_file': Takes<
    ['user', 'source', 'config', 'saltenv', 'fingerprint_hash_type'],
    'user' | 'source'
  >;
  'ssh.rm_auth_key': Takes<['user', 'key', 'config', 'fingerprint_hash_type'], 'user' | 'key'>;
  'ssh.rm_auth_key_from_file': Takes<
    ['user', 'source', 'config', 'saltenv', 'fingerprint_hash_type'],
    'user' | 'source'
  >;
  'ssh.get_known_host_entries': Takes<
    ['user', 'hostname', 'config', 'port', 'fingerprint_hash_type'],
    'user' | 'hostname'
  >;
  'ssh.recv_known_host_entries': Takes<
    ['hostname', 'enc', 'port', 'hash_known_hosts', 'timeout', 'fingerprint_hash_type'],
    'hostname'
  >;
  'ssh.check_known_host': Takes<
    ['user', 'hostname', 'key', 'fingerprint', 'config', 'port', 'fingerprint_hash_type']
  >;
  'ssh.rm_known_host': Takes<['user', 'hostname', 'config', 'port']>;
  'ssh.set_known_host': Takes<
    [
      'user',
      'hostname',
      'fingerprint',
      'key',
      'port',
      'enc',
      'config',
      'hash_known_hosts',
      'timeout',
      'fingerprint_hash_type',
    ]
  >;
  'ssh.hash_known_hosts': Takes<['user', 'config']>;
  'ssh.host_keys': Takes<['keydir', 'private', 'certs']>;
  'ssh.user_keys': Takes<['user', 'pubfile', 'prvfile']>;
  'ssh.key_is_encrypted': Takes<['key'], 'key'>;
  'state.apply': Takes<['mods'], never, never, 'names'>;
  'state.highstate': Takes<['test', 'queue', 'state_events'], never, never, 'names'>;
  'state.sls': Takes<
    ['mods', 'test', 'exclude', 'queue', 'sync_mods', 'state_events'],
    'mods',
    never,
    'names'
  >;
  'state.sls_id': Takes<['id_', 'mods', 'test', 'queue', 'state_events'], 'id_' | 'mods', never, 'names'>;
  'state.single': Takes<['fun', 'name', 'test', 'queue'], 'fun' | 'name', never, 'names'>;
  'state.top': Takes<['topfn', 'test', 'queue'], 'topfn', never, 'names'>;
  'state.low': Takes<['data', 'queue'], 'data', never, 'names'>;
  'state.high': Takes<['data', 'test', 'queue'], 'data', never, 'names'>;
  'state.template': Takes<['tem', 'queue'], 'tem', never, 'names'>;
  'state.template_str': Takes<['tem', 'queue'], 'tem', never, 'names'>;
  'state.test': Takes<[], never, never, 'places' | 'names'>;
  'state.running': Takes<['concurrent']>;
  'state.pause': Takes<['jid', 'state_id', 'duration'], 'jid'>;
  'state.resume': Takes<['jid', 'state_id'], 'jid'>;
  'state.soft_kill': Takes<['jid', 'state_id'], 'jid'>;
  'state.get_pauses': Takes<['jid']>;
  'state.disable': Takes<['states'], 'states'>;
  'state.enable': Takes<['states'], 'states'>;
  'state.list_disabled': Takes<[]>;
  'state.event': Takes<['tagmatch', 'count', 'quiet', 'sock_dir', 'pretty', 'node']>;
  'state.clear_cache': Takes<[]>;
  'state.orchestrate': Takes<['mods', 'saltenv', 'test', 'exclude', 'pillar', 'pillarenv'], 'mods'>;
  'state.pkg': Takes<
    ['pkg_path', 'pkg_sum', 'hash_type', 'test'],
    'pkg_path' | 'pkg_sum' | 'hash_type',
    never,
    'names'
  >;
  'state.request': Takes<['mods'], never, never, 'names'>;
  'state.check_request': Takes<['name']>;
  'state.run_request': Takes<['name'], never, never, 'names'>;
  'state.clear_request': Takes<['name']>;
  'state.show_top': Takes<['queue'], never, never, 'names'>;
  'state.show_highstate': Takes<['queue'], never, never, 'names'>;
  'state.show_lowstate': Takes<['queue'], never, never, 'names'>;
  'state.show_states': Takes<['queue'], never, never, 'names'>;
  'state.show_state_usage': Takes<['queue'], never, never, 'names'>;
  'state.show_sls': Takes<['mods', 'test', 'queue'], 'mods', never, 'names'>;
  'state.show_low_sls': Takes<['mods', 'test', 'queue'], 'mods', never, 'names'>;
  'state.sls_exists': Takes<['mods', 'test', 'queue'], 'mods', never, 'names'>;
  'state.id_exists': Takes<['ids', 'mods', 'test', 'queue'], 'ids' | 'mods', never, 'names'>;
  'status.loadavg': Takes<[]>;
  'status.cpustats': Takes<[]>;
  'status.meminfo': Takes<[]>;
  'status.cpuinfo': Takes<[]>;
  'status.diskstats': Takes<[]>;
  'status.vmstats': Takes<[]>;
  'status.netstats': Takes<[]>;
  'status.netdev': Takes<[]>;
  'status.version': Takes<[]>;
  'status.uptime': Takes<[]>;
  'status.diskusage': Takes<[], never, never, 'places'>;
  'status.nproc': Takes<[]>;
  'status.procs': Takes<[]>;
  'status.pid': Takes<['sig'], 'sig'>;
  'status.w': Takes<[]>;
  'status.all_status': Takes<[]>;
  'status.custom': Takes<[]>;
  'status.time': Takes<['format']>;
  'status.master': Takes<['master', 'connected']>;
  'status.ping_master': Takes<['master'], 'master'>;
  'status.proxy_reconnect': Takes<['proxy_name', 'opts'], 'proxy_name'>;
  'supervisord.start': Takes<['name', 'user', 'conf_file', 'bin_env']>;
  'supervisord.restart': Takes<['name', 'user', 'conf_file', 'bin_env']>;
  'supervisord.stop': Takes<['name', 'user', 'conf_file', 'bin_env']>;
  'supervisord.add': Takes<['name', 'user', 'conf_file', 'bin_env'], 'name'>;
  'supervisord.remove': Takes<['name', 'user', 'conf_file', 'bin_env'], 'name'>;
  'supervisord.reread': Takes<['user', 'conf_file', 'bin_env']>;
  'supervisord.update': Takes<['user', 'conf_file', 'bin_env', 'name']>;
  'supervisord.status': Takes<['name', 'user', 'conf_file', 'bin_env']>;
  'supervisord.status_raw': Takes<['name', 'user', 'conf_file', 'bin_env']>;
  'supervisord.status_bool': Takes<['name', 'expected_state', 'user', 'conf_file', 'bin_env'], 'name'>;
  'supervisord.custom': Takes<['command', 'user', 'conf_file', 'bin_env'], 'command'>;
  'supervisord.options': Takes<['name', 'conf_file'], 'name'>;
  'svn.info': Takes<['cwd', 'targets', 'user', 'username', 'password', 'fmt'], 'cwd'>;
  'svn.checkout': Takes<
    ['cwd', 'remote', 'target', 'user', 'username', 'password'],
    'cwd' | 'remote',
    never,
    'places'
  >;
  'svn.switch': Takes<
    ['cwd', 'remote', 'target', 'user', 'username', 'password'],
    'cwd' | 'remote',
    never,
    'places'
  >;
  'svn.update': Takes<['cwd', 'targets', 'user', 'username', 'password'], 'cwd', never, 'places'>;
  'svn.diff': Takes<['cwd', 'targets', 'user', 'username', 'password'], 'cwd', never, 'places'>;
  'svn.commit': Takes<['cwd', 'targets', 'msg', 'user', 'username', 'password'], 'cwd', never, 'places'>;
  'svn.add': Takes<['cwd', 'targets', 'user', 'username', 'password'], 'cwd' | 'targets', never, 'places'>;
  'svn.remove': Takes<
    ['cwd', 'targets', 'msg', 'user', 'username', 'password'],
    'cwd' | 'targets',
    never,
    'places'
  >;
  'svn.status': Takes<['cwd', 'targets', 'user', 'username', 'password'], 'cwd', never, 'places'>;
  'svn.export': Takes<
    ['cwd', 'remote', 'target', 'user', 'username', 'password', 'revision'],
    'cwd' | 'remote',
    never,
    'places'
  >;
  'sys.doc': Takes<[], never, never, 'places'>;
  'sys.state_doc': Takes<[], never, never, 'places'>;
  'sys.runner_doc': Takes<[], never, never, 'places'>;
  'sys.returner_doc': Takes<[], never, never, 'places'>;
  'sys.renderer_doc': Takes<[], never, never, 'places'>;
  'sys.list_functions': Takes<[], never, never, 'places' | 'names'>;
  'sys.list_modules': Takes<[], never, never, 'places'>;
  'sys.list_state_functions': Takes<[], never, never, 'places' | 'names'>;
  'sys.list_state_modules': Takes<[], never, never, 'places'>;
  'sys.list_runner_functions': Takes<[], never, never, 'places' | 'names'>;
  'sys.list_runners': Takes<[], never, never, 'places'>;
  'sys.list_returner_functions': Takes<[], never, never, 'places' | 'names'>;
  'sys.list_returners': Takes<[], never, never, 'places'>;
  'sys.list_renderers': Takes<[], never, never, 'places'>;
  'sys.argspec': Takes<['module']>;
  'sys.state_argspec': Takes<['module']>;
  'sys.runner_argspec': Takes<['module']>;
  'sys.returner_argspec': Takes<['module']>;
  'sys.state_schema': Takes<['module']>;
  'sys.reload_modules': Takes<[]>;
  'sysctl.default_config': Takes<[]>;
  'sysctl.show': Takes<['config_file']>;
  'sysctl.get': Takes<['name'], 'name'>;
  'sysctl.assign': Takes<['name', 'value'], 'name' | 'value'>;
  'sysctl.persist': Takes<['name', 'value', 'config'], 'name' | 'value'>;
  'sysfs.attr': Takes<['key', 'value'], 'key'>;
  'sysfs.write': Takes<['key', 'value'], 'key' | 'value'>;
  'sysfs.read': Takes<['key', 'root'], 'key'>;
  'sysfs.target': Takes<['key', 'full'], 'key'>;
  'sysfs.interfaces': Takes<['root'], 'root'>;
  'sysrc.get': Takes<[], never, never, 'names'>;
  'sysrc.set': Takes<['name', 'value'], 'name' | 'value', never, 'names'>;
  'sysrc.remove': Takes<['name'], 'name', never, 'names'>;
  'system.halt': Takes<[]>;
  'system.poweroff': Takes<[]>;
  'system.init': Takes<['runlevel'], 'runlevel'>;
  'system.reboot': Takes<['at_time']>;
  'system.shutdown': Takes<['at_time']>;
  'system.has_settable_hwclock': Takes<[]>;
  'system.get_system_time': Takes<['utc_offset']>;
  'system.get_system_date': Takes<['utc_offset']>;
  'system.get_system_date_time': Takes<['utc_offset']>;
  'system.set_system_time': Takes<['newtime', 'utc_offset'], 'newtime'>;
  'system.set_system_date': Takes<['newdate', 'utc_offset'], 'newdate'>;
  'system.set_system_date_time': Takes<
    ['years', 'months', 'days', 'hours', 'minutes', 'seconds', 'utc_offset']
  >;
  'system.set_reboot_required_witnessed': Takes<[]>;
  'system.get_reboot_required_witnessed': Takes<[]>;
  'system.get_computer_desc': Takes<[]>;
  'system.set_computer_desc': Takes<['desc'], 'desc'>;
  'system.get_computer_name': Takes<[]>;
  'system.set_computer_name': Takes<['hostname'], 'hostname'>;
  'temp.dir': Takes<['suffix', 'prefix', 'parent']>;
  'temp.file': Takes<['suffix', 'prefix', 'parent']>;
  'test.ping': Takes<[]>;
  'test.echo': Takes<['text'], 'text'>;
  'test.sleep': Takes<['length'], 'length'>;
  'test.rand_sleep': Takes<['max']>;
  'test.version': Takes<[]>;
  'test.versions_information': Takes<[]>;
  'test.versions_report': Takes<[]>;
  'test.versions': Takes<[]>;
  'test.conf_test': Takes<[]>;
  'test.get_opts': Takes<[]>;
  'test.opts_pkg': Takes<[]>;
  'test.cross_test': Takes<['func', 'args'], 'func'>;
  'test.attr_call': Takes<[]>;
  'test.module_report': Takes<[]>;
  'test.kwarg': Takes<[], never, never, 'names'>;
  'test.arg': Takes<[], never, never, 'places' | 'names'>;
  'test.arg_type': Takes<[], never, never, 'places' | 'names'>;
  'test.arg_repr': Takes<[], never, never, 'places' | 'names'>;
  'test.arg_clean': Takes<[], never, never, 'places' | 'names'>;
  'test.fib': Takes<['num'], 'num'>;
  'test.collatz': Takes<['start'], 'start'>;
  'test.outputter': Takes<['data'], 'data'>;
  'test.retcode': Takes<['code']>;
  'test.true': Takes<[]>;
  'test.false': Takes<[]>;
  'test.exception': Takes<['message']>;
  'test.raise_exception': Takes<['name'], 'name', never, 'places' | 'names'>;
  'test.assertion': Takes<['assertion'], 'assertion'>;
  'test.provider': Takes<['module'], 'module'>;
  'test.providers': Takes<[]>;
  'test.not_loaded': Takes<[]>;
  'test.rand_str': Takes<['size', 'hash_type']>;
  'test.random_hash': Takes<['size', 'hash_type']>;
  'test.stack': Takes<[]>;
  'test.tty': Takes<[], never, never, 'places' | 'names'>;
  'test.try': Takes<['module', 'return_try_exception'], 'module', never, 'names'>;
  'test.deprecation_warning': Takes<[]>;
  'timezone.get_zone': Takes<[]>;
  'timezone.get_zonecode': Takes<[]>;
  'timezone.get_offset': Takes<[]>;
  'timezone.set_zone': Takes<['timezone'], 'timezone'>;
  'timezone.zone_compare': Takes<['timezone'], 'timezone'>;
  'timezone.get_hwclock': Takes<[]>;
  'timezone.set_hwclock': Takes<['clock'], 'clock'>;
  'tls.cert_base_path': Takes<['cacert_path']>;
  'tls.set_ca_path': Takes<['cacert_path'], 'cacert_path'>;
  'tls.ca_exists': Takes<['ca_name', 'cacert_path', 'ca_filename'], 'ca_name'>;
  'tls.maybe_fix_ssl_version': Takes<['ca_name', 'cacert_path', 'ca_filename'], 'ca_name'>;
  'tls.get_ca': Takes<['ca_name', 'as_text', 'cacert_path'], 'ca_name'>;
  'tls.get_ca_signed_cert': Takes<['ca_name', 'CN', 'as_text', 'cacert_path', 'cert_filename'], 'ca_name'>;
  'tls.get_ca_signed_key': Takes<['ca_name', 'CN', 'as_text', 'cacert_path', 'key_filename'], 'ca_name'>;
  'tls.get_expiration_date': Takes<['cert', 'date_format'], 'cert'>;
  'tls.get_extensions': Takes<['cert_type'], 'cert_type'>;
  'tls.cert_info': Takes<['cert', 'digest'], 'cert'>;
  'tls.validate': Takes<['cert', 'ca_name', 'crl_file'], 'cert' | 'ca_name' | 'crl_file'>;
  'tls.create_ca': Takes<
    [
      'ca_name',
      'bits',
      'days',
      'CN',
      'C',
      'ST',
      'L',
      'O',
      'OU',
      'emailAddress',
      'fixmode',
      'cacert_path',
      'ca_filename',
      'digest',
      'onlyif',
      'unless',
      'replace',
    ],
    'ca_name'
  >;
  'tls.create_csr': Takes<
    [
      'ca_name',
      'bits',
      'CN',
      'C',
      'ST',
      'L',
      'O',
      'OU',
      'emailAddress',
      'subjectAltName',
      'cacert_path',
      'ca_filename',
      'csr_path',
      'csr_filename',
      'digest',
      'type_ext',
      'cert_type',
      'replace',
    ],
    'ca_name'
  >;
  'tls.create_self_signed_cert': Takes<
    [
      'tls_dir',
      'bits',
      'days',
      'CN',
      'C',
      'ST',
      'L',
      'O',
      'OU',
      'emailAddress',
      'cacert_path',
      'cert_filename',
      'digest',
      'replace',
    ]
  >;
  'tls.create_ca_signed_cert': Takes<
    [
      'ca_name',
      'CN',
      'days',
      'cacert_path',
      'ca_filename',
      'cert_path',
      'cert_filename',
      'digest',
      'cert_type',
      'type_ext',
      'replace',
    ],
    'ca_name' | 'CN'
  >;
  'tls.create_pkcs12': Takes<['ca_name', 'CN', 'passphrase', 'cacert_path', 'replace'], 'ca_name' | 'CN'>;
  'tls.create_empty_crl': Takes<['ca_name', 'cacert_path', 'ca_filename', 'crl_file', 'digest'], 'ca_name'>;
  'tls.revoke_cert': Takes<
    ['ca_name', 'CN', 'cacert_path', 'ca_filename', 'cert_path', 'cert_filename', 'crl_file', 'digest'],
    'ca_name' | 'CN'
  >;
  'tuned.list': Takes<[]>;
  'tuned.active': Takes<[]>;
  'tuned.off': Takes<[]>;
  'tuned.profile': Takes<['profile_name'], 'profile_name'>;
  'user.info': Takes<['name', 'root'], 'name'>;
  'user.getent': Takes<['refresh', 'root']>;
  'user.list_users': Takes<['root']>;
  'user.list_groups': Takes<['name'], 'name'>;
  'user.primary_group': Takes<['name'], 'name'>;
  'user.get_loginclass': Takes<['name'], 'name'>;
  'user.add': Takes<
    [
      'name',
      'uid',
      'gid',
      'groups',
      'home',
      'shell',
      'unique',
      'system',
      'fullname',
      'roomnumber',
      'workphone',
      'homephone',
      'other',
      'createhome',
      'loginclass',
      'nologinit',
      'root',
      'usergroup',
    ],
    'name'
  >;
  'user.delete': Takes<['name', 'remove', 'force', 'root'], 'name'>;
  'user.chuid': Takes<['name', 'uid', 'root'], 'name' | 'uid'>;
  'user.chgid': Takes<['name', 'gid', 'root'], 'name' | 'gid'>;
  'user.chshell': Takes<['name', 'shell', 'root'], 'name' | 'shell'>;
  'user.chhome': Takes<['name', 'home', 'persist', 'root'], 'name' | 'home'>;
  'user.chgroups': Takes<['name', 'groups', 'append', 'root'], 'name' | 'groups'>;
  'user.rename': Takes<['name', 'new_name', 'root'], 'name' | 'new_name'>;
  'user.chloginclass': Takes<['name', 'loginclass', 'root'], 'name' | 'loginclass'>;
  'user.chfullname': Takes<['name', 'fullname', 'root'], 'name' | 'fullname'>;
  'user.chroomnumber': Takes<['name', 'roomnumber', 'root'], 'name' | 'roomnumber'>;
  'user.chworkphone': Takes<['name', 'workphone', 'root'], 'name' | 'workphone'>;
  'user.chhomephone': Takes<['name', 'homephone', 'root'], 'name' | 'homephone'>;
  'user.chother': Takes<['name', 'other', 'root'], 'name' | 'other'>;
  'vault.read_secret': Takes<['path', 'key', 'metadata', 'default'], 'path'>;
  'vault.write_secret': Takes<['path'], 'path', never, 'names'>;
  'vault.write_raw': Takes<['path', 'raw'], 'path' | 'raw'>;
  'vault.delete_secret': Takes<['path'], 'path'>;
  'vault.destroy_secret': Takes<['path'], 'path', never, 'places'>;
  'vault.list_secrets': Takes<['path', 'default'], 'path'>;
  'vault.clear_token_cache': Takes<[]>;
  'vault.query': Takes<['method', 'endpoint', 'payload'], 'method' | 'endpoint'>;
  'virt.list_domains': Takes<[], never, never, 'names'>;
  'virt.list_active_vms': Takes<[], never, never, 'names'>;
  'virt.list_inactive_vms': Takes<[], never, never, 'names'>;
  'virt.vm_info': Takes<['vm_'], never, never, 'names'>;
  'virt.vm_state': Takes<['vm_'], never, never, 'names'>;
  'virt.get_xml': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.get_nics': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.get_macs': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.get_graphics': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.get_loader': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.get_disks': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.node_info': Takes<[], never, never, 'names'>;
  'virt.freemem': Takes<[], never, never, 'names'>;
  'virt.freecpu': Takes<[], never, never, 'names'>;
  'virt.full_info': Takes<[], never, never, 'names'>;
  'virt.virt_type': Takes<[]>;
  'virt.get_hypervisor': Takes<[]>;
  'virt.is_hyper': Takes<[]>;
  'virt.vm_cputime': Takes<['vm_'], never, never, 'names'>;
  'virt.start': Takes<['name'], 'name', never, 'names'>;
  'virt.stop': Takes<['name'], 'name', never, 'names'>;
  'virt.reboot': Takes<['name'], 'name', never, 'names'>;
  'virt.shutdown': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.pause': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.resume': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.reset': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.ctrl_alt_del': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.undefine': Takes<['vm_'], 'vm_', never, 'names'>;
  'virt.set_autostart': Takes<['vm_', 'state'], 'vm_', never, 'names'>;
  'virt.setmem': Takes<['vm_', 'memory', 'config'], 'vm_' | 'memory', never, 'names'>;
  'virt.setvcpus': Takes<['vm_', 'vcpus', 'config'], 'vm_' | 'vcpus', never, 'names'>;
  'virt.purge': Takes<['vm_', 'dirs', 'removables'], 'vm_', never, 'names'>;
  'virt.create_xml_str': Takes<['xml'], 'xml', never, 'names'>;
  'virt.create_xml_path': Takes<['path'], 'path', never, 'names'>;
  'virt.define_xml_str': Takes<['xml'], 'xml', never, 'names'>;
  'virt.define_xml_path': Takes<['path'], 'path', never, 'names'>;
  'virt.init': Takes<
    [
      'name',
      'cpu',
      'mem',
      'nic',
      'interfaces',
      'hypervisor',
      'start',
      'disk',
      'disks',
      'saltenv',
      'seed',
      'install',
      'pub_key',
      'priv_key',
      'seed_cmd',
      'graphics',
      'os_type',
      'arch',
      'boot',
      'boot_dev',
      'numatune',
      'hypervisor_features',
      'clock',
      'serials',
      'consoles',
      'stop_on_reboot',
      'host_devices',
    ],
    'name' | 'cpu' | 'mem',
    never,
    'names'
  >;
  'virt.update': Takes<
    [
      'name',
      'cpu',
      'mem',
      'disk_profile',
      'disks',
      'nic_profile',
      'interfaces',
      'graphics',
      'live',
      'boot',
      'numatune',
      'test',
      'boot_dev',
      'hypervisor_features',
      'clock',
      'serials',
      'consoles',
      'stop_on_reboot',
      'host_devices',
      'autostart',
    ],
    'name',
    never,
    'names'
  >;
  'virt.list_snapshots': Takes<['domain'], never, never, 'names'>;
  'virt.snapshot': Takes<['domain', 'name', 'suffix'], 'domain', never, 'names'>;
  'virt.delete_snapshots': Takes<['name'], 'name', never, 'places' | 'names'>;
  'virt.revert_snapshot': Takes<['name', 'vm_snapshot', 'cleanup'], 'name', never, 'names'>;
  'virt.list_networks': Takes<[], never, never, 'names'>;
  'virt.network_info': Takes<['name'], never, never, 'names'>;
  'virt.network_get_xml': Takes<['name'], 'name', never, 'names'>;
  'virt.network_start': Takes<['name'], 'name', never, 'names'>;
  'virt.network_stop': Takes<['name'], 'name', never, 'names'>;
  'virt.network_undefine': Takes<['name'], 'name', never, 'names'>;
  'virt.network_set_autostart': Takes<['name', 'state'], 'name', never, 'names'>;
  'virt.list_pools': Takes<[], never, never, 'names'>;
  'virt.pool_info': Takes<['name'], never, never, 'names'>;
  'virt.pool_get_xml': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_start': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_build': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_stop': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_undefine': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_delete': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_refresh': Takes<['name'], 'name', never, 'names'>;
  'virt.pool_set_autostart': Takes<['name', 'state'], 'name', never, 'names'>;
  'virt.pool_list_volumes': Takes<['name'], 'name', never, 'names'>;
  'virt.volume_delete': Takes<['pool', 'volume'], 'pool' | 'volume', never, 'names'>;
  'virtualenv.virtualenv_ver': Takes<['venv_bin', 'user'], 'venv_bin', never, 'names'>;
  'virtualenv.create': Takes<
    [
      'path',
      'venv_bin',
      'system_site_packages',
      'distribute',
      'clear',
      'python',
      'extra_search_dir',
      'never_download',
      'prompt',
      'pip',
      'symlinks',
      'upgrade',
      'user',
      'use_vt',
      'saltenv',
    ],
    'path',
    never,
    'names'
  >;
  'virtualenv.get_site_packages': Takes<['venv'], 'venv'>;
  'virtualenv.get_distribution_path': Takes<['venv', 'distribution'], 'venv' | 'distribution'>;
  'virtualenv.get_resource_path': Takes<['venv', 'package', 'resource'], 'venv'>;
  'virtualenv.get_resource_content': Takes<['venv', 'package', 'resource'], 'venv'>;
  'webutil.useradd': Takes<['pwfile', 'user', 'password', 'opts', 'runas'], 'pwfile' | 'user' | 'password'>;
  'webutil.userdel': Takes<['pwfile', 'user', 'runas', 'all_results'], 'pwfile' | 'user'>;
  'webutil.verify': Takes<['pwfile', 'user', 'password', 'opts', 'runas'], 'pwfile' | 'user' | 'password'>;
  'x509.create_certificate': Takes<
    [
      'ca_server',
      'signing_policy',
      'encoding',
      'append_certs',
      'pkcs12_passphrase',
      'pkcs12_encryption_compat',
      'pkcs12_friendlyname',
      'path',
      'overwrite',
      'raw',
    ],
    never,
    never,
    'names'
  >;
  'x509.encode_certificate': Takes<
    [
      'certificate',
      'encoding',
      'append_certs',
      'private_key',
      'private_key_passphrase',
      'pkcs12_passphrase',
      'pkcs12_encryption_compat',
      'pkcs12_friendlyname',
      'raw',
    ],
    'certificate'
  >;
  'x509.get_signing_policy': Takes<['signing_policy', 'ca_server'], 'signing_policy'>;
  'x509.sign_remote_certificate': Takes<
    ['signing_policy', 'kwargs', 'get_signing_policy_only'],
    'signing_policy' | 'kwargs',
    never,
    'names'
  >;
  'x509.create_crl': Takes<
    [
      'signing_private_key',
      'revoked',
      'signing_cert',
      'signing_private_key_passphrase',
      'include_expired',
      'days_valid',
      'digest',
      'encoding',
      'extensions',
      'path',
      'raw',
    ],
    'signing_private_key' | 'revoked',
    never,
    'names'
  >;
  'x509.encode_crl': Takes<['crl', 'encoding', 'raw'], 'crl'>;
  'x509.create_csr': Takes<
    ['private_key', 'private_key_passphrase', 'digest', 'encoding', 'path', 'raw'],
    'private_key',
    never,
    'names'
  >;
  'x509.encode_csr': Takes<['csr', 'encoding', 'raw'], 'csr'>;
  'x509.create_private_key': Takes<
    ['algo', 'keysize', 'passphrase', 'encoding', 'pkcs12_encryption_compat', 'path', 'raw'],
    never,
    never,
    'names'
  >;
  'x509.encode_private_key': Takes<
    ['private_key', 'encoding', 'passphrase', 'private_key_passphrase', 'pkcs12_encryption_compat', 'raw'],
    'private_key'
  >;
  'x509.write_pem': Takes<['text', 'path', 'overwrite', 'pem_type'], 'text' | 'path'>;
  'x509.read_certificate': Takes<['certificate'], 'certificate'>;
  'x509.read_certificates': Takes<['glob_path'], 'glob_path'>;
  'x509.read_crl': Takes<['crl'], 'crl'>;
  'x509.read_csr': Takes<['csr'], 'csr'>;
  'x509.get_pem_entry': Takes<['text', 'pem_type'], 'text'>;
  'x509.get_pem_entries': Takes<['glob_path'], 'glob_path'>;
  'x509.expires': Takes<['certificate', 'days'], 'certificate'>;
  'x509.expired': Takes<['certificate'], 'certificate'>;
  'x509.will_expire': Takes<['certificate', 'days'], 'certificate' | 'days'>;
  'x509.get_private_key_size': Takes<['private_key', 'passphrase'], 'private_key'>;
  'x509.get_public_key': Takes<['key', 'passphrase', 'asObj'], 'key'>;
  'x509.verify_crl': Takes<['crl', 'cert'], 'crl' | 'cert'>;
  'x509.verify_private_key': Takes<['private_key', 'public_key', 'passphrase'], 'private_key' | 'public_key'>;
  'x509.verify_signature': Takes<
    ['certificate', 'signing_pub_key', 'signing_pub_key_passphrase'],
    'certificate'
  >;
  'xml.get_value': Takes<['file', 'element'], 'file' | 'element'>;
  'xml.set_value': Takes<['file', 'element', 'value'], 'file' | 'element' | 'value'>;
  'xml.get_attribute': Takes<['file', 'element'], 'file' | 'element'>;
  'xml.set_attribute': Takes<['file', 'element', 'key', 'value'], 'file' | 'element' | 'key' | 'value'>;
  'zfs.exists': Takes<['name'], 'name', never, 'names'>;
  'zfs.list': Takes<['name'], never, never, 'names'>;
  'zfs.list_mount': Takes<[]>;
  'zfs.diff': Takes<['name_a', 'name_b'], 'name_a', never, 'names'>;
  'zfs.holds': Takes<['snapshot'], 'snapshot', never, 'names'>;
  'zfs.get': Takes<[], never, never, 'places' | 'names'>;
  'zfs.create': Takes<['name'], 'name', never, 'names'>;
  'zfs.destroy': Takes<['name'], 'name', never, 'names'>;
  'zfs.rename': Takes<['name', 'new_name'], 'name' | 'new_name', never, 'names'>;
  'zfs.mount': Takes<['name'], never, never, 'names'>;
  'zfs.unmount': Takes<['name'], 'name', never, 'names'>;
  'zfs.inherit': Takes<['prop', 'name'], 'prop' | 'name', never, 'names'>;
  'zfs.rollback': Takes<['name'], 'name', never, 'names'>;
  'zfs.clone': Takes<['name_a', 'name_b'], 'name_a' | 'name_b', never, 'names'>;
  'zfs.promote': Takes<['name'], 'name'>;
  'zfs.bookmark': Takes<['snapshot', 'bookmark'], 'snapshot' | 'bookmark'>;
  'zfs.hold': Takes<['tag'], 'tag', never, 'places' | 'names'>;
  'zfs.release': Takes<['tag'], 'tag', never, 'places' | 'names'>;
  'zfs.snapshot': Takes<[], never, never, 'places' | 'names'>;
  'zfs.set': Takes<[], never, never, 'places' | 'names'>;
  'zpool.healthy': Takes<[]>;
  'zpool.status': Takes<['zpool']>;
  'zpool.iostat': Takes<['zpool', 'sample_time', 'parsable']>;
  'zpool.list': Takes<['properties', 'zpool', 'parsable']>;
  'zpool.get': Takes<['zpool', 'prop', 'show_source', 'parsable'], 'zpool'>;
  'zpool.exists': Takes<['zpool'], 'zpool'>;
  'zpool.history': Takes<['zpool', 'internal', 'verbose']>;
  'zpool.set': Takes<['zpool', 'prop', 'value'], 'zpool' | 'prop' | 'value'>;
  'zpool.destroy': Takes<['zpool', 'force'], 'zpool'>;
  'zpool.scrub': Takes<['zpool', 'stop', 'pause'], 'zpool'>;
  'zpool.split': Takes<['zpool', 'newzpool'], 'zpool' | 'newzpool', never, 'names'>;
  'zpool.export': Takes<[], never, never, 'places' | 'names'>;
  'zpool.import': Takes<['zpool', 'new_name'], never, never, 'names'>;
  'zpool.clear': Takes<['zpool', 'device'], 'zpool'>;
  'zpool.reguid': Takes<['zpool'], 'zpool'>;
  'zpool.reopen': Takes<['zpool'], 'zpool'>;
  'zpool.upgrade': Takes<['zpool', 'version']>;
  'zpool.create': Takes<['zpool'], 'zpool', never, 'places' | 'names'>;
  'zpool.add': Takes<['zpool'], 'zpool', never, 'places' | 'names'>;
  'zpool.attach': Takes<['zpool', 'device', 'new_device', 'force'], 'zpool' | 'device' | 'new_device'>;
  'zpool.detach': Takes<['zpool', 'device'], 'zpool' | 'device'>;
  'zpool.replace': Takes<['zpool', 'old_device', 'new_device', 'force'], 'zpool' | 'old_device'>;
  'zpool.create_file_vdev': Takes<['size'], 'size', never, 'places'>;
  'zpool.online': Takes<['zpool'], 'zpool', never, 'places' | 'names'>;
  'zpool.offline': Takes<['zpool'], 'zpool', never, 'places' | 'names'>;
  'zpool.labelclear': Takes<['device', 'force'], 'device'>;
}
