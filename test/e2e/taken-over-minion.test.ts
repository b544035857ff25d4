/** What a minion that has been taken over says to the built master, and what comes of it. */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { test } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import type { Value } from '../../src/python/values/value.ts';
import { Attacker, returnOf } from '../support/attacker.ts';
import { Fleet, ours, runProgram, until } from '../support/fleet.ts';

const JID = '20261121000000000001';

test('a minion that has been taken over', { timeout: 120_000 }, async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    'order_masters: True',
    'pillar_cache: True',
    'on_demand_ext_pillar: [cmd_yaml]',
    `pillar_roots: {base: [${fleet.path('pillar')}], dev: [${fleet.path('dev')}]}`,
    'peer: {rogue: [{"I@role:db": [test.*]}]}',
    'peer_run: {rogue: [test.sleep]}',
  ]);
  fleet.write(fleet.path('pillar'), 'top.sls', ['base:', "  '*':", '    - role']);
  fleet.write(fleet.path('pillar'), 'role.sls', ["role: {{ 'db' if grains.id == 'database' else 'web' }}"]);
  fleet.write(fleet.path('dev'), 'top.sls', ['dev:', "  '*':", '    - role']);
  fleet.write(fleet.path('dev'), 'role.sls', ["{% if opts.pillarenv == 'dev' %}role: db{% endif %}"]);
  await fleet.startMaster();
  const join = async (id: string): Promise<Attacker> => {
    const minion = new Attacker(t, id, fleet.retPort);
    assert.equal((await minion.authenticate()).kind, 'accepted');
    return minion;
  };
  const rogue = await join('rogue');
  const database = await join('database');

  await t.test('what it says of its pillar decides no right', async () => {
    const grains = { os: 'Debian' };
    await database.send(database.request({ cmd: '_pillar', grains }));
    await database.call({
      cmd: '_mine',
      data: {
        secret: {
          __saltmine_acl__: 1,
          __data__: 'hunter2',
          allow_tgt: 'I@role:db',
          allow_tgt_type: 'compound',
        },
      },
    });
    const read = (minion: Attacker): Promise<unknown> =>
      minion.call({ cmd: '_mine_get', tgt: '*', fun: 'secret' });
    assert.deepEqual(await read(database), new Map([['database', 'hunter2']]));
    const publish = (): Promise<unknown> =>
      rogue.call({ cmd: 'minion_pub', tgt: 'rogue', tgt_type: 'glob', fun: 'test.ping', arg: [], ret: '' });
    const isRefused = async (what: string): Promise<void> => {
      assert.deepEqual(await read(rogue), new Map(), `reads the mine with ${what}`);
      assert.deepEqual(await publish(), new Map(), `publishes with ${what}`);
    };
    await isRefused('nothing');
    const lies: Record<string, object> = {
      pillar_override: { pillar_override: { role: 'db' } },
      'an external pillar of its choice': { ext: { cmd_yaml: 'echo "role: db"' } },
      'an environment of its choice': { pillarenv: 'dev' },
      'pillar_override after that': { pillar_override: { role: 'db' }, pillarenv: 'dev' },
      'what it said before': {},
      'its pillar_override in an environment of its choice': {
        pillar_override: { role: 'db' },
        saltenv: 'x',
      },
    };
    for (const [what, lie] of Object.entries(lies)) {
      await rogue.send(rogue.request({ cmd: '_pillar', grains, ...lie }));
      await isRefused(what);
    }
  });

  /** What of these events comes to the bus: tags, and the ids in the data. */
  const heardOf = async (fire: () => Promise<void>): Promise<[string, Value | undefined][]> => {
    const heard: [string, Value | undefined][] = [];
    const reader = await EventBusReader.connect(
      fleet.path('m', 'run', 'master_event_pub.ipc'),
      () => true,
      ({ tag, data }) => heard.push([tag, data.get('id')]),
    );
    await fire();
    await rogue.call({ cmd: '_minion_event', tag: 'the/end', data: {} });
    await until('the last event is heard', () => heard.at(-1)?.[0] === 'the/end');
    reader.close();
    return heard.slice(0, -1);
  };

  await t.test('it fires no event of the master, and none of another minion', async () => {
    const own = [
      'minion_start',
      'minion_ping',
      '_salt_error',
      'salt/minion/rogue/start',
      'salt/beacon/rogue/load/',
      `salt/job/${JID}/prog/rogue/1`,
      `salt/state_result/${JID}/rogue/web.restarted`,
      'salt/engines/docker_events/start',
      'myco/deploy',
    ];
    const forbidden = [
      ...[
        'salt/wheel/x',
        `salt/wheel/${JID}/ret`,
        `salt/run/${JID}/args`,
        'salt/stats/worker',
        'salt/cloud/x',
      ],
      ...[
        'salt/fileserver/roots/update',
        'salt/auth',
        'salt/auth/x',
        'salt/key',
        'salt/key/x',
        'key',
        'new_job',
      ],
      ...[
        'salt/presence/change',
        'salt/netapi/hook/x',
        'salt/scheduler/1',
        'cluster/peer/x',
        JID,
        'fire_master',
      ],
      ...[
        'salt/reactors/manage/add',
        'myco/salt/reactors/manage/add',
        'salt/queue/x',
        'brine/minion/database/connected',
      ],
      ...[
        'salt/minion/database/start',
        'salt/beacon/database/load/',
        'minion/refresh/database',
        'syndic/rogue/x',
      ],
      ...[`salt/state_result/${JID}/database/x`, `salt/job/${JID}/ret/database`, `salt/job/${JID}/new`],
      ...[`salt/job/${JID}/prog/database/1`, `salt/job/${JID}/sub/database/error/state.sls`],
    ];
    const heard = await heardOf(async () => {
      for (const tag of [...own, ...forbidden]) {
        await rogue.call({ cmd: '_minion_event', tag, data: { id: 'database' } });
        await rogue.call({ cmd: '_minion_event', events: [{ tag, data: { id: 'database' } }] });
        await rogue.call({ cmd: '_minion_event', events: [{ tag, id: 'database' }], pretag: null });
      }
    });
    assert.deepEqual(
      heard,
      own.flatMap((tag) => [tag, tag, tag].map((each) => [each, 'rogue'])),
    );
  });

  await t.test('it speaks for no other minion, though order_masters is set', async () => {
    const forged = { return: 'forged', retcode: 0, success: true };
    const syndicReturn = (minion: string) => ({
      cmd: '_syndic_return',
      load: [{ jid: JID, fun: 'test.ping', load: {}, return: { [minion]: forged } }],
    });
    const kept = async (): Promise<unknown> =>
      JSON.parse((await fleet.run('salt-run', ['--out=json', 'jobs.lookup_jid', JID])).stdout);
    await rogue.call(returnOf(JID));
    const heard = await heardOf(async () => {
      await rogue.call({ cmd: '_minion_event', tag: 'salt/syndic/rogue/start', data: 'x' });
      await rogue.call({
        cmd: '_minion_event',
        pretag: 'syndic/rogue',
        events: [{ tag: 'salt/minion/elsewhere/start', data: {} }],
      });
      for (const minion of ['database', 'elsewhere']) await rogue.call(syndicReturn(minion));
    });
    assert.deepEqual(heard, []);
    assert.deepEqual(await kept(), { rogue: true });
    await fleet.master?.logged(
      'The minion rogue sent returns of other minions, but it has acted as a minion',
    );
    // a syndic of Salt says what it is before anything else, and is one without any configuration; but not for those
    // who are here
    const syndic = await join('syndic-a');
    await syndic.send(syndic.request({ cmd: '_pillar', grains: {} }));
    await syndic.call({ cmd: '_minion_event', tag: 'salt/syndic/syndic-a/start', data: 'x', pretag: null });
    for (const minion of ['database', 'elsewhere', 'syndic-a']) await syndic.call(syndicReturn(minion));
    assert.deepEqual(await kept(), { rogue: true, elsewhere: 'forged', 'syndic-a': 'forged' });
  });

  /** What a program writes when its output is a terminal. */
  const onTerminal = async (program: string, ...args: string[]): Promise<string> => {
    const words = [joinPath(ours.folder, program), '-c', fleet.masterDir, ...args];
    const { stdout } = await runProgram('script', [
      '-qec',
      words.map((word) => `'${word}'`).join(' '),
      '/dev/null',
    ]);
    return stdout.replaceAll('\r\n', '\n');
  };
  const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;
  /** Our own colours are no fault. */
  const plain = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, '');

  await t.test('what it returns steers no terminal, and hides nothing there', async () => {
    const jid = '20261121000000000002';
    const value = {
      ['key\x1b[2K\nweb2:']: 'x\x1b]0;title\x07\r\u202edaolyap\u2028',
      list: ['\x9b2J', '\x1b[8mhidden', '\u200b'],
    };
    await rogue.call({ ...returnOf(jid), return: value, out: 'quiet' });
    const lookUp = ['jobs.lookup_jid', jid];
    const shown = plain(await onTerminal('salt-run', ...lookUp));
    assert.match(shown, /rogue:/, 'it cannot choose an outputter that hides what it says');
    assert.match(shown, /key\\x1b\[2K\\x0aweb2::\n/);
    assert.match(shown, /x\\x1b\]0;title\\x07\\x0d\\u202edaolyap\\u2028/);
    assert.match(shown, /\\x1b\[8mhidden/, 'a colour that hides is one of its own');
    assert.doesNotMatch(shown, UNSEEN);
    const piped = await fleet.run('salt-run', ['--out=json', ...lookUp]);
    assert.deepEqual(JSON.parse(piped.stdout), { rogue: value }, 'what programs read is as it was');
  });

  await t.test('no id steers the terminal, or looks like another one in the list of keys', async () => {
    for (const id of ['web1\x1b[2K', 'web1\r', 'web1\u202e', 'web\u200b1', 'web1 ', 'a\tb', 'a\x9bb']) {
      const outcome = await new Attacker(t, id, fleet.retPort).authenticate().catch(() => undefined);
      assert.notEqual(outcome?.kind, 'accepted', JSON.stringify(id));
    }
    await join('d\u0430tabase');
    const listed = plain(await onTerminal('salt-key', '-L'));
    assert.match(listed, /\ndatabase\n/);
    assert.match(
      listed,
      /\nd\u0430tabase {2}\(spelt d<U\+0430>tabase, fingerprint ([0-9a-f]{2}:){31}[0-9a-f]{2}\)\n/,
    );
    assert.match(
      (await fleet.run('salt-key', ['-L'])).stdout,
      /\nd\u0430tabase\n/,
      'pipes get what they always got',
    );
    assert.match(plain(await onTerminal('salt-key', '-d', 'd*tabase')), /spelt d<U\+0430>tabase/);
  });

  await t.test('it writes no line of its own into the log, on the console or in the file', async () => {
    const forged = '2026-11-21 00:00:00,000 [salt.master:1][CRITICAL][1] forged';
    await rogue.call({ cmd: '_minion_event', tag: '_salt_error', data: `oops\n${forged}\r\x1b[2K\u202e` });
    await rogue.call({ cmd: '_minion_event', tag: `salt/wheel/\n[CRITICAL] forged`, data: 'x' });
    await fleet.master?.logged('reports an error: oops');
    const file = readFileSync(fleet.path('m', 'log', 'log'), 'utf8');
    for (const log of [fleet.master?.log ?? '', file]) {
      assert.match(log, /reports an error: oops\n {4}2026-11-21 .* forged\\x0d\\x1b\[2K\\u202e\n/);
      assert.doesNotMatch(log, /^(2026-11-21 00|\[CRITICAL\])/m);
      assert.doesNotMatch(log, UNSEEN);
    }
  });

  await t.test('what it returns for a job of others stands apart', async () => {
    const heard: string[] = [];
    const bus = await EventBusReader.connect(
      fleet.path('m', 'run', 'master_event_pub.ipc'),
      () => true,
      ({ tag }) => heard.push(tag),
    );
    t.after(() => bus.close());
    const published = await fleet.run('salt', ['--async', '--out=json', 'database', 'test.ping']);
    const jid = /\d{20}/.exec(published.stdout)?.[0] ?? '';
    assert.notEqual(jid, '', published.stderr);
    const forged = {
      cmd: '_return',
      jid,
      fun: 'test.ping',
      fun_args: [],
      return: 'forged',
      retcode: 0,
      success: true,
    };
    await rogue.call(forged);
    await rogue.call({ cmd: '_minion_event', tag: `salt/job/${jid}/received/rogue`, data: {} });
    await rogue.call({
      cmd: '_minion_event',
      tag: `salt/job/${jid}/ret/rogue`,
      data: { ...forged, id: 'rogue' },
    });
    await rogue.call({ ...forged, jid: '99991231235959999999' });
    await rogue.call({ ...forged, jid: '00010101000000000000' });
    await database.call({ ...forged, return: true });
    await until('both are told', () => heard.includes(`salt/job/${jid}/ret/database`));
    assert.deepEqual(
      heard.filter((tag) => tag.includes('/rogue')).sort(),
      ['00010101000000000000', jid, '99991231235959999999']
        .map((each) => `salt/job/${each}/apart/rogue`)
        .sort(),
    );
    for (const words of [
      ['jobs.lookup_jid', jid],
      ['jobs.list_job', jid],
      ['jobs.outcomes', jid],
    ])
      assert.doesNotMatch(
        (await fleet.run('salt-run', [...words, '--out=json'])).stdout,
        /rogue|forged/,
        words[0],
      );
    await fleet.master?.logged(`rogue has returned for job ${jid}, which was not meant for it`);
  });

  await t.test('what it hands to a runner stands in no command line', async () => {
    const mark = '1.000007';
    const commandLines = (): string[] =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
          } catch {
            return ''; // it has ended meanwhile
          }
        });
    const isRunning = (): string | undefined => commandLines().find((line) => line.includes('test.sleep'));
    const answer = rogue.call({ cmd: 'minion_runner', fun: 'test.sleep', arg: [`s_time=${mark}`] });
    await until('the runner runs', () => isRunning() !== undefined);
    assert.ok(!commandLines().some((line) => line.includes(mark)));
    assert.equal(await answer, true);
  });

  await t.test('nobody else on the machine reads what the master keeps', () => {
    const open: string[] = [];
    const look = (path: string): void => {
      const stat = lstatSync(path);
      if (!stat.isSymbolicLink() && !stat.isSocket() && (stat.mode & 0o077) !== 0) open.push(path);
      if (stat.isDirectory()) for (const name of readdirSync(path)) look(joinPath(path, name));
    };
    const cache = fleet.path('m', 'cache');
    // code that users of publisher_acl run, too, and empty marks for programs of Salt
    const shared = ['extmods', 'syndics'];
    for (const name of readdirSync(cache)) if (!shared.includes(name)) look(joinPath(cache, name));
    assert.deepEqual(open, []);
  });
});
