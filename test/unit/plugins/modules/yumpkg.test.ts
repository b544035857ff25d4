import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { parseInfos } from '../../../../src/plugins/pkg/yum/module/rpm-info.ts';
import { parseYumList } from '../../../../src/plugins/pkg/yum/module/yum.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { answerOf } from '../../../support/call-answers.ts';
import {
  callOf,
  callWords,
  comparable,
  valueFromJson,
  type CallAnswer,
  type CallGroup,
} from '../../../support/module-calls.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { writeReplay, type RecordedRun } from '../../../support/program-replay.ts';

/** What the program prints, in dnf's columns. */
const AVAILABLE = `Available Packages
bash.x86_64                     5.1.8-9.el9                 baseos
glibc.i686                      2.34-100.el9                baseos
glibc.x86_64                    2.34-100.el9                baseos
httpd.x86_64                    2.4.57-5.el9                appstream
a-package-with-quite-a-long-name-indeed.noarch
                                1:3.2.1-4.el9               appstream
`;
const RPM = `#!/bin/sh
case "$1" in
  -qa) cat "$FAKE_YUM/installed" ;;
  -q) printf 'bash 5.1.8\\npackage nosuch is not installed\\n' ;;
  -qf) case "$5" in /etc/bashrc) printf bash ;; *) echo "file $5 is not owned by any package"; exit 1 ;; esac ;;
  -ql) [ "$2" = bash ] && printf '/bin/bash\\n/etc/bashrc\\n' || { echo "package $2 is not installed"; exit 1; } ;;
esac
`;
const DNF = `#!/bin/sh
echo "$*" >> "$FAKE_YUM/calls"
case "$*" in
  *"list available"*|*showduplicates*) cat "$FAKE_YUM/available" ;;
  *"list --upgrades"*) echo "Available Upgrades"; echo "bash.x86_64  5.1.8-9.el9  baseos" ;;
  *check-update*) exit 100 ;;
  *"versionlock list"*) echo "Last metadata expiration check: 0:00:01 ago"; echo "kernel-0:5.14.0-1.el9.*" ;;
  *broken*) echo "Error: Unable to find a match: broken" >&2; exit 1 ;;
  *" install httpd"*) printf 'httpd_|-(none)_|-2.4.57_|-5.el9_|-x86_64_|-(none)_|-1700000001\\n' >> "$FAKE_YUM/installed" ;;
  *" remove httpd"*) grep -v '^httpd' "$FAKE_YUM/installed" > "$FAKE_YUM/new"; mv "$FAKE_YUM/new" "$FAKE_YUM/installed" ;;
esac
exit 0
`;

const GRAINS = {
  os: 'CentOS',
  os_family: 'RedHat',
  osrelease: '9.3',
  osmajorrelease: 9,
  osarch: 'x86_64',
  kernel: 'Linux',
};

interface Machine {
  ask(...words: string[]): Promise<unknown>;
  calls(): string[];
}

function machine(t: TestContext): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'brine-yum-'));
  const path = process.env['PATH'];
  t.after(() => {
    process.env['PATH'] = path;
    delete process.env['FAKE_YUM'];
    rmSync(folder, { recursive: true, force: true });
  });
  for (const [name, text] of Object.entries({ rpm: RPM, dnf: DNF })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  const line = (name: string, epoch: string, version: string, release: string, arch: string): string =>
    [name, epoch, version, release, arch, '(none)', '1700000000'].join('_|-');
  writeFileSync(
    join(folder, 'installed'),
    [
      line('bash', '(none)', '5.1.8', '6.el9', 'x86_64'),
      line('glibc', '0', '2.34', '100.el9', 'x86_64'),
      line('glibc', '0', '2.34', '100.el9', 'i686'),
      line('openssl', '1', '3.0.7', '27.el9', 'x86_64'),
      line('kernel', '(none)', '5.14.0', '1.el9', 'x86_64'),
      line('kernel', '(none)', '5.14.0', '2.el9', 'x86_64'),
      line('python3-dnf-plugin-versionlock', '(none)', '4.3', '1', 'noarch'),
    ].join('\n') + '\n',
  );
  writeFileSync(join(folder, 'available'), AVAILABLE);
  writeFileSync(join(folder, 'calls'), '');
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  process.env['FAKE_YUM'] = folder;
  const ctx = fakeContext({
    opts: dict({ id: 'x', cachedir: folder, grains: GRAINS }),
    grains: dict(GRAINS),
    clock: systemClock,
    random: systemRandom,
  });
  return {
    ask: async (fun, ...words) => {
      const answer = await answerOf(fun ?? '', ctx, words);
      return 'error' in answer ? answer : answer.value;
    },
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n'),
  };
}

test('pkg with dnf - installed packages, architectures, epochs and several versions', async (t) => {
  const { ask } = machine(t);
  const packages = (await ask('pkg.list_pkgs')) as Dict;
  assert.deepEqual(
    packages,
    dict({
      bash: '5.1.8-6.el9',
      glibc: '2.34-100.el9',
      'glibc.i686': '2.34-100.el9',
      openssl: '1:3.0.7-27.el9',
      kernel: '5.14.0-1.el9,5.14.0-2.el9',
      'python3-dnf-plugin-versionlock': '4.3-1',
    }),
  );
  assert.equal(await ask('pkg.version', 'bash'), '5.1.8-6.el9');
  assert.equal(await ask('pkg.normalize_name', 'zsh.x86_64'), 'zsh');
  assert.equal(await ask('pkg.normalize_name', 'zsh.i686'), 'zsh.i686');
  assert.deepEqual(await ask('pkg.parse_arch', 'java-1.8.0'), dict({ name: 'java-1.8.0', arch: null }));
  assert.equal(await ask('pkg.version_cmp', "'1:1.0'", "'2.0'"), 1);
  assert.equal(await ask('lowpkg.owner', '/etc/bashrc'), 'bash');
  assert.equal(await ask('pkg.owner', '/nothing'), '');
  assert.deepEqual(
    await ask('lowpkg.file_dict', 'bash', 'nosuch'),
    dict({
      errors: ['package nosuch is not installed'],
      packages: { bash: ['/bin/bash', '/etc/bashrc'] },
    }),
  );
});

