/**
 * `snapper`: what is made of what the command snapper 0.10.4 said on a subvolume of btrfs, through snapperd and without
 * it, and what the command is told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapperModule } from '../../../../src/plugins/snapper/module.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { bindCall } from '../../../../src/runtime/loader/bind.ts';
import { fakeStateContext } from '../../../support/state-context.ts';
import { fakeClock } from '../../../support/module-context.ts';

const LISTED = `{"one": [
  {"number": 0, "type": "single", "pre-number": null, "date": "", "user": "root", "cleanup": "", "description": "current", "userdata": null},
  {"number": 1, "type": "single", "pre-number": null, "date": "2026-11-29 11:10:41", "user": "root", "cleanup": "", "description": "first one", "userdata": {"a": "b", "c": "d"}},
  {"number": 2, "type": "pre", "pre-number": null, "date": "2026-11-29 11:10:42", "user": "root", "cleanup": "number", "description": "p", "userdata": {"salt_jid": "20261129111042000000"}},
  {"number": 3, "type": "post", "pre-number": 2, "date": "2026-11-29 11:10:43", "user": "root", "cleanup": "number", "description": "p", "userdata": {"salt_jid": "20261129111042000000"}}
]}`;
const STATUS = `c..... /mnt/a
..ug.. /mnt/bin
-..... /mnt/gone
+..... /mnt/sp ace
.p.... /mnt/sub
`;

type Said = string | { readonly retcode: number; readonly stderr: string };

/** The module beside a snapper that answers each command. */
function machineOf(answers: Readonly<Record<string, Said>>): {
  readonly call: (
    fun: string,
    kwargs?: Readonly<Record<string, Value>>,
    args?: readonly Value[],
  ) => Promise<Value>;
  readonly told: string[];
} {
  const told: string[] = [];
  const ctx = fakeStateContext({
    clock: fakeClock(),
    functions: {
      'test.echo': ([text]) => text ?? null,
      'cmd.run_all': ([line]) => {
        const words = (line as Value[]).map(String);
        told.push(words.slice(1).join(' '));
        const command = words.find((word) => Object.hasOwn(answers, word)) ?? '';
        const said = answers[command] ?? '';
        const ended =
          typeof said === 'string' ? { retcode: 0, stdout: said, stderr: '' } : { stdout: '', ...said };
        return dict({ pid: 1, ...ended });
      },
    },
  });
  const call = async (
    fun: string,
    kwargs: Readonly<Record<string, Value>> = {},
    args: readonly Value[] = [],
  ): Promise<Value> => {
    const spec = snapperModule.functions[fun];
    assert.ok(spec, fun);
    const bound = bindCall(`snapper.${fun}`, spec, { positional: args, keywords: dict(kwargs) });
    return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
  };
  return { call, told };
}

const one = { config: 'one' } as const;

test('snapper - snapshots are listed as Salt shows them', async () => {
  const { call, told } = machineOf({ list: LISTED });
  const all = (await call('list_snapshots', one)) as Dict[];
  assert.deepEqual(told, [
    '-c one --machine-readable json --utc --iso list --columns number,type,pre-number,date,user,cleanup,description,userdata',
  ]);
  assert.deepEqual(
    all[1],
    dict({
      id: 1,
      type: 'single',
      timestamp: Date.UTC(2026, 10, 29, 11, 10, 41) / 1000,
      user: 'root',
      description: 'first one',
      cleanup: '',
      userdata: dict({ a: 'b', c: 'd' }),
    }),
  );
  assert.equal(all[0]?.get('timestamp'), 1_700_000_000, 'the present has no date');
  assert.equal(all[0]?.has('pre'), false);
  assert.equal(all[3]?.get('pre'), 2);
});

test('snapper - a status names what its letters mean, and the bits of D-Bus', async () => {
  const { call, told } = machineOf({ status: STATUS, list: LISTED });
  const status = await call('status', { ...one, num_pre: 1 });
  assert.ok(isDict(status));
  assert.deepEqual(
    [...status].map(([path, entry]) => [path, (entry as Dict).get('status')]),
    [
      ['/mnt/a', ['modified']],
      ['/mnt/bin', ['owner changed', 'group changed']],
      ['/mnt/gone', ['deleted']],
      ['/mnt/sp ace', ['created']],
      ['/mnt/sub', ['permission changed']],
    ],
  );
  await call('status', one);
  assert.deepEqual([told[0], told.at(-1)], ['-c one status 1..0', '-c one status 3..0']);
  assert.deepEqual(await call('status_to_string', { dbus_status: 8 + 16 + 256 }), [
    'modified',
    'permission changed',
    'ACL info changed',
  ]);
  await assert.rejects(call('status', { ...one, num_pre: 'x' }), /'x' is no number of a snapshot/);
});

