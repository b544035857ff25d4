/** What a local user with limited rights (`publisher_acl`) can reach on the built programs, besides what he may. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { jidAt } from '../../src/storage/jobs/jid.ts';
import { findUser } from '../../src/host/users.ts';
import { requireReadablePrograms } from '../../src/programs/daemon/program-access.ts';
import { clearBytes, rawRequester } from '../support/attacker.ts';
import { Fleet, ours, runProgram, until, type Finished } from '../support/fleet.ts';

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
        !isRefused(await publish('test.ping', [], { jid: jidAt(Date.now() - 60_000) })),
        'a new one may be chosen',
      );
    });

    await t.test('a job id of another time, which would stand first or last among all jobs', async () => {
      const far = ['99991231235959999999', '00010101000000000000', jidAt(Date.now() - 7_200_000), 'mine'];
      for (const jid of far) {
        const { load } = Object.fromEntries(await publish('test.ping', [], { jid }));
        assert.ok(load instanceof Map, jid);
        assert.match(String(load.get('error')), /is not one of the present/);
      }
      const jobs = await fleet.run('salt-run', ['jobs.list_jobs', '--out=json']);
      assert.doesNotMatch(jobs.stdout, /9999123|00010101|"mine"/);
      // whoever may do everything may take up an old job, and yet begin none in a time to come
      const ofRoot = { user: 'root', key: readFileSync(fleet.path('m', 'cache', '.root_key'), 'utf8') };
      const old = jidAt(Date.now() - 7_200_000);
      assert.equal(jidOf(await publish('test.ping', [], { ...ofRoot, jid: old })), old);
      const reply = (await publish('test.ping', [], { ...ofRoot, jid: far[0] ?? '' })).get('load');
      assert.ok(isDict(reply));
      assert.match(String(reply.get('error')), /of a time in which no job can have begun/);
    });
  },
);

/** Why no other account can run our commands here: false when one can. */
async function obstacle(): Promise<string | false> {
  const account = await findUser(USER);
  if (!isRoot || account === undefined) return `needs root and the account ${USER}`;
  return requireReadablePrograms(account, [join(ours.folder, 'salt'), process.execPath]).then(
    () => false,
    (error: unknown) => String(error),
  );
}

test(
  'limited users - their own commands get in, hear their own jobs, and say which folder is closed',
  { skip: await obstacle() },
  async (t) => {
    const account = await findUser(USER);
    assert.ok(account !== undefined);
    const fleet = await Fleet.create(t, [
      'auto_accept: True',
      `publisher_acl: {${USER}: [test.*, sys.list_functions]}`,
    ]);
    const asUser = (program: string, ...words: string[]): Promise<Finished> =>
      runProgram(join(ours.folder, program), ['-c', fleet.masterDir, ...words], {
        as: { uid: account.uid, gid: account.gid },
        cwd: '/',
        env: { PATH: process.env['PATH'], HOME: '/' },
      });
    const said = ({ stdout, stderr }: Finished): string => stdout + stderr;
    await fleet.startMaster();
    await Promise.all([fleet.joinMinion('m1'), fleet.joinMinion('m2')]);

    await t.test('a folder that is closed to them is named, with what opens it', async () => {
      chmodSync(fleet.folder, 0o700);
      const unread = await asUser('salt', '*', 'test.ping');
      assert.ok(said(unread).includes(`the user ${USER} may not enter the folder ${fleet.folder},`));
      assert.equal(unread.code, 77);
      chmodSync(fleet.folder, 0o755);
      for (const name of ['run', 'cache']) {
        const folder = fleet.path('m', name);
        chmodSync(folder, 0o700);
        const text = said(await asUser('salt', '*', 'test.ping'));
        assert.ok(text.includes(`The user ${USER} may not enter the folder ${folder}`), text);
        assert.ok(text.includes(`chmod o+x ${folder}`), text);
        chmodSync(folder, 0o755);
      }
    });

    await t.test('returns come, in every way of running a job', async () => {
      for (const way of [[], ['--static'], ['-b', '1'], ['--progress'], ['--subset', '2'], ['-v']]) {
        const { code, stdout, stderr } = await asUser('salt', ...way, '*', 'test.ping');
        assert.equal(code, 0, way.join(' ') + stdout + stderr);
        if (way[0] !== '--progress') assert.match(stdout, /m1:\s+True/, way.join(' ') + stderr);
      }
      const { stdout } = await asUser('salt', 'm1,m9', '-L', 'test.echo', 'hello');
      assert.match(stdout, /hello[\s\S]*m9/);
    });

    await t.test('what they may not is refused, also in another name', async () => {
      assert.match(said(await asUser('salt', '*', 'cmd.run', 'id')), /Authorization error occurred/);
      assert.match(
        said(await asUser('salt-cp', '*', '/etc/hostname', '/tmp/x')),
        /Authorization error occurred/,
      );
    });

    await t.test(
      'what only the keys or the job cache of the master tell is refused with who may',
      async () => {
        const closed: [string, string[], number, RegExp][] = [
          ['salt', ['--preview-target', '*'], 77, /may not enter the folder .*pki.* Run it as root/],
          ['salt', ['--batch-safe-limit', '2', '*', 'test.ping'], 77, /may not enter the folder .*pki/],
          ['salt', ['--watch', '20261129024248522944'], 77, /job_cache is closed to the user/],
          [
            'salt',
            ['--out-file=/root/x', '*', 'test.ping'],
            73,
            /output file \/root\/x cannot be written: the user/,
          ],
          ['salt-run', ['jobs.list_jobs'], 77, /configured to run as user "root"/],
          ['salt-key', ['-L'], 77, /configured to run as user "root"/],
          ['salt-cp', ['*', '/etc/hostname', '/tmp/x'], 4, /does not allow cp\.recv on \* \(glob\)/],
        ];
        for (const [program, words, code, expected] of closed) {
          const ended = await asUser(program, ...words);
          assert.match(said(ended), expected, words.join(' '));
          assert.equal(ended.code, code, words.join(' '));
          assert.doesNotMatch(said(ended), /Could not store job cache|m1:\s+True/, words.join(' '));
        }
      },
    );

    await t.test('who is not named is told so', async () => {
      const other = await findUser('daemon');
      if (other === undefined) return;
      const { stdout, stderr } = await runProgram(
        join(ours.folder, 'salt'),
        ['-c', fleet.masterDir, '*', 'test.ping'],
        { as: { uid: other.uid, gid: other.gid }, cwd: '/', env: { PATH: process.env['PATH'], HOME: '/' } },
      );
      assert.match(stdout + stderr, /no key for the user daemon .*publisher_acl/);
    });

    await t.test('without publisher_acl nobody is let in, and told what would let him', async () => {
      await fleet.master?.stop();
      fleet.configureMaster(['auto_accept: True']);
      await fleet.startMaster();
      const text = said(await asUser('salt', '*', 'test.ping'));
      assert.match(text, /may not publish jobs on this master: .*name the user in publisher_acl/);
      assert.equal(existsSync(fleet.path('m', 'run', 'event_door.ipc')), false);
    });
  },
);
