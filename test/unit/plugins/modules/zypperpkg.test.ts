/**
 * `pkg` with zypper: what the true zypper and rpm say is told as Salt 3006.16 tells it, and what is read from files.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, isDict, type Dict } from '../../../../src/python/values/value.ts';
import { answerOf } from '../../../support/call-answers.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { packageHost, testRecordedPackages, type PackageHost } from '../../../support/recorded-packages.ts';

const GRAINS = {
  ...{ os: 'SUSE', os_family: 'Suse', osrelease: '15.5', osrelease_info: [15, 5], osmajorrelease: 15 },
  ...{ osarch: 'x86_64', kernel: 'Linux' },
};
/**
 * What these groups look at lies in files of the system, not in what programs say; and `1:1.0` is no number of minutes
 * here.
 */
const OF_FILES =
  /version_cmp '1:1\.0' '2\.0' ignore_epoch|list_locks|list_holds|list_repos|get_repo|hold|clean_locks|repo |info_installed|\.diff/;

const hostOf = (t: TestContext): PackageHost => packageHost(t, GRAINS);

testRecordedPackages('zypper', {
  table: 'zypperpkg',
  programs: ['zypper', 'rpm'],
  recorded: 'zypper-programs.json',
  host: hostOf,
  skips: OF_FILES,
});

/** Another system's folder, and a zypper that notes its words. */
function elsewhere(t: TestContext): {
  ask(...words: string[]): Promise<unknown>;
  calls(): string[];
  readonly root: string;
} {
  const { folder, ctx } = hostOf(t);
  const root = join(folder, 'root');
  mkdirSync(join(root, 'etc/zypp/repos.d'), { recursive: true });
  writeFileSync(
    join(folder, 'zypper'),
    `#!/bin/sh
echo "$*" >> "${folder}/calls"
case "$*" in
  *" ar "*) printf '[new]\\nenabled=1\\nautorefresh=0\\nbaseurl=file:/srv/new\\n' > "${root}/etc/zypp/repos.d/new.repo" ;;
  *" rr "*) rm -f "${root}/etc/zypp/repos.d/new.repo"; printf '<stream><progress/><message type="info">Repository gone.</message></stream>'; exit 0 ;;
  *" cl"*) printf '<stream><message type="info">Removed 2 locks.</message></stream>'; exit 0 ;;
esac
case "$*" in *--xmlout*) echo '<stream/>' ;; esac
`,
  );
  chmodSync(join(folder, 'zypper'), 0o755);
  return {
    root,
    ask: async (fun, ...words) => {
      const answer = await answerOf(fun ?? '', ctx, [...words, `root=${root}`]);
      return 'error' in answer ? answer.error : answer.value;
    },
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n'),
  };
}

test('pkg with zypper - repositories of another root', async (t) => {
  const { ask, calls, root } = elsewhere(t);
  const file = join(root, 'etc/zypp/repos.d/a.repo');
  writeFileSync(
    file,
    '[a]\nname=A\nenabled=0\nbaseurl=file:///srv/a\npath=NONE\n[b]\nbaseurl=http://b.example/\n',
  );
  const a = { name: 'A', enabled: false, baseurl: 'file:///srv/a', path: null, alias: 'a' };
  assert.deepEqual(await ask('pkg.list_repos'), dict({ a, b: { baseurl: 'http://b.example/', alias: 'b' } }));
  assert.deepEqual(await ask('pkg.get_repo', 'a'), dict(a));
  assert.equal(
    await ask('pkg.mod_repo', 'new', 'baseurl=file:/srv/a'),
    "Repository 'new' already exists as 'a'.",
  );
  assert.equal(
    await ask('pkg.mod_repo', 'new', 'url=http://b.example'),
    "Repository 'new' already exists as 'b'.",
  );
  assert.match(String(await ask('pkg.mod_repo', 'new')), /neither 'baseurl' nor 'mirrorlist' was specified$/);
  const made = await ask(
    'pkg.mod_repo',
    'new',
    'baseurl=file:/srv/new',
    'refresh=True',
    'priority=7',
    'gpgautoimport=True',
  );
  assert.ok(isDict(made as Dict));
  assert.deepEqual(
    calls().map((line) => line.replaceAll(root, 'ROOT')),
    [
      '--non-interactive --xmlout --no-refresh --root ROOT ar file:/srv/new new',
      '--non-interactive --xmlout --root ROOT --gpg-auto-import-keys mr --refresh --priority=7 new',
      '--non-interactive --xmlout --no-refresh --root ROOT --gpg-auto-import-keys refresh new',
    ],
  );
  assert.deepEqual(await ask('pkg.del_repo', 'new'), dict({ new: true, message: 'Repository gone.' }));
  assert.equal(await ask('pkg.del_repo', 'new'), "Repository 'new' not found.");
});

test('pkg with zypper - locks of another root', async (t) => {
  const { ask, calls, root } = elsewhere(t);
  assert.deepEqual(await ask('pkg.clean_locks'), dict({ removed: 0 }));
  writeFileSync(
    join(root, 'etc/zypp/locks'),
    '\ntype: package\ncase_sensitive: on\nsolvable_name: alpha\n\ntype: package\nsolvable_name: beta\nversion: == 1\n',
  );
  assert.deepEqual(
    await ask('pkg.list_locks'),
    dict({ alpha: { type: 'package', case_sensitive: 'on' }, beta: { type: 'package', version: '== 1' } }),
  );
  const comments = async (fun: string, what: string): Promise<unknown[]> =>
    [...((await ask(fun, what)) as Dict).values()].map((one) => (one as Dict).get('comment'));
  assert.deepEqual(await comments('pkg.hold', 'pkgs=[alpha, {gamma: 2}]'), [
    'Package alpha is already set to be held.',
    'Package gamma is now being held.',
  ]);
  assert.deepEqual(await comments('pkg.unhold', 'pkgs=[{alpha: 9}, {beta: 1}, none]'), [
    'Unable to unhold package alpha as it is held with the other version.',
    'Package beta is no longer held.',
    'Package none was already unheld.',
  ]);
  assert.deepEqual(
    calls().map((line) => line.split(' ').slice(-2).join(' ')),
    ['al gamma=2', 'rl beta=1'],
  );
  assert.deepEqual(await ask('pkg.clean_locks'), dict({ removed: '2' }));
});

test('pkg with zypper - words that it would take for options are refused, and a lock is waited for', async (t) => {
  const { folder, ctx } = hostOf(t);
  writeFileSync(
    join(folder, 'zypper'),
    `#!/bin/sh\n[ -e "${folder}/free" ] || { touch "${folder}/free"; exit 7; }\necho "Building repository 'tiny' cache [done]"\n`,
  );
  chmodSync(join(folder, 'zypper'), 0o755);
  const quick = { ...systemClock, sleep: () => Promise.resolve() };
  const waiting = fakeContext({ opts: ctx.opts, grains: ctx.grains, clock: quick, random: systemRandom });
  assert.deepEqual(await answerOf('pkg.refresh_db', waiting, []), { value: dict({ tiny: true }) });
  assert.deepEqual(
    waiting.events.map(([bus, tag]) => [bus, tag]),
    [
      ['master', 'zypper/blocked'],
      ['master', 'zypper/released'],
    ],
  );
  const refused = await answerOf('pkg.install', ctx, ['--root=/x']);
  assert.match('error' in refused ? refused.error : '', /cannot begin with '-'/);
});
