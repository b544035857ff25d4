import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { CHANGES_APART } from '../../../../src/runtime/state/derived-chunks.ts';
import {
  callState,
  fakeStateContext,
  runState,
  type FakeStateOptions,
} from '../../../support/state-context.ts';

interface Service {
  up: boolean;
  enabled: boolean;
  readonly fails?: boolean;
}

function functionsOf(service: Service): NonNullable<FakeStateOptions['functions']> {
  const set = (change: Partial<Service>) => () => {
    if (service.fails === true) throw new CommandExecutionError('it does not want to');
    Object.assign(service, change);
    return true;
  };
  return {
    'service.offline': false,
    'service.available': ([name]) => name === 'web',
    'service.status': () => service.up,
    'service.enabled': () => service.enabled,
    'service.disabled': () => !service.enabled,
    'service.start': set({ up: true }),
    'service.stop': set({ up: false }),
    'service.restart': set({ up: true }),
    'service.reload': set({ up: true }),
    'service.enable': set({ enabled: true }),
    'service.disable': set({ enabled: false }),
  };
}

async function run(fun: string, args: Dict, service: Service, isTest = false) {
  const named = args.has('name') ? args : new Map([...args, ...dict({ name: 'web' })]);
  const result = await callState(fun, named, { functions: functionsOf(service), test: isTest });
  return [result.get('result'), result.get('comment'), result.get('changes')];
}

const CHANGED = dict({ web: true });

test('states of service - running and dead, with and without enabling', async () => {
  const down = (): Service => ({ up: false, enabled: false });
  assert.deepEqual(await run('service.running', dict(), down()), [true, 'Started service web', CHANGED]);
  assert.deepEqual(await run('service.running', dict({ enable: true }), down()), [
    true,
    'Service web has been enabled, and is running',
    CHANGED,
  ]);
  assert.deepEqual(await run('service.running', dict({ enable: true }), { up: true, enabled: true }), [
    true,
    'The service web is already running',
    dict(),
  ]);
  assert.deepEqual(await run('service.running', dict(), down(), true), [
    null,
    'Service web is set to start',
    dict(),
  ]);
  assert.deepEqual(await run('service.dead', dict(), { up: true, enabled: false }), [
    true,
    'Service web was killed',
    dict({ web: false }),
  ]);
  assert.deepEqual(await run('service.running', dict(), { ...down(), fails: true }), [
    false,
    'it does not want to',
    dict(),
  ]);
});

test('states of service - one that is not there, and an option that is none', async () => {
  const service = { up: false, enabled: false };
  const gone = 'The named service db is not available';
  assert.deepEqual((await run('service.running', dict({ name: 'db' }), service)).slice(0, 2), [false, gone]);
  assert.deepEqual((await run('service.dead', dict({ name: 'db' }), service)).slice(0, 2), [true, gone]);
  assert.match(
    String((await run('service.running', dict({ enabled: true }), service))[1]),
    /non-existent option/,
  );
});

test('states of service - what a watch does depends on the state that watches', async () => {
  const watch = (args: Record<string, string | boolean>, up: boolean) =>
    run('service.mod_watch', dict(args), { up, enabled: false });
  assert.deepEqual((await watch({ sfun: 'running' }, true))[1], 'Service restarted');
  assert.deepEqual((await watch({ sfun: 'running', reload: true }, true))[1], 'Service reloaded');
  assert.deepEqual((await watch({ sfun: 'running' }, false))[1], 'Service started');
  assert.deepEqual((await watch({ sfun: 'dead' }, false))[1], 'Service is already stopped');
  assert.deepEqual(
    (await watch({ sfun: 'enabled' }, true))[1],
    'Unable to trigger watch for service.enabled',
  );
});

test('states of service - one that is enabled only still watches', async () => {
  const marks = async (up: boolean): Promise<boolean> => {
    const args = dict({ name: 'web', enable: true });
    const ctx = fakeStateContext({ functions: functionsOf({ up, enabled: false }) });
    await runState(ctx, 'service.running', args);
    return ctx.state.low.has(CHANGES_APART);
  };
  assert.equal(await marks(true), true);
  assert.equal(await marks(false), false);
});
