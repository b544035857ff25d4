/** Several questions to the file server in one request. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { asBytes } from '../../../../src/formats/wire/msgpack.ts';
import { isDict, type Value } from '../../../../src/python/values/value.ts';
import { QUESTIONS_MAX, SEVERAL_FILES } from '../../../../src/storage/fileserver/several.ts';
import { makeTree } from './tree.ts';

const about = (cmd: string, path: string, more: Record<string, Value> = {}): Value =>
  new Map<Value, Value>([['cmd', cmd], ['path', path], ['saltenv', 'base'], ...Object.entries(more)]);

test('file server - several questions get the answers that each would get by itself', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/x': 'hello', 'base/y': 'there' });
  // so that the system does not write when it is read, which is part of what is told of a file
  utimesSync(join(tree.folder, 'base', 'y'), 2_000_000_000, 1_000_000_000);
  const server = tree.server();
  const questions = [
    about('_file_hash', 'x'),
    about('_file_hash_and_stat', 'y'),
    about('_file_hash', 'none'),
  ];
  const answers = await tree.ask(server, SEVERAL_FILES, { questions });
  const load = (path: string): Record<string, Value> => ({ path, saltenv: 'base' });
  assert.deepEqual(answers, [
    [await tree.ask(server, '_file_hash', load('x'))],
    [await tree.ask(server, '_file_hash_and_stat', load('y'))],
    [''],
  ]);
});

test('file server - what may not be asked together is not answered, nor more than there is room for', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/big': 'x'.repeat(800_000), 'base/x': '1' });
  const server = tree.server({ file_buffer_size: 2_000_000 });
  const odd = [about('_file_list', ''), about(SEVERAL_FILES, ''), 'x', new Map()];
  assert.deepEqual(await tree.ask(server, SEVERAL_FILES, { questions: odd }), [[], [], [], []]);
  assert.deepEqual(await tree.ask(server, SEVERAL_FILES, { questions: 'x' }), []);
  const big = about('_serve_file', 'big', { loc: 0 });
  const answers = await tree.ask(server, SEVERAL_FILES, { questions: [big, big, big] });
  assert.ok(Array.isArray(answers));
  const sizes = answers.map((answer) => {
    const reply = Array.isArray(answer) ? answer[0] : undefined;
    return reply !== undefined && isDict(reply) ? asBytes(reply.get('data'))?.length : undefined;
  });
  assert.deepEqual(sizes, [800_000, 800_000, undefined]);
  const many = Array.from({ length: QUESTIONS_MAX + 1 }, () => about('_file_hash', 'x'));
  const all = await tree.ask(server, SEVERAL_FILES, { questions: many });
  assert.equal(Array.isArray(all) ? all.length : NaN, QUESTIONS_MAX);
});
