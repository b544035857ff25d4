/** Functions that change or remove a thing by its name say so when it is not there, also in test mode. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { runSaltRun } from '../../../../src/cli/run/salt-run.ts';
import { OutputFileError } from '../../../../src/cli/terminal/display.ts';
import { recordedIo } from '../../../support/command-io.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { localMinion } from '../../../support/local-minion.ts';

/** A minion with a beacon `load` and a job `nightly`, which notes the orders that would change them. */
function minion(): { readonly orders: string[]; call(fun: string, ...args: Value[]): Promise<Dict> } {
  const orders: string[] = [];
  const beacons = dict({ load: [dict({ interval: 5 })] });
  const schedule = dict({ nightly: dict({ function: 'test.ping', seconds: 5 }) });
  const manage = (_what: string, order: Dict): Promise<Dict> => {
    const func = String(order.get('func'));
    if (func.startsWith('list')) return Promise.resolve(dict({ complete: true, beacons, schedule }));
    orders.push(func);
    return Promise.resolve(dict({ complete: true, beacons, schedule }));
  };
  const ctx = fakeContext({ services: { manage } });
  return {
    orders,
    call: async (fun, ...args) => {
      const last = args.at(-1) ?? null;
      const answer = isDict(last)
        ? await ctx.functions.call(fun, args.slice(0, -1), last)
        : await ctx.functions.call(fun, args);
      assert.ok(isDict(answer), fun);
      return answer;
    },
  };
}

test('things that are not there - beacons and jobs are told and not changed, in test mode as well', async () => {
  const { call, orders } = minion();
  const data = [dict({ interval: 9 })];
  const cases: readonly (readonly [string, readonly Value[], RegExp])[] = [
    ['beacons.delete', ['laod'], /^Beacon laod is not configured\. Did you mean 'load'\?$/],
    ['beacons.modify', ['laod', data], /^Beacon laod is not configured\. Did you mean 'load'\?$/],
    ['beacons.enable_beacon', ['laod'], /^Beacon laod is not currently configured/],
    ['beacons.disable_beacon', ['laod'], /^Beacon laod is not currently configured/],
    ['schedule.delete', ['nightyl'], /^Job nightyl does not exist/],
    ['schedule.enable_job', ['nightyl'], /^Job nightyl does not exist/],
    ['schedule.disable_job', ['nightyl'], /^Job nightyl does not exist/],
  ];
  for (const [fun, args, said] of cases)
    for (const test of [false, true]) {
      const answer = await call(fun, ...args, dict({ test }));
      assert.match(String(answer.get('comment')), said, fun);
      assert.equal(answer.get('result'), false, fun);
    }
  assert.deepEqual(orders, []);
  assert.equal((await call('beacons.delete', 'load', dict({ test: true }))).get('result'), true);
});

test('things that are not there - a job without a function is refused in a sentence', async () => {
  const { call, orders } = minion();
  for (const fun of ['schedule.add', 'schedule.build_schedule_item']) {
    const answer = await call(fun, 'hourly', dict({ seconds: 5 }));
    assert.equal(answer.get('result'), false);
    assert.match(String(answer.get('comment')), /^Job hourly needs a function; add one/);
  }
  assert.deepEqual(orders, []);
});

test('things that are not there - mine.send names a function that is not there, and why one fails', async () => {
  const send = (fun: string, args: Value[], kwargs: DictInit = {}, caller = 'mine.send'): Promise<Value> =>
    fakeContext({
      id: 'm1',
      opts: dict({ id: 'm1', file_client: 'remote' }),
      fun: caller,
    }).functions.call(fun, args, dict(kwargs));
  await assert.rejects(
    send('mine.send', ['test.pign']),
    /Function test\.pign in mine\.send is not available; nothing is kept for it\. Did you mean 'test\.ping'/,
  );
  await assert.rejects(
    send('mine.send', ['up'], { mine_function: 'nosuch.fn' }),
    /Function nosuch\.fn .* not available/,
  );
  await assert.rejects(
    send('mine.send', ['test.exception']),
    /test\.exception in mine\.send failed to execute/,
  );
  // states and templates get Salt's False, and the log has the reason
  assert.equal(await send('mine.send', ['nosuch.fn'], {}, 'state.apply'), false);
});

test('things that are not there - queue.delete says what it did not find, and ends with 1', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-queue-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const run = async (...words: string[]): Promise<readonly [string, number]> => {
    const io = recordedIo('');
    const code = await runSaltRun(['-c', folder, '--out=txt', ...words], io);
    return [io.written.stdout.trim(), code];
  };
  writeFileSync(
    join(folder, 'master'),
    `root_dir: ${folder}\nsqlite_queue_dir: ${folder}\nrunner_returns: False\n`,
  );
  await run('queue.insert', 'q', '[a, b]');
  const [nothing, code] = await run('queue.delete', 'q', 'c');
  assert.match(nothing, /^Nothing was removed: the queue q has none of what was named/);
  assert.equal(code, 1);
  assert.match((await run('queue.delete', 'q', '[a, c]'))[0], /^Only 1 of 2 items were removed: the queue q/);
  assert.deepEqual(await run('queue.delete', 'q', 'b'), ['True', 0]);
});

test('things that are not there - saltcheck fails for a name that is no SLS, and one that does not compile', async (t) => {
  const minion = localMinion(t);
  minion.write('srv/web.sls', 'x: {test.nop: []}\n');
  minion.write('srv/broken.sls', 'x: {test.nop: []}\ny: {test.nop: [}\n');
  const missing = await minion.run('saltcheck.run_state_tests', 'wbe');
  assert.match(
    JSON.stringify(missing.ret),
    /Fail: there is no SLS wbe in the environment base, .* Did you mean 'web'\?/,
  );
  assert.equal(missing.code, 1);
  const broken = await minion.run('saltcheck.run_state_tests', 'broken');
  assert.match(JSON.stringify(broken.ret), /Fail: broken does not compile: /);
  assert.equal(broken.code, 1);
  assert.equal(
    (await minion.run('saltcheck.run_state_tests', 'web')).code,
    0,
    'an SLS without tests is as in Salt',
  );
});

test('things that are not there - an output file without its folder is told in plain words', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-out-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const said = (code: string, path: string): string =>
    new OutputFileError(path, Object.assign(new Error(`${code}: raw`), { code })).message;
  assert.equal(
    said('ENOENT', join(folder, 'a', 'b')),
    `The output file ${folder}/a/b cannot be written: there is no folder ${folder}/a. Make it, or name another file with --out-file.`,
  );
  assert.match(said('EISDIR', folder), /it is a folder\. Name a file in it with --out-file\.$/);
  assert.match(
    said('ENOTDIR', join(folder, 'f', 'x')),
    /\/f is no folder\. Name another file with --out-file\.$/,
  );
});