test('snapper - only files that differ are taken back, each as a word of its own', async () => {
  const { call, told } = machineOf({ status: STATUS, undochange: 'create:0 modify:1 delete:0\n' });
  const between = { ...one, num_pre: 1, num_post: 0 };
  const undone = await call('undo', { ...between, files: ['/mnt/a', '/mnt/sp ace'] });
  assert.deepEqual(undone, dict({ create: '0', modify: '1', delete: '0' }));
  assert.equal(told.at(-1), '-c one undochange 1..0 /mnt/a /mnt/sp ace');
  await assert.rejects(
    call('undo', { ...between, files: ['/etc/passwd'] }),
    /not present in the changed filelist: \['\/etc\/passwd'\]/,
  );
});

test('snapper - what a job has changed is found by its snapshots', async () => {
  const { call, told } = machineOf({ list: LISTED, status: '' });
  const counts = await call('undo_jid', { ...one, jid: '20261129111042000000' });
  assert.equal(told.at(-1), '-c one status 2..3');
  assert.deepEqual(counts, dict({ create: '0', modify: '0', delete: '0' }));
  await assert.rejects(call('undo_jid', { ...one, jid: '2' }), /Jid '2' snapshots not found/);
});

test('snapper - a function runs between two snapshots that have the job id', async () => {
  const { call, told } = machineOf({ create: '7\n' });
  assert.equal(
    await call('run', { config: 'one', userdata: dict({ a: 'b' }) }, ['test.echo', 'hello']),
    'hello',
  );
  const [before = '', after = ''] = told;
  assert.match(
    before,
    /^-c one create --print-number --type=pre --description=snapper.run\[test.echo\] --cleanup-algorithm=number --userdata=a=b,salt_jid=\d*$/,
  );
  assert.match(after, /--type=post --pre-number=7 /);
  await assert.rejects(call('run', {}, ['no.such']), /function "no.such" does not exist/);
  assert.equal(told.length, 2, 'no snapshot is made for a function that does not exist');
});

test('snapper - user data is replaced, though the command adds to it', async () => {
  const { call, told } = machineOf({ list: LISTED });
  await call('modify_snapshot', { ...one, snapshot_id: 1, userdata: dict({ c: 'e', x: 'y' }) });
  assert.equal(told[1], '-c one modify --userdata=a=,c=e,x=y 1');
  await assert.rejects(
    call('create_snapshot', { ...one, userdata: dict({ a: 'b,c=d' }) }),
    /cannot have a comma/,
  );
});

test('snapper - snapshots that do not exist are named, and none is deleted', async () => {
  const { call, told } = machineOf({ list: LISTED });
  await assert.rejects(
    call('delete_snapshot', { ...one, snapshots_ids: [1, 54, 55] }),
    /Snapshots '54, 55' not found/,
  );
  assert.equal(told.length, 1);
  const gone = await call('delete_snapshot', { ...one, snapshots_ids: [1, 3] });
  assert.deepEqual(gone, dict({ one: dict({ ids: [1, 3], status: 'deleted' }) }));
  assert.equal(told.at(-1), '-c one delete 1 3');
});

test('snapper - its refusals have the words of Salt', async () => {
  for (const stderr of ["Config 'nosuch' not found.", 'Unknown config.'])
    await assert.rejects(
      machineOf({ list: { retcode: 1, stderr } }).call('list_snapshots', { config: 'nosuch' }),
      /^CommandExecutionError: Error encountered while listing snapshots: Unknown configuration 'nosuch'$/,
    );
  for (const stderr of ["Snapshot '55' not found.", 'Illegal snapshot.'])
    await assert.rejects(
      machineOf({ status: { retcode: 1, stderr } }).call('status', { ...one, num_pre: 55 }),
      /Error encountered while listing changed files: Invalid snapshot$/,
    );
  const { call, told } = machineOf({ 'get-config': '{"SYNC_ACL": "yes"}' });
  assert.equal(await call('set_config', { name: 'one', sync_acl: true, NUMBER_LIMIT: 5 }), true);
  assert.equal(told[0], '-c one set-config SYNC_ACL=yes NUMBER_LIMIT=5');
  await assert.rejects(call('create_config', { name: 'x', subvolume: '/y' }), /You must provide a "fstype"/);
});
