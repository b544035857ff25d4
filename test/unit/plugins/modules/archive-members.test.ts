/** What `archive.*` and `archive.extracted` refuse to unpack, before anything is touched. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { forgeTar, forgeZip, type ForgedMember } from '../../../support/archives.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { callState } from '../../../support/state-context.ts';

/** What leads out, each with what is said of it. */
const HOSTILE: ReadonlyMap<string, readonly [members: readonly ForgedMember[], said: RegExp]> = new Map([
  ['an absolute name', [[{ name: '/ABS/victim' }], /its member '\/ABS\/victim' has an absolute name/]],
  [
    'a name that goes up',
    [[{ name: '../victim', content: 'x' }], /its member '\.\.\/victim' has '\.\.' in its name/],
  ],
  ['the folder above', [[{ name: '../' }], /its member '\.\.\/?' has '\.\.' in its name/]],
  ['a name that goes up in its midst', [[{ name: 'a/../../victim' }], /has '\.\.' in its name/]],
  ['an absolute link', [[{ name: 'l', link: '/etc' }], /'l' is a link to '\/etc', which is outside/]],
  [
    'a link that goes up',
    [[{ name: 'a/' }, { name: 'a/l', link: '../../x' }], /is a link to '\.\.\/\.\.\/x', which is outside/],
  ],
  [
    'a link through another',
    [
      [
        { name: 'a/b/up', link: '../..' },
        { name: 'l', link: 'a/b/up/../x' },
      ],
      /'l' is a link to 'a\/b\/up\/\.\.\/x', which is outside/,
    ],
  ],
  [
    'links in a ring',
    [
      [
        { name: 'a', link: 'b' },
        { name: 'b', link: 'a' },
      ],
      /is a link to/,
    ],
  ],
  [
    'a member below a link',
    [
      [
        { name: 'l', link: 'a' },
        { name: 'l/x', content: 'x' },
      ],
      /'l\/x' would be written through the link 'l' of the archive/,
    ],
  ],
  [
    'a bomb',
    [
      [{ name: 'bomb', content: 'x'.repeat(1_000_001) }],
      /would unpack to 1000001 bytes, more than 1000000 \(the minion's option archive_unpacked_bytes_max\)/,
    ],
  ],
  [
    'many members',
    [
      Array.from({ length: 51 }, (_, i) => ({ name: `m${i}` })),
      /it has 51 members, more than 50 \(the minion's option archive_members_max\)/,
    ],
  ],
]);
const HARD: typeof HOSTILE = new Map([
  [
    'a hard link that leads out',
    [[{ name: 'h', hardlink: '../victim' }], /'h' is a hard link to '\.\.\/victim', which is not a member/],
  ],
  [
    'another name in a pax header',
    [[{ name: 'fine', otherName: '../victim' }], /its member '\.\.\/victim' has '\.\.' in its name/],
  ],
  ['an absolute hard link', [[{ name: 'h', hardlink: '/etc/passwd' }], /'h' is a hard link to/]],
]);
const ZIP_ONLY: typeof HOSTILE = new Map([
  [
    'a claim of four gigabytes',
    [[{ name: 'bomb', claimedBytes: 2 ** 32 - 2 }], /would unpack to 4294967294 bytes/],
  ],
  [
    'another name in the Unicode field',
    [[{ name: 'fine', otherName: '../victim' }], /its member '\.\.\/victim' has '\.\.' in its name/],
  ],
  [
    'a member below a link of the Unicode field',
    [
      [
        { name: 'fine', otherName: 'l', link: 'a' },
        { name: 'l/x', content: 'x' },
      ],
      /'l\/x' would be written through the link 'l' of the archive/,
    ],
  ],
  ['a NUL', [[{ name: 'x\0../../y' }], /has a NUL in its name/]],
]);
const OPTS = dict({
  id: 'minion',
  hash_type: 'sha256',
  archive_members_max: 50,
  archive_unpacked_bytes_max: 1_000_000,
});

interface Place {
  readonly root: string;
  readonly target: string;
  readonly archive: (extension: string, bytes: Buffer) => string;
}

/** A folder to unpack into, with something beside it that must stay. */
function place(t: TestContext): Place {
  const root = mkdtempSync(join(tmpdir(), 'brine-archive-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const target = join(root, 'target');
  mkdirSync(target);
  mkdirSync(join(root, 'victim'));
  writeFileSync(join(root, 'victim', 'kept'), 'kept');
  return {
    root,
    target,
    archive: (extension, bytes) => {
      const path = join(root, `hostile.${extension}`);
      writeFileSync(path, bytes);
      return path;
    },
  };
}

const untouched = ({ root, target }: Place): void => {
  assert.equal(readFileSync(join(root, 'victim', 'kept'), 'utf8'), 'kept');
  assert.deepEqual(readdirSync(target), []);
};

const context = (extra: DictInit = {}) =>
  fakeContext({ opts: new Map([...OPTS, ...dict(extra)]), clock: systemClock });

/** The ways to unpack, by the kind of archive. */
const WAYS: readonly (readonly [
  fun: string,
  extension: string,
  args: (path: string, target: string) => string[],
  kwargs: (target: string) => Dict,
])[] = [
  ['archive.unzip', 'zip', (path, target) => [path, target], () => new Map()],
  ['archive.cmd_unzip', 'zip', (path, target) => [path, target], () => new Map()],
  ['archive.tar', 'tar', (path) => ['xf', path], (target) => dict({ dest: target })],
  ['archive.tar', 'tar', (path) => ['--extract -P -f', path], (target) => dict({ dest: target })],
  ['archive.tar', 'tar', (path) => ['xPf', path], (target) => dict({ cwd: target })],
];

test('archive - what would lead out of its folder is refused by everything that unpacks', async (t) => {
  for (const [fun, extension, args, kwargs] of WAYS) {
    const cases = [...HOSTILE, ...(extension === 'tar' ? HARD : ZIP_ONLY)];
    for (const [what, [members, said]] of cases) {
      const spot = place(t);
      const bytes = extension === 'tar' ? forgeTar(members) : forgeZip(members);
      const call = context().functions.call(
        fun,
        args(spot.archive(extension, bytes), spot.target),
        kwargs(spot.target),
      );
      await assert.rejects(call, said, `${fun}: ${what}`);
      untouched(spot);
    }
  }
});

test('archive - extracted refuses it, whatever it was told to remove', async (t) => {
  const victims: readonly ForgedMember[] = [{ name: '../victim/', content: '' }, { name: 'top/' }];
  const cases = new Map([...HOSTILE, ['a folder beside', [victims, /has '\.\.' in its name/]] as const]);
  for (const extension of ['tar', 'zip']) {
    for (const [what, [members, said]] of [...cases, ...(extension === 'tar' ? HARD : ZIP_ONLY)]) {
      for (const more of [
        { force: true },
        { clean: true },
        { overwrite: true, test: true },
        { user: 'nobody' },
      ]) {
        const spot = place(t);
        const source = spot.archive(extension, extension === 'tar' ? forgeTar(members) : forgeZip(members));
        const { test: isTest = false, ...words } = more as { test?: boolean } & Record<
          string,
          string | boolean
        >;
        const kwargs = dict({ name: spot.target, source, enforce_toplevel: false, ...words });
        const result = await callState('archive.extracted', kwargs, {
          opts: OPTS,
          test: isTest,
          clock: systemClock,
        });
        assert.equal(result.get('result'), false, `${extension}: ${what}`);
        assert.match(String(result.get('comment')), said, `${extension}: ${what}`);
        untouched(spot);
      }
    }
  }
});

test('archive - device nodes are members as others are, and lead nowhere by their names', async (t) => {
  const spot = place(t);
  const device = [1, 3] as const;
  const listed = await context().functions.call('archive.list', [
    spot.archive('tar', forgeTar([{ name: 'null', device }])),
  ]);
  assert.deepEqual(listed, ['null']);
  const hostile = spot.archive('tar', forgeTar([{ name: '../null', device }]));
  await assert.rejects(
    context().functions.call('archive.tar', ['xf', hostile], dict({ dest: spot.target })),
    /'\.\.\/null' has '\.\.' in its name/,
  );
  untouched(spot);
});

test('archive - setuid bits and device nodes become what tar makes of them for this account, as in Salt', async (t) => {
  const isRoot = process.getuid?.() === 0;
  const bytes = forgeTar([{ name: 'tool', content: 'x', isSetuid: true }]);
  const modeOf = (path: string): number => statSync(path).mode & 0o7777;
  const direct = place(t);
  await context().functions.call(
    'archive.tar',
    ['xf', direct.archive('tar', bytes)],
    dict({ dest: direct.target }),
  );
  const state = place(t);
  const kwargs = dict({ name: state.target, source: state.archive('tar', bytes), enforce_toplevel: false });
  const result = await callState('archive.extracted', kwargs, {
    opts: OPTS,
    test: false,
    clock: systemClock,
  });
  assert.equal(result.get('result'), true);
  for (const { target } of [direct, state])
    assert.equal(modeOf(join(target, 'tool')) & 0o4000, isRoot ? 0o4000 : 0);
  const spot = place(t);
  const device = spot.archive('tar', forgeTar([{ name: 'null', device: [1, 3] }]));
  const said = await context()
    .functions.call('archive.tar', ['xf', device], dict({ dest: spot.target }))
    .then(String, String);
  const node = lstatSync(join(spot.target, 'null'), { throwIfNoEntry: false });
  // who may make no nodes is told so
  assert.ok(node?.isBlockDevice() ?? /mknod/.test(said), said);
});

test('archive - options that give members other names are looked at with those', async (t) => {
  const spot = place(t);
  const path = spot.archive('tar', forgeTar([{ name: 'a/' }, { name: 'a/l', link: '../x' }]));
  const call = (options: string) =>
    context().functions.call('archive.tar', [options, path], dict({ dest: spot.target }));
  await assert.rejects(call('xf --strip-components=1'), /unpacked|looked at/);
  await assert.rejects(call('--strip-components=1 -xf'), /'l' is a link to '\.\.\/x', which is outside/);
  untouched(spot);
});

test('archive - links that stand in the folder lead nothing out of it', async (t) => {
  for (const [fun, extension, args, kwargs] of WAYS) {
    const spot = place(t);
    const members = [{ name: 'logs/x', content: 'new' }];
    const path = spot.archive(extension, extension === 'tar' ? forgeTar(members) : forgeZip(members));
    symlinkSync(join(spot.root, 'victim'), join(spot.target, 'logs'));
    const call = context().functions.call(fun, args(path, spot.target), kwargs(spot.target));
    await assert.rejects(
      call,
      /'logs\/x' would be written to .*victim, outside of .*, through the link 'logs' that stands/,
      fun,
    );
    assert.deepEqual(readdirSync(join(spot.root, 'victim')), ['kept']);
  }
});

test('archive - an archive may have links to its own members, and with an option to other places', async (t) => {
  for (const [fun, extension, args, kwargs] of WAYS) {
    const spot = place(t);
    const inner: ForgedMember[] = [
      { name: 'top/' },
      { name: 'top/a', content: 'a' },
      { name: 'top/l', link: 'a' },
    ];
    const outer = [...inner, { name: 'top/o', link: '/etc/ssl' }];
    for (const [members, opts] of [
      [inner, {}],
      [outer, { archive_links_outside: true }],
    ] as const) {
      const path = spot.archive(extension, extension === 'tar' ? forgeTar(members) : forgeZip(members));
      await context(opts).functions.call(fun, args(path, spot.target), kwargs(spot.target));
      assert.ok(readdirSync(join(spot.target, 'top')).includes(members === outer ? 'o' : 'l'), fun);
      rmSync(join(spot.target, 'top'), { recursive: true });
    }
  }
});

test('archive - unrar is asked first what it would unpack', async (t) => {
  const spot = place(t);
  const listing = [
    '',
    'Archive: hostile.rar',
    '',
    '        Name: ../victim/kept',
    '        Type: File',
    '        Size: 4',
    '',
  ];
  writeFileSync(
    join(spot.root, 'unrar'),
    `#!/bin/sh\ncase $1 in lt) cat <<'X'\n${listing.join('\n')}\nX\n;; *) touch '${spot.target}/unpacked';; esac\n`,
  );
  chmodSync(join(spot.root, 'unrar'), 0o755);
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${spot.root}:${path}`;
  t.after(() => (process.env['PATH'] = path));
  const call = context().functions.call('archive.unrar', [spot.archive('rar', Buffer.alloc(0)), spot.target]);
  await assert.rejects(call, /its member '\.\.\/victim\/kept' has '\.\.' in its name/);
  untouched(spot);
});
