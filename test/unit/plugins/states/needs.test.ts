/** State modules that are not there because what they work with is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import { STATE_TABLE } from '../../../../src/plugins/registry/state/table.generated.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { ModuleRegistry } from '../../../../src/runtime/loader/registry.ts';

const SPECS = Promise.all(STATE_TABLE.map((entry) => entry.load()));

test('states needs - what a state module needs is a function that there is', async () => {
  const missing: string[] = [];
  for (const { name, needs } of await SPECS) {
    if (needs === undefined) continue;
    const [module = '', fun = ''] = needs.fun.split('.');
    const files = await Promise.all(
      MODULE_TABLE.filter((entry) => entry.name === module).map((entry) => entry.load()),
    );
    if (!files.some(({ functions }) => Object.hasOwn(functions, fun))) missing.push(`${name}: ${needs.fun}`);
  }
  assert.deepEqual(missing, []);
});

test('states needs - a state module follows its execution module where that one may be missing', async () => {
  const astray: string[] = [];
  for (const { name, needs, unavailable } of await SPECS) {
    const files = await Promise.all(
      MODULE_TABLE.filter((entry) => entry.name === name).map((entry) => entry.load()),
    );
    const mayBeMissing = files.length > 0 && files.every((file) => file.unavailable !== undefined);
    if (mayBeMissing && needs === undefined && unavailable === undefined) astray.push(name);
  }
  assert.deepEqual(astray, []);
});

test('states needs - the reason is that of the execution module, also where a site has disabled it', async () => {
  const [quota] = MODULE_TABLE.filter(({ name }) => name === 'quota');
  assert.ok(quota);
  const load = async () => ({ ...(await quota.load()), unavailable: () => 'no setquota here' });
  const registry = new ModuleRegistry({
    opts: dict({ disable_modules: ['iptables'] }),
    grains: new Map(),
    table: [...MODULE_TABLE.filter(({ name }) => name === 'iptables'), { ...quota, load }],
    states: (context) =>
      Promise.resolve(new ModuleRegistry({ ...context, table: STATE_TABLE, kind: 'states' })),
  });
  const states = await registry.states();
  assert.equal(
    (await states.find('iptables.append')).missing,
    "'iptables' __virtual__ returned False: iptables module could not be loaded: 'iptables.version' is not available.",
  );
  assert.equal(
    (await states.find('quota.mode')).missing,
    "'quota' __virtual__ returned False: quota module could not be loaded: no setquota here",
  );
});