test('pkg with dnf - columns that go on in the next line belong together', () => {
  const listed = parseYumList(AVAILABLE, 'x86_64').map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(listed, [
    'bash 5.1.8-9.el9',
    'glibc.i686 2.34-100.el9',
    'glibc 2.34-100.el9',
    'httpd 2.4.57-5.el9',
    'a-package-with-quite-a-long-name-indeed 1:3.2.1-4.el9',
  ]);
});

test('pkg with dnf - what is newer, installing, removing and holding', async (t) => {
  const { ask, calls } = machine(t);
  assert.equal(await ask('pkg.latest_version', 'bash', 'refresh=False'), '5.1.8-9.el9');
  assert.equal(await ask('pkg.latest_version', 'glibc', 'refresh=False'), '');
  assert.deepEqual(await ask('pkg.list_upgrades', 'refresh=False'), dict({ bash: '5.1.8-9.el9' }));
  assert.equal(await ask('pkg.refresh_db'), true);
  const change = (old: Value, now: Value): Dict => dict({ httpd: { old, new: now } });
  assert.deepEqual(
    await ask('pkg.install', 'httpd.x86_64', 'fromrepo=appstream'),
    change('', '2.4.57-5.el9'),
  );
  assert.equal(
    calls().at(-1),
    '-y --best --allowerasing --disablerepo=* --enablerepo=appstream install httpd',
  );
  assert.deepEqual(await ask('pkg.remove', 'httpd,nosuch'), change('2.4.57-5.el9', ''));
  assert.deepEqual(await ask('pkg.remove', 'nosuch'), dict());
  await ask('pkg.install', 'bash', "version='5.1.8-9.el9'");
  assert.ok(calls().includes('-y --best --allowerasing install bash-5.1.8-9.el9'));
  await ask('pkg.install', 'bash', "version='5.1.8-1.el9'");
  assert.ok(calls().includes('-y downgrade bash-5.1.8-1.el9'));
  const { error } = (await ask('pkg.install', 'broken')) as { error: string };
  assert.match(
    error,
    /^Error occurred installing package\(s\)\. Additional info follows:[\s\S]*Unable to find a match: broken/,
  );
  assert.match(
    ((await ask('pkg.install', '--nogpgcheck')) as { error: string }).error,
    /name of pkg\.install cannot begin with '-'/,
  );
  assert.deepEqual(await ask('pkg.list_holds', 'full=False'), ['kernel']);
  const held = (await ask('pkg.hold', 'kernel')) as Dict;
  assert.equal((held.get('kernel') as Dict).get('comment'), 'Package kernel is already set to be held.');
  const free = (await ask('pkg.unhold', 'kernel')) as Dict;
  assert.equal((free.get('kernel') as Dict).get('comment'), 'Package kernel is no longer held.');
});

type RecordedGroup = CallGroup & { readonly answers: readonly { readonly value: unknown }[] };

function recorded<T>(name: string): T {
  const folder = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules');
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
}

test('pkg with dnf - what the true rpm and dnf say is told as Salt 3006.16 tells it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-rpm-'));
  const path = process.env['PATH'];
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  writeReplay(folder, ['rpm', 'dnf', 'rpm2cpio'], recorded<RecordedRun[]>('rpm-programs.json'));
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  const ctx = fakeContext({
    opts: dict({ id: 'x', cachedir: folder, grains: GRAINS }),
    grains: dict(GRAINS),
    clock: systemClock,
    random: systemRandom,
  });
  const places = { dir: folder, cache: join(folder, 'cache') };
  const [group] =
    recorded<(CallGroup & { readonly answers: readonly { readonly value: unknown }[] })[]>(
      'calls/yumpkg.json',
    );
  for (const [i, given] of (group?.calls ?? []).entries()) {
    const call = callOf(given);
    // the package file is not kept, and `lowpkg.info` starts rpm without PATH
    if (/bin_pkg_info|\.info/.test(call.call)) continue;
    const [fun = '', ...words] = callWords(call, places);
    const answer = group?.answers[i] ?? { value: null };
    const wanted: CallAnswer =
      'error' in answer ? (answer as CallAnswer) : { value: valueFromJson(answer.value) };
    assert.equal(
      comparable(await answerOf(fun, ctx, words), call, places),
      comparable(wanted, call, places),
      call.call,
    );
  }
});

test('lowpkg with rpm - all about packages is read as Salt 3006.16 reads it', () => {
  const runs = recorded<RecordedRun[]>('rpm-programs.json');
  const [group] = recorded<RecordedGroup[]>('calls/yumpkg.json');
  const text = runs.find(
    ({ args }) => args.some((word) => word.includes('relocations')) && args.includes('beta'),
  );
  const at = group?.calls.findIndex((call) => callOf(call).call === 'lowpkg.info beta delta nosuch') ?? -1;
  const wanted = valueFromJson(group?.answers[at]?.value);
  assert.deepEqual(parseInfos(text?.stdout ?? '', { withDescription: true, allVersions: false }), wanted);
  assert.deepEqual(
    parseInfos('package x is not installed', { withDescription: true, allVersions: true }),
    dict(),
  );
});
