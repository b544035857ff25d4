/** Chunks by what requisites call them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { ChunkIndex } from '../../../../src/runtime/state/chunk-index.ts';
import { namedBy } from '../../../../src/runtime/state/requisites.ts';

const chunk = (state: string, id: string, name: string): Dict => dict({ state, __id__: id, name });

test('chunks are found by name and by id, in their order, those of other kinds left out', () => {
  const chunks = [
    chunk('file', 'a', 'x'),
    chunk('pkg', 'b', 'x'),
    chunk('file', 'x', 'x'),
    chunk('file', 'c', 'y'),
  ];
  const index = new ChunkIndex();
  assert.deepEqual(namedBy({ key: 'file', value: 'x' }, chunks, index), [chunks[0], chunks[2]]);
  assert.deepEqual(namedBy({ key: 'id', value: 'x' }, chunks, index), [chunks[0], chunks[1], chunks[2]]);
  assert.deepEqual(namedBy({ key: 'file', value: '[xy]' }, chunks, index), [chunks[0], chunks[2], chunks[3]]);
  assert.deepEqual(namedBy({ key: 'pkg', value: 'y' }, chunks, index), []);
});

test('a chunk that comes later, and one that got another name, are found', () => {
  const chunks = [chunk('file', 'a', 'x')];
  const index = new ChunkIndex();
  assert.deepEqual(namedBy({ key: 'file', value: 'new' }, chunks, index), []);
  chunks.push(chunk('file', 'new', 'new'));
  assert.deepEqual(namedBy({ key: 'file', value: 'new' }, chunks, index), [chunks[1]]);
  chunks[0]?.set('name', 'other');
  assert.deepEqual(namedBy({ key: 'file', value: 'other' }, chunks, index), [chunks[0]]);
  assert.deepEqual(namedBy({ key: 'file', value: 'x' }, chunks, index), []);
});
