import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { masterOptions } from '../../../src/config/master-options.ts';
import { minionOptions } from '../../../src/config/minion-options.ts';
import { Options, fitsKind, pathOptions, type OptionTable } from '../../../src/config/option.ts';
import { acceptedTypes } from '../../../src/config/type-check.ts';
import type { Value } from '../../../src/python/values/value.ts';

interface Recorded {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly string[];
}
const fixture = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/config/defaults.json');
const recorded = JSON.parse(readFileSync(fixture, 'utf8')) as {
  readonly master: Recorded;
  readonly minion: Recorded;
  readonly types: Readonly<Record<string, readonly string[]>>;
};
const tables: readonly (readonly ['master' | 'minion', OptionTable])[] = [
  ['master', masterOptions],
  ['minion', minionOptions],
];

/** Why options of Salt are not in the tables; what a file says about them is kept all the same. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/^(?:hgfs|svnfs|s3fs|azurefs)_/, 'backends that are not supported'],
  [/^winrepo_/, 'Windows packages are not supported'],
  [
    /^(?:ssh_|thin_extra_mods|min_extra_mods|regen_thin|enable_ssh_minions|detect_remote|remote_minions)/,
    'no SSH minions',
  ],
  [/^thorium/, 'no thorium'],
  [/^pass_/, 'no pass renderer'],
  [/^django_/, 'no django authentication'],
  [/^(?:cache_sreqs|dummy_pub|search)$/, 'has no effect in Salt either'],
];

/** Options whose default is another on purpose (docs/differences.md). */
const CHANGED: ReadonlyMap<string, unknown> = new Map([
  // Salt's minions run publications that only the shared key seals, which every minion has
  ['minion sign_pub_messages', true],
  // Salt 3007's; with 3006's an encrypted text becomes the password
  ['master gpg_decrypt_must_succeed', true],
  ['minion gpg_decrypt_must_succeed', true],
]);

function plain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [String(key as string), plain(item)]));
  return value;
}

for (const [role, table] of tables) {
  test(`config defaults - the ${role}'s are those of real Salt, but for the ones that are named`, () => {
    for (const [key, expected] of Object.entries(recorded[role].defaults)) {
      const spec = table[key];
      assert.ok(spec, key);
      const name = `${role} ${key}`;
      assert.deepEqual(plain(spec.default), CHANGED.has(name) ? CHANGED.get(name) : expected, key);
      if (CHANGED.has(name)) assert.notDeepEqual(CHANGED.get(name), expected, `${name} is Salt's again`);
    }
  });

  test(`config defaults - every option of Salt that the ${role}'s table lacks is left out for a reason`, () => {
    for (const key of recorded[role].leftOut) {
      const known = Object.hasOwn(table, key) || LEFT_OUT.some(([pattern]) => pattern.test(key));
      assert.ok(known, `${role}: ${key}`);
    }
  });

  test(`config defaults - each of the ${role}'s is of its kind and explained`, () => {
    for (const [key, spec] of Object.entries(table)) {
      assert.ok(fitsKind(spec.kind, spec.default), key);
      assert.ok(spec.doc.length > 8, key);
    }
  });
}

test('config defaults - the types an option takes are those of real Salt', () => {
  for (const [, table] of tables) {
    for (const [key, spec] of Object.entries(table)) {
      const expected = recorded.types[key];
      if (expected && key !== 'reactor') assert.deepEqual(acceptedTypes(spec), expected, key);
    }
  }
});

test('config defaults - options are typed by their table', () => {
  const options = new Options(masterOptions, new Map());
  const port: number = options.get('ret_port');
  const include: string = options.get('default_include');
  assert.equal(port, 4506);
  assert.equal(include, 'master.d/*.conf');
  assert.equal(options.get('minimum_auth_version'), 3);
});

/** Options that hold a place which `root_dir` does not move, in Salt neither. */
const PLACES_OF_THEIR_OWN = new Set([
  ...['root_dir', 'conf_file', 'gpg_keydir', 'token_file', 'otlp_ca_file', 'pass_dir', 'pass_gnupghome'],
  ...['log_dir', 'syndic_sock_dir'],
]);

test('config defaults - each file and folder of a program says who puts it below root_dir', () => {
  const paths = (table: OptionTable): string[] => pathOptions(table, 'every program').sort();
  const shared = [
    'cachedir',
    'extension_modules',
    'key_logfile',
    'log_file',
    'pidfile',
    'pki_dir',
    'sock_dir',
  ];
  const masters = [
    'autoreject_file',
    'autosign_file',
    'autosign_grains_dir',
    'sqlite_queue_dir',
    'ssh_log_file',
  ];
  assert.deepEqual(paths(minionOptions), shared);
  assert.deepEqual(paths(masterOptions), [...shared, ...masters, 'syndic_dir', 'token_dir'].sort());
  for (const [, table] of tables) {
    for (const [key, { kind, doc, pathOf }] of Object.entries(table)) {
      const isPath = kind.startsWith('str') && /^(?:folder of |file (?:that|of)|log file|path of)/.test(doc);
      if (isPath && !/^(?:hg|svn|git)fs_/.test(key) && !PLACES_OF_THEIR_OWN.has(key))
        assert.ok(pathOf, `${key}: ${doc}`);
    }
  }
});
