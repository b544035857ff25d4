/** Sources on this machine whose names look like a part of an address, of an option, or of a pattern. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { findProgram } from '../../../../src/host/which.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

const ADDRESS_LIKE = [
  'a#b',
  'a?b',
  '#',
  '?',
  'a?b#c',
  'a#b?c',
  'a?saltenv=dev',
  'a?env=dev',
  'a%20b',
  'a:b',
  'http:',
  'a@b',
];
const OTHERS = ['a b', 'a;b=c', '-a', '~a', 'a[b]', 'a*', 'a\\*', "a'b", 'a$b', 'a|b', 'é'];

/** A folder, and states over it that are foretold, done, and the second time in order. */
function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'brine-odd-local-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const opts = dict({ id: 'm', hash_type: 'sha256', cachedir: join(folder, 'cache'), file_client: 'local' });
  const settle = async (fun: string, args: Record<string, Value>): Promise<void> => {
    const results: Value[] = [];
    let last: Dict = new Map();
    for (const isTest of [true, false, false]) {
      last = await callState(fun, dict(args), { opts, random: systemRandom, test: isTest });
      results.push(last.get('result') ?? null);
    }
    assert.deepEqual(
      results,
      [null, true, true],
      `${String(args['source'])}: ${String(last.get('comment'))}`,
    );
    assert.deepEqual(last.get('changes'), dict());
  };
  const addresses = (name: string): Value[] => {
    const path = join(folder, 'sources', name);
    return [path, `file://${path}`, [`${path}.none`, `file://${path}`]];
  };
  mkdirSync(join(folder, 'sources'));
  return { folder, settle, addresses };
}

test('odd local names - file.managed takes the file that is called so', async (t) => {
  const { folder, settle, addresses } = place(t);
  for (const [i, name] of [...ADDRESS_LIKE, ...OTHERS].entries()) {
    writeFileSync(join(folder, 'sources', name), `content of ${name}`);
    for (const [j, source] of addresses(name).entries())
      for (const more of [{}, { template: 'jinja' }, { mode: 'keep' }]) {
        const target = join(folder, `${i}-${j}-${Object.keys(more).join('')}`);
        await settle('file.managed', { name: target, source, ...more });
        assert.equal(readFileSync(target, 'utf8'), `content of ${name}`);
      }
  }
});

test('odd local names - archive.extracted unpacks the archive that is called so, and no other', async (t) => {
  const { folder, settle, addresses } = place(t);
  const pack = (kind: string, text: string): void => {
    writeFileSync(join(folder, 'member'), text);
    const words = kind === 'tgz' ? ['tar', '-czf', 'm.tgz'] : ['zip', '-q', 'm.zip'];
    execFileSync(words[0] ?? '', [...words.slice(1), 'member'], { cwd: folder });
  };
  const kinds: [kind: string, more: Record<string, Value>][] = [['tgz', {}]];
  if (findProgram('zip') !== undefined) {
    kinds.push(['zip', {}]);
    if (findProgram('unzip') !== undefined) kinds.push(['zip', { use_cmd_unzip: true }]);
  }
  for (const [at, [kind, more]] of kinds.entries())
    for (const [i, name] of [...ADDRESS_LIKE, ...OTHERS].entries()) {
      rmSync(join(folder, `m.${kind}`), { force: true });
      pack(kind, `member of ${name}`);
      copyFileSync(join(folder, `m.${kind}`), join(folder, 'sources', `${name}.${kind}`));
      for (const [j, source] of addresses(`${name}.${kind}`).slice(at).entries()) {
        const target = join(folder, `${at}-${i}-${j}`);
        await settle('archive.extracted', { name: target, source, enforce_toplevel: false, ...more });
        assert.equal(readFileSync(join(target, 'member'), 'utf8'), `member of ${name}`);
      }
    }
});
