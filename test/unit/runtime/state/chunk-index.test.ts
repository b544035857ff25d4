/** Chunks by what requisites call them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { ChunkIndex } from '../../../../src/runtime/state/chunk-index.ts';
import { namedBy, type Lookup } from '../../../../src/runtime/state/requisites.ts';
import { SlsIncludes } from '../../../../src/runtime/state/sls-includes.ts';

const chunk = (state: string, id: string, name: string): Dict => dict({ state, __id__: id, name });

function lookUp(): Lookup {
  return { index: new ChunkIndex(), includes: new SlsIncludes(), isWaiting: () => false };
}

test('chunks are found by name and by id, in their order, those of other kinds left out', () => {
  const chunks = [
    chunk('file', 'a', 'x'),
    chunk('pkg', 'b', 'x'),
    chunk('file', 'x', 'x'),
    chunk('file', 'c', 'y'),
  ];
  const lookup = lookUp();
  assert.deepEqual(namedBy({ key: 'file', value: 'x' }, chunks, lookup), [chunks[0], chunks[2]]);
  assert.deepEqual(namedBy({ key: 'id', value: 'x' }, chunks, lookup), [chunks[0], chunks[1], chunks[2]]);
  assert.deepEqual(namedBy({ key: 'file', value: '[xy]' }, chunks, lookup), [
    chunks[0],
    chunks[2],
    chunks[3],
  ]);
  assert.deepEqual(namedBy({ key: 'pkg', value: 'y' }, chunks, lookup), []);
});

test('a chunk that comes later, and one that got another name, are found', () => {
  const chunks = [chunk('file', 'a', 'x')];
  const lookup = lookUp();
  assert.deepEqual(namedBy({ key: 'file', value: 'new' }, chunks, lookup), []);
  chunks.push(chunk('file', 'new', 'new'));
  assert.deepEqual(namedBy({ key: 'file', value: 'new' }, chunks, lookup), [chunks[1]]);
  chunks[0]?.set('name', 'other');
  assert.deepEqual(namedBy({ key: 'file', value: 'other' }, chunks, lookup), [chunks[0]]);
  assert.deepEqual(namedBy({ key: 'file', value: 'x' }, chunks, lookup), []);
});
