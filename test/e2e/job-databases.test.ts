/** Jobs, returns and events in a database, on the built programs: SQLite, which is always there. */
import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import test from 'node:test';
import { openSqlite } from '../../src/storage/jobs/sqlite.ts';
import { sqlite3Kind } from '../../src/plugins/sqlite3/returner.ts';
import { Fleet, until } from '../support/fleet.ts';

/** Rows of a database, as long as nobody writes them. */
function rows(path: string, sql: string): Record<string, unknown>[] {
  if (!existsSync(path)) return [];
  const db = openSqlite(path, true);
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    return db.prepare(sql).all() as Record<string, unknown>[];
  } catch (error) {
    if (/no such table|locked/.test(String(error))) return [];
    throw error;
  } finally {
    db.close();
  }
}

test('job databases - a master keeps jobs, returns and events in a database; what it cannot take waits', async (t) => {
  const fleet = await Fleet.create(t);
  const [database, own] = [fleet.path('salt.db'), fleet.path('own.db')];
  const options = [
    'auto_accept: True',
    `sqlite3.database: ${database}`,
    'event_return: sqlite3',
    'event_return_whitelist: [salt/job/*]',
    "event_return_blacklist: ['*/new']",
  ];
  fleet.configureMaster([...options, 'master_job_cache: sqlite3']);
  const master = await fleet.startMaster();
  await fleet.joinMinion('m.one', [`sqlite3.database: ${database}`, `own.sqlite3: {database: ${own}}`]);
  const runner = async (...words: string[]): Promise<unknown> => {
    const { stdout, stderr } = await fleet.run('salt-run', [...words, '--out', 'json']);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const returns = (path = database): Record<string, unknown>[] =>
    rows(path, "SELECT fun, id, full_ret FROM salt_returns WHERE fun NOT LIKE 'runner.%' ORDER BY rowid");

  await t.test('before its tables are there commands work, and what it should get waits', async () => {
    assert.deepEqual(await fleet.json(['m.one', 'test.ping']), { 'm.one': true });
    await master.logged(
      'create it with: salt-run returner.create_schema sqlite3. What is meant for it waits',
    );
    const status = (await runner('returner.status')) as Record<string, Record<string, unknown>>;
    assert.equal(status['sqlite3']?.['answers'], false);
    assert.ok(Number(status['sqlite3']?.['jobs_waiting']) >= 2);
    const listed = (await runner('returner.list')) as Record<string, unknown>;
    assert.deepEqual(listed['sqlite3'], {
      options: ['sqlite3.database', 'sqlite3.timeout'],
      used_for: ['master_job_cache', 'event_return'],
    });
    const wrong = await fleet.run('salt-run', ['returner.create_schema', 'nowhere']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /nowhere is no database; there are: /);
  });

  await t.test('one command makes them, and everything is written once', async () => {
    const made = (await runner('returner.create_schema')) as Record<string, string[]>;
    assert.equal(made['sqlite3']?.[0], `file ${database}`);
    await master.logged('sqlite3 is back');
    await until('the return is in the database', () => returns().length > 0);
    assert.deepEqual(returns(), [{ fun: 'test.ping', id: 'm.one', full_ret: 'true' }]);
    await until('its event is there', () => rows(database, 'SELECT tag FROM salt_events').length > 0);
    const tags = rows(database, 'SELECT tag FROM salt_events').map(({ tag }) => String(tag));
    assert.deepEqual(
      tags.filter((tag) => !/^salt\/job\/\d+\/ret\/m\.one$/.test(tag)),
      [],
    );
  });

  await t.test('an asynchronous job is looked up there, and here while it is away', async () => {
    const started = await fleet.salt(['--async', 'm.one', 'test.arg', 'grün']);
    const jid = /\d{20}/.exec(started.stdout)?.[0] ?? '';
    await until('its return is in the database', () => returns().some(({ fun }) => fun === 'test.arg'));
    const lookUp = (...words: string[]): ReturnType<Fleet['run']> =>
      fleet.run('salt-run', ['jobs.lookup_jid', jid, ...words, '--out', 'json']);
    assert.match((await lookUp('ext_source=sqlite3')).stdout, /"m\.one": \{\s+"args": \[\s+"grün"/);
    renameSync(database, `${database}.away`);
    const away = await lookUp();
    renameSync(`${database}.away`, database);
    assert.match(away.stdout, /"grün"/);
    assert.match(
      away.stderr,
      /sqlite3 cannot be read: .* This is what the embedded job cache of this master knows/,
    );
  });

  await t.test(
    '--return keeps what the database cannot take, and --return_config names another one',
    async () => {
      await fleet.json(['m.one', 'test.echo', 'kept', '--return', 'sqlite3', '--return_config', 'own']);
      assert.deepEqual(returns(own), []);
      const store = sqlite3Kind.open({
        options: new Map([['database', own]]),
        timeoutMs: 5000,
        connectionsMax: 1,
      });
      await store.createSchema();
      await store.close();
      await until('the return has found its way', () => returns(own).length > 0);
      assert.deepEqual(returns(own), [{ fun: 'test.echo', id: 'm.one', full_ret: '"kept"' }]);
    },
  );

  await t.test('with ext_job_cache minions write the returns, the master the jobs', async () => {
    await master.stop();
    fleet.configureMaster([...options, 'ext_job_cache: sqlite3']);
    await fleet.startMaster();
    for (let turn = 0; turn < 30 && (await fleet.salt(['m.one', 'test.ping'])).code !== 0; turn++);
    const started = await fleet.salt(['--async', 'm.one', 'test.echo', 'external']);
    const jid = /\d{20}/.exec(started.stdout)?.[0] ?? '';
    const one = (): unknown[] => rows(database, `SELECT id FROM salt_returns WHERE jid = '${jid}'`);
    await until('the return is there', () => one().length > 0);
    assert.deepEqual(await runner('jobs.lookup_jid', jid), { 'm.one': 'external' });
    await until(
      'the job is there',
      () => rows(database, `SELECT jid FROM jids WHERE jid = '${jid}'`).length > 0,
    );
    assert.equal(one().length, 1);
  });
});
