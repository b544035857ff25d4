/** What a local user with limited rights (`publisher_acl`) can reach on the built programs, besides what he may. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import test from 'node:test';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { clearBytes, rawRequester } from '../support/attacker.ts';
import { Fleet, until } from '../support/fleet.ts';

/** An account that every system has and nobody logs in to. */
const USER = 'nobody';
const isRoot = userInfo().uid === 0;

test(
  'limited users - a list of functions is all they get',
  { skip: !isRoot && 'key files of other users need root' },
  async (t) => {
    const fleet = await Fleet.create(t, [
      'auto_accept: True',
      `publisher_acl: {${USER}: [test.*, mine.*, schedule.*, saltutil.mmodule, {'m*': [{cmd.run: {args: ['uptime$']}}]}]}`,
    ]);
    const config = fleet.path('m', 'master');
    writeFileSync(
      config,
      `${readFileSync(config, 'utf8')}publisher_acl_blacklist: {modules: [test.rand_*]}\n`,
    );
    await fleet.startMaster();
    await fleet.joinMinion('m1');
    const requester = rawRequester(t, fleet.retPort);
    const key = readFileSync(fleet.path('m', 'cache', `.${USER}_key`), 'utf8');
    const publish = async (fun: Value, arg: Value[], more: Record<string, Value> = {}): Promise<Dict> => {
      const load = {
        cmd: 'publish',
        tgt: 'm1',
        tgt_type: 'glob',
        ret: '',
        jid: '',
        user: USER,
        key,
        fun,
        arg,
        ...more,
      };
      const reply = decode(await requester.request(clearBytes(load), 20_000), 'network');
      assert.ok(isDict(reply));
      return reply;
    };
    const isRefused = (reply: Dict): boolean => {
      const error = reply.get('error');
      return isDict(error) && error.get('name') === 'AuthorizationError';
    };
    const jidOf = (reply: Dict): Value => (reply.get('load') as Dict).get('jid') ?? null;
    const kwargs = (words: Record<string, Value>): Value =>
      new Map<Value, Value>([['__kwarg__', true], ...Object.entries(words)]);
    const trace = fleet.path('trace');

    await t.test('what they may', async () => {
      for (const [fun, arg] of [
        ['test.ping', []],
        ['test.cross_test', ['test.echo', [['hello']]]],
        ['test.try', [kwargs({ module: 'test.echo', text: 'x' })]],
        ['mine.send', ['test.echo', 'x']],
        ['schedule.add', ['far', 'function=test.ping', 'hours=9']],
        ['test.cross_test', ['func=test.echo', 'args=[hello]']],
        ['cmd.run', ['uptime']],
        ['test.cross_test', ['cmd.run', ['uptime']]],
      ] as [string, Value[]][])
        assert.ok(!isRefused(await publish(fun, arg)), fun);
    });

    await t.test('CVE-2013-4435 - a function inside another needs a permission of its own', async () => {
      const command = `touch ${trace}`;
      for (const [fun, arg] of [
        ['test.cross_test', ['cmd.run', [command]]],
        ['test.cross_test', ['cmd.run', `["${command}"]`]],
        ['test.cross_test', [kwargs({ func: 'cmd.run', args: [command] })]],
        ['test.cross_test', ['func=cmd.run', `args=["${command}"]`]],
        ['test.cross_test', ['test.cross_test', ['cmd.run', [command]]]],
        ['test.cross_test', [['cmd.run'], [command]]],
        ['test.cross_test', ['"cmd.run"', [command]]],
        ['test.try', [kwargs({ module: 'cmd.run', cmd: command })]],
        ['test.try', ['cmd.run', kwargs({ cmd: command })]],
        ['test.try', ['module=cmd.run', `cmd=${command}`]],
        ['saltutil.mmodule', ['base', 'cmd.run', command]],
        ['mine.send', ['x', command, kwargs({ mine_function: 'cmd.run' })]],
        ['mine.send', ['cmd.run', command]],
        [
          'mine.update',
          [true, new Map<Value, Value>([['x', [command, kwargs({ mine_function: 'cmd.run' })]]])],
        ],
        ['mine.update', [kwargs({ mine_functions: `{x: [{mine_function: cmd.run}, "${command}"]}` })]],
        ['schedule.add', ['j', kwargs({ function: 'cmd.run', job_args: [command], seconds: 1 })]],
        [
          'schedule.add',
          [
            'j',
            kwargs({
              function: 'test.ping',
              returner: 'rawfile_json',
              return_kwargs: kwargs({ filename: trace }),
              seconds: 1,
            }),
          ],
        ],
        [
          ['test.ping', 'test.cross_test'],
          [[], ['cmd.run', [command]]],
        ],
        ['cmd.run', [['uptime', 'x']]],
      ] as [Value, Value[]][])
        assert.ok(isRefused(await publish(fun, arg)), JSON.stringify([fun, arg]));
      assert.equal(existsSync(trace), false);
    });

    await t.test('where a returner writes, and how a minion runs a job, is not theirs to say', async () => {
      const ways: Record<string, Value>[] = [
        { ret_kwargs: kwargs({ filename: trace }) },
        { ret_config: 'other' },
        { module_executors: ['sudo'] },
        { executor_opts: kwargs({ splaytime: 1 }) },
      ];
      for (const way of ways) {
        const more = { ret: 'rawfile_json', kwargs: new Map<Value, Value>(Object.entries(way)) };
        assert.ok(isRefused(await publish('test.ping', [], more)), JSON.stringify(Object.keys(way)));
        assert.ok(isRefused(await publish('saltutil.find_job', ['x'], more)), 'also with what everybody may');
      }
      assert.equal(existsSync(trace), false);
    });

    await t.test(
      'publisher_acl_blacklist - a function inside another is blacklisted, too, for everybody',
      async () => {
        for (const words of [
          ['test.rand_str'],
          ['test.cross_test', 'test.rand_str'],
          ['test.cross_test', 'test.cross_test', '[test.rand_str]'],
          ['test.try', 'module=test.rand_str'],
        ]) {
          const { stdout, stderr } = await fleet.salt(['m1', ...words]);
          assert.match(`${stdout}${stderr}`, /Authorization error occurred/, words.join(' '));
        }
      },
    );

    await t.test("the master's own user may say all of that", async () => {
      const words = ['--return', 'rawfile_json', '--return_kwargs', `{"filename": "${trace}"}`];
      await fleet.json(['m1', 'test.cross_test', 'cmd.run', '[uptime]', ...words]);
      await until('the returner has written', () => existsSync(trace));
    });

    await t.test('the id of a job that there is', async () => {
      const first = jidOf(await publish('test.ping', []));
      assert.ok(isRefused(await publish('test.ping', [], { jid: first })));
      assert.ok(
        !isRefused(await publish('test.ping', [], { jid: '20261122000000000001' })),
        'a new one may be chosen',
      );
    });
  },
);
