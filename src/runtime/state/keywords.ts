/**
 * The keywords of a state declaration that are for the state system and not for the state function (salt/state.py,
 * 3006.16).
 */

/** Requisites. */
export const REQUISITES: readonly string[] = [
  ...[
    'onchanges',
    'onchanges_any',
    'onfail',
    'onfail_any',
    'onfail_all',
    'onfail_stop',
    'prereq',
    'prerequired',
  ],
  ...['watch', 'watch_any', 'require', 'require_any', 'listen'],
];

/** Requisites that are written at the other end. */
export const REQUISITES_IN: readonly string[] = [
  ...['onchanges_in', 'onfail_in', 'prereq_in', 'watch_in', 'require_in', 'listen_in'],
];

const RUN_TIME: readonly string[] = [
  ...[
    'fun',
    'state',
    'check_cmd',
    'cmd_opts_exclude',
    'failhard',
    'onlyif',
    'unless',
    'creates',
    'retry',
    'order',
  ],
  ...[
    'parallel',
    'prereq',
    'prereq_in',
    'prerequired',
    'reload_modules',
    'reload_grains',
    'reload_pillar',
    'runas',
  ],
  ...['runas_password', 'fire_event', 'saltenv', 'umask', 'use', 'use_in', '__env__', '__sls__', '__id__'],
  ...['__orchestration_jid__', '__pub_user', '__pub_arg', '__pub_jid', '__pub_fun', '__pub_tgt', '__pub_ret'],
  ...['__pub_pid', '__pub_tgt_type', '__prereq__', '__prerequired__', '__umask__'],
];

/** All of them: a state function that names none of these as a parameter does not get them. */
export const INTERNAL_KEYWORDS: ReadonlySet<string> = new Set([...REQUISITES, ...REQUISITES_IN, ...RUN_TIME]);
