/** Requisites that name a whole SLS, or an id without saying which of its functions. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { appliedSls } from '../../../support/sls-runs.ts';

const CHANGES = 'test.succeed_with_changes';
const FILES = {
  'inc.sls': 'include: [.deep]\n',
  'deep.sls': `x: {${CHANGES}: []}\n`,
  'empty.sls': '{% if false %}y: test.nop{% endif %}\n',
};
const DONE = 'true Success!';

test('requisites - an SLS that only includes others means what these declare', async (t) => {
  const kinds = ['require', 'require_any', 'watch', 'watch_any', 'onchanges', 'onchanges_any'];
  const states = kinds.map((kind) => `${kind}: {${CHANGES}: [{${kind}: [{sls: inc}]}]}`);
  const sls = [
    'include: [inc]',
    ...states,
    `glob: {${CHANGES}: [{require: [{sls: 'in?'}]}]}`,
    `before: {${CHANGES}: [{require_in: [{sls: inc}]}]}`,
    `onfail: {${CHANGES}: [{onfail: [{sls: inc}]}]}`,
    `lost: {${CHANGES}: [{require: [{sls: nosuch}]}]}`,
  ].join('\n');
  assert.deepEqual(await appliedSls(t, { ...FILES, 'top.sls': sls }, 'top'), [
    `test before: ${DONE}`,
    `test x: ${DONE}`,
    ...kinds.map((kind) => `test ${kind}: ${DONE}`),
    `test glob: ${DONE}`,
    'test onfail: true State was not run because onfail req did not change',
    'test lost: false The following requisites were not found:',
  ]);
});

test('requisites - an SLS that renders to nothing has neither failed nor changed', async (t) => {
  const sls = [
    'include: [empty]',
    ...['require', 'require_any', 'watch', 'onchanges', 'onfail', 'prereq'].map(
      (kind) => `${kind}: {${CHANGES}: [{${kind}: [{sls: empty}]}]}`,
    ),
    `before: {${CHANGES}: [{require_in: [{sls: empty}]}]}`,
  ].join('\n');
  assert.deepEqual(await appliedSls(t, { ...FILES, 'top.sls': sls }, 'top'), [
    ...['require', 'require_any', 'watch'].map((kind) => `test ${kind}: ${DONE}`),
    'test onchanges: true State was not run because none of the onchanges reqs changed',
    'test onfail: true State was not run because onfail req did not change',
    'test prereq: true No changes detected',
    `test before: ${DONE}`,
  ]);
});

test('requisites - what another SLS has included before counts for each that includes it', async (t) => {
  const files = {
    ...FILES,
    'second.sls': 'include: [deep]\n',
    'top.sls': `include: [inc, second]\na: {${CHANGES}: [{onchanges: [{sls: second}]}]}\n`,
  };
  assert.deepEqual(await appliedSls(t, files, 'top'), [`test x: ${DONE}`, `test a: ${DONE}`]);
});

test('requisites - a state may require the SLS that includes its own, where that has states', async (t) => {
  const files = {
    'part.sls': 'include: [whole]\nlate: {test.nop: [{require: [{sls: whole}]}]}\n',
    'whole.sls': 'include: [part]\nearly: {test.nop: [{order: last}]}\n',
  };
  assert.deepEqual(await appliedSls(t, files, 'whole'), [`test early: ${DONE}`, `test late: ${DONE}`]);
});

test('requisites - an excluded SLS is missed by who requires it', async (t) => {
  const sls = 'include: [inc]\nexclude: [{sls: inc}]\na: {test.nop: [{require: [{sls: inc}]}]}\n';
  const results = await appliedSls(t, { ...FILES, 'top.sls': sls }, 'top');
  assert.deepEqual(results.at(-1), 'test a: false The following requisites were not found:');
});

test('requisites - listening to a whole SLS, and to all functions of an id', async (t) => {
  const sls = [
    'include: [inc]',
    `both: {${CHANGES}: [], cmd.run: [{name: 'true'}]}`,
    'toSls: {test.nop: [{listen: [{sls: inc}]}]}',
    'toId: {test.nop: [{listen: [both]}]}',
    `by: {${CHANGES}: [{listen_in: [target]}]}`,
    'target: {test.nop: []}',
  ].join('\n');
  const results = await appliedSls(t, { ...FILES, 'top.sls': sls }, 'top');
  assert.deepEqual(
    results.filter((result) => result.includes('listener_')),
    ['toSls', 'toId', 'target'].map((id) => `test listener_${id}: true Watch statement fired.`),
  );
});

test('requisites - a bare id at the other end means all its functions, and all that have it as name', async (t) => {
  const sls = [
    `two: {${CHANGES}: [], cmd.run: [{name: 'true'}]}`,
    'named: {test.nop: [{name: called}], cmd.run: [{name: called}]}',
    `failing: {test.fail_without_changes: [{require_in: [two, {id: named}]}]}`,
    `called-by-name: {test.fail_without_changes: [{require_in: [called]}]}`,
    'handler: {test.nop: [], cmd.run: [{name: "true"}]}',
    `succeeding: {${CHANGES}: [{onfail_in: [handler]}]}`,
  ].join('\n');
  const results = await appliedSls(t, { 'top.sls': sls }, 'top');
  assert.deepEqual(
    results.filter((result) => !/^test (failing|called-by-name|succeeding):/.test(result)).sort(),
    [
      'cmd handler: true State was not run because onfail req did not change',
      'cmd named: false One or more requisite failed: top.failing, top.called-by-name',
      'cmd two: false One or more requisite failed: top.failing',
      'test handler: true State was not run because onfail req did not change',
      'test named: false One or more requisite failed: top.failing, top.called-by-name',
      'test two: false One or more requisite failed: top.failing',
    ],
  );
});
