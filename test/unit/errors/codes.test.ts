import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderErrorReference } from '../../../src/cli/documents/error-reference.ts';
import { tellError, tellFailure, wantsCodes } from '../../../src/cli/terminal/failure-line.ts';
import { ERROR_GROUPS } from '../../../src/errors/codes.ts';
import { BrineError, codeOf, ConfigError, UnreachableError } from '../../../src/errors/errors.ts';
import { NoMinionsError } from '../../../src/runtime/client/errors.ts';
import { outcomeDict } from '../../../src/storage/jobs/ledger.ts';

const SRC = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'src');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== join('errors', 'codes.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));
const codes = Object.values(ERROR_GROUPS).flatMap((group) => Object.keys(group));

test('error codes - each is a word of its own, is used, and stands in the reference with its cause and what to do', () => {
  assert.equal(new Set(codes).size, codes.length);
  const reference = renderErrorReference();
  for (const code of codes) {
    assert.match(code, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(
      sources.some(({ text }) => text.includes(`'${code}'`)),
      `nothing fails with ${code}`,
    );
    assert.match(reference, new RegExp(`^\\| \`${code}\`\\s+\\| [^|]{10,}\\| [^|]{10,}\\|$`, 'm'));
  }
});

test('error codes - each class of errors for people names its code', () => {
  const classes = new Map<string, { parent: string; body: string; path: string }>();
  for (const { path, text } of sources)
    for (const [, name = '', parent = '', body = ''] of text.matchAll(
      /^(?:export )?class (\w+) extends (\w+) (\{\}|\{[\s\S]*?^\})/gm,
    ))
      classes.set(name, { parent, body, path });
  const hasCode = (name: string): boolean => {
    const found = classes.get(name);
    if (found === undefined) return false;
    return /errorCode: ErrorCode = '|super\(message, \{ code:/.test(found.body) || hasCode(found.parent);
  };
  const isOurs = (name: string): boolean =>
    name === 'BrineError' || (classes.has(name) && isOurs(classes.get(name)?.parent ?? ''));
  const ours = [...classes].filter(([, { parent }]) => isOurs(parent));
  assert.ok(ours.length > 30, `only ${ours.length} classes were found`);
  assert.deepEqual(
    ours.filter(([name]) => !hasCode(name)).map(([name, { path }]) => `${path}: ${name}`),
    [],
  );
});

test('error codes - an error has that of its class, or its own; what is no error of ours is unexpected', () => {
  assert.equal(codeOf(new ConfigError('x')), 'config-invalid');
  assert.equal(codeOf(new ConfigError('x', { code: 'config-unreadable' })), 'config-unreadable');
  assert.equal(codeOf(new BrineError('x')), 'failed');
  assert.equal(codeOf(new NoMinionsError('none')), 'target-without-minions');
  assert.equal(codeOf(new NoMinionsError('none', 'at 3')), 'target-invalid');
  assert.equal(codeOf(new TypeError('x')), 'unexpected-error');
});

test('error codes - outcomes that are no success carry theirs', () => {
  const code = (kind: 'never received' | 'returned late' | 'failed'): unknown =>
    outcomeDict({ id: 'web1', kind }).get('code');
  assert.equal(code('never received'), 'minion-never-received');
  assert.equal(code('failed'), 'minion-failed');
  assert.equal(code('returned late'), undefined);
});

test('error codes - programs that ask for JSON are told the code, others nothing, and nobody a secret', () => {
  const said: string[] = [];
  const io = (tellsCodes: boolean) => ({
    stdin: process.stdin,
    stdout: { write: () => assert.fail('standard output is the returns’') },
    stderr: { write: (text: string) => said.push(text) },
    env: {},
    tellsCodes,
  });
  tellError(io(false), new UnreachableError('away'));
  assert.deepEqual(said, []);
  tellError(io(true), new UnreachableError('no answer from https://root:hunter2@db1/'));
  tellFailure(io(true), { code: 'minion-not-known', message: 'No key', minion: 'web9' });
  assert.doesNotMatch(said.join(''), /hunter2/);
  const lines = said.map((line) => JSON.parse(line) as { readonly error: Readonly<Record<string, string>> });
  assert.equal(lines[0]?.error['code'], 'not-reachable');
  assert.deepEqual(lines[1], { error: { code: 'minion-not-known', message: 'No key', minion: 'web9' } });
  assert.equal(wantsCodes(['--out', 'json', '*', 'test.ping'], {}), true);
  assert.equal(wantsCodes(['--output=json'], {}), true);
  assert.equal(wantsCodes(['--out=yaml'], {}), false);
  assert.equal(wantsCodes([], { BRINE_ERRORS: 'json' }), true);
});
