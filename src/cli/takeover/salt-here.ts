/** The Salt on this machine, and what it keeps: keys, jobs, files of parts that Brine does not have. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../../config/option.ts';
import { globPaths } from '../../config/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Remark } from './remark.ts';

/** Where packages of Salt, of its own and of distributions, lay their Python. */
const INSTALLED = [
  '/opt/saltstack/salt/lib/python3*/site-packages/salt/_version.txt',
  '/opt/saltstack/salt/lib/python3*/site-packages/salt/version.py',
  '/usr/lib/python3/dist-packages/salt/version.py',
  '/usr/lib/python3*/site-packages/salt/_version.txt',
  '/usr/local/lib/python3*/*-packages/salt/_version.txt',
];
/** Files of parts that Brine does not have. */
const NOT_SERVED: readonly (readonly [glob: string, why: string])[] = [
  ['cloud.providers.d/*.conf', 'there is no salt-cloud; its providers are not read'],
  ['cloud.profiles.d/*.conf', 'there is no salt-cloud; its profiles are not read'],
  ['proxy.d/*.conf', 'there are no proxy minions; keep Salt for them, which works beside Brine'],
  ['roster', 'there is no salt-ssh; keep Salt for it, which works beside Brine'],
];

/** Names the Salts that are installed. */
export function lookAtSalt(): Remark[] {
  const versions = INSTALLED.flatMap((glob) => globPaths(glob)).map((path) => ({
    path,
    version: versionIn(path),
  }));
  const [first] = versions;
  if (first === undefined)
    return [
      { subject: 'salt', verdict: 'served', message: 'No Salt is installed in one of its usual places.' },
    ];
  const { path, version } = first;
  return [{ subject: 'salt', verdict: 'served', message: `Salt${version} is installed.`, path }];
}

function versionIn(path: string): string {
  const version = path.endsWith('.txt') ? /\d{4}\.\d+/.exec(readFileSync(path, 'utf8'))?.[0] : undefined;
  return version === undefined ? '' : ` ${version}`;
}

/** Folders of `pki_dir` with one file for each minion. */
const KEYS: readonly (readonly [folder: string, title: string])[] = [
  ['minions', 'accepted'],
  ['minions_pre', 'not accepted yet'],
  ['minions_rejected', 'rejected'],
  ['minions_denied', 'denied'],
];

/** What a master or a minion keeps. */
export function lookAtData(role: 'master' | 'minion', configDir: string, options: Options): Remark[] {
  const subject = 'data';
  const pki = pyStr(options.raw('pki_dir') ?? '');
  const remarks: Remark[] = [];
  if (role === 'master') {
    const counts = KEYS.map(([folder, title]) => `${countIn(join(pki, folder))} ${title}`).join(', ');
    const hasKey = existsSync(join(pki, 'master.pem'));
    remarks.push({
      subject,
      verdict: 'served',
      message: `Keys of minions: ${counts}. ${hasKey ? "The master's own key is kept, so that minions go on trusting it." : 'The master has no key of its own yet.'}`,
      path: pki,
    });
    const jobs = join(pyStr(options.raw('cachedir') ?? ''), 'jobs');
    if (existsSync(jobs))
      remarks.push({
        subject,
        verdict: 'served',
        message: 'Jobs of before stay readable with salt-run jobs.',
        path: jobs,
      });
  } else if (existsSync(join(pki, 'minion.pem')))
    remarks.push({
      subject,
      verdict: 'served',
      message: "The minion's key is kept, so that its master goes on trusting it.",
      path: pki,
    });
  for (const [glob, why] of NOT_SERVED)
    for (const path of globPaths(join(configDir, glob)))
      if (hasContent(path))
        remarks.push({ subject, verdict: 'missing', message: `Not used: ${why}.`, path, line: 1 });
  return remarks;
}

function countIn(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.')).length;
  } catch {
    return 0;
  }
}

/** Whether a file says something; packages bring some that are all comment. */
function hasContent(path: string): boolean {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .some((line) => /^\s*[^#\s]/.test(line));
  } catch {
    return false;
  }
}
