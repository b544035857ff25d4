/** The reactor of a master: every form of reaction, what fails beside what works, and rules changed while it runs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader, EventBusWriter } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import { dict, type Dict } from '../../src/python/values/value.ts';
import { Fleet, until } from '../support/fleet.ts';

/** Events of a burst. */
const BURST = 300;

test('reactor - jobs, runners and functions of the master follow from events', async (t) => {
  const fleet = await Fleet.create(t);
  const sls = (name: string, ...lines: string[]): string => {
    fleet.write(fleet.path('reactor'), name, lines);
    return fleet.path('reactor', name);
  };
  const out = fleet.path('out');
  const map = {
    'my/new': sls(
      'new.sls',
      'write it down:',
      '  local.cmd.run:',
      "    - tgt: {{ data['id'] }}",
      '    - args:',
      `      - cmd: "echo {{ data['word'] }} of {{ tag }} on {{ grains['kernel'] }} >> ${out}"`,
      '      - python_shell: True',
    ),
    'my/old': sls(
      'old.sls',
      'old style:',
      '  cmd.cmd.run:',
      '    - tgt: one',
      '    - arg:',
      `      - "echo old >> ${out}"`,
      '    - kwarg:',
      '        python_shell: True',
      '{# a runner in the old style has its arguments beside the other keys #}',
      'a runner:',
      '  runner.event.send:',
      '    - tag: my/followed',
      "    - data: {word: {{ salt['test.echo']('hello') }}}",
      'another one:',
      '  runner.test.arg:',
      '    - args:',
      '      - foo: 1',
    ),
    'my/broken': [
      sls('broken.sls', 'a: {{ nothing.here.at.all }}', 'b: ['),
      fleet.path('reactor', 'gone.sls'),
      sls('after.sls', 'after:', '  runner.test.arg:', '    - args: {still: here}'),
      sls('wrong.sls', 'wrong:', '  runner.no.such:', '    - args: {a: 1}'),
    ],
    'my/burst': sls(
      'burst.sls',
      'burst:',
      '  local.test.arg:',
      '    - tgt: one',
      "    - arg: [{{ data['number'] }}]",
    ),
    'my/loop': sls('loop.sls', 'again:', '  runner.event.send:', '    - args: {tag: my/loop}'),
  };
  fleet.configureMaster([
    'auto_accept: True',
    'reactor:',
    ...Object.entries(map).map(([tag, files]) => `  - '${tag}': ${JSON.stringify(files)}`),
  ]);
  const master = await fleet.startMaster();
  await master.logged('The reactor is ready');
  await fleet.joinMinion('one');
  const writer = new EventBusWriter({
    path: fleet.path('m', 'run', 'master_event_pull.ipc'),
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 1_000_000,
  });
  t.after(() => writer.close());
  const events: BusEvent[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    (event) => void events.push(event),
  );
  t.after(() => bus.close());
  const fire = (tag: string, data: Dict = new Map()): void => writer.fire(tag, data);
  const ended = (fun: string): BusEvent[] =>
    events.filter(({ tag, data }) => /^salt\/run\/\d+\/ret$/.test(tag) && data.get('fun') === fun);

  await t.test('a job on a minion, with the event at hand', async () => {
    fire('my/new', dict({ id: 'one', word: 'hello' }));
    await until('the command ran', () => existsSync(out));
    await until('it wrote', () => readFileSync(out, 'utf8') === 'hello of my/new on Linux\n');
  });

  await t.test('the old style, runners, and events in the name of the reactor', async () => {
    fire('my/old');
    await until('the command ran', () => readFileSync(out, 'utf8').endsWith('old\n'));
    await until('the runner sent its event', () => events.some(({ tag }) => tag.endsWith('my/followed')));
    await until('the other runner ended', () => ended('runner.test.arg').length === 1);
    const [run] = ended('runner.test.arg');
    assert.equal(run?.data.get('user'), 'Reactor');
    assert.deepEqual(run?.data.get('return'), dict({ args: [], kwargs: dict({ foo: 1 }) }));
  });

  await t.test('what fails is told with its file and tag, and stops nothing', async () => {
    fire('my/broken');
    await until('the runner after it ended', () => ended('runner.test.arg').length === 2);
    await master.logged(`Can not render SLS ${fleet.path('reactor', 'gone.sls')} for tag my/broken`);
    await master.logged(`Failed to render "${fleet.path('reactor', 'broken.sls')}" for tag my/broken`);
    await master.logged("Reactor 'wrong' failed to execute runner 'no.such'");
  });

  await t.test('a reaction that brings about its own event ends, and is told of', async () => {
    fire('my/loop');
    await master.logged(
      'The event my/loop follows from 32 reactions, one from another, and is not reacted to',
    );
    assert.equal(events.filter(({ tag }) => tag === 'my/loop').length, 33);
  });

  await t.test(
    'killed in the middle of a burst, it goes on: each event has its job once, in order',
    async () => {
      const numbers = (): number[] =>
        events
          .filter(({ tag, data }) => tag.endsWith('/new') && data.get('fun') === 'test.arg')
          .map(({ data }) => Number((data.get('arg') as number[])[0]));
      const wanted = Array.from({ length: BURST }, (_, number) => number);
      for (const number of wanted) fire('my/burst', dict({ number }));
      await until('some jobs', () => numbers().length >= BURST / 10);
      process.kill(master.children().get('salt-master Reactor') as number, 'SIGKILL');
      await until('all jobs', () => numbers().length >= BURST);
      assert.deepEqual(numbers(), wanted);
    },
  );

  await t.test('rules are listed, added and removed while it runs', async () => {
    const run = (args: readonly string[]) => fleet.run('salt-run', ['--out', 'json', ...args]);
    const file = sls('added.sls', 'added:', '  runner.test.arg:', '    - args: {added: 1}');
    assert.match((await run(['reactor.add', 'my/added', file])).stdout, /"Reactor added."/);
    fire('my/added');
    await until('it reacted', () => ended('runner.test.arg').length === 3);
    assert.match((await run(['reactor.list'])).stdout, /my\/added/);
    assert.match((await run(['reactor.delete', 'my/added'])).stdout, /"Reactor deleted."/);
    assert.match((await run(['reactor.delete', 'my/added'])).stdout, /"Reactor does not exists."/);
    assert.equal((await run(['reactor.set_leader', 'False'])).stdout.trim(), 'false');
    assert.equal((await run(['reactor.is_leader'])).stdout.trim(), 'false');
    fire('salt/reactors/manage/set_leader', dict({ value: true, key: 'guessed' }));
    await master.logged('received salt/reactors/manage event without matching master_key. discarding');
  });
});
