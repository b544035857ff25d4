import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fleet, namesIn, ours, runProgram, until, type Finished } from '../support/fleet.ts';

const IDS = ['db1', 'web1', 'web2'];

/** Starts `salt`, and gives it a signal once the job runs on a minion. */
async function interrupted(fleet: Fleet, signal: NodeJS.Signals, args: readonly string[]): Promise<Finished> {
  const child = spawn(join(ours.folder, 'salt'), ['-c', fleet.masterDir, '--show-jid', ...args], {
    stdio: 'pipe',
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()));
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  await until('the job runs', () => namesIn(fleet.path('web1', 'cache', 'proc')).length > 0);
  // the command itself must have heard that its job runs
  await until('the command knows its job', () => texts.stdout.includes('jid: '));
  child.kill(signal);
  return { code: await closed, stderr: texts.stderr, stdout: texts.stdout.replace(/^jid: \d+\n/, '') };
}

test('salt command - every way of running a job', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True', 'gather_job_timeout: 2']);
  const master = await fleet.startMaster();
  await Promise.all(IDS.map((id) => fleet.joinMinion(id)));

  await t.test('--batch shows the code and the job of each minion', async () => {
    const { stdout, code } = await fleet.salt(['web*', 'test.ping', '-b', '1']);
    const blocks = (id: string): RegExp =>
      new RegExp(
        `\\nExecuting run on \\['${id}'\\]\\n\\njid:\\n {4}\\d{20}\\nretcode:\\n {4}0\\n${id}:\\n {4}True\\n`,
      );
    assert.match(stdout, blocks('web1'));
    assert.match(stdout, blocks('web2'));
    assert.equal(code, 0);
    const failed = await fleet.salt(['web1', 'test.retcode', '42', '-b', '50%']);
    assert.equal(failed.code, 1);
    const salts = await fleet.salt(['web1', 'test.retcode', '42', '-b', '50%', '--exit-codes=salt']);
    assert.equal(salts.code, 42);
    const nobody = await fleet.salt(['nobody', 'test.ping', '-b', '1']);
    assert.match(nobody.stdout, /No minions matched the target\.\n$/);
    assert.equal(nobody.code, 2);
    const unread = await fleet.salt(['*', 'test.ping', '-b', 'many']);
    assert.equal(unread.stdout, 'Invalid batch data sent: many\nData must be in the form of %10, 10% or 3\n');
    assert.equal(unread.code, 64);
  });

  await t.test('--failhard starts nobody after a failure', async () => {
    const { stdout, stderr, code } = await fleet.salt(['*', 'test.retcode', '3', '-b', '1', '--failhard']);
    assert.equal(stdout.split('Executing run on').length, 2);
    assert.match(stderr, /returned with non-zero exit code\. Batch run stopped due to failhard/);
    assert.equal(code, 1);
  });

  await t.test('--batch-safe-limit makes a batch of a big target only', async () => {
    const big = await fleet.salt(['*', 'test.ping', '--batch-safe-limit', '3', '--batch-safe-size', '3']);
    assert.match(big.stdout, /^\nNOTICE: Too many minions targeted, switching to batch execution\.\n/);
    const small = await fleet.salt(['web1', 'test.ping', '--batch-safe-limit', '3']);
    assert.equal(small.stdout, 'web1:\n    True\n');
  });

  await t.test('--static is one document; --subset takes so many', async () => {
    const { stdout } = await fleet.salt(['*', 'test.ping', '--static', '--out', 'json']);
    assert.deepEqual(JSON.parse(stdout), { db1: true, web1: true, web2: true });
    const empty = await fleet.salt(['nobody', 'test.ping', '--static']);
    assert.equal(empty.code, 2);
    const two = await fleet.salt(['*', 'test.ping', '--subset', '2', '--out', 'txt']);
    assert.equal(two.stdout.match(/: True/g)?.length, 2);
  });

  await t.test('--progress shows a bar in place of the returns, and the summary', async () => {
    const { stdout, stderr, code } = await fleet.salt(['*', 'test.ping', '--progress']);
    assert.match(stderr, /^100% \|#+\| Elapsed Time: 0:00:\d\d Returns: \[3\/3\]\n$/);
    assert.match(stdout, /^\n\n-{43}\nSummary\n-{43}\n# of minions targeted: 3\n/);
    assert.equal(code, 0);
  });

  await t.test('--exit-codes=strict tells the reasons apart', async () => {
    const strict = async (...args: string[]): Promise<number | null> =>
      (await fleet.salt(['--exit-codes=strict', ...args])).code;
    assert.equal(await strict('*', 'test.ping'), 0);
    assert.equal(await strict('*', 'no.such'), 1);
    assert.equal(await strict('*', 'no.such', '--static'), 1);
    assert.equal(await strict('nobody', 'test.ping'), 2);
    assert.equal(await strict('-L', 'web1,nobody', 'test.ping'), 3);
    assert.equal(await strict('web1', 'test.retcode', '42', '-b', '1'), 1);
    const key = fleet.path('m', 'cache', `.${process.env['USER'] ?? 'root'}_key`);
    if (!existsSync(key)) return;
    const right = readFileSync(key);
    writeFileSync(key, 'wrong');
    assert.equal(await strict('*', 'test.ping'), 4);
    const lenient = await fleet.salt(['*', 'test.ping', '--exit-codes=salt']);
    assert.equal(lenient.stdout, 'Authentication error occurred.\n');
    assert.equal(lenient.code, 0);
    writeFileSync(key, right);
  });

  await t.test(
    'every way counts the same: nobody, a failure, a silent minion, one that is refused',
    async () => {
      const ways = [
        [],
        ['-b', '1'],
        ['--static'],
        ['-b', '1', '--static'],
        ['-p'],
        ['--canary', '1,100%', '--abort-on', '9'],
        ['--hide-timeout'],
      ];
      for (const way of ways) {
        const code = async (...args: string[]): Promise<number | null> =>
          (await fleet.salt([...way, ...args])).code;
        assert.equal(await code('nobody', 'test.ping'), 2, way.join(' '));
        assert.equal(await code('-N', 'nogroup', 'test.ping'), 2, way.join(' '));
        assert.equal(await code('web*', 'test.retcode', '256'), 1, way.join(' '));
        assert.equal(await code('web1', 'cmd.run', 'sleep 9', 'timeout=0.1'), 1, way.join(' '));
        assert.equal(await code('-L', 'web1,nobody', 'test.ping'), 3, way.join(' '));
      }
      assert.equal((await fleet.salt(['--async', 'nobody', 'test.ping'])).code, 2);
    },
  );

  await t.test(
    'options that count together: batches in one document, a subset of each way, a preview that runs nothing',
    async () => {
      const both = await fleet.salt(['*', 'test.ping', '-b', '1', '--static', '--show-jid', '--out=json']);
      assert.deepEqual(JSON.parse(both.stdout), { db1: true, web1: true, web2: true });
      assert.equal(both.stderr.match(/^jid: \d{20}$/gm)?.length, 3);
      const some = await fleet.salt(['*', 'test.ping', '--static', '--subset', '1', '--out=json']);
      assert.equal(Object.keys(JSON.parse(some.stdout) as object).length, 1);
      const file = fleet.path('previewed');
      const preview = await fleet.salt(['web*', 'cmd.run', `touch ${file}`, '-b', '1', '--preview-target']);
      assert.equal(preview.stdout, '- web1\n- web2\n');
      assert.ok(!existsSync(file));
      const summary = await fleet.salt(['web1', 'test.ping', '--summary', '--out=json']);
      assert.deepEqual(JSON.parse(summary.stdout), { web1: true });
      assert.match(summary.stderr, /# of minions returned: 1/);
      const idle = await fleet.salt(['web1', 'test.ping', '--failhard']);
      assert.match(idle.stderr, /^salt: --failhard has no effect without --batch or --batch-safe-limit\.$/m);
    },
  );

  await t.test('--canary takes growing steps while there are few failures', async () => {
    const good = await fleet.salt(['*', 'test.ping', '--canary', '1,50%,100%']);
    assert.match(
      good.stdout,
      /^\nStep 1 of 2: db1 \(1 of 3\)\n\ndb1:\n {4}True\n\nStep 2 of 2: web1, web2 \(3 of 3\)\n\n/,
    );
    assert.equal(good.code, 0);
    const bad = await fleet.salt(['*', 'no.such', '--canary', '1,100%', '--abort-on', '5%']);
    assert.match(
      bad.stdout,
      /The roll-out was stopped: 1 of 1 minions failed \(db1\), and --abort-on is 5%\.\nNot run on: web1, web2\n$/,
    );
    assert.equal(bad.code, 1);
    const bold = await fleet.salt(['*', 'no.such', '--canary', '1,100%', '--abort-on', '4']);
    assert.match(bold.stdout, /^web2:/m);
    const wrong = await fleet.salt(['*', 'test.ping', '--canary', 'some']);
    assert.match(wrong.stderr, /error: option --canary: "some" is no list of steps/);
    assert.equal(wrong.code, 64);
  });

  await t.test('--watch follows a job of somebody else, and shows one that has ended', async () => {
    const { stdout } = await fleet.salt(['--async', '*', 'test.sleep', '1']);
    const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
    const watched = await fleet.salt(['--watch', jid, '--out', 'txt']);
    assert.deepEqual(
      watched.stdout.trim().split('\n').sort(),
      IDS.map((id) => `${id}: True`),
    );
    assert.match(watched.stderr, /^Job \d{20} of .*: test\.sleep 1 on \*\n$/);
    const again = await fleet.salt(['--watch', jid, '--out', 'txt']);
    assert.equal(again.stdout.split('\n').length, 4);
    const unknown = await fleet.salt(['--watch', '20200101000000000000']);
    assert.match(unknown.stderr, /No job with the id 20200101000000000000 is in the job cache\./);
    assert.equal(unknown.code, 2);
  });

  await t.test('Ctrl-C says how to find the job again, SIGTERM says nothing', async () => {
    const int = await interrupted(fleet, 'SIGINT', ['web1', 'cmd.run', 'sleep 600']);
    assert.equal(int.code, 130);
    assert.match(
      int.stderr,
      /^\nExiting gracefully on Ctrl-c\nThis job's jid is: (\d{20})\nThe minions [\s\S]*\n\nsalt-run jobs\.lookup_jid \1\n$/,
    );
    const jid = /jid is: (\d+)/.exec(int.stderr)?.[1] as string;
    await fleet.salt(['web1', 'saltutil.kill_job', jid]);
    await until('the job has gone', () => namesIn(fleet.path('web1', 'cache', 'proc')).length === 0);
    const term = await interrupted(fleet, 'SIGTERM', ['web1', 'cmd.run', 'sleep 600']);
    assert.deepEqual(term, { code: 143, stdout: '', stderr: '' });
    await fleet.salt([
      'web1',
      'saltutil.signal_job',
      namesIn(fleet.path('web1', 'cache', 'proc'))[0] ?? '',
      '15',
    ]);
  });

  await t.test('hints for functions, ids and options; a target that cannot be understood', async () => {
    const fun = await fleet.salt(['web1', 'test.pnig']);
    assert.equal(fun.stdout, "web1:\n    'test.pnig' is not available.\n");
    assert.match(fun.stderr, /^Hint: there is no 'test\.pnig'\. Did you mean 'test\.ping'\?$/m);
    const id = await fleet.salt(['wbe1', 'test.ping']);
    assert.match(id.stderr, /^Hint: there is no 'wbe1'\. Did you mean 'web1'\?$/m);
    const option = await fleet.salt(['web1', 'test.ping', '--sumary']);
    assert.match(option.stderr, /no such option: --sumary\nDid you mean --summary\?\n$/);
    const target = await fleet.salt(['-C', 'web1 and', 'test.ping']);
    assert.match(target.stdout, /^No minions matched the target\./);
    assert.match(target.stderr, /^ERROR: The target cannot be understood: .*after 'and' \(at position 5\)\n/);
    assert.equal(target.code, 2);
  });

  await t.test('-d, several functions and words that are missing', async () => {
    const many = await fleet.salt(['-d', '*', 'test.ping', 'test.echo']);
    assert.match(many.stderr, /error: You can only get documentation for one method at one time\.\n$/);
    assert.equal(many.code, 64);
    const nobody = await fleet.salt(['-d', 'nobody', 'test.ping']);
    assert.equal(nobody.stderr, 'No minions found to gather docs from\n');
    assert.equal(nobody.code, 2);
    const few = await fleet.salt(['web1', 'test.echo,test.echo', 'a']);
    assert.match(
      few.stderr,
      /^Cannot execute compound command without defining all arguments\.\nUsage: salt /,
    );
    assert.equal(few.code, 42);
    const eauth = await fleet.salt(['web1', 'test.ping', '-a', 'pam']);
    assert.match(eauth.stderr, /nobody can log in through 'pam', since .* external_auth names none\.\n$/);
    assert.equal(eauth.code, 64);
    const nosuch = await fleet.salt(['web1', 'test.ping', '-a', 'pma']);
    assert.match(
      nosuch.stderr,
      /external authentication system "pma" is not available\. Did you mean 'pam'\? Available eauth types: auto, file, .*external_auth names/,
    );
  });

  await t.test("the user's own files give defaults; an output file is emptied or appended to", async () => {
    const home = fleet.path('home');
    fleet.write(home, '.saltrc', ['output: txt']);
    const env = { PATH: process.env['PATH'], HOME: home };
    const run = (args: readonly string[]): Promise<Finished> =>
      runProgram(join(ours.folder, 'salt'), args, { env });
    const saltrc = await run(['-c', fleet.masterDir, 'web1', 'test.ping']);
    assert.equal(saltrc.stdout, 'web1: True\n');
    fleet.write(join(home, '.salt'), 'Saltfile', [
      'salt:',
      `  config_dir: ${fleet.masterDir}`,
      '  output: raw',
    ]);
    assert.equal((await run(['web1', 'test.ping'])).stdout, "{'web1': True}\n");
    const file = fleet.path('out');
    for (const more of [[], [], ['--out-file-append']])
      await run(['web1', 'test.ping', `--out-file=${file}`, ...more]);
    assert.equal(readFileSync(file, 'utf8'), "{'web1': True}\n{'web1': True}\n");
    const nowhere = await run(['web1', 'test.ping', '--out-file', fleet.path('no', 'where')]);
    assert.equal(nowhere.code, 73);
  });

  await t.test('programs are told the code of a failure in JSON, on standard error', async () => {
    const told = ({ stderr }: Finished): Record<string, string>[] =>
      stderr
        .split('\n')
        .filter((line) => line.startsWith('{"error":'))
        .map((line) => (JSON.parse(line) as { error: Record<string, string> }).error);
    const codes = (finished: Finished): unknown[] => told(finished).map(({ code }) => code);
    const nobody = await fleet.salt(['nobody', 'test.ping', '--out=json']);
    assert.deepEqual(codes(nobody), ['target-without-minions']);
    const { error } = JSON.parse(nobody.stdout) as { error: Record<string, string> };
    assert.equal(error['code'], 'target-without-minions');
    assert.match(error['message'] ?? '', /^No minions matched the target\. No command was sent/);
    assert.match(
      (await fleet.salt(['nobody', 'test.ping', '--out=json', '--exit-codes=salt'])).stdout,
      /^No minions matched/,
    );
    assert.deepEqual(codes(await fleet.salt(['nobody', 'test.ping'])), []);
    const failed = await fleet.salt(['web1', 'test.retcode', '42', '--out=json']);
    assert.deepEqual(told(failed), [
      { code: 'minion-failed', message: 'The function returned 42.', minion: 'web1' },
    ]);
    const silent = await fleet.salt(['-L', 'web1,web9', 'test.ping', '--out', 'json']);
    assert.equal(told(silent)[0]?.['code'], 'minion-not-known');
    assert.equal(told(silent)[0]?.['minion'], 'web9');
    const wrong = await fleet.salt(['*', 'test.ping', '--out=json', '--no-such-option']);
    assert.deepEqual(codes(wrong), ['usage-invalid']);
    assert.equal(
      (JSON.parse(wrong.stdout) as typeof error & { error: typeof error }).error['code'],
      'usage-invalid',
    );
    assert.deepEqual(codes(await fleet.salt(['web[', 'test.ping', '-E', '--out=json'])), ['target-invalid']);
    const runner = await fleet.run('salt-run', ['no.such', '--out=json']);
    assert.deepEqual(codes(runner), ['function-not-found']);
    const call = await fleet.run('salt-call', ['--local', 'no.such', '--out=json']);
    assert.deepEqual(codes(call), ['function-not-found']);
    fleet.write(fleet.path('broken'), 'master', ['a: [']);
    const daemon = await runProgram(join(ours.folder, 'salt-master'), ['-c', fleet.path('broken')], {
      env: { ...process.env, BRINE_ERRORS: 'json' },
    });
    assert.deepEqual(codes(daemon), ['config-unreadable']);
  });

  await t.test('without the master: the preview, the configuration, and what is said', async () => {
    await master.stop();
    const preview = await fleet.salt(['web*', '--preview-target']);
    assert.equal(preview.stdout, '- web1\n- web2\n');
    const none = await fleet.salt(['nobody', '--preview-target']);
    assert.deepEqual(none, { code: 2, stdout: '', stderr: 'ERROR: No return received\n' });
    const dump = await fleet.salt(['--config-dump']);
    assert.match(dump.stdout, new RegExp(`^ret_port: ${fleet.retPort}$`, 'm'));
    const down = await fleet.salt(['*', 'test.ping']);
    assert.equal(down.stdout, 'The salt master could not be contacted. Is master running?\n');
    assert.equal(down.code, 5);
    assert.equal((await fleet.salt(['*', 'test.ping', '--exit-codes', 'salt'])).code, 0);
    assert.equal((await fleet.salt(['*', 'test.ping', '--static'])).code, 5);
    const told = await fleet.salt(['*', 'test.ping', '--out=json']);
    assert.match(told.stderr, /^\{"error":\{"code":"master-not-reachable",/m);
    assert.equal(
      (JSON.parse(told.stdout) as Record<string, Record<string, string>>)['error']?.['code'],
      'master-not-reachable',
    );
  });
});
