/** Links to the commands: never over what is there and is not ours. */
import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeLinks, planLinks, removeLinks } from '../../../../src/cli/takeover/command-links.ts';

test('takeover links - what is there stays, and only what was made goes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-links-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [own, links] = [join(folder, 'brine'), join(folder, 'links')];
  for (const path of [own, links]) mkdirSync(path);
  for (const name of ['salt', 'salt-cp', 'salt-key', 'salt-run', 'salt-call'])
    writeFileSync(join(own, name), '');
  writeFileSync(join(links, 'salt'), "Salt's");
  symlinkSync('/usr/bin/gone', join(links, 'salt-cp'));
  symlinkSync(join(own, 'salt-key'), join(links, 'salt-key'));
  const programs = { command: () => [], file: (name: string) => join(own, name) };
  const plan = planLinks(['master', 'minion', 'api'], links, programs);
  const names = (list: readonly { path: string }[]): string[] =>
    list.map(({ path }) => path.slice(links.length + 1));
  assert.deepEqual(names(plan.links), ['salt-run', 'salt-call']);
  assert.deepEqual(names(plan.taken), ['salt', 'salt-cp']);
  for (const _ of ['once', 'twice']) makeLinks(plan.links);
  assert.equal(lstatSync(join(links, 'salt-run')).isSymbolicLink(), true);
  rmSync(join(links, 'salt-call'));
  writeFileSync(join(links, 'salt-call'), 'of somebody else');
  for (const _ of ['once', 'twice']) removeLinks(plan.links);
  assert.deepEqual(readdirSync(links).sort(), ['salt', 'salt-call', 'salt-cp', 'salt-key']);
  assert.equal(readFileSync(join(links, 'salt'), 'utf8'), "Salt's");
  assert.deepEqual(planLinks(['master'], undefined, programs), { links: [], taken: [] });
});
